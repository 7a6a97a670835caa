import { withTableName } from '../../core/model/compile/define-graph.ts';
import type { CompiledModel } from '../../core/model/compiled.ts';
import { EdgeloomError } from '../../foundation/errors.ts';
import type { Source } from '../../sources/source.ts';
import { deferredCalls, deferredStreams } from '../../store/client/deferred.ts';
import { type CallService, EVENT_BRIDGE, jsonService, SQS } from '../../store/client/json-service.ts';
import { DynamoDBStore } from '../../store/dynamodb.ts';
import { credentialsOf } from '../../store/environment.ts';
import { DeferredStreamSource } from '../../stream/deferred-source.ts';
import type { StreamSource } from '../../stream/source.ts';
import { bucketAccess } from '../../trust/failures/failure-queue.ts';
import { feedDeadLetters, feedQueue } from '../../trust/observe/feed-queue.ts';
import { checkRunHandler, type RunHandler } from './check-run-handler.ts';
import { type FeedHandler, feedHandler } from './feed-handler.ts';
import { functionLogger } from './function-logger.ts';
import { type MirrorHandler, mirrorHandler } from './mirror-handler.ts';
import { type ObserveHandler, observeHandler } from './observe-handler.ts';
import { type RedriveHandler, redriveHandler } from './redrive-handler.ts';
import { readFunctionSettings } from './settings.ts';
import { type StreamHandler, streamHandler } from './stream-handler.ts';

/**
 * The functions of the stack that `edgeloom/stack` makes: handlers with the settings that the stack puts into their environment. A wrong
 * one throws `invalid-environment` when the function starts. Clients live as long as the function.
 */

/**
 * The stack's stream function: projects the table's stream.
 *
 * @example
 * export const handler = deployedStream(graph);
 */
export function deployedStream(graph: CompiledModel): StreamHandler {
  const { table, client, logLevel, sampleRate, concurrency } = readFunctionSettings();
  const named = withTableName(graph, table);
  return streamHandler(named, {
    // Retries of a call belong to the projector, which knows how much time is left.
    store: new DynamoDBStore(deferredCalls({ ...client, maxAttempts: 1 }), named.table),
    logger: functionLogger(logLevel),
    sampleRate,
    concurrency,
  });
}

/**
 * The stack's mirror function, where its parameter `sourceStreamArns` names streams of source tables.
 *
 * @example
 * export const handler = deployedMirror(graph, sources);
 */
export function deployedMirror(graph: CompiledModel, sources: readonly Source[]): MirrorHandler {
  const { table, client, logLevel, sourceStreamArns } = readFunctionSettings();
  const named = withTableName(graph, table);
  return mirrorHandler(named, {
    sources,
    streamArns: sourceStreamArns,
    logger: functionLogger(logLevel),
    // Retries of a call belong to the touch, which knows how much time is left.
    store: new DynamoDBStore(deferredCalls({ ...client, maxAttempts: 1 }), named.table),
  });
}

/**
 * The stack's functions that check and rebuild: the state machine calls them until no cursor is left.
 *
 * @example
 * export const handler = deployedCheck(graph);
 */
export function deployedCheck(graph: CompiledModel): RunHandler {
  const { table, logLevel, graceMs } = readFunctionSettings();
  return checkRunHandler(withTableName(graph, table), {
    logger: functionLogger(logLevel),
    graceMs,
  });
}

/**
 * The stack's redrive function: on a schedule it redrives the quarantine and sweeps unclaimed records; from the queue it redrives batches that the
 * mapping gave up.
 *
 * @example
 * export const handler = deployedRedrive(graph);
 */
export function deployedRedrive(graph: CompiledModel): RedriveHandler {
  const { table, client, logLevel, failedBatchesBucket, streamArn } = readFunctionSettings();
  const streams = deferredStreams(client);
  return redriveHandler(withTableName(graph, table), {
    stream: streamArn === undefined ? undefined : deferredSource(streamArn, streams),
    sources: {
      streams,
      ...bucketAccess({ region: client.region }),
      buckets: failedBatchesBucket === undefined ? [] : [failedBatchesBucket],
    },
    logger: functionLogger(logLevel),
  });
}

/**
 * The stack's observer, where its parameter `observe` asks for one: a schedule calls it every minute, and it reads on from where it was.
 *
 * @example
 * export const handler = deployedObserve(graph);
 */
export function deployedObserve(graph: CompiledModel): ObserveHandler {
  const { table, client, logLevel, feedQueueUrl, ...settings } = readFunctionSettings();
  const streamArn = required(settings.streamArn, "EDGELOOM_STREAM_ARN should be the ARN of the table's stream");
  return observeHandler(withTableName(graph, table), {
    stream: deferredSource(streamArn, deferredStreams(client)),
    ...(feedQueueUrl !== undefined && {
      feed: feedQueue(feedQueueUrl, queueService(feedQueueUrl, client.region), {}),
    }),
    logger: functionLogger(logLevel),
  });
}

/**
 * The stack's feed, where its parameter `feedEventBus` asks for one: it puts the changes that the observer has told into an event bus of
 * EventBridge.
 *
 * @example
 * export const handler = deployedFeed(graph);
 */
export function deployedFeed(_graph: CompiledModel): FeedHandler {
  const { client, logLevel, eventsEndpoint: endpoint, ...settings } = readFunctionSettings();
  const bus = required(settings.eventBus, 'EDGELOOM_FEED_EVENT_BUS should be the name or the ARN of an event bus');
  const streamArn = required(settings.streamArn, "EDGELOOM_STREAM_ARN should be the ARN of the table's stream");
  const call = jsonService(EVENT_BRIDGE, {
    ...{ region: client.region, credentials: credentialsOf(process.env) },
    ...(endpoint !== undefined && { endpoint }),
  });
  const deadLettersUrl = required(
    settings.feedDeadLettersUrl,
    'EDGELOOM_FEED_DEAD_LETTER_QUEUE_URL should be the URL of the queue for refused events',
  );
  return feedHandler({
    ...{ bus, call, table: streamArn.split('/stream/')[0]!, logger: functionLogger(logLevel) },
    deadLetters: feedDeadLetters(deadLettersUrl, queueService(deadLettersUrl, client.region), {}),
  });
}

/** Calls the service of a queue. */
function queueService(queueUrl: string, region: string | undefined): CallService {
  return jsonService(SQS, { region, credentials: credentialsOf(process.env), endpoint: new URL(queueUrl).origin });
}

/** A setting that a function cannot do without. */
function required(setting: string | undefined, problem: string): string {
  if (setting !== undefined) return setting;
  throw new EdgeloomError(
    'invalid-environment',
    `The function's environment is wrong: ${problem}.`,
    'Correct these variables where the stack sets them, and deploy again.',
  );
}

/** The stream of a table, whose client is made when it is first read. */
function deferredSource(streamArn: string, streams: ReturnType<typeof deferredStreams>): StreamSource {
  return new DeferredStreamSource(streamArn, async () => {
    const { DynamoDBStreamSource } = await import('../../stream/dynamodb-source.ts');
    return new DynamoDBStreamSource(await streams(), streamArn);
  });
}
