import pMap from 'p-map';
import { type Item, itemSizeBytes, stringOf, textsOf } from '../core/items/attribute-value.ts';
import { COUNT, COUNTED, MODEL, OTHER, REVISION, revisionOf, unchangedCondition } from '../core/items/derived-item.ts';
import {
  type Amounts,
  addAmounts,
  amountsOf,
  type CountedChange,
  groupValuesByAttribute,
  hasNewGroupValue,
  isAmountAttribute,
  isZeroAmounts,
  Room,
  sameAmounts,
  soundAmounts,
  withGroupsWithoutRoom,
} from '../core/items/ledger.ts';
import { textOfUnits } from '../core/items/units.ts';
import { countNamed, isKeptCount, itemsToCount, readCountWithItems } from '../core/kinds/count.ts';
import { CountPlaces, countKeyOf, placesOfCount } from '../core/model/projection/places.ts';
import { queriedItems, readItem } from '../core/store-pages.ts';
import {
  type DerivedUpdate,
  type ItemKey,
  TRANSACTION_ITEMS,
  type TransactResult,
  type UpdateCondition,
  type UpdateOutcome,
} from '../core/store-port.ts';
import { StoreError } from '../foundation/errors.ts';
import { type ApplyContext, checkSending, isTooLate, updateItem } from './apply-context.ts';
import { reconcileItem } from './reconcile-item.ts';

/**
 * A count equals the number of live items of a node's edges. An item whose part in the count changes is written in one
 * transaction with the count, so that a replay doesn't count it twice.
 */

/** DynamoDB allows 4 MB. */
const TRANSACTION_BYTES = 3_000_000;
/** The update of the count names each changed value, within 4 KB. */
const MOST_CHANGED_VALUES = 100;

/** An expression has room for 4 KB. A check finds the rest. */
const MOST_REMOVED = 100;
const READS_AT_ONCE = 32;

export interface CountedWrite extends CountedChange {
  update: DerivedUpdate;
}

export interface CountedOptions {
  remainingMs: () => number;
  /** Values that had no room in the count get it if there is some now. */
  readmits?: boolean;
}

export async function writeCounted(
  context: ApplyContext,
  countName: string,
  changes: readonly CountedWrite[],
  options: CountedOptions,
): Promise<UpdateOutcome[]> {
  const outcomes = new Map<CountedWrite, UpdateOutcome>();
  const { readmits = false } = options;
  const still = changes.filter((one) => leavesCountUnchanged(one, countName, readmits));
  const moving = changes.filter((one) => !still.includes(one));
  if (still.length > 0) {
    context.stats.writes += still.length;
    const updates = still.map(withKeptGroupValues);
    const made = await context.store.updateMany(updates, { remainingMs: options.remainingMs });
    for (const [i, outcome] of made.entries()) outcomes.set(still[i]!, outcome);
  }
  for (const chunk of transactionChunks(moving, itemsPerTransaction(context, countName)))
    await writeMoving(context, countName, chunk, options, outcomes);
  return changes.map((one) => outcomes.get(one)!);
}

/** If DynamoDB refuses one of the items, each is written by itself, so that only that one is quarantined. */
async function writeMoving(
  context: ApplyContext,
  countName: string,
  chunk: readonly CountedWrite[],
  options: CountedOptions,
  outcomes: Map<CountedWrite, UpdateOutcome>,
): Promise<void> {
  try {
    const { applied, wcu } = await writeWithCount(context, countName, chunk, options);
    for (const [i, one] of chunk.entries()) {
      const units = i === 0 ? wcu : 0;
      outcomes.set(one, applied ? { applied, wcu: units } : { applied, wcu: units, isUnread: true });
    }
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    if (error.kind === 'terminal' && chunk.length > 1) {
      for (const one of chunk) await writeMoving(context, countName, [one], options, outcomes);
      return;
    }
    for (const one of chunk) outcomes.set(one, { applied: false, error });
  }
}

/** One place is for the count. Each group of an item may leave one value for another. */
function itemsPerTransaction({ graph }: ApplyContext, countName: string): number {
  const groups = countNamed(graph, countName)?.totals?.groups.length ?? 0;
  return Math.min(TRANSACTION_ITEMS - 1, groups === 0 ? TRANSACTION_ITEMS : MOST_CHANGED_VALUES / (2 * groups)) | 0;
}

