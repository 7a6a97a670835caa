import { beforeAll, describe, expect, it } from 'vitest';
import { sameValue } from '../../src/core/items/attribute-value.ts';
import type { DerivedUpdate, ItemKey, Store } from '../../src/core/store-port.ts';
import { contractGraph, freshPartition, item, SUBJECTS } from './stores.ts';

const ALWAYS = { kind: 'none' } as const;

describe.each(SUBJECTS)('a transaction on $name', ({ open }) => {
  let store: Store;
  beforeAll(async () => {
    store = await open(contractGraph());
  });

  const update = (key: ItemKey, rest: Partial<DerivedUpdate> = {}): DerivedUpdate => ({
    ...{ key, set: {}, unset: [], condition: ALWAYS },
    ...rest,
  });
  const stored = async (key: ItemKey) => (await store.get(key, { consistent: true })).item;

  it('changes several items at once, and adds to a count that is there or not', async () => {
    const source = freshPartition();
    const [one, count] = [
      { source, target: '~ix/one' },
      { source, target: '~degree/T' },
    ];
    const updates = [update(one, { set: { value: { S: 'v' } } }), update(count, { add: { count: '2' } })];
    expect(await store.transact(updates)).toMatchObject({ applied: true });
    expect(await store.transact([update(count, { add: { count: '-3' } })])).toMatchObject({ applied: true });
    expect(await stored(one)).toEqual(item(source, '~ix/one', { value: { S: 'v' }, r: { N: '1' } }));
    expect(await stored(count)).toEqual(item(source, '~degree/T', { count: { N: '-1' }, r: { N: '2' } }));
  });

  it('adds decimals exactly, and texts to sets', async () => {
    const key = { source: freshPartition(), target: '~total/T' };
    const most = '999999999999999.999999999999';
    const add = async (hours: string, ...kinds: string[]) =>
      store.transact([update(key, { add: { 'sum/hours': hours }, addTo: { 'keys/kind': kinds } })]);
    for (const [i, hours] of ['0.1', '0.2', most, most, `-${most}`, '0.000000000001'].entries()) {
      expect(await add(hours, `S${i % 2}`)).toMatchObject({ applied: true });
    }
    const total = await stored(key);
    expect(sameValue(total?.['sum/hours'], { N: '1000000000000000.3' })).toBe(true);
    expect(new Set(Object.values(total?.['keys/kind'] ?? {}).flat())).toEqual(new Set(['S0', 'S1']));
  });

  it('changes nothing where one condition fails', async () => {
    const source = freshPartition();
    const [one, two] = [
      { source, target: '~ix/one' },
      { source, target: '~ix/two' },
    ];
    await store.put(item(source, '~ix/two', { r: { N: '5' } }));
    const seen = { kind: 'revision', revision: '4' } as const;
    const result = await store.transact([update(one), update(two, { condition: seen })]);
    expect(result).toMatchObject({ applied: false });
    expect(result.wcu).toBeGreaterThan(0);
    expect(await stored(one)).toBeUndefined();
    expect(await stored(two)).toMatchObject({ r: { N: '5' } });
  });

  it('is refused for good, and changes nothing, where one update cannot be made', async () => {
    const source = freshPartition();
    const [one, two] = [
      { source, target: '~ix/one' },
      { source, target: '~degree/T' },
    ];
    await store.put(item(source, '~degree/T', { count: { S: 'many' } }));
    const refused = store.transact([update(one), update(two, { add: { count: '1' } })]);
    await expect(refused).rejects.toMatchObject({ name: 'StoreError', kind: 'terminal' });
    expect(await stored(one)).toBeUndefined();
  });

  it('takes a hundred items, and no item twice', async () => {
    const source = freshPartition();
    const keys = Array.from({ length: 100 }, (_, i) => ({ source, target: `~ix/${i}` }));
    expect(await store.transact(keys.map((key) => update(key)))).toMatchObject({ applied: true });
    expect(await stored(keys[99]!)).toMatchObject({ r: { N: '1' } });
    await expect(store.transact([update(keys[0]!), update(keys[0]!)])).rejects.toMatchObject({ kind: 'terminal' });
    const tooMany = [...keys, { source, target: '~ix/100' }].map((key) => update(key));
    await expect(store.transact(tooMany)).rejects.toMatchObject({ kind: 'terminal' });
  });
});
