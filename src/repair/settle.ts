import { type ApplyContext, checkTime, countedUpdate, epochSeconds } from '../apply/context.ts';
import { readCopies } from '../apply/copies.ts';
import { writeCounted } from '../apply/counted.ts';
import type { Item } from '../items/attribute-value.ts';
import { stringOf } from '../items/attribute-value.ts';
import { CHILD, COUNTED, WATERMARK } from '../items/derived-item.ts';
import { decodeElement, edgeKeyOf } from '../items/element.ts';
import { degreeKey, edgeIndexKey, HASHED_INDEX_PREFIX, reverseEdgeType, typePrefix, VIEW_KEY } from '../items/keys.ts';
import { countOf, elementsByEdge, evictedTypes } from '../items/stored-view.ts';
import type { CompiledModel } from '../model/compiled.ts';
import { reverseOf, wantedFields } from '../plan/copies.ts';
import { settledCountUpdate } from '../plan/counts.ts';
import { derive } from '../plan/derive.ts';
import type { IndexUnit, ViewChange, ViewUnit } from '../plan/unit.ts';
import { settledIndexUpdate, slowViewUpdate, type Truth, type ViewCorrections } from '../plan/writes.ts';
import type { ItemKey, QueryRequest, Store } from '../store/port.ts';
import { StreamLabel } from '../stream/stream-label.ts';

/**
 * Settling: a derived item is made what its base items want, whatever records said. The derived item is read first, then
 * the base items, both consistently, and the write is made under the revision seen; on a conflict all of it is read
 * again. So a settled item is never older than what was there, and no image of a record is ever applied.
 */

/** What settling needs. */
export interface SettleContext extends ApplyContext {
  /** The table's stream: a watermark of a later one is not kept. Absent: only the form of watermarks is looked at. */
  stream?: StreamLabel;
}

/** A derived item as it is built upon: one whose watermark cannot be counts as without one. */
export async function trusted(
  { stream = new StreamLabel(undefined) }: SettleContext,
  current: Item | undefined,
): Promise<Item | undefined> {
  if (current === undefined || (await stream.isPlausible(current[WATERMARK]))) return current;
  const { [WATERMARK]: _implausible, ...rest } = current;
  return rest;
}

/**
 * Settles one index item, or reverse item, by its base item; unwanted ones become tombstones even where nothing was.
 *
 * @param key of the derived item.
 */
export async function settleIndexItem(
  context: SettleContext,
  base: ItemKey,
  key: ItemKey,
  watermark: string,
): Promise<void> {
  const { graph } = context;
  const { source, target: sortKey } = key;
  const unit: IndexUnit = { kind: 'index', source, sortKey, base, records: [], oldest: watermark, newest: watermark };
  const isOfCount = isCounted(graph, base.target) && reverseEdgeType(sortKey) === undefined;
  let current = await readConsistent(context, source, sortKey);
  for (;;) {
    checkTime(context);
    const item = await readConsistent(context, base.source, base.target);
    const wanted = wantedFields(derive(graph, base.source, base.target, item), sortKey);
    const update = settledIndexUpdate(graph, unit, await trusted(context, current), wanted, epochSeconds(context));
    if (isOfCount) {
      if (await writeCounted(context, current, wanted, update)) return;
      current = await readConsistent(context, source, sortKey);
      continue;
    }
    const result = await countedUpdate(context, update);
    if (result.applied) return;
    current = result.current;
  }
}

function isCounted({ edges }: CompiledModel, target: string): boolean {
  return edges.get(typePrefix(target) ?? '')?.degree === true;
}

/**
 * Settles the reverse items of edges that copy, where they are not there. It comes before the nodes are read that are
 * copied of: the fan-out of a change that is later than that read has to find the edge.
 */
async function settleReverseItems(
  context: SettleContext,
  source: string,
  targets: readonly string[],
  watermark: string,
): Promise<void> {
  const edges = targets.flatMap((target) => {
    const key = reverseOf(context.graph, { source, target });
    return key === undefined ? [] : [{ base: { source, target }, key }];
  });
  if (edges.length === 0) return;
  const { items, rcu } = await context.store.getMany(
    edges.map(({ key }) => key),
    { consistent: true },
  );
  context.stats.rcu += rcu;
  for (const [i, { base, key }] of edges.entries()) {
    if (items[i]?.[CHILD] === undefined) await settleIndexItem(context, base, key, watermark);
  }
}

/**
 * Settles the count of a node's edges of a type by its live index items. Each of them that comes or goes moves the count's
 * revision too, so a count is written only if none has since it was read.
 */
export async function settleDegree(context: SettleContext, source: string, edgeType: string): Promise<void> {
  for (;;) {
    checkTime(context);
    const current = await readConsistent(context, source, degreeKey(edgeType));
    const live = await countLive(context, source, edgeType);
    if (countOf(current) === live) return;
    const result = await countedUpdate(context, settledCountUpdate(context.graph, source, edgeType, current, live));
    if (result.applied) return;
  }
}

