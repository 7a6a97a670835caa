import { describe, expect, it } from 'vitest';
import { createSourceWorker } from '../../src/projecting/worker/worker.ts';
import type { BatchReport, WorkerSettings } from '../../src/projecting/worker/worker-types.ts';
import { memoryCheckpoint } from '../../src/stream/checkpoint.ts';
import { followGraph, follows, idsOf, recordingLogger, user, viewOf } from '../support/follow-graph.ts';
import { ScriptedStream } from '../support/scripted-stream.ts';
import { testTable } from '../support/table.ts';

async function scripted() {
  const table = await testTable(followGraph());
  const stream = new ScriptedStream(table.store);
  const reports: BatchReport[] = [];
  const logger = recordingLogger();
  const make = (settings: Partial<WorkerSettings> = {}) =>
    createSourceWorker(table.graph, {
      source: stream,

      store: table.store,
      pollIntervalMs: 10,
      shardIntervalMs: 250,
      onBatch: (report) => reports.push(report),
      logger,
      ...settings,
    });
  return { ...table, stream, reports, logger, make };
}

/** The shards whose batches were projected, in order. */
function shardsOf(reports: readonly BatchReport[]): string[] {
  return reports.map(({ shardId }) => shardId);
}

describe('lineage', () => {
  it('reads a parent to its end before its children, and these before theirs', async () => {
    const { stream, store, reports, make } = await scripted();
    stream.open('parent');
    await stream.put('parent', user('1', 'first'));
    stream.close('parent');
    stream.open('child', 'parent');
    await stream.put('child', user('1', 'second'));
    stream.close('child');
    stream.open('grandchild', 'child');
    await stream.put('grandchild', user('1', 'third'));

    const result = await make().run({ untilIdle: true });

    expect(result).toMatchObject({ records: 3 });
    expect(shardsOf(reports)).toEqual(['parent', 'child', 'grandchild']);
    expect(await viewOf(store, '1')).toEqual({ name: 'third', follows: [] });
  });

  it('opens a child only when the last batch of its parent is applied', async () => {
    const { stream, make } = await scripted();
    stream.open('parent');
    for (let i = 0; i < 30; i++) await stream.put('parent', user(`${i}`));
    stream.close('parent');
    stream.open('left', 'parent');
    stream.open('right', 'parent');
    let applied = 0;
    const opened: number[] = [];
    stream.beforeRead = async (shardId) => {
      if (shardId !== 'parent') opened.push(applied);
    };
    await make({
      maxBatchRecords: 10,
      onBatch: ({ totals }) => {
        applied = totals.records;
      },
    }).run({ untilIdle: true });
    expect(new Set(opened)).toEqual(new Set([30]));
    expect(stream.calls.filter((call) => call === 'open left')).toHaveLength(1);
  });

  it('takes a shard whose parent has left the stream for a first one', async () => {
    const { stream, make } = await scripted();
    stream.open('orphan', 'long-gone');
    await stream.put('orphan', user('1'));
    expect(await make().run({ untilIdle: true })).toMatchObject({ records: 1, trimmed: [] });
  });

  it('finds the shards that a split opens while it runs', async () => {
    const { stream, store, reports, make } = await scripted();
    stream.open('root');
    await stream.put('root', user('1'));
    const worker = make();
    const run = worker.run();
    await worker.idle();

    await stream.put('root', follows('1', '2'));
    stream.close('root');
    stream.open('left', 'root');
    stream.open('right', 'root');
    await stream.put('left', follows('1', '3'));
    await stream.remove('right', 'USER-1', 'FOLLOWS-USER-2');
    await worker.idle();
    await worker.stop();

    expect(await run).toMatchObject({ records: 4, trimmed: [] });
    expect(shardsOf(reports).slice(0, 2)).toEqual(['root', 'root']);
    expect(shardsOf(reports).slice(2).sort()).toEqual(['left', 'right']);
    expect(await viewOf(store, '1')).toEqual({ name: '1', follows: ['3'] });
  });

  it('is not idle before the shards that went on from a closed one are read', async () => {
    const { stream, reports, make } = await scripted();
    stream.open('root');
    await stream.put('root', user('1'));
    stream.close('root');
    stream.open('child', 'root');
    await stream.put('child', user('2'));
    // The child is listed late, as may happen: not in the first two listings after the root is read.
    const describe = stream.describe.bind(stream);
    let hidden = 2;
    stream.describe = async () => {
      const description = await describe();
      if (reports.length > 0 && hidden-- <= 0) return description;
      return { ...description, shards: description.shards.filter(({ shardId }) => shardId !== 'child') };
    };
    expect(await make().run({ untilIdle: true })).toMatchObject({ records: 2 });
    expect(hidden).toBeLessThan(0);
  });

  it('reads several shards at once, but no more than shardConcurrency', async () => {
    const { stream, make } = await scripted();
    for (let i = 0; i < 6; i++) {
      stream.open(`shard-${i}`);
      await stream.put(`shard-${i}`, user(`${i}`));
    }
    let reading = 0;
    let most = 0;
    let areThree = (): void => undefined;
    const three = new Promise<void>((resolve) => {
      areThree = resolve;
    });
    stream.beforeRead = async () => {
      reading += 1;
      most = Math.max(most, reading);
      if (reading === 3) areThree();
      await three;
      // Time for a fourth one to come.
      await new Promise((resolve) => setTimeout(resolve, 20));
      reading -= 1;
    };
    expect(await make({ shardConcurrency: 3 }).run({ untilIdle: true })).toMatchObject({ records: 6 });
    expect(most).toBe(3);
  });

  it('asks for the shards a few times a second at most, however quickly they end', async () => {
    const { stream, make } = await scripted();
    for (let i = 0; i < 5; i++) {
      stream.open(`shard-${i}`, i === 0 ? undefined : `shard-${i - 1}`);
      if (i < 4) stream.close(`shard-${i}`);
    }
    const started = performance.now();
    await make().run({ untilIdle: true });
    const describes = stream.calls.filter((call) => call === 'describe').length;
    expect(describes).toBeLessThanOrEqual((performance.now() - started) / 240 + 1);
  });

  it('ends with an error when a disabled stream is read to its end, unless that was all it was to do', async () => {
    const { stream, make } = await scripted();
    stream.open('last');
    await stream.put('last', user('1'));
    stream.close('last');
    stream.status = 'DISABLED';
    await expect(make().run()).rejects.toMatchObject({ code: 'stream-ended' });
    expect(await make().run({ untilIdle: true })).toMatchObject({ records: 1, endedBy: 'idle' });
  });
});

