import type { Random } from '../support/random.ts';

export interface Network {
  size: number;
  users: readonly string[];
  friends: ReadonlyMap<string, readonly string[]>;
}

/** Each user reads a random number of others, from one to all. */
export function randomNetwork(random: Random, size: number): Network {
  const users = Array.from({ length: size }, () => randomId(random));
  const friends = new Map<string, readonly string[]>();
  for (const user of users) {
    const others = users.filter((other) => other !== user);
    friends.set(user, drawn(random, others, 1 + random.below(size - 1)));
  }
  return { size, users, friends };
}

export function randomId(random: Random): string {
  const digits = Array.from({ length: 32 }, () => random.below(16).toString(16));
  digits[12] = '4';
  digits[16] = (8 + random.below(4)).toString(16);
  const text = digits.join('');
  const parts = [text.slice(0, 8), text.slice(8, 12), text.slice(12, 16), text.slice(16, 20), text.slice(20)];
  return `USER-${parts.join('-')}`;
}

export function drawn<T>(random: Random, values: readonly T[], count: number): T[] {
  const pool = [...values];
  const end = Math.min(count, pool.length);
  for (let place = 0; place < end; place++) {
    const other = place + random.below(pool.length - place);
    [pool[place], pool[other]] = [pool[other]!, pool[place]!];
  }
  return pool.slice(0, end);
}
