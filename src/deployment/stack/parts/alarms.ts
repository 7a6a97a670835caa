import { docsPage } from '../../../foundation/docs.ts';
import {
  DEAD_LETTER_QUEUE,
  FAILED_BATCHES_QUEUE,
  FEED_DEAD_LETTER_QUEUE,
  FEED_QUEUE,
  functionsOf,
  logicalIdPrefix,
  MIRROR_DEAD_LETTER_QUEUE,
  mirrorMappingId,
  SCHEDULE_DEAD_LETTER_QUEUE,
} from '../base/ids.ts';
import { type Parameters, tableArnOfStream } from '../base/parameters.ts';
import { indexNamesOf, type Site } from '../base/site.ts';
import { allow, denyPlainText, policyDocument, type Resources, ref, sub, type Value } from '../base/template.ts';
import {
  functionMetric,
  type Metric,
  machineMetric,
  mappingMetric,
  ownMetric,
  queueAge,
  queueDepth,
  tableMetric,
} from './metrics.ts';

/** An alarm: a metric at or above a threshold, once or for some periods; or one that has stopped. */
export interface Alarm {
  /** The metric; several of DynamoDB are added up. */
  metric: Metric | readonly Metric[];
  /** One sentence; the runbook says what to do. */
  means: string;
  /** Absent: it rings when the metric stops, and not before the metric has begun. */
  threshold?: number;
  /** It rings when the metric stops, too. Default: only without a threshold. */
  orStops?: boolean;
  /** Seconds. Default 300. */
  period?: number;
  /** Periods that are looked at. Default 1. */
  periods?: number;
  /** How many of them have to be so. Default: all. */
  ofThem?: number;
}

const PERIOD_SECONDS = 300;
const HOUR_SECONDS = 3600;
/** A night and the time that the next check may take to say the same. */
const NIGHT_HOURS = 26;
/** Redrive is tried every twelve minutes: an hour of waiting is several tries, or none. */
const LONGEST_WAIT_SECONDS = 3600;
/** Logical id of the stack's own topic. */
export const ALARM_TOPIC = 'AlarmTopic';

const ONCE = { threshold: 1 };
// Retries resolve a momentary failure: a quarter of an hour of failures needs a person.
const LASTING = { threshold: 1, periods: 3 };
// Schedule and state machine call for a moment and then pause, so that failures do not fill a quarter of an hour. They try a call
// that fails again within minutes: one that fails at once twice does not pass by itself.
const FAILS_AGAIN = { threshold: 2, period: HOUR_SECONDS };
// Calls that are refused are tried again more often.
const REFUSED_AGAIN = { threshold: 5, period: HOUR_SECONDS };
// Findings of a night stay in alarm until the next night's check no longer finds them.
const UNTIL_NEXT_NIGHT = { threshold: 1, period: HOUR_SECONDS, periods: NIGHT_HOURS, ofThem: 1 };

// The next redrive may begin a little later than a period after this one.
const untilNextRedrive = (site: Site) => ({ period: redriveSeconds(site), periods: 2, ofThem: 1 });

/** Every alarm, by its name; docs/how-to/alarms.md has a section on each. */
export function alarms(site: Site): Record<string, Alarm> {
  return {
    ...streamAlarms(site),
    ...tableAlarms(site),
    ...failureAlarms(site),
    ...registryAlarms(site),
    ...checkAlarms(site),
    ...observerAlarms(site),
    ...feedAlarms(site),
    ...mirrorAlarms(site),
  };
}

function streamAlarms(site: Site): Record<string, Alarm> {
  const { parameters } = site;
  return {
    IteratorAge: {
      metric: functionMetric('stream', 'IteratorAge', 'Maximum'),
      means: 'The projector is behind the stream.',
      threshold: parameters.iteratorAgeAlarmSeconds * 1000,
    },
    NotPolled: {
      metric: mappingMetric('PolledEventCount'),
      means: 'Nothing reads the stream: the event source mapping is disabled or gone.',
      // A mapping that finds nothing counts zero; one that does not look counts nothing.
      periods: 3,
    },
    ...alarmForEachFunction(site, 'Errors', 'fails', FAILS_AGAIN),
    ...alarmForEachFunction(site, 'Throttles', 'is throttled', REFUSED_AGAIN),
    FailedEvents: {
      metric: mappingMetric('FailedInvokeEventCount'),
      means: 'Stream records have failed for a quarter of an hour.',
      ...LASTING,
    },
    DroppedEvents: {
      metric: mappingMetric('DroppedEventCount'),
      means: 'Stream records were lost: neither projected nor kept in the bucket.',
      ...ONCE,
    },
    FailedBatches: {
      metric: mappingMetric('OnFailureDestinationDeliveredEventCount'),
      means: 'The event source mapping gave up on records; they are in the bucket and are being redriven.',
      ...ONCE,
    },
  };
}

