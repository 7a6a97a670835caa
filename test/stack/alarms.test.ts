import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createBatchMetrics, createCheckMetrics, createRedriveMetrics } from '../../src/deployment/lambda/metrics.ts';
import { DOCS } from '../../src/foundation/docs.ts';
import { emptyCounts } from '../../src/trust/check/cursor.ts';
import { emptyRedrive } from '../../src/trust/repair/redrive.ts';
import { goalGraph } from '../support/contracts-model.ts';
import { watchedOf } from '../support/stack/alarm-rules.ts';
import { testStack } from '../support/stack/parameters.ts';
import { type Template, type TemplateResource, template } from '../support/stack/template.ts';

/** A table that the stack does not make. */
const OF_ELSEWHERE = {
  existingTableArn: 'arn:aws:dynamodb:eu-central-1:123456789012:table/goals',
  existingStreamArn: 'arn:aws:dynamodb:eu-central-1:123456789012:table/goals/stream/2026-01-01T00:00:00.000',
};

const { Resources } = template();
const alarms = Object.entries(Resources).filter(([, { Type }]) => Type === 'AWS::CloudWatch::Alarm');

/** `namespace metric dimensions statistic >= threshold in periods x seconds`. */
function condition(alarm: TemplateResource): string {
  const Properties = watchedOf(alarm);
  const sign = { GreaterThanOrEqualToThreshold: '>=', LessThanThreshold: '<' }[
    Properties['ComparisonOperator'] as string
  ];
  const watched = Properties.metrics.map(({ Namespace, MetricName, Dimensions }) => {
    const dimensions = Dimensions.map(({ Name, Value }) => `${Name}=${Value}`);
    return `${Namespace} ${MetricName} ${dimensions.join()}`;
  });
  const { Statistic, Threshold, EvaluationPeriods, DatapointsToAlarm, Period } = Properties;
  const times = DatapointsToAlarm === EvaluationPeriods ? '' : `${DatapointsToAlarm} of `;
  const stops = Properties['InsufficientDataActions'] === undefined ? '' : ', or when it stops';
  const missing = Properties.isFilled ? ', gaps filled' : stops;
  return `${watched.join(' + ')} ${Statistic} ${sign} ${Threshold} in ${times}${EvaluationPeriods} x ${Period}${missing}`;
}

