import { describe, expect, it } from 'vitest';
import { createReader } from '../../src/client/read/reader.ts';
import { StoreError } from '../../src/foundation/errors.ts';
import { migrate } from '../../src/migrate/migrate.ts';
import { createProjector } from '../../src/projecting/apply/projector.ts';
import type { Projector } from '../../src/projecting/apply/projector-types.ts';
import { createSourceWorker } from '../../src/projecting/worker/worker.ts';
import type { BatchReport, TrimmedShard, WorkerSettings } from '../../src/projecting/worker/worker-types.ts';
import { readHead } from '../../src/registry/head.ts';
import { type Checkpoint, type CheckpointStore, memoryCheckpoint } from '../../src/stream/checkpoint.ts';
import { StreamError } from '../../src/stream/source.ts';
import { failingStore, followGraph, follows, idsOf, recordingLogger, user, viewOf } from '../support/follow-graph.ts';
import { ScriptedStream } from '../support/scripted-stream.ts';
import { testTable } from '../support/table.ts';

async function scripted() {
  const { graph, store } = await testTable(followGraph());
  const stream = new ScriptedStream(store);
  stream.open('only');
  const logger = recordingLogger();
  const make = (settings: Partial<WorkerSettings> = {}) =>
    createSourceWorker(graph, { source: stream, store, pollIntervalMs: 10, shardIntervalMs: 250, logger, ...settings });
  return { graph, store, stream, logger, make };
}

/** The same, after a worker that has kept its place behind one record. */
async function withPlace() {
  const table = await scripted();
  const checkpoint = memoryCheckpoint();
  await table.stream.put('only', user('0'));
  await table.make({ checkpoint }).run({ untilIdle: true });
  return { ...table, checkpoint };
}

/** A checkpoint in memory that remembers every save. */
function recordingCheckpoint(): CheckpointStore & { saves: Checkpoint[] } {
  const kept = memoryCheckpoint();
  const saves: Checkpoint[] = [];
  return {
    ...kept,
    saves,
    async save(checkpoint) {
      saves.push(structuredClone(checkpoint));
      await kept.save(checkpoint);
    },
  };
}

describe('reading trouble', () => {
  it('an expired iterator: a new one goes on after the last record', async () => {
    const { stream, store, make } = await scripted();
    for (let i = 0; i < 3; i++) await stream.put('only', user(`${i}`));
    const worker = make();
    const run = worker.run();
    await worker.idle();
    stream.expireIterators();
    await stream.put('only', user('3'));
    await worker.idle();
    await worker.stop();
    expect(await run).toMatchObject({ records: 4, trimmed: [] });
    expect(stream.calls.filter((call) => call === 'open only')).toHaveLength(2);
    expect(await viewOf(store, '3')).toEqual({ name: '3', follows: [] });
  });

  it('an iterator that expires between two pages of one batch', async () => {
    const { stream, make } = await scripted();
    for (let i = 0; i < 2500; i++) stream.append('only', user('1', `name ${i}`), user('1', `name ${i}`));
    let pages = 0;
    stream.beforeRead = async () => {
      pages += 1;
      if (pages === 2) stream.expireIterators();
    };
    expect(await make().run({ untilIdle: true })).toMatchObject({ records: 2500, batches: 1 });
  });

  it('throttled reads are tried again, and what was read before is kept', async () => {
    const { stream, logger, make } = await scripted();
    for (let i = 0; i < 1500; i++) stream.append('only', user('1', `name ${i}`), user('1', `name ${i}`));
    let pages = 0;
    stream.beforeRead = async () => {
      pages += 1;
      if (pages === 2) stream.throttle(3);
    };
    expect(await make().run({ untilIdle: true })).toMatchObject({ records: 1500, batches: 1 });
    expect(logger.lines).toHaveLength(3);
  });

  it('a stream that does not answer when the worker starts is asked again', async () => {
    const { stream, make } = await scripted();
    await stream.put('only', user('1'));
    const describe = stream.describe.bind(stream);
    let failures = 2;
    stream.describe = async () => {
      failures -= 1;
      if (failures >= 0) throw new StoreError('retryable', 'no-connection', 'No answer.');
      return describe();
    };
    expect(await make().run({ untilIdle: true })).toMatchObject({ records: 1 });
  });
});

