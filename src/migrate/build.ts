import pMap from 'p-map';
import { type ApplyContext, checkTime, updateItem } from '../apply/context.ts';
import { applyCountedUnit } from '../apply/counted.ts';
import { applyByBase } from '../apply/index-item.ts';
import { settleJoined } from '../apply/joined.ts';
import { remakeView } from '../apply/whole-view.ts';
import { type Item, stringOf } from '../items/attribute-value.ts';
import { COUNTED, INDEX_KEYS } from '../items/derived-item.ts';
import { classifyDerivedKey } from '../items/derived-key.ts';
import { baseKeyOfIndexItem, countNameOf, degreeKey, parseNodeId, typePrefix, VIEW_KEY } from '../items/keys.ts';
import { type CompiledModel, layersOf } from '../model/compiled.ts';
import { needsSource } from '../model/joined.ts';
import { derivedOf } from '../plan/derive.ts';
import { joinedKeysOf } from '../plan/joined.ts';
import { isOfOtherShape } from '../plan/shape.ts';
import type { IndexUnit } from '../plan/unit.ts';
import { isAsWanted } from '../plan/writes.ts';
import { ownedBy } from '../registry/ownership.ts';
import type { SeenState } from '../registry/transitions.ts';
import { itemKindOf } from '../repair/kinds.ts';
import { settleCount } from '../repair/parts/count.ts';
import { indexItem } from '../repair/parts/index-item.ts';
import { edgeNamedByReverse, reverseItem } from '../repair/parts/reverse-item.ts';
import { readItems } from '../store/pages.ts';
import type { ItemKey } from '../store/port.ts';
import { isBaseSortKey } from '../stream/filter.ts';
import type { WalkPlace } from './place.ts';
import { type WalkedItem, type WalkOptions, walk } from './walk.ts';

/** Building what a new generation, or a new shape, shall hold, and looking whether it is there. */

/** What building needs; `graph` is what is built. */
export interface BuildContext extends ApplyContext {
  store: ApplyContext['store'] & WalkOptions['store'];
  segments: number;
  /** Calls in flight at once. */
  concurrency: number;
  onProgress?: (items: number) => void;
  onPage?: WalkOptions['onPage'];
  /** Whether time is over: a walk over the table stops at its next page. */
  isOver: () => boolean;
  /** Goes on where a walk over the table stopped. */
  begunAt?: WalkPlace | undefined;
}

/** An index item that a base item wants. */
export interface Wanted {
  base: { source: string; target: string };
  sortKey: string;
  fields: Item;
}

/** Derived keys in one read. */
const READ_KEYS = 100;

/**
 * Makes the index items of generations: of each base item those that are missing or differ, under the revision seen. No
 * image of a record is involved, and the watermark that is there stays. Items of these generations that no base item wants
 * go: a writer of another model that read no registry, or a gap in the stream, has left them behind.
 */
export async function backfill(
  context: BuildContext,
  generations: readonly SeenState[],
): Promise<WalkPlace | undefined> {
  const isOwn = ownedBy(generations);
  return await walk(context, async (items) => {
    await settleStrays(context, items, isOwn);
    const nodes = await nodesOf(context, items);
    const wanted = items.flatMap((item) => wantedOf(context.graph, item, nodes));
    for (let start = 0; start < wanted.length; start += READ_KEYS) {
      const chunk = wanted.slice(start, start + READ_KEYS);
      const stored = await readItems(
        context,
        chunk.map(({ base, sortKey }) => ({ source: base.source, target: sortKey })),
      );
      const differing = chunk.filter(({ fields }, i) => !isAsWanted(stored[i], fields));
      await pMap(differing, (one) => settleItem(context, one.base, one.sortKey), { concurrency: context.concurrency });
    }
  });
}

/**
 * Settles live items that no base item wants; repair finds the base item of those that are named by a hash. Counts of the
 * first generation are counted: writers without the registry, whose model has no count, have not moved it.
 */
