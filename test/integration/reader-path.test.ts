import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { createReader } from '../../src/client/read/reader.ts';
import type { Item } from '../../src/core/items/attribute-value.ts';
import { compareKeys } from '../../src/core/items/encoding.ts';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import { node } from '../../src/core/model/schema.ts';
import { allPages, countingReader } from '../support/reader.ts';
import { testTable, uniqueTableName } from '../support/table.ts';

const path = ['state', 'city', 'zip'] as const;
const graph = defineGraph({
  table: uniqueTableName(),
  nodes: {
    STORE: node({
      view: 'ALL',
      search: {
        location: { partition: 'country', path, shards: 1 },
        spread: { path, shards: 3, project: ['city'] },
        folded: { path, shards: 2, caseInsensitive: true },
        bySource: { path, shards: 3, shardBy: 'source' },
      },
    }),
  },
});

/** Beginnings of each other, and every character that the encoding gives a meaning to. */
const TEXTS = ['', 'San', 'San Jose', 'San\u0000', 'San\u0001', 'San\u0001Jose', 'San\u0002', 'San\u0003', 'ca', 'CA'];
const STRANGE = ['San\u{10ffff}', 'San😀', 'San~', 'San#', 'San/'];

interface Store {
  id: string;
  country: string;
  path: string[];
}

/** Stores on every level, most of them with two segments. */
const STORES: readonly Store[] = [
  { id: 'STORE-1', country: 'US', path: ['CA', 'San Jose', '95112'] },
  { id: 'STORE-2', country: 'US', path: ['CA', 'San Jose', '95110'] },
  { id: 'STORE-3', country: 'US', path: ['CA', 'San Francisco', '94103'] },
  { id: 'STORE-4', country: 'US', path: ['CA', 'San', '00001'] },
  { id: 'STORE-5', country: 'US', path: ['CA'] },
  { id: 'STORE-6', country: 'US', path: ['C', 'A', 'San Jose'] },
  { id: 'STORE-7', country: 'PE', path: ['CA', 'San Jose'] },
  ...[...TEXTS, ...STRANGE].flatMap((state, i) =>
    [...TEXTS, ...STRANGE].map((city, k) => ({ id: `STORE-${i}-${k}`, country: 'XX', path: [state, city] })),
  ),
];

function items(): Item[] {
  const stored = STORES.map(({ id, country, path: segments }): Item => {
    const item: Item = { source: { S: id }, target: { S: id }, country: { S: country } };
    for (const [i, segment] of segments.entries()) item[path[i]!] = { S: segment };
    return item;
  });
  // One without a city, and one without a state: a hole ends the path, and a path without a beginning is none.
  const hole: Item = { source: { S: 'STORE-hole' }, target: { S: 'STORE-hole' }, country: { S: 'US' } };
  const headless: Item = { ...hole, source: { S: 'STORE-headless' }, target: { S: 'STORE-headless' } };
  return [...stored, { ...hole, state: { S: 'CA' }, zip: { S: '95112' } }, { ...headless, city: { S: 'San Jose' } }];
}

let table: Awaited<ReturnType<typeof testTable<typeof graph>>>;
let reader: ReturnType<typeof createReader<typeof graph>>;

beforeAll(async () => {
  table = await testTable(graph);
  await table.store.writeMany(items().map((put) => ({ put })));
  expect((await table.projectAll()).quarantined).toBe(0);
  reader = createReader(graph, { store: table.store });
});

const ids = (page: { items: { id: string }[] }): string[] => page.items.map(({ id }) => id);
const inUs = { partition: 'US' };

