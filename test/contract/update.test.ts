import { beforeAll, describe, expect, it } from 'vitest';
import { type AttributeValue, type Item, sameValue } from '../../src/core/items/attribute-value.ts';
import type { DerivedUpdate, ItemKey, Store, UpdateCondition, UpdateResult } from '../../src/core/store-port.ts';
import { contractGraph, freshPartition, item, SUBJECTS, textOf } from './stores.ts';

const revision = (seen: string | undefined): UpdateCondition => ({ kind: 'revision', revision: seen });

describe.each(SUBJECTS)('update of one derived item on $name', ({ open, deviates }) => {
  let store: Store;
  beforeAll(async () => {
    store = await open(contractGraph());
  });

  /** An item, or none, and then an update of it; gives what came back and what is stored then. */
  async function updated(
    before: Item | undefined,
    update: Partial<DerivedUpdate>,
  ): Promise<{ result: UpdateResult; stored: Item | undefined; key: ItemKey }> {
    const key = { source: freshPartition(), target: '~view' };
    if (before !== undefined) await store.put(item(key.source, key.target, before));
    const result = await store.update({ key, set: {}, unset: [], condition: { kind: 'none' }, ...update });
    return { result, stored: (await store.get(key, { consistent: true })).item, key };
  }

  async function refusal(before: Item | undefined, update: Partial<DerivedUpdate>): Promise<unknown> {
    return await updated(before, update).catch((error: unknown) => error);
  }

  it('creates an absent item with its key and revision 1', async () => {
    const { result, stored, key } = await updated(undefined, {});
    expect(result).toEqual({ applied: true, wcu: 1 });
    expect(stored).toEqual(item(key.source, key.target, { r: { N: '1' } }));
  });

  it('counts the revision up with each update, exactly, also beyond what a double holds', async () => {
    expect((await updated({ r: { N: '41' } }, {})).stored?.['r']).toEqual({ N: '42' });
    expect((await updated({ r: { N: '9007199254740993' } }, {})).stored?.['r']).toEqual({ N: '9007199254740994' });
    expect((await updated({ r: { N: '-0.5' } }, {})).stored?.['r']).toEqual({ N: '0.5' });
  });

  it('refuses a revision that is no number, or that would need more than 38 digits', async () => {
    const terminal = { kind: 'terminal', code: 'ValidationException' };
    expect(await refusal({ r: { S: '1' } }, {})).toMatchObject(terminal);
    expect(await refusal({ r: { N: '1E-38' } }, {})).toMatchObject(terminal);
    expect(await refusal(undefined, { condition: revision('one') })).toMatchObject(terminal);
  });

  it('sets and removes attributes, and leaves the others', async () => {
    const { stored } = await updated(
      { kept: { S: 'k' }, old: { S: 'o' }, gone: { S: 'g' } },
      { set: { old: { N: '1.50' }, constructor: { BOOL: true } }, unset: ['gone', 'never there'] },
    );
    expect(stored).toMatchObject({ kept: { S: 'k' }, constructor: { BOOL: true } });
    expect(sameValue(stored?.['old'], { N: '1.5' })).toBe(true);
    expect(Object.keys(stored!).sort()).toEqual(['constructor', 'kept', 'old', 'r', 'source', 'target']);
  });

  it.each<[string, Item | undefined, boolean]>([
    ['no item', undefined, true],
    ['an item without revision', {}, false],
    ['an item', { r: { N: '1' } }, false],
  ])('condition absent with %s', async (_name, before, applied) => {
    const { result, stored } = await updated(before, { condition: { kind: 'absent' }, set: { a: { S: 'x' } } });
    expect(result.applied).toBe(applied);
    expect(stored).toHaveProperty(applied ? 'a' : 'source');
  });

  describe('condition revision', () => {
    it.each<[string, Item | undefined, string | undefined, boolean]>([
      ['none seen, item absent', undefined, undefined, true],
      ['none seen, item without revision', { a: { S: 'x' } }, undefined, true],
      ['none seen, item with revision', { r: { N: '1' } }, undefined, false],
      ['seen, item absent', undefined, '1', false],
      ['seen, equal', { r: { N: '7' } }, '7', true],
      ['seen, equal in another notation', { r: { N: '7' } }, '7.0', true],
      ['seen, higher', { r: { N: '7' } }, '8', false],
      ['seen, lower', { r: { N: '7' } }, '6', false],
      ['seen, stored as text', { r: { S: '7' } }, '7', false],
    ])('%s', async (_name, before, seen, applied) => {
      const { result } = await updated(before, { condition: revision(seen) });
      expect(result.applied).toBe(applied);
    });
  });

  describe('condition holding', () => {
    const texts = { 'keys/kind': ['Scode', 'Stalk'], 'keys/role': ['Slead'] };
    it.each<[string, Item | undefined, boolean]>([
      ['all of the texts', { 'keys/kind': { SS: ['Sa', 'Stalk', 'Scode'] }, 'keys/role': { SS: ['Slead'] } }, true],
      ['one text of a set less', { 'keys/kind': { SS: ['Scode'] }, 'keys/role': { SS: ['Slead'] } }, false],
      ['one set less', { 'keys/kind': { SS: ['Scode', 'Stalk'] } }, false],
      ['a number instead of a set', { 'keys/kind': { SS: ['Scode', 'Stalk'] }, 'keys/role': { N: '1' } }, false],
      ['no item', undefined, false],
    ])('with %s', async (_name, before, applied) => {
      const { result } = await updated(before, { condition: { kind: 'holding', texts } });
      expect(result.applied).toBe(applied);
    });
  });

  it('gives the item that failed the condition, and leaves it as it is', async () => {
    const before = { edgeSet: { SS: ['KNOWS-USER-1'] } };
    const { result, stored, key } = await updated(before, {
      set: { a: { S: 'x' } },
      addElements: ['KNOWS-USER-2'],
      condition: revision('1'),
    });
    expect(result).toEqual({ applied: false, wcu: 1, current: item(key.source, key.target, before) });
    expect(stored).toEqual(item(key.source, key.target, before));
  });

  it('gives no current item where there is none', async () => {
    const { result, stored } = await updated(undefined, { condition: revision('1') });
    expect(result).toEqual({ applied: false, wcu: 1 });
    expect(stored).toBeUndefined();
  });

  it('gives the failed item also where a map in it has an attribute __proto__', async () => {
    const attributes: AttributeValue = { M: JSON.parse('{"__proto__":{"S":"p"},"name":{"S":"n"}}') };
    const { result, key } = await updated({ attributes }, { condition: revision('1') });
    expect(result).toEqual({
      applied: false,
      wcu: 1,
      current: item(key.source, key.target, { attributes }),
    });
  });

  describe('the edge set', () => {
    const sets = (stored: Item | undefined): string[] | undefined => {
      const value = stored?.['edgeSet'];
      return value === undefined ? undefined : [...(value as { SS: string[] }).SS].sort();
    };
    const with1 = { edgeSet: { SS: ['a', 'b'] } };

    it.each<[string, Item | undefined, Partial<DerivedUpdate>, string[] | undefined]>([
      ['ADD to an absent item', undefined, { addElements: ['a', 'é|x'] }, ['a', 'é|x']],
      ['ADD of present and new ones', with1, { addElements: ['b', 'c'] }, ['a', 'b', 'c']],
      ['DELETE of one', with1, { deleteElements: ['a'] }, ['b']],
      ['DELETE of absent ones', with1, { deleteElements: ['x', 'y'] }, ['a', 'b']],
      ['DELETE of the last ones removes the attribute', with1, { deleteElements: ['a', 'b'] }, undefined],
      ['DELETE without a set', undefined, { deleteElements: ['a'] }, undefined],
      ['SET of the whole', with1, { setElements: ['z'] }, ['z']],
      ['SET over something else', { edgeSet: { S: 'odd' } }, { setElements: ['z'] }, ['z']],
      ['removal', with1, { unset: ['edgeSet'] }, undefined],
      ['no elements at all', with1, { addElements: [], deleteElements: [], setElements: [] }, ['a', 'b']],
    ])('%s', async (_name, before, update, expected) => {
      const { result, stored } = await updated(before, update);
      expect(result.applied).toBe(true);
      expect(sets(stored)).toEqual(expected);
    });

    it.each<[string, Item | undefined, Partial<DerivedUpdate>]>([
      ['ADD and DELETE together', with1, { addElements: ['c'], deleteElements: ['a'] }],
      ['ADD and SET together', with1, { addElements: ['c'], setElements: ['a'] }],
      ['ADD and removal together', with1, { addElements: ['c'], unset: ['edgeSet'] }],
      ['an element named twice', with1, { addElements: ['c', 'c'] }],
      ['ADD to something else', { edgeSet: { S: 'odd' } }, { addElements: ['c'] }],
      ['DELETE from something else', { edgeSet: { NS: ['1'] } }, { deleteElements: ['c'] }],
    ])('refuses %s', async (_name, before, update) => {
      expect(await refusal(before, update)).toMatchObject({ kind: 'terminal', code: 'ValidationException' });
    });
  });

  it.each<[string, Partial<DerivedUpdate>]>([
    ['an attribute both set and removed', { set: { a: { S: 'x' } }, unset: ['a'] }],
    ['an attribute removed twice', { unset: ['a', 'a'] }],
    ['the revision set by hand', { set: { r: { N: '5' } } }],
    ['a key attribute set', { set: { source: { S: 'x' } } }],
    ['a key attribute removed', { unset: ['target'] }],
    ['an empty set', { set: { a: { SS: [] } } }],
    ['an empty key of an index', { set: { gsi0pk: { S: '' } } }],
  ])('refuses %s', async (_name, update) => {
    expect(await refusal({ w: { S: 'l' } }, update)).toMatchObject({ kind: 'terminal', code: 'ValidationException' });
  });

  it('refuses a key of an index that is no text', async () => {
    const failure = await refusal(undefined, { set: { gsi0pk: { N: '1' }, gsi0sk: { S: 'x' } } });
    if (deviates('update-index-key-type-unchecked')) return;
    expect(failure).toMatchObject({ kind: 'terminal', code: 'ValidationException' });
  });

  it('checks the condition before the operands: what is stale is not refused', async () => {
    const before = { r: { S: 'no number' } };
    const { result } = await updated(before, { set: { gsi0pk: { N: '1' } }, condition: revision('1') });
    expect(result.applied).toBe(false);
  });

  it('refuses to let an item grow beyond 400 KB, and leaves it as it was', async () => {
    const key = { source: freshPartition(), target: '~view' };
    await store.put(item(key.source, key.target, { a: textOf(300_000) }));
    const growth = store.update({ key, set: { b: textOf(110_000) }, unset: [], condition: { kind: 'none' } });
    await expect(growth).rejects.toMatchObject({ kind: 'terminal', code: 'ValidationException' });
    expect((await store.get(key, { consistent: true })).item).not.toHaveProperty('b');
  });

  describe('what it costs', () => {
    it('one unit for each started KB of the larger of the item before and after', async () => {
      expect((await updated({ a: textOf(1500) }, { set: { a: textOf(10) } })).result.wcu).toBe(2);
      expect((await updated({ a: textOf(10) }, { set: { a: textOf(2500) } })).result.wcu).toBe(3);
    });

    it('a failed condition costs the size of the item that failed it', async () => {
      expect((await updated({ a: textOf(2500) }, { set: { a: textOf(10) } })).result.wcu).toBe(3);
    });

    it('each index that the item is in costs as much again', async () => {
      const keys = { gsi0pk: { S: 'p' }, gsi0sk: { S: 's' }, gsi1pk: { S: 'p' }, gsi1sk: { S: 's' } };
      expect(
        (await updated({ ...keys, attributes: { M: { text: textOf(1500) } } }, { set: { attributes: { M: {} } } }))
          .result.wcu,
      ).toBe(6);
      const tombstone = { unset: Object.keys(keys) };
      expect((await updated({ ...keys, attributes: { M: { text: textOf(1500) } } }, tombstone)).result.wcu).toBe(6);
    });

    it('an index costs nothing where no attribute changes that it holds, and the size of these where one does', async () => {
      const keys = { gsi0pk: { S: 'p' }, gsi0sk: { S: 's' }, gsi1pk: { S: 'p' }, gsi1sk: { S: 's' } };
      const before = { ...keys, a: textOf(1500), value: { S: 'v' } };
      expect((await updated(before, { set: { w: { S: '7' } } })).result.wcu).toBe(2);
      expect((await updated(before, { set: { value: { S: 'x' } } })).result.wcu).toBe(2 + 1);
      // The other order of an edge has moved.
      expect((await updated(before, { set: { gsi1sk: { S: 't' } } })).result.wcu).toBe(2 + 2);
    });

    it('an index whose key changes costs a delete and a put', async () => {
      const before = { gsi0pk: { S: 'p' }, gsi0sk: { S: 's' }, value: textOf(1500) };
      expect((await updated(before, { set: { gsi0sk: { S: 't' } } })).result.wcu).toBe(2 + 2 + 2);
      expect((await updated(before, { set: { gsi0sk: { S: 't' }, value: textOf(10) } })).result.wcu).toBe(2 + 2 + 1);
    });
  });
});
