import type { OptionNames } from '../../foundation/options.ts';

/** Where DynamoDB is. */
export interface ClientOptions {
  /** Endpoint URL; AWS itself where absent. */
  endpoint?: string | undefined;
  /** AWS region. */
  region?: string | undefined;
  /** Credentials; the SDK's own chain where absent, dummies for an endpoint on this machine. */
  credentials?: { accessKeyId: string; secretAccessKey: string; sessionToken?: string } | undefined;
  /** Attempts of the SDK for each call, the first included. Default: the SDK's own. */
  maxAttempts?: number | undefined;
  /**
   * Connections that the client keeps open at most; calls beyond that wait for their turn. Default: 64. It applies to the clients of
   * DynamoDB and its streams.
   */
  maxConnections?: number | undefined;
  /**
   * Milliseconds that a server may be silent, before its answer or within it; then the call is tried again over another
   * connection. Default: 15,000.
   */
  answerTimeoutMs?: number | undefined;
  /**
   * True if the calls of a store go the lean way, with a fifth of the SDK's CPU, and the SDK does the rest.
   * Default: true. With middleware of your own on the client all calls are the SDK's.
   */
  lean?: boolean | undefined;
}

/** The names of these options. */
export const CLIENT_OPTIONS: OptionNames<ClientOptions> = {
  endpoint: true,
  region: true,
  credentials: true,
  maxAttempts: true,
  maxConnections: true,
  answerTimeoutMs: true,
  lean: 'boolean',
};

const LOOPBACK = /^https?:\/\/(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?(\/|$)/i;

/** Tells whether an endpoint is on this machine. */
export function isLoopback(endpoint: string | undefined): boolean {
  return endpoint !== undefined && LOOPBACK.test(endpoint);
}

/** The configuration that clients of every service share. */
export function clientConfig(options: ClientOptions) {
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
