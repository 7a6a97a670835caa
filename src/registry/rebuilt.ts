import { type Item, numberOf, stringOf } from '../core/items/attribute-value.ts';
import { SERVICE_PARTITION } from '../core/items/keys.ts';
import type { CompiledModel } from '../core/model/compiled.ts';
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
const OF_MODEL = 'model';
/** How long the note is kept: longer than a record stays in the stream. */
const KEPT_SECONDS = 48 * 3600;

/** The content of the newest rebuild's note. */
export interface Rebuild {
  /** The time before which records are reconciled, in milliseconds since 1970. */
  reconcileBeforeMs: number;
  /** Fingerprint of the model that the table was rebuilt by. */
  model: string;
}

/**
 * Notes that a rebuild begins, unless the table has a registry: that says since when its projections are maintained.
 *
 * @param nowMs DynamoDB's time, in milliseconds since 1970.
 */
export async function noteRebuild(
  store: Pick<Store, 'get' | 'put'>,
  model: CompiledModel,
  nowMs: number,
): Promise<void> {
  if ((await readHead({ store, stats: { rcu: 0 } })) !== undefined) return;
  const note: Item = {
    [model.table.partitionKey]: { S: REBUILT.source },
    [model.table.sortKey]: { S: REBUILT.target },
    [SINCE_MS]: { N: String(Math.floor(nowMs)) },
    [OF_MODEL]: { S: model.fingerprint },
    [model.table.ttl]: { N: String(Math.floor(nowMs / 1000) + KEPT_SECONDS) },
  };
  await store.put(note);
}

/** The newest rebuild that has left a note; undefined if none has. */
export async function newestRebuild(reader: CountingReader<'get'>): Promise<Rebuild | undefined> {
  const note = await readItem(reader, REBUILT);
  const sinceMs = Number(numberOf(note?.[SINCE_MS]) ?? 0);
  if (!(sinceMs > 0)) return undefined;
  return { reconcileBeforeMs: sinceMs + CLOCK_MARGIN_MS, model: stringOf(note?.[OF_MODEL]) ?? '' };
}
