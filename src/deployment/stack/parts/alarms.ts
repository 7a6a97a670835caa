import { docsPage } from '../../../foundation/docs.ts';
import { slicesOf } from '../../../foundation/for-each.ts';
import type { MetricName } from '../../metric-units.ts';
import { tableNameIn } from '../base/arns.ts';
import {
  DEAD_LETTER_QUEUE,
  FAILED_BATCHES_QUEUE,
  FEED_DEAD_LETTER_QUEUE,
  FEED_QUEUE,
  logicalIdPrefix,
  MIRROR_DEAD_LETTER_QUEUE,
  mirrorMappingId,
  SCHEDULE_DEAD_LETTER_QUEUE,
} from '../base/ids.ts';
import type { Parameters } from '../base/parameters.ts';
import { indexNamesOf, type Site } from '../base/site.ts';
import {
  allowService,
  denyPlainText,
  ownArn,
  policyDocument,
  type Resources,
  ref,
  type Value,
} from '../base/template.ts';
import {
  functionMetric,
  type Metric,
  machineMetric,
  mappingMetric,
  metricProperties,
  ownMetric,
  queueAge,
  queueDepth,
  tableMetric,
} from './metrics.ts';

export interface Alarm {
  /** Several metrics are added up. */
  metric: Metric | readonly Metric[];
  /** One sentence; the runbook says what to do. */
  means: string;
  /** Without a threshold, the alarm rings when the metric stops after it has begun. */
  threshold?: number;
  /** Whether the alarm also rings when the metric stops. Default: only without a threshold. */
  orStops?: boolean;
  /** Seconds. Default: 300. */
  period?: number;
  periods?: number;
  /** How many of the periods have to breach. Default: all. */
  ofThem?: number;
}

const PERIOD_SECONDS = 300;
const HOUR_SECONDS = 3600;
const ALARM_TOPIC = 'AlarmTopic';

type When = Omit<Alarm, 'metric' | 'means'>;

const ONCE: When = { threshold: 1 };
// Rings after three periods, since retries resolve momentary failures.
const LASTING: When = { threshold: 1, periods: 3 };
// Callers pause before they retry, so a second failure within an hour matters.
const FAILS_AGAIN: When = { threshold: 2, period: HOUR_SECONDS };
// Throttled calls are retried more often, so the threshold is higher.
const REFUSED_AGAIN: When = { threshold: 5, period: HOUR_SECONDS };
// Rings for 26 hours after a finding, so at least until the next night's check.
const UNTIL_NEXT_NIGHT: When = { threshold: 1, period: HOUR_SECONDS, periods: 26, ofThem: 1 };
// A mapping that finds no records emits zeros; one that does not poll emits nothing.
const STOPPED: When = { periods: 3 };
// Two periods, because a deployment may change the stream between two watches.
const REPLACED: When = { threshold: 1, orStops: true, periods: 2 };
const WAITS_AN_HOUR: When = { threshold: HOUR_SECONDS };
const WAITS_A_QUARTER: When = { threshold: 900 };
const LONGEST_MIGRATION_HOURS = 24;

