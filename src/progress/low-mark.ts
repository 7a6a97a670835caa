import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import { StoreError } from '../errors.ts';
import type { CompiledModel } from '../model/compiled.ts';
import { checkStoreOptions } from '../options.ts';
import type { Store } from '../store/port.ts';
import { describeTable } from '../store/table.ts';
import { DynamoDBStreamSource } from '../stream/source.ts';
import { MarkMover } from './mark-mover.ts';
import { isOfMoment } from './stream-walk.ts';

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
 * which each record of every shard is claimed as applied by a consumer. Undefined where that is not known: the table has no
 * stream, reading it fails for the moment, or several batches of a shard are applied at a time (`parallelizationFactor` above 1). Make
 * one for a process. One process of all moves the mark: it walks the stream, at two or more GetRecords for each shard; the
 * others read what it publishes, one item. Who may not write to the partition `~edgeloom` walks for itself.
 *
 * It rests on the claims of the consumers, so that it stands still where these have `progress: false`, and at a batch that was given
 * up until a redrive has settled that.
 *
 * @example
 * const lowMark = createLowMark(graph, { store, client, streams: createStreamsClient() });
 * const session = Session.from(request.cookies.s, { key, lowMark });
 */
export function createLowMark(graph: CompiledModel, options: LowMarkOptions): () => Promise<number | undefined> {
  checkStoreOptions('createLowMark', options, { store: true, client: true, streams: true, everyMs: true, now: true });
  const { store, client, streams, everyMs = EVERY_MS, now = Date.now } = options;
  let source: DynamoDBStreamSource | undefined;
  let mover: MarkMover | undefined;
  let mark: number | undefined;
  let lookedAtMs = Number.NEGATIVE_INFINITY;
  let looking: Promise<void> | undefined;
  const look = async (): Promise<void> => {
    const startedAtMs = now();
    try {
      const streamArn = source?.streamArn ?? (await describeTable(client, graph)).streamArn;
      source ??= streamArn === undefined ? undefined : new DynamoDBStreamSource(streams, streamArn);
      mover ??= source && new MarkMover({ graph, store, source, now });
      mark = await mover?.upToMs(everyMs);
    } catch (error) {
      if (error instanceof StoreError && error.code === 'no-stream') {
        // The table has another stream by now, of which nothing is known yet.
        source = undefined;
        mover = undefined;
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
