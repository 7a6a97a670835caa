import { type Item, itemSizeBytes, setOwn, textsOf } from '../../core/items/attribute-value.ts';
import { COPIES, EDGE_SET, revisionOf } from '../../core/items/derived-item.ts';
import { baseKeyOfIndexItem } from '../../core/items/derived-key.ts';
import { escapedEdge, escapedEdgeOfElement } from '../../core/items/element.ts';
import { isDerivedKey, parseNodeId, typePrefix, VIEW_KEY } from '../../core/items/keys.ts';
import { type Amounts, addItemAmounts, hasRoomForOthers, NO_AMOUNTS, sameAmounts } from '../../core/items/ledger.ts';
import { evictedTypes, isEdgeSetMalformed, viewAttributes } from '../../core/items/stored-view.ts';
import { isMaintained, itemKindOf } from '../../core/kinds/all-kinds.ts';
import { type CopySlot, copySlots, hasCopies } from '../../core/kinds/copy.ts';
import type { Suspect } from '../../core/kinds/difference.ts';
import { edgeOfElements } from '../../core/kinds/element.ts';
import { fitsBackIntoView } from '../../core/kinds/eviction.ts';
import { indexItemText } from '../../core/kinds/index-item.ts';
import type { PartitionContent } from '../../core/kinds/kind.ts';
import { isOutsideRegistry } from '../../core/kinds/unknown-item.ts';
import { attributesText, hasOtherShape, leftoverMarks } from '../../core/kinds/view.ts';
import { classifyBaseItem } from '../../core/model/base-item.ts';
import type { CompiledModel } from '../../core/model/compiled.ts';
import { attributesOfDeletion } from '../../core/model/gone.ts';
import {
  attributesOfSource,
  needsSource,
  type SourceNode,
  sourceNodeKeys,
  sourceNodeOf,
} from '../../core/model/joined.ts';
import { countKeyOf } from '../../core/model/projection/places.ts';
import { derivedOf } from '../../core/plan/derive.ts';
import type { ItemKey } from '../../core/store-port.ts';
import { standingOf } from '../../registry/standing.ts';
import { type Part, type PartKey, Parts, type PartsOptions } from './parts.ts';

const MOST_STUCK = 10_000;
/** Per suspect of a view. */
const MOST_BASES = 100;
/** The group of the index items. An element of the view is in the group of its edge type. */
const INDEX_ITEMS = '';
const ATTRIBUTES_OF_NODE = '~';

/** `base`: the item's type is in the model; `unknown`: it isn't. */
export type Noted = 'base' | 'unknown' | undefined;

/**
 * A derived item that differed from what its base items ask for. The base items may have changed since they were read,
 * so the item is only a suspect.
 */
export interface Nominated {
  suspect: Suspect;
  /** The item as it was read; absent if it still has to be read. */
  read?: { derived: Item | undefined };
  /** Whether base items ask for anything in the view. */
  isViewExpected?: boolean;
}

interface ComparisonOptions extends PartsOptions {
  /** Keeps the view's copies for a comparison with their nodes. */
  keepsSlots?: boolean;
  /** Revisions that totals had before their entries were read, by sort key. */
  totals?: ReadonlyMap<string, string | undefined>;
}

export class PartitionComparison implements PartitionContent {
  baseItems = 0;
  derivedItems = 0;
  /** Reasons, by sort key, for base items that can't be projected or are named by a quarantine entry. */
  readonly quarantined = new Map<string, string>();
  private readonly entries = new Set<string>();
  readonly changing = new Map<string, number>();
  slots: readonly CopySlot[] = [];
  private readonly parts: Parts;
  private view: Item | undefined;
  private isViewCompared = true;
  private isViewExpected = false;
  /** Total bytes of the elements that base items ask for, by edge type. */
  private readonly elementBytes = new Map<string, number>();
  /** By the count's name: `live` is computed from the items, `counts` is stored. */
  private readonly live = new Map<string, Amounts>();
  private readonly counts = new Map<string, Amounts | undefined>();
  private readonly countItems = new Map<string, Item>();
  private readonly wrongCounts = new Set<string>();
  /** The attributes that edges depend on; undefined until they are known. */
  private node: SourceNode | undefined;
  private readonly pieces = new Map<string, Item>();
  private readonly pieceKeys: readonly string[];

