import { DEAD_LETTER_QUEUE, FUNCTIONS, logicalName, SCHEDULE_DEAD_LETTER_QUEUE } from '../base/ids.ts';
import type { Site } from '../base/site.ts';
import { allow, denyPlainText, policyDocument, type Resources, ref, sub, type Value } from '../base/template.ts';
import {
  functionMetric,
  type Metric,
  machineMetric,
  mappingMetric,
  ownMetric,
  queueDepth,
  tableMetric,
} from './metrics.ts';

/** An alarm: a metric at or above a threshold, once or for some periods. */
export interface Alarm {
  metric: Metric;
  /** One sentence; docs/operations.md says what to do. */
  means: string;
  threshold: number;
  /** Whether it rings below the threshold instead of from it on. */
  isBelow?: boolean;
  /** Whether it rings where nothing is counted at all. */
  ringsWithoutData?: boolean;
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
/** Logical id of the stack's own topic. */
export const ALARM_TOPIC = 'AlarmTopic';

const ONCE = { threshold: 1 };
// Retries mend what fails for a moment: a quarter of an hour of failures is what somebody should look at.
const LASTING = { threshold: 1, periods: 3 };
// What a night has found stays in alarm until the next night's check has not found it.
const UNTIL_NEXT_NIGHT = { threshold: 1, period: HOUR_SECONDS, periods: NIGHT_HOURS, ofThem: 1 };

/** Every alarm, by its name; docs/operations.md has a section on each. */
export function alarms(site: Site): Record<string, Alarm> {
  return { ...streamAlarms(site), ...tableAlarms(site), ...failureAlarms(site), ...checkAlarms(site) };
}

function streamAlarms({ parameters }: Site): Record<string, Alarm> {
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
      threshold: 0,
      isBelow: true,
      ringsWithoutData: true,
      periods: 3,
    },
    ...forEachFunction('Errors', 'fails', LASTING),
    ...forEachFunction('Throttles', 'is throttled', LASTING),
    FailedEvents: {
      metric: mappingMetric('FailedInvokeEventCount'),
      means: 'Stream records fail again and again.',
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

function tableAlarms(site: Site): Record<string, Alarm> {
  const { indexes, table } = site.graph;
  const places: [string, string | undefined][] = [
    ['Table', undefined],
    ...indexes.map((index): [string, string] => [index[0]!.toUpperCase() + index.slice(1), table.indexNames[index]!]),
  ];
  return Object.fromEntries(
    places.flatMap(([place, index]) =>
      (['Read', 'Write'] as const).map((kind): [string, Alarm] => [
        `${place}${kind}Throttles`,
        {
          metric: tableMetric(site, `${kind}ThrottleEvents`, index),
          means: `DynamoDB throttles ${kind.toLowerCase()}s of the ${index === undefined ? 'table' : `index ${index}`}.`,
          ...LASTING,
        },
      ]),
    ),
  );
}

function failureAlarms(site: Site): Record<string, Alarm> {
  const redriveSeconds = site.parameters.redriveMinutes * 60;
  return {
    DeadLetters: { metric: queueDepth(DEAD_LETTER_QUEUE), means: 'Failed batches could not be redriven.', ...ONCE },
    ScheduleDeadLetters: {
      metric: queueDepth(SCHEDULE_DEAD_LETTER_QUEUE),
      means: 'A schedule could not start the check or the redrive.',
      ...ONCE,
    },
    Quarantined: {
      metric: ownMetric(site, 'quarantined'),
      means: 'A base item could not be projected in full.',
      ...UNTIL_NEXT_NIGHT,
    },
    QuarantineNotEmpty: {
      metric: ownMetric(site, 'redriveLeft', 'Maximum'),
      means: 'What could not be projected is there still after a redrive.',
      ...ONCE,
      // The next redrive may begin a little later than a period after this one.
      period: redriveSeconds,
      periods: 2,
      ofThem: 1,
    },
  };
}

function checkAlarms(site: Site): Record<string, Alarm> {
  return {
    Drift: {
      metric: ownMetric(site, 'checkDrift'),
      means: 'The check found derived items that are not what the base items say.',
      ...UNTIL_NEXT_NIGHT,
    },
    CheckFailed: {
      metric: machineMetric('ExecutionsFailed'),
      means: 'The check did not come to its end.',
      ...UNTIL_NEXT_NIGHT,
    },
    CheckTimedOut: {
      metric: machineMetric('ExecutionsTimedOut'),
      means: 'The check took longer than it may.',
      ...UNTIL_NEXT_NIGHT,
    },
    ...(site.parameters.checkEnabled && {
      CheckMissing: {
        metric: machineMetric('ExecutionsSucceeded'),
        means: `No check has ended well for ${NIGHT_HOURS} hours.`,
        threshold: 1,
        isBelow: true,
        ringsWithoutData: true,
        period: HOUR_SECONDS,
        periods: NIGHT_HOURS,
      },
    }),
  };
}

function forEachFunction(metric: 'Errors' | 'Throttles', does: string, rest: Omit<Alarm, 'metric' | 'means'>) {
  return Object.fromEntries(
    FUNCTIONS.map((name): [string, Alarm] => [
      `${logicalName(name)}${metric}`,
      { metric: functionMetric(name, metric), means: `The function ${name} ${does}.`, ...rest },
    ]),
  );
}

/** The alarms, and the topic that they go to. */
export function alarmResources(site: Site): Resources {
  const { alarmTopicArn } = site.parameters;
  const topic = alarmTopicArn === '' ? ref(ALARM_TOPIC) : alarmTopicArn;
  const resources = Object.entries(alarms(site)).map(([name, alarm]): [string, Resources[string]] => [
    `${name}Alarm`,
    alarmResource(site.names.local(name), alarm, topic),
  ]);
  return { ...(alarmTopicArn === '' && topicResources(site)), ...Object.fromEntries(resources) };
}

function alarmResource(name: string, { metric, means, threshold, period, periods = 1, ...alarm }: Alarm, topic: Value) {
  return {
    Type: 'AWS::CloudWatch::Alarm',
    Properties: {
      AlarmName: name,
      AlarmDescription: `${means} See docs/operations.md.`,
      Namespace: metric.namespace,
      MetricName: metric.name,
      Dimensions: Object.entries(metric.dimensions).map(([Name, Value]) => ({ Name, Value })),
      Statistic: metric.statistic,
      Period: period ?? PERIOD_SECONDS,
      EvaluationPeriods: periods,
      DatapointsToAlarm: alarm.ofThem ?? periods,
      Threshold: threshold,
      ComparisonOperator: alarm.isBelow === true ? 'LessThanThreshold' : 'GreaterThanOrEqualToThreshold',
      // Most metrics count nothing where nothing happened.
      TreatMissingData: alarm.ringsWithoutData === true ? 'breaching' : 'notBreaching',
      AlarmActions: [topic],
      OKActions: [topic],
    },
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
