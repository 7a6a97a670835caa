import type { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import type { Calls, HotCall, TableCalls } from './calls.ts';
import type { Answer, HandledRequest, LeanOptions, WholeBodySender, WholeResponse } from './handler.ts';
import { Signer, type SigningCredentials, type SigningScope } from './signer.ts';

/**
 * The lean way to DynamoDB, for the few calls that a projector and reads make all the time: the body is JSON, the signer
 * keeps its key, and the answer is parsed and no more. A call takes a fifth of the SDK's CPU.
 *
 * The SDK stays in charge of everything else. Where endpoint and region are not known beforehand it resolves them: its first
 * request is looked at, and again when the credentials change. Its provider chain gives and renews the credentials. And whatever
 * answer is not plainly good is handed to it as that of its own first attempt: it reads errors, corrects the clock, waits and
 * tries again.
 */

const HOT: ReadonlySet<keyof Calls> = new Set<HotCall>(['GetItem', 'BatchGetItem', 'UpdateItem', 'Query']);

/** The calls of the SDK, which also look at a request and take an answer. */
export interface ObservableCalls extends TableCalls {
  call<Name extends keyof Calls>(
    name: Name,
    input: Calls[Name]['input'],
    options?: LeanOptions,
  ): Promise<Calls[Name]['output']>;
}

/** What the lean way leaves to the SDK. */
export interface LeftToSdk {
  /** The credentials to sign with now. */
  credentials(): SigningCredentials | Promise<SigningCredentials>;
  /** How far the server's clock is ahead of this machine's, as far as is known. */
  clockOffsetMs(): number;
  /** Whether something wants to see each call of the SDK. */
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

/** Makes hot calls the lean way, and all others through the SDK. */
export class LeanWay implements TableCalls {
  /** @param route where it is known; else the first request of the SDK shows it. */
  constructor(
    private readonly agent: WholeBodySender,
    private readonly sdk: LeftToSdk,
    private route?: CallRoute | undefined,
  ) {}

  async call<Name extends keyof Calls>(name: Name, input: Calls[Name]['input']): Promise<Calls[Name]['output']> {
    const { sdk } = this;
    if (!HOT.has(name) || sdk.isObserved() || holdsBinary(input)) return (await sdk.calls()).call(name, input);
    const credentials = await sdk.credentials();
    const { route } = this;
    if (route === undefined || !isSame(route.credentials, credentials)) {
      const observe = (request: HandledRequest): void => this.learn(request, credentials);
      return (await sdk.calls()).call(name, input, { lean: { observe } });
    }
    const body = JSON.stringify(input);
    const target = `DynamoDB_20120810.${name}`;
    const headers = route.signer.headers(target, body, Date.now() + sdk.clockOffsetMs());
    const answer = await this.request(route, headers, body);
    const output = 'response' in answer ? outputOf(answer.response) : undefined;
    if (output !== undefined) return output as Calls[Name]['output'];
    return (await sdk.calls()).call(name, input, { lean: { answer } });
  }

  async region(): Promise<string | undefined> {
    return await (await this.sdk.calls()).region();
  }

  async callOnce<Name extends keyof Calls>(name: Name, input: Calls[Name]['input']): Promise<Calls[Name]['output']> {
    return (await this.sdk.calls()).callOnce(name, input);
  }

  private async request({ origin, path }: CallRoute, headers: Record<string, string>, body: string): Promise<Answer> {
    try {
      return { response: await this.agent.whole({ origin, path, method: 'POST', headers, body }) };
    } catch (error) {
      return { error };
    }
  }

  /** Takes the endpoint and the scope of the signature out of a request of the SDK; other signatures are left to it. */
  private learn({ protocol, hostname, port, path, headers }: HandledRequest, credentials: SigningCredentials): void {
    const scope = /^AWS4-HMAC-SHA256 Credential=([^/]+)\/\d{8}\/([^/]+)\/([^/]+)\/aws4_request,/.exec(
      headers['authorization'] ?? '',
    );
    if (scope === null || scope[1] !== credentials.accessKeyId) return;
    const origin = `${protocol}//${hostname}${port === undefined ? '' : `:${port}`}`;
    const host = headers['host'] ?? '';
    this.route = routeTo(origin, { host, path, region: scope[2]!, service: scope[3]! }, credentials);
  }
}

function isSame(one: SigningCredentials, other: SigningCredentials): boolean {
  return (
    one.accessKeyId === other.accessKeyId &&
    one.secretAccessKey === other.secretAccessKey &&
    one.sessionToken === other.sessionToken
  );
}

/** Values that JSON does not hold as they are, and a name that the SDK loses: both are left to the SDK. */
const LEFT_TO_SDK = /"(?:BS?|__proto__)"\s*:/;

/** What a response says where it is plainly good, or the failure of a condition; undefined where the SDK has to read it. */
function outputOf({ statusCode, body }: WholeResponse): object | undefined {
  if (statusCode !== 200 && statusCode !== 400) return undefined;
  const text = body.toString('utf8');
  if (LEFT_TO_SDK.test(text)) return undefined;
  if (statusCode === 200) return JSON.parse(text) as object;
  if (!text.includes('ConditionalCheckFailedException')) return undefined;
  const { __type: type, Item, message = '' } = JSON.parse(text);
  if (typeof type !== 'string' || !type.endsWith('#ConditionalCheckFailedException')) return undefined;
  throw new ConditionFailedError(message, Item);
}

/** The failure of a condition, by the name that the SDK gives it: its own class would load the SDK. */
class ConditionFailedError extends Error implements Pick<ConditionalCheckFailedException, 'name' | 'Item'> {
  override readonly name = 'ConditionalCheckFailedException';

  constructor(
    message: string,
    readonly Item: ConditionalCheckFailedException['Item'],
  ) {
    super(message);
  }
}

/** Whether binary is anywhere in the input of a call. */
function holdsBinary(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (value instanceof Uint8Array) return true;
  if (Array.isArray(value)) {
    // The elements of a string set are many, and all of them texts.
    if (typeof value[0] === 'string') return false;
    return value.some(holdsBinary);
  }
  for (const name in value) if (holdsBinary((value as Record<string, unknown>)[name])) return true;
  return false;
}
