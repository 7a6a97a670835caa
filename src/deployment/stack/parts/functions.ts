import { streamFilterPattern } from '../../../core/plan/stream-filter.ts';
import { hasDueLists } from '../../../projecting/ended/delete-ended.ts';
import {
  EMPTIED_BUCKET,
  FAILED_BATCHES_BUCKET,
  FAILED_BATCHES_QUEUE,
  FEED_DEAD_LETTER_QUEUE,
  FEED_QUEUE,
  type FunctionName,
  functionsOf,
  GRADUAL_ALIAS,
  logicalIdPrefix,
  MAPPING,
  MIRROR_DEAD_LETTER_QUEUE,
  mirrorMappingId,
  SCHEDULE_DEAD_LETTER_QUEUE,
} from '../base/ids.ts';
import type { Site } from '../base/site.ts';
import { attribute, type Resources, ref, type Value } from '../base/template.ts';

/** The runtime of the functions. */
export const RUNTIME = 'nodejs24.x';
/** Their processor. */
export const ARCHITECTURE = 'arm64';

/** The definition of a function. */
interface FunctionDefinition {
  /** Module and export: rebuild is the check's code under rights of its own. */
  handler: string;
  description: string;
  memoryMegabytes: number;
  timeoutSeconds: number;
  environment: Readonly<Record<string, Value>>;
}

function functionDefinition(name: FunctionName, { parameters, table }: Site): FunctionDefinition {
  const checkEnvironment = { EDGELOOM_GRACE_SECONDS: String(parameters.checkGraceSeconds) };
  switch (name) {
    case 'stream':
      return {
        handler: 'handlers/stream.handler',
        description: 'Projects the stream of the table.',
        memoryMegabytes: 1024,
        timeoutSeconds: 60,
        environment: {
          EDGELOOM_CONCURRENCY: String(parameters.concurrency),
          EDGELOOM_SAMPLE_RATE: String(parameters.sampleRate),
        },
      };
    case 'check':
      return {
        handler: 'handlers/check.handler',
        description: 'Checks parts of the table; the state machine calls it.',
        memoryMegabytes: 1024,
        timeoutSeconds: 900,
        environment: checkEnvironment,
      };
    case 'rebuild':
      return {
        handler: 'handlers/check.handler',
        description: 'Rebuilds derived items, and migrates; the state machine calls it.',
        memoryMegabytes: 1024,
        timeoutSeconds: 900,
        environment: checkEnvironment,
      };
    case 'redrive':
      return {
        handler: 'handlers/redrive.handler',
        description:
          "Redrives the quarantine, batches that the stream's mapping gave up, and what no consumer has claimed.",
        memoryMegabytes: 512,
        timeoutSeconds: REDRIVE_SECONDS,
        // Messages may name no other bucket.
        environment: {
          EDGELOOM_FAILED_BATCHES_BUCKET: ref(FAILED_BATCHES_BUCKET),
          EDGELOOM_STREAM_ARN: table.streamArn,
        },
      };
    case 'observe':
      return {
        handler: 'handlers/observe.handler',
        description: 'Judges each change of the table; a schedule calls it every minute.',
        memoryMegabytes: 512,
        timeoutSeconds: OBSERVE_SECONDS,
        environment: {
          EDGELOOM_STREAM_ARN: table.streamArn,
          ...(parameters.feedEventBus !== '' && { EDGELOOM_FEED_QUEUE_URL: ref(FEED_QUEUE) }),
        },
      };
    case 'feed':
      return {
        handler: 'handlers/feed.handler',
        description: 'Puts the changes of the table to EventBridge.',
        memoryMegabytes: 256,
        timeoutSeconds: FEED_SECONDS,
        environment: {
          EDGELOOM_STREAM_ARN: table.streamArn,
          EDGELOOM_FEED_EVENT_BUS: parameters.feedEventBus,
          EDGELOOM_FEED_DEAD_LETTER_QUEUE_URL: ref(FEED_DEAD_LETTER_QUEUE),
        },
      };
    case 'mirror':
      return {
        handler: 'handlers/mirror.handler',
        description: 'Mirrors the streams of source tables into the table.',
        memoryMegabytes: 1024,
        timeoutSeconds: 60,
        environment: { EDGELOOM_SOURCE_STREAM_ARNS: parameters.sourceStreamArns.join(',') },
      };
  }
}

/** Six of these fit into the time for which a queue hides a message, as Lambda wants it. */
const REDRIVE_SECONDS = 120;
/** Six of these fit into the time for which the queue hides a message. */
const FEED_SECONDS = 60;
/** A call works for less than a minute; the rest is for its last calls to the table. */
const OBSERVE_SECONDS = 90;

/** The module that each function's code is in, and the export: `handlers/stream.handler`. */
export function handlerOf(name: FunctionName, site: Site): string {
  return functionDefinition(name, site).handler;
}

