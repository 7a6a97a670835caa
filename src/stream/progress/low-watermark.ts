import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import type { CompiledModel } from '../../core/model/compiled.ts';
import type { Store } from '../../core/store-port.ts';
import { StoreError } from '../../foundation/errors.ts';
import { checkStoreOptions } from '../../foundation/options.ts';
import { type RuntimeOptions, runtimeOf } from '../../foundation/runtime.ts';
import { describeTable } from '../../store/table-description.ts';
import { DynamoDBStreamSource } from '../dynamodb-source.ts';
import { LowWatermarkMover, type MoverContext } from './low-watermark-mover.ts';
import { isTemporaryError } from './stream-walk.ts';

/** Options of `createLowWatermark`. */
export interface LowWatermarkOptions {
  /** @internal */
  now?: RuntimeOptions['now'];
  /** The table. */
  store: Store;
  /** Finds the table's stream. */
  client: DynamoDBClient;
  /** Reads the stream: `createStreamsClient()`. */
  streams: DynamoDBStreamsClient;
  /** How long an answer is reused by all callers, in milliseconds. Default 5,000. */
  everyMs?: number | undefined;
}

const EVERY_MS = 5_000;

/**
 * Makes the function that reads a table's low watermark, for `lowWatermark` of a session and of `waitForProjection`:
 * the time, in milliseconds since 1970, before which consumers have claimed each record of every shard. Undefined if
 * unknown: the table has no stream, reading the stream temporarily fails, several batches of a shard are applied in
 * parallel (`parallelizationFactor` above 1), or the table got another stream less than 25 hours ago. Make one function
 * per process: among all processes, one walks the stream, and the others read the item that it publishes.
 *
 * It doesn't move while consumers run with `progress: false`, and stops at a failed batch until a redrive has
 * reconciled the batch.
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
        // The table has a new stream, of which nothing is known yet.
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

export function lowWatermarkOfStream(context: MoverContext, everyMs = EVERY_MS): () => Promise<number | undefined> {
  const mover = new LowWatermarkMover(context);
  let lowWatermark: number | undefined;
  const look = async (): Promise<number | undefined> => {
    try {
      lowWatermark = await mover.upToMs(everyMs);
    } catch (error) {
      // A disabled stream gets no more records: what was applied stays applied.
      const isOff = error instanceof StoreError && error.code === 'no-stream';
      if (!isOff && !isTemporaryError(error)) throw error;
    }
    return lowWatermark;
  };
  return sharedAnswer(look, everyMs, context.now);
}

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
