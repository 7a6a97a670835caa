import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Item, stringOf } from '../../../src/core/items/attribute-value.ts';
import { defineGraph } from '../../../src/core/model/compile/define-graph.ts';
import { node } from '../../../src/core/model/schema.ts';
import type { WayOfWriting } from '../../../src/core/store-port.ts';
import { readClaims } from '../../../src/stream/progress/claims.ts';
import {
  type ConsumerKind,
  type ConsumerProgress,
  readConsumers,
  readProgress,
} from '../../../src/stream/progress/consumers.ts';
import { ProgressRecorder } from '../../../src/stream/progress/recorder.ts';
import { MemoryStore } from '../../support/memory-store/memory-store.ts';

const graph = defineGraph({ table: 'records', nodes: { USER: node({ view: 'ALL' }) } });
const START = 1_000_000_000_000;
const STREAM = '2026-01-01T00:00:00.000';

interface Writes {
  items: Item[];
  atMs: number[];
  wcu: number;
  failing: boolean;
  by?: WayOfWriting;
}

const isClaims = (item: Item): boolean => stringOf(item[graph.table.sortKey])?.startsWith('cover/') === true;

function recorderOf(kind: ConsumerKind = 'worker') {
  const store = new MemoryStore(graph.table);
  const progress: Writes = { items: [], atMs: [], wcu: 0, failing: false };
  const claims: Writes = { items: [], atMs: [], wcu: 0, failing: false };
  const failures: unknown[] = [];
  const put = async (item: Item) => {
    const writes = isClaims(item) ? claims : progress;
    if (writes.failing) throw new Error('throttled');
    writes.items.push(item);
    writes.atMs.push(Date.now());
    const result = await store.put(item);
    writes.wcu += result.wcu;
    return result;
  };
  const recorder = new ProgressRecorder({
    ...{ graph, kind, onError: (error) => failures.push(error) },
    store: { put, writesBy: async () => progress.by },
  });
  const claimed = async () => [...(await readClaims(store, graph.table, STREAM, 0)).values()].flat();
  return { recorder, progress, claims, claimed, failures, store };
}

const shard = (n: number): string => `shardId-${String(n).padStart(20, '0')}-abcdef12`;
const records = (...numbers: number[]) =>
  numbers.map((number) => ({ sequenceNumber: `${10n ** 21n + BigInt(number)}`, stream: STREAM }));
const range = (first: number, count: number) => records(...Array.from({ length: count }, (_, i) => first + i));
const claim = (first: number, last: number, count: number) => ({
  ...{ first: records(first)[0]!.sequenceNumber, last: records(last)[0]!.sequenceNumber, records: count },
});
const last = ({ items }: Writes): ConsumerProgress => readProgress(items.at(-1)!)!;

beforeEach(() => {
  vi.useFakeTimers({ now: START });
});
afterEach(() => {
  vi.useRealTimers();
});

