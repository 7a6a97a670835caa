import { type Item, itemSizeBytes, setOwn, textsOf } from '../../core/items/attribute-value.ts';
import { COPIES, EDGE_SET } from '../../core/items/derived-item.ts';
import { escapedEdgeOfElement } from '../../core/items/element.ts';
import { isDerivedKey, parseNodeId, typePrefix, VIEW_KEY } from '../../core/items/keys.ts';
import { type Amounts, addItemAmounts, hasRoomForOthers, NO_AMOUNTS, sameAmounts } from '../../core/items/ledger.ts';
import { evictedTypes, hasEdgeSet, viewAttributes } from '../../core/items/stored-view.ts';
import { itemKindOf } from '../../core/kinds/all-kinds.ts';
import { type CopySlot, copySlots, hasCopies } from '../../core/kinds/copy.ts';
import { fitsBackIntoView } from '../../core/kinds/eviction.ts';
import { indexItemText } from '../../core/kinds/index-item.ts';
import type { PartitionContent } from '../../core/kinds/kind.ts';
import { attributesText, hasOtherShape } from '../../core/kinds/view.ts';
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
import { derivedOf, type Problem } from '../../core/plan/derive.ts';
import { standingOf } from '../../registry/standing.ts';
import { CollectionDigest } from './digest.ts';

/**
 * Compares a partition while the scan reads it. Digests take the same memory for a partition of any size, and show that
 * something differs, not what.
 */

const MOST_STUCK = 10_000;
/** `base`: of a type of the model; `unknown`: of another one. */
export type Noted = 'base' | 'unknown' | undefined;

export class PartitionSummary implements PartitionContent {
  baseItems = 0;
  derivedItems = 0;
  /** With the reason: base items that can't be derived, and those that a quarantine entry names. */
  readonly quarantined = new Map<string, string>();
  readonly changing = new Map<string, number>();
  /** The copies in the view, to be compared with their nodes; kept only if `keepsSlots` is set. */
  slots: readonly CopySlot[] = [];
  private readonly expectedItems = new CollectionDigest();
  private readonly actualItems = new CollectionDigest();
  private readonly expectedElements = new Map<string, ElementDigest>();
  private readonly actualElements = new Map<string, ElementDigest>();
  private expectedAttributes: string | undefined;
  private actualAttributes: string | undefined;
  /** Live index items of counted edges, and the actual counts, by the counts' names. */
  private readonly live = new Map<string, Amounts>();
  private readonly counts = new Map<string, Amounts | undefined>();
  private evicted: ReadonlySet<string> = new Set();
  private viewBytes = 0;
  /** True if the partition has something that no base item can ask for. */
  private isOdd = false;
  /** What edges depend on; undefined until it is known. */
  private node: SourceNode | undefined;
  private readonly pieces = new Map<string, Item>();
  private readonly pieceKeys: readonly string[];

  constructor(
    readonly graph: CompiledModel,
    readonly source: string,
    private readonly keepsSlots = false,
  ) {
    this.pieceKeys = sourceNodeKeys(graph, source);
  }

  /** In any order, but for an edge that depends on its node: it is added once the node is known. */
  add(sortKey: string, item: Item): Noted {
    if (!isDerivedKey(sortKey)) return this.addBaseItem(sortKey, item);
    this.derivedItems += 1;
    if (!this.isCompared(sortKey, item)) return undefined;
    const kind = itemKindOf(this.graph, sortKey);
    if (kind.decidedBy === 'partition' && kind.faults(this.graph, item).length > 0) this.isOdd = true;
    kind.addTo?.(this, sortKey, item);
    return undefined;
  }

  private isCompared(sortKey: string, item: Item): boolean {
    const { kind, name } = standingOf(this.graph, this.source, sortKey, item);
    if (kind === 'changing') this.changing.set(name, (this.changing.get(name) ?? 0) + 1);
    const isOtherShape = sortKey === VIEW_KEY && kind === 'compared' && hasOtherShape(this.graph, this.source, item);
    if (kind === 'retired' || kind === 'unregistered' || kind === 'misplaced' || isOtherShape) this.isOdd = true;
    return kind === 'compared' && !isOtherShape;
  }

  /** A difference is only a reason to look again: the partition may have changed while it was read. */
  get isClean(): boolean {
    if (this.isOdd || this.expectedAttributes !== this.actualAttributes) return false;
    if (!this.expectedItems.equals(this.actualItems)) return false;
    for (const type of new Set([...this.live.keys(), ...this.counts.keys()])) {
      const stored = this.counts.has(type) ? this.counts.get(type) : NO_AMOUNTS;
      if (stored === undefined || !sameAmounts(stored, this.live.get(type) ?? NO_AMOUNTS)) return false;
      if (hasRoomForOthers(stored)) return false;
    }
    for (const type of this.evicted) if (!this.isMarkRight(type)) return false;
    for (const type of new Set([...this.expectedElements.keys(), ...this.actualElements.keys()])) {
      // rule: digest-takes-in-elements
      if (this.evicted.has(type)) continue;
      const expected = this.expectedElements.get(type)?.digest ?? new CollectionDigest();
      if (!expected.equals(this.actualElements.get(type)?.digest ?? new CollectionDigest())) return false;
    }
    return true;
  }

