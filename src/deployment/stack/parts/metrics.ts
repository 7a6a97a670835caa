import { type MetricName, NAMESPACE } from '../../metric-units.ts';
import { CHECK_MACHINE, type FunctionName, logicalIdPrefix, MAPPING } from '../base/ids.ts';
import type { Site } from '../base/site.ts';
import { attribute, type Resources, ref, type Value } from '../base/template.ts';

export interface Metric {
  namespace: string;
  name: string;
  dimensions: { readonly [name: string]: Value };
  statistic: 'Sum' | 'Maximum' | 'Average';
}

type Statistic = Metric['statistic'];

export function metricProperties({ namespace, name, dimensions }: Metric): Resources[string]['Properties'] {
  return {
    Namespace: namespace,
    MetricName: name,
    Dimensions: Object.entries(dimensions).map(([Name, Value]) => ({ Name, Value })),
  };
}

export function functionMetric(of: FunctionName, name: string, statistic: Statistic = 'Sum'): Metric {
  const dimensions = { FunctionName: ref(`${logicalIdPrefix(of)}LambdaFunction`) };
  return { namespace: 'AWS/Lambda', name, dimensions, statistic };
}

/** Lambda emits these metrics only for mappings with `MetricsConfig`. */
export function mappingMetric(name: string, mapping: string = MAPPING): Metric {
  return { namespace: 'AWS/Lambda', name, dimensions: { EventSourceMappingUUID: ref(mapping) }, statistic: 'Sum' };
}

export function ownMetric({ table }: Site, name: MetricName, statistic: Statistic = 'Sum'): Metric {
  return { namespace: NAMESPACE, name, dimensions: { service: 'edgeloom', table: table.name }, statistic };
}

export function queueDepth(queue: string): Metric {
  return queueMetric(queue, 'ApproximateNumberOfMessagesVisible');
}

/** The age is in seconds. */
export function queueAge(queue: string): Metric {
  return queueMetric(queue, 'ApproximateAgeOfOldestMessage');
}

function queueMetric(queue: string, name: string): Metric {
  const dimensions = { QueueName: attribute(queue, 'QueueName') };
  return { namespace: 'AWS/SQS', name, dimensions, statistic: 'Maximum' };
}

export function machineMetric(name: string): Metric {
  return { namespace: 'AWS/States', name, dimensions: { StateMachineArn: ref(CHECK_MACHINE) }, statistic: 'Sum' };
}

export function tableMetric({ table }: Site, name: string, index?: string): Metric {
  const dimensions = { TableName: table.name, ...(index !== undefined && { GlobalSecondaryIndexName: index }) };
  return { namespace: 'AWS/DynamoDB', name, dimensions, statistic: 'Sum' };
}
