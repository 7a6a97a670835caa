import { crc32 } from 'node:zlib';
import {
  BatchGetItemCommand,
  type BatchGetItemCommandInput,
  type BatchGetItemCommandOutput,
  ConditionalCheckFailedException,
  type DynamoDBClient,
  GetItemCommand,
  type GetItemCommandInput,
  type GetItemCommandOutput,
  QueryCommand,
  type QueryCommandInput,
  type QueryCommandOutput,
  UpdateItemCommand,
  type UpdateItemCommandInput,
  type UpdateItemCommandOutput,
} from '@aws-sdk/client-dynamodb';
import type { Answer, HandledRequest, HandledResponse, LeanHandler, LeanOptions } from './handler.ts';
import { Signer, type SigningCredentials } from './signer.ts';

/**
 * The lean way to DynamoDB, for the few calls that a projector and reads make all the time: the body is JSON, the signer
 * keeps its key, and the answer is parsed and no more. A call takes a fifth of the SDK's CPU.
 *
 * The SDK stays in charge of everything else. It resolves endpoint and region: its first request is looked at, and again
 * when the credentials change. Its provider chain gives and renews the credentials. And whatever answer is not plainly good
 * is handed to it as that of its own first attempt: it reads errors, corrects the clock, waits and tries again.
 */

/** The calls that go the lean way. */
export interface HotCalls {
  GetItem: { input: GetItemCommandInput; output: GetItemCommandOutput };
  BatchGetItem: { input: BatchGetItemCommandInput; output: BatchGetItemCommandOutput };
  UpdateItem: { input: UpdateItemCommandInput; output: UpdateItemCommandOutput };
  Query: { input: QueryCommandInput; output: QueryCommandOutput };
}

/** Makes a hot call. */
export type HotSender = <Name extends keyof HotCalls>(
  name: Name,
  input: HotCalls[Name]['input'],
) => Promise<HotCalls[Name]['output']>;

const COMMANDS = {
  GetItem: GetItemCommand,
  BatchGetItem: BatchGetItemCommand,
  UpdateItem: UpdateItemCommand,
  Query: QueryCommand,
};

const ways = new WeakMap<DynamoDBClient, HotSender>();

/** How a client makes hot calls: the lean way, where it was made with one, or the SDK's own. */
export function hotSender(client: DynamoDBClient): HotSender {
  return ways.get(client) ?? ((name, input) => sdkSend(client, name, input));
}

/** Gives a client the lean way over its handler, which hands out the bodies of responses whole. */
export function useLeanWay(client: DynamoDBClient, handler: LeanHandler): void {
  const way = new LeanWay(client, handler);
  ways.set(client, (name, input) => way.send(name, input));
}

function sdkSend<Name extends keyof HotCalls>(
  client: DynamoDBClient,
  name: Name,
  input: HotCalls[Name]['input'],
  options?: LeanOptions,
): Promise<HotCalls[Name]['output']> {
  // The commands are all of this client; `send` is overloaded for each alone.
  const Command = COMMANDS[name] as unknown as new (given: typeof input) => UpdateItemCommand;
  const command = new Command(input);
  const send = options === undefined ? client.send(command) : client.send(command, options as object);
  return send as Promise<HotCalls[Name]['output']>;
}

/** Where and how requests go, as the SDK's own request had it. */
interface Route {
  endpoint: Pick<HandledRequest, 'protocol' | 'hostname' | 'port' | 'path'>;
  credentials: SigningCredentials;
  signer: Signer;
}

class LeanWay {
  private route: Route | undefined;
  /** Whether something was added to the SDK's middleware, which wants to see each call. */
  private isObserved = false;

  constructor(
    private readonly client: DynamoDBClient,
    private readonly handler: LeanHandler,
  ) {
    const stack = client.middlewareStack;
    for (const method of ['add', 'addRelativeTo', 'use', 'remove', 'removeByTag'] as const) {
      const original = stack[method].bind(stack) as (...parameters: unknown[]) => never;
      stack[method] = (...parameters: unknown[]): never => {
        this.isObserved = true;
        return original(...parameters);
      };
    }
  }

  async send<Name extends keyof HotCalls>(
    name: Name,
    input: HotCalls[Name]['input'],
  ): Promise<HotCalls[Name]['output']> {
    if (this.isObserved || holdsBinary(input)) return await sdkSend(this.client, name, input);
    const { config } = this.client;
    const credentials = await config.credentials();
    const { route } = this;
    if (route === undefined || !isSame(route.credentials, credentials)) {
      const observe = (request: HandledRequest): void => this.learn(request, credentials);
      return await sdkSend(this.client, name, input, { lean: { observe } });
    }
    const body = JSON.stringify(input);
    const target = `DynamoDB_20120810.${name}`;
    const headers = route.signer.headers(target, body, Date.now() + config.systemClockOffset);
    const answer = await this.request(route, headers, body);
    const output = 'response' in answer ? outputOf(answer.response) : undefined;
    if (output !== undefined) return output as HotCalls[Name]['output'];
    return await sdkSend(this.client, name, input, { lean: { answer } });
  }

  private async request({ endpoint }: Route, headers: Record<string, string>, body: string): Promise<Answer> {
    try {
      const answer = await this.handler.handle({ ...endpoint, method: 'POST', headers, body } as HandledRequest);
      return isWhole(answer.response) ? answer : { error: new BrokenResponseError() };
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
    const host = headers['host'] ?? '';
    const { accessKeyId, secretAccessKey, sessionToken } = credentials;
    const own = { accessKeyId, secretAccessKey, sessionToken };
    this.route = {
      endpoint: { protocol, hostname, port, path },
      credentials: own,
      signer: new Signer(own, { host, path, region: scope[2]!, service: scope[3]! }),
    };
  }
}

/** A response whose body is not the one that was sent: the SDK takes it for a lost connection, and tries again. */
class BrokenResponseError extends Error {
  readonly code = 'ECONNRESET';

  constructor() {
    super('The checksum of the response is not that of its body.');
  }
}

function isWhole({ headers, body }: HandledResponse): boolean {
  const checksum = headers['x-amz-crc32'];
  return checksum === undefined || Number(checksum) === crc32(body as Buffer);
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
function outputOf({ statusCode, body }: HandledResponse): object | undefined {
  if (statusCode !== 200 && statusCode !== 400) return undefined;
  const text = (body as Buffer).toString('utf8');
  if (LEFT_TO_SDK.test(text)) return undefined;
  if (statusCode === 200) return JSON.parse(text) as object;
  if (!text.includes('ConditionalCheckFailedException')) return undefined;
  const { __type: type, Item, message = '' } = JSON.parse(text);
  if (typeof type !== 'string' || !type.endsWith('#ConditionalCheckFailedException')) return undefined;
  throw new ConditionalCheckFailedException({ message, Item, $metadata: { httpStatusCode: 400 } });
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
