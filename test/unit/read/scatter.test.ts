import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ScatterRequest, mergePartitions as scatterItems } from '../../../src/client/read/lists/scatter.ts';
import { type Item, stringOf } from '../../../src/core/items/attribute-value.ts';
import { compareKeys } from '../../../src/core/items/encoding.ts';
import { defineGraph } from '../../../src/core/model/compile/define-graph.ts';
import { node } from '../../../src/core/model/schema.ts';
import type { QueryRequest, QueryResult } from '../../../src/core/store-port.ts';

const graph = defineGraph({ table: 'records', nodes: { USER: node({ view: 'ALL' }) } });

/** Gathers what the partitions hold of ours. */
function scatter(context: Parameters<typeof scatterItems>[0], request: Omit<ScatterRequest, 'accept'>) {
  return scatterItems(context, {
    ...request,
    accept: (item) => stringOf(item['target']) === '~ix/x',
  } as ScatterRequest);
}

interface Stored {
  key: string;
  partition: string;
  isOurs: boolean;
}

/**
 * Partitions of an index as lists of keys. `cut` decides how many items a page holds at most: DynamoDB ends a page at 1 MB,
 * wherever that is, and may say that there is more where there is not.
 */
function partitionsOf(stored: readonly Stored[], cut: (asked: number) => number = (asked) => asked) {
  const asked: number[] = [];
  async function query(request: QueryRequest): Promise<QueryResult> {
    asked.push(request.limit!);
    const { from, to } = request.sortKey as { from?: string; to?: string };
    const direction = request.reverse ? -1 : 1;
    const start = (request.startKey?.['gsi0sk'] as { S: string } | undefined)?.S;
    const rest = stored
      .filter(({ partition }) => partition === request.partition)
      .filter(({ key }) => from === undefined || compareKeys(from, key) <= 0)
      .filter(({ key }) => to === undefined || compareKeys(key, to) <= 0)
      .filter(({ key }) => start === undefined || compareKeys(key, start) * direction > 0)
      .sort((left, right) => compareKeys(left.key, right.key) * direction);
    const page = rest.slice(0, cut(request.limit!));
    const items = page.map(({ key, isOurs }): Item => ({ gsi0sk: { S: key }, target: { S: isOurs ? '~ix/x' : 'X' } }));
    return {
      items,
      count: items.length,
      scanned: items.length,
      rcu: 0.5,
      lastKey: page.length === request.limit || page.length < rest.length ? items.at(-1) : undefined,
    };
  }
  return { asked, context: { graph, concurrency: 4, store: { query } } };
}

/** Pages through everything and gives the keys of each page. */
async function pagesOf(
  context: Parameters<typeof scatter>[0],
  partitions: string[],
  limit: number,
  reverse: boolean,
  range = {},
): Promise<string[][]> {
  const pages: string[][] = [];
  let after: string | undefined;
  do {
    const page = await scatter(context, { index: 'gsi0', partitions, range, after, reverse, limit });
    pages.push(page.items.map((item) => (item['gsi0sk'] as { S: string }).S));
    after = page.lastKey;
    // Every page but the last gives out something, so that a cursor that stands still shows as a failure.
    if (pages.length > 100) throw new Error('the pages do not end');
  } while (after !== undefined);
  return pages;
}

const key = fc.string({ unit: fc.constantFrom('a', 'b', 'c', '\u0000', '\uffff', '😀'), minLength: 1, maxLength: 4 });
const partitionNames = ['p1', 'p2', 'p3', 'p4'];
const stored = fc.uniqueArray(fc.record({ key, partition: fc.constantFrom(...partitionNames), isOurs: fc.boolean() }), {
  selector: (item) => item.key,
  maxLength: 40,
});