function transactionChunks(changes: readonly CountedWrite[], most: number): CountedWrite[][] {
  const chunks: CountedWrite[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const one of changes) {
    const size = one.expected === undefined ? 0 : itemSizeBytes(one.expected);
    const last = chunks.at(-1);
    if (last === undefined || last.length === most || bytes + size > TRANSACTION_BYTES) {
      chunks.push([one]);
      bytes = size;
    } else {
      last.push(one);
      bytes += size;
    }
  }
  return chunks;
}

/** The numbers of the expected item, less those of the current one. An item that names another count has none. */
function countDifference(current: Item | undefined, expected: Item | undefined, countName: string): Amounts {
  const difference = amountsOf(expected, countName);
  // rule: count-follows-the-item-seen
  // rule: entry-names-its-values
  addAmounts(difference, amountsOf(current, countName), -1n);
  return difference;
}

/** Values that the item has already keep their place in the count. */
function leavesCountUnchanged(change: CountedChange, countName: string, readmits = false): boolean {
  if (hasNewGroupValue(change, readmits)) return false;
  const { current, expected } = change;
  return isZeroAmounts(countDifference(current, withGroupsWithoutRoom(expected, textsOf(current?.[OTHER])), countName));
}

function withKeptGroupValues({ update, current, expected }: CountedWrite): DerivedUpdate {
  return updateNamingGroupsWithoutRoom(update, expected?.[COUNTED] === undefined ? [] : textsOf(current?.[OTHER]));
}

async function writeWithCount(
  context: ApplyContext,
  countName: string,
  changes: readonly CountedWrite[],
  { remainingMs, readmits = false }: CountedOptions,
): Promise<TransactResult> {
  const { source } = changes[0]!.update.key;
  const key = { source, target: countKeyOf(countName) };
  const isNew = changes.some((change) => hasNewGroupValue(change, readmits));
  const count = isNew ? await readItem(context, key) : undefined;
  const room = new Room(count, countName, changes, readmits);
  const difference: Amounts = new Map([[COUNT, 0n]]);
  const updates = changes.map((change) => {
    const { current, expected, update } = change;
    const others = room.groupsWithoutRoom(change);
    addAmounts(difference, countDifference(current, withGroupsWithoutRoom(expected, others), countName));
    return updateNamingGroupsWithoutRoom(update, others);
  });
  const { freed } = room;
  for (const attribute of freed.unset) difference.delete(attribute);
  const add = [...difference].filter(([attribute, units]) => attribute === COUNT || units !== 0n);
  const addTo = Object.entries(groupValuesByAttribute(difference)).filter(
    ([attribute]) => freed.set[attribute] === undefined,
  );
  // Written even if the changes add up to zero: a repair that counts the items has to see that they changed.
  const countUpdate: DerivedUpdate = {
    key,
    set: { [MODEL]: { S: context.graph.fingerprint }, ...freed.set },
    unset: freed.unset,
    add: Object.fromEntries(add.map(([attribute, units]) => [attribute, textOfUnits(units)])),
    addTo: Object.fromEntries(addTo),
    // rule: room-is-taken-under-the-revision-seen
    condition: room.isTaken ? unchangedCondition(count, undefined) : conditionOfValues(room.held),
  };
  // Asked last: reading the count may take any time.
  if (remainingMs() <= 0) throw new StoreError('retryable', 'no-time', 'No time is left for the write.');
  context.stats.writes += 1;
  // rule: count-moves-with-its-items
  // rule: count-moves-with-every-transaction
  return await context.store.transact([...updates, countUpdate]);
}

/** A full group may have given the room of these values away. */
function conditionOfValues(texts: Room['held']): UpdateCondition {
  // rule: value-is-added-to-while-it-has-room
  return Object.keys(texts).length === 0 ? { kind: 'none' } : { kind: 'holding', texts };
}

function updateNamingGroupsWithoutRoom(update: DerivedUpdate, groups: readonly string[]): DerivedUpdate {
  return groups.length === 0
    ? { ...update, unset: [...update.unset, OTHER] }
    : { ...update, set: { ...update.set, [OTHER]: { SS: [...groups] } } };
}

/**
 * A Query that runs during a transaction proves nothing, so its result is trusted only if it equals the count.
 * Otherwise each item is read by itself.
 */
