import { expect, it } from 'vitest';
import { Gathered } from '../../../src/trust/check/gathered.ts';

/** Gathers numbers, whose answers are their doubles; `answer` lets the oldest call that is under way come back. */
function gatheredDoubles() {
  const calls: { ones: readonly number[]; end: (error?: Error) => void }[] = [];
  const gathered = new Gathered<number, number>(
    (ones) =>
      new Promise((resolve, reject) => {
        const end = (error?: Error): void =>
          error === undefined ? resolve(ones.map((one) => one * 2)) : reject(error);
        calls.push({ ones, end });
      }),
  );
  const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  return { gathered, calls, settled };
}

it('asks at once what comes together, and gathers the rest while a call is under way', async () => {
  const { gathered, calls, settled } = gatheredDoubles();
  const first = Promise.all([gathered.answers([1, 2]), gathered.answers([3])]);
  await settled();
  const second = Promise.all([gathered.answers([4]), gathered.answers([]), gathered.answers([5])]);
  await settled();
  expect(calls.map(({ ones }) => ones)).toEqual([[1, 2, 3]]);
  calls[0]!.end();
  expect(await first).toEqual([[2, 4], [6]]);
  await settled();
  expect(calls[1]!.ones).toEqual([4, 5]);
  calls[1]!.end();
  expect(await second).toEqual([[8], [], [10]]);
});

it('does not wait for a call that is under way once a hundred are gathered', async () => {
  const { gathered, calls, settled } = gatheredDoubles();
  const asked = [gathered.answers([0])];
  await settled();
  for (let i = 1; i <= 100; i++) asked.push(gathered.answers([i]));
  await settled();
  expect(calls.map(({ ones }) => ones.length)).toEqual([1, 100]);
  for (const { end } of calls) end();
  expect((await Promise.all(asked)).flat()).toHaveLength(101);
});

it('tells all callers of a failed call, and goes on', async () => {
  const { gathered, calls, settled } = gatheredDoubles();
  const failed = Promise.allSettled([gathered.answers([1]), gathered.answers([2])]);
  await settled();
  calls[0]!.end(new Error('no'));
  expect((await failed).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  const next = gathered.answers([3]);
  await settled();
  calls[1]!.end();
  expect(await next).toEqual([6]);
});