/** The causes for which DynamoDB throttles, as its metrics call them: what to do differs. */
const THROTTLE_CAUSES = {
  HotPartition: ['KeyRangeThroughput', 'DynamoDB throttles calls of one partition, of the table or of an index.'],
  TableCap: ['MaxOnDemandThroughput', 'DynamoDB throttles calls at the maximum that the table or an index is set to.'],
  AccountLimit: ['AccountLimit', 'DynamoDB throttles calls at a quota of the account.'],
} as const;
/** A table on demand has none of these; only a table from elsewhere may be provisioned. */
const PROVISIONED_CAUSE = {
  ProvisionedCap: ['ProvisionedThroughput', 'DynamoDB throttles calls beyond the provisioned units.'],
} as const;

function tableAlarms(site: Site): Record<string, Alarm> {
  const causes = { ...THROTTLE_CAUSES, ...(site.parameters.existingTableArn !== '' && PROVISIONED_CAUSE) };
  const places = [undefined, ...indexNamesOf(site.graph)];
  return Object.fromEntries(
    Object.entries(causes).flatMap(([name, [cause, means]]) =>
      inParts(places, PLACES_OF_ALARM).map((part, i): [string, Alarm] => [
        i === 0 ? name : `${name}${i + 1}`,
        { metric: throttleMetrics(site, cause, part), means, ...LASTING },
      ]),
    ),
  );
}

/** An alarm takes ten metrics at most: reads and writes of five places. */
const PLACES_OF_ALARM = 5;

function inParts<T>(all: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(all.length / size) }, (_, i) => all.slice(i * size, (i + 1) * size));
}

/** The metrics of one cause: reads and writes, of the table and of indexes. */
function throttleMetrics(site: Site, cause: string, places: readonly (string | undefined)[]): Metric[] {
  return places.flatMap((index) =>
    ['Read', 'Write'].map((kind) => tableMetric(site, `${kind}${cause}ThrottleEvents`, index)),
  );
}

function failureAlarms(site: Site): Record<string, Alarm> {
  return {
    FailedBatchesAge: {
      metric: queueAge(FAILED_BATCHES_QUEUE),
      means: 'A failed batch waits for its redrive: nothing reads the queue, or there are too many.',
      threshold: LONGEST_WAIT_SECONDS,
    },
    RedriveMissing: {
      metric: ownMetric(site, 'CheckAgeSeconds', 'Maximum'),
      means: 'No redrive was started by its schedule.',
      period: redriveSeconds(site),
      periods: 3,
    },
    DeadLetters: { metric: queueDepth(DEAD_LETTER_QUEUE), means: 'Failed batches could not be redriven.', ...ONCE },
    ScheduleDeadLetters: {
      metric: queueDepth(SCHEDULE_DEAD_LETTER_QUEUE),
      means: 'A schedule could not start the check or the redrive.',
      ...ONCE,
    },
    Quarantined: {
      metric: ownMetric(site, 'Quarantined'),
      means: 'A base item could not be projected in full.',
      ...UNTIL_NEXT_NIGHT,
    },
    QuarantineNotEmpty: {
      metric: ownMetric(site, 'RedriveLeft', 'Maximum'),
      means: 'What could not be projected is there still after a redrive.',
      ...ONCE,
      ...untilNextRedrive(site),
    },
  };
}

function redriveSeconds({ parameters }: Site): number {
  return parameters.redriveMinutes * 60;
}

/** How long a migration may be open before a person looks. */
const LONGEST_MIGRATION_HOURS = 24;

