import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import type { CompiledModel } from '../../core/model/compiled.ts';
import type { Store } from '../../core/store-port.ts';
import { StoreError } from '../../foundation/errors.ts';
import { checkStoreOptions } from '../../foundation/options.ts';
import { type RuntimeOptions, runtimeOf } from '../../foundation/runtime.ts';
import { describeTable } from '../../store/table.ts';
import { DynamoDBStreamSource } from '../dynamodb-source.ts';
import { LowWatermarkMover, type MoverContext } from './low-watermark-mover.ts';
import { isTemporaryError } from './stream-walk.ts';

/** Options of `createLowWatermark`. */
export interface LowWatermarkOptions {
  /** @internal */
  now?: RuntimeOptions['now'];
  /** The table. */
  store: Store;
  /** Reads which stream the table has. */
  client: DynamoDBClient;
  /** Reads the stream: `createStreamsClient()`. */
  streams: DynamoDBStreamsClient;
  /** How long an answer is reused, in milliseconds; all callers share it. Default 5,000. */
  everyMs?: number | undefined;
}

const EVERY_MS = 5_000;

/**
 * Makes the function that reads a table's low watermark, for `lowWatermark` of a session and of `waitForProjection`: the time, in
 * milliseconds since 1970, before which consumers have claimed each record of every shard. It returns undefined if that is not
 * known: the table has no stream, reading the stream fails for now, several batches of a shard are applied at a time
 * (`parallelizationFactor` above 1), or the table got another stream less than 25 hours ago, and a low watermark of the one before was published. Make one function for each process. Among all processes one moves the low watermark: it walks the
 * stream, with two or more GetRecords calls for each shard. The others read the one item that it publishes. A process without the
 * right to write to the partition `~edgeloom` walks the stream itself.
 *
 * The low watermark rests on the claims of the consumers. It does not move while these run with `progress: false`. It stops at a batch that
 * was given up, until a redrive has reconciled that batch.
 *
 * @example
 * const lowWatermark = createLowWatermark(graph, { store, client, streams: createStreamsClient() });
 * const session = Session.from(request.cookies.s, { key, lowWatermark });
 */
export function createLowWatermark(
  graph: CompiledModel,
  options: LowWatermarkOptions,
): () => Promise<number | undefined> {
  checkStoreOptions('createLowWatermark', options, {
    store: true,
    client: true,
    streams: true,
    everyMs: true,
    now: true,
  });
  const { store, client, streams, everyMs = EVERY_MS } = options;
  const { now } = runtimeOf(options);
  let source: DynamoDBStreamSource | undefined;
  let mover: LowWatermarkMover | undefined;
  let lowWatermark: number | undefined;
  const look = async (): Promise<number | undefined> => {
    try {
      const streamArn = source?.streamArn ?? (await describeTable(graph, { client })).streamArn;
      source ??= streamArn === undefined ? undefined : new DynamoDBStreamSource(streams, streamArn);
      mover ??= source && new LowWatermarkMover({ graph, store, source, now });
      lowWatermark = await mover?.upToMs(everyMs);
    } catch (error) {
      if (error instanceof StoreError && error.code === 'no-stream') {
        // The table has a new stream now, and nothing is known about it yet.
        source = undefined;
        mover = undefined;
        lowWatermark = undefined;
      } else if (!isTemporaryError(error)) throw error;
      // Applied records stay applied: the last low watermark is still true.
    }
    return lowWatermark;
  };
  return sharedAnswer(look, everyMs, now);
}

/** The same for a process that knows the table's stream, and asks nobody for it. */
export function lowWatermarkOfStream(context: MoverContext, everyMs = EVERY_MS): () => Promise<number | undefined> {
  const mover = new LowWatermarkMover(context);
  let lowWatermark: number | undefined;
  const look = async (): Promise<number | undefined> => {
    try {
      lowWatermark = await mover.upToMs(everyMs);
    } catch (error) {
      // A stream that is switched off gets no more records: what was applied stays applied.
      const isOff = error instanceof StoreError && error.code === 'no-stream';
      if (!isOff && !isTemporaryError(error)) throw error;
    }
    return lowWatermark;
  };
  return sharedAnswer(look, everyMs, context.now);
}

/** One answer for all who ask within `everyMs`. */
function sharedAnswer<T>(look: () => Promise<T>, everyMs: number, now: () => number): () => Promise<T> {
  let answer: { value: T; atMs: number } | undefined;
  let looking: Promise<T> | undefined;
  const lookNow = async (): Promise<T> => {
    const atMs = now();
    const value = await look();
    answer = { value, atMs };
    return value;
  };
  return async () => {
    if (answer !== undefined && now() - answer.atMs < everyMs) return answer.value;
    looking ??= lookNow().finally(() => {
      looking = undefined;
    });
    return await looking;
  };
}
