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

describe('a memory store', () => {
  it('tells of an insert, a modification and a removal with both images, and of nothing that changes nothing', async () => {
    const { store, changes } = watched();
    await store.delete(key);
    await store.put(item({ a: { S: '1' }, b: { B: new Uint8Array([1]) } }));
    await store.put(item({ b: { B: new Uint8Array([1]) }, a: { S: '1' } }));
    await store.update({ key, ...unconditional, addElements: ['KNOWS-USER-2'], unset: ['b'] });
    await store.delete(key);
    const inserted = item({ a: { S: '1' }, b: { B: new Uint8Array([1]) } });
    const modified = item({ a: { S: '1' }, edgeSet: { SS: ['KNOWS-USER-2'] }, r: { N: '1' } });
    expect(changes).toEqual([
      { key, oldImage: undefined, newImage: inserted },
      { key, oldImage: inserted, newImage: modified },
      { key, oldImage: modified, newImage: undefined },
    ]);
  });

  it('shares nothing with its caller', async () => {
    const { store } = watched();
    const given = item({ map: { M: { B: { L: [{ S: 'a' }] } } }, bytes: { B: new Uint8Array([1]) } });
    const kept = structuredClone(given);
    await store.put(given);
    for (const one of [given, ...store.items(), (await store.get(key, { consistent: true })).item!]) {
      (one['map'] as { M: Item }).M['B'] = { S: 'spoilt' };
      (one['bytes'] as { B: Uint8Array }).B[0] = 9;
    }
    expect([...store.items()]).toEqual([kept]);
  });

  it('buries what expired before now, tells of it, and leaves the rest', async () => {
    const { store, changes } = watched();
    for (const [target, expiresAt] of Object.entries({ past: { N: '99' }, now: { N: '100' }, text: { S: '1' } }))
      await store.put({ source: { S: 'USER-1' }, target: { S: target }, expiresAt });
    expect(store.expire(100)).toBe(1);
    expect(changes.at(-1)).toMatchObject({ key: { target: 'past' }, newImage: undefined });
    expect([...store.items()].map((found) => found['target'])).toEqual([{ S: 'now' }, { S: 'text' }]);
  });

  it('runs calls to their end at once, so that concurrent ones cannot interleave', async () => {
    const { store } = watched();
    const update = { key, set: {}, unset: [], condition: { kind: 'revision', revision: undefined } as const };
    const results = await Promise.all([store.update(update), store.update(update), store.put(item())]);
    expect(results.slice(0, 2).map((result) => 'applied' in result && result.applied)).toEqual([true, false]);
    expect([...store.items()]).toEqual([item()]);
  });
});
