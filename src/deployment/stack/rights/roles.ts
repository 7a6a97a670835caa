import { tableArnOfStream } from '../base/arns.ts';
import {
  CHECK_MACHINE_ROLE,
  CHECK_SCHEDULE_ROLE,
  FAILED_BATCHES_BUCKET,
  FAILED_BATCHES_QUEUE,
  FEED_DEAD_LETTER_QUEUE,
  FEED_QUEUE,
  type FunctionName,
  logicalIdPrefix,
  MIRROR_DEAD_LETTER_QUEUE,
} from '../base/ids.ts';
import type { Parameters } from '../base/parameters.ts';
import type { Site } from '../base/site.ts';
import {
  allow,
  attribute,
  ofThisAccount,
  ownArn,
  policyDocument,
  type Resources,
  ref,
  type Statement,
  sub,
  type Value,
} from '../base/template.ts';
import { tableStatements } from './table-rights.ts';

const IN_THIS_ACCOUNT = { Condition: { StringEquals: { 's3:ResourceAccount': ref('AWS::AccountId') } } };

export function roleResources(site: Site): Resources {
  const { names } = site;
  const machine = ownArn('states', `stateMachine:${names.local('check')}`);
  // The children of a distributed map also use this role; their names begin with the machine's.
  const ofMachine = ownArn('states', `stateMachine:${names.local('check')}*`);
  const rule = ownArn('events', `rule/${names.local('check')}`);
  return {
    ...Object.fromEntries(
      site.functions.map((name) => [
        `${logicalIdPrefix(name)}Role`,
        functionRole(name, site, FUNCTION_STATEMENTS[name](site)),
      ]),
    ),
    [CHECK_MACHINE_ROLE]: roleOfService('states', machineStatements(site, machine, ofMachine), site, ofMachine),
    [CHECK_SCHEDULE_ROLE]: roleOfService('events', [allow('states:StartExecution', machine)], site, rule),
  };
}

const FUNCTION_STATEMENTS: Readonly<Record<FunctionName, (site: Site) => Statement[]>> = {
  stream: (site) => [
    ...tableStatements('stream', site),
    mappingStatement([site.table.streamArn]),
    // The mapping writes to the bucket with its function's rights.
    { ...allow('s3:ListBucket', attribute(FAILED_BATCHES_BUCKET)), ...IN_THIS_ACCOUNT },
    { ...allow('s3:PutObject', failedBatchObjects()), ...IN_THIS_ACCOUNT },
  ],
  check: (site) => tableStatements(site.parameters.checkRepair ? 'repair' : 'check', site),
  rebuild: (site) => tableStatements('rebuild', site),
  redrive: (site) => [...tableStatements('redrive', site), ...failureStatements(site, [FAILED_BATCHES_QUEUE])],
  observe: (site) => [
    ...tableStatements('observe', site),
    streamReadStatement(site),
    ...(site.parameters.feedEventBus === '' ? [] : [allow('sqs:SendMessage', attribute(FEED_QUEUE))]),
  ],
  feed: ({ parameters: { feedEventBus: bus } }) => [
    allow('events:PutEvents', bus.startsWith('arn:') ? bus : ownArn('events', `event-bus/${bus}`)),
    allow('sqs:DeleteMessage GetQueueAttributes ReceiveMessage', attribute(FEED_QUEUE)),
    allow('sqs:SendMessage', attribute(FEED_DEAD_LETTER_QUEUE)),
  ],
  mirror: (site) => {
    const { sourceStreamArns } = site.parameters;
    return [
      ...tableStatements('mirror', site),
      mappingStatement(sourceStreamArns),
      allow('dynamodb:DescribeTable GetItem', ...sourceStreamArns.map(tableArnOfStream)),
      // The mapping sends notices with its function's rights.
      allow('sqs:SendMessage', attribute(MIRROR_DEAD_LETTER_QUEUE)),
    ];
  },
};

/** For operators, since `mirror sync` reads whole sources. */
export function sourceStatements({ parameters: { sourceStreamArns } }: Site): Statement[] {
  if (sourceStreamArns.length === 0) return [];
  return [allow('dynamodb:GetItem Scan', ...sourceStreamArns.map(tableArnOfStream))];
}

const READS_OF_STREAM = 'dynamodb:DescribeStream GetRecords GetShardIterator';

function streamReadStatement({ table }: Site): Statement {
  return allow(READS_OF_STREAM, table.streamArn);
}

/** Lambda requires ListStreams for a mapping. */
function mappingStatement(streamArns: readonly Value[]): Statement {
  return allow(`${READS_OF_STREAM} ListStreams`, ...streamArns);
}

export function failureStatements(site: Site, queues: readonly string[]): Statement[] {
  return [
    streamReadStatement(site),
    { ...allow('s3:DeleteObject GetObject', failedBatchObjects()), ...IN_THIS_ACCOUNT },
    // SendMessage returns the rest of a batch to the queue when time runs out.
    allow('sqs:DeleteMessage GetQueueAttributes ReceiveMessage SendMessage', ...queues.map((id) => attribute(id))),
  ];
}

