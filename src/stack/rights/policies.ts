import { SERVICE_PARTITION } from '../../items/keys.ts';
import type { Site } from '../base/site.ts';
import { policyDocument, type Resources, type Statement } from '../base/template.ts';
import { keyStatements } from './roles.ts';
import { tableStatements } from './table-rights.ts';

/** Logical ids. */
export const PRODUCER_POLICY = 'ProducerPolicy';
export const READER_POLICY = 'ReaderPolicy';
export const MIGRATOR_POLICY = 'MigratorPolicy';

/**
 * Policies to attach to the roles of the programs around the table, and of what runs `edgeloom migrate`.
 *
 * A producer's policy cannot keep it off the derived items, whose sort keys begin with `~`: IAM has a condition on partition
 * keys (`dynamodb:LeadingKeys`) and none on sort keys. The writer refuses such keys, and the check finds what other
 * programs have written there. What consumers keep in a partition of their own, it does keep from producers.
 */
export function policyResources(site: Site): Resources {
  const keepOff: Statement = {
    Effect: 'Deny',
    Action: ['BatchWriteItem', 'DeleteItem', 'PutItem', 'UpdateItem'].map((action) => `dynamodb:${action}`),
    Resource: [site.table.arn],
    Condition: { 'ForAnyValue:StringEquals': { 'dynamodb:LeadingKeys': [SERVICE_PARTITION] } },
  };
  return {
    [PRODUCER_POLICY]: managedPolicy(site, 'producer', 'Puts, changes and deletes nodes and edges of the table.', [
      ...tableStatements('producer', site),
      keepOff,
    ]),
    [READER_POLICY]: managedPolicy(site, 'reader', 'Reads views, edges, searches and pages of the table.', [
      ...tableStatements('reader', site),
    ]),
    [MIGRATOR_POLICY]: managedPolicy(site, 'migrator', 'Brings the table to a model: edgeloom migrate.', [
      ...tableStatements('migrate', site),
    ]),
  };
}

function managedPolicy(site: Site, name: string, description: string, statements: readonly Statement[]) {
  return {
    Type: 'AWS::IAM::ManagedPolicy',
    Properties: {
      ManagedPolicyName: site.names.inAccount(name),
      Description: description,
      PolicyDocument: policyDocument([...statements, ...keyStatements(site)]),
    },
  };
}
