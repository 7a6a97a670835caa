import type { CompiledModel } from '../model/compiled.ts';
import { CHECK_MACHINE_ROLE, CHECK_SCHEDULE_ROLE } from './check-machine.ts';
import { FAILED_BATCH_OBJECTS, FAILED_BATCHES_BUCKET, FAILED_BATCHES_QUEUE } from './failures.ts';
import type { Parameters } from './parameters.ts';
import { indexArns, STREAM_ARN, TABLE_ARN } from './table.ts';
import { allow, attribute, policyDocument, type Resources, type Statement, sub } from './template.ts';

/** The functions, as serverless.yml names them. */
export const FUNCTIONS = ['stream', 'check', 'redrive'] as const;
/** One of the functions. */
export type FunctionName = (typeof FUNCTIONS)[number];

/** The beginning of the logical ids that serverless gives to what belongs to a function. */
export function logicalName(name: FunctionName): string {
  return name[0]!.toUpperCase() + name.slice(1);
}

/**
 * One role for each function, and those of the check's state machine and of its schedule. Each allows what its code calls, on
 * what it calls it; a test holds the lists.
 *
 * @param prefix of names; `edgeloom-prod`.
 */
export function roleResources(graph: CompiledModel, prefix: string, parameters: Parameters): Resources {
  return {
    StreamRole: functionRole('stream', streamStatements()),
    CheckRole: functionRole('check', checkStatements(parameters)),
    RedriveRole: functionRole('redrive', redriveStatements(graph)),
    [CHECK_MACHINE_ROLE]: role('states.amazonaws.com', machineStatements(prefix)),
    [CHECK_SCHEDULE_ROLE]: role('events.amazonaws.com', [allow(['states:StartExecution'], [stateMachineArn(prefix)])]),
  };
}

function streamStatements(): Statement[] {
  return [
    // ListStreams is Lambda's condition for a mapping; on this stream, not on all of them.
    allow(
      ['dynamodb:DescribeStream', 'dynamodb:GetRecords', 'dynamodb:GetShardIterator', 'dynamodb:ListStreams'],
      [STREAM_ARN],
    ),
    allow(['dynamodb:BatchGetItem', 'dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:UpdateItem'], [TABLE_ARN]),
    // The mapping puts what it gives up into the bucket with the rights of its function.
    allow(['s3:ListBucket'], [attribute(FAILED_BATCHES_BUCKET)]),
    allow(['s3:PutObject'], [sub(`\${${FAILED_BATCHES_BUCKET}.Arn}/${FAILED_BATCH_OBJECTS}`)]),
  ];
}

function checkStatements({ checkRepair }: Parameters): Statement[] {
  const reads = ['BatchGetItem', 'DescribeTable', 'GetItem', 'Query', 'Scan'];
  const writes = checkRepair ? ['DeleteItem', 'UpdateItem'] : [];
  return [allow([...reads, ...writes].map((action) => `dynamodb:${action}`).sort(), [TABLE_ARN])];
}

function redriveStatements(graph: CompiledModel): Statement[] {
  const [gsi0] = indexArns(graph);
  return [
    allow(
      ['BatchGetItem', 'DeleteItem', 'GetItem', 'PutItem', 'Query', 'UpdateItem'].map((action) => `dynamodb:${action}`),
      [TABLE_ARN],
    ),
    // The quarantine is found through the first index.
    allow(['dynamodb:Query'], [gsi0!]),
    allow(['s3:GetObject'], [sub(`\${${FAILED_BATCHES_BUCKET}.Arn}/${FAILED_BATCH_OBJECTS}`)]),
    allow(
      ['sqs:DeleteMessage', 'sqs:GetQueueAttributes', 'sqs:ReceiveMessage', 'sqs:SendMessage'],
      [attribute(FAILED_BATCHES_QUEUE)],
    ),
  ];
}

function machineStatements(prefix: string): Statement[] {
  const executions = sub(
    `arn:\${AWS::Partition}:states:\${AWS::Region}:\${AWS::AccountId}:execution:${prefix}-check:*`,
  );
  return [
    allow(['lambda:InvokeFunction'], [attribute('CheckLambdaFunction')]),
    // A distributed map starts its children as executions of its own machine, and stops them when one has failed.
    allow(['states:StartExecution'], [stateMachineArn(prefix)]),
    allow(['states:DescribeExecution', 'states:StopExecution'], [executions]),
  ];
}

function stateMachineArn(prefix: string) {
  return sub(`arn:\${AWS::Partition}:states:\${AWS::Region}:\${AWS::AccountId}:stateMachine:${prefix}-check`);
}

function functionRole(name: FunctionName, statements: readonly Statement[]): Resources[string] {
  // The stack makes the log group, with its retention: the function may not make one of its own.
  const logs = allow(['logs:CreateLogStream', 'logs:PutLogEvents'], [attribute(`${logicalName(name)}LogGroup`)]);
  return role('lambda.amazonaws.com', [logs, ...statements]);
}

function role(service: string, statements: readonly Statement[]): Resources[string] {
  return {
    Type: 'AWS::IAM::Role',
    Properties: {
      AssumeRolePolicyDocument: policyDocument([
        // A role's trust names no resource: it is the resource.
        { Effect: 'Allow', Principal: { Service: service }, Action: 'sts:AssumeRole' },
      ]),
      Policies: [{ PolicyName: 'needs', PolicyDocument: policyDocument(statements) }],
    },
  };
}
