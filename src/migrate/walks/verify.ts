import pMap from 'p-map';
import { type Item, sameItem, stringOf } from '../../core/items/attribute-value.ts';
import { COUNTED, INDEX_KEYS, INDEX_NAMES, shownInIndex } from '../../core/items/derived-item.ts';
import { type CompiledModel, type IndexName, layersOf, listsOf } from '../../core/model/compiled.ts';
import { itemTouch } from '../../core/plan/touch.ts';
import { hasExpectedFields } from '../../core/plan/writes/item-update.ts';
import { readItems } from '../../core/store-pages.ts';
import type { ItemKey } from '../../core/store-port.ts';
import { reconcileOrThrow } from '../../reconcile/reconcile.ts';
import { ownershipTest } from '../../registry/ownership.ts';
import type { SeenState } from '../../registry/transitions.ts';
import { shownAt } from '../../store/index-entry.ts';
import type { WalkedItem, WalkPlace } from '../../store/table-walk.ts';
import type { BuildContext } from './build.ts';
import {
  type ExpectedItem,
  expectedItemsOf,
  keyOfExpected,
  readExpectedItems,
  readSourceNodes,
} from './expected-items.ts';
import { walk } from './walk.ts';

/**
 * Verifies in two directions: an index may not show an item yet, or may still show an item that is gone from the table.
 */

export async function verifyInIndexes(context: BuildContext): Promise<WalkPlace | undefined> {
  return await walk(context, async (items) => {
    const nodes = await readSourceNodes(context, items);
    const bases = items
      .map((item) => ({ item, expected: expectedItemsOf(context.graph, item, nodes) }))
      .filter(({ expected }) => expected.length > 0);
    return await areAllShown(context, bases, ({ item, expected }) => verifyBase(context, item, expected));
  });
}

const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 5_000;

async function areAllShown<T>(
  { concurrency }: BuildContext,
  entries: readonly T[],
  untilShown: (one: T) => Promise<boolean>,
): Promise<boolean> {
  return (await pMap(entries, untilShown, { concurrency })).every(Boolean);
}

async function verifyBase(context: BuildContext, base: ItemKey, first: readonly ExpectedItem[]): Promise<boolean> {
  let expected = first;
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(LONGEST_PAUSE_MS, pause * 2)) {
    const missing: ExpectedItem[] = [];
    for (const one of expected) if (!(await isInIndex(context, one))) missing.push(one);
    if (missing.length === 0) return true;
    if (context.isOver()) return false;
    await context.wait(pause);
    await context.checkStates();
    // The base item may have changed during the wait.
    expected = await readExpectedItems(context, base);
    const stored = await readItems(context, expected.map(keyOfExpected));
    const differing = expected.filter(({ fields }, i) => !hasExpectedFields(stored[i], fields));
    for (const one of differing)
      await reconcileOrThrow(context, [itemTouch(keyOfExpected(one), one.base)], { isScan: true });
  }
}

async function isInIndex(context: BuildContext, { source, sortKey, fields }: ExpectedItem): Promise<boolean> {
  for (const index of INDEX_NAMES) {
    const names = INDEX_KEYS[index];
    const partition = stringOf(fields[names.partition]);
    const sort = stringOf(fields[names.sort]);
    if (partition === undefined || sort === undefined) continue;
    const found = await shownAt(context, { index, partition, sort }, { source, target: sortKey });
    if (!sameItem(found && shownInIndex(index, found), shownInIndex(index, fields))) return false;
  }
  // Reads items without index keys, such as a part's view, and counted items outside `gsi0` from the table.
  const isUncounted =
    fields[COUNTED] === undefined && INDEX_NAMES.some((index) => fields[INDEX_KEYS[index].partition] !== undefined);
  if (fields[INDEX_KEYS.gsi0.partition] !== undefined || isUncounted) return true;
  const [stored] = await readItems(context, [{ source, target: sortKey }]);
  return hasExpectedFields(stored, fields);
}

export function indexesOf(graph: CompiledModel): IndexName[] {
  const used = new Set<IndexName>();
  for (const { nodes, edges } of layersOf(graph)) {
    for (const { searches } of nodes.values()) for (const { index } of searches.values()) used.add(index);
    for (const { orders } of [...edges.values()].flatMap(listsOf))
      for (const { index } of orders.values()) used.add(index);
  }
  return INDEX_NAMES.filter((index) => used.has(index));
}

export async function verifyIndex(
  context: BuildContext,
  index: IndexName,
  generations: readonly SeenState[],
): Promise<WalkPlace | undefined> {
  const isOwn = ownershipTest(generations);
  return await walk({ ...context, index }, async (items) => {
    const own = items.filter(isOwn);
    const stored = await readItems(context, own);
    // rule: index-shows-nothing-that-is-gone
    const gone = own.filter(({ item }, i) => !isSamePlace(index, item, stored[i]));
    return await areAllShown(context, gone, (entry) => untilGone(context, index, entry));
  });
}

async function untilGone(context: BuildContext, index: IndexName, entry: WalkedItem): Promise<boolean> {
  const names = INDEX_KEYS[index];
  const partition = stringOf(entry.item[names.partition])!;
  const sort = stringOf(entry.item[names.sort])!;
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(LONGEST_PAUSE_MS, pause * 2)) {
    const shown = await shownAt(context, { index, partition, sort }, entry);
    if (shown === undefined) return true;
    const [stored] = await readItems(context, [entry]);
    if (isSamePlace(index, shown, stored)) return true;
    if (context.isOver()) return false;
    await context.wait(pause);
  }
}

function isSamePlace(index: IndexName, shown: Item, stored: Item | undefined): boolean {
  const { partition, sort } = INDEX_KEYS[index];
  return [partition, sort].every((name) => stringOf(shown[name]) === stringOf(stored?.[name]));
}
