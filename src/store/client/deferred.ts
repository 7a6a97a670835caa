import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import type { TableCalls } from '../lean/calls.ts';
import { type CallRoute, LeanWay, PLAIN_RETRY_MODE, routeTo } from '../lean/lean-way.ts';
import { WholeBodyAgent } from './http.ts';
import { type ClientOptions, clientConfig } from './options.ts';
import type { SdkClient } from './sdk.ts';

/** Regions of AWS's standard partition, where DynamoDB is `dynamodb.REGION.amazonaws.com`. */
const STANDARD_REGION = /^(us|eu|ap|sa|ca|me|af|il|mx)-[a-z]+-\d{1,2}$/;

export interface DeferredCalls extends TableCalls {
  /** The SDK's client, for everything that isn't a store's call. */
  client(): Promise<DynamoDBClient>;
  /** Closes the connections; later calls fail. */
  close(): Promise<void>;
}

/**
 * A store's calls without the SDK's client, so that a starting function doesn't load the SDK. It is loaded at the first
 * failure, at a call that the lean client doesn't support, or, if the options don't name credentials, region and
 * endpoint, at the first call.
 *
 * @param isPlain whether the options alone determine the endpoint; otherwise the first call finds it.
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

/** Loads and makes the stream's client at first use. */
export function deferredStreams(options: ClientOptions): () => Promise<DynamoDBStreamsClient> {
  let made: Promise<DynamoDBStreamsClient> | undefined;
  return () => {
    made ??= import('./streams.ts').then(({ createStreamsClient }) => createStreamsClient(options));
    return made;
  };
}

/** Undefined if the SDK would look beyond these options. */
export function knownRoute(options: ClientOptions): CallRoute | undefined {
  const { credentials, region, endpoint } = clientConfig(options);
  if (typeof credentials !== 'object' || region === undefined) return undefined;
  // Other modes are left to the SDK from the first call on.
  if ((process.env['AWS_RETRY_MODE'] ?? PLAIN_RETRY_MODE) !== PLAIN_RETRY_MODE) return undefined;
  const text = endpoint ?? standardEndpoint(region);
  const url = text !== undefined && URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || url.href !== `${url.origin}/`) return undefined;
  return routeTo(url.origin, { host: url.host, path: '/', region, service: 'dynamodb' }, credentials);
}

function standardEndpoint(region: string): string | undefined {
  return STANDARD_REGION.test(region) ? `https://dynamodb.${region}.amazonaws.com` : undefined;
}
