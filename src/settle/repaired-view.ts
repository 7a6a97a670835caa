import { type Item, stringOf } from '../core/items/attribute-value.ts';
import { CHILD } from '../core/items/derived-item.ts';
import { decodeElement, edgeKeyOfElement } from '../core/items/element.ts';
import { BASE_ITEMS, typePrefix, VIEW_KEY } from '../core/items/keys.ts';
import { elementsByEdge, evictedTypes } from '../core/items/stored-view.ts';
import { readCopies } from '../core/kinds/parent-copies.ts';
import { reverseItemKeyOf } from '../core/kinds/reverse-item.ts';
import { isOfOtherShape } from '../core/kinds/view.ts';
import type { CompiledModel } from '../core/model/compiled.ts';
import { derivedOf } from '../core/plan/derive.ts';
import type { Truth, ViewChange, ViewCorrections, ViewUnit } from '../core/plan/unit.ts';
import { slowViewUpdate } from '../core/plan/writes/updates.ts';
import { wholeViewUpdate } from '../core/plan/writes/whole-view.ts';
import { queriedItems, readItems } from '../core/store-pages.ts';
import type { QueryRequest } from '../core/store-port.ts';
import { type ApplyContext, epochSeconds } from './context.ts';
import { reconcile } from './reconcile.ts';
import { type SettleContext, updateWithFence, viewWithFence, withPlausibleWatermark } from './repair.ts';
import { reconcileIndexItem } from './repaired-index-item.ts';
import { writeReverseItemsAndReadView } from './whole-view.ts';

/**
 * Writes the missing reverse items of edges that copy. It runs before the copied nodes are read: the fan-out of a later change has
 * to find the edge.
 */
async function writeMissingReverseItems(
  context: SettleContext,
  source: string,
  targets: readonly string[],
  watermark: string,
): Promise<void> {
  const edges = targets.flatMap((target) => {
    const key = reverseItemKeyOf(context.graph, { source, target });
    return key === undefined ? [] : [{ base: { source, target }, key }];
  });
  const items = await readItems(
    context,
    edges.map(({ key }) => key),
  );
  for (const [i, { base, key }] of edges.entries()) {
    if (items[i]?.[CHILD] === undefined) await reconcileIndexItem(context, base, key, watermark);
  }
}

/** Reconciles the parts of a view that belong to some base items. */
export async function reconcileViewParts(
  context: SettleContext,
  source: string,
  targets: readonly string[],
  watermark: string,
  corrections?: ViewCorrections,
): Promise<void> {
  const readBases = async (): Promise<Map<string, Item | undefined>> => {
    const items = await readItems(
      context,
      targets.map((target) => ({ source, target })),
    );
    const bases = new Map(targets.map((target, i) => [target, items[i]]));
    // A type that comes back into the set brings all of its edges.
    // rule: edge-type-comes-back-whole
    for (const type of corrections?.unmark ?? []) {
      for (const [key, item] of await readRange(context, source, { beginsWith: `${type}-` })) bases.set(key, item);
    }
    return bases;
  };
  await reconcileWithBaseItems(context, source, watermark, readBases, corrections);
}

/** Reconciles a whole view: with every base item of the partition, and for every element without one. */
export async function reconcileView(context: SettleContext, source: string, watermark: string): Promise<void> {
  await reconcileWithBaseItems(context, source, watermark, async (view) => {
    const bases = await readPartition(context, source);
    for (const elements of elementsByEdge(view).values()) {
      const key = edgeKeyOfElement(elements[0]!);
      if (decodeElement(elements[0]!) !== undefined && !bases.has(key)) bases.set(key, undefined);
    }
    // The node is added even if it is absent: its attributes may still be in the view.
    if (!bases.has(source)) bases.set(source, undefined);
    return bases;
  });
}

async function reconcileWithBaseItems(
  context: SettleContext,
  source: string,
  watermark: string,
  readBases: (view: Item | undefined) => Promise<Map<string, Item | undefined>>,
  corrections?: ViewCorrections,
): Promise<void> {
  const { graph } = context;
  await reconcile(context, {
    key: { source, target: VIEW_KEY },
    async expected(view) {
      const kept = await withPlausibleWatermark(context, view);
      if (isOfOtherShape(graph, source, view))
        return { kept, whole: await writeReverseItemsAndReadView(context, source) };
      const bases = await readBases(view);
      const truths = new Map<string, Truth>();
      for (const [target, base] of bases) truths.set(target, derivedOf(graph, source, target, base));
      const listed = listedEdges(view, truths, corrections);
      await writeMissingReverseItems(context, source, listed, watermark);
      const parents = await readCopies(context, listed);
      return { kept, truths, parents };
    },
    update(_view, { kept, whole, truths, parents }) {
      const now = epochSeconds(context);
      const seen = viewWithFence(context, kept);
      if (whole !== undefined)
        return updateWithFence(context, wholeViewUpdate(graph, source, seen, whole, watermark, now));
      const unit = unitWithoutImages(source, [...truths.keys()], watermark);
      const update = slowViewUpdate(graph, unit, seen, truths, now, parents, corrections);
      // rule: repair-writes-views-under-the-revision-seen
      return updateWithFence(context, update);
    },
  });
}

/** The edges that the view lists after it is reconciled. Edges of evicted types are not in it. */
function listedEdges(
  view: Item | undefined,
  truths: ReadonlyMap<string, Truth>,
  corrections?: ViewCorrections,
): string[] {
  const evicted = new Set(evictedTypes(view));
  for (const type of corrections?.unmark ?? []) evicted.delete(type);
  const listed = [...truths].filter(
    ([target, { element }]) => element !== undefined && !evicted.has(typePrefix(target) ?? ''),
  );
  return listed.map(([target]) => target);
}

/**
 * Makes a unit of a view for some edges, without images of records: a read of the base item decides about each change. Targets that are parts of
 * the node are skipped, as the view does not hold them.
 */
function unitWithoutImages(source: string, targets: readonly string[], watermark: string): ViewUnit {
  // rule: part-is-no-piece-of-the-view
  const shown = targets.filter((target) => target === source || typePrefix(target) !== undefined);
  const changes = shown.map(
    (target): ViewChange => ({
      target,
      oldest: watermark,
      edgeType: target === source ? undefined : typePrefix(target),
      mentioned: [],
    }),
  );
  return { kind: 'view', source, sortKey: VIEW_KEY, changes, records: [], oldest: watermark, newest: watermark };
}

/** Reads every base item of a partition, by sort key. Their keys lie between `A` and `[`, the character after `Z`. */
function readPartition(context: ApplyContext, source: string): Promise<Map<string, Item | undefined>> {
  return readRange(context, source, BASE_ITEMS);
}

async function readRange(
  context: ApplyContext,
  source: string,
  sortKey: QueryRequest['sortKey'],
): Promise<Map<string, Item | undefined>> {
  const bases = new Map<string, Item | undefined>();
  const { store, stats, graph } = context;
  const items = queriedItems(store, { partition: source, sortKey, consistent: true }, stats);
  for await (const item of items) bases.set(sortKeyOf(graph, item), item);
  return bases;
}

function sortKeyOf({ table }: CompiledModel, item: Item): string {
  return stringOf(item[table.sortKey]) ?? '';
}
