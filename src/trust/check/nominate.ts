import { type Item, stringOf } from '../../core/items/attribute-value.ts';
import { revisionOf } from '../../core/items/derived-item.ts';
import { BEGINNINGS, baseKeyOfIndexItem } from '../../core/items/derived-key.ts';
import { decodeElement, edgeKeyOfElement, escapedEdge } from '../../core/items/element.ts';
import { compareKeys } from '../../core/items/encoding.ts';
import { parseNodeId, typePrefix, VIEW_KEY } from '../../core/items/keys.ts';
import { type Amounts, addItemAmounts, hasRoomForOthers, NO_AMOUNTS, sameAmounts } from '../../core/items/ledger.ts';
import { elementsByEdge, evictedTypes, hasEdgeSet, viewAttributes } from '../../core/items/stored-view.ts';
import { isMaintained, itemKindOf } from '../../core/kinds/all-kinds.ts';
import { attributesText } from '../../core/kinds/attributes.ts';
import { type CopySlot, copySlots, isSlotRight } from '../../core/kinds/copy.ts';
import { NO_SET } from '../../core/kinds/element.ts';
import { indexItemText } from '../../core/kinds/index-item.ts';
import type { ItemKind, PartitionContent } from '../../core/kinds/kind.ts';
import type { Part, Suspect } from '../../core/kinds/part.ts';
import { hasOtherShape } from '../../core/kinds/view.ts';
import { type CompiledModel, layersOf } from '../../core/model/compiled.ts';
import { joinedTypesFrom, type SourceNode, sourceNodeKeys, sourceNodeOf } from '../../core/model/joined.ts';
import { countKeyOf } from '../../core/model/projection/places.ts';
import { derivedOf } from '../../core/plan/derive.ts';
import { queriedItems } from '../../core/store-pages.ts';
import type { Store } from '../../core/store-port.ts';
import { standingOf } from '../../registry/standing.ts';
import { baseItems, type Keyed, nextItem, openDerivedStreams } from './partition-streams.ts';

/**
 * The second look at a partition whose digests differ: it finds the derived items, or parts of them, that differ. Base items and
 * index items are read next to each other in the order of their keys, which is the same. So a partition of any size takes no more
 * memory than its view and a page of each stream.
 */

/** How to look at a partition. */
export interface NominateOptions {
  /** Leaves out items that other partitions decide: the nodes that the view copies from are not read. */
  withoutLookUps?: boolean;
}

/**
 * Reads a partition and yields what differs in it. The partition may change meanwhile: a nomination is no verdict. The return value
 * says whether any base item asks for something in the view.
 */
export async function* nominate(
  graph: CompiledModel,
  store: Pick<Store, 'get' | 'getMany' | 'query'>,
  source: string,
  { withoutLookUps = false }: NominateOptions = {},
): AsyncGenerator<Suspect, boolean> {
  const { item: stored } = await store.get({ source, target: VIEW_KEY }, { consistent: true });
  const isReady = stored === undefined || standingOf(graph, source, VIEW_KEY, stored).kind === 'compared';
  const isOtherShape = isReady && hasOtherShape(graph, source, stored);
  if (isOtherShape) yield { source, sortKey: VIEW_KEY, part: { kind: 'shape' } };
  const comparesView = isReady && !isOtherShape;
  const view = comparesView ? stored : undefined;
  const hasJoined = joinedTypesFrom(graph, parseNodeId(source)?.type ?? '').length > 0;
  let node: SourceNode | undefined;
  if (hasJoined) {
    const keys = sourceNodeKeys(graph, source).map((target) => ({ source, target }));
    node = sourceNodeOf(graph, source, (await store.getMany(keys, { consistent: true })).items);
  }
  const totals = await revisionsOfTotals(graph, store, source);
  const bases = baseItems(graph, store, source);
  const streams = await openDerivedStreams(graph, store, source);
  const prefixes = streams.map(({ prefix }) => prefix);
  const read = { view, node, comparesView, totals };
  const comparison = new PartitionComparison(graph, source, read, prefixes);
  for (let base = await nextItem(bases); ; base = await nextItem(bases)) {
    const beside = new Map<string, Item>();
    for (const stream of streams) {
      const place = base && stream.prefix + base.key;
      // A derived item before the place has no base item. After the last base item this holds for all that remain.
      for (; stream.head !== undefined; await stream.advance()) {
        const order = place === undefined ? -1 : compareKeys(stream.head.key, place);
        if (order > 0) break;
        // The items of a part do not follow its key, which may be the name of a search.
        if (order < 0 || !isFollowedByIndexItems(base!.key)) yield* comparison.compareDerivedItem(stream.head);
        else beside.set(stream.head.key, stream.head.item);
      }
    }
    if (base === undefined) break;
    yield* comparison.compareBaseItem(base, beside);
  }
  yield* comparison.remainingSuspects();
  for await (const edge of wrongCopies(graph, store, copySlots(graph, view), withoutLookUps)) {
    yield { source, sortKey: VIEW_KEY, part: { kind: 'copy', target: edge } };
  }
  return comparison.isViewExpected;
}