  private addBaseItem(sortKey: string, item: Item): Noted {
    this.baseItems += 1;
    if (this.node === undefined && this.pieceKeys.includes(sortKey)) {
      this.pieces.set(sortKey, item);
      const pieces = this.pieceKeys.map((key) => this.pieces.get(key));
      if (this.pieces.size === this.pieceKeys.length) this.setNode(sourceNodeOf(this.graph, this.source, pieces));
    }
    if (classifyBaseItem(this.graph, this.source, sortKey, item).kind === 'unknown') {
      return 'unknown';
    }
    this.addExpected(sortKey, item);
    return 'base';
  }

  /** True if the edge depends on a node that isn't known yet; `setNode` adds it. */
  lacksNode(sortKey: string): boolean {
    return this.node === undefined && sortKey !== this.source && needsSource(this.graph, sortKey);
  }

  setNode(node: SourceNode): void {
    this.node ??= usedByEdges(this.graph, this.source, node);
    this.pieces.clear();
  }

  private addExpected(sortKey: string, item: Item): void {
    const expected = derivedOf(this.graph, this.source, sortKey, item, this.node);
    if (expected.problems.length > 0) this.addQuarantined(sortKey, problemsText(expected.problems));
    if (expected.attributes !== undefined) this.expectedAttributes = attributesText(expected.attributes);
    if (expected.element !== undefined) addElement(this.expectedElements, typePrefix(sortKey) ?? '', expected.element);
    for (const [key, fields] of expected.indexItems) this.expectedItems.add(`${key}\0${indexItemText(fields)}`);
  }

  addView(view: Item): void {
    this.actualAttributes = attributesText(viewAttributes(view));
    this.evicted = evictedTypes(view);
    this.viewBytes = itemSizeBytes(view);
    const set = view[EDGE_SET];
    if (!hasEdgeSet(view)) this.isOdd = true;
    for (const element of textsOf(set)) {
      const edge = escapedEdgeOfElement(element);
      addElement(this.actualElements, edge.slice(0, Math.max(0, edge.indexOf('-'))), element);
    }
    if (view[COPIES] !== undefined || hasCopies(this.graph)) this.addCopies(copySlots(this.graph, view));
  }

  private addCopies(slots: readonly CopySlot[]): void {
    if (slots.some(({ parent }) => parent === undefined)) this.isOdd = true;
    if (this.keepsSlots) this.slots = slots;
  }

  addActualIndexItem(sortKey: string, item: Item): void {
    const text = indexItemText(item);
    if (text !== undefined) this.actualItems.add(`${sortKey}\0${text}`);
    addItemAmounts(this.live, item);
  }

  addCountedItem(item: Item): void {
    addItemAmounts(this.live, item);
  }

  addCount(name: string, count: Amounts | undefined): void {
    this.counts.set(name, count);
  }

  addQuarantined(target: string, reason: string): void {
    if (this.quarantined.size < MOST_STUCK || this.quarantined.has(target)) this.quarantined.set(target, reason);
  }

  /** By the size of its elements. With copies, whose size only the nodes show, the mark may be right although this says no. */
  private isMarkRight(type: string): boolean {
    const edge = this.graph.edges.get(type);
    if (edge?.labels === undefined || this.actualElements.has(type)) return false;
    const { bytes } = this.expectedElements.get(type) ?? { bytes: 0 };
    return !fitsBackIntoView(this.graph, this.source, this.viewBytes + bytes);
  }
}

/** Nothing but what determines the index items of its edges. */
export function usedByEdges(graph: CompiledModel, source: string, { item }: SourceNode): SourceNode {
  const used: Item = {};
  const type = parseNodeId(source)?.type ?? '';
  for (const name of [...attributesOfSource(graph, type), ...attributesOfDeletion(graph, type)]) {
    if (item?.[name] !== undefined) setOwn(used, name, item[name]);
  }
  return { item: item && used };
}

function problemsText(problems: readonly Problem[]): string {
  return problems.map(({ message }) => message).join('; ');
}

interface ElementDigest {
  digest: CollectionDigest;
  bytes: number;
}

function addElement(digests: Map<string, ElementDigest>, type: string, element: string): void {
  let ofType = digests.get(type);
  if (ofType === undefined) {
    ofType = { digest: new CollectionDigest(), bytes: 0 };
    digests.set(type, ofType);
  }
  ofType.digest.add(element);
  ofType.bytes += Buffer.byteLength(element);
}
