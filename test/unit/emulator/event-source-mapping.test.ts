import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { createEventSourceMapping } from '../../../packages/local/emulator/mapping/event-source-mapping.ts';
import { folderDestination } from '../../../packages/local/emulator/mapping/failure-destination.ts';
import type {
  InvocationRecord,
  InvocationReport,
  MappingOptions,
} from '../../../packages/local/emulator/mapping/mapping-types.ts';
import { type CheckpointStore, memoryCheckpoint } from '../../../src/stream/checkpoint.ts';
import { parseFailedBatch } from '../../../src/trust/failures/failed-batch.ts';
import { followGraph, follows, recordingLogger, user } from '../../support/follow-graph.ts';
import { MemoryStore } from '../../support/memory-store/memory-store.ts';
import { failures, type Script, ScriptedFunction } from '../../support/scripted-function.ts';
import { ScriptedStream } from '../../support/scripted-stream.ts';

let stream: ScriptedStream;
let kept: InvocationRecord[];
let reports: InvocationReport[];
let checkpoint: CheckpointStore;
let logger: ReturnType<typeof recordingLogger>;

beforeEach(() => {
  stream = new ScriptedStream(new MemoryStore(followGraph('scripted').table));
  stream.open('shard');
  kept = [];
  reports = [];
  checkpoint = memoryCheckpoint();
  logger = recordingLogger();
});

/** Adds records of as many users; gives their sequence numbers. */
function add(count: number, shardId = 'shard', first = 0): string[] {
  return Array.from({ length: count }, (_, i) => {
    const item = user(`${first + i}`);
    return stream.append(shardId, item, item);
  });
}

function mapping(fn: ScriptedFunction, options: Partial<MappingOptions> = {}) {
  return createEventSourceMapping({
    source: stream,
    function: fn,
    checkpoint,
    functionResponseTypes: ['ReportBatchItemFailures'],
    pollIntervalMs: 5,
    shardIntervalMs: 25,
    retryDelayMs: () => 0,
    onFailure: {
      async send(record) {
        kept.push(record);
        return 'kept';
      },
    },
    onInvocation: (report) => reports.push(report),
    logger,
    ...options,
  });
}

/** Runs a mapping until all is quiet. */
async function deliver(script: Script, options: Partial<MappingOptions> = {}) {
  const fn = new ScriptedFunction(script);
  const result = await mapping(fn, options).run({ untilIdle: true });
  return { fn, result };
}

async function position(): Promise<string | undefined> {
  return (await checkpoint.load())?.shards.find(({ shardId }) => shardId === 'shard')?.sequenceNumber;
}

const succeed: Script = () => failures();

describe('batches', () => {
  it('hold batchSize records, and the last what is left', async () => {
    const all = add(7);
    const { fn, result } = await deliver(succeed, { batchSize: 3 });
    expect(fn.batches).toEqual([all.slice(0, 3), all.slice(3, 6), all.slice(6)]);
    expect(result).toEqual({
      endedBy: 'idle',
      invocations: 3,
      failedInvocations: 0,
      delivered: 7,
      filtered: 0,
      givenUp: 0,
    });
    expect(await position()).toBe(all[6]);
  });

  it('span pages while the shard is behind', async () => {
    add(2500);
    const { fn } = await deliver(succeed, { batchSize: 10_000 });
    expect(fn.batches.map(({ length }) => length)).toEqual([2500]);
  });

  it('stay below 6 MB', async () => {
    for (let i = 0; i < 20; i++) {
      const item = user(`${i}`, 'x'.repeat(390_000));
      stream.append('shard', item, item);
    }
    const { fn } = await deliver(succeed);
    const sizes = fn.events.map((event) => Buffer.byteLength(JSON.stringify(event)));
    expect(Math.max(...sizes)).toBeLessThanOrEqual(6 * 1024 * 1024);
    expect(fn.batches.map(({ length }) => length)).toEqual([16, 4]);
  });

  it('wait for others as long as the window says, unless they are full', async () => {
    let nowMs = Date.now();
    const now = (): number => nowMs;
    const fn = new ScriptedFunction(succeed);
    const running = mapping(fn, { batchSize: 4, maximumBatchingWindowSeconds: 10, now });
    const run = running.run();
    const first = add(2);
    await polls(3);
    expect(fn.batches).toEqual([]);
    const second = add(3, 'shard', 2);
    await polls(3);
    expect(fn.batches).toEqual([[...first, ...second.slice(0, 2)]]);
    nowMs += 10_000;
    await running.idle();
    expect(fn.batches[1]).toEqual(second.slice(2));
    await running.stop();
    expect(await run).toMatchObject({ endedBy: 'stop', delivered: 5 });
  });

  it('have the form of a Lambda event: times in seconds, binaries as base64, any attribute name', async () => {
    const image = { ...user('1'), picture: { B: new Uint8Array([1, 2]) } };
    Object.defineProperty(image, '__proto__', { value: { S: 'kept' }, enumerable: true });
    const number = stream.append('shard', image, image);
    const { fn } = await deliver(succeed);
    const event = JSON.parse(JSON.stringify(fn.events[0])) as { Records: { dynamodb: { NewImage: object } }[] };
    expect(event.Records[0]).toMatchObject({
      eventName: 'INSERT',
      eventSource: 'aws:dynamodb',
      awsRegion: 'us-east-1',
      eventSourceARN: stream.streamArn,
      dynamodb: {
        SequenceNumber: number,
        ApproximateCreationDateTime: expect.any(Number),
        Keys: { source: { S: 'USER-1' } },
        NewImage: { picture: { B: 'AQI=' } },
      },
    });
    expect(JSON.stringify(event.Records[0]!.dynamodb.NewImage)).toContain('"__proto__":{"S":"kept"}');
  });
});

