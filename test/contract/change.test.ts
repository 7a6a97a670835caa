import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import type { AttributeValue, Item } from '../../src/core/items/attribute-value.ts';
import type { AttributeChanges, BaseChange, BaseCondition, ItemKey, Store } from '../../src/core/store-port.ts';
import { contractGraph, freshPartition, item, SUBJECTS } from './stores.ts';

describe.each(SUBJECTS)('a change of a base item on $name', ({ open }) => {
  let store: Store;
  beforeAll(async () => {
    store = await open(contractGraph());
  });

  const freshKey = (): ItemKey => {
    const source = freshPartition();
    return { source, target: source };
  };
  const stored = async (key: ItemKey) => (await store.get(key, { consistent: true })).item;
  const update = (key: ItemKey, changes: AttributeChanges, condition?: BaseCondition): BaseChange => ({
    ...{ kind: 'update', key, changes },
    ...(condition && { condition }),
  });
  const put = (key: ItemKey, attributes: Item, condition?: BaseCondition): BaseChange => ({
    ...{ kind: 'put', key, item: item(key.source, key.target, attributes) },
    ...(condition && { condition }),
  });

  it('puts a mirrored item where it is absent, or of the same maker alone and earlier', async () => {
    const key = freshKey();
    const maker = 'app/{"pk":{"S":"a.b"},"sk":{"N":"1"}}';
    const claimed = (tokens: Record<string, number>) => {
      const makers = Object.entries(tokens).map(([name, t]): [string, AttributeValue] => [
        name,
        { M: { t: { N: String(t) } } },
      ]);
      return { '~mirror': { M: { makers: { M: Object.fromEntries(makers) } } } };
    };
    const putAt = async (token: number, tokens: Record<string, number> = { [maker]: token }) => {
      const condition = { claimedBefore: { maker, token } };
      return (await store.change(put(key, claimed(tokens), condition))).applied;
    };
    expect(await putAt(2)).toBe(true);
    expect(await putAt(2)).toBe(false);
    expect(await putAt(1)).toBe(false);
    // Tokens are numbers: 10 is after 2.
    expect(await putAt(10, { [maker]: 10, other: 1 })).toBe(true);
    expect(await putAt(11)).toBe(false);
    await store.change(put(key, claimed({ other: 1 })));
    expect(await putAt(11)).toBe(false);
    await store.change(put(key, { name: { S: 'not mirrored' } }));
    expect(await putAt(11)).toBe(false);
  });

  it('takes an item that is over for absent, and does not update it', async () => {
    const over = { attribute: 'end', atSeconds: '100.5' };
    const ends: Record<string, AttributeValue | undefined> = {
      over: { N: '100' },
      'over just now': { N: '100.5' },
      'not yet': { N: '101' },
      never: undefined,
      'a text': { S: '5' },
    };
    for (const [name, end] of Object.entries(ends)) {
      const isOver = name.startsWith('over');
      const made = async (change: (key: ItemKey) => BaseChange): Promise<boolean[]> => {
        const results: boolean[] = [];
        for (const send of ['change', 'changeAll'] as const) {
          const key = freshKey();
          await store.put(item(key.source, key.target, { a: { S: 'x' }, ...(end && { end }) }));
          const one = change(key);
          if (send === 'change' && one.kind === 'look') continue;
          const result = send === 'change' ? await store.change(one) : await store.changeAll([one], randomUUID());
          results.push(result.applied);
        }
        return results;
      };
      const outcome = async (condition: BaseCondition) => {
        const all = { ...condition, over };
        const writes = [
          await made((key) => put(key, {}, all)),
          await made((key) => ({ kind: 'delete', key, condition: all })),
          await made((key) => ({ kind: 'look', key, condition: all })),
        ].flat();
        const updates = await made((key) => update(key, { set: { b: { S: 'y' } } }, all));
        return { writes: [...new Set(writes)], updates: [...new Set(updates)] };
      };
      const all = (writes: boolean, updates: boolean) => ({ writes: [writes], updates: [updates] });
      expect(await outcome({ present: false }), name).toEqual(all(isOver, false));
      expect(await outcome({ present: true }), name).toEqual(all(!isOver, !isOver));
      expect(await outcome({ equal: { a: { S: 'x' } } }), name).toEqual(all(!isOver, !isOver));
      expect(await outcome({ absent: ['a'] }), name).toEqual(all(isOver, false));
      expect(await outcome({ absent: ['c'] }), name).toEqual(all(true, !isOver));
    }
  });

  it('sets, removes, adds and changes sets in one update, and gives the new item', async () => {
    const key = freshKey();
    await store.change(
      put(key, {
        name: { S: 'a' },
        size: { N: '1.5' },
        gone: { BOOL: true },
        tags: { SS: ['x', 'y'] },
        n: { NS: ['1'] },
      }),
    );
    const result = await store.change(
      update(key, {
        set: { name: { S: 'b' }, 'a.b #c': { L: [{ N: '1' }] } },
        remove: ['gone', 'never'],
        add: { size: '-0.25', fresh: '12345678901234567890' },
        addTo: { tags: { SS: ['y', 'z'] } },
        deleteFrom: { n: { NS: ['1'] } },
      }),
    );
    expect(result).toMatchObject({ applied: true });
    expect(result.wcu).toBeGreaterThan(0);
    const expected = {
      name: { S: 'b' },
      'a.b #c': { L: [{ N: '1' }] },
      size: { N: '1.25' },
      fresh: { N: '12345678901234567890' },
    };
    const { tags, ...rest } = (result as { item: Item }).item;
    expect(rest).toEqual(item(key.source, key.target, expected));
    expect(new Set((tags as { SS: string[] }).SS)).toEqual(new Set(['x', 'y', 'z']));
    expect(await stored(key)).toMatchObject(expected);
  });

  it('makes an absent item, with a change of nothing too', async () => {
    const key = freshKey();
    expect(await store.change(update(key, { add: { size: '2' } }))).toMatchObject({ applied: true });
    expect(await stored(key)).toEqual(item(key.source, key.target, { size: { N: '2' } }));
    const other = freshKey();
    expect(await store.change(update(other, {}))).toMatchObject({ applied: true });
    expect(await stored(other)).toEqual(item(other.source, other.target));
  });

  it('is made where its condition holds, by value and not by spelling', async () => {
    const key = freshKey();
    const values: Item = {
      number: { N: '10' },
      set: { SS: ['b', 'a'] },
      map: { M: { deep: { L: [{ S: 'x' }, { NULL: true }] } } },
      binary: { B: new Uint8Array([1, 2]) },
    };
    await store.put(item(key.source, key.target, values));
    const equal: Item = { ...values, number: { N: '1e1' }, set: { SS: ['a', 'b'] } };
    const condition = { present: true, equal, absent: ['other'] };
    expect(await store.change(update(key, { set: { seen: { BOOL: true } } }, condition))).toMatchObject({
      applied: true,
    });
  });

  it.each<[string, BaseCondition]>([
    ['the item has to be absent', { present: false }],
    ['an attribute has another value', { equal: { name: { S: 'b' } } }],
    ['an attribute has another type', { equal: { name: { N: '1' } } }],
    ['an attribute is absent', { equal: { other: { S: 'a' } } }],
    ['an attribute is there', { absent: ['name'] }],
    ['one part of several fails', { present: true, equal: { name: { S: 'a' } }, absent: ['size'] }],
  ])('changes nothing and gives the item where %s', async (_, condition) => {
    const key = freshKey();
    const present = item(key.source, key.target, { name: { S: 'a' }, size: { N: '1' } });
    await store.put(present);
    for (const change of [
      update(key, { set: { name: { S: 'c' } } }, condition),
      put(key, {}, condition),
      { kind: 'delete', key, condition } as const,
    ]) {
      expect(await store.change(change)).toMatchObject({ applied: false, wcu: 1, current: present });
    }
    expect(await stored(key)).toEqual(present);
  });

  it('gives no item where the one that should be there is absent', async () => {
    const key = freshKey();
    for (const change of [update(key, {}, { present: true }), { kind: 'delete', key, condition: { present: true } }]) {
      const result = await store.change(change as BaseChange);
      expect(result).toMatchObject({ applied: false });
      expect(result).not.toHaveProperty('current');
    }
    expect(await stored(key)).toBeUndefined();
  });

  it('deletes, an absent item too', async () => {
    const key = freshKey();
    await store.put(item(key.source, key.target));
    expect(await store.change({ kind: 'delete', key })).toMatchObject({ applied: true });
    expect(await store.change({ kind: 'delete', key })).toMatchObject({ applied: true });
    expect(await stored(key)).toBeUndefined();
  });

  it.each<[string, AttributeChanges]>([
    ['a text is added to', { add: { name: '1' } }],
    ['elements are added to a text', { addTo: { name: { SS: ['x'] } } }],
    ['elements are deleted from a set of another type', { deleteFrom: { tags: { NS: ['1'] } } }],
    ['an attribute is changed in two ways', { set: { size: { N: '1' } }, add: { size: '1' } }],
  ])('is refused for good where %s', async (_, changes) => {
    const key = freshKey();
    const present = item(key.source, key.target, { name: { S: 'a' }, tags: { SS: ['x'] } });
    await store.put(present);
    await expect(store.change(update(key, changes))).rejects.toMatchObject({ name: 'StoreError', kind: 'terminal' });
    expect(await stored(key)).toEqual(present);
  });

  it('takes conditions and changes of 150 attributes', async () => {
    const key = freshKey();
    const many = (value: string): Item =>
      Object.fromEntries(Array.from({ length: 150 }, (_, i) => [`attribute${i}`, { S: `${value}${i}` }]));
    await store.put(item(key.source, key.target, many('a')));
    const change = update(key, { set: many('b') }, { present: true, equal: many('a') });
    expect(await store.change(change)).toMatchObject({ applied: true });
    expect(await stored(key)).toMatchObject({ attribute149: { S: 'b149' } });
  });
});