/** Tells whether the keys of a base item's index items may hold its own: there is a dash in those of edges and nodes. */
function isFollowedByIndexItems(key: string): boolean {
  return key.includes('-');
}

/** An index item that is compared once both its expected and its actual side are known. */
interface Pending {
  expected?: string;
  actual?: string;
  /** The base item that asks for it. */
  target?: string;
}

/** The comparison of one partition, item by item. */
class PartitionComparison implements PartitionContent {
  isViewExpected = false;
  /** Absent: the view is not compared with what base items ask for. */
  private readonly inView: ViewComparison | undefined;
  /** Live index items of counted edges, and the actual counts, by the counts' names. */
  private readonly live = new Map<string, Amounts>();
  private readonly counts = new Map<string, Amounts>();
  private readonly malformed = new Set<string>();
  /** The totals that were changed while their entries were read. */
  private readonly moved = new Set<string>();
  /** Index items that are not read next to their base item, because their order is another: search items, and items with a hashed key. */
  private readonly apart = new Map<string, Pending>();

  constructor(
    readonly graph: CompiledModel,
    private readonly source: string,
    private readonly read: {
      view: Item | undefined;
      node: SourceNode | undefined;
      comparesView: boolean;
      totals: ReadonlyMap<string, string | undefined>;
    },
    /** The texts before a base item's sort key in the keys of the index items that follow it. */
    private readonly prefixes: readonly string[],
  ) {
    this.inView = read.comparesView ? new ViewComparison(read.view) : undefined;
  }

  /** Compares a base item; `beside`: the derived items whose keys follow its own, by sort key. */
  *compareBaseItem({ key, item }: Keyed, beside: ReadonlyMap<string, Item>): Generator<Suspect> {
    const expected = derivedOf(this.graph, this.source, key, item, this.read.node);
    if (expected.attributes !== undefined || expected.element !== undefined) this.isViewExpected = true;
    if (key === this.source) {
      const isRight = this.inView?.hasAttributes(expected.attributes) ?? true;
      if (!isRight) yield this.suspectOf(VIEW_KEY, { kind: 'attributes' });
    } else if (this.inView?.hasElement(key, expected.element) === false) {
      yield this.suspectOf(VIEW_KEY, { kind: 'element', target: key });
    }
    const besideKeys = isFollowedByIndexItems(key) ? this.prefixes.map((prefix) => prefix + key) : [];
    for (const [sortKey, fields] of expected.indexItems) {
      if (besideKeys.includes(sortKey)) continue;
      Object.assign(this.pendingIndexItem(sortKey), { expected: indexItemText(fields), target: key });
    }
    for (const besideKey of besideKeys) {
      const found = beside.get(besideKey);
      const stored = found !== undefined && (yield* this.isDecidedByBaseItems(besideKey, found)) ? found : undefined;
      if (indexItemText(stored) !== indexItemText(expected.indexItems.get(besideKey))) {
        yield this.suspectOf(besideKey, { kind: 'index-item', target: key });
      }
      if (stored !== undefined) yield* this.addActualItem(itemKindOf(this.graph, besideKey), besideKey, stored);
    }
  }