/** Waits until the shard was read so many times more. */
async function polls(count: number): Promise<void> {
  const reads = (): number => stream.calls.filter((call) => call === 'read shard').length;
  for (const expected = reads() + count; reads() < expected; ) await new Promise((resolve) => setTimeout(resolve, 2));
}

describe('filters', () => {
  it('let records through by their sort key; the others cost no invocation and move the checkpoint', async () => {
    add(1);
    const edge = follows('1', '2');
    stream.append('shard', edge, edge);
    const view = { source: { S: 'USER-1' }, target: { S: '~view' } };
    const last = stream.append('shard', view, view);
    const filters = [{ dynamodb: { Keys: { target: { S: [{ prefix: 'FOLLOWS-' }] } } } }];
    const { fn, result } = await deliver(succeed, { filters });
    expect(fn.events.flatMap(({ Records }) => Records)).toMatchObject([
      { dynamodb: { Keys: { target: edge['target'] } } },
    ]);
    expect(result).toMatchObject({ invocations: 1, delivered: 1, filtered: 2 });
    expect(await position()).toBe(last);
    stream.append('shard', view, view);
    expect((await deliver(succeed, { filters })).result).toMatchObject({ invocations: 0, filtered: 1 });
  });
});

describe('a batch that failed', () => {
  it('goes on from the lowest record that the function reports', async () => {
    const all = add(5);
    let tries = 0;
    const { fn, result } = await deliver(() => (tries++ === 0 ? failures(all[4]!, all[2]!) : failures()));
    expect(fn.batches).toEqual([all, all.slice(2)]);
    expect(result).toMatchObject({ delivered: 5, failedInvocations: 1, givenUp: 0 });
  });

  it.each<[string, (all: string[]) => unknown]>([
    ['names a record that it does not hold', () => failures('1')],
    ['has an empty identifier', () => failures('')],
    ['is of another form', () => ({ batchItemFailures: [{ wrong: '1' }] })],
  ])('comes again whole where the answer %s', async (_name, answer) => {
    const all = add(3);
    let tries = 0;
    const { fn } = await deliver(() => (tries++ === 0 ? answer(all) : failures()));
    expect(fn.batches).toEqual([all, all]);
  });

  it('comes again whole where the function throws, and its order with the next is kept', async () => {
    const all = add(4);
    let tries = 0;
    const script: Script = () => {
      if (tries++ < 3) throw new Error('not yet');
      return failures();
    };
    const { fn } = await deliver(script, { batchSize: 2 });
    const [first, second] = [all.slice(0, 2), all.slice(2)];
    expect(fn.batches).toEqual([first, first, first, first, second]);
    expect(reports.map(({ retries, next }) => [retries, next])).toEqual([
      [0, 'retry'],
      [1, 'retry'],
      [2, 'retry'],
      [3, 'done'],
      [0, 'done'],
    ]);
    expect(logger.lines).toEqual([]);
  });

  it('is told in the log where there is no listener', async () => {
    add(1);
    let tries = 0;
    const script: Script = () => {
      if (tries++ === 0) throw new RangeError('not yet');
      return tries === 2 ? failures('') : failures();
    };
    await deliver(script, { onInvocation: undefined });
    expect(logger.lines).toEqual([
      'The function failed: RangeError: not yet',
      expect.stringContaining('reported failed records'),
    ]);
  });

  it('is done whatever is returned, where the mapping reads no failures of items', async () => {
    const all = add(2);
    const { fn } = await deliver(() => failures(all[0]!), { functionResponseTypes: [] });
    expect(fn.batches).toEqual([all]);
  });
});