describe('trimmed data', () => {
  it('a worker that fell behind says so, says what to do, and goes on with what is left', async () => {
    const { stream, store, logger, make, checkpoint } = await withPlace();
    for (let i = 1; i < 6; i++) await stream.put('only', user(`${i}`));
    stream.trim('only', 3);
    const events: TrimmedShard[] = [];

    const result = await make({ checkpoint, onTrimmed: (event) => events.push(event) }).run({ untilIdle: true });

    expect(result.records).toBe(3);
    expect(result.trimmed).toEqual([{ shardId: 'only', message: expect.stringContaining('edgeloom migrate') }]);
    expect(events).toEqual(result.trimmed);
    expect(logger.lines.join()).toContain('Shard only has lost records');
    expect(await viewOf(store, '2')).toBeUndefined();
    expect(await viewOf(store, '3')).toEqual({ name: '3', follows: [] });
    expect((await make({ checkpoint }).run({ untilIdle: true })).trimmed).toEqual([]);
  });

  it('takes every projection of a registered table from readers, until a migration has verified it', async () => {
    const { stream, store, make, graph, checkpoint } = await withPlace();
    await migrate(graph, { store });
    const generations = async () => {
      const { registry } = (await readHead({ store, stats: { rcu: 0 } }))!;
      return [...registry.projections.values()].flatMap((one) => one.generations.map(({ state }) => state));
    };
    expect(new Set(await generations())).toEqual(new Set(['ready']));
    for (let i = 1; i < 6; i++) await stream.put('only', user(`${i}`));
    stream.trim('only', 3);
    await make({ checkpoint }).run({ untilIdle: true });
    expect(new Set(await generations())).toEqual(new Set(['building']));
    await expect(createReader(graph, { store }).inbound('USER-1', 'FOLLOWS')).rejects.toMatchObject({
      code: 'projection-not-ready',
    });
    expect((await migrate(graph, { store, wait: async () => undefined })).done).toBe(true);
    expect(await viewOf(store, '2')).toEqual({ name: '2', follows: [] });
  });

  it('is reported once, also where nothing is left to read after the gap', async () => {
    const { stream, make, checkpoint } = await withPlace();
    await stream.put('only', user('1'));
    await stream.put('only', user('2'));
    stream.trim('only', 3);
    expect((await make({ checkpoint }).run({ untilIdle: true })).trimmed).toHaveLength(1);
    expect((await make({ checkpoint }).run({ untilIdle: true })).trimmed).toEqual([]);
  });

  it('a shard that left the stream before it was read to its end is reported, and its place forgotten', async () => {
    const { stream, make, checkpoint } = await withPlace();
    stream.vanish('only');
    stream.open('child', 'only');
    await stream.put('child', user('1'));

    const result = await make({ checkpoint }).run({ untilIdle: true });

    expect(result).toMatchObject({ records: 1, trimmed: [{ shardId: 'only' }] });
    expect((await checkpoint.load())?.shards.map(({ shardId }) => shardId)).toEqual(['child']);
  });

  it('a shard that leaves the stream while it is read is reported too', async () => {
    const { stream, make } = await scripted();
    await stream.put('only', user('0'));
    const worker = make();
    const run = worker.run();
    await worker.idle();
    stream.vanish('only');
    stream.open('child', 'only');
    await stream.put('child', user('1'));
    await worker.idle();
    await worker.stop();
    expect(await run).toMatchObject({ records: 2, trimmed: [{ shardId: 'only' }] });
  });

  it.each(['read', 'applied in part'])(
    'a shard that leaves the stream while it is %s is reported once',
    async (how) => {
      const { graph, store, stream, make } = await scripted();
      for (let i = 0; i < 4; i++) await stream.put('only', user(`${i}`));
      let tell = (): void => undefined;
      const told = new Promise<void>((resolve) => {
        tell = resolve;
      });
      let isFirst = true;
      const leave = async (): Promise<boolean> => {
        if (!isFirst) return false;
        isFirst = false;
        stream.vanish('only');
        stream.open('child', 'only');
        await stream.put('child', user('5'));
        await told;
        return true;
      };
      stream.beforeRead = async () => {
        if (how === 'read' && (await leave())) throw new StreamError('trimmed', 'The records are gone.');
      };
      const inner = createProjector(graph, { store });
      const projector: Projector = {
        async project(records, options) {
          if (how === 'read' || !(await leave())) return inner.project(records, options);
          const result = await inner.project(records.slice(0, 2), options);
          return { ...result, failedFrom: records[2], error: new StoreError('retryable', 'planned', 'slow down') };
        },
      };
      const checkpoint = recordingCheckpoint();
      const result = await make({ projector, checkpoint, onTrimmed: tell }).run({ untilIdle: true });
      expect(result.trimmed).toMatchObject([
        { shardId: 'only', message: expect.stringContaining('has left the stream before') },
      ]);
      const places = checkpoint.saves.flatMap(({ shards }) => shards.map(({ shardId }) => shardId));
      expect(new Set(places)).toEqual(new Set(['child']));
    },
  );

  it('a finished shard that left the stream is no loss, and is forgotten', async () => {
    const { stream, make } = await scripted();
    const checkpoint = memoryCheckpoint();
    await stream.put('only', user('0'));
    stream.close('only');
    stream.open('child', 'only');
    await make({ checkpoint }).run({ untilIdle: true });
    expect((await checkpoint.load())?.shards).toContainEqual(
      expect.objectContaining({ shardId: 'only', finished: true }),
    );
    stream.vanish('only');
    await stream.put('child', user('1'));
    expect(await make({ checkpoint }).run({ untilIdle: true })).toMatchObject({ records: 1, trimmed: [] });
    expect((await checkpoint.load())?.shards.map(({ shardId }) => shardId)).toEqual(['child']);
  });
});

