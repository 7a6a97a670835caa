import { describe, expect, it } from 'vitest';
import type { Item } from '../../../src/core/items/attribute-value.ts';
import { defineGraph } from '../../../src/core/model/compile/define-graph.ts';
import { node } from '../../../src/core/model/schema.ts';
import { type ItemChange, MemoryStore } from '../../support/memory-store/memory-store.ts';

/** What the memory store has beyond the contract of every store (test/contract). */

const { table } = defineGraph({ table: 'records', nodes: { USER: node({ view: 'ALL' }) } });
const key = { source: 'USER-1', target: '~view' };
const item = (attributes: Item = {}): Item => ({ source: { S: 'USER-1' }, target: { S: '~view' }, ...attributes });
const unconditional = { set: {}, unset: [], condition: { kind: 'none' } as const };

function watched(): { store: MemoryStore; changes: ItemChange[] } {
  const changes: ItemChange[] = [];
  return { store: new MemoryStore(table, { onChange: (change) => changes.push(change) }), changes };
}

describe('onChange', () => {
  it('tells of an insert, a modification and a removal with both images', async () => {
    const { store, changes } = watched();
    await store.put(item({ a: { S: '1' } }));
    await store.update({ key, ...unconditional, addElements: ['KNOWS-USER-2'] });
    await store.delete(key);
    const inserted = item({ a: { S: '1' } });
    const modified = item({ a: { S: '1' }, edgeSet: { SS: ['KNOWS-USER-2'] }, r: { N: '1' } });
    expect(changes).toEqual([
      { key, oldImage: undefined, newImage: inserted },
      { key, oldImage: inserted, newImage: modified },
      { key, oldImage: modified, newImage: undefined },
    ]);
  });

  it('says nothing of a write that changes nothing', async () => {
    const { store, changes } = watched();
    await store.delete(key);
    await store.put(item({ n: { N: '1' }, s: { SS: ['a', 'b'] } }));
    await store.put(item({ n: { N: '1.0' }, s: { SS: ['b', 'a'] } }));
    await store.update({ key, set: {}, unset: [], condition: { kind: 'revision', revision: '9' } });
    expect(changes).toHaveLength(1);
  });

  it('tells of each item of a batch, and of none where the call is refused', async () => {
    const { store, changes } = watched();
    const other = { source: { S: 'USER-2' }, target: { S: 'x' } };
    await store.writeMany([{ put: item() }, { put: other }]);
    expect(changes.map((change) => change.key.source)).toEqual(['USER-1', 'USER-2']);
    await expect(store.writeMany([{ put: other }, { put: { ...other, bad: { SS: [] } } }])).rejects.toThrow();
    expect(changes).toHaveLength(2);
  });
});

describe('nothing is shared with the caller', () => {
  const deep = (): Item =>
    item({ map: { M: { list: { L: [{ S: 'a' }] } } }, set: { SS: ['a'] }, bytes: { B: new Uint8Array([1]) } });

  function spoil(given: Item): void {
    (given['map'] as { M: Item }).M['list'] = { S: 'spoilt' };
    (given['set'] as { SS: string[] }).SS.push('spoilt');
    (given['bytes'] as { B: Uint8Array }).B[0] = 9;
    given['more'] = { S: 'spoilt' };
  }

  it('on the way in', async () => {
    const { store } = watched();
    const put = deep();
    await store.put(put);
    spoil(put);
    expect([...store.items()]).toEqual([deep()]);
    const elements = ['a'];
    const set = { added: { L: [{ S: 'x' }] } };
    await store.update({ key, ...unconditional, set, setElements: elements });
    elements.push('spoilt');
    set.added.L.push({ S: 'spoilt' });
    const { item: stored } = await store.get(key, { consistent: true });
    expect(stored).toMatchObject({ edgeSet: { SS: ['a'] }, added: { L: [{ S: 'x' }] } });
  });

  it('on the way out', async () => {
    const { store, changes } = watched();
    await store.put(deep());
    const failed = await store.update({ ...unconditional, key, condition: { kind: 'revision', revision: '1' } });
    const given = [
      (await store.get(key, { consistent: true })).item,
      (await store.getMany([key], { consistent: true })).items[0],
      (await store.query({ partition: 'USER-1' })).items[0],
      [...store.items()][0],
      failed.applied ? undefined : failed.current,
      changes[0]?.newImage,
    ];
    for (const read of given) {
      expect(read).toEqual(deep());
      spoil(read!);
      expect([...store.items()]).toEqual([deep()]);
    }
  });
});

