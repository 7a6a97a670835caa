import { readFileSync } from 'node:fs';
import { unzipSync } from 'fflate';
import pino from 'pino';
import { withTableName } from '../../../src/core/model/compile/define-graph.ts';
import type { CompiledModel } from '../../../src/core/model/compiled.ts';
import { checkRunHandler, observeHandler } from '../../../src/deployment/lambda/index.ts';
import { createClient, createStreamsClient } from '../../../src/store/client.ts';
import { DynamoDBStreamSource } from '../../../src/stream/dynamodb-source.ts';
import { type Machine, runMachine } from '../stack/state-machine.ts';
import type { Account, Thing } from './account.ts';
import type { DynamoDBTables } from './dynamodb.ts';
import type { Projectors } from './projectors.ts';
import type { Stacks } from './stacks.ts';
import type { Operation } from './stand-in.ts';

const MAPPING = 'AWS::Lambda::EventSourceMapping';
const BUCKET = 'AWS::S3::Bucket';

/** What the commands of the other services work on. */
interface Parts {
  account: Account;
  stacks: Stacks;
  endpoint: string;
  model: () => Promise<CompiledModel>;
  projectors: Projectors;
  tables: DynamoDBTables;
}

/** The commands of the other services, as far as runbooks and scripts use them. */
export function restOperations(parts: Parts): Record<string, Operation> {
  const { account, projectors, tables } = parts;
  const executions = new Map<string, { status: string; output?: string; cause?: string }>();
  const bucket = (uri: string): Thing => {
    const name = uri.split('/')[2]!;
    const thing = account.find(BUCKET, name);
    if (thing === undefined) throw new Error(`NoSuchBucket: ${name}`);
    return thing;
  };
  const thing = (type: string, name: string): Thing => {
    const found = account.find(type, name);
    if (found === undefined) throw new Error(`ResourceNotFoundException: ${name}`);
    return found;
  };
  const lambda = (name: string): Thing => thing('AWS::Lambda::Function', name);
  const mappings = (functionName: string): Thing[] =>
    account.all(MAPPING).filter(({ properties }) => String(properties['FunctionName']).includes(`:${functionName}`));
  const isAllOn = (): boolean =>
    account.all(MAPPING).every(({ properties }) => properties['Enabled'] !== false) &&
    account.all('AWS::Events::Rule').every(({ properties }) => properties['State'] !== 'DISABLED');
  return {
    's3 mb': async ({ Words: [uri] }) => void (await account.make(BUCKET, String(uri).split('/')[2], {}, false)),
    's3 cp': async ({ Words: [file, uri] }) => {
      fill(bucket(uri), 1);
      if (file.endsWith('.zip') && isFailing(file)) account.failing.add(uri.split('/').slice(3).join('/'));
    },
    's3 rm': async ({ Words: [uri] }) => fill(bucket(uri), -bucket(uri).objects),
    's3 rb': async ({ Words: [uri] }) => await account.delete(bucket(uri)),
    'configure get': async () => 'eu-central-1',
    'sts get-caller-identity': async () => ({ Account: '123456789012' }),
    'lambda list-event-source-mappings': async ({ FunctionName }) => ({
      EventSourceMappings: mappings(FunctionName).map(({ name, properties }) => ({
        ...{ UUID: name, State: properties['Enabled'] === true ? 'Enabled' : 'Disabled' },
      })),
    }),
    'lambda update-event-source-mapping': async ({ Uuid, Enabled }) => {
      const mapping = account.find(MAPPING, Uuid);
      if (mapping === undefined) throw new Error(`ResourceNotFoundException: ${Uuid}`);
      await projectors.stop(mapping);
      mapping.properties = { ...mapping.properties, ...(Enabled !== undefined && { Enabled: Enabled === true }) };
      await projectors.start(mapping, await tables.currentStream(mapping.properties['EventSourceArn']));
    },
    'stepfunctions start-execution': async ({ StateMachineArn, Input }) => {
      const executionArn = `${StateMachineArn}:${executions.size + 1}`;
      executions.set(executionArn, await execution(parts, StateMachineArn, Input));
      return { executionArn };
    },
    'stepfunctions describe-execution': async ({ ExecutionArn }) => executions.get(ExecutionArn),
    // No function runs by itself here. The observer is the one whose answer is read.
    'lambda invoke': async ({ FunctionName }) => {
      const { properties } = lambda(FunctionName);
      if (properties['ReservedConcurrentExecutions'] === 0)
        throw new Error(`TooManyRequestsException: ${FunctionName}`);
      return {
        StatusCode: 200,
        ...(FunctionName.endsWith('-observe') && { Payload: await observed(parts, properties) }),
      };
    },
    'lambda put-function-concurrency': async ({ FunctionName, ReservedConcurrentExecutions }) =>
      set(lambda(FunctionName), { ReservedConcurrentExecutions: Number(ReservedConcurrentExecutions) }),
    'lambda delete-function-concurrency': async ({ FunctionName }) =>
      set(lambda(FunctionName), { ReservedConcurrentExecutions: undefined }),
    'lambda get-function-configuration': async ({ FunctionName }) => lambda(FunctionName).properties,
    'lambda update-function-configuration': async ({ FunctionName, Environment }) =>
      set(lambda(FunctionName), { Environment: JSON.parse(Environment) }),
    'events disable-rule': async ({ Name }) => set(thing('AWS::Events::Rule', Name), { State: 'DISABLED' }),
    'events enable-rule': async ({ Name }) => set(thing('AWS::Events::Rule', Name), { State: 'ENABLED' }),
    'sqs get-queue-url': async ({ QueueName }) => ({
      QueueUrl: `https://sqs.eu-central-1.amazonaws.com/123456789012/${thing('AWS::SQS::Queue', QueueName).name}`,
    }),
    'sqs send-message': async ({ QueueUrl }) => void thing('AWS::SQS::Queue', QueueUrl.split('/').at(-1)!),
    'sqs purge-queue': async ({ QueueUrl }) => void thing('AWS::SQS::Queue', QueueUrl.split('/').at(-1)!),
    'lambda get-alias': async ({ FunctionName, Name }) => {
      const alias = account
        .all('AWS::Lambda::Alias')
        .find(({ properties }) => properties['FunctionName'] === FunctionName && properties['Name'] === Name);
      if (alias === undefined) throw new Error(`ResourceNotFoundException: ${FunctionName}:${Name}`);
      // A version is made anew for other code: the last one is what the alias names.
      return { FunctionVersion: account.all('AWS::Lambda::Version').at(-1)!.name };
    },
    // An alarm that there is rings at once; one on a metric that stops, while a mapping or a rule is off.
    'cloudwatch describe-alarms': async ({ AlarmNames }) => ({
      MetricAlarms: account
        .all('AWS::CloudWatch::Alarm')
        .filter(({ name }) => name === AlarmNames)
        .map(({ name, properties }) => ({
          AlarmName: name,
          StateValue:
            properties['InsufficientDataActions'] === undefined || name.endsWith('-StreamReplaced')
              ? 'ALARM'
              : isAllOn()
                ? 'OK'
                : 'INSUFFICIENT_DATA',
        })),
    }),
    // No engine counts what Lambda, Step Functions and CloudWatch would.
    'cloudwatch get-metric-statistics': async () => ({ Datapoints: [{ Sum: 100 }] }),
  };
}

