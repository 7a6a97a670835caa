import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import type { CompiledModel } from '../../core/model/compiled.ts';
import type { Store } from '../../core/store-port.ts';
import { StoreError } from '../../foundation/errors.ts';
import { checkStoreOptions } from '../../foundation/options.ts';
import { type RuntimeOptions, runtimeOf } from '../../foundation/runtime.ts';
import { describeTable } from '../../store/table-description.ts';
import { DynamoDBStreamSource } from '../dynamodb-source.ts';
import { TailedSource } from '../tailed-source.ts';
import { readPublishedLowWatermark } from './applied-places.ts';
import { LowWatermarkMover, type MoverContext } from './low-watermark-mover.ts';
import { isTemporaryError } from './stream-walk.ts';

/** Options of `createLowWatermark`. */
export interface LowWatermarkOptions {
  /** @internal */
  now?: RuntimeOptions['now'];
  /** Access to the table. */
  store: Store;
  /** A client that finds the table's stream. */
  client: DynamoDBClient;
  /** A client that reads the stream: `createStreamsClient()`. */
  streams: DynamoDBStreamsClient;
  /** How long all callers share an answer, in milliseconds. Default: 5,000. */
  everyMs?: number | undefined;
}

const EVERY_MS = 5_000;

/**
 * Makes the function that reads a table's low watermark, for the option `lowWatermark` of sessions and of
 * `waitForProjection`. The low watermark is the time, in milliseconds since 1970, before which consumers have claimed
 * every record of all shards. It is undefined if unknown: the table has no stream, no reading of the stream has
 * succeeded yet, several batches of a shard are applied in parallel (`parallelizationFactor` above 1), or the table got
 * another stream less than 25 hours ago. Make one function per process: among all processes, one walks the stream, and
 * the others read the result from the table.
 *
 * The low watermark doesn't move while consumers run with `progress: false`, and stops at a failed batch until a
 * redrive has reconciled the batch, or 25 hours have passed.
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
    everyMs: 'milliseconds',
    now: 'internal',
  });
  const { store, client, streams, everyMs = EVERY_MS } = options;
  const { now } = runtimeOf(options);
  let mover: LowWatermarkMover | undefined;
  const look = async (): Promise<number | undefined> => {
    if (mover === undefined) {
      const { streamArn } = await describeTable(graph, { client });
      if (streamArn === undefined) return undefined;
      mover = new LowWatermarkMover({ graph, store, source: new DynamoDBStreamSource(streams, streamArn), now });
    }
    return await mover.advance(everyMs);
  };
  // The table may have a new stream, so the next look describes it again.
  const onGone = (): undefined => {
    mover = undefined;
  };
  return lastKnown({ look, onGone, everyMs, now });
}

export function lowWatermarkOfStream(context: MoverContext, everyMs = EVERY_MS): () => Promise<number | undefined> {
  const mover = new LowWatermarkMover(context);
  // A disabled stream gets no more records, so its last low watermark stays true.
  const onGone = (last: number | undefined): number | undefined => last;
  return lastKnown({ look: () => mover.advance(everyMs), onGone, everyMs, now: context.now });
}

interface Looking {
  look: () => Promise<number | undefined>;
  onGone: (last: number | undefined) => number | undefined;
  everyMs: number;
  now: () => number;
}

/** Keeps the last low watermark after a temporary error, because it stays true. */
function lastKnown({ look, onGone, everyMs, now }: Looking): () => Promise<number | undefined> {
  let last: number | undefined;
  let answeredFromMs = Number.NEGATIVE_INFINITY;
  let looking: Promise<void> | undefined;
  const lookNow = async (): Promise<void> => {
    const atMs = now();
    try {
      last = await look();
    } catch (error) {
      if (error instanceof StoreError && error.code === 'no-stream') last = onGone(last);
      else if (!isTemporaryError(error)) throw error;
    }
    answeredFromMs = atMs;
  };
  return async () => {
    if (now() - answeredFromMs >= everyMs) {
      looking ??= lookNow().finally(() => {
        looking = undefined;
      });
      await looking;
    }
    return last;
  };
}

/** The low watermark in a process that reads the whole stream anyway, such as an observer. */
export interface TailLowWatermark {
  listener: TailedSource;
  upToMs(): Promise<number | undefined>;
}

export function lowWatermarkOfTail(context: MoverContext, everyMs: number): TailLowWatermark {
  const { store, source, now } = context;
  const listener = new TailedSource(source);
  // rule: low-watermark-is-not-later-than-the-reading
  const tail = { source: listener, now: () => Math.min(now(), listener.throughMs ?? 0) };
  const move = lowWatermarkOfStream({ ...context, tail }, everyMs);
  return {
    listener,
    async upToMs() {
      if (listener.throughMs !== undefined) return await move();
      const { published } = await readPublishedLowWatermark(store);
      return published?.streamArn === source.streamArn ? published.upToMs : undefined;
    },
  };
}