describe('the alarms', () => {
  it('watch the consumer, its failures, the check and the tables, with these thresholds', () => {
    const of = (name: string) => `FunctionName=edgeloom-prod-${name}`;
    const table = 'TableName=edgeloom-prod-records';
    const own = 'service=edgeloom,table=edgeloom-prod-records';
    const mapping = 'EventSourceMappingUUID=StreamEventSourceMappingDynamodbRecordsTable';
    const machine = 'StateMachineArn=arn:aws:states:eu-central-1:123456789012:stateMachine:edgeloom-prod-check';
    const throttled = (cause: string) => {
      const places = ['', ',GlobalSecondaryIndexName=gsi0', ',GlobalSecondaryIndexName=gsi1'];
      const metrics = places.flatMap((place) =>
        ['Read', 'Write'].map((kind) => `AWS/DynamoDB ${kind}${cause}ThrottleEvents ${table}${place}`),
      );
      return `${metrics.join(' + ')} Sum >= 1 in 3 x 300, gaps filled`;
    };
    expect(Object.fromEntries(alarms.map(([id, alarm]) => [id, condition(alarm)]))).toEqual({
      NotPolledAlarm: `AWS/Lambda PolledEventCount ${mapping} Sum < 0 in 3 x 300, or when it stops`,
      HotPartitionAlarm: throttled('KeyRangeThroughput'),
      TableCapAlarm: throttled('MaxOnDemandThroughput'),
      AccountLimitAlarm: throttled('AccountLimit'),
      StreamReplacedAlarm: `Edgeloom StreamReplaced ${own} Maximum >= 1 in 2 x 300, or when it stops`,
      CheckQuarantinedAlarm: `Edgeloom CheckQuarantined ${own} Sum >= 1 in 1 of 26 x 3600`,
      RebuildErrorsAlarm: `AWS/Lambda Errors ${of('rebuild')} Sum >= 2 in 1 x 3600`,
      RebuildThrottlesAlarm: `AWS/Lambda Throttles ${of('rebuild')} Sum >= 5 in 1 x 3600`,
      ScheduleDeadLettersAlarm:
        'AWS/SQS ApproximateNumberOfMessagesVisible QueueName=edgeloom-prod-schedule-dead-letters Maximum >= 1 in 1 x 300',
      CheckOverdueAlarm: `Edgeloom CheckAgeSeconds ${own} Maximum >= 93600 in 1 of 2 x 3600`,
      RedriveMissingAlarm: `Edgeloom CheckAgeSeconds ${own} Maximum < 0 in 3 x 3600, or when it stops`,
      FailedBatchesAgeAlarm:
        'AWS/SQS ApproximateAgeOfOldestMessage QueueName=edgeloom-prod-failed-batches Maximum >= 3600 in 1 x 300',
      IteratorAgeAlarm: `AWS/Lambda IteratorAge ${of('stream')} Maximum >= 300000 in 1 x 300`,
      StreamErrorsAlarm: `AWS/Lambda Errors ${of('stream')} Sum >= 1 in 3 x 300`,
      CheckErrorsAlarm: `AWS/Lambda Errors ${of('check')} Sum >= 2 in 1 x 3600`,
      RedriveErrorsAlarm: `AWS/Lambda Errors ${of('redrive')} Sum >= 2 in 1 x 3600`,
      StreamThrottlesAlarm: `AWS/Lambda Throttles ${of('stream')} Sum >= 1 in 3 x 300`,
      CheckThrottlesAlarm: `AWS/Lambda Throttles ${of('check')} Sum >= 5 in 1 x 3600`,
      RedriveThrottlesAlarm: `AWS/Lambda Throttles ${of('redrive')} Sum >= 5 in 1 x 3600`,
      FailedEventsAlarm: `AWS/Lambda FailedInvokeEventCount ${mapping} Sum >= 1 in 3 x 300`,
      DroppedEventsAlarm: `AWS/Lambda DroppedEventCount ${mapping} Sum >= 1 in 1 x 300`,
      FailedBatchesAlarm: `AWS/Lambda OnFailureDestinationDeliveredEventCount ${mapping} Sum >= 1 in 1 x 300`,
      DeadLettersAlarm:
        'AWS/SQS ApproximateNumberOfMessagesVisible QueueName=edgeloom-prod-dead-letters Maximum >= 1 in 1 x 300',
      QuarantinedAlarm: `Edgeloom Quarantined ${own} Sum >= 1 in 1 of 26 x 3600`,
      QuarantineNotEmptyAlarm: `Edgeloom RedriveLeft ${own} Maximum >= 1 in 1 of 2 x 3600`,
      UnmanagedAlarm: `Edgeloom Unmanaged ${own} Maximum >= 1 in 2 x 7200`,
      MigrationOpenAlarm: `Edgeloom MigrationOpen ${own} Maximum >= 1 in 12 x 7200`,
      DriftAlarm: `Edgeloom CheckDrift ${own} Sum >= 1 in 1 of 26 x 3600`,
      CheckFailedAlarm: `AWS/States ExecutionsFailed ${machine} Sum >= 1 in 1 of 26 x 3600`,
      CheckTimedOutAlarm: `AWS/States ExecutionsTimedOut ${machine} Sum >= 1 in 1 of 26 x 3600`,
    });
  });
  it('that a night has raised stay until the next night, whatever other calls of the check count', () => {
    const day = (hour: number, value: number) => Array.from({ length: 26 }, (_, i) => (i === hour ? value : undefined));
    for (const name of ['Drift', 'CheckFailed', 'CheckTimedOut', 'CheckQuarantined', 'Quarantined']) {
      expect(stateOf(name, day(25, 3))).toBe('ALARM');
      expect(stateOf(name, day(1, 3))).toBe('ALARM');
      expect(stateOf(name, day(25, 0))).toBe('OK');
    }
    const nightAndRest = [...day(2, 3).slice(0, 3), ...Array(23).fill(0)];
    expect(stateOf('Drift', nightAndRest)).toBe('ALARM');
  });
  it('look at no more time than CloudWatch does: a day, or a week of hours', () => {
    for (const [, alarm] of alarms) {
      const { Period, EvaluationPeriods } = watchedOf(alarm);
      expect(Period * EvaluationPeriods).toBeLessThanOrEqual(Period >= 3600 ? 7 * 86_400 : 86_400);
    }
  });
  it("tell the stack's topic, which takes alarms of this account over TLS alone", () => {
    const topic = 'arn:aws:sns:eu-central-1:123456789012:edgeloom-prod-alarms';
    for (const [, { Properties }] of alarms) {
      expect(Properties).toMatchObject({ AlarmActions: [topic], OKActions: [topic] });
    }
    expect(Resources['AlarmTopicPolicy']!.Properties['PolicyDocument'].Statement).toMatchObject([
      { Effect: 'Allow', Principal: { Service: 'cloudwatch.amazonaws.com' }, Action: ['sns:Publish'] },
      { Effect: 'Deny', Principal: '*', Condition: { Bool: { 'aws:SecureTransport': 'false' } } },
    ]);
  });
  it('have more metrics than one only within what CloudWatch takes', () => {
    const of = (raw?: Template) => Object.values(template(raw).Resources).filter(({ Type }) => /::Alarm$/.test(Type));
    for (const alarm of [...of(), ...of(testStack(goalGraph(), OF_ELSEWHERE))]) {
      expect(watchedOf(alarm).metrics.length).toBeLessThanOrEqual(10);
    }
  });
  it('of a table from elsewhere tell also of provisioned units, which such a table may have', () => {
    const { ProvisionedCapAlarm } = template(testStack(goalGraph(), OF_ELSEWHERE)).Resources;
    expect(watchedOf(ProvisionedCapAlarm!).metrics.map(({ MetricName }) => MetricName)).toContain(
      'WriteProvisionedThroughputThrottleEvents',
    );
    expect(Resources).not.toHaveProperty('ProvisionedCapAlarm');
  });
  it('each name their runbook, which is there; a parameter makes it a link', () => {
    const docsUrl = 'https://git.example.com/docs';
    const options = [{}, OF_ELSEWHERE, { observe: true, feedEventBus: 'changes' }, { docsUrl }];
    for (const parameters of options) {
      const stack = template(testStack(goalGraph(), parameters)).Resources;
      const found = Object.entries(stack).filter(([, { Type }]) => Type === 'AWS::CloudWatch::Alarm');
      expect(found.length).toBeGreaterThan(20);
      for (const [id, { Properties }] of found) {
        const name = id.replace(/Alarm$/, '');
        const [, folder, page, anchor] = / Runbook: (.+)\/([\w-]+\/\w+\.md)#(\S+)$/.exec(
          Properties['AlarmDescription'],
        )!;
        expect(folder).toBe('docsUrl' in parameters ? docsUrl : DOCS);
        const text = readFileSync(resolve(import.meta.dirname, '../../docs', page!), 'utf8');
        const heading = [...text.matchAll(/^#+ (.*)$/gm)].find(
          ([, one]) =>
            one!
              .toLowerCase()
              .replaceAll(/[^\w -]/g, '')
              .replaceAll(' ', '-') === anchor,
        )?.[1];
        expect(heading, name).toBeDefined();
        // The section, or its table, names the alarm itself.
        expect(`${heading} ${page === 'explain/observing.md' ? text : ''}`).toMatch(new RegExp(`\\b${name}\\b`));
      }
    }
  });
});

