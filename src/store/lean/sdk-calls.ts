import {
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
} from '@aws-sdk/client-dynamodb';
import type { Calls, TableCalls } from './calls.ts';
import type { LeanOptions } from './handler.ts';

const COMMANDS = {
  GetItem: GetItemCommand,
  BatchGetItem: BatchGetItemCommand,
  UpdateItem: UpdateItemCommand,
  Query: QueryCommand,
  Scan: ScanCommand,
  PutItem: PutItemCommand,
  DeleteItem: DeleteItemCommand,
  BatchWriteItem: BatchWriteItemCommand,
  TransactWriteItems: TransactWriteItemsCommand,
};

/** The calls of a store through a client of the SDK. */
export class SdkCalls implements TableCalls {
  private single: DynamoDBClient | undefined;

  constructor(private readonly client: DynamoDBClient) {}

  /** @param options reach the client's handler; see `LeanHandler`. */
  call<Name extends keyof Calls>(
    name: Name,
    input: Calls[Name]['input'],
    options?: LeanOptions,
  ): Promise<Calls[Name]['output']> {
    const command = commandOf(name, input);
    const send = options === undefined ? this.client.send(command) : this.client.send(command, options as object);
    return send as Promise<Calls[Name]['output']>;
  }

  async region(): Promise<string | undefined> {
    return await this.client.config.region();
  }

  callOnce<Name extends keyof Calls>(name: Name, input: Calls[Name]['input']): Promise<Calls[Name]['output']> {
    this.single ??= singleAttemptClient(this.client);
    return this.single.send(commandOf(name, input)) as Promise<Calls[Name]['output']>;
  }
}

function commandOf<Name extends keyof Calls>(name: Name, input: Calls[Name]['input']): UpdateItemCommand {
  // The commands are all of this client; `send` is overloaded for each alone.
  const Command = COMMANDS[name] as unknown as new (given: typeof input) => UpdateItemCommand;
  return new Command(input);
}

/** The same client without the SDK's own retries. Connections, credentials and middleware are shared. */
function singleAttemptClient(client: DynamoDBClient): DynamoDBClient {
  const middlewareStack = client.middlewareStack.clone();
  middlewareStack.remove('retryMiddleware');
  // Its place is kept: signing is added relative to it, once for each attempt.
  middlewareStack.add((next) => next, { name: 'retryMiddleware', step: 'finalizeRequest', priority: 'high' });
  // The client keeps resolved middleware by command: this one needs a memory of its own.
  return Object.create(client, {
    middlewareStack: { value: middlewareStack },
    resolved: { value: new WeakMap() },
  }) as DynamoDBClient;
}
