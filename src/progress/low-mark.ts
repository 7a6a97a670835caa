import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import { StoreError } from '../errors.ts';
import type { CompiledModel } from '../model/compiled.ts';
import { checkStoreOptions } from '../options.ts';
import type { Store } from '../store/port.ts';
import { describeTable } from '../store/table.ts';
import { DynamoDBStreamSource, StreamError } from '../stream/source.ts';
import { notedUpToMs, streamPosition } from './stream-position.ts';

/** Options of `createLowMark`. */
export interface LowMarkOptions {
  /** The table. */
  store: Store;
  /** Asked which stream the table has. */
  client: DynamoDBClient;
  /** Reads the stream: `createStreamsClient()`. */
  streams: DynamoDBStreamsClient;
  /** How long an answer is given again, in milliseconds; all callers share it. Default 5,000. */
  everyMs?: number | undefined;
  /** Clock in milliseconds since 1970. Default: the machine's. */
  now?: (() => number) | undefined;
}

const EVERY_MS = 5_000;

/**
 * Tells up to when a table's stream is applied, for `lowMark` of a session and of `waitForProjection`: milliseconds since 1970 before
 * which each record of every shard is noted as applied by a consumer. Undefined where that is not known: the table has no
 * stream, or reading it fails for the moment. Make one for a process: an answer costs a Query, a DescribeStream, and two or more
 * GetRecords for each shard, which allows five a second to all of its readers.
 *
 * It rests on the progress records of the consumers, so that it stands still where these have `progress: false`.
 *
 * @example
 * const lowMark = createLowMark(graph, { store, client, streams: createStreamsClient() });
 * const session = Session.from(request.cookies.s, { key, lowMark });
 */
export function createLowMark(graph: CompiledModel, options: LowMarkOptions): () => Promise<number | undefined> {
  checkStoreOptions('createLowMark', options, { store: true, client: true, streams: true, everyMs: true, now: true });
  const { store, client, streams, everyMs = EVERY_MS, now = Date.now } = options;
  let source: DynamoDBStreamSource | undefined;
  let mark: number | undefined;
  let lookedAtMs = Number.NEGATIVE_INFINITY;
  let looking: Promise<void> | undefined;
  const look = async (): Promise<void> => {
    const startedAtMs = now();
    try {
      const streamArn = source?.streamArn ?? (await describeTable(client, graph)).streamArn;
      source ??= streamArn === undefined ? undefined : new DynamoDBStreamSource(streams, streamArn);
      // Nothing is compared: what no consumer has noted does not count as applied.
      const context = { graph, store, now, isProjected: async () => true };
      mark = source && notedUpToMs(await streamPosition({ ...context, source }));
    } catch (error) {
      if (error instanceof StoreError && error.code === 'no-stream') {
        // The table has another stream by now, of which nothing is known yet.
        source = undefined;
        mark = undefined;
      } else if (!isOfMoment(error)) throw error;
      // What was applied stays applied: the mark before holds.
    }
    lookedAtMs = startedAtMs;
  };
  return async () => {
    if (now() - lookedAtMs < everyMs) return mark;
    looking ??= look().finally(() => {
      looking = undefined;
    });
    await looking;
    return mark;
  };
}

/** Whether it may pass by itself: throttling, or a shard that was trimmed or ended between two calls. */
function isOfMoment(error: unknown): boolean {
  return error instanceof StreamError || (error instanceof StoreError && error.kind === 'retryable');
}
