import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import type { TableCalls } from '../lean/calls.ts';
import { type CallRoute, LeanWay, PLAIN_RETRY_MODE, routeTo } from '../lean/lean-way.ts';
import { WholeBodyAgent } from './http.ts';
import { type ClientOptions, clientConfig } from './options.ts';
import type { SdkClient } from './sdk.ts';

/** Regions in which DynamoDB is `dynamodb.REGION.amazonaws.com`: those of AWS's standard partition. */
const STANDARD_REGION = /^(us|eu|ap|sa|ca|me|af|il|mx)-[a-z]+-\d{1,2}$/;

/** Calls whose connections can be closed. */
export interface DeferredCalls extends TableCalls {
  /** The client of the SDK, for what is no call of a store. */
  client(): Promise<DynamoDBClient>;
  /** Lets the connections go; calls after it fail. */
  close(): Promise<void>;
}

/**
 * The calls of a store without a client of the SDK, so that a function that starts does not read the SDK. The SDK loads on the first
 * failure or the first call that the lean client does not support. If the options do not tell credentials, region and endpoint, it
 * loads on the first call, which finds them out.
 *
 * @param isPlain whether the options alone may tell the endpoint; false: the first call finds it out.
 */
export function deferredCalls(options: ClientOptions, isPlain = true): DeferredCalls {
  const agent = new WholeBodyAgent(options);
  let made: SdkClient | undefined;
  let loading: Promise<SdkClient> | undefined;
  const sdk = (): Promise<SdkClient> => {
    loading ??= import('./sdk.ts').then(({ sdkClient }) => {
      made = sdkClient(options, agent);
      return made;
    });
    return loading;
  };
  const route = isPlain ? knownRoute(options) : undefined;
  const way = new LeanWay(
    agent,
    {
      isObserved: () => false,
      credentials: async () => route?.credentials ?? (await (await sdk()).client.config.credentials()),
      clockOffsetMs: () => made?.client.config.systemClockOffset ?? 0,
      calls: async () => (await sdk()).calls,
    },
    route,
  );
  return Object.assign(way, { client: async () => (await sdk()).client, close: () => agent.destroy() });
}

/** A client for the stream of a table that is loaded and made when it is first asked for. */
export function deferredStreams(options: ClientOptions): () => Promise<DynamoDBStreamsClient> {
  let made: Promise<DynamoDBStreamsClient> | undefined;
  return () => {
    made ??= import('./streams.ts').then(({ createStreamsClient }) => createStreamsClient(options));
    return made;
  };
}

/** The route that the SDK would find from these options alone; undefined where it looks further. */
export function knownRoute(options: ClientOptions): CallRoute | undefined {
  const { credentials, region, endpoint } = clientConfig(options);
  if (typeof credentials !== 'object' || region === undefined) return undefined;
  // Others are the SDK's matter from the first call on.
  if ((process.env['AWS_RETRY_MODE'] ?? PLAIN_RETRY_MODE) !== PLAIN_RETRY_MODE) return undefined;
  const text = endpoint ?? standardEndpoint(region);
  const url = text !== undefined && URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || url.href !== `${url.origin}/`) return undefined;
  return routeTo(url.origin, { host: url.host, path: '/', region, service: 'dynamodb' }, credentials);
}

function standardEndpoint(region: string): string | undefined {
  return STANDARD_REGION.test(region) ? `https://dynamodb.${region}.amazonaws.com` : undefined;
}
