import { INDEX_NAMES, USUAL_INDEXES } from '../../../core/items/derived-item.ts';
import type { CompiledModel, TableNames } from '../../../core/model/compiled.ts';
import { tableDefinition } from '../../../store/definition/table-definition.ts';
import type { Parameters } from '../base/parameters.ts';
import { type Site, TABLE } from '../base/site.ts';
import { policyDocument, type Resources, sub, type Value } from '../base/template.ts';
import { producerStatements } from '../rights/policies.ts';

/**
 * The table of the model, with its keys, its stream and two indexes that are the same for every model. All other indexes are added and
 * deleted by `edgeloom migrate`, so no deployment changes an index. Nothing where there is a table already.
 */
export function tableResources(site: Site): Resources {
  const { graph, parameters } = site;
  const { existingTableArn, pointInTimeRecovery, deletionProtection, keepData, kmsKeyArn } = parameters;
  if (existingTableArn !== '') return {};
  const { StreamSpecification, GlobalSecondaryIndexes, ...definition } = tableDefinition(modelOfEveryTable(graph));
  const throughput = throughputProperties(parameters);
  return {
    [TABLE]: {
      Type: 'AWS::DynamoDB::Table',
      // A table that a failed first deployment leaves behind would be in the way of the second.
      DeletionPolicy: keepData ? 'RetainExceptOnCreate' : 'Delete',
      // Whatever makes CloudFormation replace the table: what is in it stays.
      UpdateReplacePolicy: 'Retain',
      Properties: {
        // CloudFormation and CreateTable share these shapes, names included.
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

/** A model with the keys of a table, and no other index than the first two under their usual names. */
function modelOfEveryTable({ table, fingerprint }: CompiledModel): CompiledModel {
  const { indexKeys: _, nativeNames: __, ...rest } = table;
  const indexNames = Object.fromEntries(INDEX_NAMES.map((index) => [index, index])) as TableNames['indexNames'];
  return {
    ...{ fingerprint, nodes: new Map(), edges: new Map(), indexes: USUAL_INDEXES },
    table: { ...rest, indexes: USUAL_INDEXES, indexNames },
  };
}

/** The table's own policy: the accounts of other producers may do what a producer of this account may. */
function policyOfAccounts(site: Site): Value {
  const { graph, parameters } = site;
  // The table would wait for itself, if its policy took the ARN from it.
  const arn = `arn:\${AWS::Partition}:dynamodb:\${AWS::Region}:\${AWS::AccountId}:table/${graph.table.name}`;
  const table = { ...site.table, arn: sub(arn), indexArn: sub(`${arn}/index/*`) };
  const statements = producerStatements({ ...site, table });
  return policyDocument(statements.map((one) => ({ ...one, Principal: { AWS: parameters.producerAccounts } })));
}

/**
 * The properties that the table and each index share: warm throughput, bounds of the throughput on demand, Contributor Insights. A
 * parameter that is 0 or false adds no property.
 */
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

/** A property with those of its numbers that are not 0; nothing where all are. */
function nonZeroNumbers(name: string, numbers: Readonly<Record<string, number>>): { [name: string]: Value } {
  const set = Object.entries(numbers).filter(([, number]) => number > 0);
  return set.length === 0 ? {} : { [name]: Object.fromEntries(set) };
}

/**
 * The policy of the stack itself: no update may replace or delete the table. Another name for it in the model would otherwise
 * leave all items in a table that nothing reads any more.
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
