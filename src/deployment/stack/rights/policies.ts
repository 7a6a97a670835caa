import { SERVICE_PARTITION } from '../../../core/items/keys.ts';
import { DEAD_LETTER_QUEUE, FAILED_BATCHES_QUEUE } from '../base/ids.ts';
import type { Site } from '../base/site.ts';
import { policyDocument, type Resources, type Statement } from '../base/template.ts';
import { operationStatements } from './operation.ts';
import { failureStatements, type KeyService, keyStatements, sourceStatements } from './roles.ts';
import { tableStatements } from './table-rights.ts';

export const PRODUCER_POLICY = 'ProducerPolicy';
export const READER_POLICY = 'ReaderPolicy';
export const MIGRATOR_POLICY = 'MigratorPolicy';
export const OPERATOR_POLICY = 'OperatorPolicy';

/**
 * IAM has no condition on sort keys, so a producer's policy cannot protect derived items. Instead, the writer refuses
 * their keys, and the check finds changed ones.
 */
export function policyResources(site: Site): Resources {
  return {
    [PRODUCER_POLICY]: managedPolicy(site, 'producer', 'Puts, changes and deletes nodes and edges of the table.', [
      ...producerStatements(site),
    ]),
    [READER_POLICY]: managedPolicy(site, 'reader', 'Reads views, edges, searches and pages of the table.', [
      ...tableStatements('reader', site),
    ]),
    [OPERATOR_POLICY]: managedPolicy(
      site,
      'operator',
      'Checks, repairs, redrives and migrates from the command line, and starts the state machine.',
      [
        ...tableStatements('operator', site),
        ...failureStatements(site, [FAILED_BATCHES_QUEUE, DEAD_LETTER_QUEUE]),
        ...operationStatements(site),
        ...sourceStatements(site),
      ],
      ['dynamodb', 's3', 'sqs', 'states'],
    ),
    [MIGRATOR_POLICY]: managedPolicy(site, 'migrator', 'Brings the table to a model: edgeloom migrate.', [
      ...tableStatements('migrate', site),
    ]),
  };
}

export function producerStatements(site: Site): Statement[] {
  const keepOff: Statement = {
    Effect: 'Deny',
    Action: ['BatchWriteItem', 'DeleteItem', 'PutItem', 'UpdateItem'].map((action) => `dynamodb:${action}`),
    Resource: [site.table.arn],
    Condition: { 'ForAnyValue:StringEquals': { 'dynamodb:LeadingKeys': [SERVICE_PARTITION] } },
  };
  return [...tableStatements('producer', site), keepOff];
}

function managedPolicy(
  site: Site,
  name: string,
  description: string,
  statements: readonly Statement[],
  through: readonly KeyService[] = ['dynamodb'],
) {
  return {
    Type: 'AWS::IAM::ManagedPolicy',
    Properties: {
      ManagedPolicyName: site.names.inAccount(name),
      Description: description,
      PolicyDocument: policyDocument([...statements, ...keyStatements(site.parameters, through)]),
    },
  };
}
