import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { TableNames } from '../core/model/compiled.ts';
import type { Store } from '../core/store-port.ts';
import { EdgeloomError } from '../foundation/errors.ts';
import { checkGraph } from '../foundation/options.ts';
import { DynamoDBStore } from './dynamodb.ts';

/**
 * A client of the AWS SDK: a `DynamoDBClient`, or a `DynamoDBDocumentClient` with any `marshallOptions`. Stored values
 * stay unchanged, so numbers keep 38 digits.
 */
export interface TableClient {
  readonly config: DynamoDBClient['config'];
  readonly middlewareStack: object;
  send(...parameters: never[]): unknown;
}

/** Options that take a client instead of a store. */
export type WithClient<Options> = Omit<Options, 'store'> & {
  /** A client for the account and region of the table. */
  client: TableClient;
  store?: undefined;
};

export function withStore<Options extends { store: Store }>(
  what: string,
  graph: { table: TableNames },
  options: Options | WithClient<Options>,
): Options {
  checkGraph(what, graph);
  if (options?.store !== undefined || !('client' in Object(options))) return options as Options;
  const { client, ...rest } = options as WithClient<Options>;
  if (typeof client?.send === 'function') {
    return {
      ...rest,
      store: new DynamoDBStore(client as unknown as DynamoDBClient, graph.table),
    } as unknown as Options;
  }
  throw new EdgeloomError(
    'invalid-argument',
    `The client of ${what} should be a client of the AWS SDK for DynamoDB.`,
    'Give a DynamoDBClient or a DynamoDBDocumentClient.',
  );
}