function set(thing: Thing, properties: object): void {
  thing.properties = { ...thing.properties, ...properties };
}

/** Calls the observer of a table; gives its answer. */
async function observed({ endpoint, model, tables }: Parts, { Environment }: Thing['properties']): Promise<string> {
  const { EDGELOOM_TABLE, EDGELOOM_STREAM_ARN } = Environment.Variables;
  const streamArn = await tables.currentStream(EDGELOOM_STREAM_ARN);
  if (streamArn === undefined) throw new Error(`ResourceNotFoundException: ${EDGELOOM_STREAM_ARN}`);
  const handler = observeHandler(withTableName(await model(), EDGELOOM_TABLE), {
    ...{ client: createClient({ endpoint }), logger: pino({ level: 'silent' }), limits: { lateMs: 0, skewMs: 0 } },
    stream: new DynamoDBStreamSource(createStreamsClient({ endpoint }), streamArn),
  });
  return JSON.stringify(await handler({}, { awsRequestId: '1', getRemainingTimeInMillis: () => 90_000 }));
}

/** Whether the code of a zip fails at each call, as scripts/prove-on-aws.mjs makes one. */
function isFailing(zip: string): boolean {
  const entries = Object.values(unzipSync(readFileSync(zip)));
  return entries.some((entry) => Buffer.from(entry).includes('a version that fails, for a trial'));
}

/** Puts objects into a bucket, or takes them out of it. */
function fill(bucket: Thing, objects: number): void {
  bucket.objects += objects;
}

/** Runs a state machine as its stack deployed it: the functions are those of the sources, on the table that they name. */
async function execution({ account, endpoint, model }: Parts, arn: string, input: unknown) {
  const name = arn.split(':').at(-1)!;
  const machine = account.find('AWS::StepFunctions::StateMachine', name);
  if (machine === undefined) throw new Error(`StateMachineDoesNotExist: ${arn}`);
  const stream = account.find('AWS::Lambda::Function', name.replace(/check$/, 'stream'))!;
  const table = stream.properties['Environment'].Variables['EDGELOOM_TABLE'] as string;
  // Pauses of the machine pass in no time, those of its functions as they are.
  let passedMs = 0;
  const options = { client: createClient({ endpoint }), logger: pino({ level: 'silent' }), graceMs: 20 };
  const handler = checkRunHandler(withTableName(await model(), table), {
    ...options,
    now: () => Date.now() + passedMs,
  });
  const context = { awsRequestId: '1', getRemainingTimeInMillis: () => 900_000 };
  try {
    const definition = JSON.parse(machine.properties['DefinitionString']) as Machine;
    const output = await runMachine(definition, typeof input === 'string' ? JSON.parse(input) : input, {
      call: async (_, payload) => await handler(payload as never, context),
      onWait: (seconds) => {
        passedMs += seconds * 1000;
      },
    });
    return { status: 'SUCCEEDED', output: JSON.stringify(output) };
  } catch (error) {
    return { status: 'FAILED', cause: String(error) };
  }
}
