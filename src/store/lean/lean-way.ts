import type { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { noteTimeOfAnswer } from './answer-time.ts';
import type { Calls, TableCalls } from './calls.ts';
import type { Answer, HandledRequest, LeanOptions, WholeBodySender, WholeResponse } from './handler.ts';
import { Signer, type SigningCredentials, type SigningScope } from './signer.ts';

/** Other retry modes may delay any call, not just retries. */
export const PLAIN_RETRY_MODE = 'standard';

export interface ObservableCalls extends TableCalls {
  call<Name extends keyof Calls>(
    name: Name,
    input: Calls[Name]['input'],
    options?: LeanOptions,
  ): Promise<Calls[Name]['output']>;
  callOnce<Name extends keyof Calls>(
    name: Name,
    input: Calls[Name]['input'],
    options?: LeanOptions,
  ): Promise<Calls[Name]['output']>;
  isPaced(): Promise<boolean>;
  /** Lets the SDK allow more retries again after a run of failures. */
  noteSuccess(): void;
}

export interface LeftToSdk {
  credentials(): SigningCredentials | Promise<SigningCredentials>;
  /** How far the server's clock is ahead, in milliseconds; 0 if unknown. */
  clockOffsetMs(): number;
  isObserved(): boolean;
  calls(): Promise<ObservableCalls>;
}

export interface CallRoute {
  origin: string;
  path: string;
  credentials: SigningCredentials;
  signer: Signer;
}

export function routeTo(origin: string, scope: SigningScope, credentials: SigningCredentials): CallRoute {
  const { accessKeyId, secretAccessKey, sessionToken } = credentials;
  const own = { accessKeyId, secretAccessKey, sessionToken };
  return { origin, path: scope.path, credentials: own, signer: new Signer(own, scope) };
}

/**
 * Makes calls with a fifth of the SDK's CPU time: it only serializes the input, signs with a cached key, and parses the
 * answer. The SDK's first request shows the endpoint and the region. Answers that may need the SDK are passed to it as
 * the answer to its first attempt, so that it reads errors, corrects the clock and retries.
 */
export class LeanWay implements TableCalls {
  private loaded: { calls: ObservableCalls; isPaced: boolean } | undefined;

  constructor(
    private readonly agent: WholeBodySender,
    private readonly sdk: LeftToSdk,
    private route?: CallRoute | undefined,
  ) {}

  call<Name extends keyof Calls>(name: Name, input: Calls[Name]['input']): Promise<Calls[Name]['output']> {
    return this.makeCall('call', name, input);
  }

  callOnce<Name extends keyof Calls>(name: Name, input: Calls[Name]['input']): Promise<Calls[Name]['output']> {
    return this.makeCall('callOnce', name, input);
  }

  async region(): Promise<string | undefined> {
    return await (await this.loadedSdk()).calls.region();
  }

  private async makeCall<Name extends keyof Calls>(
    way: 'call' | 'callOnce',
    name: Name,
    input: Calls[Name]['input'],
  ): Promise<Calls[Name]['output']> {
    const { sdk } = this;
    if (sdk.isObserved()) return (await this.loadedSdk()).calls[way](name, input);
    const credentials = await sdk.credentials();
    const { route } = this;
    if (route === undefined || !areSameCredentials(route.credentials, credentials))
      return await this.callLearningRoute(way, name, input, credentials);
    const body = JSON.stringify(input);
    if (BINARY_INPUT.test(body)) return (await this.loadedSdk()).calls[way](name, input);
    const target = `DynamoDB_20120810.${name}`;
    const offsetMs = sdk.clockOffsetMs();
    const headers = route.signer.headers(target, body, Date.now() + offsetMs);
    const answer = await this.request(route, headers, body);
    const output = 'response' in answer ? outputOf(answer.response) : undefined;
    if (output === undefined) {
      const { calls } = await this.loadedSdk();
      return await calls[way](name, input, { lean: { answer } }).catch((error: unknown) => {
        // Another call may have corrected the clock, so that the SDK didn't retry.
        if (!isRefusedForTime(error) || Math.abs(sdk.clockOffsetMs() - offsetMs) < CLOCK_STEP_MS) throw error;
        return calls[way](name, input);
      });
    }
    this.loaded?.calls.noteSuccess();
    if (name === 'DescribeTable' && 'response' in answer) noteTimeOfAnswer(output, answer.response.headers);
    return output as Calls[Name]['output'];
  }

  private async callLearningRoute<Name extends keyof Calls>(
    way: 'call' | 'callOnce',
    name: Name,
    input: Calls[Name]['input'],
    credentials: SigningCredentials,
  ): Promise<Calls[Name]['output']> {
    const { calls, isPaced } = await this.loadedSdk();
    if (isPaced) return calls[way](name, input);
    const observe = (request: HandledRequest): void => this.learnRoute(request, credentials);
    return calls[way](name, input, { lean: { observe } });
  }

  private async loadedSdk(): Promise<{ calls: ObservableCalls; isPaced: boolean }> {
    if (this.loaded === undefined) {
      const calls = await this.sdk.calls();
      this.loaded = { calls, isPaced: await calls.isPaced() };
    }
    return this.loaded;
  }

  private async request({ origin, path }: CallRoute, headers: Record<string, string>, body: string): Promise<Answer> {
    try {
      return { response: await this.agent.whole({ origin, path, method: 'POST', headers, body }) };
    } catch (error) {
      return { error };
    }
  }

  /** Ignores a request that is signed in another way. */
  private learnRoute(
    { protocol, hostname, port, path, headers }: HandledRequest,
    credentials: SigningCredentials,
  ): void {
    const scope = /^AWS4-HMAC-SHA256 Credential=([^/]+)\/\d{8}\/([^/]+)\/([^/]+)\/aws4_request,/.exec(
      headers['authorization'] ?? '',
    );
    if (scope === null || scope[1] !== credentials.accessKeyId || !isSignedAsIs(path)) return;
    const origin = `${protocol}//${hostname}${port === undefined ? '' : `:${port}`}`;
    const host = headers['host'] ?? '';
    this.route = routeTo(origin, { host, path, region: scope[2]!, service: scope[3]! }, credentials);
  }
}

function areSameCredentials(one: SigningCredentials, other: SigningCredentials): boolean {
  return (
    one.accessKeyId === other.accessKeyId &&
    one.secretAccessKey === other.secretAccessKey &&
    one.sessionToken === other.sessionToken
  );
}

/**
 * Matches inputs with binary values, which JSON doesn't encode as DynamoDB expects. Strings can't match, because their
 * quotes are escaped.
 */
const BINARY_INPUT = /"B":\{(?:\}|"0":|"type":)|"BS":\[\{/;

const SKEW_ERROR = /^(?:InvalidSignatureException|RequestTimeTooSkewed|RequestExpired|RequestInTheFuture)$/;

/** A request that DynamoDB refused for its time changed nothing. */
export function isRefusedForTime(error: unknown): error is Error {
  return error instanceof Error && SKEW_ERROR.test(error.name);
}

/** The SDK encodes any other path before signing it. */
function isSignedAsIs(path: string): boolean {
  return /^\/[\w~/-]*$/.test(path) && !path.includes('//');
}

/** If two offsets differ by more, the clock was corrected. */
const CLOCK_STEP_MS = 60_000;

/** Matches answers left to the SDK: with binary values, which JSON lacks, or an attribute named `__proto__`. */
const LEFT_TO_SDK = /"(?:BS?|__proto__)"\s*:/;

/** Returns undefined if the SDK has to read the response. */
function outputOf({ statusCode, headers, body }: WholeResponse): MetadataBearer | undefined {
  if (statusCode !== 200 && statusCode !== 400) return undefined;
  const text = body.toString('utf8');
  if (LEFT_TO_SDK.test(text)) return undefined;
  if (statusCode === 400 && !text.includes('ConditionalCheckFailedException')) return undefined;
  const members = parseMembers(text);
  if (members === undefined) return undefined;
  const $metadata = metadataOf(statusCode, headers);
  if (statusCode === 200) {
    // The SDK also treats null members as absent.
    for (const name in members) if (members[name] === null) delete members[name];
    return Object.assign(members, { $metadata });
  }
  const { __type: type, Item, Message = '', message = Message } = members;
  if (typeof type !== 'string' || !type.endsWith('#ConditionalCheckFailedException')) return undefined;
  throw new ConditionFailedError(message, Item ?? undefined, $metadata);
}

interface Members extends Record<string, unknown> {
  __type?: unknown;
  message?: string;
  Message?: string;
  Item?: ConditionalCheckFailedException['Item'] | null;
}

function parseMembers(text: string): Members | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

type MetadataBearer = Pick<ConditionalCheckFailedException, '$metadata'>;
type Metadata = MetadataBearer['$metadata'];

function metadataOf(httpStatusCode: number, headers: WholeResponse['headers']): Metadata {
  const requestId = headers['x-amzn-requestid'];
  return {
    httpStatusCode,
    ...(typeof requestId === 'string' && { requestId }),
    attempts: 1,
    totalRetryDelay: 0,
  };
}

/** Replaces the SDK's class, which would load the SDK. */
class ConditionFailedError extends Error implements Omit<ConditionalCheckFailedException, keyof Error> {
  override readonly name = 'ConditionalCheckFailedException';
  readonly $fault = 'client';

  constructor(
    message: string,
    readonly Item: ConditionalCheckFailedException['Item'],
    readonly $metadata: Metadata,
  ) {
    super(message);
  }
}
