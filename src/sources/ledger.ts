import type { AttributeValue, Item } from '../core/items/attribute-value.ts';
import { hash128, SERVICE_PARTITION } from '../core/items/keys.ts';
import type { ItemKey, Store } from '../core/store-port.ts';
import { EdgeloomError } from '../foundation/errors.ts';
import { expiryAt } from './claims.ts';
import type { SourceContext } from './context.ts';
import { type PutRecord, putNext, storedIn } from './record.ts';

/** A source's ledgers are spread over this many partitions, so that a sync can write thousands of them a second. */
export const LEDGER_SHARDS = 16;

/** All keys that one source item makes and has made are in one ledger. With keys of 60 bytes these are 5,000 items. */
const MOST_KEYS_BYTES = 300_000;

/** Why a source item is refused. */
export interface Refusal {
  code: string;
  reason: string;
  /** When it was first refused, in seconds since 1970. */
  since: number;
}

/** What was made of a source item. Its revision is the only order that a source has. */
export interface Ledger {
  key: string;
  /** The revision: it grows with each touch, and is the token of what the touch writes. 0: there is no ledger. */
  token: number;
  /** The token as it is stored, which may be damaged; undefined: there is none. */
  seen?: AttributeValue | undefined;
  /** The texts of the keys of all base items that the source item makes, or may have made. */
  keys: readonly string[];
  /** How far the touch of this token has come: all up to `through` is written, of a content with this hash. */
  part?: { hash: string; through: string } | undefined;
  /** Why the source item is refused: what it made stays as it is. */
  refusal?: Refusal | undefined;
  /** The last sync that has touched it. */
  sync?: string | undefined;
}

export function partitionOf(source: string, shard: number): string {
  return `${SERVICE_PARTITION}/ledger/${source}/${shard}`;
}

function keyOfLedger(source: string, key: string): ItemKey {
  const hash = hash128(key);
  return { source: partitionOf(source, Number.parseInt(hash.slice(0, 2), 16) % LEDGER_SHARDS), target: hash };
}

/** Reads a ledger, eventually consistent unless asked otherwise: an older state only costs a conflict. */
export async function readLedger(
  store: Pick<Store, 'get'>,
  source: string,
  key: string,
  consistent = false,
): Promise<Ledger> {
  const { item } = await store.get(keyOfLedger(source, key), { consistent });
  return { ...ledgerOf(item), key };
}

/** The ledger that an item is; one without a key was damaged. */
export function ledgerOf(item: Item | undefined): Ledger {
  const { revision: token = 0, seen, state } = storedIn<Partial<Ledger>>(item) ?? {};
  const { keys } = state ?? {};
  return { key: '', ...state, keys: Array.isArray(keys) ? keys : [], token, seen };
}

export function putLedger(
  { graph, source, now }: SourceContext,
  ledger: Ledger,
  seen: AttributeValue | undefined,
): PutRecord {
  const { token: revision, seen: _, ...state } = ledger;
  const isOfNothing = ledger.keys.length === 0 && ledger.refusal === undefined;
  // rule: source-ledger-of-nothing-outlives-every-write
  const expiry = expiryAt(now());
  const key = keyOfLedger(source.name, ledger.key);
  return putNext(graph, key, { revision, state }, seen, isOfNothing ? expiry : undefined);
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