/** The properties of a function, but its code. */
export function functionProperties(name: FunctionName, site: Site): Record<string, Value> {
  const { names, parameters, table } = site;
  const { logLevel, reservedConcurrency, kmsKeyArn, tracing, vpcSubnetIds, vpcSecurityGroupIds } = parameters;
  const { handler, description, memoryMegabytes, timeoutSeconds, environment } = functionDefinition(name, site);
  return {
    FunctionName: names.local(name),
    Description: description,
    Handler: handler,
    Runtime: RUNTIME,
    Architectures: [ARCHITECTURE],
    MemorySize: memoryMegabytes,
    Timeout: timeoutSeconds,
    Role: attribute(`${logicalIdPrefix(name)}Role`),
    Environment: {
      Variables: {
        EDGELOOM_TABLE: table.name,
        EDGELOOM_LOG_LEVEL: logLevel,
        // Bundles are minified; their maps are next to them.
        NODE_OPTIONS: '--enable-source-maps',
        ...environment,
      },
    },
    // The rest of a failed batch goes back to the queue that it came from. Lambda would stop the loop after about sixteen rests.
    ...(name === 'redrive' && { RecursiveLoop: 'Allow' }),
    ...(name === 'stream' && reservedConcurrency > 0 && { ReservedConcurrentExecutions: reservedConcurrency }),
    ...(kmsKeyArn !== '' && { KmsKeyArn: kmsKeyArn }),
    ...(tracing && { TracingConfig: { Mode: 'Active' } }),
    ...(vpcSubnetIds.length > 0 && { VpcConfig: { SubnetIds: vpcSubnetIds, SecurityGroupIds: vpcSecurityGroupIds } }),
  };
}

/** The functions, for stacks that no framework adds them to. `code` says where each one's code is. */
export function functionResources(site: Site, code: Value | ((name: FunctionName) => Value)): Resources {
  return Object.fromEntries(
    functionsOf(site.parameters).map((name) => [
      `${logicalIdPrefix(name)}LambdaFunction`,
      {
        Type: 'AWS::Lambda::Function',
        DependsOn: [`${logicalIdPrefix(name)}LogGroup`],
        Properties: { ...functionProperties(name, site), Code: typeof code === 'function' ? code(name) : code },
      },
    ]),
  );
}

/** Triggers of the functions, and their logs. */
export function triggerResources(site: Site): Resources {
  const { logRetentionDays, kmsKeyArn } = site.parameters;
  const logGroups = functionsOf(site.parameters).map((name): [string, Resources[string]] => [
    `${logicalIdPrefix(name)}LogGroup`,
    {
      Type: 'AWS::Logs::LogGroup',
      Properties: {
        LogGroupName: `/aws/lambda/${site.names.local(name)}`,
        RetentionInDays: logRetentionDays,
        ...(kmsKeyArn !== '' && { KmsKeyId: kmsKeyArn }),
      },
    },
  ]);
  return {
    ...Object.fromEntries(logGroups),
    [MAPPING]: streamMapping(site),
    ...redriveTriggers(site),
    ...observeTriggers(site),
    ...feedTriggers(site),
    ...mirrorTriggers(site),
  };
}

function streamMapping({ graph, parameters, table }: Site): Resources[string] {
  const pattern = streamFilterPattern(graph.table);
  return {
    Type: 'AWS::Lambda::EventSourceMapping',
    // The mapping is refused while the role may not read the stream. It goes before the bucket is emptied.
    DependsOn: ['StreamRole', ...(parameters.keepData ? [] : [EMPTIED_BUCKET])],
    Properties: {
      EventSourceArn: table.streamArn,
      FunctionName: parameters.canaryMinutes === 0 ? attribute('StreamLambdaFunction') : ref(GRADUAL_ALIAS),
      Enabled: true,
      // LATEST can miss records while the mapping is made.
      StartingPosition: 'TRIM_HORIZON',
      BatchSize: parameters.batchSize,
      MaximumBatchingWindowInSeconds: parameters.batchWindowSeconds,
      ParallelizationFactor: parameters.parallelizationFactor,
      MaximumRetryAttempts: parameters.retries,
      MaximumRecordAgeInSeconds: parameters.recordAgeSeconds,
      BisectBatchOnFunctionError: true,
      FunctionResponseTypes: ['ReportBatchItemFailures'],
      FilterCriteria: { Filters: [{ Pattern: JSON.stringify(pattern) }] },
      // A bucket receives the whole batch; a queue or a topic would receive a notice only.
      DestinationConfig: { OnFailure: { Destination: attribute(FAILED_BATCHES_BUCKET) } },
      MetricsConfig: { Metrics: ['EventCount'] },
    },
  };
}

