import type { OptionNames } from '../../foundation/options.ts';

/** Options of `createClient` and `createStreamsClient`. */
export interface ClientOptions {
  /** Endpoint URL. Default: the SDK's endpoint for the region. */
  endpoint?: string | undefined;
  /** AWS region. Default: the SDK's region chain; `us-east-1` for a local endpoint. */
  region?: string | undefined;
  /** AWS credentials. Default: the SDK's credential chain; dummies for a local endpoint. */
  credentials?: { accessKeyId: string; secretAccessKey: string; sessionToken?: string } | undefined;
  /** Attempts per call, including the first. Default: the SDK's. */
  maxAttempts?: number | undefined;
  /** Maximum number of open connections; further calls wait. Default: 64. */
  maxConnections?: number | undefined;
  /** Milliseconds that a server may be silent before the attempt fails. Default: 15,000. */
  answerTimeoutMs?: number | undefined;
  /**
   * Whether stores bypass the SDK, which reduces the CPU time of a call to a fifth. Default: true. If you add
   * middleware to the client, the SDK makes all calls.
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

export function clientConfig(options: ClientOptions) {
  // The SDK needs a region and credentials to sign calls, even for local engines.
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