describe('a stream that others go on writing to', () => {
  /** Puts a node into a shard every few milliseconds until something is over. */
  async function whileWritten(stream: ScriptedStream, shardId: string, over: Promise<unknown>): Promise<number> {
    let isOver = false;
    const ended = over.finally(() => {
      isOver = true;
    });
    let written = 0;
    while (!isOver) {
      await stream.put(shardId, user(`later-${written++}`));
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    await ended;
    return written;
  }

  it('is worked off up to its state at the start: the run ends, and so does the wait', async () => {
    const { stream, store, make } = await scripted();
    stream.open('busy');
    stream.open('still');
    stream.open('closed');
    stream.open('child', 'closed');
    for (const shardId of ['busy', 'still', 'closed', 'child']) await stream.put(shardId, user(shardId));
    stream.close('closed');
    const worker = make();
    const run = worker.run({ untilIdle: true });
    const written = await whileWritten(stream, 'busy', run);
    expect(written).toBeGreaterThan(0);
    expect(await run).toMatchObject({ endedBy: 'idle', trimmed: [] });
    for (const id of ['busy', 'still', 'closed', 'child']) expect(await viewOf(store, id)).toMatchObject({ name: id });

    const second = make();
    const running = second.run();
    await stream.put('still', user('before'));
    await whileWritten(stream, 'busy', second.idle());
    expect(await viewOf(store, 'before')).toMatchObject({ name: 'before' });
    await second.stop();
    expect(await running).toMatchObject({ endedBy: 'stop' });
  });

  it('goes on in the shards that open meanwhile', async () => {
    const { stream, store, make } = await scripted();
    stream.open('root');
    await stream.put('root', user('1'));
    const split = new Promise<void>((isSplit) => {
      stream.beforeRead = async () => {
        stream.beforeRead = async () => undefined;
        await stream.put('root', user('2'));
        stream.close('root');
        stream.open('child', 'root');
        isSplit();
      };
    });
    const run = make().run({ untilIdle: true });
    await split;
    await whileWritten(stream, 'child', run);
    expect(await run).toMatchObject({ endedBy: 'idle' });
    for (const id of ['1', '2']) expect(await viewOf(store, id)).toMatchObject({ name: id });
  });

  it('is not worked off while a record from before waits, whatever the worker itself writes', async () => {
    const { stream, store, make } = await scripted();
    stream.open('first');
    stream.open('second');
    await stream.put('second', user('1'));
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    stream.beforeRead = async (shardId) => {
      if (shardId === 'second') await held;
    };
    const worker = make();
    const run = worker.run();
    const idle = worker.idle().then(() => viewOf(store, '1'));
    let derived = 0;
    for (; derived < 100; derived++) {
      const view = { source: { S: 'USER-9' }, target: { S: '~view' }, r: { N: `${derived}` } };
      stream.append('first', view, view);
      await stream.put('first', user(`later-${derived}`));
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    release();
    expect(await idle).toMatchObject({ name: '1' });
    await worker.stop();
    await run;
  });
});

describe('batches', () => {
  it('fold many pages while the shard is behind', async () => {
    const { stream, reports, make } = await scripted();
    stream.open('only');
    for (let i = 0; i < 3500; i++) stream.append('only', user(`${i % 7}`, `name ${i}`), user(`${i % 7}`, `name ${i}`));
    const result = await make().run({ untilIdle: true });
    expect(reports.map(({ records }) => records.length)).toEqual([3500]);
    expect(result).toMatchObject({ records: 3500, touches: 7, writes: 7 });
  });

  it('are not filled up by records of derived items', async () => {
    const { stream, reports, make } = await scripted();
    stream.open('only');
    for (let i = 0; i < 4000; i++) {
      const item = i % 8 === 0 ? user(`${i % 5}`, `name ${i}`) : { source: { S: 'USER-1' }, target: { S: `~ix/${i}` } };
      stream.append('only', item, item);
    }
    const result = await make({ maxBatchRecords: 600 }).run({ untilIdle: true });
    expect(reports.map(({ records }) => records.length)).toEqual([500]);
    expect(result).toMatchObject({ records: 500, touches: 5 });
  });

  it('end at maxBatchBytes too', async () => {
    const { stream, reports, make } = await scripted();
    stream.open('only');
    // Each record says that it has 100 bytes.
    for (let i = 0; i < 3000; i++) stream.append('only', user('1', `name ${i}`), user('1', `name ${i}`));
    await make({ maxBatchBytes: 150_000 }).run({ untilIdle: true });
    expect(reports.map(({ records }) => records.length)).toEqual([2000, 1000]);
  });

  it('move the checkpoint past records of derived items', async () => {
    const { stream, make } = await scripted();
    stream.open('only');
    await stream.put('only', user('1'));
    const checkpoint = memoryCheckpoint();
    const worker = make({ checkpoint });
    const run = worker.run();
    await worker.idle();
    const derived = { source: { S: 'USER-1' }, target: { S: '~view' } };
    const last = stream.append('only', derived, derived);
    await worker.idle();
    await worker.stop();
    expect(await run).toMatchObject({ records: 1, batches: 1 });
    expect((await checkpoint.load())?.shards).toEqual([{ shardId: 'only', sequenceNumber: last, finished: false }]);
  });

  it('take a record of keys alone', async () => {
    const { stream, make } = await scripted();
    stream.open('only');
    const { source, target } = user('1');
    stream.appendRaw('only', {
      eventName: 'INSERT',
      dynamodb: { Keys: { source, target }, SequenceNumber: '100000000000000000001' },
    });
    expect(await make().run({ untilIdle: true })).toMatchObject({ records: 1, touches: 2 });
  });

  it('report their records in the order of the stream', async () => {
    const { stream, reports, make } = await scripted();
    stream.open('only');
    for (const id of ['c', 'a', 'b']) await stream.put('only', user(id));
    await make().run({ untilIdle: true });
    expect(idsOf(reports.flatMap(({ records }) => [...records]))).toEqual(['c', 'a', 'b']);
  });
});
