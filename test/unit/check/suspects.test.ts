import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { type CheckCursor, check } from '../../../src/admin.ts';
import { defineGraph } from '../../../src/core/model/compile/define-graph.ts';
import { node, part } from '../../../src/core/model/schema.ts';
import { createProjector } from '../../../src/projecting/apply/projector.ts';
import { fixedModel } from '../../../src/registry/writer-model.ts';
import { goalGraph } from '../../support/contracts-model.ts';
import { MemoryStore } from '../../support/memory-store/memory-store.ts';
import { StreamedStore } from '../../support/streamed-store.ts';

const PARTITIONS = 40;

/** A check of users that nothing was projected of; gives the most suspects that a cursor named on the way. */
async function mostSuspects(limit: number | undefined, graceMs: number): Promise<number> {
  const graph = goalGraph();
  const store = new MemoryStore(graph.table);
  for (let i = 0; i < PARTITIONS; i++) {
    await store.put({ source: { S: `USER-${i}` }, target: { S: `USER-${i}` }, name: { S: `User ${i}` } });
  }
  let cursor: CheckCursor | undefined;
  let nowMs = Date.now();
  const { drift } = await check(graph, {
    store,
    segments: 1,
    graceMs,
    now: () => nowMs,
    // Behind all that is ready to go on.
    wait: async (milliseconds) => {
      await setImmediate();
      nowMs += milliseconds;
    },
    mostSuspects: limit,
    onProgress: (_, where) => {
      cursor = where();
    },
  });
  expect(drift).toEqual({ missing: 3 * PARTITIONS, stale: 0, orphan: 0 });
  return cursor!.suspects.length;
}

it('a check waits for its suspects before there are more than it may name in a cursor', async () => {
  // Long enough for the scan to end before the first of them is settled.
  expect(await mostSuspects(undefined, 2_000)).toBe(PARTITIONS);
  expect(await mostSuspects(5, 20)).toBeLessThanOrEqual(5 + 1);
});

it.each([1, 2, 3, 7])(
  'a check that stops after each %i items counts each partition whole, and once',
  async (pageItems) => {
    const graph = defineGraph({
      table: 'records',
      nodes: {
        GOAL: node({
          view: 'ALL',
          search: { status: {} },
          parts: { MEMO: part({ search: { status: {} } }), NOTE: part({ search: { due: {} } }) },
        }),
      },
      edges: {},
    });
    const table = new StreamedStore(graph);
    for (const source of ['GOAL-1', 'GOAL-2', 'GOAL-3'])
      for (const target of [source, 'MEMO', 'NOTE']) await table.producer(source, target, { status: { S: 'open' } });
    await createProjector(graph, { model: fixedModel(graph), store: table }).project(table.records);
    // No projector has quarantined this part.
    await table.producer('GOAL-2', 'NOTE', { due: { N: '7' } });
    const options = { store: table, graceMs: 0, segments: 1, pageItems };
    const { rcu: _, ...whole } = await check(graph, options);
    expect(whole).toMatchObject({ partitions: 3, quarantined: 1 });
    let resume: CheckCursor | undefined;
    for (;;) {
      let pages = 0;
      const result = await check(graph, { ...options, resume, readsOn: () => pages++ < 1 });
      resume = result.cursor;
      if (resume !== undefined) continue;
      expect(result).toMatchObject(whole);
      break;
    }
  },
);
