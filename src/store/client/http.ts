import { crc32 } from 'node:zlib';
import pLimit, { type LimitFunction } from 'p-limit';
import { Agent, type Dispatcher } from 'undici';
import { checkNumber } from '../../foundation/options.ts';
import type { WholeBodySender, WholeResponse } from '../lean/handler.ts';
import type { ClientOptions } from './options.ts';

type Request = Dispatcher.RequestOptions;
type ConnectionOptions = Pick<ClientOptions, 'maxConnections' | 'answerTimeoutMs'>;

export const MAX_CONNECTIONS = 64;
const KEEP_ALIVE_MS = 60_000;
const CONNECT_TIMEOUT_MS = 5_000;
const ANSWER_TIMEOUT_MS = 15_000;

/** Without these limits, a dead connection would hold a call for five minutes. */
export function timeLimits(answerTimeoutMs: number = ANSWER_TIMEOUT_MS): Agent.Options {
  checkNumber('answerTimeoutMs', answerTimeoutMs, { least: 1, isWhole: true });
  return {
    headersTimeout: answerTimeoutMs,
    bodyTimeout: answerTimeoutMs,
    connect: { timeout: CONNECT_TIMEOUT_MS },
  };
}

/**
 * Buffers whole response bodies, because reading a stream takes about a tenth of a call's CPU time. The SDK's undici
 * handler uses `request`; calls that bypass the SDK use `whole`.
 */
export class WholeBodyAgent extends Agent implements WholeBodySender {
  private readonly turns: LimitFunction;

  constructor({ maxConnections = MAX_CONNECTIONS, answerTimeoutMs }: ConnectionOptions = {}) {
    super({ connections: maxConnections, keepAliveTimeout: KEEP_ALIVE_MS, ...timeLimits(answerTimeoutMs) });
    // undici's own limit doesn't count broken connections, and reopens them in addition to new ones.
    this.turns = pLimit(maxConnections);
  }

  override request(options: Request): Promise<Dispatcher.ResponseData> {
    const isAbortable = options.signal !== undefined && options.signal !== null;
    const response = isAbortable ? this.turns(() => this.requestAbortable(options)) : this.whole(options);
    // The SDK also accepts bytes as a body.
    return response as unknown as Promise<Dispatcher.ResponseData>;
  }

  private async requestAbortable(options: Request): Promise<WholeResponse> {
    const { statusCode, headers, body } = await super.request(options);
    return checkedResponse({ statusCode, headers, body: Buffer.from(await body.arrayBuffer()) });
  }

  whole(options: Request): Promise<WholeResponse> {
    return this.turns(
      () => new Promise<WholeResponse>((resolve, reject) => this.dispatch(options, collector(resolve, reject))),
    );
  }
}

/** Makes the SDK retry, as after a lost connection. */
export class BrokenResponseError extends Error {
  readonly code = 'ECONNRESET';
}

/**
 * Throws for a damaged body, because the SDK would read an empty one, or `null`, as an empty answer. The checksum
 * covers the body as received, because this client requests no compression.
 */
function checkedResponse(response: WholeResponse): WholeResponse {
  const { statusCode, headers, body } = response;
  const checksum = headers['x-amz-crc32'];
  if (checksum !== undefined && Number(checksum) !== crc32(body)) {
    throw new BrokenResponseError('The checksum of the response is not that of its body.');
  }
  if (statusCode === 200 && !looksLikeJsonObject(body))
    throw new BrokenResponseError("The response body isn't a JSON object.");
  return response;
}

const OPENING = '{'.charCodeAt(0);
const CLOSING = '}'.charCodeAt(0);
const SPACE = ' '.charCodeAt(0);

function looksLikeJsonObject(body: Buffer): boolean {
  let start = 0;
  let end = body.length - 1;
  while (start < end && body[start]! <= SPACE) start += 1;
  while (end > start && body[end]! <= SPACE) end -= 1;
  return start < end && body[start] === OPENING && body[end] === CLOSING;
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
      const body = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
      try {
        resolve(checkedResponse({ statusCode, headers, body }));
      } catch (error) {
        reject(error as Error);
      }
    },
    onResponseError(_controller, error) {
      reject(error);
    },
  };
}