async function settleStrays(
  context: BuildContext,
  items: readonly WalkedItem[],
  isOwn: (item: WalkedItem) => boolean,
): Promise<void> {
  const derived = items.filter(isOwn);
  if (derived.length === 0) return;
  const nodes = await nodesOf(context, items);
  const wanted = new Set(items.flatMap((item) => wantedOf(context.graph, item, nodes)).map(textOf));
  const settle = async ({ source, target, item }: WalkedItem): Promise<void> => {
    const key = classifyDerivedKey(target);
    if (key?.kind === 'count') {
      if (key.generation === 1) await settleCount(context, source, target);
      return;
    }
    if (!indexItem.isLive(item) || wanted.has(textOf({ base: { source }, sortKey: target }))) return;
    // Its base item may be on another page.
    const base = { source, target: baseKeyOfIndexItem(source, target) ?? '' };
    const read = base.target === '' ? [] : await wantedNow(context, base);
    if (read.some(({ sortKey }) => sortKey === target)) return;
    await indexItem.mend(context, { source, target }, []);
  };
  await pMap(derived, settle, { concurrency: context.concurrency });
}

function textOf({ base, sortKey }: { base: { source: string }; sortKey: string }): string {
  return `${base.source}\0${sortKey}`;
}

/** Settles one index item by its base item, as `applyByBase` does; a counted one with its count. */
async function settleItem(context: ApplyContext, base: Wanted['base'], sortKey: string): Promise<void> {
  const position = { oldest: '', newest: '' };
  const unit: IndexUnit = { kind: 'index', source: base.source, sortKey, base, records: [], byBase: true, ...position };
  if (joinedKeysOf(context.graph, typePrefix(base.target) ?? '', base.target).includes(sortKey)) {
    return await settleJoined(context, [unit]);
  }
  const name = countOf(context.graph, base.target, sortKey);
  if (name === undefined) await applyByBase(context, unit);
  else {
    const key = { source: base.source, sortKey: degreeKey(name) };
    await applyCountedUnit(context, {
      kind: 'counted',
      ...key,
      countName: name,
      items: [unit],
      records: [],
      ...position,
    });
  }
}

/** The count that an edge's item of this sort key is in, if it is in one. */
function countOf(graph: CompiledModel, target: string, sortKey: string): string | undefined {
  const edgeType = typePrefix(target) ?? '';
  for (const { edges } of layersOf(graph)) {
    const edge = edges.get(edgeType);
    if (edge?.degree !== true) continue;
    const name = countNameOf(edge.type, edge.generation);
    if (name === edgeType ? !sortKey.startsWith('~ix/@') : sortKey.startsWith(`~ix/@${edge.generation}/`)) return name;
  }
  return undefined;
}

/**
 * Looks at each wanted item through the index that readers will use, and comes to an end when all of it matches: an item that
 * is in the table may not be in its index yet. What differs in the table is settled on the way.
 */
export async function verify(context: BuildContext): Promise<WalkPlace | undefined> {
  return await walk(context, async (items) => {
    const nodes = await nodesOf(context, items);
    const bases = items
      .map((item) => ({ item, wanted: wantedOf(context.graph, item, nodes) }))
      .filter(({ wanted }) => wanted.length > 0);
    await pMap(bases, ({ item, wanted }) => verifyBase(context, item, wanted), { concurrency: context.concurrency });
  });
}

const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 5_000;

async function verifyBase(context: BuildContext, base: ItemKey, first: readonly Wanted[]): Promise<void> {
  let wanted = first;
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(LONGEST_PAUSE_MS, pause * 2)) {
    const missing: Wanted[] = [];
    for (const one of wanted) if (!(await isInIndex(context, one))) missing.push(one);
    if (missing.length === 0) return;
    checkTime(context);
    await context.wait(pause);
    // The base item may have changed meanwhile, so that something else is wanted by now.
    wanted = await wantedNow(context, base);
    const stored = await readItems(
      context,
      wanted.map(({ sortKey }) => ({ source: base.source, target: sortKey })),
    );
    for (const [i, { sortKey, fields }] of wanted.entries()) {
      if (!isAsWanted(stored[i], fields)) await settleItem(context, base, sortKey);
    }
  }
}