  /** Compares a derived item that has no base item next to it. */
  *compareDerivedItem({ key, item }: Keyed): Generator<Suspect> {
    if (!(yield* this.isDecidedByBaseItems(key, item))) return;
    const kind = itemKindOf(this.graph, key);
    // Items of other kinds are compared during the scan: other partitions decide about them.
    if (kind.decidedBy !== 'partition') {
      kind.addTo?.(this, key, item);
      return;
    }
    yield* this.addActualItem(kind, key, item);
    if (kind.name === 'total' && revisionOf(item) !== this.read.totals.get(key)) this.moved.add(key);
    const text = kind.hasBase ? indexItemText(item) : undefined;
    if (text === undefined) return;
    const target = baseKeyOfIndexItem(this.source, key);
    const isBeside = target !== undefined && this.prefixes.some((prefix) => prefix + target === key);
    // rule: index-item-of-no-base-item-is-a-suspect
    if (!isBeside || target === this.source) this.pendingIndexItem(key).actual = text;
    else yield this.suspectOf(key, { kind: 'index-item', target });
  }

  /** Returns whether base items decide about a derived item. Yields an item that should not exist. */
  private *isDecidedByBaseItems(sortKey: string, item: Item): Generator<Suspect, boolean> {
    const { kind } = standingOf(this.graph, this.source, sortKey, item);
    if (kind === 'retired' || kind === 'unregistered' || kind === 'misplaced') {
      yield this.suspectOf(sortKey, { kind });
    }
    return kind === 'compared' && (sortKey !== VIEW_KEY || this.inView !== undefined);
  }

  /** Yields the differences that are known only after all items were read. */
  *remainingSuspects(): Generator<Suspect> {
    for (const [key, { expected, actual, target }] of this.apart) {
      if (expected === actual) continue;
      yield this.suspectOf(key, { kind: 'index-item', target: target ?? baseKeyOfIndexItem(this.source, key) });
    }
    for (const name of new Set([...this.live.keys(), ...this.counts.keys()])) {
      if (this.malformed.has(name) || !isMaintained(this.graph, countKeyOf(name))) continue;
      const stored = this.counts.get(name) ?? NO_AMOUNTS;
      // A wrong total and the repair of an entry that was read before it may look right together.
      if (this.moved.has(name) || !sameAmounts(stored, this.live.get(name) ?? NO_AMOUNTS)) {
        yield this.suspectOf(countKeyOf(name), { kind: 'count' });
      } else if (hasRoomForOthers(stored)) yield this.suspectOf(countKeyOf(name), { kind: 'room' });
    }
    for (const part of this.inView?.remainingParts() ?? []) yield this.suspectOf(VIEW_KEY, part);
  }

  /** Yields the oddities of an actual item, and adds the item to the counts. */
  private *addActualItem(kind: ItemKind, key: string, item: Item): Generator<Suspect> {
    for (const part of kind.oddities(this.graph, item)) yield this.suspectOf(key, part);
    kind.addTo?.(this, key, item);
  }

  /** A view is compared edge by edge. */
  addView(): void {}

  /** A base item that could not be projected differs from nothing. */
  addQuarantined(): void {}

  /** Adds the numbers in a count. */
  addCount(name: string, count: Amounts | undefined): void {
    if (count === undefined) this.malformed.add(name);
    else this.counts.set(name, count);
  }

  addCountedItem(item: Item): void {
    addItemAmounts(this.live, item);
  }

