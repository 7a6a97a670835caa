import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import type { CompiledModel } from '../../core/model/compiled.ts';
import { EdgeloomError, isRetryableStoreError } from '../../foundation/errors.ts';
import { checkGraph, checkOptions } from '../../foundation/options.ts';
import { runtimeOf } from '../../foundation/runtime.ts';
import { describeTable } from '../../store/table-description.ts';
import { DynamoDBStreamSource } from '../../stream/dynamodb-source.ts';
import type { StreamSource } from '../../stream/source.ts';
import { StreamTail, TAIL_LIMITS } from '../../stream/stream-tail.ts';
import { Feed } from './feed.ts';
import type { FeedOptions } from './subscriptions.ts';

/** Options of `startFeed`. */
export interface StartFeedOptions extends FeedOptions {
  /** Client that looks up the table's stream. */
  client: DynamoDBClient;
  /** Client that reads the stream, from `createStreamsClient`. */
  streams: DynamoDBStreamsClient;
  /** Milliseconds between reads of a quiet stream. Default: 500. */
  pollIntervalMs?: number | undefined;
}

/** A feed that is reading the stream. */
export interface RunningFeed {
  feed: Feed;
  /** Stops reading. Watchers get the error `already-ended`. */
  stop(): Promise<void>;
  /** Resolves when the feed has stopped reading for any reason. */
  ended: Promise<void>;
}

/**
 * Reads a table's stream from now on, for readers that watch. Start one feed per process: DynamoDB recommends at most
 * two readers per shard, and the consumer is one. Throws `no-stream` if the table has no stream.
 *
 * @example
 * const { feed, stop } = await startFeed(graph, { client, streams: createStreamsClient() });
 * const reader = createReader(graph, { client, feed });
 * for await (const event of reader.watch({ inbound: ['USER-U1', 'TICKET'] }, { signal })) show(event);
 */
export async function startFeed(graph: CompiledModel, options: StartFeedOptions): Promise<RunningFeed> {
  checkOptions('startFeed', options, {
    client: true,
    streams: true,
    pollIntervalMs: 'timer',
    indexGraceMs: 'milliseconds',
    now: 'internal',
    wait: 'internal',
  });
  checkGraph('startFeed', graph);
  const { streamArn } = await describeTable(graph, { client: options.client });
  if (streamArn === undefined) {
    throw new EdgeloomError('no-stream', `The table ${graph.table.name} has no stream.`, 'Run edgeloom table update.');
  }
  return await startFeedOf(graph, new DynamoDBStreamSource(options.streams, streamArn), options);
}

const MOST_BACKOFF_MS = 10_000;
const POLL_MS = 500;
/** Short, because a feed can only vouch for records up to the last listing of shards. */
const LIST_MS = 2_000;

export async function startFeedOf(
  graph: CompiledModel,
  source: StreamSource,
  options: Omit<StartFeedOptions, 'client' | 'streams'>,
): Promise<RunningFeed> {
  const { now, wait } = runtimeOf(options);
  const { pollIntervalMs = POLL_MS } = options;
  const stopping = new AbortController();
  const feed = new Feed(graph, options);
  const limits = { ...TAIL_LIMITS };
  const tail = new StreamTail({ source, now, limits, onGap: () => feed.noteGap() });
  // Subscribers get every record written after this listing.
  await tail.list(true);
  const follow = async (): Promise<never> => {
    for (let failures = 0; ; ) {
      const { records, failure } = await tail.list(false).then(
        () => tail.readPages(),
        (error: unknown) => ({ records: [], failure: { error } }),
      );
      for (const { record } of records) feed.receive(record);
      const through = tail.horizon.leastThrough();
      feed.noteThrough(through?.atMs);
      // List often only after every shard was read to its end. If a shard closes earlier, the time since which its
      // children are unread is unknown.
      if (through !== undefined) limits.listMs = LIST_MS;
      if (failure !== undefined && !isRetryableStoreError(failure.error)) throw failure.error;
      failures = failure === undefined ? 0 : failures + 1;
      if (records.length > 0 && failure === undefined) continue;
      const backoffMs = Math.min(MOST_BACKOFF_MS, pollIntervalMs * 2 ** failures);
      await wait(Math.max(pollIntervalMs, backoffMs), stopping.signal);
    }
  };
  const ended = follow().catch((error: unknown) => feed.fail(stopping.signal.aborted ? feedEnded() : error));
  return {
    feed,
    ended,
    async stop() {
      stopping.abort();
      await ended;
    },
  };
}

function feedEnded(): EdgeloomError {
  return new EdgeloomError('already-ended', 'The feed was stopped.', 'Start another one with startFeed.');
}
