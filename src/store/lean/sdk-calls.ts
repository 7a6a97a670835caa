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
    // Sees middleware added since the last call.
    const single = singleAttemptClient(this.client);
    try {
      return await this.send(single, commandOf(name, input), options);
    } catch (error) {
      if (!isCorrectedClock(error)) throw error;
      // A request refused for its time changed nothing, and the SDK has corrected its clock.
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

/** The SDK's older strategies record no successes, and none of our clients has one. */
type RetryStrategy = Extract<
  Awaited<ReturnType<DynamoDBClient['config']['retryStrategy']>>,
  { recordSuccess: (token: never) => void }
>;

/** In the form that the SDK's retries expect. */
const PLAIN_SUCCESS = { getRetryCount: () => 0, getRetryDelay: () => 0, getRetryCost: () => undefined };

function isCorrectedClock(error: unknown): boolean {
  if (!isRefusedForTime(error)) return false;
  return (error as Partial<ServiceException>).$metadata?.clockSkewCorrected === true;
}

interface ServiceException {
  $metadata: { clockSkewCorrected?: boolean };
}

function commandOf<Name extends keyof Calls>(name: Name, input: Calls[Name]['input']): UpdateItemCommand {
  // `send` is overloaded for each.
  const Command = COMMANDS[name] as unknown as new (given: typeof input) => UpdateItemCommand;
  return new Command(input);
}

/** Shares connections, credentials and middleware. */
function singleAttemptClient(client: DynamoDBClient): DynamoDBClient {
  const middlewareStack = client.middlewareStack.clone();
  middlewareStack.remove('retryMiddleware');
  // Signing is added relative to it, once per attempt.
  middlewareStack.add((next) => next, { name: 'retryMiddleware', step: 'finalizeRequest', priority: 'high' });
  // The client caches resolved middleware by command.
  return Object.create(client, {
    middlewareStack: { value: middlewareStack },
    resolved: { value: new WeakMap() },
  }) as DynamoDBClient;
}