describe('a recorder of progress', () => {
  it('tells how the store writes, once its answers have told', async () => {
    const { recorder, progress } = recorderOf();
    recorder.noteApplied(records(1), shard(1));
    recorder.schedule();
    await vi.advanceTimersByTimeAsync(1);
    expect(last(progress)).not.toHaveProperty('writes');
    progress.by = 'statements';
    recorder.noteApplied(records(2), shard(1));
    recorder.schedule();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(last(progress)).toMatchObject({ writes: 'statements' });
  });

  it('writes at most once in ten seconds, however many shards move, one unit each', async () => {
    const { recorder, progress, claims } = recorderOf();
    for (let second = 0; second < 300; second++) {
      for (let n = 0; n < 20; n++) recorder.noteApplied(records(1_000 * n + second), shard(n));
      recorder.schedule();
      await vi.advanceTimersByTimeAsync(1_000);
    }
    for (const writes of [progress, claims]) {
      expect(writes.items.length).toBeGreaterThanOrEqual(29);
      expect(writes.items.length).toBeLessThanOrEqual(31);
      expect(writes.wcu).toBe(writes.items.length);
      const gaps = writes.atMs.slice(1).map((at, i) => at - writes.atMs[i]!);
      expect(Math.min(...gaps)).toBeGreaterThanOrEqual(10_000);
    }
    const seen = new Set(progress.items.flatMap((item) => readProgress(item)!.shards.map(({ shardId }) => shardId)));
    expect(seen.size).toBe(20);
  });

  it('says every 20 seconds that it is there while a batch takes minutes, and is silent at rest', async () => {
    const { recorder, progress, claims } = recorderOf();
    let finish = (): void => undefined;
    const batch = recorder.writeWhile(() => new Promise<void>((resolve) => (finish = resolve)));
    await vi.advanceTimersByTimeAsync(300_000);
    expect(progress.items.length).toBeGreaterThanOrEqual(14);
    expect(progress.items.length).toBeLessThanOrEqual(15);
    expect(last(progress)).toMatchObject({ isStopped: false, seenAtMs: Date.now(), shards: [] });
    expect(claims.items).toEqual([]);
    finish();
    await batch;
    recorder.noteApplied(range(1, 600), shard(1));
    recorder.schedule();
    await vi.advanceTimersByTimeAsync(10_000);
    // The records of the whole batch over its whole time.
    expect(last(progress)).toMatchObject({ records: 600, intervalMs: 310_000 });
    const before = progress.items.length;
    await vi.advanceTimersByTimeAsync(300_000);
    expect(progress.items).toHaveLength(before);
    await recorder.stop();
    expect(last(progress).isStopped).toBe(true);
  });

  it('writes the newest place of a shard after the burst is over, without being called again', async () => {
    const { recorder, progress } = recorderOf();
    recorder.noteApplied(range(1, 5), shard(1));
    recorder.schedule();
    await vi.advanceTimersByTimeAsync(1);
    recorder.noteApplied(range(6, 7), shard(1));
    recorder.schedule();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(last(progress)).toMatchObject({ records: 7, isStopped: false });
    expect(last(progress).shards).toEqual([{ shardId: shard(1), sequenceNumber: records(12)[0]!.sequenceNumber }]);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(progress.items).toHaveLength(2);
  });

  it('has stopped with all its items, and leaves no place of a shard unwritten', async () => {
    const { recorder, store } = recorderOf();
    for (let second = 0; second < 30; second++) {
      for (let n = 0; n < 12; n++) recorder.noteApplied(records(1_000 * n + second), shard(n));
      recorder.schedule();
      await vi.advanceTimersByTimeAsync(1_000);
    }
    // The first item has nothing new to say at the end.
    await vi.advanceTimersByTimeAsync(30_000);
    for (let n = 5; n < 12; n++) recorder.noteApplied(records(1_000 * n + 30), shard(n));
    const consumers = () => readConsumers(store, graph.table, Date.now());
    expect((await consumers()).map(({ isStopped }) => isStopped)).toEqual([false, false, false]);
    await recorder.stop();
    expect((await consumers()).map(({ isStopped }) => isStopped)).toEqual([true, true, true]);
    const places = (await consumers()).flatMap(({ shards }) => shards.map(({ sequenceNumber }) => sequenceNumber));
    expect(places).toEqual(
      Array.from({ length: 12 }, (_, n) => records(1_000 * n + (n < 5 ? 29 : 30))[0]!.sequenceNumber),
    );
  });

  it('writes nothing more once it has stopped, even if a write ends then', async () => {
    const { recorder, progress } = recorderOf();
    for (let n = 0; n < 20; n++) recorder.noteApplied(records(1_000 * n), shard(n));
    recorder.schedule();
    vi.advanceTimersByTime(1);
    await recorder.stop();
    const before = progress.items.length;
    expect(last(progress).isStopped).toBe(true);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(progress.items).toHaveLength(before);
  });

  it('tries again after a failed write, and loses no count', async () => {
    const { recorder, progress, failures } = recorderOf('lambda');
    progress.failing = true;
    recorder.noteApplied(range(1, 3));
    await recorder.writeIfDue();
    expect(failures).toHaveLength(1);
    progress.failing = false;
    recorder.noteApplied(range(4, 4));
    await vi.advanceTimersByTimeAsync(10_000);
    await recorder.writeIfDue();
    expect(last(progress)).toMatchObject({ records: 7, shards: [{ sequenceNumber: records(7)[0]!.sequenceNumber }] });
  });

  it.each(['null', '{}', '[1]', 'no json', '{"id":"a","shards":5}'])('takes an item with %s for none', (state) => {
    const item: Item = { source: { S: '~edgeloom' }, target: { S: 'progress/x' }, state: { S: state } };
    expect(readProgress(item)).toBeUndefined();
  });
});