describe('scatter and gather', () => {
  it('pages through all partitions in order, each of our items once, whatever pages the store cuts', async () => {
    const cuts = fc.func(fc.integer({ min: 1, max: 8 }));
    await fc.assert(
      fc.asyncProperty(
        stored,
        fc.integer({ min: 1, max: 12 }),
        fc.boolean(),
        cuts,
        async (items, limit, reverse, cut) => {
          const { context } = partitionsOf(items, (asked) => Math.min(asked, cut(asked)));
          const pages = await pagesOf(context, partitionNames, limit, reverse);
          const expected = items
            .filter(({ isOurs }) => isOurs)
            .map((item) => item.key)
            .sort(compareKeys);
          expect(pages.flat()).toEqual(reverse ? expected.reverse() : expected);
          // Full pages only, and no empty page after a last full one.
          for (const page of pages.slice(0, -1)) expect(page).toHaveLength(limit);
          if (expected.length > 0) expect(pages.at(-1)).not.toHaveLength(0);
        },
      ),
      { numRuns: 300 },
    );
  });

  it('comes forward however few units it has, where keys are so long that those before the cursor are read again', async () => {
    const key = (i: number): string => `${'x'.repeat(1022)}${10 + i}`;
    const items = Array.from({ length: 40 }, (_, i) => ({ key: key(i), partition: 'p1', isOurs: i === 39 }));
    const { context } = partitionsOf(items);
    const request = { index: 'gsi0', partitions: ['p1'], range: {}, limit: 1, maxRcu: 0.5 } as const;
    const page = await scatter(context, { ...request, after: key(20) });
    expect(page.items).toEqual([]);
    expect(compareKeys(key(20), page.lastKey!)).toBeLessThan(0);
    const backwards = await scatter(context, { ...request, after: key(20), reverse: true });
    expect(compareKeys(key(20), backwards.lastKey!)).toBeGreaterThan(0);
  });

  it('asks one partition once, for one item more than the limit', async () => {
    const items = Array.from({ length: 10 }, (_, i) => ({ key: `k${i}`, partition: 'p1', isOurs: true }));
    const { context, asked } = partitionsOf(items);
    const request = { index: 'gsi0', partitions: ['p1'], range: {}, limit: 9 } as const;
    expect(await scatter(context, request)).toMatchObject({ lastKey: 'k8' });
    expect(await scatter(context, { ...request, limit: 10 })).toEqual(expect.not.objectContaining({ lastKey: 'k9' }));
    expect(asked).toEqual([10, 11]);
  });

  it('asks one partition once for a later page as well, in both directions', async () => {
    const items = Array.from({ length: 30 }, (_, i) => ({ key: `k${10 + i}`, partition: 'p1', isOurs: true }));
    const { context, asked } = partitionsOf(items);
    const request = { index: 'gsi0', partitions: ['p1'], range: {}, after: 'k25', limit: 5 } as const;
    expect(await scatter(context, request)).toMatchObject({ lastKey: 'k30' });
    expect(asked).toHaveLength(1);
    expect(await scatter(context, { ...request, reverse: true })).toMatchObject({ lastKey: 'k20' });
    expect(asked).toHaveLength(2);
  });

  it('asks many even shards once, and only for a little more than their share', async () => {
    const partitions = Array.from({ length: 200 }, (_, i) => `p${i}`);
    const items = Array.from({ length: 4_000 }, (_, i) => ({
      key: String(i).padStart(5, '0'),
      partition: `p${i % 200}`,
      isOurs: true,
    }));
    const { context, asked } = partitionsOf(items);
    await scatter(context, { index: 'gsi0', partitions, range: {}, limit: 100 });
    expect(asked).toHaveLength(200);
    expect(Math.max(...asked)).toBeLessThanOrEqual(16);
  });

  it('goes back to a hot shard alone, for what may still be missing', async () => {
    const partitions = Array.from({ length: 200 }, (_, i) => `p${i}`);
    const items = Array.from({ length: 4_000 }, (_, i) => ({
      key: String(i).padStart(5, '0'),
      partition: 'p7',
      isOurs: true,
    }));
    const { context, asked } = partitionsOf(items);
    const page = await scatter(context, { index: 'gsi0', partitions, range: {}, limit: 100 });
    expect(page).toMatchObject({ lastKey: '00099' });
    expect(asked).toHaveLength(201);
    expect(asked.at(-1)).toBe(101 - 16);
  });

  it('skips a long stretch of items of others in few calls', async () => {
    const others = Array.from({ length: 5_000 }, (_, i) => ({
      key: `a${String(i).padStart(5, '0')}`,
      partition: 'p1',
      isOurs: false,
    }));
    const { context, asked } = partitionsOf([...others, { key: 'b', partition: 'p1', isOurs: true }]);
    const page = await scatter(context, { index: 'gsi0', partitions: ['p1'], range: {}, limit: 1 });
    expect(page.items).toHaveLength(1);
    expect(asked.length).toBeLessThan(20);
  });

  it('makes no call for an empty range', async () => {
    const { context, asked } = partitionsOf([]);
    const range = { from: 'b', to: 'a' };
    expect(await scatter(context, { index: 'gsi0', partitions: ['p1'], range, limit: 5 })).toEqual({ items: [] });
    expect(asked).toEqual([]);
  });
});
