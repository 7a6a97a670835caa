import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { TableCalls } from './calls.ts';

const known = new WeakMap<DynamoDBClient, TableCalls>();

export function registerCalls(client: DynamoDBClient, calls: TableCalls): void {
  known.set(client, calls);
}

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
  // Imported late, so that functions whose calls bypass the SDK don't load it.
  const sdk = import('./sdk-calls.ts').then(({ SdkCalls }) => new SdkCalls(client));
  return {
    call: async (name, input) => (await sdk).call(name, input),
    callOnce: async (name, input) => (await sdk).callOnce(name, input),
    region: async () => (await sdk).region(),
  };
}
