import { expect, it } from 'vitest';
import { migrate } from '../../../src/migrate/migrate.ts';
import { type RegistryState, registryState } from '../../../src/registry/notice.ts';
import { goalGraph } from '../../support/contracts-model.ts';
import { MemoryStore } from '../../support/memory-store/memory-store.ts';

const graph = goalGraph();

/** The state of a table with one node after the first steps of a migration. */
async function stateAfter(mostSteps: number): Promise<RegistryState & { isDone: boolean }> {
  const store = new MemoryStore(graph.table, { indexes: graph.indexes });
  await store.put({ source: { S: 'GOAL-1' }, target: { S: 'GOAL-1' }, title: { S: 'One' } });
  const { done: isDone } = await migrate(graph, { store, mostSteps, wait: async () => {} });
  return { ...(await registryState({ store, stats: { rcu: 0 } })), isDone };
}

it('a table is not managed, then open after each step that a migration may be killed at, and closed at its end', async () => {
  expect(await stateAfter(0)).toMatchObject({ isManaged: false, open: 0 });
  let steps = 1;
  let state = await stateAfter(steps);
  for (; !state.isDone; state = await stateAfter(++steps)) {
    expect(steps).toBeLessThan(100);
    expect(state, String(steps)).toMatchObject({ isManaged: true });
    expect(state.open, String(steps)).toBeGreaterThan(0);
  }
  expect(steps).toBeGreaterThan(3);
  expect(state).toMatchObject({ isManaged: true, open: 0 });
});