async function isInIndex(context: BuildContext, { base, sortKey, fields }: Wanted): Promise<boolean> {
  const { graph, store, stats } = context;
  for (const index of ['gsi0', 'gsi1'] as const) {
    const names = INDEX_KEYS[index];
    const partition = stringOf(fields[names.partition]);
    const key = stringOf(fields[names.sort]);
    if (partition === undefined || key === undefined) continue;
    const page = await store.query({ index, partition, sortKey: { from: key, to: key } });
    stats.rcu += page.rcu;
    const found = page.items.find((item) => {
      const isSame = stringOf(item[graph.table.sortKey]) === sortKey;
      return isSame && stringOf(item[graph.table.partitionKey]) === base.source;
    });
    if (!isAsWanted(found, fields)) return false;
  }
  if (fields[COUNTED] === undefined || fields['gsi0pk'] !== undefined) return true;
  const [stored] = await readItems(context, [{ source: base.source, target: sortKey }]);
  return isAsWanted(stored, fields);
}

/** The source nodes of edges that they decide with, by id. */
async function nodesOf(
  context: BuildContext,
  items: readonly ItemKey[],
): Promise<ReadonlyMap<string, Item | undefined>> {
  const ids = [
    ...new Set(items.filter(({ target }) => needsSource(context.graph, target)).map(({ source }) => source)),
  ];
  const nodes = await readItems(
    context,
    ids.map((id) => ({ source: id, target: id })),
  );
  return new Map(ids.map((id, i) => [id, nodes[i]]));
}

/** What a base item wants as it is now. */
async function wantedNow(context: BuildContext, { source, target }: ItemKey): Promise<Wanted[]> {
  const [item] = await readItems(context, [{ source, target }]);
  if (item === undefined) return [];
  return wantedOf(context.graph, { source, target, item }, await nodesOf(context, [{ source, target }]));
}

/** The index items that a base item wants. */
export function wantedOf(
  graph: CompiledModel,
  { source, target, item }: WalkedItem,
  nodes: ReadonlyMap<string, Item | undefined>,
): Wanted[] {
  if (!isBaseSortKey(target)) return [];
  const { indexItems } = derivedOf(graph, source, target, item, { item: nodes.get(source) });
  return [...indexItems].map(([sortKey, fields]) => ({ base: { source, target }, sortKey, fields }));
}

/** Makes the views of some types anew where they are of another shape, or missing. */
export async function settleViews(context: BuildContext, types: ReadonlySet<string>): Promise<WalkPlace | undefined> {
  return await walk(context, async (items) => {
    await settleLeftReverseItems(context, items);
    const sources = [...new Set(items.filter(({ target }) => hasView(target)).map(({ source }) => source))];
    const own = sources.filter((source) => types.has(parseNodeId(source)?.type ?? ''));
    for (let start = 0; start < own.length; start += READ_KEYS) {
      const chunk = own.slice(start, start + READ_KEYS);
      const views = await readItems(
        context,
        chunk.map((source) => ({ source, target: VIEW_KEY })),
      );
      await pMap(chunk, (source, i) => settleShape(context, source, views[i]), { concurrency: context.concurrency });
    }
  });
}

/** Settles reverse items whose edge was deleted while no view copied by it, so that no writer took them away. */
async function settleLeftReverseItems(context: BuildContext, items: readonly WalkedItem[]): Promise<void> {
  const reverse = items.flatMap(({ source, target, item }) => {
    if (itemKindOf(context.graph, target) !== reverseItem || !reverseItem.isLive(item)) return [];
    const edge = edgeNamedByReverse({ source, target }, item);
    return edge === undefined ? [] : [{ key: { source, target }, edge }];
  });
  const edges = await readItems(
    context,
    reverse.map(({ edge }) => edge),
  );
  const left = reverse.filter((_, i) => edges[i] === undefined);
  await pMap(left, ({ key }) => reverseItem.mend(context, key, []), { concurrency: context.concurrency });
}

function hasView(target: string): boolean {
  return target === VIEW_KEY || isBaseSortKey(target);
}

async function settleShape(context: BuildContext, source: string, first: Item | undefined): Promise<void> {
  let view = first;
  while (isOfOtherShape(context.graph, source, view)) {
    checkTime(context);
    const result = await updateItem(context, await remakeView(context, source, view, ''));
    if (result.applied) return;
    view = result.current;
  }
}
