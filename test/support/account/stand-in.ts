import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import type { CompiledModel } from '../../../src/core/model/compiled.ts';
import { listening } from '../local-server.ts';
import { Account, type Outside, type Thing } from './account.ts';
import { cloudFormationOperations } from './cloudformation.ts';
import { DynamoDBTables } from './dynamodb.ts';
import { Projectors } from './projectors.ts';
import { callProblems } from './service-model.ts';
import { restOperations } from './services.ts';
import { Stacks } from './stacks.ts';

/** The input of a command, by the names of its options in the form that the API has. */
// biome-ignore lint/suspicious/noExplicitAny: each command has options of its own
export type Input = Record<string, any>;
/** A command of `aws`: gives the JSON that it prints. */
export type Operation = (input: Input) => Promise<unknown>;

/** Stands in for an AWS account, for the command line of AWS and that of the Serverless Framework. */
export interface StandIn {
  url: string;
  account: Account;
  stacks: Stacks;
  /** What was called, as `service operation`. */
  calls: string[];
  stop(): Promise<void>;
}

/**
 * Starts it: stacks by the simulator, tables on an engine, a projector for each event source mapping that is enabled, and the check's
 * state machine as the deployed template has it. A call that its service would not take is refused.
 *
 * @param endpoint of the engine.
 * @param model what the functions are deployed with at the moment.
 */
export async function startStandIn(endpoint: string, model: () => Promise<CompiledModel>): Promise<StandIn> {
  const projectors = new Projectors(endpoint, model);
  const tables = new DynamoDBTables(endpoint, (table) => projectors.stopOn(table));
  const outside: Outside = {
    made: async (thing) => {
      if (thing.type === 'AWS::DynamoDB::Table') await tables.make(thing);
      if (isMapping(thing))
        await projectors.start(thing, await tables.currentStream(thing.properties['EventSourceArn']));
    },
    changed: async (thing, before) => {
      if (thing.type === 'AWS::DynamoDB::Table') await tables.change(thing, before);
    },
    deleted: async (thing) => {
      // Its function empties the bucket before the stack deletes it.
      if (thing.type === 'AWS::CloudFormation::CustomResource') {
        const bucket = account.find('AWS::S3::Bucket', thing.properties['BucketName']);
        if (bucket !== undefined) bucket.objects = 0;
      }
      if (thing.type === 'AWS::DynamoDB::Table') await tables.delete(thing);
      if (isMapping(thing)) await projectors.stop(thing);
    },
  };
  const account = new Account(outside);
  const stacks = new Stacks(account);
  const calls: string[] = [];
  const operations: Record<string, Operation> = {
    ...cloudFormationOperations(stacks),
    ...tables.operations(account),
    ...restOperations({ account, stacks, endpoint, model, projectors, tables }),
  };

  const server = createServer((request, response) => {
    const answer = async (): Promise<string> => {
      const { service, operation, input } = (await json(request)) as {
        service: string;
        operation: string;
        input: Input;
      };
      const name = `${service} ${operation}`;
      calls.push(name);
      const run = operations[name];
      if (run === undefined) throw new Error(`${name} is not known here`);
      const problems = service === 'serverless' ? [] : callProblems(service, operation, input);
      if (problems.length > 0) throw new Error(`${name}: ${problems.join('; ')}`);
      return JSON.stringify((await run(input)) ?? null);
    };
    answer().then(
      (text) => response.end(text),
      (error) => {
        response.statusCode = 400;
        response.end(String(error));
      },
    );
  });
  const { endpoint: url, stop } = await listening(server);
  return {
    ...{ account, stacks, calls, url },
    stop: async () => {
      await projectors.stopAll();
      tables.close();
      await stop();
    },
  };
}

/** Whether a thing is the mapping of a table's stream. */
function isMapping({ type, properties }: Thing): boolean {
  return type === 'AWS::Lambda::EventSourceMapping' && String(properties['EventSourceArn']).includes(':dynamodb:');
}
