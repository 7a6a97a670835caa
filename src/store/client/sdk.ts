import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { LeanHandler } from '../lean/handler.ts';
import { SdkCalls } from '../lean/sdk-calls.ts';
import type { WholeBodyAgent } from './http.ts';
import { type ClientOptions, clientConfig } from './options.ts';

/** A client of the SDK, and the calls of a store through it. */
export interface SdkClient {
  client: DynamoDBClient;
  calls: SdkCalls;
  /** Tells whether something was added to the client's middleware since it was made, which wants to see each call. */
  isObserved(): boolean;
}

/**
 * A client of the SDK that sends over an agent, with middleware that is resolved once and none of the work that is repeated
 * for each call without need (`trimCosts`).
 */
export function sdkClient(options: ClientOptions, agent: WholeBodyAgent): SdkClient {
  const client = new CachingClient({
    ...clientConfig(options),
    requestHandler: new LeanHandler({ dispatcher: agent }),
  } satisfies DynamoDBClientConfig);
  trimCosts(client);
  retryUnreadable(client);
  return { client, calls: new SdkCalls(client), isObserved: watchMiddleware(client) };
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
  private resolved = new WeakMap<object, ResolvedMiddleware>();

  /** Resolves middleware again: it was changed. */
  forgetMiddleware(): void {
    this.resolved = new WeakMap();
  }

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

/** Watches a client's middleware. Returns a function that says whether the middleware has changed since this call. */
function watchMiddleware(client: CachingClient): () => boolean {
  const stack = client.middlewareStack;
  let isChanged = false;
  for (const method of ['add', 'addRelativeTo', 'use', 'remove', 'removeByTag'] as const) {
    const original = stack[method].bind(stack) as (...parameters: unknown[]) => never;
    stack[method] = (...parameters: unknown[]): never => {
      isChanged = true;
      client.forgetMiddleware();
      return original(...parameters);
    };
  }
  return () => isChanged;
}

/** An answer that is no JSON. The SDK takes it for a lost connection and tries again: the call may have been carried out. */
class UnreadableAnswerError extends Error {
  readonly code = 'ECONNRESET';
}

/** Makes the SDK retry a call if it cannot read the answer. Without this the SDK throws its parser's error. */
function retryUnreadable({ middlewareStack }: DynamoDBClient): void {
  middlewareStack.add(
    (next) => async (given) => {
      try {
        return await next(given);
      } catch (error) {
        if (!(error instanceof SyntaxError)) throw error;
        throw new UnreadableAnswerError(`the answer cannot be read: ${error.message}`, { cause: error });
      }
    },
    { name: 'edgeloomUnreadableAnswers', step: 'deserialize', priority: 'high' },
  );
}

/** Removes three costs of each call. The requests stay the same. */
function trimCosts({ config, middlewareStack }: DynamoDBClient): void {
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
