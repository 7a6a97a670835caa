import { streamFilterPattern } from '../../../core/plan/stream-filter.ts';
import { hasDueLists } from '../../../projecting/ended/delete-ended.ts';
import {
  EMPTIED_BUCKET,
  FAILED_BATCHES_BUCKET,
  FAILED_BATCHES_QUEUE,
  FEED_DEAD_LETTER_QUEUE,
  FEED_QUEUE,
  type FunctionName,
  GRADUAL_ALIAS,
  logicalIdPrefix,
  MAPPING,
  MIRROR_DEAD_LETTER_QUEUE,
  mirrorMappingId,
  SCHEDULE_DEAD_LETTER_QUEUE,
} from '../base/ids.ts';
import type { Site } from '../base/site.ts';
import { attribute, type Resources, ref, type Value } from '../base/template.ts';

export const RUNTIME = 'nodejs24.x';
export const ARCHITECTURE = 'arm64';

/**
 * Module, memory in megabytes, timeout in seconds, description. A rebuild runs the check's module under another role.
 */
const FUNCTIONS: Readonly<Record<FunctionName, readonly [string, number, number, string]>> = {
  stream: ['stream', 1024, 60, 'Projects the stream of the table.'],
  check: ['check', 1024, 900, 'Checks parts of the table; the state machine calls it.'],
  rebuild: ['check', 1024, 900, 'Rebuilds derived items, and migrates; the state machine calls it.'],
  // `VISIBILITY_SECONDS` of the failed batches' queue is six times this timeout.
  redrive: [
    'redrive',
    512,
    120,
    "Redrives the quarantine, batches that the stream's mapping gave up, and what no consumer has claimed.",
  ],
  // A call works for at most 50 seconds (`RUN_MS`).
  observe: ['observe', 512, 90, 'Judges each change of the table; a schedule calls it every minute.'],
  feed: ['feed', 256, 60, 'Puts the changes of the table to EventBridge.'],
  mirror: ['mirror', 1024, 60, 'Mirrors the streams of source tables into the table.'],
};

function environmentsOf({ parameters, table }: Site): Readonly<Record<FunctionName, Readonly<Record<string, Value>>>> {
  const { checkGraceSeconds, concurrency, feedEventBus, sourceStreamArns } = parameters;
  const check = { EDGELOOM_GRACE_SECONDS: String(checkGraceSeconds) };
  const stream = { EDGELOOM_STREAM_ARN: table.streamArn };
  return {
    stream: { EDGELOOM_CONCURRENCY: String(concurrency) },
    check,
    rebuild: check,
    // Messages may name only this bucket.
    redrive: { EDGELOOM_FAILED_BATCHES_BUCKET: ref(FAILED_BATCHES_BUCKET), ...stream },
    observe: { ...stream, ...(feedEventBus !== '' && { EDGELOOM_FEED_QUEUE_URL: ref(FEED_QUEUE) }) },
    feed: {
      ...stream,
      EDGELOOM_FEED_EVENT_BUS: feedEventBus,
      EDGELOOM_FEED_DEAD_LETTER_QUEUE_URL: ref(FEED_DEAD_LETTER_QUEUE),
    },
    mirror: { EDGELOOM_SOURCE_STREAM_ARNS: sourceStreamArns.join(',') },
  };
}

export function handlerOf(name: FunctionName): string {
  return `handlers/${FUNCTIONS[name][0]}.handler`;
}