  constructor(
    readonly graph: CompiledModel,
    readonly source: string,
    private readonly options: ComparisonOptions = {},
  ) {
    this.parts = new Parts(options);
    this.pieceKeys = sourceNodeKeys(graph, source);
  }

  /** Takes items in any order, except that a node must be known before the edges that depend on it. */
  add(sortKey: string, item: Item): Noted {
    if (!isDerivedKey(sortKey)) return this.addBaseItem(sortKey, item);
    this.derivedItems += 1;
    this.addDerivedItem(sortKey, item);
    return undefined;
  }

  get isClean(): boolean {
    return this.suspects().length === 0 && this.differingBuckets.length === 0;
  }

  /**
   * A total sorts after its entries and may have been written between these reads. So a partition with a total is read
   * again, after the revisions of its totals.
   */
  get hasTotals(): boolean {
    return [...this.countItems.keys()].some((key) => itemKindOf(this.graph, key).name === 'total');
  }

  /** True if all suspects are known without another read. */
  get isComplete(): boolean {
    return !this.hasTotals && this.slots.length === 0 && this.differingBuckets.length === 0;
  }

  /** Buckets that differ, if there were too many parts to keep. The partition has to be read again for each set. */
  get differingBuckets(): Set<string>[] {
    return this.parts.differingBuckets(({ group, actual, isWrong }) =>
      this.isCompared(group, actual.count > 0 || isWrong),
    );
  }

  /** @param copies edges whose copies in the view differ. */
  suspects(copies: Iterable<string> = []): Nominated[] {
    const { source, view, isViewExpected } = this;
    const isWhole = this.options.only === undefined;
    const ofView = { source, sortKey: VIEW_KEY };
    const shares = new Set(copies);
    const items = new Map<string, Nominated>();
    for (const part of this.parts.differing) {
      if (!this.isCompared(part.group, part.actual !== undefined || part.isWrong === true)) continue;
      if (part.group === INDEX_ITEMS) items.set(part.name, this.nominatedItem(part));
      else {
        const share = part.base ?? baseOfShare(source, part);
        if (share !== undefined) shares.add(share);
        else items.set(VIEW_KEY, { suspect: ofView, read: { derived: view } });
      }
    }
    for (const key of isWhole ? this.differingCounts() : [])
      items.set(key, { suspect: { source, sortKey: key }, read: { derived: this.countItems.get(key) } });
    const returning = isWhole ? this.returningTypes() : [];
    if (returning.length > 0) items.set(VIEW_KEY, { suspect: { ...ofView, returning }, read: { derived: view } });
    const targets = [...shares];
    for (let start = 0; start < targets.length; start += MOST_BASES) {
      const bases = targets.slice(start, start + MOST_BASES).map((target) => ({ source, target }));
      items.set(`${VIEW_KEY}\0${start}`, { suspect: { ...ofView, bases }, read: { derived: view } });
    }
    return [...items.values()].map((one) => ({ ...one, isViewExpected }));
  }

  private isCompared(group: string, isStored: boolean): boolean {
    if (group === INDEX_ITEMS) return true;
    if (!this.isViewCompared) return false;
    // rule: elements-of-a-view-are-compared
    return isStored || !evictedTypes(this.view).has(group);
  }

