import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { TableCalls } from './calls.ts';

const known = new WeakMap<DynamoDBClient, TableCalls>();

/** Says how a store makes its calls with a client. */
export function registerCalls(client: DynamoDBClient, calls: TableCalls): void {
  known.set(client, calls);
}

/** Returns the calls that are registered for a client; for a client that the user has made, calls through the SDK. */
export function callsOf(client: DynamoDBClient | TableCalls): TableCalls {
  if ('callOnce' in client) return client;
  let calls = known.get(client);
  if (calls === undefined) {
    calls = lateSdkCalls(client);
    registerCalls(client, calls);
  }
  return calls;
}

function lateSdkCalls(client: DynamoDBClient): TableCalls {
  // Imported when it is needed: a function that goes the lean way should not load the SDK for it.
  const sdk = import('./sdk-calls.ts').then(({ SdkCalls }) => new SdkCalls(client));
  return {
    call: async (name, input) => (await sdk).call(name, input),
    callOnce: async (name, input) => (await sdk).callOnce(name, input),
    region: async () => (await sdk).region(),
  };
}
