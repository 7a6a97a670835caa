import pMap from 'p-map';
import { attributeOf, type Item, numberOf, stringOf } from '../core/items/attribute-value.ts';
import { hash128, SERVICE_PARTITION, textOfKey } from '../core/items/keys.ts';
import type { CompiledModel } from '../core/model/compiled.ts';
import { queriedItems, type ReadStats, readItem } from '../core/store-pages.ts';
import type { ItemKey, Store } from '../core/store-port.ts';
import { type Contributions, contributionsOf, liveMakers } from './contributions.ts';
import { keyOfText } from './mapped.ts';

/**
 * Base items that several source items make, found without a look at every base item: whoever writes such an item, or meets it again, leaves
 * a note with its revision. A note may outlive its conflict, so the item itself is asked.
 */

/** A base item that several source items make. */
export interface Conflict extends ItemKey {
  /** The source item whose content it shows. */
  shown: string;
  makers: string[];
}

const PREFIX = 'mirror-conflict/';

/** Leaves a note of a base item if several source items make it. The item is written before, so that none is missed. */
export async function noteConflict(
  { graph, store }: { graph: CompiledModel; store: Pick<Store, 'change'> },
  key: ItemKey,
  contributions: Contributions,
): Promise<void> {
  if (liveMakers(contributions).length < 2) return;
  const text = textOfKey(key);
  const noteKey = { source: SERVICE_PARTITION, target: PREFIX + hash128(text) };
  const item: Item = {
    [graph.table.partitionKey]: { S: noteKey.source },
    [graph.table.sortKey]: { S: noteKey.target },
    key: { S: text },
    rev: { N: contributions.revision },
  };
  await store.change({ kind: 'put', key: noteKey, item });
}

/** The base items that several source items make, as far as one look goes. */
export interface FoundConflicts {
  conflicts: Conflict[];
  /** More notes are left than one look takes: there may be more conflicts. */
  hasMore: boolean;
}

/** Notes that one look takes: it has to end within a call of a function. */
const MOST_NOTES = 1_000;
/** Notes that are looked at together. */
const CONCURRENCY = 16;

/**
 * The base items that several source items make now, of the first 1,000 notes.
 *
 * @param prunes the table, if notes of conflicts that have ended are to be deleted.
 */
export async function conflictsNow(
  graph: CompiledModel,
  { store, stats }: { store: Pick<Store, 'get' | 'query'>; stats: ReadStats },
  prunes?: Pick<Store, 'change'>,
): Promise<FoundConflicts> {
  const notes: { text: string; rev: string }[] = [];
  let hasMore = false;
  const request = { partition: SERVICE_PARTITION, sortKey: { beginsWith: PREFIX }, consistent: true };
  for await (const note of queriedItems(store, { ...request, limit: MOST_NOTES + 1 }, stats)) {
    const text = stringOf(attributeOf(note, 'key'));
    const rev = numberOf(attributeOf(note, 'rev'));
    hasMore = notes.length === MOST_NOTES;
    if (hasMore) break;
    if (text !== undefined && rev !== undefined) notes.push({ text, rev });
  }
  // Single reads: whoever looks may read items, and need not have the right to read batches of them.
  const ask = async ({ text, rev }: (typeof notes)[number]): Promise<Conflict | undefined> => {
    const key = keyOfText(text);
    const contributions = contributionsOf(graph, await readItem({ store, stats }, key));
    const makers = contributions === undefined ? [] : liveMakers(contributions).sort();
    if (makers.length > 1) return { ...key, shown: contributions!.shown, makers };
    if (prunes !== undefined) {
      // A conflict that began since has left a note with another revision.
      const noteKey = { source: SERVICE_PARTITION, target: PREFIX + hash128(text) };
      // rule: mirror-forgets-a-note-that-is-as-it-was
      await prunes.change({ kind: 'delete', key: noteKey, condition: { equal: { rev: { N: rev } } } });
    }
    return undefined;
  };
  const found = await pMap(notes, ask, { concurrency: CONCURRENCY });
  return { conflicts: found.filter((one) => one !== undefined), hasMore };
}
