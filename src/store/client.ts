import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { checkOptions } from '../foundation/options.ts';
import { WholeBodyAgent } from './client/http.ts';
import { CLIENT_OPTIONS, type ClientOptions } from './client/options.ts';
import { sdkClient } from './client/sdk.ts';
import { registerCalls } from './lean/known-calls.ts';
import { LeanWay } from './lean/lean-way.ts';

export type { ClientOptions } from './client/options.ts';
export { createStreamsClient } from './client/streams.ts';

/**
 * Creates a DynamoDB client optimized for many small calls. It keeps connections alive with undici, resolves middleware
 * once per command, and bypasses the SDK for most of a store's calls.
 */
export function createClient(options: ClientOptions = {}): DynamoDBClient {
  checkOptions('createClient', options, CLIENT_OPTIONS);
  const agent = new WholeBodyAgent(options);
  const { client, calls, isObserved } = sdkClient(options, agent);
  if (options.lean === false) {
    registerCalls(client, calls);
    return client;
  }
  const { config } = client;
  const way = new LeanWay(agent, {
    isObserved,
    credentials: () => config.credentials(),
    clockOffsetMs: () => config.systemClockOffset,
    calls: async () => calls,
  });
  registerCalls(client, way);
  return client;
}
