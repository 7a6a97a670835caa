import { type MetricName, NAMESPACE } from '../../metric-units.ts';
import {
  DEAD_LETTER_QUEUE,
  FAILED_BATCHES_QUEUE,
  functionsOf,
  MIRROR_DEAD_LETTER_QUEUE,
  SCHEDULE_DEAD_LETTER_QUEUE,
} from '../base/ids.ts';
import type { Site } from '../base/site.ts';
import { type Resources, ref, type Value } from '../base/template.ts';
import { alarms, runbookOf } from './alarms.ts';
import { functionMetric, type Metric, mappingMetric, ownMetric, queueAge, queueDepth } from './metrics.ts';

/** A graph of the dashboard. */
interface Graph {
  title: string;
  metrics: readonly Metric[];
}

/** Widgets stand three in a row of 24 columns. */
const WIDTH = 8;
const HEIGHT = 6;
const IN_A_ROW = 3;

function graphs(site: Site): Graph[] {
  const own = (name: MetricName, statistic?: Metric['statistic']): Metric => ownMetric(site, name, statistic);
  const all = (names: readonly MetricName[], statistic?: Metric['statistic']): Metric[] =>
    names.map((name) => own(name, statistic));
  return [
    {
      // Lambda's own metric is in milliseconds.
      title: 'Behind the stream, milliseconds',
      metrics: [functionMetric('stream', 'IteratorAge', 'Maximum')],
    },
    { title: 'Behind the stream after a batch, seconds', metrics: [own('LagSeconds', 'Maximum')] },
    {
      title: 'Records of the stream',
      metrics: ['PolledEventCount', 'FilteredOutEventCount', 'InvokedEventCount'].map((name) => mappingMetric(name)),
    },
    {
      title: 'Records that failed',
      metrics: ['FailedInvokeEventCount', 'OnFailureDestinationDeliveredEventCount', 'DroppedEventCount'].map((name) =>
        mappingMetric(name),
      ),
    },
    {
      title: 'Projected',
      metrics: [...all(['Records', 'Touches', 'Writes']), own('CoalescingRatio', 'Average')],
    },
    {
      title: 'Capacity units',
      metrics: all(['WriteCapacityUnits', 'ReadCapacityUnits', 'CheckReadCapacityUnits', 'CheckWriteCapacityUnits']),
    },
    { title: 'Written again', metrics: all(['Conflicts', 'RetriedBatches']) },
    {
      title: 'Functions',
      metrics: functionsOf(site.parameters).flatMap((name) => [
        functionMetric(name, 'Errors'),
        functionMetric(name, 'Throttles'),
      ]),
    },
    {
      title: 'Quarantine and failed batches',
      metrics: [
        own('Quarantined'),
        own('RedriveLeft', 'Maximum'),
        queueDepth(FAILED_BATCHES_QUEUE),
        queueDepth(DEAD_LETTER_QUEUE),
        queueDepth(SCHEDULE_DEAD_LETTER_QUEUE),
      ],
    },
    {
      title: 'Oldest failed batch, and time since a whole check, seconds',
      metrics: [queueAge(FAILED_BATCHES_QUEUE), own('CheckAgeSeconds', 'Maximum')],
    },
    {
      title: 'Without a registry, another stream, and what an open migration builds or removes',
      metrics: all(['Unmanaged', 'StreamReplaced', 'MigrationOpen'], 'Maximum'),
    },
    {
      title: 'Check',
      metrics: all(['CheckPartitions', 'CheckDrift', 'CheckQuarantined', 'CheckRepaired']),
    },
    ...(site.parameters.observe
      ? [
          {
            title: 'Age of the verified time, seconds, and known drift',
            metrics: all(['VerifiedAgeSeconds', 'ObservedDrift'], 'Maximum'),
          },
        ]
      : []),
    ...(functionsOf(site.parameters).includes('mirror')
      ? [
          {
            title: 'Behind the sources after a batch, seconds',
            metrics: [own('MirrorLagSeconds', 'Maximum')],
          },
          {
            title: 'Mirrored records, and batches that failed',
            metrics: [...all(['MirrorRecords', 'MirrorRetriedBatches']), queueDepth(MIRROR_DEAD_LETTER_QUEUE)],
          },
          {
            title: 'Source items that are refused, conflicts, another stream',
            metrics: all(['MirrorRefused', 'MirrorConflicts', 'SourceStreamReplaced'], 'Maximum'),
          },
        ]
      : []),
    {
      title: 'Throttled by DynamoDB: partitions, maxima, quotas',
      metrics: Object.values(alarms(site)).flatMap(({ metric }) => ('namespace' in metric ? [] : metric)),
    },
  ];
}

