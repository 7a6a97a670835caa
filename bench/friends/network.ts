import type { Random } from '../support/random.ts';

/** Who reads whom. */
export interface Network {
  /** How many users it has. */
  size: number;
  /** The ids of all users. */
  users: readonly string[];
  /** The friends of those users whose lists are kept: of all but in big networks. At least one each, in no order. */
  friends: ReadonlyMap<string, readonly string[]>;
}

/** The friends that a network keeps at most, about: lists of bigger networks are a sample, each of them whole. */
const FRIENDS_KEPT = 20_000;
/** So many lists are kept however long they are. */
const FEWEST_LISTS = 10;

/**
 * A random network: each user reads a random number of others, from one to all, equally likely. Users do not touch each
 * other's items, so of a network too big to load a random sample of users is as good as all of them.
 */
export function randomNetwork(random: Random, size: number): Network {
  const users = Array.from({ length: size }, () => randomId(random));
  const meanFriends = size / 2;
  const kept = Math.min(size, Math.max(FEWEST_LISTS, Math.ceil(FRIENDS_KEPT / meanFriends)));
  const friends = new Map<string, readonly string[]>();
  // Ids are random, so the first users are a random sample.
  for (const user of users.slice(0, kept)) {
    const others = users.filter((other) => other !== user);
    friends.set(user, drawn(random, others, 1 + random.below(size - 1)));
  }
  return { size, users, friends };
}

/** `USER-` and a random UUID. */
export function randomId(random: Random): string {
  const digits = Array.from({ length: 32 }, () => random.below(16).toString(16));
  digits[12] = '4';
  digits[16] = (8 + random.below(4)).toString(16);
  const text = digits.join('');
  const parts = [text.slice(0, 8), text.slice(8, 12), text.slice(12, 16), text.slice(16, 20), text.slice(20)];
  return `USER-${parts.join('-')}`;
}

/** So many of some values, in random order; all of them where there are fewer. */
export function drawn<T>(random: Random, values: readonly T[], count: number): T[] {
  const pool = [...values];
  const end = Math.min(count, pool.length);
  for (let place = 0; place < end; place++) {
    const other = place + random.below(pool.length - place);
    [pool[place], pool[other]] = [pool[other]!, pool[place]!];
  }
  return pool.slice(0, end);
}
