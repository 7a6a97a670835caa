import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import { UndiciHttpHandler } from '@smithy/undici-http-handler';
import { WholeBodyAgent } from './client/http.ts';
import { type ClientOptions, clientConfig } from './client/options.ts';
import { sdkClient } from './client/sdk.ts';
import { keepCalls } from './lean/known-calls.ts';
import { LeanWay } from './lean/lean-way.ts';

export type { ClientOptions } from './client/options.ts';

/**
 * A DynamoDB client set up for many small calls: kept-alive connections over undici, middleware that is resolved once, and
 * the lean way for the calls of reads and the projector. A call takes half the CPU of one through the document client, a
 * lean one a fifth of that; `npm run bench -- client` prints it.
 */
export function createClient(options: ClientOptions = {}): DynamoDBClient {
  const agent = new WholeBodyAgent(options);
  const { client, calls } = sdkClient(options, agent);
  if (options.lean === false) {
    keepCalls(client, calls);
    return client;
  }
  const { config } = client;
  const isObserved = watch(client);
  const way = new LeanWay(agent, {
    isObserved,
    credentials: () => config.credentials(),
    clockOffsetMs: () => config.systemClockOffset,
    calls: async () => calls,
  });
  keepCalls(client, way);
  return client;
}

/** Tells whether something was added to a client's middleware since, which wants to see each call. */
function watch({ middlewareStack: stack }: DynamoDBClient): () => boolean {
  let isObserved = false;
  for (const method of ['add', 'addRelativeTo', 'use', 'remove', 'removeByTag'] as const) {
    const original = stack[method].bind(stack) as (...parameters: unknown[]) => never;
    stack[method] = (...parameters: unknown[]): never => {
      isObserved = true;
      return original(...parameters);
    };
  }
  return () => isObserved;
}

/** A client for the stream of a table. */
export function createStreamsClient(options: ClientOptions = {}): DynamoDBStreamsClient {
  return new DynamoDBStreamsClient({
    ...clientConfig(options),
    requestHandler: new UndiciHttpHandler({ dispatcher: new WholeBodyAgent(options) }),
  });
}
