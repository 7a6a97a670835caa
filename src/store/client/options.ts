import type { OptionNames } from '../../foundation/options.ts';

/** Where DynamoDB is. */
export interface ClientOptions {
  /** Endpoint URL. Default: AWS. */
  endpoint?: string | undefined;
  /** AWS region. */
  region?: string | undefined;
  /** Default: the SDK's chain; dummies for a local endpoint. */
  credentials?: { accessKeyId: string; secretAccessKey: string; sessionToken?: string } | undefined;
  /** Attempts per call, including the first. Default: the SDK's. */
  maxAttempts?: number | undefined;
  /** Open connections; further calls wait. Default 64. For clients of DynamoDB and its streams. */
  maxConnections?: number | undefined;
  /** Milliseconds that a server may be silent; then the call is retried. Default 15,000. */
  answerTimeoutMs?: number | undefined;
  /**
   * Whether stores' calls go the lean way, with a fifth of the SDK's CPU. Default true. With your own middleware on the
   * client, all calls are the SDK's.
   */
  lean?: boolean | undefined;
}

export const CLIENT_OPTIONS: OptionNames<ClientOptions> = {
  endpoint: true,
  region: true,
  credentials: true,
  maxAttempts: 'count',
  maxConnections: 'count',
  answerTimeoutMs: 'count',
  lean: 'boolean',
};

const LOOPBACK = /^https?:\/\/(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?(\/|$)/i;

export function isLoopback(endpoint: string | undefined): boolean {
  return endpoint !== undefined && LOOPBACK.test(endpoint);
}

/** Shared by clients of every service. */
export function clientConfig(options: ClientOptions) {
  // The SDK needs some to sign, even for local engines.
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