describe('bisection', () => {
  it('finds a poisoned record without a retry, and delivers all others', async () => {
    const all = add(8);
    const poison = all[5]!;
    const script: Script = (numbers) => {
      if (numbers.includes(poison)) throw new Error('poisoned');
    };
    const { fn, result } = await deliver(script, { bisectBatchOnFunctionError: true, maximumRetryAttempts: 1 });
    expect(fn.batches.slice(0, 4)).toEqual([all, all.slice(0, 4), all.slice(4), all.slice(4, 6)]);
    expect(fn.batches.filter((batch) => batch.length === 1 && batch[0] === poison)).toHaveLength(2);
    expect(result).toMatchObject({ delivered: 7, givenUp: 1 });
    expect(kept.map(({ DDBStreamBatchInfo }) => DDBStreamBatchInfo.batchSize)).toEqual([1]);
    expect(await position()).toBe(all[7]);
  });

  it('splits at the record that is reported, and there again in halves', async () => {
    const all = add(6);
    const poison = all[2]!;
    const { fn, result } = await deliver((numbers) => failures(...(numbers.includes(poison) ? [poison] : [])), {
      bisectBatchOnFunctionError: true,
      maximumRetryAttempts: 0,
    });
    expect(fn.batches).toEqual([all, all.slice(2), all.slice(2, 4), [poison], all.slice(3, 4), all.slice(4)]);
    expect(result).toMatchObject({ delivered: 5, givenUp: 1 });
  });
});

describe('giving up', () => {
  it('comes after the last retry, with the whole batch in the form that redrive reads', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'edgeloom-failures-'));
    const all = add(2);
    const throws: Script = () => {
      throw new TypeError('never');
    };
    const options = { maximumRetryAttempts: 2, onFailure: folderDestination(folder) };
    const { fn, result } = await deliver(throws, options);
    expect(fn.batches).toHaveLength(3);
    expect(result).toMatchObject({ delivered: 0, givenUp: 2 });
    const [file, ...others] = await readdir(folder);
    expect(others).toEqual([]);
    const text = await readFile(join(folder, file!), 'utf8');
    await rm(folder, { recursive: true });
    expect(JSON.parse(text)).toMatchObject({
      requestContext: { functionArn: fn.arn, condition: 'RetryAttemptsExhausted', approximateInvokeCount: 3 },
      responseContext: { statusCode: 200, executedVersion: '$LATEST', functionError: 'Unhandled' },
      version: '1.0',
    });
    const batch = parseFailedBatch(text);
    expect(batch).toMatchObject({ shardId: 'shard', startSequenceNumber: all[0], endSequenceNumber: all[1] });
    expect(batch.payload?.Records).toEqual(JSON.parse(JSON.stringify(fn.events[0])).Records);
  });

  it('comes for what is left of a batch that goes on reporting failures', async () => {
    const all = add(3);
    const { result } = await deliver((numbers) => failures(...numbers.filter((one) => one !== all[0])), {
      maximumRetryAttempts: 1,
    });
    expect(result).toMatchObject({ invocations: 2, delivered: 1, givenUp: 2 });
    expect(kept).toMatchObject([{ responseContext: { statusCode: 200 } }]);
    expect(kept[0]!.responseContext).not.toHaveProperty('functionError');
  });

  it('comes by age, for the records that are too old alone, invoked or not', async () => {
    const old = add(2);
    const young = add(2, 'shard', 2);
    let nowMs = Date.now();
    for (const [i, { dynamodb }] of stream.recordsOf('shard').entries()) {
      dynamodb!.ApproximateCreationDateTime = new Date(nowMs - (i < 2 ? 100_000 : 30_000));
    }
    const { fn, result } = await deliver(
      () => {
        nowMs += 40_000;
        throw new Error('slow');
      },
      { maximumRecordAgeSeconds: 60, now: () => nowMs },
    );
    expect(fn.batches).toEqual([young]);
    expect(result).toMatchObject({ invocations: 1, givenUp: 4 });
    expect(kept.map(({ requestContext }) => requestContext)).toMatchObject([
      { condition: 'RecordAgeExceeded', approximateInvokeCount: 0 },
      { condition: 'RecordAgeExceeded', approximateInvokeCount: 1 },
    ]);
    expect(kept[0]).not.toHaveProperty('responseContext');
    expect(kept[0]!.DDBStreamBatchInfo).toMatchObject({ startSequenceNumber: old[0], endSequenceNumber: old[1] });
  });

  it('says so where there is no destination', async () => {
    add(1);
    const { result } = await deliver(() => failures(''), { maximumRetryAttempts: 0, onFailure: undefined });
    expect(result).toMatchObject({ givenUp: 1 });
    expect(logger.lines.at(-1)).toContain('dropped');
  });
});