function registryAlarms(site: Site): Record<string, Alarm> {
  // The next redrive may begin a little later than a period after this one: two of its periods have one for sure.
  const period = Math.max(HOUR_SECONDS, 2 * redriveSeconds(site));
  return {
    Unmanaged: {
      metric: ownMetric(site, 'Unmanaged', 'Maximum'),
      means: 'The table has items and no registry: edgeloom migrate has never run.',
      threshold: 1,
      period,
      // The first look may come before the first migration.
      periods: 2,
    },
    StreamReplaced: {
      metric: ownMetric(site, 'StreamReplaced', 'Maximum'),
      means:
        'The stream of the table was switched off, or off and on, and nothing reads the new one; or nobody looks any more.',
      threshold: 1,
      orStops: true,
      // A deployment may change the stream between two looks.
      periods: 2,
    },
    MigrationOpen: {
      metric: ownMetric(site, 'MigrationOpen', 'Maximum'),
      means: 'A migration was left half done: what no reader uses is maintained for a day.',
      threshold: 1,
      period,
      // A migration that a single redrive has met is no reason to ring, however long a period is.
      periods: Math.max(3, Math.ceil((LONGEST_MIGRATION_HOURS * HOUR_SECONDS) / period)),
    },
  };
}

function checkAlarms(site: Site): Record<string, Alarm> {
  return {
    Drift: {
      metric: ownMetric(site, 'CheckDrift'),
      means: 'The check found derived items that are not what the base items say.',
      ...UNTIL_NEXT_NIGHT,
    },
    CheckQuarantined: {
      metric: ownMetric(site, 'CheckQuarantined'),
      means: 'The check found items that could not be projected in full, also those that no redrive finds.',
      ...UNTIL_NEXT_NIGHT,
    },
    CheckFailed: {
      metric: machineMetric('ExecutionsFailed'),
      means: 'The check failed before its end.',
      ...UNTIL_NEXT_NIGHT,
    },
    CheckTimedOut: {
      metric: machineMetric('ExecutionsTimedOut'),
      means: 'The check took longer than it may.',
      ...UNTIL_NEXT_NIGHT,
    },
    ...(site.parameters.checkEnabled && {
      CheckOverdue: {
        // The scheduled redrive reads it from the table, where only a check that has read all of it leaves its end.
        metric: ownMetric(site, 'CheckAgeSeconds', 'Maximum'),
        means: `No check of the whole table has ended for ${site.parameters.checkOverdueHours} hours.`,
        threshold: site.parameters.checkOverdueHours * HOUR_SECONDS,
        ...untilNextRedrive(site),
      },
    }),
  };
}

/** The oldest age of the verified time that needs no person, in seconds. */
const LONGEST_UNVERIFIED_SECONDS = 900;

function observerAlarms(site: Site): Record<string, Alarm> {
  if (!site.parameters.observe) return {};
  return {
    Unverified: {
      metric: ownMetric(site, 'VerifiedAgeSeconds', 'Maximum'),
      means: `Nothing is verified that was written in the last ${LONGEST_UNVERIFIED_SECONDS / 60} minutes.`,
      threshold: LONGEST_UNVERIFIED_SECONDS,
    },
    ObservedDrift: {
      metric: ownMetric(site, 'ObservedDrift', 'Maximum'),
      means: 'The observer knows derived items that are not what the base items ask for.',
      ...ONCE,
    },
    ObserverMissing: {
      metric: ownMetric(site, 'VerifiedAgeSeconds', 'Maximum'),
      means: 'No observer was started by its schedule.',
      periods: 3,
    },
  };
}

/** How long changes may wait for EventBridge before a person looks, in seconds. */
const LONGEST_FEED_WAIT_SECONDS = 900;

function feedAlarms({ parameters }: Site): Record<string, Alarm> {
  if (!functionsOf(parameters).includes('feed')) return {};
  return {
    FeedAge: {
      metric: queueAge(FEED_QUEUE),
      means: 'EventBridge does not take the changes of the feed, or too slowly; they wait.',
      threshold: LONGEST_FEED_WAIT_SECONDS,
    },
    FeedDeadLetters: {
      metric: queueDepth(FEED_DEAD_LETTER_QUEUE),
      means: 'EventBridge has refused changes of the feed for ever, or not taken them for days.',
      ...ONCE,
    },
  };
}

