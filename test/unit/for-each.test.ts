import { describe, expect, it } from 'vitest';
import { forEachAtOnce, forEachOf, forEachSettled, slicesOf } from '../../src/foundation/for-each.ts';
import { sources } from '../support/sources.ts';

const later = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds));

async function* failing(): AsyncGenerator<number> {
  yield* [1, 2, 3];
  // Work of 1 ms ends first: then several calls wait for a fourth.
  await later(20);
  throw new Error('no fourth');
}

describe('forEachOf', () => {
  it.each([
    { concurrency: 1, ms: 1 },
    { concurrency: 2, ms: 1 },
    { concurrency: 32, ms: 1 },
    { concurrency: 8, ms: 60 },
  ])('throws the error of its source when the work in hand has ended: %j', async ({ concurrency, ms }) => {
    const seen: number[] = [];
    const work = async (one: number): Promise<void> => {
      await later(ms);
      seen.push(one);
    };
    await expect(forEachOf(failing(), work, { concurrency })).rejects.toThrow('no fourth');
    expect(seen).toEqual([1, 2, 3]);
  });

  it('throws the error of the work', async () => {
    const work = async (one: number): Promise<void> => {
      if (one === 2) throw new Error('not two');
    };
    await expect(forEachOf(failing(), work, { concurrency: 2 })).rejects.toThrow('not two');
  });

  it('has no more in hand than it may', async () => {
    let inHand = 0;
    let most = 0;
    async function* many(): AsyncGenerator<number> {
      for (let i = 0; i < 20; i++) yield i;
    }
    const work = async (): Promise<void> => {
      inHand += 1;
      most = Math.max(most, inHand);
      await later(1);
      inHand -= 1;
    };
    await forEachOf(many(), work, { concurrency: 3 });
    expect([inHand, most]).toEqual([0, 3]);
  });
});

describe('forEachSettled', () => {
  it('throws the first error when the work in hand has ended, and begins no more of it', async () => {
    const ended: number[] = [];
    const work = async (one: number): Promise<void> => {
      await later(one === 1 ? 1 : 20);
      ended.push(one);
      if (one <= 2) throw new Error(`not ${one}`);
    };
    await expect(forEachSettled([1, 2, 3, 4, 5], work, { concurrency: 3 })).rejects.toThrow('not 1');
    expect(ended).toEqual([1, 2, 3]);
  });
});

it.each([
  [[], []],
  [[1, 2], [[1, 2]]],
  [
    [1, 2, 3],
    [[1, 2], [3]],
  ],
])('%j in slices of 2 is %j', (elements, slices) => {
  expect([...slicesOf(elements, 2)]).toEqual(slices);
});

describe('forEachAtOnce', () => {
  it.each([1, 3, 32])('does all of the work, with no more than %i in hand', async (concurrency) => {
    const seen: number[] = [];
    let inHand = 0;
    let most = 0;
    const work = async (one: number): Promise<void> => {
      inHand += 1;
      most = Math.max(most, inHand);
      await later(1);
      seen.push(one);
      inHand -= 1;
    };
    const elements = Array.from({ length: 20 }, (_, i) => i);
    await forEachAtOnce(elements, work, { concurrency });
    expect(seen.sort((a, b) => a - b)).toEqual(elements);
    expect([inHand, most]).toEqual([0, Math.min(concurrency, 20)]);
  });

  it('throws the first error of the work, and begins no more of it', async () => {
    const begun: number[] = [];
    const work = async (one: number): Promise<void> => {
      begun.push(one);
      await later(one === 1 ? 1 : 20);
      if (one <= 2) throw new Error(`not ${one}`);
    };
    await expect(forEachAtOnce([1, 2, 3, 4, 5], work, { concurrency: 3 })).rejects.toThrow('not 1');
    await later(40);
    expect(begun).toEqual([1, 2, 3]);
  });

  it.each([0, -1, Number.NaN])('refuses %d at once, and does not leave the work undone', async (concurrency) => {
    await expect(forEachAtOnce([1], async () => undefined, { concurrency })).rejects.toThrow('of 1 or more');
  });

  it('takes all at once without a bound', async () => {
    let inHand = 0;
    const work = async (): Promise<void> => {
      inHand += 1;
      await later(1);
      expect(inHand).toBe(5);
    };
    await forEachAtOnce([1, 2, 3, 4, 5], work, { concurrency: Number.POSITIVE_INFINITY });
  });

  it('throws the error of its source', async () => {
    function* source(): Generator<number> {
      yield 1;
      throw new Error('no second');
    }
    await expect(forEachAtOnce(source(), async () => undefined, { concurrency: 2 })).rejects.toThrow('no second');
  });
});

describe('pMap', () => {
  it('gets no generator, whose errors it may lose', () => {
    const all = sources();
    const generators = all.flatMap(({ code }) =>
      [...code.matchAll(/async (?:function)?\s?\*\s?(\w+)/g)].map(([, name]) => name!),
    );
    expect(generators).toEqual(expect.arrayContaining(['quarantineEntries', 'itemLines']));
    const given = new RegExp(`\\bpMap\\(\\s*(?:this\\.)?(?:${generators.join('|')})\\(`);
    expect(
      all.filter(({ path, code }) => path !== 'foundation/for-each.ts' && given.test(code)).map(({ path }) => path),
    ).toEqual([]);
  });
});
