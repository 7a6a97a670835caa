import { describe, expect, it } from 'vitest';
import { createWriter } from '../../../src/client/write/writer.ts';
import { defineGraph } from '../../../src/core/model/compile/define-graph.ts';
import { edge, node } from '../../../src/core/model/schema.ts';
import { MemoryStore } from '../../support/memory-store/memory-store.ts';

const graph = defineGraph({
  table: 'records',
  nodes: { USER: node({ view: 'ALL' }) },
  edges: { KNOWS: edge({ from: 'USER', to: 'USER' }) },
});

function opened() {
  const store = new MemoryStore(graph.table);
  return { store, writer: createWriter(graph, { store }) };
}

describe('an update of what reads as a path', () => {
  it.each([
    [{ set: { 'address.zip': '95616' } }],
    [{ remove: ['address.zip'] }],
    [{ add: { 'address.visits': 1 } }],
    [{ addTo: { 'address.tags': ['a'] } }],
    [{ deleteFrom: { 'address.tags': ['a'] } }],
    [{ set: { 'phones[0]': '1' } }],
  ])('is refused, and makes no attribute of that name: %j', async (change) => {
    const { store, writer } = opened();
    await writer.putNode('USER-1', { address: { zip: '1' }, phones: ['0'] });
    const before = await store.get({ source: 'USER-1', target: 'USER-1' }, { consistent: true });
    const refused = { code: 'invalid-attribute', hint: expect.stringContaining('by a function') };
    await expect(writer.updateNode('USER-1', change)).rejects.toMatchObject(refused);
    await expect(writer.transact((all) => void all.updateNode('USER-1', change))).rejects.toMatchObject({
      hint: refused.hint,
    });
    await expect(writer.updateEdge('USER-1', 'KNOWS', 'USER-2', change, { upsert: true })).rejects.toMatchObject(
      refused,
    );
    expect(await store.get({ source: 'USER-1', target: 'USER-1' }, { consistent: true })).toMatchObject({
      item: before.item,
    });
  });

  it('goes by a function, as the hint says', async () => {
    const { store, writer } = opened();
    await writer.putNode('USER-1', { address: { zip: '1', city: 'Davis' }, 'a.b': 1 });
    await writer.updateNode('USER-1', ({ address, ...rest }) => ({
      ...rest,
      address: { ...(address as object), zip: '95616' },
    }));
    const { item } = await store.get({ source: 'USER-1', target: 'USER-1' }, { consistent: true });
    expect(item).toMatchObject({ address: { M: { zip: { S: '95616' }, city: { S: 'Davis' } } }, 'a.b': { N: '1' } });
  });
});
