import { describe, expect, it } from 'vitest';
import { OPERATIONS } from '../../../bench/friends/layouts/layout.ts';
import { randomNetwork } from '../../../bench/friends/network.ts';
import { stepsOf } from '../../../bench/friends/steps.ts';
import { seededRandom } from '../../../bench/support/random.ts';

const network = randomNetwork(seededRandom(1), 40);
const pairCount = [...network.friends.values()].reduce((sum, friends) => sum + friends.length, 0);

describe('randomNetwork', () => {
  it('gives each user one to all others as friends, each once', () => {
    expect(network.friends.size).toBe(40);
    for (const [user, friends] of network.friends) {
      expect(friends.length).toBeGreaterThan(0);
      expect(new Set(friends).size).toBe(friends.length);
      expect(friends).not.toContain(user);
      expect(network.users).toEqual(expect.arrayContaining([...friends]));
    }
    const counts = [...network.friends.values()].map((friends) => friends.length);
    expect(Math.min(...counts)).toBeLessThan(10);
    expect(Math.max(...counts)).toBeGreaterThan(30);
  });

  it('makes the same network from the same seed, and another from another', () => {
    expect(randomNetwork(seededRandom(1), 40)).toEqual(network);
    expect(randomNetwork(seededRandom(2), 40)).not.toEqual(network);
  });
});

describe('stepsOf', () => {
  it('adds each friend once, to the list that those before have made', () => {
    const lists = new Map<string, Set<string>>();
    const steps = stepsOf('add', seededRandom(3), network, Number.POSITIVE_INFINITY);
    expect(steps).toHaveLength(pairCount);
    for (const { user, friend, before, isFriend } of steps) {
      const list = lists.get(user) ?? new Set();
      expect(new Set(before)).toEqual(list);
      expect([isFriend, list.has(friend)]).toEqual([false, false]);
      lists.set(user, list.add(friend));
    }
    for (const [user, friends] of network.friends) expect(lists.get(user)).toEqual(new Set(friends));
  });

  it('removes each friend once, down to nothing', () => {
    const lists = new Map([...network.friends].map(([user, friends]) => [user, new Set(friends)]));
    for (const { user, friend, before, isFriend } of stepsOf('remove', seededRandom(3), network, 100_000)) {
      expect(new Set(before)).toEqual(lists.get(user));
      expect([isFriend, lists.get(user)!.delete(friend)]).toEqual([true, true]);
    }
    expect([...lists.values()].every(({ size }) => size === 0)).toBe(true);
  });

  it('checks whole lists, and every second answer is yes', () => {
    const steps = stepsOf('check', seededRandom(3), network, 100);
    expect(steps.map(({ isFriend }) => isFriend)).toEqual(steps.map((_, place) => place % 2 === 0));
    for (const { user, friend, before, isFriend } of steps) {
      expect(before).toEqual(network.friends.get(user));
      expect(before.includes(friend)).toBe(isFriend);
    }
  });

  it.each(OPERATIONS.filter((operation) => operation !== 'list'))(
    'times a sample of the operations where there are too many to %s',
    (operation) => {
      const steps = stepsOf(operation, seededRandom(3), network, 50);
      expect(steps).toHaveLength(50);
      // The sample is of the whole course, not of its beginning.
      const lengths = steps.map(({ before }) => before.length);
      expect(Math.max(...lengths) - Math.min(...lengths)).toBeGreaterThan(15);
    },
  );

  it('lists each user at most once, whole, and 25 of a network at most', () => {
    const steps = stepsOf('list', seededRandom(3), network, 1_000);
    expect(steps).toHaveLength(25);
    expect(new Set(steps.map(({ user }) => user)).size).toBe(25);
    for (const { user, before } of steps) expect(before).toEqual(network.friends.get(user));
  });
});

describe('checks', () => {
  it('come to a user as often as it has friends, not to each user as often', () => {
    const steps = stepsOf('check', seededRandom(3), network, 1_000);
    const mean = steps.reduce((sum, { before }) => sum + before.length, 0) / steps.length;
    const lists = [...network.friends.values()].map((friends) => friends.length);
    const weighted =
      lists.reduce((sum, length) => sum + length ** 2, 0) / lists.reduce((sum, length) => sum + length, 0);
    expect(Math.abs(mean - weighted) / weighted).toBeLessThan(0.1);
    expect(mean).toBeGreaterThan((1.15 * lists.reduce((sum, length) => sum + length, 0)) / lists.length);
  });
});
