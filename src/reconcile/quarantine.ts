import type { Item } from '../core/items/attribute-value.ts';
import { textOfKey } from '../core/items/keys.ts';
import { isJoinedKey } from '../core/kinds/joined.ts';
import type { CompiledModel } from '../core/model/compiled.ts';
import { entryUpdate, formsOfEntry, refusalEntry, refusalKey, unwrittenEntry } from '../core/plan/quarantine-entry.ts';
import { type EntryTouch, entryTouch, type ItemTouch, keyOfTouch, type Touch } from '../core/plan/touch.ts';
import { hasExpectedFields } from '../core/plan/writes/item-update.ts';
import type { ItemKey } from '../core/store-port.ts';
import { StoreError } from '../foundation/errors.ts';
import { type ApplyContext, type Refusal, updateItem } from './apply-context.ts';
import type { BaseItems } from './base-items.ts';

export interface SeenItem {
  was: Item | undefined;
  readAtMs: number;
}

/**
 * Writes a quarantine entry. If the table refuses it, tries smaller forms, so that no record holds up later ones. If
 * the table refuses them all, only the log and `quarantined` report the item, until a check finds it. Returns the
 * current entry if it has changed since it was read.
 *
 * @param refusal the refused derived item; undefined if the entry is about a base item.
 */
export async function putEntry(
  context: ApplyContext,
  key: ItemKey,
  was: Item | undefined,
  content: Item,
  refusal?: Refusal,
): Promise<SeenItem | undefined> {
  const { graph, stats } = context;
  let refused: StoreError | undefined;
  for (const form of formsOfEntry(content)) {
    const readAtMs = context.now();
    try {
      const result = await updateItem(context, entryUpdate(graph, key, was, form, readAtMs));
      if (!result.applied) return { was: result.current, readAtMs };
      refused = undefined;
      break;
    } catch (error) {
      if (!(error instanceof StoreError) || error.kind !== 'terminal') throw error;
      refused = error;
    }
  }
  stats.quarantined += 1;
  const written = refused === undefined ? content : unwrittenEntry(content, refused);
  context.onQuarantine?.(written, refused !== undefined, refusal);
  return undefined;
}

/**
 * Returns the current entry if it has changed since it was read. The caller then has to retry the derived item, because
 * a redrive may have ended the entry.
 */
export async function putRefusal(
  context: ApplyContext,
  touch: Touch,
  error: StoreError,
  seen: SeenItem | undefined,
): Promise<SeenItem | undefined> {
  // rule: refusal-rests-on-the-entry-read-before
  const was = seen?.was;
  // rule: refusal-is-written-under-the-revision-read
  const content = refusalEntry(touch, was, error, context.now());
  return await putEntry(context, refusalKey(touch), was, content, { touch, error });
}

export interface JointEntry {
  entry: EntryTouch;
  isBefore: boolean;
}

/**
 * The record of one item doesn't show a fault of an edge together with its source node. So the entry for such a fault
 * follows the joined item: it is written after an item that fails, and removed before an item that returns.
 */
export function jointEntry(
  graph: CompiledModel,
  touch: ItemTouch,
  { was, expected }: { was: Item | undefined; expected?: Item | undefined },
  bases: BaseItems,
  isScan: boolean,
): JointEntry | undefined {
  if (touch.source !== touch.base.source || !isJoinedKey(graph, touch.base.target, touch.sortKey)) return undefined;
  const { joint = [] } = bases.derivedOf(touch.base);
  const entry = { ...entryTouch(touch.base), records: touch.records };
  if (joint.length > 0) return { entry, isBefore: false };
  // rule: joint-fault-has-an-entry
  const wasEmpty = was !== undefined && hasExpectedFields(was, undefined);
  // TTL may have deleted the empty item of a failure. A scan finds the entry itself, so it needn't guess.
  // rule: absent-item-may-have-failed
  const mayHaveFailed = was === undefined && !isScan && !isOfNewEdge(touch);
  if (!wasEmpty && !mayHaveFailed) return undefined;
  // `isLook` is enough: a worker with older reads writes the empty item before its entry, and that write fails.
  const mayStay = expected === undefined || was === undefined;
  // rule: entry-goes-before-its-item-comes-back
  const isBefore = expected !== undefined;
  return { entry: mayStay ? { ...entry, isLook: true } : entry, isBefore };
}

function isOfNewEdge({ base, records }: ItemTouch): boolean {
  return (
    records.length > 0 &&
    records.every(
      ({ source, target, oldImage, isPartial }) =>
        source === base.source && target === base.target && oldImage === undefined && isPartial !== true,
    )
  );
}

/** An entry that has to be written replaces one that is only looked at (`isLook`). */
export function addEntry(entries: Map<string, EntryTouch>, entry: EntryTouch): void {
  const place = textOfKey(keyOfTouch(entry));
  if (entry.isLook !== true || !entries.has(place)) entries.set(place, entry);
}
