import { expect, it } from 'vitest';
import { createReader, defineGraph, edge, node } from '../../../src/index.ts';
import { MemoryStore } from '../../support/memory-store/memory-store.ts';

it('a collection refuses edge types that do not leave its node', async () => {
  const graph = defineGraph({
    table: 'records',
    nodes: { USER: node({ view: 'ALL' }), TEAM: node({ view: 'ALL' }) },
    edges: { MEMBER: edge({ from: 'TEAM', to: 'USER' }) },
  });
  const reader = createReader(graph, { store: new MemoryStore(graph.table) });
  await expect(reader.getCollection('TEAM-1', { types: ['MEMBER'] })).resolves.toMatchObject({ items: [] });
  await expect(reader.getCollection('USER-1', { types: ['MEMBER'] })).rejects.toMatchObject({
    code: 'unknown-type',
    message: 'Edges of type MEMBER do not leave nodes of type USER.',
  });
});
