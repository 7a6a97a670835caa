import { beforeAll, describe, expect, it } from 'vitest';
import type { Item } from '../../src/core/items/attribute-value.ts';
import type { DerivedUpdate, Store, UpdateCondition, UpdateOutcome } from '../../src/core/store-port.ts';
import { isRefusal } from '../../src/store/classify.ts';
import { outcomeUnits } from '../../src/store/spent.ts';
import { contractGraph, freshPartition, item, SUBJECTS, textOf } from './stores.ts';

const absent: UpdateCondition = { kind: 'absent' };
const revision = (seen: string | undefined): UpdateCondition => ({ kind: 'revision', revision: seen });

describe.each(SUBJECTS)('updates of many derived items on $name', ({ open, deviates }) => {
  let store: Store;
  beforeAll(async () => {
    store = await open(contractGraph());
  });

  /** Items that are there before, by their sort keys, and changes of them; gives outcomes and what is stored then. */
  async function changed(
    before: Record<string, Item>,
    changes: Record<string, Partial<DerivedUpdate>>,
  ): Promise<{ outcomes: Record<string, UpdateOutcome>; stored: Record<string, Item | undefined>; source: string }> {
    const source = freshPartition();
    for (const [target, attributes] of Object.entries(before)) await store.put(item(source, target, attributes));
    const targets = Object.keys(changes);
    const given = await store.updateMany(
      targets.map((target) => ({
        key: { source, target },
        set: {},
        unset: [],
        condition: absent,
        ...changes[target],
      })),
    );
    const { items } = await store.getMany(
      targets.map((target) => ({ source, target })),
      { consistent: true },
    );
    return {
      outcomes: Object.fromEntries(targets.map((target, i) => [target, given[i]!])),
      stored: Object.fromEntries(targets.map((target, i) => [target, items[i]])),
      source,
    };
  }

  it('inserts, changes and leaves items as their conditions say, and answers for each in its place', async () => {
    const { outcomes, stored, source } = await changed(
      { '~there': { a: { S: 'x' }, gone: { S: 'g' }, r: { N: '7' } }, '~moved': { r: { N: '8' } }, '~old': {} },
      {
        '~new': { set: { a: { S: 'n' } } },
        '~there': { set: { a: { S: 'y' } }, unset: ['gone', 'never'], condition: revision('7') },
        '~moved': { set: { a: { S: 'y' } }, condition: revision('7') },
        '~old': { set: { a: { S: 'y' } } },
        '~missing': { set: { a: { S: 'y' } }, condition: revision('1') },
        '~without': { set: { a: { S: 'y' } }, condition: revision(undefined) },
      },
    );
    expect(stored).toEqual({
      '~new': item(source, '~new', { a: { S: 'n' }, r: { N: '1' } }),
      '~there': item(source, '~there', { a: { S: 'y' }, r: { N: '8' } }),
      '~moved': item(source, '~moved', { r: { N: '8' } }),
      '~old': item(source, '~old'),
      '~missing': undefined,
      '~without': item(source, '~without', { a: { S: 'y' }, r: { N: '1' } }),
    });
    expect(outcomes).toMatchObject({
      '~new': { applied: true },
      '~there': { applied: true },
      '~moved': { applied: false },
      '~old': { applied: false },
      '~missing': { applied: false },
      '~without': { applied: true },
    });
    // What did not hold is the item as it is, or it says that the item was not read.
    for (const target of ['~moved', '~old', '~missing']) {
      const outcome = outcomes[target] as { current?: Item; isUnread?: true };
      if (outcome.isUnread !== true) expect(outcome.current).toEqual(stored[target]);
    }
  });

  it('takes every value, and a revision beyond what a double holds', async () => {
    const values: Item = {
      text: { S: 'é"\u{1F600}\'?' },
      "it's": { S: 'quoted' },
      'say "so"': { S: 'quoted' },
      select: { S: 'reserved' },
      constructor: { BOOL: true },
      number: { N: '-1.5' },
      bytes: { B: new Uint8Array([0, 255]) },
      none: { NULL: true },
      map: { M: { a: { L: [{ N: '1' }] } } },
      set: { SS: ['a', 'b'] },
    };
    const { outcomes, stored, source } = await changed(
      { '~there': { r: { N: '9007199254740993' } } },
      { '~new': { set: values }, '~there': { set: values, condition: revision('9007199254740993') } },
    );
    expect(Object.values(outcomes).map(({ applied }) => applied)).toEqual([true, true]);
    const sorted = ({ set, ...rest }: Item): Item => ({
      ...rest,
      set: { SS: [...(set as { SS: string[] }).SS].sort() },
    });
    expect(sorted(stored['~new']!)).toEqual(item(source, '~new', { ...values, r: { N: '1' } }));
    expect(sorted(stored['~there']!)).toEqual(item(source, '~there', { ...values, r: { N: '9007199254740994' } }));
  });

  it('changes elements, numbers, sets of texts and odd revisions next to the others', async () => {
    const edgeSet = { SS: ['a', 'b'] };
    const { outcomes, stored } = await changed(
      {
        '~add': { r: { N: '1' }, edgeSet },
        '~delete': { r: { N: '1' }, edgeSet },
        '~set': { r: { N: '1' }, edgeSet },
        '~count': { r: { N: '1' }, count: { N: '5' } },
        '~malformed': { r: { S: 'odd' } },
        '~half': { r: { N: '1.5' } },
        '~tombstone': { r: { N: '3' }, expiresAt: { N: '99' } },
        '~revived': { r: { N: '3' }, expiresAt: { N: '100' } },
      },
      {
        '~plain': { set: { a: { S: 'x' } } },
        '~elements': { setElements: ['z'] },
        '~added': { addElements: ['z'] },
        '~add': { addElements: ['c'], condition: revision('1') },
        '~delete': { deleteElements: ['a', 'b'], condition: revision('1') },
        '~set': { setElements: ['z'], set: { a: { S: 'x' } }, condition: revision('1') },
        '~count': { add: { count: '-2' }, addTo: { groups: ['g'] }, condition: revision('1') },
        '~malformed': { condition: { kind: 'revision', revision: undefined, malformed: { S: 'odd' } } },
        '~half': { condition: revision('1.5') },
        '~tombstone': {
          unset: ['expiresAt'],
          condition: { kind: 'revision', revision: '3', expiry: { attribute: 'expiresAt', value: { N: '99' } } },
        },
        '~revived': {
          condition: { kind: 'revision', revision: '3', expiry: { attribute: 'expiresAt', value: { N: '99' } } },
        },
      },
    );
    const refused = Object.entries(outcomes).filter(([, { applied }]) => !applied);
    expect(refused.map(([target]) => target)).toEqual(['~revived']);
    const shown = Object.fromEntries(
      Object.entries(stored).map(([target, { source: _, target: __, ...rest } = {}]) => [target, rest]),
    );
    expect(shown).toEqual({
      '~plain': { a: { S: 'x' }, r: { N: '1' } },
      '~elements': { edgeSet: { SS: ['z'] }, r: { N: '1' } },
      '~added': { edgeSet: { SS: ['z'] }, r: { N: '1' } },
      '~add': { edgeSet: { SS: expect.arrayContaining(['a', 'b', 'c']) }, r: { N: '2' } },
      '~delete': { r: { N: '2' } },
      '~set': { a: { S: 'x' }, edgeSet: { SS: ['z'] }, r: { N: '2' } },
      '~count': { count: { N: '3' }, groups: { SS: ['g'] }, r: { N: '2' } },
      '~malformed': { r: { N: '1' } },
      '~half': { r: { N: '2.5' } },
      '~tombstone': { r: { N: '4' } },
      '~revived': { r: { N: '3' }, expiresAt: { N: '100' } },
    });
  });

  it('gives what the table refuses as the outcome of that item, and writes the others', async () => {
    const { outcomes, stored } = await changed(
      { '~large': { a: textOf(300_000), r: { N: '1' } }, '~there': { r: { N: '1' } } },
      {
        '~first': { set: { a: { S: 'x' } } },
        '~large': { set: { b: textOf(110_000) }, condition: revision('1') },
        '~empty': { set: { a: { SS: [] } } },
        '~index': { set: { gsi0pk: { S: '' }, gsi0sk: { S: 'x' } } },
        '~number': { set: { a: { N: '1'.repeat(39) } }, condition: revision('1') },
        '~twice': { set: { a: { S: 'x' } }, unset: ['a'], condition: revision('1') },
        '~key': { set: { target: { S: 'x' } } },
        '~revision': { set: { r: { N: '5' } }, condition: revision('1') },
        '~word': { condition: revision('one') },
        '~there': { set: { a: { S: 'x' } }, condition: revision('1') },
      },
    );
    for (const target of ['~large', '~empty', '~index', '~number', '~twice', '~key', '~revision', '~word']) {
      const { applied, error } = outcomes[target] as Extract<UpdateOutcome, { applied: false }>;
      expect([target, applied, error?.kind, error?.code]).toEqual([target, false, 'terminal', 'ValidationException']);
      expect(isRefusal(error!)).toBe(true);
    }
    expect(stored['~first']).toMatchObject({ a: { S: 'x' } });
    expect(stored['~there']).toMatchObject({ a: { S: 'x' }, r: { N: '2' } });
    expect(stored['~large']).toMatchObject({ r: { N: '1' } });
  });

  it('takes more than one call holds', async () => {
    const source = freshPartition();
    const targets = Array.from({ length: 260 }, (_, i) => `~${i}`);
    const updates = (condition: UpdateCondition): DerivedUpdate[] =>
      targets.map((target) => ({ key: { source, target }, set: { a: { S: target } }, unset: [], condition }));
    const first = await store.updateMany(updates(absent));
    expect(first.every(({ applied }) => applied)).toBe(true);
    expect(outcomeUnits(first)).toBe(260);
    if (store.writesBy !== undefined) expect(await store.writesBy()).toBe('statements');
    expect((await store.updateMany(updates(absent))).every(({ applied }) => !applied)).toBe(true);
    const second = await store.updateMany(updates(revision('1')));
    expect(second.every(({ applied }) => applied)).toBe(true);
    const { items } = await store.getMany(
      targets.map((target) => ({ source, target })),
      { consistent: true },
    );
    expect(items).toEqual(targets.map((target) => item(source, target, { a: { S: target }, r: { N: '2' } })));
  });

  it('counts the units of all items, those of indexes included', async () => {
    const keys = { gsi0pk: { S: 'p' }, gsi0sk: { S: 's' } };
    const { outcomes } = await changed(
      { '~large': { a: textOf(2500), r: { N: '1' } }, '~there': { ...keys, r: { N: '1' } } },
      {
        '~small': { set: { a: { S: 'x' } } },
        '~new': { set: keys },
        '~large': { set: { a: { S: 'x' } }, condition: revision('1') },
        '~there': { unset: ['gsi0pk', 'gsi0sk'], condition: revision('1') },
      },
    );
    const units = outcomeUnits(Object.values(outcomes));
    if (deviates('statements-tell-no-units')) expect(units).toBeGreaterThanOrEqual(4);
    else expect(units).toBe(1 + 2 + 3 + 2);
  });

  it('refuses to change an item twice, before anything is sent', async () => {
    const key = { source: freshPartition(), target: '~view' };
    const update: DerivedUpdate = { key, set: {}, unset: [], condition: { kind: 'none' } };
    await expect(store.updateMany([update, { ...update, key: { ...key } }])).rejects.toMatchObject({
      kind: 'terminal',
      code: 'ValidationException',
    });
    expect((await store.get(key, { consistent: true })).item).toBeUndefined();
    expect(await store.updateMany([])).toEqual([]);
  });

  it('sends nothing after its time, and nothing once it is aborted', async () => {
    const source = freshPartition();
    const updates = ['~a', '~b'].map(
      (target): DerivedUpdate => ({ key: { source, target }, set: {}, unset: [], condition: absent }),
    );
    const outcomes = await store.updateMany(updates, { remainingMs: () => 0 });
    expect(outcomes).toMatchObject(updates.map(() => ({ error: { kind: 'retryable', code: 'no-time' } })));
    const reason = new Error('enough');
    await expect(store.updateMany(updates, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    const { items } = await store.getMany(
      updates.map(({ key }) => key),
      { consistent: true },
    );
    expect(items).toEqual([undefined, undefined]);
  });
});
