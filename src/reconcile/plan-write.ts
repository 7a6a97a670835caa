import type { Item } from '../core/items/attribute-value.ts';
import { isTombstone, OTHER } from '../core/items/derived-item.ts';
import { countHolding } from '../core/kinds/count.ts';
import type { CompiledModel } from '../core/model/compiled.ts';
import { entryUpdate, faultEntry } from '../core/plan/quarantine-entry.ts';
import { keyOfTouch, type Reconcilable } from '../core/plan/touch.ts';
import { itemUpdate } from '../core/plan/writes/item-update.ts';
import { changesNothing, correctionsOf, viewUpdate } from '../core/plan/writes/view-update.ts';
import type { DerivedUpdate } from '../core/store-port.ts';
import { type BaseItems, sharingTargets } from './base-items.ts';
import type { SeenEntry } from './quarantine.ts';

export interface Open {
  touch: Reconcilable;
  seen?: { was: Item | undefined; readAtMs: number };
  entry?: SeenEntry;
}

export interface Planned {
  open: Open;
  was: Item | undefined;
  update: DerivedUpdate;
  expected?: Item | undefined;
  count?: string | undefined;
  content?: Item | undefined;
  /** False if only the entry's tombstone is written yet. */
  isBegun?: boolean;
}

interface Planning {
  graph: CompiledModel;
  nowMs: number;
  isScan: boolean;
}

/**
 * Undefined: nothing to write. Records always leave a new revision, since a worker with an older read must fail. A scan
 * writes only what is wrong.
 */
export function planWrite(
  { graph, nowMs, isScan }: Planning,
  open: Open,
  was: Item | undefined,
  bases: BaseItems,
): Planned | undefined {
  const { touch } = open;
  const now = Math.floor(nowMs / 1000);
  const isToWrite = (update: DerivedUpdate, isGone: boolean): boolean => {
    // rule: equal-item-gets-a-new-revision
    if (!isScan) return true;
    if (isGone) return was !== undefined && !isTombstone(was, graph.table);
    return !changesNothing(update);
  };
  if (touch.kind === 'view') {
    // A scan may have found edges of an evicted type in the view.
    const targets = isScan ? touch.targets : sharingTargets(touch.targets, was);
    const { source } = touch;
    const shares = new Map(targets.map((target) => [target, bases.derivedOf({ source, target })]));
    const corrections = isScan ? correctionsOf(graph, was) : {};
    const update = viewUpdate(graph, source, was, { shares, copies: bases.copiesOf(targets), corrections }, now);
    return isToWrite(update, update.set[graph.table.ttl] !== undefined) ? { open, was, update } : undefined;
  }
  if (touch.kind === 'entry') {
    const { problems } = bases.derivedOf(touch.base);
    const content = faultEntry({ base: touch.base, was, problems, records: touch.records }, nowMs);
    // A look leaves no trace of an absent entry. So a writer leaves a trace first, and then reads the base item again:
    // either nothing has changed since the look, or the look finds the trace.
    // rule: entry-begins-as-a-tombstone
    const isBegun = content === undefined || was !== undefined;
    const update = entryUpdate(graph, keyOfTouch(touch), was, isBegun ? content : undefined, nowMs);
    // rule: look-leaves-alone-only-what-is-absent
    const mayStay = isLook(touch) && content === undefined && was === undefined;
    return mayStay || !isToWrite(update, content === undefined) ? undefined : { open, was, update, content, isBegun };
  }
  const expected = bases.fieldsOf(touch.base, keyOfTouch(touch));
  const update = itemUpdate(graph, keyOfTouch(touch), was, expected, now);
  const count = countHolding(graph, touch.base, touch.sortKey)?.name;
  const isLacking = count !== undefined && expected !== undefined && was?.[OTHER] !== undefined;
  return isLacking || isToWrite(update, expected === undefined) ? { open, was, update, expected, count } : undefined;
}

/** A touch that may end without a write: it needn't overtake any later read. */
export function isLook(touch: Reconcilable): boolean {
  return touch.kind === 'entry' && touch.isLook === true;
}