export function functionProperties(name: FunctionName, site: Site): Record<string, Value> {
  const { names, parameters, table } = site;
  const { logLevel, reservedConcurrency, kmsKeyArn, tracing, vpcSubnetIds, vpcSecurityGroupIds } = parameters;
  const [, memoryMegabytes, timeoutSeconds, description] = FUNCTIONS[name];
  return {
    FunctionName: names.local(name),
    Description: description,
    Handler: handlerOf(name),
    Runtime: RUNTIME,
    Architectures: [ARCHITECTURE],
    MemorySize: memoryMegabytes,
    Timeout: timeoutSeconds,
    Role: attribute(`${logicalIdPrefix(name)}Role`),
    Environment: {
      Variables: {
        EDGELOOM_TABLE: table.name,
        EDGELOOM_LOG_LEVEL: logLevel,
        NODE_OPTIONS: '--enable-source-maps',
        ...environmentsOf(site)[name],
      },
    },
    // The function returns the rest of a batch to its queue; Lambda would stop that loop after about sixteen rounds.
    ...(name === 'redrive' && { RecursiveLoop: 'Allow' }),
    ...(name === 'stream' && reservedConcurrency > 0 && { ReservedConcurrentExecutions: reservedConcurrency }),
    ...(kmsKeyArn !== '' && { KmsKeyArn: kmsKeyArn }),
    ...(tracing && { TracingConfig: { Mode: 'Active' } }),
    ...(vpcSubnetIds.length > 0 && { VpcConfig: { SubnetIds: vpcSubnetIds, SecurityGroupIds: vpcSecurityGroupIds } }),
  };
}

export function functionResources(site: Site, code: Value | ((name: FunctionName) => Value)): Resources {
  return Object.fromEntries(
    site.functions.map((name) => [
      `${logicalIdPrefix(name)}LambdaFunction`,
      {
        Type: 'AWS::Lambda::Function',
        DependsOn: [`${logicalIdPrefix(name)}LogGroup`],
        Properties: { ...functionProperties(name, site), Code: typeof code === 'function' ? code(name) : code },
      },
    ]),
  );
}

export function triggerResources(site: Site): Resources {
  const logGroups = site.functions.map((name) => [`${logicalIdPrefix(name)}LogGroup`, logGroup(site, name)]);
  return {
    ...Object.fromEntries(logGroups),
    [MAPPING]: mappingOfStream(site, site.table.streamArn, {
      // Makes CloudFormation delete the mapping before it empties the bucket.
      DependsOn: ['StreamRole', ...(site.parameters.keepData ? [] : [EMPTIED_BUCKET])],
      FunctionName: site.parameters.canaryMinutes === 0 ? attribute('StreamLambdaFunction') : ref(GRADUAL_ALIAS),
      ParallelizationFactor: site.parameters.parallelizationFactor,
      pattern: streamFilterPattern(site.graph.table),
      // A bucket receives the whole batch; a queue would only get a notice.
      destination: FAILED_BATCHES_BUCKET,
    }),
    ...redriveTriggers(site),
    ...(site.functions.includes('observe') &&
      schedule(site, 'observe', 'Starts the observer of the table.', 'rate(1 minute)')),
    ...(site.functions.includes('feed') && {
      FeedEventSourceMappingSQSFeedQueue: mappingOfQueue('feed', FEED_QUEUE, 10),
    }),
    ...mirrorTriggers(site),
  };
}

export function logGroup({ names, parameters }: Site, name: string): Resources[string] {
  const { logRetentionDays, kmsKeyArn } = parameters;
  return {
    Type: 'AWS::Logs::LogGroup',
    Properties: {
      LogGroupName: `/aws/lambda/${names.local(name)}`,
      RetentionInDays: logRetentionDays,
      ...(kmsKeyArn !== '' && { KmsKeyId: kmsKeyArn }),
    },
  };
}

function mappingOfStream(
  { parameters }: Site,
  EventSourceArn: Value,
  { DependsOn, FunctionName, ParallelizationFactor, pattern, destination }: StreamMapping,
): Resources[string] {
  return {
    Type: 'AWS::Lambda::EventSourceMapping',
    DependsOn,
    Properties: {
      EventSourceArn,
      FunctionName,
      Enabled: true,
      // LATEST can miss records while the mapping is created.
      StartingPosition: 'TRIM_HORIZON',
      BatchSize: parameters.batchSize,
      MaximumBatchingWindowInSeconds: parameters.batchWindowSeconds,
      ...(ParallelizationFactor !== undefined && { ParallelizationFactor }),
      MaximumRetryAttempts: parameters.retries,
      MaximumRecordAgeInSeconds: parameters.recordAgeSeconds,
      BisectBatchOnFunctionError: true,
      FunctionResponseTypes: ['ReportBatchItemFailures'],
      ...(pattern && { FilterCriteria: { Filters: [{ Pattern: JSON.stringify(pattern) }] } }),
      DestinationConfig: { OnFailure: { Destination: attribute(destination) } },
      MetricsConfig: { Metrics: ['EventCount'] },
    },
  };
}

