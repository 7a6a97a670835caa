import { describe, expect, it } from 'vitest';
import { createWriter } from '../../src/client/write/writer.ts';
import { type Item, stringOf } from '../../src/core/items/attribute-value.ts';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import { edge, node, part, sum } from '../../src/core/model/schema.ts';
import type { ScanSource, Store } from '../../src/core/store-port.ts';
import { createProjector } from '../../src/projecting/apply/projector.ts';
import { check } from '../../src/trust/check/check.ts';
import { eraseSubject } from '../../src/trust/subject/erase-subject.ts';
import { memoryRig } from '../matrix/rig.ts';
import { throughCalls } from '../support/calls.ts';

const ID = 'MEMBER-1';
const HOUR = 3_600_000;

const graph = defineGraph({
  table: 'clubs',
  nodes: {
    MEMBER: node({ view: 'ALL', search: { name: {} }, parts: { CARD: part({}) } }),
    CLUB: node({ view: ['title'] }),
  },
  edges: {
    JOINED: edge({
      from: 'MEMBER',
      to: 'CLUB',
      degree: true,
      inbound: { orders: { gsi0: 'since' }, total: { paid: sum('paid') } },
    }),
    LEADS: edge({ from: 'CLUB', to: 'MEMBER', copy: ['name'] }),
    KNOWS: edge({ from: 'MEMBER', to: 'MEMBER' }),
  },
});

/** A crash of the process that erases. */
class Crash extends Error {}

/** A table with a member whose data lies in every kind of item, with a consumer and a clock. */
async function clubs() {
  const rig = memoryRig(graph);
  const writer = createWriter(graph, { store: rig.store });
  const projector = createProjector(graph, {
    ...{ store: rig.store, now: () => rig.nowMs(), wait: (ms: number) => rig.wait(ms), random: () => 0.5 },
  });
  let read = 0;
  const consume = async () => {
    for (;;) {
      const records = (await rig.records()).slice(read, read + 20);
      if (records.length === 0) return;
      const { error } = await projector.project(records, { remainingMs: () => 60_000 });
      if (error !== undefined) throw error;
      read += records.length;
    }
  };
  for (const id of [ID, 'MEMBER-12'] as const) {
    await writer.putNode(id, { name: `name of ${id}` });
    await writer.putPart(id, 'CARD', { number: 7 });
    await writer.putEdge(id, 'JOINED', 'CLUB-1', { since: '2020', paid: 5 });
    await writer.putEdge('CLUB-1', 'LEADS', id);
    await writer.putEdge('MEMBER-3', 'KNOWS', id);
  }
  await rig.store.put({ source: { S: ID }, target: { S: 'JOINED-CLUB-2' }, since: { N: '7' }, paid: { N: '1' } });
  await consume();
  const erase = (store: Store & ScanSource = rig.store) =>
    eraseSubject(graph, {
      ...{ store, id: ID, segments: 1, now: () => rig.nowMs() },
      ...{ wait: (ms: number) => rig.wait(ms), random: () => 0.5 },
    });
  const naming = async (): Promise<Item[]> =>
    (await rig.items()).filter((item) => JSON.stringify(item).replaceAll('MEMBER-12', '').includes(ID));
  return { rig, consume, erase, naming, writer };
}

/** A store whose process ends at one call: before it is made, or after it and before its answer. */
function crashing(store: Store & ScanSource, at: number, when: 'before' | 'after') {
  let calls = 0;
  let isOver = false;
  const proxy = throughCalls(store, async (_method, _parameters, run) => {
    if (isOver) throw new Crash();
    calls += 1;
    const isLast = calls === at;
    isOver ||= isLast;
    if (isLast && when === 'before') throw new Crash();
    const answer = await run();
    if (isLast) throw new Crash();
    return answer;
  });
  return { store: proxy, calls: () => calls };
}

/** Runs something with a crash; false once it has come to its end before. */
async function crashed(run: () => Promise<unknown>): Promise<boolean> {
  try {
    await run();
    return false;
  } catch (error) {
    if (error instanceof Crash) return true;
    throw error;
  }
}

async function expectErased({ rig, naming }: Awaited<ReturnType<typeof clubs>>): Promise<void> {
  expect(await naming()).toEqual([]);
  const service = (await rig.items()).filter((item) => stringOf(item['source']) === '~edgeloom');
  expect(service).toEqual([]);
  const clock = { now: () => rig.nowMs(), wait: (ms: number) => rig.wait(ms) };
  const { drift, baseItems } = await check(graph, { store: rig.store, segments: 1, ...clock });
  expect(drift).toEqual({ missing: 0, stale: 0, orphan: 0 });
  expect(baseItems).toBe(5);
}

describe('an erasure that crashes', () => {
  for (const when of ['before', 'after'] as const) {
    it(`at any call of the first run, ${when} it takes effect, is completed by the next runs`, async () => {
      let at = 0;
      for (let goesOn = true; goesOn; ) {
        at += 1;
        const world = await clubs();
        const { rig, consume, erase } = world;
        goesOn = await crashed(() => erase(crashing(rig.store, at, when).store));
        // The consumer may be late, or not.
        if (at % 2 === 0) await consume();
        if (goesOn) expect(await erase()).toMatchObject({ isDone: false, isWrittenAgain: false });
        await consume();
        await rig.wait(50 * HOUR);
        expect(await erase(), `crash at call ${at}`).toMatchObject({ isDone: true });
        await expectErased(world);
      }
      expect(at).toBeGreaterThan(15);
    });

    it(`at any call of the second run, ${when} it takes effect, is completed by the next one`, async () => {
      let at = 0;
      for (let goesOn = true; goesOn; ) {
        at += 1;
        const world = await clubs();
        const { rig, consume, erase } = world;
        await erase();
        if (at % 3 !== 0) await consume();
        await rig.wait(50 * HOUR);
        goesOn = await crashed(() => erase(crashing(rig.store, at, when).store));
        // Where no consumer had run, the tombstones are of this run, and wait for one more. A run that lost only its last answer was done.
        for (let runs = 0; runs < 3; runs++) {
          await consume();
          await rig.wait(50 * HOUR);
          if ((await erase()).isDone) break;
        }
        await expectErased(world);
      }
      expect(at).toBeGreaterThan(10);
    });
  }
});

describe('two erasures at once', () => {
  it('come to the same end as one', async () => {
    const world = await clubs();
    const { rig, consume, erase } = world;
    await Promise.all([erase(), erase()]);
    await consume();
    await rig.wait(50 * HOUR);
    const both = await Promise.all([erase(), erase()]);
    expect(both.some(({ isDone }) => isDone)).toBe(true);
    expect(both.some(({ isWrittenAgain }) => isWrittenAgain)).toBe(false);
    await expectErased(world);
  });
});

describe('a consumer that is behind', () => {
  it('brings nothing back, whenever it comes', async () => {
    for (const hours of [0, 1, 23, 49, 60]) {
      const world = await clubs();
      const { rig, consume, erase, writer } = world;
      await writer.updateNode(ID, { set: { name: 'Another' } });
      await erase();
      await rig.wait(hours * HOUR);
      await consume();
      let runs = 0;
      for (; runs < 4; runs++) {
        const { isDone, next } = await erase();
        if (isDone) break;
        await rig.wait(Math.max(HOUR, Date.parse(next!) - rig.nowMs()));
      }
      expect(runs).toBeLessThan(4);
      await expectErased(world);
    }
  });
});