/** Mappings write their batches below `aws/lambda/`. */
function failedBatchObjects(): Value {
  return sub(`\${${FAILED_BATCHES_BUCKET}.Arn}/aws/lambda/*`);
}

function machineStatements({ names, parameters }: Site, machine: Value, machines: Value): Statement[] {
  const executions = ownArn('states', `execution:${names.local('check')}:*`);
  return [
    allow('lambda:InvokeFunction', attribute('CheckLambdaFunction'), attribute('RebuildLambdaFunction')),
    // A distributed map starts and stops executions of its own machine.
    allow('states:StartExecution', machine),
    allow('states:DescribeExecution StopExecution', executions),
    ...machineKeyStatements(parameters, machines),
    ...tracingStatements(parameters),
  ];
}

export type KeyService = 'dynamodb' | 'lambda' | 's3' | 'sqs' | 'states';

const KEY_SERVICES: Readonly<Record<FunctionName, readonly KeyService[]>> = {
  stream: ['dynamodb', 'lambda', 's3'],
  check: ['dynamodb', 'lambda'],
  rebuild: ['dynamodb', 'lambda'],
  redrive: ['dynamodb', 'lambda', 's3', 'sqs'],
  observe: ['dynamodb', 'lambda'],
  feed: ['lambda', 'sqs'],
  mirror: ['dynamodb', 'lambda', 'sqs'],
};

function keyServicesOf(name: FunctionName, { feedEventBus }: Parameters): readonly KeyService[] {
  return name === 'observe' && feedEventBus !== '' ? [...KEY_SERVICES[name], 'sqs'] : KEY_SERVICES[name];
}

/** Allows the key only through services that keep data under it, never directly. */
export function keyStatements({ kmsKeyArn }: Parameters, through: readonly KeyService[]): Statement[] {
  if (kmsKeyArn === '') return [];
  const services = through.map((service) => sub(`${service}.\${AWS::Region}.\${AWS::URLSuffix}`));
  const uses = 'kms:Decrypt DescribeKey Encrypt GenerateDataKey ReEncryptFrom ReEncryptTo';
  const statement = allow(uses, kmsKeyArn);
  return [{ ...statement, Condition: { StringEquals: { 'kms:ViaService': services } } }];
}

/** Step Functions uses the key with the machine's role. */
function machineKeyStatements({ kmsKeyArn }: Parameters, machines: Value): Statement[] {
  if (kmsKeyArn === '') return [];
  const Condition = { ArnLike: { 'kms:EncryptionContext:aws:states:stateMachineArn': machines } };
  return [{ ...allow('kms:Decrypt GenerateDataKey', kmsKeyArn), Condition }];
}

function tracingStatements({ tracing }: Parameters): Statement[] {
  // X-Ray's actions cannot be limited to resources.
  return tracing ? [allow('xray:PutTelemetryRecords PutTraceSegments', '*')] : [];
}

/** The actions in AWS's policy AWSLambdaVPCAccessExecutionRole. */
const NETWORK_ACTIONS =
  'ec2:AssignPrivateIpAddresses CreateNetworkInterface DeleteNetworkInterface DescribeNetworkInterfaces DescribeSubnets UnassignPrivateIpAddresses';

function networkStatements({ vpcSubnetIds }: Parameters): Statement[] {
  // The interfaces don't exist yet, so the policy can't name them.
  return vpcSubnetIds.length === 0 ? [] : [allow(NETWORK_ACTIONS, '*')];
}

function functionRole(name: FunctionName, site: Site, statements: readonly Statement[]): Resources[string] {
  // Omits CreateLogGroup, because the stack creates the group with its retention.
  const logs = allow('logs:CreateLogStream PutLogEvents', attribute(`${logicalIdPrefix(name)}LogGroup`));
  const { parameters } = site;
  return roleOfService(
    'lambda',
    [
      ...[logs, ...statements, ...keyStatements(parameters, keyServicesOf(name, parameters))],
      ...[...tracingStatements(parameters), ...networkStatements(parameters)],
    ],
    site,
  );
}

/** @param source the only resource for which the service may assume the role; Lambda names none. */
export function roleOfService(
  service: string,
  statements: readonly Statement[],
  { parameters }: Site,
  source?: Value,
): Resources[string] {
  const { permissionsBoundaryArn } = parameters;
  return {
    Type: 'AWS::IAM::Role',
    Properties: {
      AssumeRolePolicyDocument: policyDocument([
        {
          Effect: 'Allow',
          Principal: { Service: `${service}.amazonaws.com` },
          Action: 'sts:AssumeRole',
          ...(source !== undefined && { Condition: ofThisAccount({ ArnLike: source }) }),
        },
      ]),
      Policies: [{ PolicyName: 'needs', PolicyDocument: policyDocument(statements) }],
      ...(permissionsBoundaryArn !== '' && { PermissionsBoundary: permissionsBoundaryArn }),
    },
  };
}
