import { describe, expect, it } from 'vitest';
import type { CompiledModel } from '../../src/core/model/compiled.ts';
import { sleep } from '../../src/foundation/runtime.ts';
import { createWorker } from '../../src/projecting/worker/worker.ts';
import { DynamoDBStreamSource } from '../../src/stream/dynamodb-source.ts';
import { readPublishedLowWatermark } from '../../src/stream/progress/applied-places.ts';
import { status } from '../../src/trust/explain/status.ts';
import type { ObservedDrift } from '../../src/trust/observe/drift.ts';
import { TableMemory } from '../../src/trust/observe/memory.ts';
import { type ObserveOptions, type ObserveResult, observe } from '../../src/trust/observe/observe.ts';
import type { ObserverState } from '../../src/trust/observe/state.ts';
import { followGraph, follows, user } from '../support/follow-graph.ts';
import { countingStreams, readersOf } from '../support/stream-readers.ts';
import { testTable } from '../support/table.ts';

/** An engine on this machine shows records at once, and there is one clock. */
const LIMITS = { lateMs: 200, skewMs: 100, graceMs: 300, listMs: 500 };

const SHORT_PAUSE_MS = 50;
/** How long the observer reads on after a finding: several reads of each shard. */
const LATE_READS_MS = 2_000;

/** A table with a worker that projects what is written, and an observer. */
async function observedTable(model: CompiledModel = followGraph()) {
  const table = await testTable(model);
  const { graph, store, streams, streamArn } = table;
  for (let i = 0; i < 5; i++) await store.put(user(`${i}`));
  for (let i = 1; i < 5; i++) await store.put(follows('0', `${i}`));
  const project = async (): Promise<void> => {
    await createWorker(graph, { store, streams, streamArn }).run({ untilIdle: true });
  };
  await project();
  const found: ObservedDrift[] = [];
  const run = (options: Partial<ObserveOptions> = {}): Promise<ObserveResult> => {
    const deadlineMs = Date.now() + 600_000;
    return observe({
      graph,
      store,
      source: new DynamoDBStreamSource(streams, streamArn),
      // Nothing waits for the worker when the observer runs.
      lowWatermark: async () => Date.now(),
      untilVerified: true,
      limits: LIMITS,
      onDrift: (drift) => void found.push(drift),
      remainingMs: () => deadlineMs - Date.now(),
      // A turn that finds nothing is followed by the next one at once: the limits are shorter than the pause between two turns.
      wait: (ms) => sleep(Math.min(ms, SHORT_PAUSE_MS)),
      ...options,
    });
  };
  return { ...table, project, run, found };
}