  private nominatedItem({ name, base, derived }: Part): Nominated {
    const { source, graph } = this;
    const isOutside = derived !== undefined && isOutsideRegistry(standingOf(graph, source, name, derived));
    const hasBase = !isOutside && itemKindOf(graph, name).hasBase;
    const target = base ?? (hasBase ? baseKeyOfIndexItem(source, name) : undefined);
    const bases = target !== undefined && { bases: [{ source, target }] };
    return { suspect: { source, sortKey: name, ...bases }, read: { derived } };
  }

  private differingCounts(): Set<string> {
    const differing = new Set(this.wrongCounts);
    for (const name of new Set([...this.live.keys(), ...this.counts.keys()])) {
      const stored = this.counts.has(name) ? this.counts.get(name) : NO_AMOUNTS;
      const isRight = stored !== undefined && sameAmounts(stored, this.live.get(name) ?? NO_AMOUNTS);
      const key = countKeyOf(name);
      if ((!isRight || hasRoomForOthers(stored)) && isMaintained(this.graph, key)) differing.add(key);
    }
    return differing;
  }

  /**
   * Returns evicted types whose elements may fit into the view again. The size of copies is known only from their
   * nodes, so the eviction may still be right.
   */
  private returningTypes(): string[] {
    const { graph, source, view } = this;
    if (view === undefined) return [];
    const bytes = itemSizeBytes(view);
    return [...evictedTypes(view)].filter((type) => {
      const isListed = graph.edges.get(type)?.labels !== undefined;
      return isListed && fitsBackIntoView(graph, source, bytes + (this.elementBytes.get(type) ?? 0));
    });
  }

  private addBaseItem(sortKey: string, item: Item): Noted {
    this.baseItems += 1;
    if (this.node === undefined && this.pieceKeys.includes(sortKey)) {
      this.pieces.set(sortKey, item);
      const pieces = this.pieceKeys.map((key) => this.pieces.get(key));
      if (this.pieces.size === this.pieceKeys.length) this.setNode(sourceNodeOf(this.graph, this.source, pieces));
    }
    if (classifyBaseItem(this.graph, this.source, sortKey, item).kind === 'unknown') return 'unknown';
    this.addExpected(sortKey, item);
    return 'base';
  }

  /** True if the edge depends on a node that isn't known yet: call `setNode` before `add`. */
  lacksNode(sortKey: string): boolean {
    return this.node === undefined && sortKey !== this.source && needsSource(this.graph, sortKey);
  }

  setNode(node: SourceNode): void {
    this.node ??= usedByEdges(this.graph, this.source, node);
    this.pieces.clear();
  }

  private addExpected(sortKey: string, item: Item): void {
    const { attributes, element, indexItems, problems } = derivedOf(this.graph, this.source, sortKey, item, this.node);
    if (problems.length > 0) this.addReason(sortKey, problems.map(({ message }) => message).join('; '));
    if (attributes !== undefined || element !== undefined) this.isViewExpected = true;
    const ofNode = attributesText(attributes);
    if (ofNode !== undefined) this.parts.expect({ group: ATTRIBUTES_OF_NODE, name: sortKey }, ofNode, sortKey);
    if (element !== undefined) {
      const group = typePrefix(sortKey) ?? '';
      this.elementBytes.set(group, (this.elementBytes.get(group) ?? 0) + Buffer.byteLength(element));
      this.parts.expect({ group, name: escapedEdge(sortKey) }, element, sortKey);
    }
    for (const [name, fields] of indexItems) {
      const text = indexItemText(fields);
      if (text !== undefined) this.parts.expect({ group: INDEX_ITEMS, name }, text, sortKey);
    }
  }

