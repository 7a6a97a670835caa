import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import type { TableCalls } from '../lean/calls.ts';
import { type CallRoute, LeanWay, PLAIN_RETRY_MODE, routeTo } from '../lean/lean-way.ts';
import { WholeBodyAgent } from './http.ts';
import { type ClientOptions, clientConfig } from './options.ts';
import type { SdkClient } from './sdk.ts';

const STANDARD_REGION = /^(us|eu|ap|sa|ca|me|af|il|mx)-[a-z]+-\d{1,2}$/;

export interface DeferredCalls extends TableCalls {
  client(): Promise<DynamoDBClient>;
  close(): Promise<void>;
}

/**
 * Loads the SDK only when needed, so that a function starts faster: after a failure, for an input or answer that
 * `LeanWay` doesn't support, for the region, or if options are missing.
 *
 * @param isPlain whether the options alone determine the endpoint.
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

export function deferredStreams(options: ClientOptions): () => Promise<DynamoDBStreamsClient> {
  let made: Promise<DynamoDBStreamsClient> | undefined;
  return () => {
    made ??= import('./streams.ts').then(({ createStreamsClient }) => createStreamsClient(options));
    return made;
  };
}

/** Returns undefined if the SDK would consult more than these options. */
export function knownRoute(options: ClientOptions): CallRoute | undefined {
  const { credentials, region, endpoint } = clientConfig(options);
  if (typeof credentials !== 'object' || region === undefined) return undefined;
  // Only the SDK supports other retry modes.
  if ((process.env['AWS_RETRY_MODE'] ?? PLAIN_RETRY_MODE) !== PLAIN_RETRY_MODE) return undefined;
  const text = endpoint ?? standardEndpoint(region);
  const url = text !== undefined && URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || url.href !== `${url.origin}/`) return undefined;
  return routeTo(url.origin, { host: url.host, path: '/', region, service: 'dynamodb' }, credentials);
}

function standardEndpoint(region: string): string | undefined {
  return STANDARD_REGION.test(region) ? `https://dynamodb.${region}.amazonaws.com` : undefined;
}
