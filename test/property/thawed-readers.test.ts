import { describe, expect, it } from 'vitest';
import { type CompiledModel, defineGraph, edge, node, type Reader } from '../../src/index.ts';
import { answerOf, SHOWN_MS, Stage } from '../simulator/faults/stage.ts';
import { runs } from '../support/extent.ts';

/**
 * A lease of a reader ends when one of its clocks says so, whichever it is. The awake clock stands still while a machine
 * sleeps or a function is frozen; the clock on the wall may be set back.
 */

function modelOf(shards: number, projected: string[]): CompiledModel {
  return defineGraph({
    table: 'records',
    nodes: {
      A: node({ view: 'ALL', list: true, search: { name: { shards, project: projected } } }),
      B: node({ view: 'ALL' }),
    },
    edges: { AB: edge({ from: 'A', to: 'B', degree: true, inbound: { orders: { gsi0: 'since' }, shards } }) },
  } as never) as CompiledModel;
}

const before = modelOf(2, []);
const after = modelOf(5, []);
const NODES = 12;
const SEEDS = Array.from({ length: runs({ part: 5, whole: 40 }) }, (_, i) => i + 1);
const RIGHT = { names: NODES, exact: 1, listed: NODES, inbound: NODES, incoming: NODES, degree: 1 };

async function ask(reader: Reader): Promise<Record<keyof typeof RIGHT, unknown>> {
  return {
    names: await answerOf(async () => (await reader.search('A.name').all()).items.length),
    exact: await answerOf(async () => (await reader.search('A.name').equals('n7')).items.length),
    listed: await answerOf(async () => (await reader.nodes('A')).items.length),
    inbound: await answerOf(async () => (await reader.inbound('B-1', 'AB')).items.length),
    incoming: await answerOf(async () => (await reader.inDegree('B-1', 'AB')).count),
    degree: await answerOf(() => reader.degree('A-3', 'AB')),
  };
}

/** A table with a reader that has just looked at the registry. */
async function begin(stage: Stage): Promise<Reader> {
  await stage.fill(before, NODES);
  const reader = stage.reader(before, stage.sleepingStore());
  expect(await ask(reader)).toEqual(RIGHT);
  return reader;
}

describe('a reader whose model has changed shards meanwhile', () => {
  it('looks at the registry again after its machine slept, though its awake clock stood still', async () => {
    const stage = new Stage();
    const thawed = await stage.run(async () => {
      const reader = await begin(stage);
      stage.fallAsleep();
      await stage.migrate(after);
      await stage.sleep(SHOWN_MS);
      stage.wakeUp();
      return await ask(reader);
    });
    expect(thawed).toEqual(RIGHT);
  });

  it('looks at the registry again after the clock on the wall was set back', async () => {
    const stage = new Stage();
    const asked = await stage.run(async () => {
      const reader = await begin(stage);
      const startedMs = stage.timeline.nowMs;
      await stage.migrate(after);
      await stage.sleep(SHOWN_MS);
      stage.wallBackMs += stage.timeline.nowMs - startedMs;
      return await ask(reader);
    });
    expect(asked).toEqual(RIGHT);
  });

  it.each(SEEDS)('gives no partial answer where it sleeps in the middle of a read (seed %i)', async (seed) => {
    const stage = new Stage(seed);
    const answers = await stage.run(async () => {
      const reader = await begin(stage);
      const asking = Promise.all([ask(reader), ask(reader), ask(reader)]);
      await stage.sleep(stage.random.below(60));
      stage.fallAsleep();
      await stage.migrate(after);
      await stage.sleep(SHOWN_MS);
      stage.wakeUp();
      return [...(await asking), await ask(reader)];
    });
    for (const answer of answers) expect(answer).toEqual(RIGHT);
  });
});