describe('a search by path', () => {
  it('finds what is in a state, in a city of it and at a zip of that', async () => {
    const location = reader.search('STORE.location');
    expect(ids(await location.path(['CA'], inUs))).toEqual([
      ...['STORE-5', 'STORE-hole', 'STORE-4', 'STORE-3', 'STORE-2', 'STORE-1'],
    ]);
    expect(ids(await location.path(['CA', 'San Jose'], inUs))).toEqual(['STORE-2', 'STORE-1']);
    expect(ids(await location.path(['CA', 'San Jose', '95112'], inUs))).toEqual(['STORE-1']);
    expect(ids(await location.path([], inUs))).toEqual(ids(await location.all(inUs)));
    expect(await location.count({ path: ['CA', 'San Jose'] }, inUs)).toMatchObject({ count: 2 });
  });

  it('takes whole segments: San is not the beginning of San Jose', async () => {
    const location = reader.search('STORE.location');
    expect(ids(await location.path(['CA', 'San'], inUs))).toEqual(['STORE-4']);
    expect(ids(await location.path(['C'], inUs))).toEqual(['STORE-6']);
    expect(ids(await location.path(['CA', 'San Jose'], { partition: 'PE' }))).toEqual(['STORE-7']);
    expect(ids(await location.path(['CA', 'San Jo'], inUs))).toEqual([]);
  });

  it('takes a range or a beginning behind whole segments by find alone, which the other methods name', async () => {
    const location = reader.search('STORE.location');
    expect(ids(await location.find({ path: ['CA'], beginsWith: 'San J' }, inUs))).toEqual(['STORE-2', 'STORE-1']);
    const named = { code: 'invalid-argument', hint: expect.stringContaining('find({ path') };
    for (const more of [{ beginsWith: 'San' }, { between: ['M', 'S'] }])
      await expect(location.path(['CA'], { ...inUs, ...more } as never)).rejects.toMatchObject(named);
  });

  it('shows the segments that are there, and ends a path at the first attribute that is not', async () => {
    const { items: found } = await reader.search('STORE.location').path(['CA'], { ...inUs, limit: 3 });
    expect(found.map(({ value }) => value)).toEqual([['CA'], ['CA'], ['CA', 'San', '00001']]);
    const { items: all } = await reader.search('STORE.location').all(inUs);
    expect(all.map(({ id }) => id)).not.toContain('STORE-headless');
  });

  it('folds attributes and arguments alike, and shows the original', async () => {
    const { items: found } = await reader.search('STORE.folded').path(['ca', 'SAN JOSE', '95112']);
    expect(found).toEqual([{ id: 'STORE-1', value: ['CA', 'San Jose', '95112'], attributes: {} }]);
  });

  it('asks one shard for a whole path, and all of them for its beginning or where the shard is by source', async () => {
    const { reader: counted, callsOf } = countingReader(graph, table.endpoint);
    const whole = ['CA', 'San Jose', '95112'];
    const calls = async (name: 'STORE.spread' | 'STORE.bySource', segments: string[]) => {
      const made = await callsOf(async () => {
        expect(ids(await counted.search(name).path(segments))).toContain('STORE-1');
      });
      return made['QueryCommand'];
    };
    expect(await calls('STORE.spread', whole)).toBe(1);
    expect(await calls('STORE.spread', whole.slice(0, 2))).toBe(3);
    expect(await calls('STORE.bySource', whole)).toBe(3);
    const { items: found } = await reader.search('STORE.spread').path(whole);
    expect(found).toEqual([{ id: 'STORE-1', value: whole, attributes: { city: 'San Jose' } }]);
  });

  it('finds a beginning or a range of the segment behind whole ones, and counts it', async () => {
    const segment = fc.constantFrom(...TEXTS, ...STRANGE);
    const folded = (text: string): string => text.toLowerCase();
    const query = fc.record({
      name: fc.constantFrom('STORE.location' as const, 'STORE.spread' as const, 'STORE.folded' as const),
      segments: fc.array(segment, { maxLength: 1 }),
      ends: fc.record({ from: segment, to: segment }, { requiredKeys: [] }),
      beginning: fc.option(fc.oneof(segment, fc.constant('Sa')), { nil: undefined }),
      limit: fc.constantFrom(7, 300),
    });
    await fc.assert(
      fc.asyncProperty(query, async ({ name, segments, ends, beginning, limit }) => {
        const partition = name === 'STORE.location' ? 'XX' : undefined;
        const fold = name === 'STORE.folded' ? folded : (text: string) => text;
        const { from, to } = ends;
        if (from !== undefined && to !== undefined && beginning === undefined)
          fc.pre(compareKeys(fold(from), fold(to)) <= 0);
        const isWanted = (text: string | undefined): boolean => {
          if (text === undefined) return beginning === undefined && from === undefined && to === undefined;
          if (beginning !== undefined) return fold(text).startsWith(fold(beginning));
          const isAbove = from === undefined || compareKeys(fold(text), fold(from)) >= 0;
          return isAbove && (to === undefined || compareKeys(fold(text), fold(to)) <= 0);
        };
        const expected = STORES.filter(
          ({ path, country }) =>
            segments.every((one, i) => path[i] !== undefined && fold(one) === fold(path[i])) &&
            isWanted(path[segments.length]) &&
            (partition === undefined || country === partition),
        );
        const predicate =
          beginning === undefined
            ? { path: segments, between: [from, to] as const }
            : { path: segments, beginsWith: beginning };
        const search = reader.search(name);
        const pages = await allPages((cursor) => search.find(predicate, { partition, limit, cursor }));
        const isDeclared = ({ id }: { id: string }) => id !== 'STORE-hole';
        const found = pages.flat().filter(isDeclared);
        expect(found.map(({ id }) => id).sort()).toEqual(expected.map(({ id }) => id).sort());
        expect((await search.count(predicate, { partition })).count).toBe(pages.flat().length);
      }),
      { numRuns: 60 },
    );
  });

  it('refuses what it cannot answer, by name', async () => {
    const search = (name: string) => (reader as ReturnType<typeof createReader>).search(name);
    const refusals: [Promise<unknown>, string][] = [
      [search('STORE.spread').path(['a', 'b', 'c', 'd']), 'has 4 segments; the path is state, city, zip'],
      [search('STORE.spread').path('CA' as unknown as string[]), 'should be a list of segments'],
      [search('STORE.spread').path([7] as unknown as string[]), 'should be a text, but is 7'],
      [search('STORE.spread').path(['\ud800']), 'lone surrogate'],
      [search('STORE.spread').equals('CA'), 'equals of search STORE.spread has no meaning: the search is by path'],
      [search('STORE.spread').beginsWith('CA'), 'beginsWith of search STORE.spread has no meaning'],
      [search('STORE.spread').between('CA'), 'between of search STORE.spread has no meaning'],
      [search('STORE.location').path(['CA']), 'is partitioned by country'],
      [search('STORE.spread').find({ path: ['a', 'b', 'c'], beginsWith: 'd' }), 'has 3 values and a range behind them'],
      [search('STORE.spread').find({ path: ['a'], between: ['c', 'b'] }), 'so that nothing lies between them'],
      [search('STORE.spread').find({ path: undefined } as never), 'should be a list of segments'],
      [search('STORE.spread').find({ path: ['a'], equals: 'b' } as never), 'takes one of equals, beginsWith'],
    ];
    for (const [read, message] of refusals) {
      await expect(read).rejects.toThrow(
        expect.objectContaining({ code: 'invalid-argument', message: expect.stringContaining(message) }),
      );
    }
  });
});