describe('shards', () => {
  it('are read after their parents are answered for, retries included', async () => {
    const parent = add(3);
    stream.close('shard');
    stream.open('child', 'shard');
    const child = add(2, 'child', 5);
    let tries = 0;
    const { fn } = await deliver(() => (tries++ < 2 ? failures(parent[1]!) : failures()));
    expect(fn.batches).toEqual([parent, parent.slice(1), parent.slice(1), child]);
  });

  it('are delivered from their oldest record on, or from the newest where LATEST says so', async () => {
    const before = add(2);
    const late = new ScriptedFunction(succeed);
    const running = mapping(late, { startingPosition: 'LATEST', checkpoint: memoryCheckpoint() });
    const run = running.run();
    await running.idle();
    const after = add(2, 'shard', 2);
    stream.close('shard');
    stream.open('child', 'shard');
    const child = add(1, 'child', 4);
    await running.idle();
    await running.stop();
    await run;
    expect(late.batches).toEqual([after, child]);
    const { fn } = await deliver(succeed);
    expect(fn.batches).toEqual([[...before, ...after], child]);
  });
});

describe('the checkpoint', () => {
  it('moves with what is answered for, never beyond: a stopped mapping goes on behind it', async () => {
    const all = add(6);
    let running: ReturnType<typeof mapping> | undefined;
    const fn = new ScriptedFunction((numbers) => {
      if (!numbers.includes(all[3]!)) return failures();
      void running?.stop();
      throw new Error('stopped meanwhile');
    });
    running = mapping(fn, { batchSize: 2 });
    expect(await running.run()).toMatchObject({ endedBy: 'stop', delivered: 2 });
    expect(await position()).toBe(all[1]);
    const next = await deliver(succeed, { batchSize: 10 });
    expect(next.fn.batches).toEqual([all.slice(2)]);
  });

  it('is not moved by an invocation that outlasts the stop', async () => {
    add(1);
    let running: ReturnType<typeof mapping> | undefined;
    const fn = new ScriptedFunction(() => {
      void running?.stop();
      return new Promise(() => undefined);
    });
    running = mapping(fn, { stopGraceMs: 20 });
    expect(await running.run()).toMatchObject({ endedBy: 'stop', delivered: 0 });
    expect(await position()).toBeUndefined();
  });
});

describe('a mapping', () => {
  it.each<[string, Partial<MappingOptions>]>([
    ['batchSize', { batchSize: 0 }],
    ['maximumBatchingWindowSeconds', { maximumBatchingWindowSeconds: 301 }],
    ['maximumRetryAttempts', { maximumRetryAttempts: -2 }],
    ['maximumRecordAgeSeconds', { maximumRecordAgeSeconds: 59 }],
    ['startingPosition', { startingPosition: 'AT_TIMESTAMP' as 'LATEST' }],
    ['functionResponseTypes', { functionResponseTypes: ['Streaming' as 'ReportBatchItemFailures'] }],
  ])('refuses a wrong %s', (name, options) => {
    expect(() => mapping(new ScriptedFunction(), options)).toThrow(name);
  });

  it('ends where the function cannot be invoked at all', async () => {
    add(1);
    const fn = new ScriptedFunction();
    fn.invoke = () => Promise.reject(new Error('there is no such function'));
    await expect(mapping(fn).run()).rejects.toThrow('no such function');
  });

  it('goes on after throttled reads and expired iterators', async () => {
    const all = add(2);
    stream.throttle(2);
    stream.expireIterators();
    const { fn } = await deliver(succeed);
    expect(fn.batches).toEqual([all]);
  });
});