describe('its claims', () => {
  it('are exact, and take one unit in ten seconds for four batches a second at most', async () => {
    const { recorder, claims, claimed } = recorderOf('lambda');
    for (let i = 0; i < 360; i++) {
      recorder.noteApplied(range(3 * i, 3));
      await recorder.writeIfDue();
      await vi.advanceTimersByTimeAsync(280);
    }
    await recorder.stop();
    expect(await claimed()).toEqual(Array.from({ length: 360 }, (_, i) => claim(3 * i, 3 * i + 2, 3)));
    expect(claims.wcu).toBe(claims.items.length);
    expect(claims.items.length).toBeLessThanOrEqual(13);
  });

  it('never join two batches, but those of a worker, which reads a shard by itself', async () => {
    const [apart, joined] = [recorderOf('lambda'), recorderOf('worker')];
    for (const { recorder } of [apart, joined]) {
      recorder.noteApplied(records(1, 2), 'a');
      recorder.noteApplied(records(50), 'b');
      recorder.noteApplied(records(5, 6, 7), 'a');
      recorder.noteApplied([], 'a');
      await recorder.writeIfDue();
      recorder.noteApplied(records(8), 'a');
      await recorder.stop();
    }
    expect(await apart.claimed()).toEqual([claim(1, 2, 2), claim(50, 50, 1), claim(5, 7, 3), claim(8, 8, 1)]);
    const isWhole = true;
    expect(await joined.claimed()).toEqual([
      ...[claim(1, 7, 5), claim(50, 50, 1), claim(8, 8, 1)].map((one) => ({ ...one, isWhole })),
    ]);
  });

  it('are kept for the next time where they could not be written, and progress is written all the same', async () => {
    const { recorder, claims, progress, claimed, failures } = recorderOf('lambda');
    claims.failing = true;
    recorder.noteApplied(records(1));
    recorder.schedule();
    await vi.advanceTimersByTimeAsync(1);
    expect(failures).toHaveLength(1);
    expect(last(progress).shards).toMatchObject([{ sequenceNumber: records(1)[0]!.sequenceNumber }]);
    claims.failing = false;
    recorder.noteApplied(records(2));
    await vi.advanceTimersByTimeAsync(10_000);
    expect(await claimed()).toEqual([claim(1, 1, 1), claim(2, 2, 1)]);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(claims.items).toHaveLength(1);
  });

  it('are items that time buries, and that are read from a moment on', async () => {
    const { recorder, claims, store } = recorderOf('lambda');
    recorder.noteApplied(records(1));
    await recorder.stop();
    expect(claims.items).toHaveLength(1);
    expect(claims.items[0]![graph.table.ttl]).toEqual({ N: String(START / 1000 + 25 * 3600) });
    expect((await readClaims(store, graph.table, STREAM, START)).size).toBe(1);
    expect((await readClaims(store, graph.table, STREAM, START + 1)).size).toBe(0);
    // Another stream of the table may have the same numbers.
    expect((await readClaims(store, graph.table, '2026-01-02T00:00:00.000', START)).size).toBe(0);
  });
});