describe('the observer of a table', () => {
  it('verifies what is written, finds what is broken, repairs it, and goes on from its saved state', async () => {
    const { graph, store, project, run, found } = await observedTable();
    const first = await run();
    expect(first).toMatchObject({ endedBy: 'verified', drift: [] });

    await store.put(user('6'));
    await store.put(follows('6', '1'));
    await project();
    // Without checks: the saved state is the base.
    const second = await run({ checks: false });
    expect(second).toMatchObject({ endedBy: 'verified', drift: [] });
    expect(second.records).toBeGreaterThan(0);
    expect(second.verifiedThroughMs).toBeGreaterThan(first.verifiedThroughMs!);

    const { item } = await store.get({ source: 'USER-6', target: '~view' }, { consistent: true });
    await store.put({ ...item, edgeSet: { SS: ['FOLLOWS-USER-nobody'] } });
    const third = await run({ checks: false });
    expect(
      third.drift.map(({ suspect, differences }) => [suspect.source, suspect.sortKey, differences[0]?.kind]),
    ).toContainEqual(['USER-6', '~view', 'element']);
    expect(found.length).toBe(third.drift.length);
    const told = await status(graph, { store });
    expect(told.drift).toBe(third.drift.length);
    expect(told.verifiedThrough).toBe(new Date(third.verifiedThroughMs!).toISOString());
    expect(told.problems.join()).toContain('edgeloom observe --repair');
    expect(told.exceptions).toEqual([{ item: 'USER-6 ~view', found: expect.any(String) }]);

    await store.put({ ...item, edgeSet: { SS: ['FOLLOWS-USER-nobody', 'FOLLOWS-USER-none'] } });
    await run({ checks: false, repairs: true });
    const fifth = await run({ checks: false });
    const { item: repaired } = await store.get({ source: 'USER-6', target: '~view' }, { consistent: true });
    expect(repaired?.['edgeSet']).toEqual(item?.['edgeSet']);
    expect(fifth.drift).toEqual([]);
  });

  it('moves the low watermark by the records that it reads: each shard has one reader, and each turn one read of it', async () => {
    const { store, streams, streamArn, project, run, found } = await observedTable();
    const { client, reads } = countingStreams(streams);
    const source = new DynamoDBStreamSource(client, streamArn);
    expect(await run({ source, lowWatermark: undefined, markMs: 200 })).toMatchObject({
      endedBy: 'verified',
      drift: [],
    });
    await store.put(user('7'));
    await store.put(follows('7', '1'));
    await project();
    const { item } = await store.get({ source: 'USER-7', target: '~view' }, { consistent: true });
    await store.put({ ...item, edgeSet: { SS: ['FOLLOWS-USER-nobody'] } });
    const brokenMs = Date.now();
    reads.length = 0;
    let turns = 0;
    let endMs = Number.POSITIVE_INFINITY;
    await run({
      ...{ source, lowWatermark: undefined, markMs: 200, untilVerified: false },
      onProgress: () => (turns += 1),
      onDrift: (drift) => {
        found.push(drift);
        endMs = Math.min(endMs, Date.now() + LATE_READS_MS);
      },
      remainingMs: () => Math.min(endMs, brokenMs + 600_000) - Date.now(),
    });
    // The finding waits for the mark: so the mark has moved, and by these reads alone.
    expect(found).toContainEqual(expect.objectContaining({ isCertain: true }));
    expect((await readPublishedLowWatermark(store)).published?.upToMs).toBeGreaterThan(brokenMs - 61_000);
    const late = reads.filter(({ atMs }) => atMs > endMs - LATE_READS_MS);
    expect(late.length).toBeGreaterThan(0);
    for (const [, readers] of readersOf(late)) expect(readers).toBe(1);
    for (const shard of readersOf(reads).keys()) {
      expect(reads.filter(({ shardId }) => shardId === shard).length).toBeLessThan(turns + 10);
    }
  });

  it('is late for status while it should run, and not once it has ended in order', async () => {
    const { graph, store, run } = await observedTable();
    await run();
    const later = () => Date.now() + 3_600_000;
    expect((await status(graph, { store, now: later })).problems).toEqual([]);
    // A process that runs again, and ends without a word.
    const memory = new TableMemory(store, Date.now);
    const { isEnded, ...state } = (await memory.open()) as ObserverState;
    expect(isEnded).toBe(true);
    await memory.save(state);
    expect((await status(graph, { store, now: later })).problems.join()).toContain('Nothing is verified after');
  });

  it('keeps its lease while it checks the whole table', async () => {
    const { store, run } = await observedTable();
    // Each look at the clock takes ten seconds: the check takes minutes.
    let [lookedMs, saves, savesBeforeBase] = [Date.now(), 0, 0];
    const memory = new TableMemory(store, Date.now);
    await run({
      now: () => (lookedMs += 10_000),
      remainingMs: () => (saves > 0 ? 0 : 1),
      memory: {
        open: () => memory.open(),
        save: async (state) => {
          saves += 1;
          if (state.baseMs === undefined) savesBeforeBase += 1;
          return await memory.save(state);
        },
        close: () => memory.close(),
      },
    });
    expect(savesBeforeBase).toBeGreaterThan(0);
  });
});
