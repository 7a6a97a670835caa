import type { Random } from '../support/random.ts';
import type { Operation } from './layouts/layout.ts';
import { drawn, type Network } from './network.ts';

/** One timed operation. */
export interface Step {
  user: string;
  /** Who is added, asked for or removed; of a listing one of the list. */
  friend: string;
  /** The user's friends just before. */
  before: readonly string[];
  /** Whether `friend` is among them. */
  isFriend: boolean;
}

/** A listing of the layout `hash` reads the whole table: a few of them must do. */
const MOST_LISTINGS = 25;

/**
 * The timed operations of one kind on a network, at most `limit`. Adding goes from no friends to all and removing from
 * all to none, each in a random order; of these a random sample is timed, in that order. Checks are made of whole lists:
 * every second one finds its friend. Listings are of whole lists too, at most one of each user.
 */
export function stepsOf(operation: Operation, random: Random, network: Network, limit: number): Step[] {
  const pairs = [...network.friends].flatMap(([user, friends]) => friends.map((friend) => ({ user, friend })));
  if (operation === 'list') return listings(random, network, Math.min(limit, MOST_LISTINGS));
  if (operation === 'check') return checks(random, network, pairs, Math.min(limit, 2 * pairs.length));
  const order = drawn(random, pairs, pairs.length);
  const timed = new Set(
    drawn(
      random,
      order.map((_, place) => place),
      limit,
    ),
  );
  const steps: Step[] = [];
  const lists = new Map<string, Set<string>>();
  for (const [user, friends] of network.friends) lists.set(user, new Set(operation === 'add' ? [] : friends));
  for (const [place, { user, friend }] of order.entries()) {
    const list = lists.get(user)!;
    if (timed.has(place)) steps.push({ user, friend, before: [...list], isFriend: operation === 'remove' });
    if (operation === 'add') list.add(friend);
    else list.delete(friend);
  }
  return steps;
}

function listings(random: Random, network: Network, limit: number): Step[] {
  return drawn(random, [...network.friends], limit).map(([user, before]) => ({
    user,
    friend: before[0]!,
    before,
    isFriend: true,
  }));
}

/** A user and a friend. */
interface Pair {
  user: string;
  friend: string;
}

/**
 * Pairs of checks of one user: one of a friend, one of somebody else, so that both see lists of the same length. Friendships
 * are drawn, not users: a user comes as often as it has friends, as in the article.
 */
function checks(random: Random, network: Network, pairs: readonly Pair[], count: number): Step[] {
  const steps: Step[] = [];
  let pair = pairs[0]!;
  for (let place = 0; place < count; place++) {
    const isFriend = place % 2 === 0;
    if (isFriend) pair = pairs[random.below(pairs.length)]!;
    const { user } = pair;
    const before = network.friends.get(user)!;
    const friend = isFriend ? pair.friend : stranger(random, network, before);
    steps.push({ user, friend, before, isFriend });
  }
  return steps;
}

/** A user that this user does not read: there is always one, since no user reads itself. */
function stranger(random: Random, network: Network, friends: readonly string[]): string {
  const known = new Set(friends);
  const strangers = network.users.filter((user) => !known.has(user));
  return strangers[random.below(strangers.length)]!;
}
