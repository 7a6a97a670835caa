import type { IncomingMessage, ServerResponse } from 'node:http';
import { EdgeloomError } from '../../../src/foundation/errors.ts';
import { toJson } from '../../../src/foundation/exact-json.ts';

/** Larger than a 400 KB item in fully escaped JSON. */
const MAX_BODY_BYTES = 4 * 1024 * 1024;

const COMMON_HEADERS = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
} as const;

export function send(response: ServerResponse, status: number, type: string, body: string | Buffer): void {
  response.writeHead(status, { ...COMMON_HEADERS, 'content-type': type });
  response.end(body);
}

export function sendJson(response: ServerResponse, status: number, document: unknown): void {
  send(response, status, 'application/json; charset=utf-8', toJson(document));
}

export async function readBody(request: IncomingMessage): Promise<unknown> {
  if (request.headers['content-type'] !== 'application/json') throw invalid('its type is not application/json');
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) throw invalid(`it has more than ${MAX_BODY_BYTES} bytes`);
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8'));
  } catch {
    throw invalid('it is not JSON');
  }
}

function invalid(reason: string): EdgeloomError {
  return new EdgeloomError(
    'invalid-argument',
    `The body of the request cannot be taken: ${reason}.`,
    'Load the page again.',
  );
}
