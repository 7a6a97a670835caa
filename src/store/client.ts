import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import { UndiciHttpHandler } from '@smithy/undici-http-handler';
import { EdgeloomError } from '../errors.ts';
import { WholeBodyAgent } from './http.ts';
import { LeanHandler } from './lean/handler.ts';
import { useLeanWay } from './lean/lean-way.ts';

/** Where DynamoDB is. */
export interface ClientOptions {
  /** Endpoint URL; AWS itself where absent. */
  endpoint?: string | undefined;
  /** AWS region. */
  region?: string | undefined;
  /** Credentials; the SDK's own chain where absent, dummies for an endpoint on this machine. */
  credentials?: { accessKeyId: string; secretAccessKey: string; sessionToken?: string } | undefined;
  /** Attempts of the SDK for each call, the first included. Default: the SDK's own (3). */
  maxAttempts?: number | undefined;
  /**
   * Connections that the client keeps open at most; calls beyond that wait for their turn. Default: 64. Of the clients of
   * DynamoDB and its streams.
   */
  maxConnections?: number | undefined;
  /**
   * Whether reads and the projector's updates go the lean way, with a fifth of the SDK's CPU, and the SDK does the rest.
   * Default: true. With middleware of your own on the client all calls are the SDK's.
   */
  lean?: boolean | undefined;
}

const LOOPBACK = /^https?:\/\/(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?(\/|$)/i;

/** Whether an endpoint is on this machine. */
export function isLoopback(endpoint: string | undefined): boolean {
  return endpoint !== undefined && LOOPBACK.test(endpoint);
}

/**
 * A DynamoDB client set up for many small calls: kept-alive connections over undici, middleware that is resolved once,
 * and none of the work that is repeated for each call without need (`trim`). A call takes half the CPU of one through
 * the document client; `npm run bench -- client` prints it.
 */
export function createClient(options: ClientOptions = {}): DynamoDBClient {
  const requestHandler = new LeanHandler({ dispatcher: agent(options) });
  const client = new CachingClient({
    ...clientConfig(options),
    requestHandler,
  } satisfies DynamoDBClientConfig);
  trim(client);
  if (options.lean !== false) useLeanWay(client, requestHandler);
  return client;
}

/** A command, as far as sending one needs it. */
interface SendableCommand {
  resolveMiddleware(stack: unknown, config: unknown, options: unknown): ResolvedMiddleware;
}
type ResolvedMiddleware = (command: unknown) => Promise<{ output: unknown }>;

/**
 * Resolves the middleware of each kind of command once. The SDK's own `cacheMiddleware` does the same, but a
 * `DynamoDBDocumentClient` takes a client's configuration over and refuses one that has it.
 */
class CachingClient extends DynamoDBClient {
  private readonly resolved = new WeakMap<object, ResolvedMiddleware>();

  /** As the SDK's: calls with options, or with a callback, go the SDK's way. */
  override send(command: unknown, ...rest: unknown[]): never {
    if (rest.length > 0) return super.send(command as never, ...(rest as [never])) as never;
    const kind = (command as object).constructor;
    let handler = this.resolved.get(kind);
    if (handler === undefined) {
      handler = (command as SendableCommand).resolveMiddleware(this.middlewareStack, this.config, undefined);
      this.resolved.set(kind, handler);
    }
    return handler(command).then(({ output }) => output) as never;
  }
}

/** Takes three costs out of each call; none of them changes what is sent. */
function trim({ config, middlewareStack }: DynamoDBClient): void {
  // It copies every input and output, 3,000 elements of an edge set one by one, for a logger that is not set.
  middlewareStack.remove('loggerMiddleware');
  // The SDK makes a new signer for each call. It asks for region and credentials whenever it signs, so one will do.
  const makeSigner = config.signer;
  let signer: ReturnType<typeof makeSigner> | undefined;
  config.signer = (scheme) => {
    signer ??= makeSigner(scheme).catch((error: unknown) => {
      // A region that could not be found may be found the next time.
      signer = undefined;
      throw error;
    });
    return signer;
  };
  // The SDK copies its configuration several times in each call. V8 keeps an object of fifty properties as a hash table,
  // slow to copy, unless it is the prototype of another.
  Object.create(config);
}

/**
 * The same client without the SDK's own retries: a change that was made, and whose answer was lost, must not be sent
 * again unseen. Connections, credentials and middleware are shared.
 */
export function singleAttemptClient(client: DynamoDBClient): DynamoDBClient {
  const middlewareStack = client.middlewareStack.clone();
  middlewareStack.remove('retryMiddleware');
  // Its place is kept: signing is added relative to it, once for each attempt.
  middlewareStack.add((next) => next, { name: 'retryMiddleware', step: 'finalizeRequest', priority: 'high' });
  // The client keeps resolved middleware by command: this one needs a memory of its own.
  return Object.create(client, {
    middlewareStack: { value: middlewareStack },
    resolved: { value: new WeakMap() },
  }) as DynamoDBClient;
}

/** A client for the stream of a table. */
export function createStreamsClient(options: ClientOptions = {}): DynamoDBStreamsClient {
  return new DynamoDBStreamsClient({
    ...clientConfig(options),
    requestHandler: new UndiciHttpHandler({ dispatcher: agent(options) }),
  });
}

function agent({ maxConnections }: ClientOptions): WholeBodyAgent {
  if (maxConnections !== undefined && !(Number.isSafeInteger(maxConnections) && maxConnections > 0)) {
    throw new EdgeloomError(
      'invalid-option',
      `maxConnections should be a whole number of 1 or more, but is ${maxConnections}.`,
      'Leave it out for the default.',
    );
  }
  return new WholeBodyAgent(maxConnections);
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
