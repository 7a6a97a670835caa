import { type Item, itemSizeBytes, stringOf } from '../items/attribute-value.ts';
import { COUNTED, MODEL, WATERMARK } from '../items/derived-item.ts';
import type { CompiledModel } from '../model/compiled.ts';
import { countKeyOf } from '../model/projection/places.ts';
import { derivedOf } from '../plan/derive.ts';
import type { CountedUnit, IndexUnit } from '../plan/unit.ts';
import { isFenced, isStale } from '../plan/writes/stale.ts';
import { isAsWanted, settledIndexUpdate } from '../plan/writes/updates.ts';
import { readItems } from '../store/pages.ts';
import { type DerivedUpdate, TRANSACTION_ITEMS } from '../store/port.ts';
import { type ApplyContext, epochSeconds, updateItem } from './context.ts';
import { reconcileAll } from './reconcile.ts';

/**
 * Counted edges. The count of a node's edges equals the number of their live index items. An item that becomes live or a tombstone
 * changes the count in the same transaction, under the item's revision, so that a replay does not change it a second time. Items
 * that stay live are written as other items are.
 */

/** Bytes of the items in one transaction; DynamoDB allows 4 MB. */
const TRANSACTION_BYTES = 3_000_000;

/** A counted item as it was read, and its expected fields. */
interface Change {
  unit: IndexUnit;
  current: Item | undefined;
  wanted: Item | undefined;
  update: DerivedUpdate;
}

/** Applies the changes of one batch to the counted edges of one type and node, with as many items in each transaction as fit. */
export async function applyCountedUnit(context: ApplyContext, unit: CountedUnit): Promise<void> {
  for (const chunk of chunksOf(unit.items)) {
    await reconcileAll<IndexUnit, Expected>(context, chunk, {
      // rule: counted-items-before-their-bases, first
      actual: (units) =>
        readItems(
          context,
          units.map(({ source, sortKey }) => ({ source, target: sortKey })),
        ),
      expected: (units, currents, attempt) => expectedOf(context, units, currents, attempt === 1),
      write: (seen) => written(context, unit.countName, changesOf(context, seen)),
    });
  }
}

/**
 * Writes one counted item, and the count if it changes; false if the item has changed since it was read.
 *
 * `wanted`: the fields that `update` writes.
 */
export async function writeCounted(
  context: ApplyContext,
  current: Item | undefined,
  wanted: Item | undefined,
  update: DerivedUpdate,
  countName: string,
): Promise<boolean> {
  const change = difference(current, wanted, countName);
  if (change === 0) return (await updateItem(context, update)).applied;
  return await transacted(context, [update, countUpdate(context.graph, update.key.source, countName, change)]);
}

function chunksOf(items: readonly IndexUnit[]): IndexUnit[][] {
  const chunks: IndexUnit[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const item of items) {
    const size = item.wanted === undefined ? 0 : itemSizeBytes(item.wanted);
    const last = chunks.at(-1);
    // One place in the transaction is for the count.
    if (last === undefined || last.length === TRANSACTION_ITEMS - 1 || bytes + size > TRANSACTION_BYTES) {
      chunks.push([item]);
      bytes = size;
    } else {
      last.push(item);
      bytes += size;
    }
  }
  return chunks;
}

/** The expected fields of a counted item, and whether its base item decided about them. */
interface Expected {
  wanted: Item | undefined;
  isTruth: boolean;
}

/** For a record that is not newer than its item and contradicts it, the base item decides. */
async function expectedOf(
  context: ApplyContext,
  units: readonly IndexUnit[],
  currents: readonly (Item | undefined)[],
  isFirst: boolean,
): Promise<Expected[]> {
  const { graph, stats } = context;
  // rule: fence-of-a-counted-item-counts
  const stale = units.filter((unit, i) => isStale(unit.newest, currents[i]) || isFenced(unit.records, currents[i]));
  if (isFirst) stats.stale += stale.length;
  const contradicting = units.filter(
    (unit, i) => unit.byBase === true || (stale.includes(unit) && !isAsWanted(currents[i], unit.wanted)),
  );
  stats.contradictions += contradicting.length;
  // rule: counted-items-before-their-bases, then
  const bases = await readItems(
    context,
    contradicting.map(({ base: { source, target } }) => ({ source, target })),
  );
  const truths = new Map(
    contradicting.map(({ source, base, sortKey }, i) => [
      sortKey,
      derivedOf(graph, source, base.target, bases[i]).indexItems.get(sortKey),
    ]),
  );
  return units.map(({ sortKey, wanted }) => {
    const isTruth = truths.has(sortKey);
    return { wanted: isTruth ? truths.get(sortKey) : wanted, isTruth };
  });
}

function changesOf(
  context: ApplyContext,
  seen: readonly { one: IndexUnit; actual: Item | undefined; expected: Expected }[],
): Change[] {
  const changes: Change[] = [];
  for (const { one: unit, actual: current, expected } of seen) {
    const { wanted, isTruth } = expected;
    // Only if the same records wrote the item, a write is unnecessary. Any other unit that agrees still changes the revision, as
    // for items that are not counted.
    const isTheSame = stringOf(current?.[WATERMARK]) === unit.newest;
    const isSettled = unit.byBase === true && isAsWanted(current, wanted);
    // rule: counted-item-that-agrees-leaves-a-trace
    if (isTheSame && (!isTruth || isSettled)) continue;
    const update = settledIndexUpdate(context.graph, unit, current, wanted, epochSeconds(context));
    changes.push({ unit, current, wanted, update });
  }
  return changes;
}

/** Writes changes; returns the units whose items have changed since they were read. */
async function written(context: ApplyContext, countName: string, changes: readonly Change[]): Promise<IndexUnit[]> {
  const open: IndexUnit[] = [];
  const moving: Change[] = [];
  let change = 0;
  for (const one of changes) {
    const moves = difference(one.current, one.wanted, countName);
    change += moves;
    if (moves !== 0) moving.push(one);
    else if (!(await updateItem(context, one.update)).applied) open.push(one.unit);
  }
  if (moving.length === 0) return open;
  // The count is written even if the changes add up to zero: a repair that counts the items has to see that they changed.
  const { source } = moving[0]!.unit;
  const updates = moving.map(({ update }) => update);
  // rule: count-moves-with-its-items
  if (await transacted(context, [...updates, countUpdate(context.graph, source, countName, change)])) return open;
  return [...open, ...moving.map(({ unit }) => unit)];
}

/** The change of a count by writing an item: 1, -1 or 0. An item that names another count does not matter. */
function difference(current: Item | undefined, wanted: Item | undefined, countName: string): number {
  const isIn = (item: Item | undefined): number => Number(stringOf(item?.[COUNTED]) === countName);
  // rule: count-follows-the-item-seen
  return isIn(wanted) - isIn(current);
}

async function transacted(context: ApplyContext, updates: readonly DerivedUpdate[]): Promise<boolean> {
  context.stats.writes += 1;
  const { applied, wcu } = await context.store.transact(updates);
  context.stats.wcu += wcu;
  return applied;
}

/** Makes the update that changes the count of a node's edges of a type. */
function countUpdate(graph: CompiledModel, source: string, countName: string, change: number): DerivedUpdate {
  return {
    key: { source, target: countKeyOf(countName) },
    set: { [MODEL]: { S: graph.fingerprint } },
    unset: [],
    addCount: change,
    condition: { kind: 'none' },
  };
}
