import { VERDICT_NAMES } from '../../../core/verdicts.ts';
import { type MetricName, MIRROR_METRICS, OBSERVER_METRICS, STACK_METRICS } from '../../metric-units.ts';
import {
  DEAD_LETTER_QUEUE,
  FAILED_BATCHES_QUEUE,
  MIRROR_DEAD_LETTER_QUEUE,
  SCHEDULE_DEAD_LETTER_QUEUE,
} from '../base/ids.ts';
import type { Site } from '../base/site.ts';
import { type Resources, ref, type Value } from '../base/template.ts';
import { alarms, runbookOf } from './alarms.ts';
import { functionMetric, type Metric, mappingMetric, ownMetric, queueAge, queueDepth } from './metrics.ts';

/** Three graphs fill a row of 24 columns. */
const WIDTH = 8;
const HEIGHT = 6;
const IN_A_ROW = 3;
/** Lambda's metrics for the event source mapping of a stream. */
const PASSED_RECORDS = ['PolledEventCount', 'FilteredOutEventCount', 'InvokedEventCount'];
const FAILED_RECORDS = ['FailedInvokeEventCount', 'OnFailureDestinationDeliveredEventCount', 'DroppedEventCount'];

function graphs(site: Site): Record<string, readonly Metric[]> {
  const own = (name: MetricName, statistic?: Metric['statistic']): Metric => ownMetric(site, name, statistic);
  const sums = (...names: MetricName[]): Metric[] => names.map((name) => own(name));
  const most = (...names: MetricName[]): Metric[] => names.map((name) => own(name, 'Maximum'));
  const ofMapping = (...names: string[]): Metric[] => names.map((name) => mappingMetric(name));
  return {
    // Lambda emits this metric in milliseconds.
    'Behind the stream, milliseconds': [functionMetric('stream', 'IteratorAge', 'Maximum')],
    'Behind the stream after a batch, seconds': most('LagSeconds'),
    'Records of the stream': ofMapping(...PASSED_RECORDS),
    'Records that failed': ofMapping(...FAILED_RECORDS),
    Projected: [...sums('Records', 'Touches', 'Writes'), own('CoalescingRatio', 'Average')],
    'Capacity units': sums(
      ...(['WriteCapacityUnits', 'ReadCapacityUnits', 'CheckReadCapacityUnits', 'CheckWriteCapacityUnits'] as const),
    ),
    'Written again': sums('Conflicts', 'RetriedBatches'),
    Functions: site.functions.flatMap((name) => [functionMetric(name, 'Errors'), functionMetric(name, 'Throttles')]),
    'Quarantine and failed batches': [
      ...[...sums('Quarantined'), ...most('RedriveLeft')],
      ...[FAILED_BATCHES_QUEUE, DEAD_LETTER_QUEUE, SCHEDULE_DEAD_LETTER_QUEUE].map(queueDepth),
    ],
    'Oldest failed batch, and time since a whole check, seconds': [
      queueAge(FAILED_BATCHES_QUEUE),
      ...most('CheckAgeSeconds'),
    ],
    'Without a registry, another stream, and what an open migration builds or removes': most(
      ...(['Unmanaged', 'StreamReplaced', 'MigrationOpen'] as const),
    ),
    Check: sums('CheckPartitions', 'CheckDrift', 'CheckQuarantined', 'CheckRepaired'),
    ...(site.parameters.observe && {
      'Age of the verified time, seconds, and known drift': most('VerifiedAgeSeconds', 'ObservedDrift'),
    }),
    ...(site.functions.includes('mirror') && {
      'Behind the sources after a batch, seconds': most('MirrorLagSeconds'),
      'Mirrored records, and batches that failed': [
        ...sums('MirrorRecords', 'MirrorRetriedBatches'),
        queueDepth(MIRROR_DEAD_LETTER_QUEUE),
      ],
      'Source items that are refused, conflicts, another stream': most(
        ...(['MirrorRefused', 'MirrorConflicts', 'SourceStreamReplaced'] as const),
      ),
    }),
    'Throttled by DynamoDB: partitions, maxima, quotas': Object.values(alarms(site)).flatMap(({ metric }) =>
      'namespace' in metric ? [] : metric,
    ),
  };
}

function topWidgets(site: Site): { height: number; type: string; properties: { [name: string]: Value } }[] {
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
      height: 4,
      type: 'alarm',
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

/**
 * Counts the custom metrics that CloudWatch bills: Edgeloom's, and those of each stream's mapping. An upper bound
 * without gradual deployments, because CloudWatch bills only hours with data.
 */
export function countCustomMetrics({ functions, parameters }: Site): number {
  const own = {
    ...STACK_METRICS,
    ...(parameters.observe && OBSERVER_METRICS),
    ...(functions.includes('mirror') && MIRROR_METRICS),
  };
  const ofMappings = (1 + parameters.sourceStreamArns.length) * [...PASSED_RECORDS, ...FAILED_RECORDS].length;
  return Object.keys(own).length + VERDICT_NAMES.length + ofMappings;
}

export function dashboardResources(site: Site): Resources {
  const names = new Map<string, Value>();
  /** Returns a placeholder that `Fn::Sub` replaces. */
  const place = (value: Value): string => {
    if (typeof value === 'string') return value;
    const name = JSON.stringify(value).replaceAll(/[^A-Za-z]/g, '');
    names.set(name, value);
    return `\${${name}}`;
  };
  let top = 0;
  const first = topWidgets(site).map(({ height, ...widget }) => {
    top += height;
    return { x: 0, y: top - height, width: IN_A_ROW * WIDTH, height, ...widget };
  });
  const below = Object.entries(graphs(site)).map(([title, metrics], i) => ({
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