describe('what the functions emit themselves', () => {
  let emitted: string[];
  beforeEach(() => {
    emitted = [];
    vi.spyOn(process.stdout, 'write').mockImplementation((line) => {
      emitted.push(String(line));
      return true;
    });
  });
  afterEach(() => vi.restoreAllMocks());

  it('holds every metric of that namespace that alarms and dashboard name, with its dimensions', () => {
    const counts = { records: 1, touches: 1, writes: 1, wcu: 1, rcu: 1, conflicts: 0, quarantined: 0 };
    createBatchMetrics('Edgeloom', 'edgeloom-prod-records').emit(counts, 5);
    const ofRedrive = createRedriveMetrics('Edgeloom', 'edgeloom-prod-records');
    ofRedrive.emit(emptyRedrive());
    ofRedrive.emitCheckAge(3);
    ofRedrive.emitRegistry({ isManaged: true, open: 0 });
    ofRedrive.emitStream(false);
    createCheckMetrics('Edgeloom', 'edgeloom-prod-records').emit(undefined, emptyCounts());
    const documents = emitted.flatMap((text) => text.trim().split('\n')).map((line) => JSON.parse(line));
    const names = new Set<string>();
    for (const document of documents) {
      const [{ Namespace, Dimensions, Metrics }] = document._aws.CloudWatchMetrics;
      for (const { Name } of Metrics as { Name: string }[]) {
        names.add([Namespace, Name, ...Dimensions[0].flatMap((name: string) => [name, document[name]])].join(' '));
      }
    }
    const ofAlarms = alarms
      .filter(([, { Properties }]) => Properties['Namespace'] === 'Edgeloom')
      .map(([, { Properties }]) =>
        [
          ...['Edgeloom', Properties['MetricName']],
          ...Properties['Dimensions'].flatMap(({ Name, Value }: { Name: string; Value: string }) => [Name, Value]),
        ].join(' '),
      );
    const graphs = dashboardMetrics().filter(([namespace]) => namespace === 'Edgeloom');
    const used = [...ofAlarms, ...graphs.map((metric) => metric.join(' '))];
    expect(used.length).toBeGreaterThan(10);
    expect(used.filter((name) => !names.has(name))).toEqual([]);
  });
});

