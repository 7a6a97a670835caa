import { beforeAll, describe, expect, it } from 'vitest';
import { type AttributeValue, type Item, stringOf } from '../../src/core/items/attribute-value.ts';
import { compareKeys } from '../../src/core/items/encoding.ts';
import { type NativeIndexNeed, nativeIndexes } from '../../src/core/model/native-indexes.ts';
import type { NativeQueryRequest, Store } from '../../src/core/store-port.ts';
import { freshPartition, item, nativeGraph, SUBJECTS } from './stores.ts';

const TERMINAL = { kind: 'terminal', code: 'ValidationException' };
/** In the order of their UTF-8 bytes. */
const TEXTS = ['\u0000', 'A', 'A\u0000', 'AB', 'b', 'é', '\uFFFD', '\u{1F600}', '\u{10FFFF}', 'x'.repeat(1024)].sort(
  compareKeys,
);
/** In their order. */
const NUMBERS = [
  ...['-9.9999999999999999999999999999999999999e125', '-123456789012345678901234567890.12345678', '-2', '-1e-130'],
  ...['0', '1e-130', '0.5', '1', '10', '12345678901234567890123456789012345678', '1e125'],
];

describe.each(SUBJECTS)('native indexes on $name', ({ open, deviates }) => {
  let store: Store;
  let byDay: NativeIndexNeed;
  let byFine: NativeIndexNeed;
  let byMail: NativeIndexNeed;
  const target = 'KNOWS-USER-1';
  const tied = 'KNOWS-USER-2';
  const gone = 'KNOWS-USER-3';

  beforeAll(async () => {
    const graph = nativeGraph();
    store = await open(graph);
    // The rest of a name says what the index holds.
    [byDay, byFine, byMail] = ['day', 'fine', 'mail'].map(
      (name) => nativeIndexes(graph).find(({ attribute }) => attribute === name)!,
    ) as [NativeIndexNeed, NativeIndexNeed, NativeIndexNeed];
    for (const day of TEXTS) await store.put(item(freshPartition(), target, { day: { S: day }, other: { S: 'o' } }));
    for (const fine of NUMBERS) await store.put(item(freshPartition(), target, { fine: { N: fine } }));
    await store.put(item(freshPartition(), target, { other: { S: 'o' } }));
    for (let i = 0; i < 9; i++) {
      const attributes = { day: { S: i < 6 ? 'b' : 'c' }, fine: { N: i < 6 ? '1' : '2' } };
      await store.put(item(freshPartition(), tied, attributes));
    }
    for (const mail of ['a@b', 'a@b', 'c@d']) {
      const id = freshPartition();
      await store.put(item(id, id, { mail: { S: mail }, name: { S: 'n' }, other: { S: 'o' } }));
    }
  });

  type Asked = Omit<NativeQueryRequest, 'partition'> & { partition?: AttributeValue };
  const page = (request: Asked) => store.queryNative({ partition: { S: target }, ...request });
  async function values(request: Asked): Promise<unknown[]> {
    return (await page(request)).items.map((found) => Object.values(found[request.index.attribute]!)[0]);
  }

  /** Every page of a query. */
  async function walked(request: Asked): Promise<Item[][]> {
    const pages: Item[][] = [];
    let startKey: Item | undefined;
    do {
      const { items, lastKey } = await page({ ...request, ...(startKey && { startKey }) });
      pages.push(items);
      startKey = lastKey;
    } while (startKey !== undefined);
    return pages;
  }

  it('hold the items that have both keys, with what the model says, in the order of the key', async () => {
    expect(await values({ index: byDay })).toEqual(TEXTS);
    expect(await values({ index: byDay, reverse: true })).toEqual([...TEXTS].reverse());
    const [first] = (await page({ index: byDay, limit: 1 })).items;
    expect(Object.keys(first!).sort()).toEqual(['day', 'source', 'target']);
    const fines = (await values({ index: byFine })) as string[];
    expect(fines.map(Number)).toEqual(NUMBERS.map(Number));
    expect((await values({ index: byFine, reverse: true })).map(Number)).toEqual(NUMBERS.map(Number).reverse());
    const hits = await page({ index: byMail, partition: { S: 'a@b' } });
    expect(hits.items.map((hit) => Object.keys(hit).sort())).toEqual(
      Array.from({ length: 2 }, () => ['mail', 'name', 'source', 'target']),
    );
  });

  it.each<[string, string | undefined, string | undefined]>([
    ['a range', 'A', 'b'],
    ['a range of one', 'A\u0000', 'A\u0000'],
    ['a lower end', 'é', undefined],
    ['an upper end', undefined, 'AB'],
    ['a range between values', 'AA', 'c'],
  ])('take %s of texts', async (_name, from, to) => {
    const range = { ...(from !== undefined && { from: { S: from } }), ...(to !== undefined && { to: { S: to } }) };
    const expected = TEXTS.filter(
      (text) => compareKeys(from ?? '', text) <= 0 && (to === undefined || compareKeys(text, to) <= 0),
    );
    expect(expected).not.toEqual([]);
    expect(await values({ index: byDay, ...range })).toEqual(expected);
    expect(await values({ index: byDay, ...range, reverse: true })).toEqual(expected.reverse());
  });

  it.each<[string, string | undefined, string | undefined]>([
    ['a range', '-2', '1'],
    ['a range of one, written otherwise', '10.0', '1e1'],
    ['a lower end', '0.4', undefined],
    ['an upper end', undefined, '-1'],
  ])('take %s of numbers', async (_name, from, to) => {
    const range = { ...(from !== undefined && { from: { N: from } }), ...(to !== undefined && { to: { N: to } }) };
    const expected = NUMBERS.map(Number).filter(
      (fine) => Number(from ?? '-1e126') <= fine && fine <= Number(to ?? '1e126'),
    );
    expect(expected).not.toEqual([]);
    expect((await values({ index: byFine, ...range })).map(Number)).toEqual(expected);
  });

  it('go on after the last key, among equal values too, each item once', async () => {
    for (const index of [byDay, byFine]) {
      for (const reverse of [false, true]) {
        for (const limit of [1, 2, 4, 9, 20]) {
          const pages = await walked({ index, partition: { S: tied }, reverse, limit });
          expect(pages.slice(0, -1).every(({ length }) => length === limit)).toBe(true);
          const sources = pages.flat().map((found) => stringOf(found['source']));
          expect(new Set(sources).size).toBe(9);
          expect(sources).toHaveLength(9);
          const order = pages.flat().map((found) => Object.values(found[index.attribute]!)[0]);
          const sorted = order.toSorted();
          expect(order).toEqual(reverse ? sorted.reverse() : sorted);
        }
      }
    }
  });

  it('go on after a key whose item is gone, or has moved', async () => {
    const sources = ['a', 'b', 'c', 'd', 'e'].map((day) => ({ day, source: freshPartition() }));
    for (const { day, source } of sources) await store.put(item(source, gone, { day: { S: day } }));
    const asked = { index: byDay, partition: { S: gone } };
    const { lastKey } = await page({ ...asked, limit: 2 });
    await store.delete({ source: sources[1]!.source, target: gone });
    const after = async (reverse = false) => values({ ...asked, reverse, startKey: lastKey! });
    expect(await after()).toEqual(['c', 'd', 'e']);
    expect(await after(true)).toEqual(['a']);
    await store.put(item(sources[1]!.source, gone, { day: { S: 'z' } }));
    expect(await after()).toEqual(['c', 'd', 'e', 'z']);
  });

  it('give a last key when the limit is reached, with the keys of index and table', async () => {
    const { lastKey } = await page({ index: byDay, limit: 1 });
    expect(Object.keys(lastKey!).sort()).toEqual(['day', 'source', 'target']);
    const search = await page({ index: byMail, partition: { S: 'a@b' }, limit: 1 });
    expect(Object.keys(search.lastKey!).sort()).toEqual(['mail', 'source', 'target']);
    expect((await page({ index: byDay })).lastKey).toBeUndefined();
  });

  it('answer a search by its value, in a range of the keys of the table', async () => {
    const found = async (partition: string, range: { from?: AttributeValue; to?: AttributeValue } = {}) =>
      (await page({ index: byMail, partition: { S: partition }, ...range })).count;
    expect(await found('a@b')).toBe(2);
    expect(await found('a@b', { from: { S: 'USER-' }, to: { S: 'USER.' } })).toBe(2);
    expect(await found('a@b', { from: { S: 'V' } })).toBe(0);
    expect(await found('nobody')).toBe(0);
  });

  it('refuse ranges that end before they begin, other types, empty keys and a limit of 0', async () => {
    const refusals: Asked[] = [
      { index: byDay, from: { S: 'b' }, to: { S: 'a' } },
      { index: byFine, from: { N: '2' }, to: { N: '10e-1' } },
      { index: byDay, limit: 0 },
    ];
    if (!deviates('query-bounds-unchecked')) {
      refusals.push(
        { index: byDay, from: { N: '1' } },
        { index: byFine, from: { S: '1' } },
        { index: byDay, from: { S: '' } },
        { index: byDay, partition: { N: '1' } },
        { index: byDay, partition: { S: '' } },
      );
    }
    for (const refusal of refusals)
      await expect(page(refusal), JSON.stringify(refusal)).rejects.toMatchObject(TERMINAL);
  });

  it('refuse a start key with a part missing, or outside of the query', async () => {
    const { lastKey } = await page({ index: byDay, limit: 2 });
    const { day: _, ...rest } = lastKey!;
    await expect(page({ index: byDay, startKey: rest })).rejects.toMatchObject(TERMINAL);
    if (deviates('start-key-unchecked')) return;
    await expect(page({ index: byDay, startKey: lastKey!, from: { S: 'b' } })).rejects.toMatchObject(TERMINAL);
    await expect(page({ index: byDay, startKey: lastKey!, partition: { S: tied } })).rejects.toMatchObject(TERMINAL);
  });

  it.each<[string, Item]>([
    ['a number for a text', { day: { N: '1' } }],
    ['a text for a number', { fine: { S: '1' } }],
    ['a null', { day: { NULL: true } }],
    ['an empty text', { day: { S: '' } }],
    ['an empty text to search by', { mail: { S: '' } }],
  ])('refuse any item of the table with %s as a key', async (_name, attributes) => {
    // It does not matter whether the item is one that the model knows.
    for (const sortKey of [target, '~view'])
      await expect(store.put(item(freshPartition(), sortKey, attributes))).rejects.toMatchObject(TERMINAL);
  });

  it('refuse keys that are longer than DynamoDB takes', async () => {
    if (deviates('index-keys-of-any-length')) return;
    const long = (bytes: number) => ({ S: 'x'.repeat(bytes) });
    const put = (attributes: Item) => store.put(item(freshPartition(), 'KNOWS-USER-9', attributes));
    await expect(put({ day: long(1025) })).rejects.toMatchObject(TERMINAL);
    await expect(put({ mail: long(2049) })).rejects.toMatchObject(TERMINAL);
    await put({ day: long(1024), mail: long(2048) });
  });
});