function mirrorAlarms(site: Site): Record<string, Alarm> {
  const { parameters } = site;
  const { sourceStreamArns } = parameters;
  if (sourceStreamArns.length === 0) return {};
  const notPolled = sourceStreamArns.map((arn, place): [string, Alarm] => [
    place === 0 ? 'MirrorNotPolled' : `MirrorNotPolled${place + 1}`,
    {
      metric: mappingMetric('PolledEventCount', mirrorMappingId(place)),
      means: `Nothing reads the stream of the source ${tableArnOfStream(arn).split(':table/').at(-1)}.`,
      periods: 3,
    },
  ]);
  return {
    MirrorAge: {
      metric: functionMetric('mirror', 'IteratorAge', 'Maximum'),
      means: 'The mirror is behind the stream of a source.',
      threshold: parameters.iteratorAgeAlarmSeconds * 1000,
    },
    ...Object.fromEntries(notPolled),
    MirrorGaveUp: {
      metric: [
        queueDepth(MIRROR_DEAD_LETTER_QUEUE),
        // Records that do not even reach the queue.
        ...sourceStreamArns.map((_, place) => mappingMetric('DroppedEventCount', mirrorMappingId(place))),
      ],
      means: 'Records of a source were given up: base items may differ from their source items.',
      ...ONCE,
    },
    MirrorRefused: {
      metric: ownMetric(site, 'MirrorRefused', 'Maximum'),
      means: 'The mapping does not take a source item.',
      ...ONCE,
    },
    MirrorConflicts: {
      metric: ownMetric(site, 'MirrorConflicts', 'Maximum'),
      means: 'Several source items make one base item.',
      ...ONCE,
    },
    SourceStreamReplaced: {
      metric: ownMetric(site, 'SourceStreamReplaced', 'Maximum'),
      means:
        'The stream of a source was switched off, or off and on, and nothing reads the new one; or nobody looks any more.',
      threshold: 1,
      orStops: true,
      // A deployment may change the stream between two looks.
      periods: 2,
    },
  };
}

/** @param called when a function rings that is called now and then; the functions of streams are called all the time. */
function alarmForEachFunction(
  { parameters }: Site,
  metric: 'Errors' | 'Throttles',
  does: string,
  called: Omit<Alarm, 'metric' | 'means'>,
) {
  return Object.fromEntries(
    functionsOf(parameters).map((name): [string, Alarm] => [
      `${logicalIdPrefix(name)}${metric}`,
      {
        metric: functionMetric(name, metric),
        means: `The function ${name} ${does}.`,
        ...(name === 'stream' || name === 'mirror' ? LASTING : called),
      },
    ]),
  );
}

/** Alarms that share a section of docs/how-to/alarms.md; each other one has its own. */
const SHARED_RUNBOOKS: readonly (readonly string[])[] = [
  ['TableCap', 'ProvisionedCap'],
  ['StreamErrors', 'FailedEvents'],
  ['Quarantined', 'QuarantineNotEmpty', 'CheckQuarantined'],
  ['CheckErrors', 'RebuildErrors', 'CheckFailed', 'CheckTimedOut'],
  ['StreamThrottles', 'CheckThrottles', 'RebuildThrottles', 'RedriveThrottles'],
];

/** The address of an alarm's runbook: a path in this repository, or a link where a parameter says where its pages are. */
export function runbookOf(name: string, { docsUrl }: Parameters): string {
  if (/^(Mirror|Source)/.test(name)) return docsPage('alarms', 'mirror', docsUrl);
  if (/^(Observe|Feed|Unverified)/.test(name)) return docsPage('observing', 'alarms', docsUrl);
  // HotPartition2 is about further indexes.
  const first = name.replace(/\d+$/, '');
  const heading = SHARED_RUNBOOKS.find((names) => names.includes(first)) ?? [first];
  return docsPage('alarms', heading.join('-').toLowerCase(), docsUrl);
}

