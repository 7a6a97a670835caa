import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { EdgeloomError } from '../../foundation/errors.ts';

/** The secret that signs tokens. */
export type SessionKey = string | Uint8Array;

export interface TokenContent {
  /** Hash of the table's name; absent before the first use. */
  table?: string | undefined;
  keys: TokenItem[];
  overflowAt?: number | undefined;
  overflowPassedAt?: number | undefined;
}

/** `seenAt` is when the session saw the low watermark pass the write or, with `revisions`, last compared the key. */
export type TokenItem = [source: string, sortKey: string, at: number, seenAt?: number, revisions?: string];

const VERSION = 1;
const TAG_BYTES = 16;
const HEAD_BYTES = 1 + TAG_BYTES;
/** Bounds the decompressed size. Tokens of sessions are far smaller. */
const MOST_BYTES = 64 * 1024;

/** Hides the table's name from clients. */
export function tableTag(name: string): string {
  return createHash('sha256').update(name).digest('base64url').slice(0, 8);
}

export function encodeToken(content: TokenContent, key: SessionKey | undefined): string {
  const body = deflateRawSync(JSON.stringify(content));
  return Buffer.concat([Buffer.of(VERSION), tagOf(body, key), body]).toString('base64url');
}

export function decodeToken(token: string, key: SessionKey | undefined): TokenContent {
  const bytes = Buffer.from(String(token), 'base64url');
  const body = bytes.subarray(HEAD_BYTES);
  const isWhole = bytes.length > HEAD_BYTES && bytes[0] === VERSION && bytes.toString('base64url') === token;
  if (!isWhole || !timingSafeEqual(bytes.subarray(1, HEAD_BYTES), tagOf(body, key))) throw sessionRefused();
  try {
    const content: unknown = JSON.parse(inflateRawSync(body, { maxOutputLength: MOST_BYTES }).toString('utf8'));
    if (isContent(content)) return content;
  } catch (error) {
    throw sessionRefused(error);
  }
  throw sessionRefused();
}

function isContent(value: unknown): value is TokenContent {
  if (typeof value !== 'object' || value === null || !('keys' in value) || !Array.isArray(value.keys)) return false;
  const { table, overflowAt, overflowPassedAt } = value as TokenContent;
  if (table !== undefined && typeof table !== 'string') return false;
  return isTime(overflowAt) && isTime(overflowPassedAt) && value.keys.every(isEntry);
}

function isEntry(entry: unknown): entry is TokenItem {
  if (!Array.isArray(entry)) return false;
  const [source, sortKey, at, seenAt, revisions] = entry as unknown[];
  const isKey = typeof source === 'string' && typeof sortKey === 'string' && typeof at === 'number';
  return isKey && isTime(seenAt) && (revisions === undefined || typeof revisions === 'string');
}

function isTime(value: unknown): value is number | undefined {
  return value === undefined || typeof value === 'number';
}

function tagOf(body: Uint8Array, key: SessionKey | undefined): Buffer {
  const hash = key === undefined ? createHash('sha256') : createHmac('sha256', key);
  return hash.update(Buffer.of(VERSION)).update(body).digest().subarray(0, TAG_BYTES);
}

function sessionRefused(cause?: unknown): EdgeloomError {
  return new EdgeloomError(
    'invalid-session',
    'The session token was altered, or signed with a different key.',
    'Begin a new session: createSession().',
    { cause },
  );
}
