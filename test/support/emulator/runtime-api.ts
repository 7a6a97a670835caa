import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import type { InvokeResult } from './lambda-function.ts';

/** An invocation that a function's process is to take. */
export interface RuntimeInvocation {
  requestId: string;
  functionArn: string;
  /** When its time is over, in milliseconds since 1970. */
  deadlineMs: number;
  /** The event, as JSON text. */
  payload: string;
}

type InitError = Extract<InvokeResult, { kind: 'error' }>;

const HOST = '127.0.0.1';
const PREFIX = '/2018-06-01/runtime';

/**
 * Lambda's Runtime API for one process at a time: any runtime client, Lambda's own among them, asks it for invocations
 * and answers them there.
 */
export class RuntimeApi {
  /** The value for the process's `AWS_LAMBDA_RUNTIME_API`. */
  readonly address: string;
  /** Resolves when the process asks for its first invocation, or with why it cannot start. */
  readonly initialized: Promise<InitError | undefined>;
  private initialize: (error?: InitError) => void = () => undefined;
  private readonly results = new Map<string, (result: InvokeResult) => void>();
  private readonly queue: RuntimeInvocation[] = [];
  private poll: ServerResponse | undefined;

  private constructor(private readonly server: Server) {
    this.address = `${HOST}:${(server.address() as AddressInfo).port}`;
    this.initialized = new Promise((resolve) => {
      this.initialize = resolve;
    });
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

  /** Hands an invocation to the process as soon as it asks, and resolves with its answer. */
  invoke(invocation: RuntimeInvocation): Promise<InvokeResult> {
    return new Promise((resolve) => {
      this.results.set(invocation.requestId, resolve);
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
    const { url = '' } = request;
    if (url === `${PREFIX}/invocation/next`) {
      this.initialize();
      this.poll = response;
      this.handOutInvocation();
      return;
    }
    const body = await json(request);
    const [, requestId = '', kind] = /^\/invocation\/([^/]+)\/(response|error)$/.exec(url.slice(PREFIX.length)) ?? [];
    if (kind === undefined) this.initialize(errorOf(body));
    else {
      this.results.get(requestId)?.(kind === 'response' ? { kind, payload: body } : errorOf(body));
      this.results.delete(requestId);
    }
    response.writeHead(202, { 'content-type': 'application/json' }).end('{"status":"OK"}');
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

function errorOf(body: unknown): InitError {
  const { errorType = 'Unhandled', errorMessage = JSON.stringify(body) } = body as Partial<InitError>;
  return { kind: 'error', errorType, errorMessage };
}