function observeTriggers(site: Site): Resources {
  if (!site.parameters.observe) return {};
  return scheduleResources(site, 'observe', {
    Description: 'Starts the observer of the table.',
    ScheduleExpression: 'rate(1 minute)',
  });
}

function feedTriggers({ parameters }: Site): Resources {
  if (!functionsOf(parameters).includes('feed')) return {};
  return {
    FeedEventSourceMappingSQSFeedQueue: {
      Type: 'AWS::Lambda::EventSourceMapping',
      DependsOn: ['FeedRole'],
      Properties: {
        EventSourceArn: attribute(FEED_QUEUE),
        FunctionName: attribute('FeedLambdaFunction'),
        Enabled: true,
        BatchSize: 10,
        FunctionResponseTypes: ['ReportBatchItemFailures'],
      },
    },
  };
}

/** Minutes between two looks of the redrive function at the table, and of the mirror function at the sources. */
export const WATCH_MINUTES = 5;

/** A mapping for each source's stream, and looks at the sources. */
function mirrorTriggers(site: Site): Resources {
  const { parameters } = site;
  const { sourceStreamArns, batchSize, batchWindowSeconds, retries, recordAgeSeconds } = parameters;
  if (sourceStreamArns.length === 0) return {};
  const mappings = sourceStreamArns.map((EventSourceArn, place): [string, Resources[string]] => [
    mirrorMappingId(place),
    {
      Type: 'AWS::Lambda::EventSourceMapping',
      DependsOn: ['MirrorRole'],
      Properties: {
        EventSourceArn,
        FunctionName: attribute('MirrorLambdaFunction'),
        Enabled: true,
        // LATEST can miss records while the mapping is made.
        StartingPosition: 'TRIM_HORIZON',
        BatchSize: batchSize,
        MaximumBatchingWindowInSeconds: batchWindowSeconds,
        MaximumRetryAttempts: retries,
        MaximumRecordAgeInSeconds: recordAgeSeconds,
        BisectBatchOnFunctionError: true,
        FunctionResponseTypes: ['ReportBatchItemFailures'],
        // A notice is enough: the source items themselves decide in a reconcile.
        DestinationConfig: { OnFailure: { Destination: attribute(MIRROR_DEAD_LETTER_QUEUE) } },
        MetricsConfig: { Metrics: ['EventCount'] },
      },
    },
  ]);
  return {
    ...Object.fromEntries(mappings),
    ...scheduleResources(
      site,
      'mirror',
      {
        Description: 'Has the mirror function look at quarantine, conflicts and streams of the sources.',
        ScheduleExpression: `rate(${WATCH_MINUTES} minutes)`,
      },
      { number: 1, name: 'mirror', event: { watch: true } },
    ),
  };
}

/** The schedule of a function, and its right to call it. Another schedule than the first has a number, a name and an event of its own. */
function scheduleResources(
  { names }: Site,
  name: FunctionName,
  schedule: { Description: string; ScheduleExpression: string },
  { number, name: ruleName, event }: { number: number; name: string; event?: object } = { number: 1, name },
): Resources {
  const prefix = logicalIdPrefix(name);
  return {
    [`${prefix}EventsRuleSchedule${number}`]: {
      Type: 'AWS::Events::Rule',
      Properties: {
        Name: names.local(ruleName),
        ...schedule,
        State: 'ENABLED',
        Targets: [
          {
            Id: `${ruleName}Schedule`,
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

function redriveTriggers(site: Site): Resources {
  const { parameters } = site;
  return {
    ...scheduleResources(site, 'redrive', {
      Description: 'Starts the redrive of the quarantine.',
      ScheduleExpression: `rate(${parameters.redriveMinutes} minutes)`,
    }),
    ...scheduleResources(
      site,
      'redrive',
      {
        Description: 'Has the redrive function look at registry and stream of the table; an empty table is registered.',
        ScheduleExpression: `rate(${WATCH_MINUTES} minutes)`,
      },
      { number: 2, name: 'watch', event: { watch: true } },
    ),
    ...(hasDueLists(site.graph) &&
      scheduleResources(
        site,
        'redrive',
        { Description: 'Deletes edges that are over and counted.', ScheduleExpression: 'rate(1 minute)' },
        { number: 3, name: 'ended', event: { ended: true } },
      )),
    RedriveEventSourceMappingSQSFailedBatchesQueue: {
      Type: 'AWS::Lambda::EventSourceMapping',
      DependsOn: ['RedriveRole'],
      Properties: {
        EventSourceArn: attribute(FAILED_BATCHES_QUEUE),
        FunctionName: attribute('RedriveLambdaFunction'),
        Enabled: true,
        BatchSize: 1,
        FunctionResponseTypes: ['ReportBatchItemFailures'],
        ScalingConfig: { MaximumConcurrency: parameters.redriveConcurrency },
      },
    },
  };
}
