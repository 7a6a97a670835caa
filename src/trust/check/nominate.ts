import { type Item, stringOf } from '../../core/items/attribute-value.ts';
import { revisionOf } from '../../core/items/derived-item.ts';
import { BEGINNINGS, baseKeyOfIndexItem } from '../../core/items/derived-key.ts';
import { escapedEdge } from '../../core/items/element.ts';
import { compareKeys } from '../../core/items/encoding.ts';
import { parseNodeId, typePrefix, VIEW_KEY } from '../../core/items/keys.ts';
import { type Amounts, addItemAmounts, hasRoomForOthers, NO_AMOUNTS, sameAmounts } from '../../core/items/ledger.ts';
import { elementsByEdge, evictedTypes, viewAttributes } from '../../core/items/stored-view.ts';
import { isMaintained, itemKindOf } from '../../core/kinds/all-kinds.ts';
import { type CopySlot, copySlots, isSlotRight } from '../../core/kinds/copy.ts';
import type { Suspect } from '../../core/kinds/difference.ts';
import { edgeOfElements } from '../../core/kinds/element.ts';
import { indexItemText } from '../../core/kinds/index-item.ts';
import type { PartitionContent } from '../../core/kinds/kind.ts';
import { isOutsideRegistry } from '../../core/kinds/unknown-item.ts';
import { attributesText, faultsOfView, hasOtherShape, leftoverMarks } from '../../core/kinds/view.ts';
import { type CompiledModel, layersOf } from '../../core/model/compiled.ts';
import { joinedTypesFrom, type SourceNode, sourceNodeKeys, sourceNodeOf } from '../../core/model/joined.ts';
import { countKeyOf } from '../../core/model/projection/places.ts';
import { derivedOf } from '../../core/plan/derive.ts';
import { queriedItems } from '../../core/store-pages.ts';
import type { Store } from '../../core/store-port.ts';
import { standingOf } from '../../registry/standing.ts';
import { baseItems, type Keyed, nextItem, openDerivedStreams } from './partition-streams.ts';

/**
 * Names the derived items that differ in a partition whose digests differ. Base items and index items are read side by
 * side in the order of their keys, so that a partition of any size takes the memory of its view and a page of each stream.
 */

export interface NominateOptions {
  /** Leaves out items that other partitions decide: the nodes that the view copies from are not read. */
  withoutLookUps?: boolean;
}

/** Base items of a view in one suspect. */
const MOST_BASES = 100;

/**
 * The partition may change meanwhile: a nomination is no verdict. Returns whether any base item asks for something in the
 * view.
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
  if (isOtherShape) yield { source, sortKey: VIEW_KEY };
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
  const wrong = wrongCopies(graph, store, copySlots(graph, view), withoutLookUps);
  for await (const edge of wrong) yield* comparison.addToView(edge);
  yield* comparison.remainingSuspects();
  return comparison.isViewExpected;
}

/** There is a dash in the keys of edges and nodes. */
function isFollowedByIndexItems(key: string): boolean {
  return key.includes('-');
}

interface Pending {
  expected?: string;
  actual?: string;
  target?: string;
  isFaulty?: boolean;
}

class PartitionComparison implements PartitionContent {
  isViewExpected = false;
  /** Absent: the view is not compared with what base items ask for. */
  private readonly inView: ViewComparison | undefined;
  private readonly wrongShares = new Set<string>();
  /** Live index items of counted edges, and the actual counts, by the counts' names. */
  private readonly live = new Map<string, Amounts>();
  private readonly counts = new Map<string, Amounts>();
  /** The counts that are wrong whatever they count, and totals that were changed while their entries were read. */
  private readonly odd = new Set<string>();
  /** Index items in another order than their base items: search items, and those with a hashed key. */
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

  /** @param beside the derived items whose keys follow the base item's, by sort key. */
  *compareBaseItem({ key, item }: Keyed, beside: ReadonlyMap<string, Item>): Generator<Suspect> {
    const expected = derivedOf(this.graph, this.source, key, item, this.read.node);
    if (expected.attributes !== undefined || expected.element !== undefined) this.isViewExpected = true;
    const isRight =
      key === this.source
        ? this.inView?.hasAttributes(expected.attributes)
        : this.inView?.hasElement(key, expected.element);
    if (isRight === false) yield* this.addToView(key);
    const besideKeys = isFollowedByIndexItems(key) ? this.prefixes.map((prefix) => prefix + key) : [];
    for (const [sortKey, fields] of expected.indexItems) {
      if (besideKeys.includes(sortKey)) continue;
      Object.assign(this.pendingIndexItem(sortKey), { expected: indexItemText(fields), target: key });
    }
    for (const besideKey of besideKeys) {
      const found = beside.get(besideKey);
      const standing = found && this.standingOf(besideKey, found);
      const stored = standing === 'compared' ? found : undefined;
      const isFaulty = stored !== undefined && this.addActualItem(besideKey, stored);
      const differs = indexItemText(stored) !== indexItemText(expected.indexItems.get(besideKey));
      if (standing === 'outside' || isFaulty || differs) yield this.suspectOf(besideKey, key);
    }
  }