  /** Adds an item to the count that it names. */
  addActualIndexItem(_sortKey: string, item: Item): void {
    addItemAmounts(this.live, item);
  }

  private pendingIndexItem(key: string): Pending {
    let found = this.apart.get(key);
    if (found === undefined) {
      found = {};
      this.apart.set(key, found);
    }
    return found;
  }

  private suspectOf(sortKey: string, part: Part): Suspect {
    return { source: this.source, sortKey, part };
  }
}

/** A view, as its edges are compared with it one by one. */
class ViewComparison {
  private attributes: string | undefined;
  private readonly elements: Map<string, string[]>;
  private readonly evicted: ReadonlySet<string>;
  private readonly hasSet: boolean;

  constructor(view: Item | undefined) {
    this.hasSet = hasEdgeSet(view);
    this.attributes = attributesText(viewAttributes(view));
    this.elements = elementsByEdge(view);
    this.evicted = evictedTypes(view);
  }

  hasAttributes(expected: Item | undefined): boolean {
    const stored = this.attributes;
    this.attributes = undefined;
    return attributesText(expected) === stored;
  }

  hasElement(target: string, element: string | undefined): boolean {
    const edge = escapedEdge(target);
    const stored = this.elements.get(edge) ?? [];
    this.elements.delete(edge);
    const expected = element === undefined || this.evicted.has(typePrefix(target) ?? '') ? [] : [element];
    return stored.length === expected.length && stored[0] === expected[0];
  }

  /** Yields the parts without a base item, and all marks: only all edges of a type together show whether its mark is right. */
  *remainingParts(): Generator<Part> {
    if (this.attributes !== undefined) yield { kind: 'attributes' };
    if (!this.hasSet) yield { kind: 'garbage', element: NO_SET };
    for (const [edge, elements] of this.elements) {
      const target = edgeKeyOfElement(elements[0]!);
      const isElement = decodeElement(elements[0]!) !== undefined && escapedEdge(target) === edge;
      if (isElement) yield { kind: 'element', target };
      else for (const element of elements) yield { kind: 'garbage', element };
    }
    for (const edgeType of this.evicted) yield { kind: 'mark', edgeType };
  }
}

/** The revisions of the totals of a partition, before their entries are read: the total itself comes after them. */
async function revisionsOfTotals(
  graph: CompiledModel,
  store: Pick<Store, 'query'>,
  source: string,
): Promise<Map<string, string | undefined>> {
  const revisions = new Map<string, string | undefined>();
  const hasTotals = layersOf(graph).some(({ edges }) => [...edges.values()].some(({ incoming }) => incoming));
  if (!hasTotals) return revisions;
  const request = { partition: source, sortKey: { beginsWith: BEGINNINGS.total }, consistent: true };
  for await (const item of queriedItems(store, request))
    revisions.set(stringOf(item[graph.table.sortKey]) ?? '', revisionOf(item));
  return revisions;
}

/** Nodes in one look-up call. */
const PARENTS = 100;

/** Yields the edges, or the attribute names, of a view's copies that differ from their nodes. */
async function* wrongCopies(
  graph: CompiledModel,
  store: Pick<Store, 'getMany'>,
  slots: readonly CopySlot[],
  withoutLookUps: boolean,
): AsyncGenerator<string> {
  for (const { edge, parent } of slots) if (parent === undefined) yield edge;
  const listed = withoutLookUps ? [] : slots.filter(({ parent }) => parent !== undefined);
  for (let start = 0; start < listed.length; start += PARENTS) {
    const chunk = listed.slice(start, start + PARENTS);
    const keys = chunk.map(({ parent = '' }) => ({ source: parent, target: parent }));
    const { items } = await store.getMany(keys, { consistent: false });
    for (const [i, slot] of chunk.entries()) if (!isSlotRight(graph, slot, items[i])) yield slot.edge;
  }
}
