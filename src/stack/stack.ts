import { withTableName } from '../model/compile/define-graph.ts';
import type { CompiledModel } from '../model/compiled.ts';
import { alarmResources } from './alarms.ts';
import { CHECK_MACHINE, checkResources } from './check-machine.ts';
import { dashboardResources } from './dashboard.ts';
import { DEAD_LETTER_QUEUE, FAILED_BATCHES_BUCKET, FAILED_BATCHES_QUEUE, failureResources } from './failures.ts';
import { MAPPING } from './metrics.ts';
import type { Parameters } from './parameters.ts';
import { PRODUCER_POLICY, policyResources, READER_POLICY } from './policies.ts';
import { roleResources } from './roles.ts';
import { TABLE, tableResources } from './table.ts';
import { attribute, type Resources, ref, type Value } from './template.ts';

/** What the stack has besides the functions: in the form of serverless.yml's `resources`. */
export interface Stack {
  Resources: Resources;
  Outputs: Record<string, { Description: string; Value: Value }>;
  /** What is added to resources that serverless makes. */
  extensions: Record<string, { Properties: { [name: string]: Value } }>;
}

/**
 * The stack of a model for a stage.
 *
 * @param prefix of names: service and stage, `edgeloom-prod`.
 */
export function stack(model: CompiledModel, prefix: string, parameters: Parameters): Stack {
  const graph = withTableName(model, `${prefix}-${model.table.name}`);
  return {
    Resources: {
      ...tableResources(graph, parameters),
      ...failureResources(prefix, parameters),
      ...checkResources(prefix, parameters),
      ...roleResources(graph, prefix, parameters),
      ...policyResources(graph, prefix),
      ...alarmResources(prefix, parameters),
      ...dashboardResources(prefix),
    },
    Outputs: {
      TableName: { Description: 'The table; give it to --table.', Value: ref(TABLE) },
      ProducerPolicyArn: { Description: 'For the roles of programs that write.', Value: ref(PRODUCER_POLICY) },
      ReaderPolicyArn: { Description: 'For the roles of programs that read.', Value: ref(READER_POLICY) },
      FailedBatchesQueueUrl: { Description: 'Tells of failed batches.', Value: ref(FAILED_BATCHES_QUEUE) },
      DeadLetterQueueUrl: { Description: 'Failed batches to look at.', Value: ref(DEAD_LETTER_QUEUE) },
      CheckMachineArn: { Description: 'Start it for a check at once.', Value: ref(CHECK_MACHINE) },
    },
    extensions: {
      [MAPPING]: {
        Properties: {
          // Serverless itself knows SQS and SNS, which would be told of a batch, not given it.
          DestinationConfig: { OnFailure: { Destination: attribute(FAILED_BATCHES_BUCKET) } },
          MetricsConfig: { Metrics: ['EventCount'] },
        },
      },
    },
  };
}
