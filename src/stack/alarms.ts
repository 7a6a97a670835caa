import { DEAD_LETTER_QUEUE } from './failures.ts';
import { functionMetric, type Metric, machineMetric, mappingMetric, ownMetric, queueDepth } from './metrics.ts';
import type { Parameters } from './parameters.ts';
import { FUNCTIONS, logicalName } from './roles.ts';
import { allow, denyPlainText, policyDocument, type Resources, ref, type Value } from './template.ts';

/** An alarm: a metric at or above a threshold, once or for some periods. */
export interface Alarm {
  metric: Metric;
  /** One sentence; docs/operations.md says what to do. */
  means: string;
  threshold: number;
  /** Seconds. Default 300. */
  period?: number;
  /** Periods that have to be at or above the threshold. Default 1. */
  periods?: number;
}

const PERIOD_SECONDS = 300;
/** Logical id of the stack's own topic. */
export const ALARM_TOPIC = 'AlarmTopic';

/** Every alarm, by its name; docs/operations.md has a section on each. */
export function alarms({ iteratorAgeAlarmSeconds, redriveMinutes }: Parameters): Record<string, Alarm> {
  const once = { threshold: 1 };
  // Retries mend what fails for a moment: it is a quarter of an hour of failures that somebody should look at.
  const lasting = { threshold: 1, periods: 3 };
  return {
    IteratorAge: {
      metric: functionMetric('stream', 'IteratorAge', 'Maximum'),
      means: 'The projector is behind the stream.',
      threshold: iteratorAgeAlarmSeconds * 1000,
    },
    ...forEachFunction('Errors', 'fails', lasting),
    ...forEachFunction('Throttles', 'is throttled', lasting),
    FailedEvents: {
      metric: mappingMetric('FailedInvokeEventCount'),
      means: 'Stream records fail again and again.',
      ...lasting,
    },
    DroppedEvents: {
      metric: mappingMetric('DroppedEventCount'),
      means: 'Stream records were lost: neither projected nor kept in the bucket.',
      ...once,
    },
    FailedBatches: {
      metric: mappingMetric('OnFailureDestinationDeliveredEventCount'),
      means: 'The event source mapping gave up on records; they are in the bucket and are being redriven.',
      ...once,
    },
    DeadLetters: {
      metric: queueDepth(DEAD_LETTER_QUEUE),
      means: 'Failed batches could not be redriven.',
      ...once,
    },
    Quarantined: {
      metric: ownMetric('quarantined'),
      means: 'A base item could not be projected in full.',
      ...once,
    },
    QuarantineNotEmpty: {
      metric: ownMetric('redriveLeft', 'Maximum'),
      means: 'What could not be projected is there still after a redrive.',
      ...once,
      period: redriveMinutes * 60,
    },
    Drift: {
      metric: ownMetric('checkDrift'),
      means: 'The check found derived items that are not what the base items say.',
      ...once,
    },
    CheckFailed: {
      metric: machineMetric('ExecutionsFailed'),
      means: 'The check did not come to its end.',
      ...once,
    },
    CheckTimedOut: {
      metric: machineMetric('ExecutionsTimedOut'),
      means: 'The check took longer than it may.',
      ...once,
    },
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

/**
 * The alarms, and the topic that they go to.
 *
 * @param prefix of names; `edgeloom-prod`.
 */
export function alarmResources(prefix: string, parameters: Parameters): Resources {
  const { alarmTopicArn, alarmEmail } = parameters;
  const topic = alarmTopicArn === '' ? ref(ALARM_TOPIC) : alarmTopicArn;
  const resources = Object.entries(alarms(parameters)).map(([name, alarm]): [string, Resources[string]] => [
    `${name}Alarm`,
    alarmResource(`${prefix}-${name}`, alarm, topic),
  ]);
  return { ...(alarmTopicArn === '' && topicResources(prefix, alarmEmail)), ...Object.fromEntries(resources) };
}

function alarmResource(name: string, { metric, means, threshold, period, periods = 1 }: Alarm, topic: Value) {
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
      DatapointsToAlarm: periods,
      Threshold: threshold,
      ComparisonOperator: 'GreaterThanOrEqualToThreshold',
      // Nothing was counted where nothing happened.
      TreatMissingData: 'notBreaching',
      AlarmActions: [topic],
      OKActions: [topic],
    },
  };
}

function topicResources(prefix: string, email: string): Resources {
  return {
    [ALARM_TOPIC]: {
      Type: 'AWS::SNS::Topic',
      // Not under AWS's KMS key: alarms cannot publish there. Their messages hold names and numbers, no items.
      Properties: {
        TopicName: `${prefix}-alarms`,
        ...(email !== '' && { Subscription: [{ Protocol: 'email', Endpoint: email }] }),
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
            Condition: { StringEquals: { 'aws:SourceAccount': ref('AWS::AccountId') } },
          },
          denyPlainText('sns:Publish', [ref(ALARM_TOPIC)]),
        ]),
      },
    },
  };
}
