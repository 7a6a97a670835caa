import type { AttributeValue, Item } from '../core/items/attribute-value.ts';
import { hash128, SERVICE_PARTITION } from '../core/items/keys.ts';
import type { ItemKey, ReadOptions, Store } from '../core/store-port.ts';
import { EdgeloomError } from '../foundation/errors.ts';
import { expiryAt } from './claims.ts';
import type { SourceContext } from './context.ts';
import { type PutRecord, putNext, storedIn } from './record.ts';

/** Spreads a source's ledgers over partitions, so that a sync can write thousands of ledgers a second. */
export const LEDGER_SHARDS = 16;

/** DynamoDB allows 400 KB per item; the rest is for the other fields. */
const MOST_KEYS_BYTES = 300_000;

/** Why the mapping or the table refused a source item. */
export interface Refusal {
  code: string;
  reason: string;
  /** When the source item was first refused, in seconds since 1970. */
  since: number;
}

/** Lists the base items made from a source item. */
export interface Ledger {
  key: string;
  /**
   * The ledger's revision, which grows with each touch and is copied to the claims that the touch writes; 0 if there is
   * no ledger.
   */
  token: number;
  /** The token as stored, which may be damaged; undefined if there is none. */
  seen?: AttributeValue | undefined;
  /** The keys (`textOfKey`) of all base items that the source item makes or may have made. */
  keys: readonly string[];
  /**
   * The progress of an unfinished touch: all keys up to `through` are written. `hash` identifies the touch's whole
   * output.
   */
  part?: { hash: string; through: string } | undefined;
  refusal?: Refusal | undefined;
  /** The last sync that touched the source item. */
  sync?: string | undefined;
}

export function partitionOf(source: string, shard: number): string {
  return `${SERVICE_PARTITION}/ledger/${source}/${shard}`;
}

function keyOfLedger(source: string, key: string): ItemKey {
  const hash = hash128(key);
  return { source: partitionOf(source, Number.parseInt(hash.slice(0, 2), 16) % LEDGER_SHARDS), target: hash };
}

/** Eventually consistent by default, because writes based on an outdated ledger fail. */
export async function readLedger(
  store: Pick<Store, 'get'>,
  source: string,
  key: string,
  options: ReadOptions = { consistent: false },
): Promise<Ledger> {
  const { item } = await store.get(keyOfLedger(source, key), options);
  return { ...ledgerOf(item), key };
}

/** The key is empty if the item is absent or damaged. */
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

export function checkKeys(maker: string, keys: readonly string[]): void {
  const bytes = keys.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  if (bytes <= MOST_KEYS_BYTES) return;
  throw new EdgeloomError(
    'invalid-mapping',
    `The source item ${maker} makes, with what it made before, ${keys.length} items whose keys have ${bytes} bytes, of ${MOST_KEYS_BYTES}.`,
    'Map it to fewer items, or to items with shorter keys: make an edge of the other end, or a node between.',
  );
}
