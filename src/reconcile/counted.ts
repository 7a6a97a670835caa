import { type Item, itemSizeBytes, textsOf } from '../core/items/attribute-value.ts';
import { COUNT, COUNTED, MODEL, OTHER, unchangedCondition } from '../core/items/derived-item.ts';
import {
  type Amounts,
  addAmounts,
  amountsOf,
  type CountedChange,
  groupValuesByAttribute,
  hasNewGroupValue,
  isZeroAmounts,
  Room,
  withGroupsWithoutRoom,
} from '../core/items/ledger.ts';
import { textOfUnits } from '../core/items/units.ts';
import { countNamed } from '../core/kinds/count.ts';
import { countKeyOf } from '../core/model/projection/places.ts';
import { readItem } from '../core/store-pages.ts';
import {
  type DerivedUpdate,
  TRANSACTION_ITEMS,
  type TransactResult,
  type UpdateCondition,
  type UpdateOutcome,
} from '../core/store-port.ts';
import { StoreError } from '../foundation/errors.ts';
import type { ApplyContext } from './apply-context.ts';

/** Below the 4 MB that DynamoDB allows in a transaction. */
const TRANSACTION_BYTES = 3_000_000;
/** The count's update names each changed value, and an expression may have at most 4 KB. */
const MOST_CHANGED_VALUES = 100;

export interface CountedWrite extends CountedChange {
  update: DerivedUpdate;
}

export interface CountedOptions {
  remainingMs: () => number;
  /** Adds group values that had no room in the count, if there is room now. Only scans do. */
  readmits: boolean;
}

/**
 * A node's count of edges equals the number of their live index items. An item whose share in its count changes is
 * written in one transaction with the count, so that a replay doesn't count it twice.
 *
 * @param changes all alter the count.
 */
export async function writeCounted(
  context: ApplyContext,
  countName: string,
  changes: readonly CountedWrite[],
  options: CountedOptions,
): Promise<UpdateOutcome[]> {
  const outcomes = new Map<CountedWrite, UpdateOutcome>();
  for (const chunk of transactionChunks(changes, itemsPerTransaction(context, countName)))
    await writeMoving(context, countName, chunk, options, outcomes);
  return changes.map((one) => outcomes.get(one)!);
}

/** If DynamoDB refuses a transaction, writes each item by itself, so that only the refused one is quarantined. */
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

/** One place in the transaction is for the count. Each group of an item may change two values, an old and a new one. */
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

/** Items that name another count contribute nothing. */
function countDifference(current: Item | undefined, expected: Item | undefined, countName: string): Amounts {
  const difference = amountsOf(expected, countName);
  // rule: count-follows-the-item-seen
  // rule: entry-names-its-values
  addAmounts(difference, amountsOf(current, countName), -1n);
  return difference;
}

/** Groups that had no room (`OTHER`) stay without room, unless a value is new or `readmits` is set. */
export function movesCount(change: CountedChange, countName: string, readmits: boolean): boolean {
  if (hasNewGroupValue(change, readmits)) return true;
  const { current, expected } = change;
  return !isZeroAmounts(
    countDifference(current, withGroupsWithoutRoom(expected, textsOf(current?.[OTHER])), countName),
  );
}

/** Keeps the item's list of groups without room, because the count doesn't change. */
export function withKeptGroupValues({ update, current, expected }: CountedWrite): DerivedUpdate {
  return updateNamingGroupsWithoutRoom(update, expected?.[COUNTED] === undefined ? [] : textsOf(current?.[OTHER]));
}

async function writeWithCount(
  context: ApplyContext,
  countName: string,
  changes: readonly CountedWrite[],
  { remainingMs, readmits }: CountedOptions,
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
  // The count is written even if the changes add up to zero: a concurrent repair must see that items changed.
  const countUpdate: DerivedUpdate = {
    key,
    set: { [MODEL]: { S: context.graph.fingerprint }, ...freed.set },
    unset: freed.unset,
    add: Object.fromEntries(add.map(([attribute, units]) => [attribute, textOfUnits(units)])),
    addTo: Object.fromEntries(addTo),
    // rule: room-is-taken-under-the-revision-seen
    condition: room.isTaken ? unchangedCondition(count, undefined) : conditionOfValues(room.held),
  };
  // Checked after the read of the count, which may take long.
  if (remainingMs() <= 0) throw new StoreError('retryable', 'no-time', 'No time is left for the write.');
  context.stats.writes += 1;
  // rule: count-moves-with-its-items
  // rule: count-moves-with-every-transaction
  return await context.store.transact([...updates, countUpdate]);
}

/** Requires that the count still names these values, because other writers may have taken their room. */
function conditionOfValues(texts: Room['held']): UpdateCondition {
  // rule: value-is-added-to-while-it-has-room
  return Object.keys(texts).length === 0 ? { kind: 'none' } : { kind: 'holding', texts };
}

function updateNamingGroupsWithoutRoom(update: DerivedUpdate, groups: readonly string[]): DerivedUpdate {
  return groups.length === 0
    ? { ...update, unset: [...update.unset, OTHER] }
    : { ...update, set: { ...update.set, [OTHER]: { SS: [...groups] } } };
}