/** The widgets at the top answer at once: is anything wrong, since when, and what to do. The graphs below show why. */
function answers(site: Site): { height: number; type: string; properties: { [name: string]: Value } }[] {
  const { names, parameters } = site;
  const all = Object.entries(alarms(site));
  const arns = all.map(
    ([name]) => `arn:\${AWS::Partition}:cloudwatch:\${AWS::Region}:\${AWS::AccountId}:alarm:${names.local(name)}`,
  );
  const rows = all.map(([name, { means }]) => {
    const address = runbookOf(name, parameters);
    const runbook = address.includes('://') ? `[runbook](${address})` : `\`${address}\``;
    return `| ${name} | ${means} | ${runbook} |`;
  });
  const table = ['| alarm | means | do |', '|---|---|---|', ...rows].join('\n');
  return [
    {
      ...{ height: 4, type: 'alarm' },
      // Only alarms that ring, with the latest change first: each tells since when it rings.
      properties: {
        title: 'Wrong now (empty: nothing), the latest first',
        alarms: arns,
        states: ['ALARM', 'INSUFFICIENT_DATA'],
        sortBy: 'stateUpdatedTimestamp',
      },
    },
    { height: 8, type: 'text', properties: { markdown: `## What to do\n\n${table}` } },
  ];
}

/** How many metrics the dashboard shows that CloudWatch bills: those of the functions and of the mapping. */
export function countCustomMetrics(site: Site): number {
  const billed = graphs(site).flatMap(({ metrics }) =>
    metrics.filter(({ namespace, dimensions }) => namespace === NAMESPACE || 'EventSourceMappingUUID' in dimensions),
  );
  return new Set(billed.map(({ name }) => name)).size;
}

/**
 * The dashboard. Its body is JSON in text; names that only CloudFormation knows are filled in there.
 */
export function dashboardResources(site: Site): Resources {
  const names = new Map<string, Value>();
  /** A place in the text for a value that CloudFormation fills in. */
  const place = (value: Value): string => {
    if (typeof value === 'string') return value;
    const name = JSON.stringify(value).replaceAll(/[^A-Za-z]/g, '');
    names.set(name, value);
    return `\${${name}}`;
  };
  let top = 0;
  const first = answers(site).map(({ height, ...widget }) => {
    top += height;
    return { x: 0, y: top - height, width: IN_A_ROW * WIDTH, height, ...widget };
  });
  const below = graphs(site).map(({ title, metrics }, i) => ({
    type: 'metric',
    x: (i % IN_A_ROW) * WIDTH,
    y: top + Math.floor(i / IN_A_ROW) * HEIGHT,
    width: WIDTH,
    height: HEIGHT,
    properties: {
      title,
      region: place(ref('AWS::Region')),
      period: 60,
      metrics: metrics.map(({ namespace, name, dimensions, statistic }) => [
        ...[namespace, name],
        ...Object.entries(dimensions).flatMap(([dimension, value]) => [dimension, place(value)]),
        { stat: statistic },
      ]),
    },
  }));
  return {
    Dashboard: {
      Type: 'AWS::CloudWatch::Dashboard',
      Properties: {
        DashboardName: site.names.inAccount(),
        DashboardBody: { 'Fn::Sub': [JSON.stringify({ widgets: [...first, ...below] }), Object.fromEntries(names)] },
      },
    },
  };
}