describe.each(SUBJECTS)('changes of several base items at once on $name', ({ open }) => {
  let store: Store;
  // An engine knows tokens for all of its tables, and two ways to it run this suite.
  const run = randomUUID().slice(0, 8);
  beforeAll(async () => {
    store = await open(contractGraph());
  });
  const stored = async (key: ItemKey) => (await store.get(key, { consistent: true })).item;
  const keys = (count: number): ItemKey[] => {
    const source = freshPartition();
    return Array.from({ length: count }, (_, i) => ({ source, target: `KNOWS-${i}` }));
  };

  it('puts, updates, deletes and looks, all of them', async () => {
    const [a, b, c, d] = keys(4) as [ItemKey, ItemKey, ItemKey, ItemKey];
    for (const key of [b, c, d]) await store.put(item(key.source, key.target, { n: { N: '1' } }));
    const result = await store.changeAll(
      [
        { kind: 'put', key: a, item: item(a.source, a.target, { n: { N: '5' } }), condition: { present: false } },
        { kind: 'update', key: b, changes: { add: { n: '2' } }, condition: { present: true } },
        { kind: 'delete', key: c, condition: { equal: { n: { N: '1' } } } },
        { kind: 'look', key: d, condition: { present: true } },
      ],
      `${run} one`,
    );
    expect(result).toMatchObject({ applied: true });
    expect([await stored(a), await stored(b), await stored(c)]).toEqual([
      item(a.source, a.target, { n: { N: '5' } }),
      item(b.source, b.target, { n: { N: '3' } }),
      undefined,
    ]);
  });

  it('take updates that change nothing: one makes an item of its key, one is a condition alone', async () => {
    const [a, b] = keys(2) as [ItemKey, ItemKey];
    await store.put(item(b.source, b.target, { n: { N: '1' } }));
    const updates = (present: boolean): Parameters<Store['changeAll']>[0] => [
      { kind: 'update', key: a, changes: {}, condition: { present } },
      { kind: 'update', key: b, changes: { set: {} }, condition: { equal: { n: { N: '1' } } } },
    ];
    expect(await store.changeAll(updates(true), `${run} five`)).toMatchObject({
      applied: false,
      failed: [{ place: 0 }],
    });
    expect(await store.changeAll(updates(false), `${run} six`)).toMatchObject({ applied: true });
    expect([await stored(a), await stored(b)]).toEqual([
      item(a.source, a.target),
      item(b.source, b.target, { n: { N: '1' } }),
    ]);
  });

  it('change nothing where one condition fails, and say which with the item', async () => {
    const [a, b, c] = keys(3) as [ItemKey, ItemKey, ItemKey];
    const present = item(b.source, b.target, { n: { N: '1' } });
    await store.put(present);
    const result = await store.changeAll(
      [
        { kind: 'put', key: a, item: item(a.source, a.target) },
        { kind: 'update', key: b, changes: { add: { n: '1' } }, condition: { absent: ['n'] } },
        { kind: 'look', key: c, condition: { present: true } },
      ],
      `${run} two`,
    );
    expect(result).toMatchObject({ applied: false, failed: [{ place: 1, current: present }, { place: 2 }] });
    expect((result as { failed: readonly object[] }).failed).toHaveLength(2);
    expect(await stored(a)).toBeUndefined();
    expect(await stored(b)).toEqual(present);
  });

  it('are made once where the same token comes again', async () => {
    const [a] = keys(1) as [ItemKey];
    const changes: BaseChange[] = [{ kind: 'update', key: a, changes: { add: { n: '1' } } }];
    for (let i = 0; i < 3; i++) expect(await store.changeAll(changes, `${run} three`)).toMatchObject({ applied: true });
    expect(await stored(a)).toMatchObject({ n: { N: '1' } });
  });

  it('are refused for good where a token comes again with other changes', async () => {
    const [a] = keys(1) as [ItemKey];
    const change = (n: string): BaseChange[] => [{ kind: 'update', key: a, changes: { add: { n } } }];
    await store.changeAll(change('1'), `${run} four`);
    await expect(store.changeAll(change('2'), `${run} four`)).rejects.toMatchObject({ kind: 'terminal' });
    expect(await stored(a)).toMatchObject({ n: { N: '1' } });
  });
});
