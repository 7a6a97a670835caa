import { INDEX_NAMES, USUAL_INDEXES } from '../../../core/items/derived-item.ts';
import type { CompiledModel, TableNames } from '../../../core/model/compiled.ts';
import { tableDefinition } from '../../../store/definition/table-definition.ts';
import type { Parameters } from '../base/parameters.ts';
import { type Site, TABLE } from '../base/site.ts';
import { policyDocument, type Resources, sub, type Value } from '../base/template.ts';
import { producerStatements } from '../rights/policies.ts';

/** Defines only the two indexes that every model has; `edgeloom migrate` adds and deletes the others. */
export function tableResources(site: Site): Resources {
  const { graph, parameters } = site;
  const { existingTableArn, pointInTimeRecovery, deletionProtection, keepData, kmsKeyArn } = parameters;
  if (existingTableArn !== '') return {};
  const { StreamSpecification, GlobalSecondaryIndexes, ...definition } = tableDefinition(modelOfEveryTable(graph));
  const throughput = throughputProperties(parameters);
  return {
    [TABLE]: {
      Type: 'AWS::DynamoDB::Table',
      // A table left by a failed first deployment would block the next one.
      DeletionPolicy: keepData ? 'RetainExceptOnCreate' : 'Delete',
      UpdateReplacePolicy: 'Retain',
      Properties: {
        ...(definition as object as { [name: string]: Value }),
        ...throughput,
        GlobalSecondaryIndexes: GlobalSecondaryIndexes!.map((index) => ({ ...(index as object), ...throughput })),
        StreamSpecification: { StreamViewType: StreamSpecification!.StreamViewType! },
        TimeToLiveSpecification: { AttributeName: graph.table.ttl, Enabled: true },
        PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: pointInTimeRecovery },
        DeletionProtectionEnabled: deletionProtection,
        ...(parameters.producerAccounts.length > 0 && {
          ResourcePolicy: { PolicyDocument: policyOfAccounts(site) },
        }),
        ...(kmsKeyArn !== '' && {
          SSESpecification: { SSEEnabled: true, SSEType: 'KMS', KMSMasterKeyId: kmsKeyArn },
        }),
      },
    },
  };
}

function modelOfEveryTable({ table, fingerprint }: CompiledModel): CompiledModel {
  const { indexKeys: _, nativeNames: __, ...rest } = table;
  const indexNames = Object.fromEntries(INDEX_NAMES.map((index) => [index, index])) as TableNames['indexNames'];
  return {
    ...{ fingerprint, nodes: new Map(), edges: new Map(), indexes: USUAL_INDEXES },
    table: { ...rest, indexes: USUAL_INDEXES, indexNames },
  };
}

function policyOfAccounts(site: Site): Value {
  const { graph, parameters } = site;
  // Referencing the table's ARN here would be circular.
  const arn = `arn:\${AWS::Partition}:dynamodb:\${AWS::Region}:\${AWS::AccountId}:table/${graph.table.name}`;
  const table = { ...site.table, arn: sub(arn), indexArn: sub(`${arn}/index/*`) };
  const statements = producerStatements({ ...site, table });
  return policyDocument(statements.map((one) => ({ ...one, Principal: { AWS: parameters.producerAccounts } })));
}

function throughputProperties(parameters: Parameters): { [name: string]: Value } {
  const { warmReadUnits, warmWriteUnits, maxReadUnits, maxWriteUnits, contributorInsights } = parameters;
  const warm = { ReadUnitsPerSecond: warmReadUnits, WriteUnitsPerSecond: warmWriteUnits };
  const most = { MaxReadRequestUnits: maxReadUnits, MaxWriteRequestUnits: maxWriteUnits };
  return {
    ...nonZeroNumbers('WarmThroughput', warm),
    ...nonZeroNumbers('OnDemandThroughput', most),
    ...(contributorInsights && { ContributorInsightsSpecification: { Enabled: true } }),
  };
}

function nonZeroNumbers(name: string, numbers: Readonly<Record<string, number>>): { [name: string]: Value } {
  const set = Object.entries(numbers).filter(([, number]) => number > 0);
  return set.length === 0 ? {} : { [name]: Object.fromEntries(set) };
}

/**
 * A stack policy against replacing or deleting the table: a new name in the model would leave all items in a table that
 * nothing reads.
 */
export const STACK_POLICY = [
  { Effect: 'Allow', Action: 'Update:*', Principal: '*', Resource: '*' },
  {
    Effect: 'Deny',
    Action: ['Update:Replace', 'Update:Delete'],
    Principal: '*',
    Resource: `LogicalResourceId/${TABLE}`,
  },
] as const;