describe('writing trouble', () => {
  it('a partial failure: the checkpoint stands just before the first record not applied, and the rest is tried again', async () => {
    const { graph, stream, store, make } = await scripted();
    const sequenceNumbers: string[] = [];
    for (let i = 0; i < 8; i++) sequenceNumbers.push(await stream.put('only', user(`${i}`)));
    let isFailing = true;
    // The time of a batch is over after some attempts at what fails, however slow the machine is.
    let attempts = 0;
    const failing = failingStore(store, 'retryable', (id) => {
      const fails = isFailing && (id === '5' || id === '6');
      if (fails) attempts += 1;
      return fails;
    });
    const inner = createProjector(graph, { store: failing });
    const projector: Projector = {
      project(records) {
        attempts = 0;
        return inner.project(records, { remainingMs: () => (attempts < 4 ? 60_000 : 0) });
      },
    };
    const checkpoint = recordingCheckpoint();
    const failures: BatchReport[] = [];
    const whileFailing: Checkpoint[] = [];
    const result = await make({
      projector,
      checkpoint,
      onBatch: (report) => {
        if (report.result.failedFrom === undefined) return;
        failures.push(report);
        if (failures.length < 3) return;
        whileFailing.push(...checkpoint.saves);
        isFailing = false;
      },
    }).run({ untilIdle: true });

    expect(result).toMatchObject({ records: 8, quarantined: 0 });
    expect(failures[0]?.result.error).toMatchObject({ kind: 'retryable', code: 'planned' });
    expect(failures.map(({ result: { failedFrom } }) => failedFrom?.source)).toEqual(['USER-5', 'USER-5', 'USER-5']);
    for (const { shards } of whileFailing) expect(shards[0]?.sequenceNumber).toBe(sequenceNumbers[4]);
    expect(idsOf(failures[1]?.records ?? [])[0]).toBe('5');
    expect(checkpoint.saves.at(-1)?.shards[0]?.sequenceNumber).toBe(sequenceNumbers[7]);
    for (let i = 0; i < 8; i++) expect(await viewOf(store, `${i}`)).toEqual({ name: `${i}`, follows: [] });
  });

  it('a batch that never ends in time is cut until it does', async () => {
    const { graph, stream, store, make } = await scripted();
    // The view of user 0 both gains and loses edges: it is the last that is written, and holds the first record.
    await stream.put('only', follows('0', 'x'));
    await stream.put('only', follows('0', 'y'));
    await stream.remove('only', 'USER-0', 'FOLLOWS-USER-x');
    for (let i = 1; i < 400; i++) await stream.put('only', user(`${i}`));
    const slow = new Proxy(store, {
      get: (target, property) => {
        const value: unknown = Reflect.get(target, property);
        if (typeof value !== 'function') return value;
        return async (...parameters: unknown[]): Promise<unknown> => {
          await new Promise((resolve) => setTimeout(resolve, 60));
          return Reflect.apply(value, target, parameters);
        };
      },
    });
    const sizes: number[] = [];
    const result = await make({
      projector: createProjector(graph, { store: slow, concurrency: 2 }),
      batchTimeoutMs: 200,
      onBatch: ({ records }) => sizes.push(records.length),
    }).run({ untilIdle: true });
    expect(result.records).toBe(402);
    expect(sizes[0]).toBe(402);
    expect(sizes[1]).toBeLessThan(402);
    expect(await viewOf(store, '0')).toEqual({ follows: ['y'] });
    expect(await viewOf(store, '399')).toEqual({ name: '399', follows: [] });
  });

  it('a fatal error ends the worker with it; the checkpoint stands before what is not applied', async () => {
    const { stream, store, make } = await scripted();
    const sequenceNumbers: string[] = [];
    for (let i = 0; i < 4; i++) sequenceNumbers.push(await stream.put('only', user(`${i}`)));
    const checkpoint = memoryCheckpoint();
    const worker = make({ store: failingStore(store, 'fatal', (id) => id === '2'), checkpoint });
    const idle = expect(worker.idle()).rejects.toMatchObject({ kind: 'fatal', code: 'planned' });
    await expect(worker.run()).rejects.toMatchObject({ kind: 'fatal', code: 'planned' });
    await idle;
    await worker.stop();
    const [shard] = (await checkpoint.load())?.shards ?? [];
    // A fatal error ends the batch at once, so that records before it may be left over as well.
    expect([undefined, ...sequenceNumbers.slice(0, 2)]).toContain(shard?.sequenceNumber);
    expect(await make({ checkpoint }).run({ untilIdle: true })).toMatchObject({ quarantined: 0 });
    for (let i = 0; i < 4; i++) expect(await viewOf(store, `${i}`)).toEqual({ name: `${i}`, follows: [] });
  });

  it('a checkpoint that cannot be written ends the worker with that error', async () => {
    const { stream, make } = await scripted();
    await stream.put('only', user('1'));
    const checkpoint = { ...memoryCheckpoint(), save: () => Promise.reject(new Error('disk full')) };
    await expect(make({ checkpoint }).run({ untilIdle: true })).rejects.toThrow('disk full');
  });

  it('stop does not wait for a table that takes nothing longer than the grace', async () => {
    const { stream, store, make } = await scripted();
    await stream.put('only', user('0'));
    let sawTry = (): void => undefined;
    const tried = new Promise<void>((resolve) => {
      sawTry = resolve;
    });
    const refusing = failingStore(store, 'retryable', () => {
      sawTry();
      return true;
    });
    const checkpoint = memoryCheckpoint();
    const worker = make({ store: refusing, checkpoint, stopGraceMs: 50 });
    const run = worker.run();
    await tried;
    await worker.stop();
    expect(await run).toMatchObject({ records: 0, endedBy: 'stop' });
    expect(await make({ checkpoint }).run({ untilIdle: true })).toMatchObject({ records: 1 });
  });
});
