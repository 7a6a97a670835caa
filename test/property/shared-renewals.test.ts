import { describe, expect, it } from 'vitest';
import type { QueryRequest } from '../../src/core/store-port.ts';
import { type CompiledModel, defineGraph, edge, node, type Reader } from '../../src/index.ts';
import { answerOf, Stage } from '../simulator/faults/stage.ts';
import { runs } from '../support/extent.ts';

/**
 * An answer counts only if a look at the registry holds that began after the answer's last page had come, or a lease before it at
 * most. Reads of one reader share their looks: one that another read has begun long ago says nothing of what was read since.
 */

function modelOf(shards: number): CompiledModel {
  return defineGraph({
    table: 'records',
    nodes: { A: node({ view: 'ALL', search: { name: { shards } } }), B: node({ view: 'ALL' }) },
    edges: { AB: edge({ from: 'A', to: 'B', inbound: { orders: { gsi0: 'since' }, shards } }) },
  }) as CompiledModel;
}

const before = modelOf(2);
const after = modelOf(5);
const NODES = 16;
const SEEDS = runs({ part: 15, whole: 100 });

const names = (reader: Reader) => answerOf(async () => (await reader.search('A.name').all()).items.length);
const incoming = (reader: Reader) => answerOf(async () => (await reader.inbound('B-1', 'AB')).items.length);

describe('reads of one reader at the same time, beside a migration', () => {
  it('do not end with a look at the registry that another read began a lease before', async () => {
    const stage = new Stage();
    const answers = await stage.run(async () => {
      await stage.fill(before, NODES);
      let beganMs = Number.POSITIVE_INFINITY;
      const since = (): number => stage.timeline.nowMs - beganMs;
      const store = stage.heldStore((method, argument) => {
        // The first read asks its second shard long after it has asked the first.
        const isLate = method === 'query' && (argument as QueryRequest).partition.endsWith('#2') && since() < 30_000;
        if (isLate) return { before: 75_000 };
        // The second read's look at the registry is on its way for as long.
        return method === 'get' && since() > 30_500 && since() < 31_500 ? { after: 90_000 } : undefined;
      });
      const reader = stage.reader(before, store);
      expect(await names(stage.reader(before))).toBe(NODES);
      beganMs = stage.timeline.nowMs;
      const first = names(reader);
      await stage.sleep(31_000);
      const second = incoming(reader);
      await stage.sleep(1_000);
      await stage.migrate(after);
      return [await first, await second];
    });
    expect(answers).toEqual([NODES, NODES]);
  });

  it('are whole, or refused, wherever their calls stand still', async () => {
    const failures: string[] = [];
    for (let seed = 1; seed <= SEEDS; seed++) {
      const wrong = await drawn(seed);
      if (wrong.length > 0) failures.push(`seed ${seed}: ${JSON.stringify(wrong)} of ${NODES}`);
    }
    expect(failures).toEqual([]);
  });
});

/** Readers whose calls stand still, while the model goes there and back; gives the answers that are not whole. */
async function drawn(seed: number): Promise<unknown[]> {
  const stage = new Stage(seed);
  return await stage.run(async () => {
    const { random } = stage;
    await stage.fill(before, NODES);
    const reader = stage.reader(before, stage.stallingStore(0.15, 120_000));
    const wrong: unknown[] = [];
    let isOver = false;
    const read = async (): Promise<void> => {
      while (!isOver) {
        const answer = await (random.chance(0.5) ? names(reader) : incoming(reader));
        if (answer !== NODES) wrong.push(answer);
        await stage.sleep(random.below(5_000));
      }
    };
    const readers = Array.from({ length: 6 }, read);
    for (const model of [after, before, after, before]) {
      await stage.sleep(random.below(60_000));
      await stage.migrate(model);
    }
    isOver = true;
    await Promise.all(readers);
    return wrong;
  });
}
