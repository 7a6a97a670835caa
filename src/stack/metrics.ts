import { CHECK_MACHINE } from './check-machine.ts';
import type { DEAD_LETTER_QUEUE, FAILED_BATCHES_QUEUE } from './failures.ts';
import { type FunctionName, logicalName } from './roles.ts';
import { TABLE } from './table.ts';
import { attribute, ref, type Value } from './template.ts';

/** A metric of CloudWatch. */
export interface Metric {
  namespace: string;
  name: string;
  dimensions: { readonly [name: string]: Value };
  statistic: 'Sum' | 'Maximum' | 'Average';
}

/** Logical id that serverless gives to the stream's event source mapping. */
export const MAPPING = 'StreamEventSourceMappingDynamodbRecordsTable';
/** The namespace of the functions' own metrics: the default of `edgeloom/lambda`. */
export const NAMESPACE = 'Edgeloom';

type Statistic = Metric['statistic'];

/** A metric of Lambda about a function. */
export function functionMetric(of: FunctionName, name: string, statistic: Statistic = 'Sum'): Metric {
  const dimensions = { FunctionName: ref(`${logicalName(of)}LambdaFunction`) };
  return { namespace: 'AWS/Lambda', name, dimensions, statistic };
}

/** A metric of Lambda about the event source mapping; the mapping has to ask for them. */
export function mappingMetric(name: string): Metric {
  return {
    namespace: 'AWS/Lambda',
    name,
    dimensions: { EventSourceMappingUUID: ref(MAPPING) },
    statistic: 'Sum',
  };
}

/** A metric that a function emits: src/lambda/metrics.ts. */
export function ownMetric(name: string, statistic: Statistic = 'Sum'): Metric {
  return { namespace: NAMESPACE, name, dimensions: { service: 'edgeloom', table: ref(TABLE) }, statistic };
}

/** How many messages a queue holds for whoever receives them. */
export function queueDepth(queue: typeof DEAD_LETTER_QUEUE | typeof FAILED_BATCHES_QUEUE): Metric {
  return {
    namespace: 'AWS/SQS',
    name: 'ApproximateNumberOfMessagesVisible',
    dimensions: { QueueName: attribute(queue, 'QueueName') },
    statistic: 'Maximum',
  };
}

/** A metric of the check's state machine. */
export function machineMetric(name: string): Metric {
  return { namespace: 'AWS/States', name, dimensions: { StateMachineArn: ref(CHECK_MACHINE) }, statistic: 'Sum' };
}
