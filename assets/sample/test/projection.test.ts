import { createReader, createWriter } from 'edgeloom';
import { check } from 'edgeloom/admin';
import { type Local, startLocal } from 'edgeloom/local';
import { afterAll, beforeAll, expect, it } from 'vitest';
import graph from '../edgeloom.config.ts';

let local: Local;
beforeAll(async () => {
  local = await startLocal(graph);
});
afterAll(() => local.stop());

it('reads from both sides what was written on one', async () => {
  const { store, worker } = local;
  const writer = createWriter(graph, { store });
  const reader = createReader(graph, { store });
  await writer.putNode('USER-1', { name: 'Ada' });
  await writer.putNode('USER-2', { name: 'Grace' });
  await writer.putEdge('USER-1', 'FOLLOWS', 'USER-2', { since: '2026-01-01' });
  await worker.idle();

  const [ada] = await reader.getViews(['USER-1']);
  expect(ada?.edgeSet).toMatchObject([{ type: 'FOLLOWS', target: 'USER-2' }]);
  const { items } = await reader.inbound('USER-2', 'FOLLOWS');
  expect(items).toMatchObject([{ source: 'USER-1' }]);
  expect((await check(graph, { store, graceMs: 0 })).drift).toEqual({ missing: 0, stale: 0, orphan: 0 });
});
