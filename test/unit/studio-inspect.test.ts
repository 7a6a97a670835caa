import { expect, it } from 'vitest';
import type { PartitionAnswer } from '../../packages/studio/api/inspect.ts';
import { INSPECT_ROUTES } from '../../packages/studio/api/inspect.ts';
import { defineGraph, edge, node } from '../../src/index.ts';
import { createProjector } from '../../src/projecting/apply/projector.ts';
import { StreamedStore } from '../support/streamed-store.ts';

it('marks items whose time is over, stored and derived ones, and no others', async () => {
  const graph = defineGraph({
    table: 'records',
    nodes: { USER: node({}), PARTY: node({}) },
    edges: {
      VISITS: edge({ from: 'USER', to: 'PARTY', expires: 'expiresAt', inbound: { orders: { byDate: 'date' } } }),
    },
  });
  const store = new StreamedStore(graph);
  for (const [party, end] of [
    ['1', 1_000_000_000],
    ['2', 4_000_000_000],
  ] as const) {
    const attributes = { date: { S: '2026' }, expiresAt: { N: String(end) } };
    await store.producer('USER-1', `VISITS-PARTY-${party}`, attributes);
  }
  await createProjector(graph, { store }).project(store.records);
  const route = INSPECT_ROUTES.find(({ path }) => path === '/api/partition')!;
  const marked = async (side: 'base' | 'derived') => {
    const { items } = (await route.answer({ graph, store } as never, { id: 'USER-1', side })) as PartitionAnswer;
    return items.map(({ target, isOver = false }) => [target, isOver]);
  };
  expect(await marked('base')).toEqual([
    ['VISITS-PARTY-1', true],
    ['VISITS-PARTY-2', false],
  ]);
  expect(await marked('derived')).toEqual([
    ['~ix/VISITS-PARTY-1', true],
    ['~ix/VISITS-PARTY-2', false],
    ['~view', false],
  ]);
});
