import pMap from 'p-map';
import type { Item } from '../core/items/attribute-value.ts';
import { textOfKey } from '../core/items/keys.ts';
import { countHolding } from '../core/kinds/count.ts';
import { type SourceNode, sourceNodeKeys, sourceNodeOf } from '../core/model/joined.ts';
import { derivedOf, type Problem } from '../core/plan/derive.ts';
import { derivationEntry } from '../core/plan/quarantine-entry.ts';
import { type IndexUnit, type JoinedUnit, positionSpan } from '../core/plan/unit.ts';
import { reconciledIndexUpdate } from '../core/plan/writes/index-update.ts';
import { readItems } from '../core/store-pages.ts';
import { type ApplyContext, checkTime, epochSeconds, OutOfTimeError, updateItem } from './context.ts';
import { writeCounted } from './count.ts';
import { putEntry } from './quarantine.ts';
import { reconcileAll } from './reconcile.ts';
import { withPlausibleWatermark } from './repair.ts';

/**
 * Joined index items. Two base items of one partition determine each of them: an edge and its source node. The positions of two
 * items cannot be compared, so no image is ever applied. The index item is read, then the edge and the node, all consistently, and
 * the expected fields are written under the item's revision. The write is always made, even if nothing differs or no item exists: a
 * concurrent worker with an older read of the edge or the node must fail. On a conflict all three are read again.
 */

/** Items that are read and written together. */
const CHUNK = 100;
const AT_ONCE = 8;

/** A joined item as it was read, and the edge and the node, which are read after it. */
export interface JoinedLook {
  current: Item | undefined;
  edge: Item | undefined;
  node: SourceNode;
}

/** Applies the changes of one batch to the joined items of a node's edges. */
export async function applyJoinedUnit(context: ApplyContext, { items }: JoinedUnit): Promise<void> {
  for (let start = 0; start < items.length; start += CHUNK) {
    const chunk = items.slice(start, start + CHUNK);
    await reconcileJoined(context, chunk, { expectsNew: true });
    for (const { source, sortKey } of chunk) context.settled?.add(textOfKey({ source, target: sortKey }));
  }
}

/** How to reconcile items. */
interface SettleOptions {
  /**
   * True if an item is expected to be absent if the edge's first record is an insert. Then it is not read, and the write fails if
   * it exists.
   */
  expectsNew?: boolean;
}

/** Reconciles joined items of edges of one node: makes each what edge and node ask for now. */
export async function reconcileJoined(
  context: ApplyContext,
  units: readonly IndexUnit[],
  { expectsNew = false }: SettleOptions = {},
): Promise<void> {
  await reconcileAll<IndexUnit, Bases>(context, units, {
    // rule: joined-item-before-its-bases, first
    actual: (open, attempt) => readActualItems(context, open, expectsNew && attempt === 1),
    // rule: joined-item-before-its-bases, then
    // rule: joined-item-is-looked-at-again-after-a-conflict
    expected: (open) => readBases(context, open),
    writeAndReturnChanged: (seen) =>
      writeExpectedFields(
        context,
        seen.map(({ one }) => one),
        seen.map(({ actual, expected }) => ({ current: actual, ...expected })),
      ),
  });
}

/** Writes the fields that edges and node ask for; returns the units whose items have changed since they were read. */
export async function writeExpectedFields(
  context: ApplyContext,
  units: readonly IndexUnit[],
  looks: readonly JoinedLook[],
): Promise<IndexUnit[]> {
  const changed: IndexUnit[] = [];
  const failures: unknown[] = [];
  // Counted items share their count's item: concurrent writes would only conflict.
  const concurrency = units.some(({ base, sortKey }) => countHolding(context.graph, base, sortKey) !== undefined)
    ? 1
    : AT_ONCE;
  await pMap(
    units,
    async (unit, i) => {
      try {
        checkTime(context);
        if (!(await writeJoinedItem(context, unit, looks[i]!))) changed.push(unit);
      } catch (error) {
        failures.push(error);
      }
    },
    { concurrency },
  );
  // The first real cause is thrown, not the time-outs that it caused for other items.
  if (failures.length > 0) throw failures.find((error) => !(error instanceof OutOfTimeError)) ?? failures[0];
  return changed;
}

/** The two base items of a joined item. */
type Bases = Pick<JoinedLook, 'edge' | 'node'>;

/** Reads the joined items. With `expectsNew`, those whose edge's first record is an insert are taken as absent. */
async function readActualItems(
  context: ApplyContext,
  units: readonly IndexUnit[],
  expectsNew: boolean,
): Promise<(Item | undefined)[]> {
  const read = units.filter((unit) => !expectsNew || !isInsert(unit));
  const found = await readItems(
    context,
    read.map(({ source, sortKey }) => ({ source, target: sortKey })),
  );
  const currents = new Map(read.map((unit, i) => [unit, found[i]]));
  return units.map((unit) => currents.get(unit));
}

/** Reads the edges and their source node. */
async function readBases(context: ApplyContext, units: readonly IndexUnit[]): Promise<Bases[]> {
  const { source } = units[0]!;
  const edges = [...new Set(units.map(({ base }) => base.target))];
  const ofNode = sourceNodeKeys(context.graph, source);
  const items = await readItems(
    context,
    [...ofNode, ...edges].map((target) => ({ source, target })),
  );
  const node = sourceNodeOf(context.graph, source, items.slice(0, ofNode.length));
  const byKey = new Map(edges.map((target, i) => [target, items[ofNode.length + i]]));
  return units.map((unit) => ({ edge: byKey.get(unit.base.target), node }));
}

function isInsert({ records: [first] }: IndexUnit): boolean {
  return first !== undefined && first.oldImage === undefined;
}

async function writeJoinedItem(
  context: ApplyContext,
  unit: IndexUnit,
  { current, edge, node }: JoinedLook,
): Promise<boolean> {
  const { graph } = context;
  const { base, sortKey } = unit;
  const { indexItems, joint } = derivedOf(graph, base.source, base.target, edge, node);
  const expected = indexItems.get(sortKey);
  const kept = await withPlausibleWatermark(context, current);
  // rule: joined-item-always-leaves-a-trace
  // rule: joined-item-is-written-under-the-revision-seen
  const update = reconciledIndexUpdate(graph, unit, kept, expected, epochSeconds(context));
  const countName = countHolding(graph, base, sortKey)?.name;
  const isWritten =
    countName === undefined
      ? (await updateItem(context, update)).applied
      : await writeCounted(context, current, expected, update, countName);
  if (isWritten && joint !== undefined && joint.length > 0) await quarantine(context, unit, joint);
  return isWritten;
}

/**
 * Quarantines a problem that only edge and node together have, since no record of one of them shows it. A repair has no record:
 * then the check reports the problem.
 */
async function quarantine(context: ApplyContext, unit: IndexUnit, problems: readonly Problem[]): Promise<void> {
  const { source, sortKey, base, records } = unit;
  if (records.length === 0) return;
  const entry = { kind: 'quarantine', source, sortKey: '', target: base.target, problems, records } as const;
  await putEntry(
    context,
    derivationEntry(context.graph, { ...entry, derivedKeys: [sortKey], ...positionSpan(records) }, context.now()),
  );
}