export async function reconcileCount(context: ApplyContext, source: string, sortKey: string): Promise<void> {
  const key = { source, target: sortKey };
  await reconcileItem(context, {
    key,
    expected: (seen) => readCountWithItems(context, source, sortKey, seen),
    update(_seen, { live, stored }) {
      const amounts = soundAmounts(stored);
      const isRight = amounts !== undefined && sameAmounts(amounts, live);
      if (isRight && stored?.[context.graph.table.ttl] === undefined) return undefined;
      return countUpdate(context, key, stored, amounts ?? new Map());
    },
    writeIfUnchanged: (move, { expected: { stored } }, readAtMs) => writeExactCount(context, stored, move, readAtMs),
    backsOff: true,
  });
}

/**
 * The transaction that wrote an item updated only the count that covers its key (`holding`). If the item wrongly named
 * another count (`name`), that count still includes the item.
 */
export async function reconcileOtherCount(
  context: ApplyContext,
  source: string,
  name: string | undefined,
  holding: string | undefined,
): Promise<void> {
  if (name === undefined || name === holding) return;
  const target = countKeyOf(name);
  if (isKeptCount(context.graph, target)) await reconcileCount(context, source, target);
}

/**
 * A Query may show items from before a transaction whose count GetItem already shows. So the count's revision is
 * changed first, which fails while a transaction is under way; then each item is read by itself. False if the count has
 * changed meanwhile.
 *
 * @param move the update that only changes the count's revision.
 */
async function writeExactCount(
  context: ApplyContext,
  current: Item | undefined,
  move: DerivedUpdate,
  readAtMs: number,
): Promise<boolean> {
  const { key } = move;
  if (isTooLate(context, readAtMs)) return false;
  const movedAtMs = context.now();
  // rule: count-moves-before-its-items-are-read, first
  const moved = await updateItem(context, move);
  // A malformed revision was just replaced: the next attempt reads the new one.
  const isNumber = current?.[REVISION] === undefined || revisionOf(current) !== undefined;
  if (!moved.applied || !isNumber) return false;
  const afterMove: Item = { ...current, ...move.set, [REVISION]: { N: String(Number(revisionOf(current) ?? 0) + 1) } };
  // rule: count-moves-before-its-items-are-read, then
  const amounts = await countExactly(context, key);
  checkSending(context, movedAtMs);
  // rule: count-is-repaired-under-its-revision
  return (await updateItem(context, countUpdate(context, key, afterMove, amounts))).applied;
}

async function countExactly(context: ApplyContext, { source, target: countKey }: ItemKey): Promise<Amounts> {
  const { store, graph } = context;
  const places = placesOfCount(countKey);
  const sortKeys = new Set<string>();
  const sortKeyOf = (item: Item): string => stringOf(item[graph.table.sortKey])!;
  for await (const item of itemsToCount(store, source, countKey)) sortKeys.add(sortKeyOf(item));
  if (places instanceof CountPlaces) {
    const beginsWith = `${places.edgeType}-`;
    const edges = queriedItems(store, { partition: source, sortKey: { beginsWith }, consistent: true });
    for await (const item of edges) sortKeys.add(places.itemKey({ target: sortKeyOf(item) }));
  }
  const items = await pMap(sortKeys, (target) => readItem(context, { source, target }), { concurrency: READS_AT_ONCE });
  const amounts: Amounts = new Map();
  for (const item of items) addAmounts(amounts, amountsOf(item, places.name));
  return amounts;
}

function countUpdate(
  { graph }: ApplyContext,
  key: ItemKey,
  current: Item | undefined,
  amounts: Amounts,
): DerivedUpdate {
  const set: Item = { [MODEL]: { S: graph.fingerprint }, [COUNT]: { N: '0' } };
  for (const [attribute, units] of amounts) {
    if (units !== 0n || attribute === COUNT) set[attribute] = { N: textOfUnits(units) };
  }
  for (const [attribute, texts] of Object.entries(groupValuesByAttribute(amounts))) set[attribute] = { SS: texts };
  const left = Object.keys(current ?? {})
    .filter((name) => isAmountAttribute(name) && set[name] === undefined)
    .slice(0, MOST_REMOVED);
  return { key, set, unset: [graph.table.ttl, ...left], condition: unchangedCondition(current, graph.table.ttl) };
}
