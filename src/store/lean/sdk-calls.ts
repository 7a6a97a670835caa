import {
  BatchExecuteStatementCommand,
  BatchGetItemCommand,
  BatchWriteItemCommand,
  DeleteItemCommand,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  ScanCommand,
  TransactWriteItemsCommand,
  UpdateItemCommand,
  UpdateTableCommand,
} from '@aws-sdk/client-dynamodb';
import type { Calls } from './calls.ts';
import type { LeanOptions } from './handler.ts';
import { isRefusedForTime, type ObservableCalls, PLAIN_RETRY_MODE } from './lean-way.ts';
import { TimedDescribeTableCommand } from './timed-describe.ts';

const COMMANDS = {
  GetItem: GetItemCommand,
  BatchGetItem: BatchGetItemCommand,
  BatchExecuteStatement: BatchExecuteStatementCommand,
  UpdateItem: UpdateItemCommand,
  Query: QueryCommand,
  Scan: ScanCommand,
  PutItem: PutItemCommand,
  DeleteItem: DeleteItemCommand,
  BatchWriteItem: BatchWriteItemCommand,
  DescribeTable: TimedDescribeTableCommand,
  UpdateTable: UpdateTableCommand,
  TransactWriteItems: TransactWriteItemsCommand,
};

export class SdkCalls implements ObservableCalls {
  private strategy: RetryStrategy | undefined;

  constructor(private readonly client: DynamoDBClient) {}

  call<Name extends keyof Calls>(
    name: Name,
    input: Calls[Name]['input'],
    options?: LeanOptions,
  ): Promise<Calls[Name]['output']> {
    return this.send(this.client, commandOf(name, input), options);
  }

  async region(): Promise<string | undefined> {
    return await this.client.config.region();
  }

  async callOnce<Name extends keyof Calls>(
    name: Name,
    input: Calls[Name]['input'],
    options?: LeanOptions,
  ): Promise<Calls[Name]['output']> {
    // Created for each call, to include middleware added since the last one.
    const single = singleAttemptClient(this.client);
    try {
      return await this.send(single, commandOf(name, input), options);
    } catch (error) {
      if (!isCorrectedClock(error)) throw error;
      // The SDK has corrected its clock, so the request can be repeated.
      return await this.send(single, commandOf(name, input));
    }
  }

  async isPaced(): Promise<boolean> {
    const { mode } = (await this.retryStrategy()) as { mode?: string };
    return mode !== PLAIN_RETRY_MODE;
  }

  noteSuccess(): void {
    this.strategy?.recordSuccess(PLAIN_SUCCESS);
  }

  private send<Output>(client: DynamoDBClient, command: UpdateItemCommand, options?: LeanOptions): Promise<Output> {
    const sent = options === undefined ? client.send(command) : client.send(command, options as object);
    return sent as Promise<never>;
  }

  private async retryStrategy(): Promise<RetryStrategy> {
    this.strategy ??= (await this.client.config.retryStrategy()) as RetryStrategy;
    return this.strategy;
  }
}

/** Excludes the SDK's older strategies, which don't record successes. None of Edgeloom's clients uses them. */
type RetryStrategy = Extract<
  Awaited<ReturnType<DynamoDBClient['config']['retryStrategy']>>,
  { recordSuccess: (token: never) => void }
>;

const PLAIN_SUCCESS = { getRetryCount: () => 0, getRetryDelay: () => 0, getRetryCost: () => undefined };

function isCorrectedClock(error: unknown): boolean {
  if (!isRefusedForTime(error)) return false;
  const { $metadata } = error as { $metadata?: { clockSkewCorrected?: boolean } };
  return $metadata?.clockSkewCorrected === true;
}

function commandOf<Name extends keyof Calls>(name: Name, input: Calls[Name]['input']): UpdateItemCommand {
  // `send` has an overload for each command, so one command type stands for all.
  const Command = COMMANDS[name] as unknown as new (given: typeof input) => UpdateItemCommand;
  return new Command(input);
}

/** Shares connections, credentials and middleware with the given client. */
function singleAttemptClient(client: DynamoDBClient): DynamoDBClient {
  const middlewareStack = client.middlewareStack.clone();
  middlewareStack.remove('retryMiddleware');
  // The signing middleware is added relative to this name.
  middlewareStack.add((next) => next, { name: 'retryMiddleware', step: 'finalizeRequest', priority: 'high' });
  // The client caches resolved middleware, so this one needs its own cache.
  return Object.create(client, {
    middlewareStack: { value: middlewareStack },
    resolved: { value: new WeakMap() },
  }) as DynamoDBClient;
}