  *compareDerivedItem({ key, item }: Keyed): Generator<Suspect> {
    const standing = this.standingOf(key, item);
    if (standing === 'outside') yield this.suspectOf(key);
    if (standing !== 'compared') return;
    const kind = itemKindOf(this.graph, key);
    // Items of other kinds are compared during the scan: other partitions determine them.
    if (kind.decidedBy !== 'partition') {
      kind.addTo?.(this, key, item);
      return;
    }
    const isFaulty = this.addActualItem(key, item);
    if (kind.name === 'view') return;
    const isMoved = kind.name === 'total' && revisionOf(item) !== this.read.totals.get(key);
    if (kind.name === 'count' || kind.name === 'total') {
      if (isFaulty || isMoved) this.odd.add(key);
      return;
    }
    const actual = kind.hasBase ? indexItemText(item) : undefined;
    if (actual === undefined && !isFaulty) return;
    const target = kind.hasBase ? baseKeyOfIndexItem(this.source, key) : undefined;
    const isBeside = target !== undefined && this.prefixes.some((prefix) => prefix + target === key);
    // rule: index-item-of-no-base-item-is-a-suspect
    if (kind.hasBase && (!isBeside || target === this.source))
      Object.assign(this.pendingIndexItem(key), { actual, isFaulty });
    else yield this.suspectOf(key, target);
  }

  private standingOf(sortKey: string, item: Item): 'compared' | 'outside' | 'left' {
    const standing = standingOf(this.graph, this.source, sortKey, item);
    if (isOutsideRegistry(standing)) return 'outside';
    return standing.kind === 'compared' && (sortKey !== VIEW_KEY || this.inView !== undefined) ? 'compared' : 'left';
  }

  *addToView(target: string): Generator<Suspect> {
    this.wrongShares.add(target);
    if (this.wrongShares.size >= MOST_BASES) yield* this.sharesOfView();
  }

  private *sharesOfView(): Generator<Suspect> {
    const { source } = this;
    if (this.wrongShares.size > 0)
      yield { source, sortKey: VIEW_KEY, bases: [...this.wrongShares].map((target) => ({ source, target })) };
    this.wrongShares.clear();
  }

  *remainingSuspects(): Generator<Suspect> {
    for (const [key, { expected, actual, target, isFaulty = false }] of this.apart) {
      if (expected === actual && !isFaulty) continue;
      yield this.suspectOf(key, target ?? baseKeyOfIndexItem(this.source, key));
    }
    for (const name of new Set([...this.live.keys(), ...this.counts.keys()])) {
      const key = countKeyOf(name);
      const stored = this.counts.get(name) ?? NO_AMOUNTS;
      // A wrong total and the repair of an entry that was read before it may look right together.
      const differs = !sameAmounts(stored, this.live.get(name) ?? NO_AMOUNTS) || hasRoomForOthers(stored);
      if (differs && isMaintained(this.graph, key)) this.odd.add(key);
    }
    for (const key of this.odd) yield this.suspectOf(key);
    for (const target of this.inView?.remainingTargets(this.source) ?? []) yield* this.addToView(target);
    yield* this.sharesOfView();
    const { source, graph } = this;
    const { view } = this.read;
    const leftover = leftoverMarks(graph, view);
    const returning = [...evictedTypes(view)].filter((type) => !leftover.includes(type));
    if (returning.length > 0 || (view !== undefined && faultsOfView(graph, view).length > 0))
      yield { source, sortKey: VIEW_KEY, returning };
  }

  /** Tells whether the item is wrong whatever base items say. */
  private addActualItem(key: string, item: Item): boolean {
    const kind = itemKindOf(this.graph, key);
    kind.addTo?.(this, key, item);
    return kind.faults(this.graph, item).length > 0;
  }

  addView(): void {}

  /** A base item that could not be projected differs from nothing. */
  addQuarantined(): void {}

  addCount(name: string, count: Amounts | undefined): void {
    if (count === undefined) this.odd.add(countKeyOf(name));
    else this.counts.set(name, count);
  }

  addCountedItem(item: Item): void {
    addItemAmounts(this.live, item);
  }

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

  private suspectOf(sortKey: string, target?: string): Suspect {
    const { source } = this;
    return { source, sortKey, ...(target !== undefined && { bases: [{ source, target }] }) };
  }
}

class ViewComparison {
  private attributes: string | undefined;
  private readonly elements: Map<string, string[]>;
  private readonly evicted: ReadonlySet<string>;

  constructor(view: Item | undefined) {
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

  /** Yields what has a share in the view, and no base item. */
  *remainingTargets(source: string): Generator<string> {
    if (this.attributes !== undefined) yield source;
    for (const [edge, elements] of this.elements) {
      const target = edgeOfElements(edge, elements);
      if (target !== undefined) yield target;
    }
  }
}

/** Read before their entries, because a total sorts after its entries. */
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

const PARENTS = 100;

async function* wrongCopies(
  graph: CompiledModel,
  store: Pick<Store, 'getMany'>,
  slots: readonly CopySlot[],
  withoutLookUps: boolean,
): AsyncGenerator<string> {
  const listed = withoutLookUps ? [] : slots.filter(({ parent }) => parent !== undefined);
  for (let start = 0; start < listed.length; start += PARENTS) {
    const chunk = listed.slice(start, start + PARENTS);
    const keys = chunk.map(({ parent = '' }) => ({ source: parent, target: parent }));
    const { items } = await store.getMany(keys, { consistent: false });
    for (const [i, slot] of chunk.entries()) if (!isSlotRight(graph, slot, items[i])) yield slot.edge;
  }
}
