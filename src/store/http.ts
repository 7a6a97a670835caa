import pLimit, { type LimitFunction } from 'p-limit';
import { Agent, type Dispatcher } from 'undici';

type Request = Dispatcher.RequestOptions;

/** Connections that a client keeps open at most, unless its option `maxConnections` says otherwise. */
export const MAX_CONNECTIONS = 64;
/** How long a connection without a request is kept. */
const KEEP_ALIVE_MS = 60_000;

/**
 * An undici agent with a bounded pool of kept-alive connections: a request beyond the bound waits for its turn. It hands
 * out response bodies whole, not as streams. DynamoDB's answers are short and the SDK parses them whole; a stream for
 * each of them is about a tenth of a call's CPU. For the SDK's undici handler only.
 */
export class WholeBodyAgent extends Agent {
  private readonly turns: LimitFunction;

  constructor(maxConnections: number = MAX_CONNECTIONS) {
    super({ connections: maxConnections, keepAliveTimeout: KEEP_ALIVE_MS });
    // undici's own bound does not hold where connections fail: it forgets those, and they are opened again beside new ones.
    this.turns = pLimit(maxConnections);
  }

  override request(options: Request): Promise<Dispatcher.ResponseData> {
    return this.turns(() => this.send(options));
  }

  private async send(options: Request): Promise<Dispatcher.ResponseData> {
    // undici's own request knows how to be aborted.
    if (options.signal !== undefined && options.signal !== null) return super.request(options);
    const response = await new Promise<WholeResponse>((resolve, reject) => {
      this.dispatch(options, collector(resolve, reject));
    });
    // The handler passes the body on unseen, and the SDK takes bytes wherever it takes a stream.
    return response as unknown as Dispatcher.ResponseData;
  }
}

type WholeResponse = Pick<Dispatcher.ResponseData, 'statusCode' | 'headers'> & { body: Buffer };

function collector(
  resolve: (response: WholeResponse) => void,
  reject: (error: Error) => void,
): Dispatcher.DispatchHandler {
  let statusCode = 0;
  let headers: WholeResponse['headers'] = {};
  const chunks: Buffer[] = [];
  return {
    onRequestStart() {},
    onResponseStart(_controller, status, received) {
      statusCode = status;
      headers = received;
    },
    onResponseData(_controller, chunk) {
      chunks.push(chunk);
    },
    onResponseEnd() {
      resolve({ statusCode, headers, body: chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks) });
    },
    onResponseError(_controller, error) {
      reject(error);
    },
  };
}
