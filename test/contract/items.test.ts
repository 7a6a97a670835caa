import { beforeAll, describe, expect, it } from 'vitest';
import { type AttributeValue, type Item, setOwn } from '../../src/core/items/attribute-value.ts';
import type { Store } from '../../src/core/store-port.ts';
import { contractGraph, freshPartition, item, SUBJECTS, textOf } from './stores.ts';

const TERMINAL = { kind: 'terminal', code: 'ValidationException' };

describe.each(SUBJECTS)('items on $name', ({ open, deviates }) => {
  let store: Store;
  beforeAll(async () => {
    store = await open(contractGraph());
  });

  async function stored(source: string, target = 'x'): Promise<Item | undefined> {
    return (await store.get({ source, target }, { consistent: true })).item;
  }

  it("come with the table's own time, at each call", async () => {
    for (let i = 0; i < 3; i++) expect(Math.abs((await store.serverTime!())! - Date.now())).toBeLessThan(10_000);
  });

  it('come back with every type of value', async () => {
    const source = freshPartition();
    const nested = { M: { list: { L: [{ S: '' }, { M: {} }, { L: [] }] }, constructor: { S: 'c' } } };
    const given = item(source, 'x', {
      text: { S: 'é\u{1F600}\u0000' },
      yes: { BOOL: true },
      nothing: { NULL: true },
      bytes: { B: new Uint8Array([0, 255]) },
      nested,
      texts: { SS: ['', 'b'] },
      blobs: { BS: [new Uint8Array([1])] },
    });
    await store.put(given);
    expect(await stored(source)).toEqual(given);
  });

  it.each([
    ['1.0', '1'],
    ['-0', '0'],
    ['1e2', '100'],
    ['-1.50E3', '-1500'],
    ['12345678901234567890123456789012345678', '12345678901234567890123456789012345678'],
    ['0.00000000012', '0.00000000012'],
    ['9.99E+125', `999${'0'.repeat(123)}`],
    ['1E-130', `0.${'0'.repeat(129)}1`],
  ])('keep all digits of the number %s', async (text, expected) => {
    const source = freshPartition();
    await store.put(item(source, 'x', { n: { N: text }, many: { NS: [text] } }));
    expect(await stored(source)).toMatchObject({ n: { N: expected }, many: { NS: [expected] } });
  });

  it.each(['', 'NaN', 'Infinity', '0x1', ' 1', '1E126', '1E-131', '1'.repeat(39)])(
    'refuse the number %j',
    async (text) => {
      await expect(store.put(item(freshPartition(), 'x', { n: { N: text } }))).rejects.toMatchObject(TERMINAL);
    },
  );

  it.each<[string, AttributeValue]>([
    ['an empty set', { SS: [] }],
    ['an empty set in a list', { L: [{ NS: [] }] }],
    ['a text set with an element twice', { SS: ['a', 'a'] }],
    ['a number set with a number in two notations', { NS: ['1', '1.0'] }],
    ['a binary set with an element twice', { BS: [new Uint8Array([1]), new Uint8Array([1])] }],
  ])('refuse %s', async (_name, value) => {
    await expect(store.put(item(freshPartition(), 'x', { value }))).rejects.toMatchObject(TERMINAL);
  });

  it('take 31 lists in one another, and refuse 32', async () => {
    let value: AttributeValue = { S: 'core' };
    for (let i = 0; i < 31; i++) value = { L: [value] };
    const source = freshPartition();
    await store.put(item(source, 'x', { value }));
    expect(await stored(source)).toMatchObject({ value });
    await expect(store.put(item(source, 'x', { value: { L: [value] } }))).rejects.toMatchObject(TERMINAL);
  });

  it('keep an attribute named __proto__ in a map as data', async () => {
    const source = freshPartition();
    const inner: Item = {};
    setOwn<AttributeValue>(inner, '__proto__', { S: 'p' });
    await store.put(item(source, 'x', { map: { M: inner } }));
    const map = (await stored(source))?.['map'] as { M: Item };
    expect(Object.entries(map.M)).toEqual([['__proto__', { S: 'p' }]]);
  });

  it('refuse an attribute with an empty name', async () => {
    if (deviates('empty-attribute-names')) return;
    await expect(store.put(item(freshPartition(), 'x', { '': { S: 'a' } }))).rejects.toMatchObject(TERMINAL);
  });

  it.each<[string, Item]>([
    ['an empty partition key', item('', 'x')],
    ['an empty sort key', item('USER-1', '')],
    ['a partition key of 2,049 bytes', item(`x${'é'.repeat(1024)}`, 'x')],
    ['a sort key of 1,025 bytes', item('USER-1', `x${'é'.repeat(512)}`)],
    ['a sort key that is a number', { source: { S: 'USER-1' }, target: { N: '1' } }],
    ['no sort key', { source: { S: 'USER-1' } }],
    ['a key of an index that is no text', item('USER-1', 'x', { gsi0sk: { N: '1' } })],
    ['an empty key of an index', item('USER-1', 'x', { gsi1pk: { S: '' }, gsi1sk: { S: 'a' } })],
  ])('refuse %s', async (_name, given) => {
    await expect(store.put(given)).rejects.toMatchObject(TERMINAL);
    await expect(store.writeMany([{ put: given }])).rejects.toMatchObject(TERMINAL);
  });

  it.each<[string, Item]>([
    ['a partition key of an index of 2,049 bytes', { gsi0pk: textOf(2049), gsi0sk: { S: 'a' } }],
    ['a sort key of an index of 1,025 bytes', { gsi0pk: { S: 'a' }, gsi0sk: textOf(1025) }],
  ])('refuse %s', async (_name, keys) => {
    if (deviates('index-keys-of-any-length')) return;
    await expect(store.put(item(freshPartition(), 'x', keys))).rejects.toMatchObject(TERMINAL);
  });

  it('take keys of 2,048 and 1,024 bytes', async () => {
    const longest = item('é'.repeat(1024), 'é'.repeat(512));
    await store.put(longest);
    expect(await stored('é'.repeat(1024), 'é'.repeat(512))).toEqual(longest);
  });

  it.each(['', 'x'.repeat(2049)])('cannot be read or deleted by a key that cannot be: %#', async (source) => {
    const key = { source, target: 'x' };
    if (source === '') {
      await expect(store.get(key, { consistent: true })).rejects.toMatchObject(TERMINAL);
      await expect(store.getMany([key], { consistent: true })).rejects.toMatchObject(TERMINAL);
    }
    await expect(store.delete(key)).rejects.toMatchObject(TERMINAL);
    await expect(
      store.update({ key, set: {}, unset: [], condition: { kind: 'revision', revision: undefined } }),
    ).rejects.toMatchObject(TERMINAL);
  });

  it.each([
    { source: 'x'.repeat(2049), target: 'x' },
    { source: 'x', target: 'é'.repeat(513) },
  ])('are not found by a key longer than any that is stored, for which nothing is asked: %#', async (key) => {
    const there = item(freshPartition(), 'x');
    await store.put(there);
    expect(await store.get(key, { consistent: true })).toEqual({ rcu: 0 });
    const keys = [key, { source: (there['source'] as { S: string }).S, target: 'x' }];
    expect((await store.getMany(keys, { consistent: true })).items).toEqual([undefined, there]);
  });

  it('may have 400 KB and not a byte more', async () => {
    const source = freshPartition();
    const rest = 400 * 1024 - `source${source}targetxb`.length;
    expect(await store.put(item(source, 'x', { b: textOf(rest) }))).toEqual({ wcu: 400 });
    expect((await store.get({ source, target: 'x' }, { consistent: true })).rcu).toBe(100);
    await expect(store.put(item(source, 'x', { b: textOf(rest + 1) }))).rejects.toMatchObject(TERMINAL);
    await expect(store.writeMany([{ put: item(source, 'x', { b: textOf(rest + 1) }) }])).rejects.toMatchObject(
      TERMINAL,
    );
  });

  it('are replaced whole by a put and gone after a delete; a second delete is fine', async () => {
    const source = freshPartition();
    await store.put(item(source, 'x', { a: { S: '1' } }));
    await store.put(item(source, 'x', { b: { S: '2' } }));
    expect(await stored(source)).toEqual(item(source, 'x', { b: { S: '2' } }));
    await store.delete({ source, target: 'x' });
    expect(await stored(source)).toBeUndefined();
    expect(await store.delete({ source, target: 'x' })).toEqual({ applied: true, wcu: 1 });
  });

  it('cost a put 1 unit for each started KB of the larger of old and new, and again in each index', async () => {
    const source = freshPartition();
    const put = async (attributes: Item): Promise<number> => (await store.put(item(source, 'x', attributes))).wcu;
    const keys = { gsi0pk: { S: 'p' }, gsi0sk: { S: 's' } };
    expect(await put({ b: textOf(1500) })).toBe(2);
    expect(await put({ b: textOf(1200) })).toBe(2);
    expect(await put({ ...keys, value: textOf(100) })).toBe(2 + 1);
    // Nothing changes: the table's unit is billed, the index is not written.
    expect(await put({ ...keys, value: textOf(100) })).toBe(1);
    // Nor where attributes change that the index does not hold.
    expect(await put({ ...keys, value: textOf(100), b: textOf(1500) })).toBe(2);
    expect(await put({ ...keys, value: textOf(1500) })).toBe(2 + 2);
    expect(await put({ ...keys, gsi0sk: { S: 't' }, value: textOf(100) })).toBe(2 + 2 + 1);
    expect(await put({ value: textOf(100) })).toBe(1 + 1);
    await put({ ...keys, value: textOf(1500) });
    expect(await store.delete({ source, target: 'x' })).toEqual({ applied: true, wcu: 2 + 2 });
  });

  it('cost a read half a unit for each started 4 KB, a consistent one a whole unit, also where absent', async () => {
    const source = freshPartition();
    await store.put(item(source, 'x', { b: textOf(5000) }));
    const key = { source, target: 'x' };
    expect((await store.get(key, { consistent: true })).rcu).toBe(2);
    expect((await store.get(key, { consistent: false })).rcu).toBe(1);
    const absent = { source, target: 'absent' };
    expect(await store.get(absent, { consistent: true })).toEqual({ item: undefined, rcu: 1 });
    expect(await store.get(absent, { consistent: false })).toEqual({ item: undefined, rcu: 0.5 });
  });

  describe('read together', () => {
    it('come in the order asked for, absent ones and repeated ones included', async () => {
      const source = freshPartition();
      await store.put(item(source, 'a'));
      await store.put(item(source, 'b', { b: textOf(5000) }));
      const keys = ['b', 'absent', 'a', 'b'].map((target) => ({ source, target }));
      const { items, rcu, calls } = await store.getMany(keys, { consistent: true });
      expect(items.map((found) => found?.['target'])).toEqual([{ S: 'b' }, undefined, { S: 'a' }, { S: 'b' }]);
      expect(calls).toBe(1);
      if (!deviates('nothing-read-is-free')) expect(rcu).toBe(2 + 1 + 1);
    });

    it('take one call for each 100 distinct keys', async () => {
      const source = freshPartition();
      const keys = Array.from({ length: 201 }, (_, i) => ({ source, target: String(i) }));
      await store.put(item(source, '200'));
      const { items, calls } = await store.getMany([...keys, ...keys], { consistent: false });
      expect(calls).toBe(3);
      expect(items).toHaveLength(402);
      expect(items.filter((found) => found !== undefined)).toEqual([item(source, '200'), item(source, '200')]);
    });

    it('cost no call where none is asked for', async () => {
      expect(await store.getMany([], { consistent: true })).toEqual({ items: [], rcu: 0, calls: 0 });
    });
  });

  describe('written together', () => {
    it('take one call for each 25, puts and deletes mixed', async () => {
      const source = freshPartition();
      await store.put(item(source, 'gone'));
      const puts = Array.from({ length: 30 }, (_, i) => ({ put: item(source, String(i)) }));
      const { wcu, calls } = await store.writeMany([...puts, { delete: { source, target: 'gone' } }]);
      expect({ wcu, calls }).toEqual({ wcu: 31, calls: 2 });
      expect((await store.query({ partition: source, consistent: true })).count).toBe(30);
    });

    it('are refused together where a key is named twice, and none of the call is written', async () => {
      const source = freshPartition();
      const writes = [{ put: item(source, 'a') }, { put: item(source, 'b') }, { delete: { source, target: 'a' } }];
      await expect(store.writeMany(writes)).rejects.toMatchObject(TERMINAL);
      expect((await store.query({ partition: source, consistent: true })).count).toBe(0);
    });

    it('cost nothing where there are none', async () => {
      expect(await store.writeMany([])).toEqual({ wcu: 0, calls: 0 });
    });
  });
});
