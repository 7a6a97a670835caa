import { withTableName } from '../../core/model/compile/define-graph.ts';
import type { CompiledModel } from '../../core/model/compiled.ts';
import type { Source } from '../../sources/source.ts';
import { deferredStreams } from '../../store/client/deferred.ts';
import { EVENT_BRIDGE, jsonService } from '../../store/client/json-service.ts';
import { credentialsOf } from '../../store/environment.ts';
import type { StreamSource } from '../../stream/source.ts';
import { bucketAccess } from '../../trust/failures/failure-queue.ts';
import { tableArnOfStream } from '../stack/base/arns.ts';
import { checkRunHandler, type RunHandler } from './check-run-handler.ts';
import { type FeedHandler, feedHandler } from './feed-handler.ts';
import { feedDeadLetters, feedQueue } from './feed-queue.ts';
import { functionLogger } from './function-logger.ts';
import { type MirrorHandler, mirrorHandler } from './mirror-handler.ts';
import { type ObserveHandler, observeHandler } from './observe-handler.ts';
import { queueService } from './queue-service.ts';
import { type RedriveHandler, redriveHandler } from './redrive-handler.ts';
import { type FunctionSettings, readFunctionSettings, wrongEnvironment } from './settings.ts';
import { type StreamHandler, streamHandler } from './stream-handler.ts';

/** These functions throw `invalid-environment` if a setting in the environment is wrong. */

/** Makes the handler that projects the table's stream. */
export function deployedStream(graph: CompiledModel): StreamHandler {
  const { own, logger, EDGELOOM_CONCURRENCY: concurrency } = deploymentOf(graph);
  return streamHandler(own, { logger, concurrency });
}

/** Makes the handler that mirrors the streams in the parameter `sourceStreamArns`. */
export function deployedMirror(graph: CompiledModel, sources: readonly Source[]): MirrorHandler {
  const { own, logger, EDGELOOM_SOURCE_STREAM_ARNS: arns } = deploymentOf(graph);
  return mirrorHandler(own, { sources, streamArns: arns?.split(','), logger });
}

/** Makes the handler that the check's state machine calls. */
export function deployedCheck(graph: CompiledModel): RunHandler {
  const { own, logger, EDGELOOM_GRACE_SECONDS: seconds } = deploymentOf(graph);
  return checkRunHandler(own, { logger, graceMs: seconds && seconds * 1000 });
}

/** Makes the handler that redrives the quarantine, unclaimed records and failed batches. */
export function deployedRedrive(graph: CompiledModel): RedriveHandler {
  const { own, logger, client, EDGELOOM_FAILED_BATCHES_BUCKET: bucket, EDGELOOM_STREAM_ARN: arn } = deploymentOf(graph);
  const streams = deferredStreams(client);
  return redriveHandler(own, {
    stream: arn === undefined ? undefined : deferredSource(arn, streams),
    sources: { streams, ...bucketAccess({ region: client.region }), buckets: bucket === undefined ? [] : [bucket] },
    logger,
  });
}

/** Makes the observer's handler. It runs every minute if the parameter `observe` is set. */
export function deployedObserve(graph: CompiledModel): ObserveHandler {
  const { own, logger, client, EDGELOOM_FEED_QUEUE_URL: queueUrl, ...settings } = deploymentOf(graph);
  return observeHandler(own, {
    stream: deferredSource(requiredStream(settings), deferredStreams(client)),
    feed: queueUrl === undefined ? undefined : feedQueue(queueUrl, queueService(queueUrl, client.region), {}),
    logger,
  });
}

/** Makes the handler that sends changes to the event bus in the parameter `feedEventBus`. */
export function deployedFeed(_graph: CompiledModel): FeedHandler {
  const { client, ...settings } = readFunctionSettings();
  const logger = functionLogger(settings.EDGELOOM_LOG_LEVEL);
  const bus = required(
    settings.EDGELOOM_FEED_EVENT_BUS,
    'EDGELOOM_FEED_EVENT_BUS should be the name or the ARN of an event bus',
  );
  const endpoint = settings.AWS_ENDPOINT_URL_EVENTBRIDGE ?? settings.AWS_ENDPOINT_URL;
  const call = jsonService(EVENT_BRIDGE, {
    ...{ region: client.region, credentials: credentialsOf(process.env) },
    ...(endpoint !== undefined && { endpoint }),
  });
  const deadLettersUrl = required(
    settings.EDGELOOM_FEED_DEAD_LETTER_QUEUE_URL,
    'EDGELOOM_FEED_DEAD_LETTER_QUEUE_URL should be the URL of the queue for refused events',
  );
  return feedHandler({
    ...{ bus, call, table: tableArnOfStream(requiredStream(settings)), logger },
    deadLetters: feedDeadLetters(deadLettersUrl, queueService(deadLettersUrl, client.region), {}),
  });
}

function deploymentOf(graph: CompiledModel) {
  const settings = readFunctionSettings();
  const { EDGELOOM_TABLE, EDGELOOM_LOG_LEVEL } = settings;
  return { ...settings, own: withTableName(graph, EDGELOOM_TABLE), logger: functionLogger(EDGELOOM_LOG_LEVEL) };
}

function requiredStream({ EDGELOOM_STREAM_ARN }: Pick<FunctionSettings, 'EDGELOOM_STREAM_ARN'>): string {
  return required(EDGELOOM_STREAM_ARN, "EDGELOOM_STREAM_ARN should be the ARN of the table's stream");
}

function required(setting: string | undefined, problem: string): string {
  if (setting !== undefined) return setting;
  throw wrongEnvironment(problem);
}

/** Opens the stream at first use, because its client loads slowly and many calls don't need it. */
function deferredSource(streamArn: string, streams: ReturnType<typeof deferredStreams>): StreamSource {
  let opened: Promise<StreamSource> | undefined;
  const open = async (): Promise<StreamSource> => {
    const { DynamoDBStreamSource } = await import('../../stream/dynamodb-source.ts');
    return new DynamoDBStreamSource(await streams(), streamArn);
  };
  const source = (): Promise<StreamSource> => {
    opened ??= open();
    return opened;
  };
  return {
    streamArn,
    describe: async () => (await source()).describe(),
    isClosed: async (shardId) => (await source()).isClosed(shardId),
    iterator: async (shardId, after) => (await source()).iterator(shardId, after),
    latest: async (shardId) => (await source()).latest(shardId),
    read: async (iterator, limit) => (await source()).read(iterator, limit),
  };
}