describe('the dashboard', () => {
  it('is JSON with a graph of each thing that has an alarm, in rows that do not overlap', () => {
    const names = dashboardMetrics().map(([, name]) => name);
    const ofAlarms = alarms.flatMap(([, alarm]) => watchedOf(alarm).metrics.map(({ MetricName }) => MetricName));
    const withGraph = ofAlarms.filter((name) => !/^Executions/.test(name));
    expect(withGraph.filter((name) => !names.includes(name))).toEqual([]);
    const places = widgets().map(({ x, y }) => `${x} ${y}`);
    expect(new Set(places).size).toBe(places.length);
    expect(widgets().every(({ x, width }) => x + width <= 24)).toBe(true);
    expect(graphs().every(({ properties }) => properties.region === 'eu-central-1')).toBe(true);
    const bottoms = widgets().map(({ y, height }) => y + height);
    expect(widgets()[2]!.y).toBe(bottoms[1]);
  });
  it('says first what is wrong and since when, then what to do, and only then why', () => {
    const [wrong, todo, ...others] = widgets();
    const names = alarms.map(([id]) => `edgeloom-prod-${id.replace(/Alarm$/, '')}`);
    expect(wrong).toMatchObject({
      type: 'alarm',
      properties: {
        alarms: names.map((name) => `arn:aws:cloudwatch:eu-central-1:123456789012:alarm:${name}`),
        sortBy: 'stateUpdatedTimestamp',
      },
    });
    expect(todo).toMatchObject({ type: 'text' });
    const { markdown } = todo!.properties as unknown as { markdown: string };
    for (const [id, { Properties }] of alarms) {
      const runbook = Properties['AlarmDescription'].split(' Runbook: ')[1];
      expect(markdown).toMatch(new RegExp(`^\\| ${id.replace(/Alarm$/, '')} \\| .+ \\| \`${runbook}\` \\|$`, 'm'));
    }
    expect(others.every(({ type }) => type === 'metric')).toBe(true);
  });
  it('links to the runbooks where a parameter says where they are', () => {
    const { Dashboard } = template(testStack(goalGraph(), { docsUrl: 'https://git.example.com/docs' })).Resources;
    expect(Dashboard!.Properties['DashboardBody']).toContain(
      '[runbook](https://git.example.com/docs/how-to/alarms.md#iteratorage)',
    );
  });
});

/** What CloudWatch makes of the last periods of an alarm's metric. */
function stateOf(name: string, values: readonly (number | undefined)[]): 'ALARM' | 'OK' {
  const { Properties } = Resources[`${name}Alarm`]!;
  const { EvaluationPeriods, DatapointsToAlarm, Threshold } = Properties;
  expect(values).toHaveLength(EvaluationPeriods);
  const breaching = values.filter((value) => value !== undefined && value >= Threshold);
  return breaching.length >= DatapointsToAlarm ? 'ALARM' : 'OK';
}

interface Widget {
  type: string;
  x: number;
  y: number;
  width: number;
  height: number;
  properties: { region: string; metrics: [...string[], object][] };
}

function widgets(): Widget[] {
  const body = Resources['Dashboard']!.Properties['DashboardBody'] as string;
  return (JSON.parse(body) as { widgets: Widget[] }).widgets;
}

function graphs(): Widget[] {
  return widgets().filter(({ type }) => type === 'metric');
}

/** Namespace, name and dimensions of each line in a graph. */
function dashboardMetrics(): string[][] {
  return graphs().flatMap(({ properties }) => properties.metrics.map((metric) => metric.slice(0, -1) as string[]));
}