/** Meanings of the alarms whose rows in `alarms` have none. */
const MEANS: Readonly<Record<string, string>> = {
  IteratorAge: 'The projector is behind the stream.',
  NotPolled: 'Nothing reads the stream: the event source mapping is disabled or gone.',
  FailedEvents: 'Stream records have failed for a quarter of an hour.',
  DroppedEvents: 'Stream records were lost: neither projected nor kept in the bucket.',
  FailedBatches: 'The event source mapping gave up on records; they are in the bucket and are being redriven.',
  HotPartition: 'DynamoDB throttles calls of one partition, of the table or of an index.',
  TableCap: 'DynamoDB throttles calls at the maximum that the table or an index is set to.',
  AccountLimit: 'DynamoDB throttles calls at a quota of the account.',
  ProvisionedCap: 'DynamoDB throttles calls beyond the provisioned units.',
  FailedBatchesAge: 'A failed batch waits for its redrive: nothing reads the queue, or there are too many.',
  RedriveMissing: 'No redrive was started by its schedule.',
  DeadLetters: 'Failed batches could not be redriven.',
  ScheduleDeadLetters: 'A schedule could not start the check or the redrive.',
  Quarantined: 'A base item could not be projected in full.',
  QuarantineNotEmpty: 'What could not be projected is there still after a redrive.',
  Unmanaged: 'The table has no registry: edgeloom migrate has never run.',
  StreamReplaced:
    'The stream of the table was switched off, or off and on, and nothing reads the new one; or nobody looks any more.',
  MigrationOpen: 'A migration was left half done: for a day, projections have been half built or half removed.',
  Drift: 'The check found derived items that are not what the base items say.',
  CheckQuarantined: 'The check found items that could not be projected in full, also those that no redrive finds.',
  CheckFailed: 'The check failed before its end.',
  CheckTimedOut: 'The check took longer than it may.',
  Unverified: 'Nothing is verified that was written in the last 15 minutes.',
  ObservedDrift: 'The observer knows derived items that are not what the base items ask for.',
  ObserverMissing: 'No run of the observer has ended for 15 minutes.',
  FeedAge: 'EventBridge does not take the changes of the feed, or too slowly; they wait.',
  FeedDeadLetters: 'EventBridge has refused changes of the feed for ever, or not taken them for days.',
  MirrorAge: 'The mirror is behind the stream of a source.',
  MirrorGaveUp: 'Records of a source were given up: base items may differ from their source items.',
  MirrorRefused: 'The mapping does not take a source item.',
  MirrorConflicts: 'Several source items make one base item.',
  SourceStreamReplaced:
    'The stream of a source was switched off, or off and on, and nothing reads the new one; or nobody looks any more.',
};

/** The metric, when the alarm rings, and its meaning unless `MEANS` has it. */
type Rows = Readonly<Record<string, readonly [Alarm['metric'], When, means?: string]>>;

