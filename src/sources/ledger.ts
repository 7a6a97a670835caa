import { attributeOf, type Item, numberOf, stringOf } from '../core/items/attribute-value.ts';
import { REVISION } from '../core/items/derived-item.ts';
import { hash128, SERVICE_PARTITION } from '../core/items/keys.ts';
import type { CompiledModel } from '../core/model/compiled.ts';
import type { BaseCondition, ItemKey, Store } from '../core/store-port.ts';
import { EdgeloomError } from '../foundation/errors.ts';
import { expiryAt } from './claims.ts';

/** What was made of each source item. The revision of a ledger is the only order that a source has. */

/** The ledgers of a source are spread over so many partitions: a sync writes thousands of them a second. */
export const LEDGER_SHARDS = 16;

/**
 * Bytes that the keys of all items may have that one source item makes and has made: they are in one ledger. With keys of 60 bytes that is
 * 5,000 items.
 */
const MOST_KEYS_BYTES = 300_000;

/** Why a source item is not mapped. */
export interface Refusal {
  code: string;
  reason: string;
  /** When it was first refused, in seconds since 1970. */
  since: number;
}

/** What was made of a source item. */
export interface Ledger {
  /** The key of the source item, as a text. */
  key: string;
  /** The revision: it grows with each touch, and is the token of what the touch writes. 0: there is no ledger. */
  token: number;
  /** The texts of the keys of all base items that the source item makes, or may have made. */
  keys: readonly string[];
  /** How far the touch of this token has come: all up to `through` is written, of a content with this hash. */
  part?: { hash: string; through: string } | undefined;
  /** Why the source item is not mapped: what it made stays as it is. */
  refusal?: Refusal | undefined;
  /** The last sync that has touched it. */
  sync?: string | undefined;
}

/** The key of a ledger. */
export function keyOfLedger(source: string, key: string): ItemKey {
  const hash = hash128(key);
  return { source: partitionOf(source, Number.parseInt(hash.slice(0, 2), 16) % LEDGER_SHARDS), target: hash };
}

/** The partition of a shard of a source's ledgers. */
export function partitionOf(source: string, shard: number): string {
  return `${SERVICE_PARTITION}/ledger/${source}/${shard}`;
}

/** Reads a ledger. An older state costs a conflict, no more: so it is read eventually consistent unless asked otherwise. */
export async function readLedger(
  store: Pick<Store, 'get'>,
  source: string,
  key: string,
  consistent = false,
): Promise<Ledger> {
  const { item } = await store.get(keyOfLedger(source, key), { consistent });
  return ledgerOf(item) ?? { key, token: 0, keys: [] };
}

/** The ledger that an item is; undefined: it is none. */
export function ledgerOf(item: Item | undefined): Ledger | undefined {
  const key = item && stringOf(attributeOf(item, 'key'));
  const token = item && numberOf(attributeOf(item, REVISION));
  if (item === undefined || key === undefined || token === undefined) return undefined;
  const keys = attributeOf(item, 'keys');
  const [hash, through] = ['hash', 'through'].map((name) => stringOf(attributeOf(item, name)));
  const code = stringOf(attributeOf(item, 'code'));
  return {
    key,
    token: Number(token),
    keys: keys !== undefined && 'L' in keys ? keys.L.flatMap((value) => stringOf(value) ?? []) : [],
    sync: stringOf(attributeOf(item, 'sync')),
    ...(hash !== undefined && through !== undefined && { part: { hash, through } }),
    ...(code !== undefined && {
      refusal: {
        code,
        reason: stringOf(attributeOf(item, 'reason')) ?? '',
        since: Number(numberOf(attributeOf(item, 'since')) ?? 0),
      },
    }),
  };
}

/** A ledger as an item. One of nothing expires: only what is remembered of it has to outlive late writes. */
export function itemOfLedger({ table }: CompiledModel, source: string, ledger: Ledger, nowMs: number): Item {
  const { key, token, keys, part, refusal, sync } = ledger;
  const { source: partition, target } = keyOfLedger(source, key);
  const isOfNothing = keys.length === 0 && refusal === undefined;
  return {
    [table.partitionKey]: { S: partition },
    [table.sortKey]: { S: target },
    key: { S: key },
    [REVISION]: { N: String(token) },
    keys: { L: keys.map((text) => ({ S: text })) },
    ...(part && { hash: { S: part.hash }, through: { S: part.through } }),
    ...(refusal && { code: { S: refusal.code }, reason: { S: refusal.reason }, since: { N: String(refusal.since) } }),
    ...(sync !== undefined && { sync: { S: sync } }),
    ...(isOfNothing && { [table.ttl]: { N: String(expiryAt(nowMs)) } }),
  };
}

/** The condition that a ledger is as it was read. */
export function ledgerAt(token: number): BaseCondition {
  // rule: source-ledger-is-written-as-it-was-read
  return token === 0 ? { present: false } : { equal: { [REVISION]: { N: String(token) } } };
}

/** Refuses a source item that makes more than a ledger holds. Throws `invalid-mapping`. */
export function checkKeys(maker: string, keys: readonly string[]): void {
  const bytes = keys.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  if (bytes <= MOST_KEYS_BYTES) return;
  throw new EdgeloomError(
    'invalid-mapping',
    `The source item ${maker} makes, with what it made before, ${keys.length} items whose keys have ${bytes} bytes, of ${MOST_KEYS_BYTES}.`,
    'Map it to fewer items, or to items with shorter keys: make an edge of the other end, or a node between.',
  );
}
