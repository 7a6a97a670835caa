import { attributeOf, type Item, numberOf, stringOf } from '../core/items/attribute-value.ts';
import { hash128, SERVICE_PARTITION, textOfKey } from '../core/items/keys.ts';
import type { CompiledModel } from '../core/model/compiled.ts';
import { queriedItems, type ReadStats, readItem } from '../core/store-pages.ts';
import type { ItemKey, Store } from '../core/store-port.ts';
import { type Claims, claimsOf, liveClaimants } from './claims.ts';
import { keyOfText } from './mapped.ts';

/**
 * Base items that several source items make, found without a look at every base item: whoever writes such an item, or meets it again, leaves
 * a note with its revision. A note may outlive its conflict, so the item itself is asked.
 */

/** A base item that several source items make. */
export interface Conflict extends ItemKey {
  /** The source item whose content it shows. */
  owner: string;
  claimants: string[];
}

const PREFIX = 'mirror-conflict/';

/** Leaves a note of a base item if several source items make it. The item is written before, so that none is missed. */
export async function noteConflict(
  { graph, store }: { graph: CompiledModel; store: Pick<Store, 'change'> },
  key: ItemKey,
  claims: Claims,
): Promise<void> {
  if (liveClaimants(claims).length < 2) return;
  const text = textOfKey(key);
  const noteKey = { source: SERVICE_PARTITION, target: PREFIX + hash128(text) };
  const item: Item = {
    [graph.table.partitionKey]: { S: noteKey.source },
    [graph.table.sortKey]: { S: noteKey.target },
    key: { S: text },
    rev: { N: claims.revision },
  };
  await store.change({ kind: 'put', key: noteKey, item });
}

/**
 * The base items that several source items make now.
 *
 * @param pruned the table, if notes of conflicts that have ended are to be deleted.
 */
export async function* conflictsNow(
  graph: CompiledModel,
  { store, stats }: { store: Pick<Store, 'get' | 'query'>; stats: ReadStats },
  pruned?: Pick<Store, 'change'>,
): AsyncGenerator<Conflict, void> {
  const request = { partition: SERVICE_PARTITION, sortKey: { beginsWith: PREFIX }, consistent: true };
  for await (const note of queriedItems(store, request, stats)) {
    const text = stringOf(attributeOf(note, 'key'));
    const rev = numberOf(attributeOf(note, 'rev'));
    if (text === undefined || rev === undefined) continue;
    const key = keyOfText(text);
    const claims = claimsOf(graph, await readItem({ store, stats }, key));
    const claimants = claims === undefined ? [] : liveClaimants(claims).sort();
    if (claimants.length > 1) yield { ...key, owner: claims!.owner, claimants };
    else if (pruned !== undefined) {
      // A conflict that began since has left a note with another revision.
      const noteKey = { source: SERVICE_PARTITION, target: PREFIX + hash128(text) };
      await pruned.change({ kind: 'delete', key: noteKey, condition: { equal: { rev: { N: rev } } } });
    }
  }
}