/** docs/how-to/alarms.md explains each alarm. */
export function alarms(site: Site): Record<string, Alarm> {
  const { observe, checkEnabled, checkOverdueHours, iteratorAgeAlarmSeconds, redriveMinutes } = site.parameters;
  const own = (name: MetricName): Metric => ownMetric(site, name, 'Maximum');
  const behind: When = { threshold: iteratorAgeAlarmSeconds * 1000 };
  const redriveSeconds = redriveMinutes * 60;
  // Two periods, because the next redrive may begin a little late.
  const untilNextRedrive = { period: redriveSeconds, periods: 2, ofThem: 1 };
  const period = Math.max(HOUR_SECONDS, 2 * redriveSeconds);
  // At least three periods, so that one redrive during a migration doesn't ring.
  const migrating = Math.max(3, Math.ceil((LONGEST_MIGRATION_HOURS * HOUR_SECONDS) / period));
  const rows: Rows = {
    IteratorAge: [functionMetric('stream', 'IteratorAge', 'Maximum'), behind],
    NotPolled: [mappingMetric('PolledEventCount'), STOPPED],
    ...functionRows(site, 'Errors', 'fails', FAILS_AGAIN),
    ...functionRows(site, 'Throttles', 'is throttled', REFUSED_AGAIN),
    FailedEvents: [mappingMetric('FailedInvokeEventCount'), LASTING],
    DroppedEvents: [mappingMetric('DroppedEventCount'), ONCE],
    FailedBatches: [mappingMetric('OnFailureDestinationDeliveredEventCount'), ONCE],
    ...throttlingRows(site),
    FailedBatchesAge: [queueAge(FAILED_BATCHES_QUEUE), WAITS_AN_HOUR],
    RedriveMissing: [own('CheckAgeSeconds'), { ...STOPPED, period: redriveSeconds }],
    DeadLetters: [queueDepth(DEAD_LETTER_QUEUE), ONCE],
    ScheduleDeadLetters: [queueDepth(SCHEDULE_DEAD_LETTER_QUEUE), ONCE],
    Quarantined: [ownMetric(site, 'Quarantined'), UNTIL_NEXT_NIGHT],
    QuarantineNotEmpty: [own('RedriveLeft'), { ...ONCE, ...untilNextRedrive }],
    // Two periods, because the first watch may come before the first migration.
    Unmanaged: [own('Unmanaged'), { threshold: 1, period, periods: 2 }],
    StreamReplaced: [own('StreamReplaced'), REPLACED],
    MigrationOpen: [own('MigrationOpen'), { threshold: 1, period, periods: migrating }],
    Drift: [ownMetric(site, 'CheckDrift'), UNTIL_NEXT_NIGHT],
    CheckQuarantined: [ownMetric(site, 'CheckQuarantined'), UNTIL_NEXT_NIGHT],
    CheckFailed: [machineMetric('ExecutionsFailed'), UNTIL_NEXT_NIGHT],
    CheckTimedOut: [machineMetric('ExecutionsTimedOut'), UNTIL_NEXT_NIGHT],
    ...(checkEnabled && {
      // Only a check of the whole table resets this age.
      CheckOverdue: [
        own('CheckAgeSeconds'),
        { threshold: checkOverdueHours * HOUR_SECONDS, ...untilNextRedrive },
        `No check of the whole table has ended for ${checkOverdueHours} hours.`,
      ],
    }),
    ...(observe && {
      Unverified: [own('VerifiedAgeSeconds'), WAITS_A_QUARTER],
      ObservedDrift: [own('ObservedDrift'), ONCE],
      ObserverMissing: [own('VerifiedAgeSeconds'), STOPPED],
    }),
    ...(site.functions.includes('feed') && {
      FeedAge: [queueAge(FEED_QUEUE), WAITS_A_QUARTER],
      FeedDeadLetters: [queueDepth(FEED_DEAD_LETTER_QUEUE), ONCE],
    }),
    ...sourceRows(site, behind),
  };
  return Object.fromEntries(
    Object.entries(rows).map(([name, [metric, when, means = MEANS[name]!]]) => [name, { metric, means, ...when }]),
  );
}

/** @param called when an alarm rings for a function that does not read a stream. */
function functionRows({ functions }: Site, metric: 'Errors' | 'Throttles', does: string, called: When): Rows {
  return Object.fromEntries(
    functions.map((name) => [
      `${logicalIdPrefix(name)}${metric}`,
      [
        functionMetric(name, metric),
        name === 'stream' || name === 'mirror' ? LASTING : called,
        `The function ${name} ${does}.`,
      ],
    ]),
  );
}

/** DynamoDB's causes of throttling, which need different remedies. */
const THROTTLE_CAUSES = {
  HotPartition: 'KeyRangeThroughput',
  TableCap: 'MaxOnDemandThroughput',
  AccountLimit: 'AccountLimit',
};
/** Only an existing table may have provisioned capacity. */
const PROVISIONED_CAUSE = { ProvisionedCap: 'ProvisionedThroughput' };
/** CloudWatch's limit of metrics per alarm. */
const METRICS_OF_ALARM = 10;

function throttlingRows(site: Site): Rows {
  const causes = { ...THROTTLE_CAUSES, ...(site.parameters.existingTableArn !== '' && PROVISIONED_CAUSE) };
  const places = [undefined, ...indexNamesOf(site.graph)];
  return Object.assign(
    {},
    ...Object.entries(causes).map(([name, cause]) => {
      const metrics = places.flatMap((index) =>
        ['Read', 'Write'].map((kind) => tableMetric(site, `${kind}${cause}ThrottleEvents`, index)),
      );
      return splitRows(name, metrics, LASTING);
    }),
  );
}

function splitRows(name: string, metrics: readonly Metric[], when: When): Rows {
  const parts = [...slicesOf(metrics, METRICS_OF_ALARM)];
  return Object.fromEntries(parts.map((part, place) => [numbered(name, place), [part, when, MEANS[name]]]));
}

function numbered(name: string, place: number): string {
  return place === 0 ? name : `${name}${place + 1}`;
}

