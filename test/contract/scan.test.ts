import { beforeAll, describe, expect, it } from 'vitest';
import { type Item, stringOf } from '../../src/core/items/attribute-value.ts';
import type { ScanSource, Store } from '../../src/core/store-port.ts';
import { contractGraph, freshPartition, item, SUBJECTS } from './stores.ts';

const SORT_KEYS = ['A', 'B', '~ix/A', '~view', 'é'];
const PARTITIONS = 12;

describe.each(SUBJECTS)('scans on $name', ({ open }) => {
  let store: Store & ScanSource;
  const sources: string[] = [];

  beforeAll(async () => {
    store = await open(contractGraph());
    for (let i = 0; i < PARTITIONS; i++) {
      const source = freshPartition();
      sources.push(source);
      for (const sortKey of SORT_KEYS) await store.put(item(source, sortKey));
    }
  });

  async function scanAll(segments: number, limit?: number): Promise<Item[][]> {
    return await Promise.all(
      Array.from({ length: segments }, async (_, segment) => {
        const items: Item[] = [];
        let startKey: Item | undefined;
        do {
          const page = await store.scan({ segment, segments, startKey, limit });
          expect(page.items.length).toBeLessThanOrEqual(limit ?? Number.POSITIVE_INFINITY);
          // One engine bills nothing where nothing is found.
          if (page.items.length > 0) expect(page.rcu).toBeGreaterThan(0);
          items.push(...page.items);
          startKey = page.lastKey;
        } while (startKey !== undefined);
        return items;
      }),
    );
  }

  const names = (items: readonly Item[]): string[] =>
    items.map((found) => `${stringOf(found['source'])} ${stringOf(found['target'])}`);

  it.each([{ segments: 1 }, { segments: 4 }, { segments: 4, limit: 3 }, { segments: 50, limit: 1 }])(
    'give every item once, in $segments segments and pages of $limit',
    async ({ segments, limit }) => {
      const found = (await scanAll(segments, limit)).flat();
      const expected = sources.flatMap((source) => SORT_KEYS.map((sortKey) => `${source} ${sortKey}`));
      expect(names(found).sort()).toEqual(expected.sort());
      const [first] = found as [Item];
      expect(first).toEqual(item(stringOf(first['source'])!, stringOf(first['target'])!));
    },
  );

  it('give a partition as a whole, in the order of its sort keys', async () => {
    for (const items of await scanAll(3, 2)) {
      const met: (string | undefined)[] = [];
      for (const found of items) {
        const source = stringOf(found['source']);
        if (met.at(-1) !== source) met.push(source);
      }
      expect(new Set(met).size).toBe(met.length);
      for (const source of met) {
        const keys = items
          .filter((found) => stringOf(found['source']) === source)
          .map((found) => stringOf(found['target']));
        expect(keys).toEqual(SORT_KEYS);
      }
    }
  });
});

describe.each(SUBJECTS)('scans of an index on $name', ({ open }) => {
  let store: Store & ScanSource;
  const entry = (source: string, sort: string): Item => ({
    ...item(source, `~ix/${sort}`),
    gsi0pk: { S: 'SCANNED#1' },
    gsi0sk: { S: sort },
  });

  beforeAll(async () => {
    store = await open(contractGraph());
  });

  it('give what is in it, page by page, and nothing else', async () => {
    const expected: string[] = [];
    for (let i = 0; i < 7; i++) {
      const source = freshPartition();
      await store.put(item(source, 'A'));
      for (const sort of ['a', 'b']) {
        await store.put(entry(source, sort));
        expected.push(`${source} ~ix/${sort}`);
      }
    }
    for (const [segments, limit] of [
      [1, undefined],
      [1, 3],
      [4, 1],
    ] as const) {
      const found: string[] = [];
      for (let segment = 0; segment < segments; segment++) {
        let startKey: Item | undefined;
        do {
          const page = await store.scan({ segment, segments, startKey, limit, index: 'gsi0' });
          found.push(...page.items.map((one) => `${stringOf(one['source'])} ${stringOf(one['target'])}`));
          startKey = page.lastKey;
        } while (startKey !== undefined);
      }
      expect(found.sort()).toEqual([...expected].sort());
    }
  });

  it('show no item any more that has lost its place in it', async () => {
    const source = freshPartition();
    await store.put(entry(source, 'c'));
    await store.put(item(source, '~ix/c'));
    const { items } = await store.scan({ segment: 0, segments: 1, index: 'gsi0' });
    expect(items.filter((one) => stringOf(one['source']) === source)).toEqual([]);
  });

  it('are refused where they shall be consistent', async () => {
    await expect(store.scan({ segment: 0, segments: 1, index: 'gsi0', consistent: true })).rejects.toThrow();
  });
});

describe.each(SUBJECTS)('deletes on a condition on $name', ({ open }) => {
  let store: Store;
  beforeAll(async () => {
    store = await open(contractGraph());
  });

  it('are made where the item has the revision, and only there', async () => {
    const source = freshPartition();
    const key = { source, target: '~view' };
    const present = async () => (await store.get(key, { consistent: true })).item !== undefined;
    await store.put(item(source, '~view', { r: { N: '2' } }));
    const refused = { applied: false, wcu: 1 };
    expect(await store.delete(key, { kind: 'revision', revision: '1' })).toEqual(refused);
    expect(await store.delete(key, { kind: 'revision', revision: undefined })).toEqual(refused);
    expect(await present()).toBe(true);
    expect(await store.delete(key, { kind: 'revision', revision: '2' })).toEqual({ applied: true, wcu: 1 });
    expect(await present()).toBe(false);
    expect(await store.delete(key, { kind: 'revision', revision: '2' })).toEqual(refused);
    expect(await store.delete(key, { kind: 'revision', revision: undefined })).toEqual({ applied: true, wcu: 1 });
  });

  it('are made where the item has the expiry that was seen, and only there', async () => {
    const source = freshPartition();
    const key = { source, target: '~view' };
    const seen = (expiresAt: string) =>
      ({ kind: 'revision', revision: '1', expiry: { attribute: 'expiresAt', value: { N: expiresAt } } }) as const;
    await store.put(item(source, '~view', { r: { N: '1' } }));
    expect((await store.delete(key, seen('100'))).applied).toBe(false);
    await store.put(item(source, '~view', { r: { N: '1' }, expiresAt: { N: '200' } }));
    expect((await store.delete(key, seen('100'))).applied).toBe(false);
    const update = { key, set: {}, unset: ['expiresAt'], condition: seen('100') };
    expect((await store.update(update)).applied).toBe(false);
    expect((await store.update({ ...update, condition: seen('200') })).applied).toBe(true);
    expect((await store.delete(key, { kind: 'revision', revision: '2' })).applied).toBe(true);
  });

  it('cost the size of the item also where they are not made', async () => {
    const source = freshPartition();
    await store.put(item(source, 'A', { text: { S: 'x'.repeat(3000) } }));
    const unmet = { kind: 'revision', revision: '1' } as const;
    expect(await store.delete({ source, target: 'A' }, unmet)).toEqual({ applied: false, wcu: 3 });
  });
});
