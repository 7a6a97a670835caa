import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { LeanHandler } from '../lean/handler.ts';
import { SdkCalls } from '../lean/sdk-calls.ts';
import { BrokenResponseError, type WholeBodyAgent } from './http.ts';
import { type ClientOptions, clientConfig } from './options.ts';

export interface SdkClient {
  client: DynamoDBClient;
  calls: SdkCalls;
  /** True once middleware was added or removed; the SDK then has to make all calls. */
  isObserved(): boolean;
}

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

/** The SDK's own `cacheMiddleware` would make `DynamoDBDocumentClient` refuse the client. */
class CachingClient extends DynamoDBClient {
  private resolved = new WeakMap<object, ResolvedMiddleware>();

  forgetMiddleware(): void {
    this.resolved = new WeakMap();
  }

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

/** The SDK wouldn't retry after its parser's `SyntaxError`. */
function retryUnreadable({ middlewareStack }: DynamoDBClient): void {
  middlewareStack.add(
    (next) => async (given) => {
      try {
        return await next(given);
      } catch (error) {
        if (!(error instanceof SyntaxError)) throw error;
        throw new BrokenResponseError(`the answer cannot be read: ${error.message}`, { cause: error });
      }
    },
    { name: 'edgeloomUnreadableAnswers', step: 'deserialize', priority: 'high' },
  );
}

function trimCosts({ config, middlewareStack }: DynamoDBClient): void {
  // This middleware copies every input and output for a logger that isn't set.
  middlewareStack.remove('loggerMiddleware');
  // The SDK makes a signer for each call, but one is enough: it asks for region and credentials whenever it signs.
  const makeSigner = config.signer;
  let signer: ReturnType<typeof makeSigner> | undefined;
  config.signer = (scheme) => {
    signer ??= makeSigner(scheme).catch((error: unknown) => {
      // If no region was found, a later call may find one.
      signer = undefined;
      throw error;
    });
    return signer;
  };
  // The SDK copies its configuration several times per call. V8 copies an object with fifty properties slowly unless it
  // is a prototype, which this call makes it.
  Object.create(config);
}
