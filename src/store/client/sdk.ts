import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { LeanHandler } from '../lean/handler.ts';
import { SdkCalls } from '../lean/sdk-calls.ts';
import type { WholeBodyAgent } from './http.ts';
import { type ClientOptions, clientConfig } from './options.ts';

export interface SdkClient {
  client: DynamoDBClient;
  calls: SdkCalls;
  /** Whether middleware was added since the client was made, which has to see each call. */
  isObserved(): boolean;
}

/** Resolves middleware once, and skips unnecessary work of each call (`trimCosts`). */
export function sdkClient(options: ClientOptions, agent: WholeBodyAgent): SdkClient {
  const client = new CachingClient({
    ...clientConfig(options),
    requestHandler: new LeanHandler({ dispatcher: agent }),
  } satisfies DynamoDBClientConfig);
  trimCosts(client);
  retryUnreadable(client);
  return { client, calls: new SdkCalls(client), isObserved: watchMiddleware(client) };
}

interface SendableCommand {
  resolveMiddleware(stack: unknown, config: unknown, options: unknown): ResolvedMiddleware;
}
type ResolvedMiddleware = (command: unknown) => Promise<{ output: unknown }>;

/**
 * Resolves each command's middleware once. The SDK's `cacheMiddleware` does the same, but a `DynamoDBDocumentClient`
 * copies a client's configuration and refuses one with it.
 */
class CachingClient extends DynamoDBClient {
  private resolved = new WeakMap<object, ResolvedMiddleware>();

  /** After a change of the middleware. */
  forgetMiddleware(): void {
    this.resolved = new WeakMap();
  }

  /** Like the SDK's; calls with options or a callback are the SDK's. */
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

/** The returned function tells whether the middleware has changed. */
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

/**
 * An answer that isn't JSON. The SDK treats it as a lost connection and retries: the call may have been carried out.
 */
class UnreadableAnswerError extends Error {
  readonly code = 'ECONNRESET';
}

/** Makes the SDK retry if it can't read the answer, instead of throwing its parser's error. */
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

/** Removes three costs of each call without changing requests. */
function trimCosts({ config, middlewareStack }: DynamoDBClient): void {
  // It copies every input and output, such as 3,000 elements of an edge set, for a logger that isn't set.
  middlewareStack.remove('loggerMiddleware');
  // The SDK makes a signer for each call. A signer asks for region and credentials whenever it signs, so one suffices.
  const makeSigner = config.signer;
  let signer: ReturnType<typeof makeSigner> | undefined;
  config.signer = (scheme) => {
    signer ??= makeSigner(scheme).catch((error: unknown) => {
      // A region that wasn't found may be found next time.
      signer = undefined;
      throw error;
    });
    return signer;
  };
  // The SDK copies its configuration several times per call. V8 keeps an object with fifty properties as a hash table,
  // which is slow to copy, unless it is another object's prototype.
  Object.create(config);
}
