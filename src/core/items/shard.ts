/** Hash functions that a model may name. */
export type HashName = 'fnv1a' | 'codepoint-product';

const FNV_BASIS = 0x811c9dc5;
const FNV_PRIME = 0x01000193;
const LAST_OF_ASCII = 0x7f;

/** Hashes a string's UTF-8 bytes with 32-bit FNV-1a (IETF draft-eastlake-fnv). */
export function fnv1a(text: string): number {
  let hash = FNV_BASIS;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit > LAST_OF_ASCII) return fnv1aOfBytes(Buffer.from(text, 'utf8'));
    hash = Math.imul(hash ^ unit, FNV_PRIME);
  }
  return hash >>> 0;
}

function fnv1aOfBytes(bytes: Uint8Array): number {
  let hash = FNV_BASIS;
  for (const byte of bytes) hash = Math.imul(hash ^ byte, FNV_PRIME);
  return hash >>> 0;
}

/**
 * Returns the product of the code points modulo `shards`. This hash spreads values badly: use it only for a table that
 * already uses it.
 */
export function codePointProduct(text: string, shards: number): number {
  let product = 1 % shards;
  for (const character of text) product = (product * character.codePointAt(0)!) % shards;
  return product;
}

/** Returns a shard, counted from 1. With 200 shards, `Terui` is in 161 by `codepoint-product`, and in 51 by `fnv1a`. */
export function shardOf(text: string, shards: number, hash: HashName): number {
  return (hash === 'fnv1a' ? fnv1a(text) % shards : codePointProduct(text, shards)) + 1;
}