  private addDerivedItem(sortKey: string, item: Item): void {
    const { graph, source } = this;
    const standing = standingOf(graph, source, sortKey, item);
    const { kind: state, name } = standing;
    const isOtherShape = sortKey === VIEW_KEY && state === 'compared' && hasOtherShape(graph, source, item);
    if (sortKey === VIEW_KEY) this.isViewCompared = state === 'compared' && !isOtherShape;
    if (state === 'changing') this.changing.set(name, (this.changing.get(name) ?? 0) + 1);
    const key: PartKey = { group: INDEX_ITEMS, name: sortKey };
    if (isOutsideRegistry(standing) || isOtherShape) this.parts.addWrong(key, item);
    if (state !== 'compared' || isOtherShape) return;
    const kind = itemKindOf(graph, sortKey);
    const isFaulty = kind.decidedBy === 'partition' && kind.faults(graph, item).length > 0;
    if (kind.name === 'count' || kind.name === 'total') {
      this.countItems.set(sortKey, item);
      const { totals } = this.options;
      const isMoved = kind.name === 'total' && totals !== undefined && revisionOf(item) !== totals.get(sortKey);
      if (isFaulty || isMoved) this.wrongCounts.add(sortKey);
    } else if (isFaulty) this.parts.addWrong(key, item);
    kind.addTo?.(this, sortKey, item);
  }

  addView(view: Item): void {
    const { graph, options } = this;
    this.view = view;
    const slots = view[COPIES] === undefined && !hasCopies(graph) ? [] : copySlots(graph, view);
    const isFaulty = isEdgeSetMalformed(view) || leftoverMarks(graph, view).length > 0;
    if (isFaulty || slots.some(({ parent }) => parent === undefined)) this.addWrongView();
    if (options.keepsSlots === true) this.slots = slots.filter(({ parent }) => parent !== undefined);
    const ofNode = attributesText(viewAttributes(view));
    if (ofNode !== undefined) this.parts.store({ group: ATTRIBUTES_OF_NODE, name: this.source }, ofNode);
    const evicted = evictedTypes(view);
    for (const element of textsOf(view[EDGE_SET])) {
      const name = escapedEdgeOfElement(element);
      const group = name.slice(0, Math.max(0, name.indexOf('-')));
      if (evicted.has(group)) this.parts.addWrong({ group, name });
      if (group === '') this.addWrongView();
      else this.parts.store({ group, name }, element);
    }
  }

  private addWrongView(): void {
    this.parts.addWrong({ group: INDEX_ITEMS, name: VIEW_KEY }, this.view);
  }

  addActualIndexItem(sortKey: string, item: Item): void {
    // rule: index-item-of-no-base-item-is-a-suspect
    this.parts.store({ group: INDEX_ITEMS, name: sortKey }, indexItemText(item), item);
    addItemAmounts(this.live, item);
  }

  addCountedItem(item: Item): void {
    addItemAmounts(this.live, item);
  }

  addCount(name: string, count: Amounts | undefined): void {
    this.counts.set(name, count);
  }

  addQuarantined(target: string, reason: string): void {
    this.entries.add(target);
    this.addReason(target, reason);
  }

  /** Keys of base items that can't be projected, which no quarantine entry names. */
  get withoutEntry(): ItemKey[] {
    const targets = [...this.quarantined.keys()].filter((target) => !this.entries.has(target));
    return targets.map((target) => ({ source: this.source, target }));
  }

  private addReason(target: string, reason: string): void {
    if (this.quarantined.size < MOST_STUCK || this.quarantined.has(target)) this.quarantined.set(target, reason);
  }
}

/** Returns the sort key of the base item that a stored part of the view names, if any. */
function baseOfShare(source: string, { group, name, actual }: Part): string | undefined {
  if (group === ATTRIBUTES_OF_NODE) return source;
  return actual === undefined ? undefined : edgeOfElements(name, [actual]);
}

export function usedByEdges(graph: CompiledModel, source: string, { item }: SourceNode): SourceNode {
  const used: Item = {};
  const type = parseNodeId(source)?.type ?? '';
  for (const name of [...attributesOfSource(graph, type), ...attributesOfDeletion(graph, type)]) {
    if (item?.[name] !== undefined) setOwn(used, name, item[name]);
  }
  return { item: item && used };
}
