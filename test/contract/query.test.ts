import { beforeAll, describe, expect, it } from 'vitest';
import { type AttributeValue, type Item, stringOf } from '../../src/core/items/attribute-value.ts';
import type { Comparison, Filter, FilterTerm } from '../../src/core/items/filter.ts';
import type { QueryRequest, Store } from '../../src/core/store-port.ts';
import { contractGraph, freshPartition, item, SUBJECTS, textOf } from './stores.ts';

const TERMINAL = { kind: 'terminal', code: 'ValidationException' };
/** In the order of their UTF-8 bytes. */
const SORT_KEYS = ['A', 'A-1', 'A-2', 'B\u0000', 'B\u0000~', 'a-1', '~view', 'é', '\uFFFD', '\u{1F600}'];

/** Items with what they hold of projected attributes. */
const PROJECTED: readonly [sortKey: string, attributes?: AttributeValue][] = [
  ['P1', { M: { status: { S: 'open' }, 'a.b#c': { N: '1' } } }],
  ['P2', { M: { status: { S: 'closed' }, done: { BOOL: false } } }],
  ['P3', { M: { status: { S: 'open' }, done: { NULL: true } } }],
  ['P4', { M: { size: { S: '' } } }],
  ['P5'],
];

describe.each(SUBJECTS)('queries on $name', ({ open, deviates }) => {
  let store: Store;
  let partition: string;
  let indexed: string;
  let projected: string;

  beforeAll(async () => {
    store = await open(contractGraph());
    partition = freshPartition();
    indexed = `KNOWS-${partition}`;
    for (const [i, sortKey] of SORT_KEYS.entries()) {
      await store.put(
        item(partition, sortKey, { gsi0pk: { S: indexed }, gsi0sk: { S: sortKey }, i: { N: String(i) } }),
      );
    }
    projected = freshPartition();
    for (const [sortKey, attributes] of PROJECTED) {
      const keys: Item = { gsi0pk: { S: `KNOWS-${projected}` }, gsi0sk: { S: sortKey } };
      await store.put(item(projected, sortKey, { ...keys, ...(attributes && { attributes }) }));
    }
    // Only half of an index's key: not in that index.
    await store.put(item(freshPartition(), 'half', { gsi0pk: { S: indexed } }));
  });

  async function targets(request: Omit<QueryRequest, 'partition'>): Promise<string[]> {
    const { items } = await store.query({ partition: request.index === undefined ? partition : indexed, ...request });
    return items.map((found) => (found['target'] as { S: string }).S);
  }

  it('of an index leave out items with other keys in the table than those asked for, at the same price', async () => {
    const asked = { index: 'gsi0', partition: `KNOWS-${projected}` } as const;
    const all = await store.query(asked);
    const keys = { sources: [projected.slice(0, -1), 'NOBODY-'], target: 'P', isPrefix: true };
    const found = async (itemKeys: QueryRequest['itemKeys']) => {
      const counted = await store.query({ ...asked, itemKeys, countOnly: true });
      const { items, rcu, scanned } = await store.query({ ...asked, itemKeys });
      expect(counted).toMatchObject({ count: items.length, items: [], rcu, scanned });
      expect({ rcu, scanned }).toEqual({ rcu: all.rcu, scanned: PROJECTED.length });
      return items.map((one) => stringOf(one['target']));
    };
    expect(await found(keys)).toEqual(['P1', 'P2', 'P3', 'P4', 'P5']);
    expect(await found({ ...keys, target: 'P3', isPrefix: false })).toEqual(['P3']);
    expect(await found({ ...keys, target: 'P3' })).toEqual(['P3']);
    expect(await found({ ...keys, target: 'p' })).toEqual([]);
    expect(await found({ ...keys, isPrefix: false })).toEqual([]);
    expect(await found({ ...keys, sources: ['NOBODY-'] })).toEqual([]);
    const page = await store.query({
      ...asked,
      itemKeys: { ...keys, target: 'P4' },
      where: [{ attribute: 'size', compare: '=', value: { S: '' } }],
    });
    expect(page).toMatchObject({ count: 1, scanned: PROJECTED.length });
  });

  describe.each([{ of: 'the table' }, { of: 'an index', index: 'gsi0' as const }])('of $of', ({ index }) => {
    it('give items, in the order of the UTF-8 bytes of their sort keys', async () => {
      expect(await targets({ index })).toEqual(SORT_KEYS);
      expect(await targets({ index, reverse: true })).toEqual([...SORT_KEYS].reverse());
      const { items } = await store.query({ index, partition: index === undefined ? partition : indexed, limit: 1 });
      // An index holds what readers need.
      const i: Item = index === undefined ? { i: { N: '0' } } : {};
      expect(items).toEqual([item(partition, 'A', { gsi0pk: { S: indexed }, gsi0sk: { S: 'A' }, ...i })]);
    });

    it.each<[string, QueryRequest['sortKey'], string[]]>([
      ['a prefix, in its case', { beginsWith: 'A-' }, ['A-1', 'A-2']],
      ['a prefix that ends with a NUL', { beginsWith: 'B\u0000' }, ['B\u0000', 'B\u0000~']],
      ['a prefix beyond the basic plane', { beginsWith: '\u{1F600}' }, ['\u{1F600}']],
      ['a prefix with wildcards of other languages', { beginsWith: '%' }, []],
      ['the empty prefix', { beginsWith: '' }, SORT_KEYS],
      ['a range, both ends included', { from: 'A-1', to: 'B\u0000' }, ['A-1', 'A-2', 'B\u0000']],
      ['a lower end', { from: 'é' }, ['é', '\uFFFD', '\u{1F600}']],
      ['an upper end', { to: 'A-1' }, ['A', 'A-1']],
      ['no ends', {}, SORT_KEYS],
    ])('take %s', async (_name, sortKey, expected) => {
      expect(await targets({ index, sortKey })).toEqual(expected);
      expect(await targets({ index, sortKey, reverse: true })).toEqual([...expected].reverse());
    });

    it('go on after the last key, page by page, forwards and backwards', async () => {
      for (const reverse of [false, true]) {
        const seen: string[] = [];
        let startKey: Item | undefined;
        do {
          const request = { index, partition: index === undefined ? partition : indexed, reverse, limit: 3, startKey };
          const page = await store.query(request);
          expect(page.count).toBe(page.items.length);
          seen.push(...page.items.map((found) => (found['target'] as { S: string }).S));
          startKey = page.lastKey;
        } while (startKey !== undefined);
        expect(seen).toEqual(reverse ? [...SORT_KEYS].reverse() : SORT_KEYS);
      }
    });

    it('give a last key when the limit is reached, also at the end, and none without a limit', async () => {
      const request = { index, partition: index === undefined ? partition : indexed };
      const all = await store.query({ ...request, limit: SORT_KEYS.length });
      const key = { source: { S: partition }, target: { S: '\u{1F600}' } };
      const indexKey = { gsi0pk: { S: indexed }, gsi0sk: { S: '\u{1F600}' } };
      expect(all.lastKey).toEqual(index === undefined ? key : { ...key, ...indexKey });
      expect((await store.query({ ...request, startKey: all.lastKey })).count).toBe(0);
      expect((await store.query(request)).lastKey).toBeUndefined();
    });

    it('count without giving items', async () => {
      const request = { index, partition: index === undefined ? partition : indexed, sortKey: { beginsWith: 'A' } };
      expect(await store.query({ ...request, countOnly: true })).toMatchObject({ items: [], count: 3 });
    });

    it('leave out what does not have the projected attributes that are asked for, after it is counted against the limit', async () => {
      const asked = { index, partition: index === undefined ? projected : `KNOWS-${projected}` };
      const found = async (...where: Filter): Promise<string[]> =>
        (await store.query({ ...asked, where })).items.map((one) => stringOf(one['target']) ?? '');
      const is = (attribute: string, value: AttributeValue, compare: Comparison = '='): FilterTerm => ({
        ...{ attribute, compare, value },
      });
      const open: Filter = [is('status', { S: 'open' })];
      expect(await found(...open)).toEqual(['P1', 'P3']);
      expect(await found(...open, is('a.b#c', { N: '1.0' }))).toEqual(['P1']);
      expect(await found(is('status', { N: '1' }))).toEqual([]);
      expect(await found(is('done', { BOOL: false }))).toEqual(['P2']);
      expect(await found(is('done', { NULL: true }))).toEqual(['P3']);
      expect(await found(is('size', { S: '' }))).toEqual(['P4']);
      expect(await found(is('status', { S: 'open' }, '<>'))).toEqual(['P2', 'P4', 'P5']);
      expect(await found(is('status', { S: 'closed' }, '>'))).toEqual(['P1', 'P3']);
      expect(await found(is('status', { S: 'closed' }, '<='))).toEqual(['P2']);
      expect(await found(is('status', { N: '1' }, '<'), is('status', { S: '' }, '>'))).toEqual([]);
      expect(await found(is('a.b#c', { N: '0.99' }, '>'), is('a.b#c', { N: '10e-1' }, '>='))).toEqual(['P1']);
      expect(await found(is('status', { S: 'clo' }, 'begins_with'))).toEqual(['P2']);
      expect(await found(is('status', { S: 'CLO' }, 'begins_with'))).toEqual([]);
      expect(await found(is('status', { N: '1' }, '<>'))).toEqual(['P1', 'P2', 'P3', 'P4', 'P5']);
      expect(await found(is('size', { S: '\u{1F600}' }, '<'))).toEqual(['P4']);
      const either = [{ S: 'closed' }, { S: 'none' }, { NULL: true }] as const;
      expect(await found({ attribute: 'status', compare: 'in', values: either })).toEqual(['P2']);
      expect(await found({ attribute: 'done', compare: 'in', values: either })).toEqual(['P3']);
      expect(await found({ attribute: 'done', compare: 'exists' })).toEqual(['P2', 'P3']);
      expect(await found({ attribute: 'done', compare: 'not_exists' })).toEqual(['P1', 'P4', 'P5']);
      const page = await store.query({ ...asked, where: open, limit: 2 });
      expect(page).toMatchObject({ count: 1, scanned: 2, lastKey: { target: { S: 'P2' } } });
      expect(page.items).toHaveLength(1);
      const empty = await store.query({ ...asked, where: [is('status', { S: 'none' })] });
      expect(empty).toMatchObject({ items: [], count: 0, scanned: 5 });
      expect(empty.rcu).toBe(0.5);
      const counted = await store.query({ ...asked, where: open, countOnly: true });
      expect(counted).toMatchObject({ items: [], count: 2, scanned: 5 });
    });

    it('find nothing in a partition that is not there', async () => {
      const result = await store.query({ index, partition: 'NOBODY-1' });
      expect(result).toMatchObject({ items: [], count: 0 });
      expect(result.lastKey).toBeUndefined();
      if (!deviates('nothing-read-is-free')) expect(result.rcu).toBe(0.5);
    });

    it('refuse a range that ends before it begins, and a limit of 0', async () => {
      await expect(targets({ index, sortKey: { from: 'b', to: 'a' } })).rejects.toMatchObject(TERMINAL);
      await expect(targets({ index, limit: 0 })).rejects.toMatchObject(TERMINAL);
    });

    it.each<[string, Partial<QueryRequest>]>([
      ['an empty partition', { partition: '' }],
      ['an empty lower end', { sortKey: { from: '' } }],
      ['an empty upper end', { sortKey: { to: '' } }],
      ['a bound of more than 1,024 bytes', { sortKey: { from: 'x'.repeat(1025) } }],
    ])('refuse %s', async (_name, request) => {
      if (deviates('query-bounds-unchecked')) return;
      await expect(store.query({ index, partition: 'USER-1', ...request })).rejects.toMatchObject(TERMINAL);
    });

    it('refuse a start key with a part missing', async () => {
      await expect(targets({ index, startKey: { source: { S: partition } } })).rejects.toMatchObject(TERMINAL);
    });

    it('refuse a start key outside of the partition or range', async () => {
      if (deviates('start-key-unchecked')) return;
      const startKey = (source: string, sortKey: string): Item => ({
        source: { S: source },
        target: { S: sortKey },
        ...(index !== undefined && { gsi0pk: { S: source }, gsi0sk: { S: sortKey } }),
      });
      const other = startKey('USER-other', 'A');
      await expect(targets({ index, startKey: other })).rejects.toMatchObject(TERMINAL);
      const outside = startKey(index === undefined ? partition : indexed, 'A');
      await expect(targets({ index, startKey: outside, sortKey: { from: 'B' } })).rejects.toMatchObject(TERMINAL);
    });
  });

  it('go on after a key that is not there any more', async () => {
    const startKey = { source: { S: partition }, target: { S: 'A-15' } };
    expect(await targets({ startKey, sortKey: { beginsWith: 'A' } })).toEqual(['A-2']);
    expect(await targets({ startKey, sortKey: { beginsWith: 'A' }, reverse: true })).toEqual(['A-1', 'A']);
  });

  it.each([1, 1020, 1021, 1024])('take a prefix of %i bytes', async (bytes) => {
    const other = freshPartition();
    const longest = 'x'.repeat(1024);
    await store.put(item(other, longest));
    await store.put(item(other, 'X'.repeat(1024)));
    const { items } = await store.query({ partition: other, sortKey: { beginsWith: 'x'.repeat(bytes) } });
    expect(items).toEqual([item(other, longest)]);
  });

  it('take a prefix that the highest characters follow, also in the keys that are asked of an index', async () => {
    const highest = '\u{10FFFF}'.repeat(3);
    const [source, target] = [`${freshPartition()}-${highest}z`, `C-${highest}z`];
    const stored = item(source, target, { gsi0pk: { S: source }, gsi0sk: { S: target } });
    await store.put(stored);
    const sortKey = { beginsWith: 'C-' };
    expect((await store.query({ partition: source, sortKey })).items).toEqual([stored]);
    const itemKeys = { sources: [source.slice(0, source.indexOf(highest))], target: 'C-', isPrefix: true };
    const asked = { index: 'gsi0', partition: source, sortKey, itemKeys, countOnly: true } as const;
    expect((await store.query(asked)).count).toBe(1);
  });

  it('read the table consistently for twice the units; an index cannot be read so', async () => {
    const big = freshPartition();
    for (const target of ['1', '2', '3']) await store.put(item(big, target, { b: textOf(3000) }));
    // The sizes of all items read are added up and then rounded, once for the page.
    expect((await store.query({ partition: big })).rcu).toBe(1.5);
    expect((await store.query({ partition: big, consistent: true })).rcu).toBe(3);
    expect((await store.query({ partition: big, consistent: true, countOnly: true })).rcu).toBe(3);
    await expect(store.query({ index: 'gsi0', partition: indexed, consistent: true })).rejects.toMatchObject(TERMINAL);
  });

  it('break pages at 1 MB and give every item once', async () => {
    const big = freshPartition();
    const names = Array.from({ length: 12 }, (_, i) => String(10 + i));
    await store.writeMany(names.map((target) => ({ put: item(big, target, { b: textOf(200_000) }) })));
    for (const reverse of [false, true]) {
      const seen: string[] = [];
      let startKey: Item | undefined;
      let pages = 0;
      do {
        const page = await store.query({ partition: big, startKey, reverse });
        pages += 1;
        expect(page.count).toBeLessThanOrEqual(deviates('page-exceeds-1-mb') ? 6 : 5);
        seen.push(...page.items.map((found) => (found['target'] as { S: string }).S));
        startKey = page.lastKey;
      } while (startKey !== undefined);
      expect(pages).toBeGreaterThan(1);
      expect(seen).toEqual(reverse ? [...names].reverse() : names);
    }
  });
});
