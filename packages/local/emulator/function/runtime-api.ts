import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { InvokeResult } from '../mapping/mapping-types.ts';

/** An invocation that a function's process is to take. */
export interface RuntimeInvocation {
  requestId: string;
  functionArn: string;
  /** When its time is over, in milliseconds since 1970. */
  deadlineMs: number;
  /** The event, as JSON text. */
  payload: string;
}

/** The result of a process's start: it asks for its first invocation, or its handler could not load. */
export type InitResult = { kind: 'ready' } | Extract<InvokeResult, { kind: 'error' }>;

const HOST = '127.0.0.1';
const PREFIX = '/2018-06-01/runtime';
/** Lambda's limit of a response, in bytes. */
const RESPONSE_BYTES = 6 * 1024 * 1024;

/**
 * Lambda's Runtime API for one process at a time: any runtime client, Lambda's own among them, asks it for invocations
 * and answers them there. Version 2018-06-01: `invocation/next`, `invocation/ID/response`, `invocation/ID/error`,
 * `init/error`.
 */
export class RuntimeApi {
  /** The value for the process's `AWS_LAMBDA_RUNTIME_API`. */
  readonly address: string;
  private readonly init = new Handover<InitResult>();
  private readonly results = new Map<string, (result: InvokeResult) => void>();
  private queue: RuntimeInvocation[] = [];
  private poll: ServerResponse | undefined;

  private constructor(private readonly server: Server) {
    this.address = `${HOST}:${(server.address() as AddressInfo).port}`;
    server.on('request', (request, response) => {
      // Only a connection that breaks makes this fail, and then no answer is waited for.
      this.answer(request, response).catch(() => response.destroy());
    });
  }

  /** Starts it on a free port of this machine. */
  static async start(): Promise<RuntimeApi> {
    const server = createServer({ keepAliveTimeout: 0, requestTimeout: 0 });
    server.listen(0, HOST);
    await once(server, 'listening');
    return new RuntimeApi(server);
  }

  /** Resolves when the process asks for its first invocation or says that it cannot start. */
  waitUntilInitialized(): Promise<InitResult> {
    return this.init.promise;
  }

  /** Hands an invocation to the process as soon as it asks, and resolves with its answer. */
  invoke(invocation: RuntimeInvocation): Promise<InvokeResult> {
    return new Promise((resolve) => {
      this.results.set(invocation.requestId, (result) => {
        this.results.delete(invocation.requestId);
        resolve(result);
      });
      this.queue.push(invocation);
      this.handOutInvocation();
    });
  }

  /** Stops answering, as when its process is gone. Open invocations are never answered. */
  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '' } = request;
    if (method === 'GET' && url === `${PREFIX}/invocation/next`) return this.onNext(response);
    const body = await readBody(request);
    if (method === 'POST' && url === `${PREFIX}/init/error`) {
      this.init.resolve(errorOf(body));
      return reply(response, 202, { status: 'OK' });
    }
    const match = /^\/invocation\/([^/]+)\/(response|error)$/.exec(
      url.startsWith(PREFIX) ? url.slice(PREFIX.length) : '',
    );
    if (method !== 'POST' || match === null) return reply(response, 404, errorDocument('NotFound', `${method} ${url}`));
    const requestId = decodeURIComponent(match[1]!);
    const resolve = this.results.get(requestId);
    if (resolve === undefined)
      return reply(response, 400, errorDocument('InvalidRequestID', `Unknown request ${requestId}`));
    if (match[2] === 'response' && body.length > RESPONSE_BYTES) {
      const errorMessage = `The response has ${body.length} bytes, more than ${RESPONSE_BYTES}.`;
      resolve({ kind: 'error', errorType: 'Function.ResponseSizeTooLarge', errorMessage });
      return reply(response, 413, errorDocument('RequestEntityTooLarge', errorMessage));
    }
    resolve(match[2] === 'response' ? responseOf(body) : errorOf(body));
    reply(response, 202, { status: 'OK' });
  }

  private onNext(response: ServerResponse): void {
    this.init.resolve({ kind: 'ready' });
    this.poll = response;
    response.on('close', () => {
      if (this.poll === response) this.poll = undefined;
    });
    this.handOutInvocation();
  }

  private handOutInvocation(): void {
    const { poll } = this;
    const invocation = poll === undefined ? undefined : this.queue.shift();
    if (poll === undefined || invocation === undefined) return;
    this.poll = undefined;
    poll
      .writeHead(200, {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(invocation.payload),
        'lambda-runtime-aws-request-id': invocation.requestId,
        'lambda-runtime-deadline-ms': String(invocation.deadlineMs),
        'lambda-runtime-invoked-function-arn': invocation.functionArn,
        'lambda-runtime-trace-id': `Root=1-${randomUUID().slice(0, 8)}-000000000000000000000000;Sampled=0`,
      })
      .end(invocation.payload);
  }
}

/** A promise that is resolved from elsewhere. */
class Handover<T> {
  resolve: (value: T) => void = () => undefined;
  readonly promise = new Promise<T>((resolve) => {
    this.resolve = resolve;
  });
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

function responseOf(body: Buffer): InvokeResult {
  const text = body.toString();
  try {
    return { kind: 'response', payload: text === '' ? undefined : JSON.parse(text) };
  } catch {
    // A function may answer with anything; what is not JSON is taken for a text.
    return { kind: 'response', payload: text };
  }
}

function errorOf(body: Buffer): Extract<InvokeResult, { kind: 'error' }> {
  const { payload } = responseOf(body) as { payload: unknown };
  const given = typeof payload === 'object' && payload !== null ? (payload as Record<string, unknown>) : {};
  return {
    kind: 'error',
    errorType: typeof given['errorType'] === 'string' ? given['errorType'] : 'Unhandled',
    errorMessage: typeof given['errorMessage'] === 'string' ? given['errorMessage'] : body.toString(),
  };
}

function errorDocument(errorType: string, errorMessage: string): object {
  return { errorType, errorMessage };
}

function reply(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
