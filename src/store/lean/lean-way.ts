import type { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { noteTimeOfAnswer } from './answer-time.ts';
import type { Calls, TableCalls } from './calls.ts';
import type { Answer, HandledRequest, LeanOptions, WholeBodySender, WholeResponse } from './handler.ts';
import { Signer, type SigningCredentials, type SigningScope } from './signer.ts';

/**
 * A fifth of the SDK's CPU: the body is JSON, the signer caches its key, the answer is just parsed. The SDK's first
 * request shows endpoint and region, and it gets every answer that isn't plainly good as that to its own first attempt:
 * it reads errors, corrects the clock and retries.
 */

/** Only waits after failures; other modes may delay any call. */
export const PLAIN_RETRY_MODE = 'standard';

/** The SDK's calls, which can also show a request and accept an answer. */
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
  /** See `PLAIN_RETRY_MODE`. */
  isPaced(): Promise<boolean>;
  /** After a run of failures the SDK allows a little more retries. */
  noteSuccess(): void;
}

export interface LeftToSdk {
  credentials(): SigningCredentials | Promise<SigningCredentials>;
  /** How far ahead the server's clock is, if known. */
  clockOffsetMs(): number;
  /** Something has to see each SDK call. */
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

export class LeanWay implements TableCalls {
  private loaded: { calls: ObservableCalls; isPaced: boolean } | undefined;

  /** @param route if known; otherwise the SDK's first request shows it. */
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
    if (route === undefined || !areSameCredentials(route.credentials, credentials)) {
      const { calls, isPaced } = await this.loadedSdk();
      if (isPaced) return calls[way](name, input);
      const observe = (request: HandledRequest): void => this.learnRoute(request, credentials);
      return calls[way](name, input, { lean: { observe } });
    }
    const body = JSON.stringify(input);
    if (BINARY_INPUT.test(body)) return (await this.loadedSdk()).calls[way](name, input);
    const target = `DynamoDB_20120810.${name}`;
    const offsetMs = sdk.clockOffsetMs();
    const headers = route.signer.headers(target, body, Date.now() + offsetMs);
    const answer = await this.request(route, headers, body);
    const output = 'response' in answer ? outputOf(answer.response) : undefined;
    if (output === undefined) {
      const { calls } = await this.loadedSdk();
      try {
        return await calls[way](name, input, { lean: { answer } });
      } catch (error) {
        // Another call may have corrected the clock since, unnoticed by the SDK. A request refused for its time changed
        // nothing.
        if (!isRefusedForTime(error) || Math.abs(sdk.clockOffsetMs() - offsetMs) < CLOCK_STEP_MS) throw error;
        return await calls[way](name, input);
      }
    }
    this.loaded?.calls.noteSuccess();
    if (name === 'DescribeTable' && 'response' in answer) noteTimeOfAnswer(output, answer.response.headers);
    return output as Calls[Name]['output'];
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

  /** Other signatures are left to the SDK. */
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
 * An input's JSON doesn't encode binary values as DynamoDB expects. Inside texts quotes are escaped, so nothing else
 * matches.
 */
const BINARY_INPUT = /"B":\{(?:\}|"0":|"type":)|"BS":\[\{/;

const SKEW_ERROR = /^(?:InvalidSignatureException|RequestTimeTooSkewed|RequestExpired|RequestInTheFuture)$/;

/** A request refused for its time changed nothing. */
export function isRefusedForTime(error: unknown): error is Error {
  return error instanceof Error && SKEW_ERROR.test(error.name);
}

/** The SDK encodes any other path before signing. */
function isSignedAsIs(path: string): boolean {
  return /^\/[\w~/-]*$/.test(path) && !path.includes('//');
}

/** A larger difference means that the clock was corrected. */
const CLOCK_STEP_MS = 60_000;

/** What JSON doesn't represent, and a name that the SDK loses. */
const LEFT_TO_SDK = /"(?:BS?|__proto__)"\s*:/;

/** Undefined if the SDK has to read the response. */
function outputOf({ statusCode, headers, body }: WholeResponse): MetadataBearer | undefined {
  if (statusCode !== 200 && statusCode !== 400) return undefined;
  const text = body.toString('utf8');
  if (LEFT_TO_SDK.test(text)) return undefined;
  if (statusCode === 400 && !text.includes('ConditionalCheckFailedException')) return undefined;
  const members = parseMembers(text);
  if (statusCode === 200) return members && outputWith(members, metadataOf(statusCode, headers));
  const { __type: type, Item, Message = '', message = Message } = members ?? {};
  if (typeof type !== 'string' || !type.endsWith('#ConditionalCheckFailedException')) return undefined;
  throw new ConditionFailedError(message, Item ?? undefined, metadataOf(statusCode, headers));
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
    // The SDK says what is wrong with it.
    return undefined;
  }
}

/** Null members count as absent, as for the SDK. */
function outputWith(members: Members, $metadata: Metadata): MetadataBearer {
  for (const name in members) if (members[name] === null) delete members[name];
  return Object.assign(members, { $metadata });
}

type MetadataBearer = Pick<ConditionalCheckFailedException, '$metadata'>;
type Metadata = MetadataBearer['$metadata'];

/** As the SDK has it after one attempt. */
function metadataOf(httpStatusCode: number, headers: WholeResponse['headers']): Metadata {
  const requestId = headers['x-amzn-requestid'];
  return {
    httpStatusCode,
    ...(typeof requestId === 'string' && { requestId }),
    attempts: 1,
    totalRetryDelay: 0,
  };
}

/** Its class would load the SDK. */
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
