import type { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { noteTimeOfAnswer } from './answer-time.ts';
import type { Calls, TableCalls } from './calls.ts';
import type { Answer, HandledRequest, LeanOptions, WholeBodySender, WholeResponse } from './handler.ts';
import { Signer, type SigningCredentials, type SigningScope } from './signer.ts';

/**
 * The lean way to DynamoDB, for all calls that a store makes: the body is JSON, the signer keeps its key, and the answer is
 * parsed and no more. A call takes a fifth of the SDK's CPU.
 *
 * The SDK stays in charge of everything else. Where endpoint and region are not known beforehand it resolves them: its first
 * request is looked at, and again when the credentials change. Its provider chain gives and renews the credentials. And whatever
 * answer is not plainly good is handed to it as that of its own first attempt: it reads errors, corrects the clock, waits and
 * tries again.
 */

/** The mode of the SDK's retries that waits only after a failure. Its other modes may hold up any call. */
export const PLAIN_RETRY_MODE = 'standard';

/** The calls of the SDK, which also look at a request and take an answer. */
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
  /** Tells whether the SDK decides for each call when it is sent, which its retries may: see `PLAIN_RETRY_MODE`. */
  isPaced(): Promise<boolean>;
  /** Tells the SDK's retries of a call that succeeded: each one allows a little more of them after a run of failures. */
  noteSuccess(): void;
}

/** The work that the lean way leaves to the SDK. */
export interface LeftToSdk {
  /** The credentials to sign with now. */
  credentials(): SigningCredentials | Promise<SigningCredentials>;
  /** How far the server's clock is ahead of this machine's, as far as is known. */
  clockOffsetMs(): number;
  /** Tells whether something wants to see each call of the SDK. */
  isObserved(): boolean;
  /** The SDK's own calls. */
  calls(): Promise<ObservableCalls>;
}

/** Where and how requests go. */
export interface CallRoute {
  /** Protocol, host and port. */
  origin: string;
  path: string;
  credentials: SigningCredentials;
  signer: Signer;
}

/** The route to an endpoint with credentials. */
export function routeTo(origin: string, scope: SigningScope, credentials: SigningCredentials): CallRoute {
  const { accessKeyId, secretAccessKey, sessionToken } = credentials;
  const own = { accessKeyId, secretAccessKey, sessionToken };
  return { origin, path: scope.path, credentials: own, signer: new Signer(own, scope) };
}

/** Makes calls the lean way where it can, and else through the SDK. */
export class LeanWay implements TableCalls {
  /** Once it was needed, and whether it wants to be asked for each call. */
  private loaded: { calls: ObservableCalls; isPaced: boolean } | undefined;

  /** @param route where it is known; else the first request of the SDK shows it. */
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
        // Another call may have corrected the clock since this one was signed, which the SDK then does not see. A request that was
        // refused for its time changed nothing, so it may be sent again.
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

  /** Takes the endpoint and the scope of the signature out of a request of the SDK; other signatures are left to it. */
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
 * A binary value in the JSON of an input, which would not be what DynamoDB takes. Inside a text the quotes are escaped, and no
 * attribute value begins with any of these, so nothing else looks like one.
 */
const BINARY_INPUT = /"B":\{(?:\}|"0":|"type":)|"BS":\[\{/;

/** The names of refusals for the time of a request's signature. */
const SKEW_ERROR = /^(?:InvalidSignatureException|RequestTimeTooSkewed|RequestExpired|RequestInTheFuture)$/;

/** Tells whether a call was refused for the time of its signature, so that it changed nothing. */
export function isRefusedForTime(error: unknown): error is Error {
  return error instanceof Error && SKEW_ERROR.test(error.name);
}

/** Tells whether the signature uses a path unchanged. The SDK encodes any other path first. */
function isSignedAsIs(path: string): boolean {
  return /^\/[\w~/-]*$/.test(path) && !path.includes('//');
}

/** The clock was corrected between two calls if its offset differs by more than this. */
const CLOCK_STEP_MS = 60_000;

/** Values that JSON does not hold as they are, and a name that the SDK loses: both are left to the SDK. */
const LEFT_TO_SDK = /"(?:BS?|__proto__)"\s*:/;

/** The output of a successful response or of a failed condition; undefined where the SDK has to read the response. */
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

/** The parts of an answer that are read here. */
interface Members extends Record<string, unknown> {
  __type?: unknown;
  message?: string;
  Message?: string;
  Item?: ConditionalCheckFailedException['Item'] | null;
}

/** An object of JSON; undefined where the text is none. */
function parseMembers(text: string): Members | undefined {
  try {
    return JSON.parse(text);
  } catch {
    // The SDK says what is wrong with it, and whether the call may be made again.
    return undefined;
  }
}

/** The output of a call. A member that is null is none, as it is to the SDK. */
function outputWith(members: Members, $metadata: Metadata): MetadataBearer {
  for (const name in members) if (members[name] === null) delete members[name];
  return Object.assign(members, { $metadata });
}

type MetadataBearer = Pick<ConditionalCheckFailedException, '$metadata'>;
type Metadata = MetadataBearer['$metadata'];

/** The metadata that the SDK gives with a call that was made in one attempt. */
function metadataOf(httpStatusCode: number, headers: WholeResponse['headers']): Metadata {
  const requestId = headers['x-amzn-requestid'];
  return {
    httpStatusCode,
    ...(typeof requestId === 'string' && { requestId }),
    attempts: 1,
    totalRetryDelay: 0,
  };
}

/** The failure of a condition, by the name that the SDK gives it: its own class would load the SDK. */
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
