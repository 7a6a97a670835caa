import { expect, it } from 'vitest';
import { createReader } from '../../../src/client/read/reader.ts';
import { createWriter } from '../../../src/client/write/writer.ts';
import { defineGraph } from '../../../src/core/model/compile/define-graph.ts';
import { edge, node } from '../../../src/core/model/schema.ts';
import { withoutRegistry } from '../../../src/registry/reader-lease.ts';
import { MemoryStore } from '../../support/memory-store/memory-store.ts';

const graph = defineGraph({
  table: 'records',
  nodes: { A: node({ view: 'ALL' }), B: node({ view: 'ALL' }) },
  edges: { AB: edge({ from: 'A', to: 'B', edgeSet: [] }) },
});

function open() {
  const store = new MemoryStore(graph.table);
  return {
    reader: createReader(graph, { store, leases: withoutRegistry(graph) }),
    writer: createWriter(graph, { store }),
  };
}

it('pages and all go through a list to its end, and read no page that is not asked for', async () => {
  const { reader, writer } = open();
  for (const i of [1, 2, 3, 4, 5]) await writer.putEdge('A-1', 'AB', `B-${i}`, {});
  let calls = 0;
  const read = (cursor: string | undefined) => {
    calls += 1;
    return reader.edges('A-1', 'AB', { limit: 2, cursor });
  };
  const sizes: number[] = [];
  for await (const { items } of reader.pages(read)) sizes.push(items.length);
  expect(sizes).toEqual([2, 2, 1]);
  const targets: string[] = [];
  for await (const { target } of reader.all(read)) targets.push(target);
  expect(targets).toEqual(['B-1', 'B-2', 'B-3', 'B-4', 'B-5']);
  calls = 0;
  for await (const _ of reader.all(read)) break;
  expect(calls).toBe(1);
});

it('getView is null where nothing of a node is projected', async () => {
  const { reader } = open();
  expect(await reader.getView('A-1')).toBeNull();
});

it('a batch that is aborted writes nothing', async () => {
  const { reader, writer } = open();
  const signal = AbortSignal.abort(new Error('the client is gone'));
  await expect(writer.batch((batch) => batch.putNode('A-1', {}), { signal })).rejects.toThrow('the client is gone');
  expect(await reader.getNode('A-1')).toBeNull();
});
