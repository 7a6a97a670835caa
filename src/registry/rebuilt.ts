import { type Item, numberOf } from '../core/items/attribute-value.ts';
import { SERVICE_PARTITION } from '../core/items/keys.ts';
import type { TableNames } from '../core/model/compiled.ts';
import { type CountingReader, readItem } from '../core/store-pages.ts';
import type { ItemKey, Store } from '../core/store-port.ts';
import { CLOCK_MARGIN_MS } from './effective.ts';
import { readHead } from './head.ts';

/**
 * The note that a rebuild leaves in a table without a registry. A rebuild puts no tombstone where nothing is and nothing should be. So a
 * record that comes again after it could bring an item back that only consumers of an earlier model have taken away.
 */

const REBUILT: ItemKey = { source: SERVICE_PARTITION, target: 'rebuilt' };
const SINCE_MS = 'sinceMs';
/** How long the note is kept: longer than a record stays in the stream. */
const KEPT_SECONDS = 48 * 3600;

/**
 * Notes that a rebuild begins, unless the table has a registry: that says since when its projections are maintained.
 *
 * @param nowMs DynamoDB's time, in milliseconds since 1970.
 */
export async function noteRebuild(store: Pick<Store, 'get' | 'put'>, table: TableNames, nowMs: number): Promise<void> {
  if ((await readHead({ store, stats: { rcu: 0 } })) !== undefined) return;
  const note: Item = {
    [table.partitionKey]: { S: REBUILT.source },
    [table.sortKey]: { S: REBUILT.target },
    [SINCE_MS]: { N: String(Math.floor(nowMs)) },
    [table.ttl]: { N: String(Math.floor(nowMs / 1000) + KEPT_SECONDS) },
  };
  await store.put(note);
}

/** The time before which records are reconciled, in milliseconds since 1970; 0: no rebuild has noted one. */
export async function reconcileBeforeMs(reader: CountingReader<'get'>): Promise<number> {
  const sinceMs = Number(numberOf((await readItem(reader, REBUILT))?.[SINCE_MS]) ?? 0);
  return sinceMs > 0 ? sinceMs + CLOCK_MARGIN_MS : 0;
}
