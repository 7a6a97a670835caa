import pLimit, { type LimitFunction } from 'p-limit';
import { Agent, type Dispatcher } from 'undici';
import { EdgeloomError } from '../../errors.ts';
import type { WholeBodySender, WholeResponse } from '../lean/handler.ts';

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
export class WholeBodyAgent extends Agent implements WholeBodySender {
  private readonly turns: LimitFunction;

  constructor(maxConnections: number = MAX_CONNECTIONS) {
    if (!(Number.isSafeInteger(maxConnections) && maxConnections > 0)) {
      throw new EdgeloomError(
        'invalid-option',
        `maxConnections should be a whole number of 1 or more, but is ${maxConnections}.`,
        'Leave it out for the default.',
      );
    }
    super({ connections: maxConnections, keepAliveTimeout: KEEP_ALIVE_MS });
    // undici's own bound does not hold where connections fail: it forgets those, and they are opened again beside new ones.
    this.turns = pLimit(maxConnections);
  }

  override request(options: Request): Promise<Dispatcher.ResponseData> {
    // undici's own request knows how to be aborted.
    if (options.signal !== undefined && options.signal !== null) return this.turns(() => super.request(options));
    // The handler passes the body on unseen, and the SDK takes bytes wherever it takes a stream.
    return this.whole(options) as unknown as Promise<Dispatcher.ResponseData>;
  }

  /** Sends a request; gives the response with its body whole. */
  whole(options: Request): Promise<WholeResponse> {
    return this.turns(
      () => new Promise<WholeResponse>((resolve, reject) => this.dispatch(options, collector(resolve, reject))),
    );
  }
}

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
