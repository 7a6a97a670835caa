import type { CompiledModel } from '../model/compiled.ts';
import { tableDefinition } from '../store/table.ts';
import type { Parameters } from './parameters.ts';
import { attribute, type Resources, sub, type Value } from './template.ts';

/** Logical id of the table. */
export const TABLE = 'RecordsTable';

/** The table of the model, with keys, indexes and stream as `edgeloom table create` makes them. */
export function tableResources(
  graph: CompiledModel,
  { pointInTimeRecovery, deletionProtection, keepData }: Parameters,
): Resources {
  const { StreamSpecification, ...definition } = tableDefinition(graph);
  const policy = keepData ? 'Retain' : 'Delete';
  return {
    [TABLE]: {
      Type: 'AWS::DynamoDB::Table',
      DeletionPolicy: policy,
      // Whatever makes CloudFormation replace the table: what is in it stays.
      UpdateReplacePolicy: 'Retain',
      Properties: {
        // CloudFormation and CreateTable share these shapes, names included.
        ...(definition as object as { [name: string]: Value }),
        StreamSpecification: { StreamViewType: StreamSpecification!.StreamViewType! },
        TimeToLiveSpecification: { AttributeName: graph.table.ttl, Enabled: true },
        PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: pointInTimeRecovery },
        DeletionProtectionEnabled: deletionProtection,
      },
    },
  };
}

/** The ARNs of the table's indexes, each spelled out. */
export function indexArns(graph: CompiledModel): Value[] {
  return graph.indexes.map((index) => sub(`\${${TABLE}.Arn}/index/${graph.table.indexNames[index]}`));
}

/** The ARN of the table. */
export const TABLE_ARN = attribute(TABLE);
/** The ARN of its stream. */
export const STREAM_ARN = attribute(TABLE, 'StreamArn');
