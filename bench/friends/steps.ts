import type { Random } from '../support/random.ts';
import type { Operation } from './layouts/layout.ts';
import { drawn, type Network } from './network.ts';

export interface Step {
  user: string;
  friend: string;
  before: readonly string[];
  isFriend: boolean;
}

/** Each listing with the layout `hash` reads the whole table. */
const MOST_LISTINGS = 25;

/**
 * Returns a random sample of at most `limit` operations. Additions fill the lists and removals empty them, in random
 * order. Checks (every second one finds its friend) and listings (one per user) see complete lists.
 */
export function stepsOf(operation: Operation, random: Random, network: Network, limit: number): Step[] {
  const pairs = [...network.friends].flatMap(([user, friends]) => friends.map((friend) => ({ user, friend })));
  if (operation === 'list') return listings(random, network, Math.min(limit, MOST_LISTINGS));
  if (operation === 'check') return checks(random, network, pairs, Math.min(limit, 2 * pairs.length));
  const order = drawn(random, pairs, pairs.length);
  const timed = new Set(drawn(random, [...order.keys()], limit));
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

/**
 * Alternates between a friend and a stranger of the same user. Draws friendships, as the article does, so users come as
 * often as they have friends.
 */
function checks(
  random: Random,
  network: Network,
  pairs: readonly Pick<Step, 'user' | 'friend'>[],
  count: number,
): Step[] {
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

/** There is at least one stranger, because no user reads itself. */
function stranger(random: Random, network: Network, friends: readonly string[]): string {
  const known = new Set(friends);
  const strangers = network.users.filter((user) => !known.has(user));
  return strangers[random.below(strangers.length)]!;
}
