import { DEAD_LETTER_QUEUE, FAILED_BATCHES_QUEUE } from './failures.ts';
import { functionMetric, type Metric, mappingMetric, ownMetric, queueDepth } from './metrics.ts';
import { FUNCTIONS } from './roles.ts';
import { type Resources, ref, type Value } from './template.ts';

/** A graph of the dashboard. */
interface Graph {
  title: string;
  metrics: readonly Metric[];
}

/** Widgets stand three in a row of 24 columns. */
const WIDTH = 8;
const HEIGHT = 6;
const IN_A_ROW = 3;

const GRAPHS: readonly Graph[] = [
  {
    title: 'Behind the stream, milliseconds',
    metrics: [functionMetric('stream', 'IteratorAge', 'Maximum'), ownMetric('lagMs', 'Maximum')],
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
    metrics: [
      ...['records', 'units', 'writes'].map((name) => ownMetric(name)),
      ownMetric('coalescingRatio', 'Average'),
    ],
  },
  { title: 'Capacity units', metrics: ['wcu', 'rcu', 'checkRcu', 'checkWcu'].map((name) => ownMetric(name)) },
  { title: 'Out of order', metrics: ['stale', 'contradictions', 'failedBatches'].map((name) => ownMetric(name)) },
  {
    title: 'Functions',
    metrics: FUNCTIONS.flatMap((name) => [functionMetric(name, 'Errors'), functionMetric(name, 'Throttles')]),
  },
  {
    title: 'Quarantine and failed batches',
    metrics: [
      ownMetric('quarantined'),
      ownMetric('redriveLeft', 'Maximum'),
      queueDepth(FAILED_BATCHES_QUEUE),
      queueDepth(DEAD_LETTER_QUEUE),
    ],
  },
  {
    title: 'Check',
    metrics: ['checkPartitions', 'checkDrift', 'checkQuarantined', 'checkRepaired'].map((name) => ownMetric(name)),
  },
];

/**
 * The dashboard. Its body is JSON in text; names that only CloudFormation knows are filled in there.
 *
 * @param prefix of names; `edgeloom-prod`.
 */
export function dashboardResources(prefix: string): Resources {
  const names = new Map<string, Value>();
  /** A place in the text for a value that CloudFormation fills in. */
  const place = (value: Value): string => {
    if (typeof value === 'string') return value;
    const name = JSON.stringify(value).replaceAll(/[^A-Za-z]/g, '');
    names.set(name, value);
    return `\${${name}}`;
  };
  const widgets = GRAPHS.map(({ title, metrics }, i) => ({
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
        DashboardName: prefix,
        DashboardBody: { 'Fn::Sub': [JSON.stringify({ widgets }), Object.fromEntries(names)] },
      },
    },
  };
}