/** How many live items a node's counted edges of a type have, by consistent reads. */
export async function countLive(
  { store }: { store: Pick<Store, 'query'> },
  source: string,
  edgeType: string,
): Promise<number> {
  let live = 0;
  // Items of edges with long keys are named by a hash.
  for (const prefix of [edgeIndexKey(`${edgeType}-`), HASHED_INDEX_PREFIX]) {
    let startKey: Item | undefined;
    do {
      const sortKey = { beginsWith: prefix };
      const page = await store.query({ partition: source, sortKey, startKey, consistent: true });
      for (const item of page.items) if (stringOf(item[COUNTED]) === edgeType) live += 1;
      startKey = page.lastKey;
    } while (startKey !== undefined);
  }
  return live;
}

/** Settles the parts that some base items have in their view. */
export async function settleViewParts(
  context: SettleContext,
  source: string,
  targets: readonly string[],
  watermark: string,
  corrections?: ViewCorrections,
): Promise<void> {
  const readBases = async (): Promise<Map<string, Item | undefined>> => {
    const { items, rcu } = await context.store.getMany(
      targets.map((target) => ({ source, target })),
      { consistent: true },
    );
    context.stats.rcu += rcu;
    const bases = new Map(targets.map((target, i) => [target, items[i]]));
    // A type that comes back into the set comes with all of its edges.
    for (const type of corrections?.unmark ?? []) {
      for (const [key, item] of await readRange(context, source, { beginsWith: `${type}-` })) bases.set(key, item);
    }
    return bases;
  };
  await settle(context, source, watermark, readBases, corrections);
}

/** Settles a view as a whole: by every base item of the partition, and every element that has none. */
export async function settleView(context: SettleContext, source: string, watermark: string): Promise<void> {
  await settle(context, source, watermark, async (view) => {
    const bases = await readPartition(context, source);
    for (const elements of elementsByEdge(view).values()) {
      const key = edgeKeyOf(elements[0]!);
      if (decodeElement(elements[0]!) !== undefined && !bases.has(key)) bases.set(key, undefined);
    }
    // Also where the node is absent: its attributes may still be in the view.
    if (!bases.has(source)) bases.set(source, undefined);
    return bases;
  });
}

async function settle(
  context: SettleContext,
  source: string,
  watermark: string,
  readBases: (view: Item | undefined) => Promise<Map<string, Item | undefined>>,
  corrections?: ViewCorrections,
): Promise<void> {
  const { graph } = context;
  let view = await readConsistent(context, source, VIEW_KEY);
  for (;;) {
    checkTime(context);
    const bases = await readBases(view);
    const truths = new Map<string, Truth>();
    for (const [target, base] of bases) truths.set(target, derive(graph, source, target, base));
    const unit = unitOf(source, [...bases.keys()], watermark);
    const listed = listedEdges(view, truths, corrections);
    await settleReverseItems(context, source, listed, watermark);
    const parents = await readCopies(context, listed);
    const seen = await trusted(context, view);
    const result = await countedUpdate(
      context,
      slowViewUpdate(graph, unit, seen, truths, epochSeconds(context), corrections, parents),
    );
    if (result.applied) return;
    view = result.current;
  }
}

/** The edges that the view lists once it is settled: readers look elsewhere for those of evicted types. */
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

/** A unit that carries no images: every change of it is decided by a truth. */
function unitOf(source: string, targets: readonly string[], watermark: string): ViewUnit {
  const changes = targets.map(
    (target): ViewChange => ({
      target,
      oldest: watermark,
      edgeType: target === source ? undefined : typePrefix(target),
      mentioned: new Set(),
    }),
  );
  return { kind: 'view', source, sortKey: VIEW_KEY, changes, records: [], oldest: watermark, newest: watermark };
}

async function readConsistent(context: ApplyContext, source: string, target: string): Promise<Item | undefined> {
  const { item, rcu } = await context.store.get({ source, target }, { consistent: true });
  context.stats.rcu += rcu;
  return item;
}

/** Every base item of a partition, by sort key: they lie between `A` and `[`, the character after `Z`. */
function readPartition(context: ApplyContext, source: string): Promise<Map<string, Item | undefined>> {
  return readRange(context, source, { from: 'A', to: '[' });
}

async function readRange(
  context: ApplyContext,
  source: string,
  sortKey: QueryRequest['sortKey'],
): Promise<Map<string, Item | undefined>> {
  const bases = new Map<string, Item | undefined>();
  let startKey: Item | undefined;
  do {
    const page = await context.store.query({ partition: source, sortKey, startKey, consistent: true });
    context.stats.rcu += page.rcu;
    for (const item of page.items) bases.set(sortKeyOf(context.graph, item), item);
    startKey = page.lastKey;
  } while (startKey !== undefined);
  return bases;
}

function sortKeyOf({ table }: CompiledModel, item: Item): string {
  return stringOf(item[table.sortKey]) ?? '';
}
