import { SERVICE_PARTITION } from '../../../core/items/keys.ts';
import { CHECK_MACHINE, DEAD_LETTER_QUEUE, FAILED_BATCHES_QUEUE } from '../base/ids.ts';
import type { Site } from '../base/site.ts';
import { allow, policyDocument, type Resources, ref, type Statement, sub, type Value } from '../base/template.ts';
import { failureStatements, type KeyService, keyStatements } from './roles.ts';
import { tableStatements } from './table-rights.ts';

/** Logical ids. */
export const PRODUCER_POLICY = 'ProducerPolicy';
export const READER_POLICY = 'ReaderPolicy';
export const MIGRATOR_POLICY = 'MigratorPolicy';
export const OPERATOR_POLICY = 'OperatorPolicy';

/**
 * Policies to attach to the roles of the programs around the table, and of what runs `edgeloom migrate`.
 *
 * A producer's policy cannot keep it off the derived items, whose sort keys begin with `~`: IAM has a condition on partition
 * keys (`dynamodb:LeadingKeys`) and none on sort keys. The writer refuses such keys, and the check finds what other
 * programs have written there. The consumers' own partition, however, is closed to producers.
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
    [OPERATOR_POLICY]: managedPolicy(
      site,
      'operator',
      'Checks, repairs, redrives and migrates from the command line, and starts the state machine.',
      [
        ...tableStatements('operator', site),
        ...failureStatements(site, [FAILED_BATCHES_QUEUE, DEAD_LETTER_QUEUE]),
        ...machineUseStatements(site),
        // A mapping that is disabled is enabled again. ListEventSourceMappings has no resources.
        allow(['lambda:ListEventSourceMappings'], ['*']),
        { ...allow(['lambda:UpdateEventSourceMapping'], ['*']), Condition: onlyOwnFunctions(site) },
      ],
      ['dynamodb', 's3', 'sqs', 'states'],
    ),
    [MIGRATOR_POLICY]: managedPolicy(site, 'migrator', 'Brings the table to a model: edgeloom migrate.', [
      ...tableStatements('migrate', site),
    ]),
  };
}

/** The state machine, and its executions. */
function machineUseStatements({ names }: Site): Statement[] {
  const executions = `arn:\${AWS::Partition}:states:\${AWS::Region}:\${AWS::AccountId}:execution:${names.local('check')}`;
  return [
    allow(['states:ListExecutions', 'states:StartExecution'], [ref(CHECK_MACHINE)]),
    allow(
      ['states:DescribeExecution', 'states:GetExecutionHistory', 'states:StopExecution'],
      // Children of the distributed map have its label in their names.
      [sub(`${executions}:*`), sub(`${executions}/*:*`)],
    ),
  ];
}

/** Mappings have no names: those of the stack's functions alone. */
function onlyOwnFunctions({ names }: Site): Value {
  const functions = `arn:\${AWS::Partition}:lambda:\${AWS::Region}:\${AWS::AccountId}:function:${names.local('*')}`;
  return { ArnLike: { 'lambda:FunctionArn': sub(functions) } };
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