describe('items', () => {
  it('enumerates every item, each partition in key order', async () => {
    const { store } = watched();
    for (const [source, target] of [
      ['B', '2'],
      ['A', '~'],
      ['B', '1'],
    ] as const) {
      await store.put({ source: { S: source }, target: { S: target } });
    }
    const keys = [...store.items()].map(
      (found) => `${(found['source'] as { S: string }).S}${(found['target'] as { S: string }).S}`,
    );
    expect(keys).toEqual(['B1', 'B2', 'A~']);
  });
});

describe('expire', () => {
  it('buries what expired before now, tells of it, and leaves the rest', async () => {
    const { store, changes } = watched();
    const put = async (target: string, attributes: Item): Promise<void> => {
      await store.put({ source: { S: 'USER-1' }, target: { S: target }, ...attributes });
    };
    await put('past', { expiresAt: { N: '99' }, gsi0pk: { S: 'p' }, gsi0sk: { S: 's' } });
    await put('now', { expiresAt: { N: '100' } });
    await put('no number', { expiresAt: { S: '1' } });
    await put('forever', {});
    expect(store.expire(100)).toBe(1);
    expect(changes.at(-1)).toMatchObject({ key: { target: 'past' }, newImage: undefined });
    expect([...store.items()].map((found) => found['target'])).toEqual([
      { S: 'forever' },
      { S: 'no number' },
      { S: 'now' },
    ]);
    expect((await store.query({ index: 'gsi0', partition: 'p' })).count).toBe(0);
  });
});

describe('indexes', () => {
  it('are those that the table was given: writes to others are not billed and queries of them refused', async () => {
    const store = new MemoryStore(table, { indexes: ['gsi0'] });
    const keys = { gsi0pk: { S: 'p' }, gsi0sk: { S: 's' }, gsi1pk: { S: 'p' }, gsi1sk: { S: 's' } };
    expect(await store.put(item(keys))).toEqual({ wcu: 2 });
    await expect(store.query({ index: 'gsi1', partition: 'p' })).rejects.toMatchObject({ kind: 'terminal' });
  });

  it('give items whose sort keys tie in the order of their keys, and page through them', async () => {
    const store = new MemoryStore(table);
    for (const source of ['C', 'A', 'B']) {
      await store.put({ source: { S: source }, target: { S: 'x' }, gsi0pk: { S: 'p' }, gsi0sk: { S: 'tie' } });
    }
    const first = await store.query({ index: 'gsi0', partition: 'p', limit: 2 });
    const second = await store.query({ index: 'gsi0', partition: 'p', startKey: first.lastKey });
    expect([...first.items, ...second.items].map((found) => found['source'])).toEqual([
      { S: 'A' },
      { S: 'B' },
      { S: 'C' },
    ]);
  });
});

describe('calls', () => {
  it('run to their end at once, so that concurrent ones cannot interleave', async () => {
    const { store } = watched();
    const update = { key, set: {}, unset: [], condition: { kind: 'revision', revision: undefined } as const };
    const results = await Promise.all([store.update(update), store.update(update), store.put(item())]);
    expect(results.slice(0, 2).map((result) => 'applied' in result && result.applied)).toEqual([true, false]);
    expect([...store.items()]).toEqual([item()]);
  });
});
