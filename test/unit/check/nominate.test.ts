import { expect, it } from 'vitest';
import { check } from '../../../src/admin.ts';
import { defineGraph, edge, node, source } from '../../../src/index.ts';
import { createProjector } from '../../../src/projecting/apply/projector.ts';
import { StreamedStore } from '../../support/streamed-store.ts';

const graph = defineGraph({
  table: 'records',
  nodes: { TICKET: node({ view: ['title'] }), PROJECT: node({ view: 'ALL' }) },
  edges: {
    IN_PROJECT: edge({
      from: 'TICKET',
      to: 'PROJECT',
      inbound: { orders: { byDue: source('dueDate'), byRole: 'role', byTitle: [source('title'), 'role'] } },
    }),
  },
});
const EDGES = 5;

/** A ticket with edges, projected, whose view was damaged: the partition is looked at closer, and all else in it is right. */
async function damagedView(): Promise<StreamedStore> {
  const store = new StreamedStore(graph);
  await store.producer('TICKET-1', 'TICKET-1', { title: { S: 'First' }, dueDate: { S: '2026-01-01' } });
  for (let i = 0; i < EDGES; i++) await store.producer('TICKET-1', `IN_PROJECT-PROJECT-${i}`, { role: { S: 'owner' } });
  await createProjector(graph, { store }).project(store.records);
  const view = await store.derived('TICKET-1', '~view');
  await store.put({ ...view, attributes: { M: { title: { S: 'Other' } } } });
  return store;
}

it('a closer look at a partition names only what differs, also beside items of several named orders', async () => {
  const store = await damagedView();
  const result = await check(graph, { store, settleMs: 1 });
  expect(result.drift).toEqual({ missing: 0, stale: 1, orphan: 0 });
  expect(result.superseded).toBe(0);
});

it('a rebuild writes only what differs, also beside items of several named orders', async () => {
  const store = await damagedView();
  const before = store.derivedChanges.length;
  const result = await check(graph, { store, mode: 'rebuild' });
  expect(result.repaired).toBe(1);
  // The view, and the note of the rebuild.
  expect(store.derivedChanges.length - before).toBe(2);
});
