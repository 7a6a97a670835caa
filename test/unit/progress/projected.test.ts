import { expect, it } from 'vitest';
import { defineGraph } from '../../../src/core/model/compile/define-graph.ts';
import { edge, node } from '../../../src/core/model/schema.ts';
import { StoreError } from '../../../src/foundation/errors.ts';
import { createProjector } from '../../../src/projecting/apply/projector.ts';
import { isProjectedIn } from '../../../src/stream/progress/projected.ts';
import { HookedStore } from '../../support/hooked-store.ts';
import { StreamedStore } from '../../support/streamed-store.ts';

const graph = defineGraph({
  table: 'records',
  nodes: { GOAL: node({ view: 'ALL', search: { status: {} } }), USER: node({ view: 'ALL' }) },
  edges: { MEMBER: edge({ from: 'GOAL', to: 'USER', copy: ['name'] }) },
});

/** A table, and its answer for a key. */
function setUp() {
  const table = new StreamedStore(graph);
  const isProjected = isProjectedIn(graph, { store: table });
  return {
    table,
    ask: (source: string, target = source) => isProjected({ source, target }),
    project: (from = 0) =>
      createProjector(graph, { store: table, fanOutPageSize: 1 }).project(table.records.slice(from)),
  };
}

it('tells an item whose record is applied from one whose record is not', async () => {
  const { table, ask, project } = setUp();
  for (const status of ['OPEN', 'DONE', undefined]) {
    await table.producer('GOAL-1', 'GOAL-1', status === undefined ? undefined : { status: { S: status } });
    expect(await ask('GOAL-1')).toBe(false);
    await project();
    expect(await ask('GOAL-1')).toBe(true);
  }
});

it('waits for nothing that never comes: a type that the model does not have, a value that cannot be derived', async () => {
  const { table, ask } = setUp();
  expect(await ask('TEAM-1')).toBe(true);
  expect(await ask('GOAL-1', 'TEAM-1')).toBe(true);
  await table.producer('GOAL-1', 'GOAL-1', { status: { N: '7' } });
  expect(await ask('GOAL-1')).toBe(true);
});

it('takes a fan-out for projected when no page of it is left', async () => {
  const { table, ask, project } = setUp();
  for (const goal of ['GOAL-1', 'GOAL-2', 'GOAL-3']) await table.producer(goal, 'MEMBER-USER-1', {});
  await table.producer('USER-1', 'USER-1', { name: { S: 'Ada' } });
  await project();
  const continuation = table.records.at(-1)!;
  expect(continuation.target).toMatch(/^~more/);
  expect(await ask(continuation.source, continuation.target)).toBe(false);
  // Each page writes the continuation again, which brings the next page.
  for (let read = -1; read < table.records.length; ) {
    read = table.records.length;
    await project(read - 1);
  }
  expect(await ask(continuation.source, continuation.target)).toBe(true);
});

it('throws where the table cannot be read, and does not say that all is projected', async () => {
  const { table } = setUp();
  const throttled = new HookedStore(table, ({ method }) => {
    if (method === 'getMany') throw new StoreError('retryable', 'ThrottlingException', 'Slow down.');
  });
  await expect(isProjectedIn(graph, { store: throttled })({ source: 'GOAL-1', target: 'GOAL-1' })).rejects.toThrow(
    'Slow down.',
  );
});