/** The alarms, and the topic that they go to. */
export function alarmResources(site: Site): Resources {
  const { alarmTopicArn } = site.parameters;
  const topic = alarmTopicArn === '' ? ref(ALARM_TOPIC) : alarmTopicArn;
  const resources = Object.entries(alarms(site)).map(([name, alarm]): [string, Resources[string]] => [
    `${name}Alarm`,
    alarmResource(site.names.local(name), `${alarm.means} Runbook: ${runbookOf(name, site.parameters)}`, alarm, topic),
  ]);
  return { ...(alarmTopicArn === '' && topicResources(site)), ...Object.fromEntries(resources) };
}

function alarmResource(
  name: string,
  description: string,
  { metric, threshold, orStops = threshold === undefined, periods = 1, ...alarm }: Alarm,
  topic: Value,
) {
  return {
    Type: 'AWS::CloudWatch::Alarm',
    Properties: {
      AlarmName: name,
      AlarmDescription: description,
      ...metricOfAlarm(metric, alarm.period ?? PERIOD_SECONDS),
      EvaluationPeriods: periods,
      DatapointsToAlarm: alarm.ofThem ?? periods,
      // No metric is below zero.
      Threshold: threshold ?? 0,
      ComparisonOperator: threshold === undefined ? 'LessThanThreshold' : 'GreaterThanOrEqualToThreshold',
      // Most metrics count nothing where nothing happened. An alarm begins without data, and tells only of changes: it does not ring
      // at a first deployment, as it would if missing data were breaching.
      TreatMissingData: orStops ? 'missing' : 'notBreaching',
      AlarmActions: [topic],
      OKActions: [topic],
      ...(orStops && { InsufficientDataActions: [topic] }),
    },
  };
}

/** The metric of an alarm. */
function metricOfAlarm(metric: Metric | readonly Metric[], period: number): Resources[string]['Properties'] {
  if ('namespace' in metric) {
    return { ...metricProperties(metric), Statistic: metric.statistic, Period: period };
  }
  // An alarm on a metric of DynamoDB keeps its state where data is missing, whatever it is configured to do. It would never end.
  const filled = metric.map((_, i) => `FILL(m${i}, 0)`).join(' + ');
  return {
    Metrics: [
      { Id: 'filled', Expression: filled, Label: 'throttled', ReturnData: true },
      ...metric.map((one, i) => ({
        Id: `m${i}`,
        MetricStat: { Metric: metricProperties(one), Stat: one.statistic, Period: period },
        ReturnData: false,
      })),
    ],
  };
}

function metricProperties({ namespace, name, dimensions }: Metric): Resources[string]['Properties'] {
  return {
    Namespace: namespace,
    MetricName: name,
    Dimensions: Object.entries(dimensions).map(([Name, Value]) => ({ Name, Value })),
  };
}

function topicResources({ names, parameters: { alarmEmail, kmsKeyArn } }: Site): Resources {
  const alarmsOfStack = sub(
    `arn:\${AWS::Partition}:cloudwatch:\${AWS::Region}:\${AWS::AccountId}:alarm:${names.prefix}-*`,
  );
  return {
    [ALARM_TOPIC]: {
      Type: 'AWS::SNS::Topic',
      // Not under AWS's KMS key: alarms cannot publish there. Their messages hold names and numbers, no items.
      Properties: {
        TopicName: names.local('alarms'),
        ...(kmsKeyArn !== '' && { KmsMasterKeyId: kmsKeyArn }),
        ...(alarmEmail !== '' && { Subscription: [{ Protocol: 'email', Endpoint: alarmEmail }] }),
      },
    },
    AlarmTopicPolicy: {
      Type: 'AWS::SNS::TopicPolicy',
      Properties: {
        Topics: [ref(ALARM_TOPIC)],
        PolicyDocument: policyDocument([
          {
            ...allow(['sns:Publish'], [ref(ALARM_TOPIC)]),
            Principal: { Service: 'cloudwatch.amazonaws.com' },
            Condition: {
              ArnLike: { 'aws:SourceArn': alarmsOfStack },
              StringEquals: { 'aws:SourceAccount': ref('AWS::AccountId') },
            },
          },
          denyPlainText('sns:Publish', [ref(ALARM_TOPIC)]),
        ]),
      },
    },
  };
}
