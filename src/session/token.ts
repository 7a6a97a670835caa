import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { EdgeloomError } from '../errors.ts';

/**
 * A session as a text that fits a cookie or a header: version, tag, compressed JSON, in base64url. The tag is a checksum, or
 * with a key a signature.
 */

/** The secret that tokens are signed with. */
export type SessionKey = string | Uint8Array;

/** What a token holds. */
export interface TokenContent {
  /** Key, time of the write in milliseconds, and what the last look saw: its time and the revisions. */
  keys: [source: string, sortKey: string, at: number, lookedAt?: number, revisions?: string][];
  /** The time of the last write of a session that overflowed. */
  overflowAt?: number | undefined;
}

const VERSION = 1;
const TAG_BYTES = 16;
const HEAD_BYTES = 1 + TAG_BYTES;
/** Far more than a token that was given out can hold. */
const MOST_BYTES = 64 * 1024;

/** The token of a content. */
export function encodeToken(content: TokenContent, key: SessionKey | undefined): string {
  const body = deflateRawSync(JSON.stringify(content));
  return Buffer.concat([Buffer.of(VERSION), tagOf(body, key), body]).toString('base64url');
}

/** The content of a token; throws `invalid-session` where it was altered or signed otherwise. */
export function decodeToken(token: string, key: SessionKey | undefined): TokenContent {
  const bytes = Buffer.from(String(token), 'base64url');
  const body = bytes.subarray(HEAD_BYTES);
  const isWhole = bytes.length > HEAD_BYTES && bytes[0] === VERSION && bytes.toString('base64url') === token;
  if (!isWhole || !timingSafeEqual(bytes.subarray(1, HEAD_BYTES), tagOf(body, key))) throw refused();
  try {
    const content: unknown = JSON.parse(inflateRawSync(body, { maxOutputLength: MOST_BYTES }).toString('utf8'));
    if (isContent(content)) return content;
  } catch (error) {
    throw refused(error);
  }
  throw refused();
}

function isContent(value: unknown): value is TokenContent {
  if (typeof value !== 'object' || value === null || !('keys' in value) || !Array.isArray(value.keys)) return false;
  const overflowAt = (value as TokenContent).overflowAt;
  return (
    (overflowAt === undefined || typeof overflowAt === 'number') &&
    value.keys.every(
      (entry: unknown) =>
        Array.isArray(entry) &&
        typeof entry[0] === 'string' &&
        typeof entry[1] === 'string' &&
        typeof entry[2] === 'number',
    )
  );
}

function tagOf(body: Uint8Array, key: SessionKey | undefined): Buffer {
  const hash = key === undefined ? createHash('sha256') : createHmac('sha256', key);
  return hash.update(Buffer.of(VERSION)).update(body).digest().subarray(0, TAG_BYTES);
}

function refused(cause?: unknown): EdgeloomError {
  return new EdgeloomError(
    'invalid-session',
    'The session token was altered, or signed with another key.',
    'Begin a new session: createSession().',
    { cause },
  );
}
