import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import { UndiciHttpHandler } from '@smithy/undici-http-handler';

/** Where DynamoDB is. */
export interface ClientOptions {
  /** Endpoint URL; AWS itself where absent. */
  endpoint?: string;
  /** AWS region. */
  region?: string;
  /** Credentials; the SDK's own chain where absent, dummies for an endpoint on this machine. */
  credentials?: { accessKeyId: string; secretAccessKey: string; sessionToken?: string };
  /** Attempts of the SDK for each call, the first included. Default: the SDK's own (3). */
  maxAttempts?: number;
}

const LOOPBACK = /^https?:\/\/(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?(\/|$)/i;

/** Whether an endpoint is on this machine. */
export function isLoopback(endpoint: string | undefined): boolean {
  return endpoint !== undefined && LOOPBACK.test(endpoint);
}

/**
 * A DynamoDB client set up for many small calls: kept-alive connections over undici and middleware that is resolved
 * once (half the CPU of a call through the document client; `npm run bench` prints it).
 */
export function createClient(options: ClientOptions = {}): DynamoDBClient {
  return new DynamoDBClient({
    ...commonConfig(options),
    requestHandler: new UndiciHttpHandler(),
    cacheMiddleware: true,
  } satisfies DynamoDBClientConfig);
}

/** A client for the stream of a table. */
export function createStreamsClient(options: ClientOptions = {}): DynamoDBStreamsClient {
  return new DynamoDBStreamsClient({ ...commonConfig(options), requestHandler: new UndiciHttpHandler() });
}

function commonConfig(options: ClientOptions) {
  // Engines on this machine check neither credentials nor region, but the SDK wants to sign with some.
  const local = isLoopback(options.endpoint);
  return {
    ...(options.endpoint !== undefined && { endpoint: options.endpoint }),
    ...(options.maxAttempts !== undefined && { maxAttempts: options.maxAttempts }),
    ...(options.region !== undefined ? { region: options.region } : local && { region: 'us-east-1' }),
    ...(options.credentials !== undefined
      ? { credentials: options.credentials }
      : local && { credentials: { accessKeyId: 'local', secretAccessKey: 'local' } }),
  };
}