function sourceRows(site: Site, behind: When): Rows {
  const { sourceStreamArns } = site.parameters;
  if (sourceStreamArns.length === 0) return {};
  const notPolled = sourceStreamArns.map((arn, place) => [
    numbered('MirrorNotPolled', place),
    [
      mappingMetric('PolledEventCount', mirrorMappingId(place)),
      STOPPED,
      `Nothing reads the stream of the source ${tableNameIn(arn)}.`,
    ],
  ]);
  // Dropped records don't reach the queue.
  const dropped = sourceStreamArns.map((_, place) => mappingMetric('DroppedEventCount', mirrorMappingId(place)));
  const own = (name: MetricName): Metric => ownMetric(site, name, 'Maximum');
  return {
    MirrorAge: [functionMetric('mirror', 'IteratorAge', 'Maximum'), behind],
    ...Object.fromEntries(notPolled),
    ...splitRows('MirrorGaveUp', [queueDepth(MIRROR_DEAD_LETTER_QUEUE), ...dropped], ONCE),
    MirrorRefused: [own('MirrorRefused'), ONCE],
    MirrorConflicts: [own('MirrorConflicts'), ONCE],
    SourceStreamReplaced: [own('SourceStreamReplaced'), REPLACED],
  };
}

/** Alarms that share a section of docs/how-to/alarms.md. */
const SHARED_RUNBOOKS: readonly (readonly string[])[] = [
  ['TableCap', 'ProvisionedCap'],
  ['StreamErrors', 'FailedEvents'],
  ['Quarantined', 'QuarantineNotEmpty', 'CheckQuarantined'],
  ['CheckErrors', 'RebuildErrors', 'CheckFailed', 'CheckTimedOut'],
  ['StreamThrottles', 'CheckThrottles', 'RebuildThrottles', 'RedriveThrottles'],
];

/** Returns a path in the package, or a link if `docsUrl` is set. */
export function runbookOf(name: string, { docsUrl }: Parameters): string {
  if (/^(Mirror|Source)/.test(name)) return docsPage('alarms', 'mirror', docsUrl);
  if (/^(Observe|Feed|Unverified)/.test(name)) return docsPage('observing', 'alarms', docsUrl);
  // `HotPartition2` shares the runbook of `HotPartition`.
  const first = name.replace(/\d+$/, '');
  const heading = SHARED_RUNBOOKS.find((names) => names.includes(first)) ?? [first];
  return docsPage('alarms', heading.join('-').toLowerCase(), docsUrl);
}

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
      // Metrics are never below zero, so only missing data rings.
      Threshold: threshold ?? 0,
      ComparisonOperator: threshold === undefined ? 'LessThanThreshold' : 'GreaterThanOrEqualToThreshold',
      // `breaching` would ring at the first deployment, because a new alarm has no data.
      TreatMissingData: orStops ? 'missing' : 'notBreaching',
      AlarmActions: [topic],
      OKActions: [topic],
      ...(orStops && { InsufficientDataActions: [topic] }),
    },
  };
}

function metricOfAlarm(metric: Metric | readonly Metric[], period: number): Resources[string]['Properties'] {
  if ('namespace' in metric) {
    return { ...metricProperties(metric), Statistic: metric.statistic, Period: period };
  }
  // Alarms on DynamoDB's metrics ignore `TreatMissingData` and would never end without FILL.
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

function topicResources({ names, parameters: { alarmEmail, kmsKeyArn } }: Site): Resources {
  return {
    [ALARM_TOPIC]: {
      Type: 'AWS::SNS::Topic',
      // Encrypted only with a customer-managed key, because alarms cannot publish to a topic with the AWS-managed one.
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
          allowService('cloudwatch', 'sns:Publish', ref(ALARM_TOPIC), {
            ArnLike: ownArn('cloudwatch', `alarm:${names.prefix}-*`),
          }),
          denyPlainText('sns:Publish', [ref(ALARM_TOPIC)]),
        ]),
      },
    },
  };
}