interface StreamMapping {
  DependsOn: string[];
  FunctionName: Value;
  ParallelizationFactor?: number;
  pattern?: object;
  destination: string;
}

function mappingOfQueue(
  name: FunctionName,
  queue: string,
  BatchSize: number,
  more: Resources[string]['Properties'] = {},
): Resources[string] {
  return {
    Type: 'AWS::Lambda::EventSourceMapping',
    DependsOn: [`${logicalIdPrefix(name)}Role`],
    Properties: {
      EventSourceArn: attribute(queue),
      FunctionName: attribute(`${logicalIdPrefix(name)}LambdaFunction`),
      Enabled: true,
      BatchSize,
      FunctionResponseTypes: ['ReportBatchItemFailures'],
      ...more,
    },
  };
}

export const WATCH_MINUTES = 5;
const WATCHING = `rate(${WATCH_MINUTES} minutes)`;

function mirrorTriggers(site: Site): Resources {
  const { sourceStreamArns } = site.parameters;
  if (sourceStreamArns.length === 0) return {};
  const mapping = {
    DependsOn: ['MirrorRole'],
    FunctionName: attribute('MirrorLambdaFunction'),
    // A notice is enough, since a sync reads the source items.
    destination: MIRROR_DEAD_LETTER_QUEUE,
  };
  const does = 'Has the mirror function look at quarantine, conflicts and streams of the sources.';
  return {
    ...Object.fromEntries(
      sourceStreamArns.map((arn, place) => [mirrorMappingId(place), mappingOfStream(site, arn, mapping)]),
    ),
    ...schedule(site, 'mirror', does, WATCHING, { event: { watch: true } }),
  };
}

function redriveTriggers(site: Site): Resources {
  const { redriveConcurrency, redriveMinutes } = site.parameters;
  const looks = 'Has the redrive function look at registry and stream of the table; an empty table is registered.';
  const deletes = 'Deletes edges that are over and counted.';
  return {
    ...schedule(site, 'redrive', 'Starts the redrive of the quarantine.', `rate(${redriveMinutes} minutes)`),
    ...schedule(site, 'redrive', looks, WATCHING, { number: 2, rule: 'watch', event: { watch: true } }),
    ...(hasDueLists(site.graph) &&
      schedule(site, 'redrive', deletes, 'rate(1 minute)', { number: 3, rule: 'ended', event: { ended: true } })),
    RedriveEventSourceMappingSQSFailedBatchesQueue: mappingOfQueue('redrive', FAILED_BATCHES_QUEUE, 1, {
      ScalingConfig: { MaximumConcurrency: redriveConcurrency },
    }),
  };
}

/** `number`, `rule` and `event` distinguish a function's second and third schedules. */
function schedule(
  { names }: Site,
  name: FunctionName,
  Description: string,
  ScheduleExpression: string,
  { number = 1, rule = name, event }: { number?: number; rule?: string; event?: object } = {},
): Resources {
  const prefix = logicalIdPrefix(name);
  return {
    [`${prefix}EventsRuleSchedule${number}`]: {
      Type: 'AWS::Events::Rule',
      Properties: {
        Name: names.local(rule),
        Description,
        ScheduleExpression,
        State: 'ENABLED',
        Targets: [
          {
            Id: `${rule}Schedule`,
            Arn: attribute(`${prefix}LambdaFunction`),
            ...(event !== undefined && { Input: JSON.stringify(event) }),
            DeadLetterConfig: { Arn: attribute(SCHEDULE_DEAD_LETTER_QUEUE) },
          },
        ],
      },
    },
    [`${prefix}LambdaPermissionEventsRuleSchedule${number}`]: {
      Type: 'AWS::Lambda::Permission',
      Properties: {
        FunctionName: attribute(`${prefix}LambdaFunction`),
        Action: 'lambda:InvokeFunction',
        Principal: 'events.amazonaws.com',
        SourceArn: attribute(`${prefix}EventsRuleSchedule${number}`),
      },
    },
  };
}
