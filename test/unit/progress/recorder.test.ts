import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Item } from '../../../src/core/items/attribute-value.ts';
import { defineGraph } from '../../../src/core/model/compile/define-graph.ts';
import { node } from '../../../src/core/model/schema.ts';
import type { WayOfWriting } from '../../../src/core/store-port.ts';
import { type ConsumerProgress, readLastCheck, readProgress } from '../../../src/stream/progress/record.ts';
import { ProgressRecorder } from '../../../src/stream/progress/recorder.ts';
import { MemoryStore } from '../../support/memory-store/memory-store.ts';

const graph = defineGraph({ table: 'records', nodes: { USER: node({ view: 'ALL' }) } });

interface Writes {
  items: Item[];
  atMs: number[];
  wcu: number;
  failing: boolean;
  by?: WayOfWriting;
}

function recorder(): { recorder: ProgressRecorder; writes: Writes } {
  const store = new MemoryStore(graph.table);
  const writes: Writes = { items: [], atMs: [], wcu: 0, failing: false };
  const put = async (item: Item) => {
    if (writes.failing) throw new Error('throttled');
    writes.items.push(item);
    writes.atMs.push(Date.now());
    const result = await store.put(item);
    writes.wcu += result.wcu;
    return result;
  };
  return {
    recorder: new ProgressRecorder({ graph, store: { put, writesBy: async () => writes.by }, kind: 'worker' }),
    writes,
  };
}

const shard = (n: number): string => `shardId-${String(n).padStart(20, '0')}-abcdef12`;
const sequence = (n: number): string => `1${String(n).padStart(39, '0')}`;
const last = ({ items }: Writes): ConsumerProgress => readProgress(items.at(-1)!)!;

describe('a recorder of progress', () => {
  beforeEach(() => {
    vi.useFakeTimers({ now: 1_000_000_000_000 });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('tells how the store writes, once its answers have told', async () => {
    const { recorder: progress, writes } = recorder();
    progress.noteAndSchedule({ shardId: shard(1), sequenceNumber: sequence(1), madeAtSeconds: 1, records: 1 });
    await vi.advanceTimersByTimeAsync(1);
    expect(last(writes)).not.toHaveProperty('writes');
    writes.by = 'statements';
    progress.noteAndSchedule({ shardId: shard(1), sequenceNumber: sequence(2), madeAtSeconds: 1, records: 1 });
    await vi.advanceTimersByTimeAsync(10_000);
    expect(last(writes)).toMatchObject({ writes: 'statements' });
  });

  it('writes at most once in ten seconds, however many shards move, one unit each', async () => {
    const { recorder: progress, writes } = recorder();
    for (let second = 0; second < 300; second++) {
      for (let n = 0; n < 40; n++) {
        progress.noteAndSchedule({ shardId: shard(n), sequenceNumber: sequence(second), madeAtSeconds: 1, records: 1 });
      }
      await vi.advanceTimersByTimeAsync(1_000);
    }
    expect(writes.items.length).toBeGreaterThanOrEqual(29);
    expect(writes.items.length).toBeLessThanOrEqual(31);
    expect(writes.wcu).toBe(writes.items.length);
    const gaps = writes.atMs.slice(1).map((at, i) => at - writes.atMs[i]!);
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(10_000);
    const seen = new Set(writes.items.flatMap((item) => readProgress(item)!.shards.map(({ shardId }) => shardId)));
    expect(seen.size).toBe(40);
  });

  it('says every 20 seconds that it is there while a batch takes minutes, and is silent at rest', async () => {
    const { recorder: progress, writes } = recorder();
    let finish = (): void => undefined;
    const batch = progress.writeWhile(() => new Promise<void>((resolve) => (finish = resolve)));
    await vi.advanceTimersByTimeAsync(300_000);
    expect(writes.items.length).toBeGreaterThanOrEqual(14);
    expect(writes.items.length).toBeLessThanOrEqual(15);
    expect(last(writes)).toMatchObject({ isStopped: false, seenAtMs: Date.now(), shards: [] });
    finish();
    await batch;
    progress.noteAndSchedule({ shardId: shard(1), sequenceNumber: sequence(1), records: 600 });
    await vi.advanceTimersByTimeAsync(10_000);
    // The records of the whole batch over its whole time.
    expect(last(writes)).toMatchObject({ records: 600, intervalMs: 310_000 });
    const before = writes.items.length;
    await vi.advanceTimersByTimeAsync(300_000);
    expect(writes.items).toHaveLength(before);
    await progress.stop();
    expect(last(writes).isStopped).toBe(true);
  });

  it('writes the newest place of a shard after the burst is over, without being called again', async () => {
    const { recorder: progress, writes } = recorder();
    progress.noteAndSchedule({ shardId: shard(1), sequenceNumber: sequence(1), records: 5 });
    await vi.advanceTimersByTimeAsync(1);
    progress.noteAndSchedule({ shardId: shard(1), sequenceNumber: sequence(2), records: 7 });
    await vi.advanceTimersByTimeAsync(10_000);
    expect(last(writes)).toMatchObject({ records: 7, isStopped: false });
    expect(last(writes).shards).toEqual([{ shardId: shard(1), sequenceNumber: sequence(2) }]);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(writes.items).toHaveLength(2);
  });

  it('tells that it has stopped', async () => {
    const { recorder: progress, writes } = recorder();
    progress.noteAndSchedule({ shardId: shard(1), sequenceNumber: sequence(1), records: 1 });
    await progress.stop();
    expect(last(writes).isStopped).toBe(true);
  });

  it('tries again after a failed write, and loses no count', async () => {
    const { recorder: progress, writes } = recorder();
    writes.failing = true;
    progress.noteProgress({ sequenceNumber: sequence(1), records: 3 });
    await progress.writeIfDue();
    writes.failing = false;
    progress.noteProgress({ sequenceNumber: sequence(2), records: 4 });
    await vi.advanceTimersByTimeAsync(10_000);
    await progress.writeIfDue();
    expect(last(writes)).toMatchObject({ records: 7, shards: [{ sequenceNumber: sequence(2) }] });
  });
});

describe('records of the service', () => {
  it.each(['null', '{}', '[1]', 'no json', '{"id":"a","shards":5}'])('that hold %s count as none', (state) => {
    const item: Item = { source: { S: '~edgeloom' }, target: { S: 'progress/x' }, state: { S: state } };
    expect(readProgress(item)).toBeUndefined();
    expect(readLastCheck(item)).toBeUndefined();
  });
});
