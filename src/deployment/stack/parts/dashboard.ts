import { DEAD_LETTER_QUEUE, FAILED_BATCHES_QUEUE, functionsOf, SCHEDULE_DEAD_LETTER_QUEUE } from '../base/ids.ts';
import type { Site } from '../base/site.ts';
import { type Resources, ref, type Value } from '../base/template.ts';
import {
  functionMetric,
  type Metric,
  mappingMetric,
  NAMESPACE,
  ownMetric,
  queueAge,
  queueDepth,
  tableMetric,
} from './metrics.ts';

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
  const own = (name: string, statistic?: Metric['statistic']): Metric => ownMetric(site, name, statistic);
  const { table, indexes } = site.graph;
  return [
    {
      title: 'Behind the stream, milliseconds',
      metrics: [functionMetric('stream', 'IteratorAge', 'Maximum'), own('lagMs', 'Maximum')],
    },
    {
      title: 'Records of the stream',
      metrics: ['PolledEventCount', 'FilteredOutEventCount', 'InvokedEventCount'].map(mappingMetric),
    },
    {
      title: 'Records that failed',
      metrics: ['FailedInvokeEventCount', 'OnFailureDestinationDeliveredEventCount', 'DroppedEventCount'].map(
        mappingMetric,
      ),
    },
    {
      title: 'Projected',
      metrics: [...['records', 'units', 'writes'].map((name) => own(name)), own('coalescingRatio', 'Average')],
    },
    { title: 'Capacity units', metrics: ['wcu', 'rcu', 'checkRcu', 'checkWcu'].map((name) => own(name)) },
    { title: 'Out of order', metrics: ['stale', 'contradictions', 'failedBatches'].map((name) => own(name)) },
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
        own('quarantined'),
        own('redriveLeft', 'Maximum'),
        queueDepth(FAILED_BATCHES_QUEUE),
        queueDepth(DEAD_LETTER_QUEUE),
        queueDepth(SCHEDULE_DEAD_LETTER_QUEUE),
      ],
    },
    {
      title: 'Oldest failed batch, seconds, and hours since a whole check',
      metrics: [queueAge(FAILED_BATCHES_QUEUE), own('checkAgeHours', 'Maximum')],
    },
    {
      title: 'Without a registry, and what an open migration builds or removes',
      metrics: ['Unmanaged', 'MigrationOpen'].map((name) => own(name, 'Maximum')),
    },
    {
      title: 'Check',
      metrics: ['checkPartitions', 'checkDrift', 'checkQuarantined', 'checkRepaired'].map((name) => own(name)),
    },
    ...(site.parameters.observe
      ? [
          {
            title: 'Age of the verified time, seconds, and known drift',
            metrics: ['VerifiedAgeSeconds', 'observedDrift'].map((name) => own(name, 'Maximum')),
          },
        ]
      : []),
    {
      title: 'Throttled by DynamoDB',
      metrics: ['ReadThrottleEvents', 'WriteThrottleEvents'].flatMap((name) => [
        tableMetric(site, name),
        ...indexes.map((index) => tableMetric(site, name, table.indexNames[index])),
      ]),
    },
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
  const widgets = graphs(site).map(({ title, metrics }, i) => ({
    type: 'metric',
    x: (i % IN_A_ROW) * WIDTH,
    y: Math.floor(i / IN_A_ROW) * HEIGHT,
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
        DashboardBody: { 'Fn::Sub': [JSON.stringify({ widgets }), Object.fromEntries(names)] },
      },
    },
  };
}
