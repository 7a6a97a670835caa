/** Shard numbers of index partitions: `hash(text) mod shards + 1`. */

/** The hash functions a model may name. */
export type HashName = 'fnv1a' | 'codepoint-product';

/** FNV-1a, 32 bit, over the UTF-8 bytes. Source: Fowler, Noll, Vo; IETF draft-eastlake-fnv. */
export function fnv1a(text: string): number {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(text, 'utf8')) hash = Math.imul(hash ^ byte, 0x01000193);
  return hash >>> 0;
}

/**
 * The product of the text's Unicode code points, reduced modulo `shards` at every step: a plain product overflows a
 * double after a few characters. Kept for tables that already use it: it is a bad hash (see `edgeloom shards`).
 */
export function codePointProduct(text: string, shards: number): number {
  let product = 1 % shards;
  for (const character of text) product = (product * character.codePointAt(0)!) % shards;
  return product;
}

/** The shard of a text, 1 to `shards`. Golden values for 200 shards: `Terui` is 161 by product, 51 by FNV-1a. */
export function shardOf(text: string, shards: number, hash: HashName): number {
  return (hash === 'fnv1a' ? fnv1a(text) % shards : codePointProduct(text, shards)) + 1;
}
