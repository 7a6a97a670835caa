import { isDeepStrictEqual } from 'node:util';
import { type Item, sameItem, sameValue, stringOf } from '../../core/items/attribute-value.ts';
import type { ChangeRecord } from '../../core/items/change-record.ts';
import { COUNTED, EVICTED } from '../../core/items/derived-item.ts';
import { baseKeyOfIndexItem, type DerivedKind, type KindInTarget } from '../../core/items/derived-key.ts';
import { decodeElement, edgeKeyOfElement, escapedEdge } from '../../core/items/element.ts';
import { isDerivedKey, textOfKey, typePrefix, VIEW_KEY } from '../../core/items/keys.ts';
import { setsOfValues, storedAmounts, textOfAmounts } from '../../core/items/ledger.ts';
import { elementsByEdge, hasEdgeSet, viewAttributes } from '../../core/items/stored-view.ts';
import { itemKindOf } from '../../core/kinds/all-kinds.ts';
import { copyingEdge, copySlots } from '../../core/kinds/copy.ts';
import { isKeptCount } from '../../core/kinds/count.ts';
import type { Derived, InTarget } from '../../core/kinds/derived.ts';
import { NO_SET } from '../../core/kinds/element.ts';
import { edgeNamedInTarget } from '../../core/kinds/in-target.ts';
import { indexItemText } from '../../core/kinds/index-item.ts';
import { joinedKeysOf } from '../../core/kinds/joined.ts';
import type { Part, Suspect } from '../../core/kinds/part.ts';
import { isReverseKey, reverseItemOf } from '../../core/kinds/reverse-item.ts';
import { hasOtherShape } from '../../core/kinds/view.ts';
import type { CompiledModel } from '../../core/model/compiled.ts';
import { needsSource } from '../../core/model/joined.ts';
import { countKeyOf } from '../../core/model/projection/places.ts';
import { derivedOf, joinedShares } from '../../core/plan/derive.ts';
import { touchedFanOuts } from '../../core/plan/fan-out.ts';
import { isBaseSortKey } from '../../core/plan/stream-filter.ts';
import type { ItemKey } from '../../core/store-port.ts';
import { standingOf } from '../../registry/standing.ts';
import type { Opened, Spread } from './obligation.ts';

/**
 * The parts of derived items that a record opens: those that may have become wrong by it, whoever wrote it. A record that only moves
 * a revision opens nothing.
 */

/** A record of any item of the table, with both images. */
export type SeenChange = Pick<
  ChangeRecord,
  'source' | 'target' | 'oldImage' | 'newImage' | 'stream' | 'sequenceNumber'
>;

const NOTHING: Opened = { suspects: [], spreads: [] };

/** Returns the parts that a record opens. `graph` is the model that writers maintain. */
export function openedBy(graph: CompiledModel, change: SeenChange): Opened {
  // rule: base-records-open-what-they-change
  if (isBaseSortKey(change.target)) return openedByBase(graph, change);
  // An item that no type or template fits is somebody else's: it is neither judged nor repaired.
  if (!isDerivedKey(change.target)) return NOTHING;
  const kind = itemKindOf(graph, change.target);
  const isInTarget = kind.decidedBy === 'edge-elsewhere';
  const opens = isInTarget ? openedByItemInTarget : OPENED_BY_DERIVED[kind.name as keyof typeof OPENED_BY_DERIVED];
  // rule: derived-records-are-judged
  return opens(graph, change);
}

function openedByBase(graph: CompiledModel, change: SeenChange): Opened {
  const { source, target, oldImage, newImage } = change;
  const before = derivedOf(graph, source, target, oldImage);
  const after = derivedOf(graph, source, target, newImage);
  const suspects: Suspect[] = [];
  const open = (sortKey: string, part: Part): void => void suspects.push({ source, sortKey, part });
  if (!sameItem(before.attributes, after.attributes)) open(VIEW_KEY, { kind: 'attributes' });
  const isCopying = copyingEdge(graph, target) !== undefined;
  if (before.element !== after.element) {
    open(VIEW_KEY, { kind: 'element', target });
    if (isCopying) open(VIEW_KEY, { kind: 'copy', target });
  }
  for (const sortKey of new Set([...before.indexItems.keys(), ...after.indexItems.keys()])) {
    if (sameItem(before.indexItems.get(sortKey), after.indexItems.get(sortKey))) continue;
    open(sortKey, { kind: 'index-item', target });
  }
  if (needsSource(graph, target)) {
    const shares = [oldImage, newImage].map((image) => image && joinedShares(graph, source, target, image));
    if (!isDeepStrictEqual(shares[0], shares[1])) {
      for (const sortKey of joinedKeysOf(graph, typePrefix(target) ?? '', target)) {
        open(sortKey, { kind: 'index-item', target });
      }
    }
  }
  suspects.push(...openedInTarget({ source, target }, before, after));
  if (hasReverseItem(before) !== hasReverseItem(after)) open(VIEW_KEY, { kind: 'copy', target });
  // rule: changed-node-opens-its-fan-outs
  const spreads = spreadsOf(graph, change);
  return { suspects, spreads };
}

function hasReverseItem({ inTarget = [] }: Derived): boolean {
  return inTarget.some(({ key }) => isReverseKey(key.target));
}

/** The items of an edge in its target's partition that a record changes. */
function openedInTarget(base: ItemKey, before: Derived, after: Derived): Suspect[] {
  const itemsOf = ({ inTarget = [] }: Derived): Map<string, InTarget> =>
    new Map(inTarget.map((item) => [textOfKey(item.key), item]));
  const [old, now] = [itemsOf(before), itemsOf(after)];
  return [...new Map([...old, ...now])]
    .filter(([name]) => !sameItem(old.get(name)?.fields, now.get(name)?.fields))
    .map(([, { key }]) => ({ source: key.source, sortKey: key.target, part: { kind: 'reverse-item', base } }));
}

/** The fan-outs that a change of a node starts. The items that they reach become obligations later. */
function spreadsOf(graph: CompiledModel, change: SeenChange): Spread[] {
  const { source } = change;
  return touchedFanOuts(graph, change).map(({ of, edgeType }) => ({
    kind: of,
    source,
    edgeType,
  }));
}

type OpenedByDerived = (graph: CompiledModel, change: SeenChange) => Opened;

/**
 * The parts that a record of a derived item opens, by the item's kind. A new kind has to be entered here, or does not compile, but for those in
 * the partitions of edges' targets. Kinds by which no reader is answered open themselves only.
 */
const OPENED_BY_DERIVED: { readonly [Kind in Exclude<DerivedKind, KindInTarget>]: OpenedByDerived } = {
  view: openedByView,
  'index-item': openedByIndexItem,
  'target-item': openedByIndexItem,
  'part-view': openedByIndexItem,
  count: openedByCount,
  total: openedByCount,
  continuation: openedByContinuation,
  'source-continuation': openedByContinuation,
  // No base item asks for an entry, and none is wrong by itself.
  'quarantine-entry': () => NOTHING,
  'unknown-item': (graph, change) => openedInItem(graph, change, []),
};

/** The opened parts of the item itself: the given ones, and those that are wrong whatever base items say. */
function openedInItem(
  graph: CompiledModel,
  { source, target, newImage }: SeenChange,
  content: readonly Part[],
): Opened {
  const parts: Part[] = [...content];
  if (newImage !== undefined) {
    const { kind } = standingOf(graph, source, target, newImage);
    if (kind === 'retired' || kind === 'unregistered' || kind === 'misplaced') parts.push({ kind });
    // An item of a projection that is being built or removed differs by nature.
    if (kind !== 'compared') return { suspects: parts.map((part) => ({ source, sortKey: target, part })), spreads: [] };
    parts.push(...itemKindOf(graph, target).oddities(graph, newImage));
  }
  return { suspects: parts.map((part) => ({ source, sortKey: target, part })), spreads: [] };
}

function openedByView(graph: CompiledModel, change: SeenChange): Opened {
  const { source, oldImage, newImage } = change;
  const isUsed = (view: Item | undefined): boolean =>
    view === undefined ||
    (standingOf(graph, source, VIEW_KEY, view).kind === 'compared' && !hasOtherShape(graph, source, view));
  const parts: Part[] = [];
  if (!sameItem(viewAttributes(oldImage), viewAttributes(newImage))) parts.push({ kind: 'attributes' });
  parts.push(...changedElements(oldImage, newImage), ...changedCopies(graph, oldImage, newImage));
  const own = openedInItem(graph, change, parts);
  // A type that comes back from its eviction lists edges again of which this record says nothing; so does a view of another shape.
  // rule: evicted-type-that-comes-back-opens-its-partition
  const isWhole = !sameValue(oldImage?.[EVICTED], newImage?.[EVICTED]) || (!isUsed(oldImage) && isUsed(newImage));
  return isWhole ? { ...own, spreads: [{ kind: 'partition', source, edgeType: '' }] } : own;
}

function changedElements(before: Item | undefined, after: Item | undefined): Part[] {
  const [old, now] = [elementsByEdge(before), elementsByEdge(after)];
  const parts: Part[] = [];
  for (const edge of new Set([...old.keys(), ...now.keys()])) {
    const elements = now.get(edge) ?? [];
    if (isDeepStrictEqual([...(old.get(edge) ?? [])].sort(), [...elements].sort())) continue;
    const [element = old.get(edge)![0]!] = elements;
    const target = edgeKeyOfElement(element);
    if (decodeElement(element) !== undefined && escapedEdge(target) === edge) parts.push({ kind: 'element', target });
    else parts.push(...elements.map((garbage): Part => ({ kind: 'garbage', element: garbage })));
  }
  if (!hasEdgeSet(after)) parts.push({ kind: 'garbage', element: NO_SET });
  return parts;
}

function changedCopies(graph: CompiledModel, before: Item | undefined, after: Item | undefined): Part[] {
  const slotsOf = (view: Item | undefined): Map<string, string> =>
    new Map(copySlots(graph, view).map(({ edge, parent, stored }) => [edge, JSON.stringify([parent, stored])]));
  const [old, now] = [slotsOf(before), slotsOf(after)];
  const edges = new Set([...old.keys(), ...now.keys()]);
  return [...edges].flatMap((target): Part[] =>
    old.get(target) === now.get(target) ? [] : [{ kind: 'copy', target }],
  );
}

function openedByIndexItem(graph: CompiledModel, change: SeenChange): Opened {
  const { source, target: sortKey, oldImage, newImage } = change;
  const isSame = indexItemText(oldImage) === indexItemText(newImage);
  const part: Part = { kind: 'index-item', target: baseKeyOfIndexItem(source, sortKey) };
  if (isSame) return openedInItem(graph, change, []);
  const own = openedInItem(graph, change, [part]);
  // rule: index-item-opens-its-counts
  const counts = openedCounts(graph, change);
  return { suspects: [...own.suspects, ...counts], spreads: [] };
}

/** The counts of an item that has changed: they are wrong, unless they move with it. */
function openedCounts(graph: CompiledModel, { source, oldImage, newImage }: SeenChange): Suspect[] {
  const names = new Set([oldImage, newImage].flatMap((image) => stringOf(image?.[COUNTED]) ?? []));
  return [...names]
    .map(countKeyOf)
    .filter((sortKey) => isKeptCount(graph, sortKey))
    .map((sortKey): Suspect => ({ source, sortKey, part: { kind: 'count' } }));
}

/**
 * Opens the parts that a record of an edge's item in its target's partition may have made wrong: the fields of the item, the totals that
 * an entry names, and the copy of the edge that a reverse item names.
 */
function openedByItemInTarget(graph: CompiledModel, change: SeenChange): Opened {
  const { source, target, oldImage, newImage } = change;
  if (indexItemText(oldImage) === indexItemText(newImage)) return openedInItem(graph, change, []);
  const key = { source, target };
  const edge = edgeNamedInTarget(graph, key, newImage) ?? edgeNamedInTarget(graph, key, oldImage);
  const own = openedInItem(graph, change, [{ kind: 'reverse-item', base: edge }]);
  // rule: entry-opens-its-total
  const counts = openedCounts(graph, change);
  if (counts.length > 0) return { suspects: [...own.suspects, ...counts], spreads: [] };
  if (edge === undefined || reverseItemOf(graph, edge)?.key.target !== target) return own;
  // While the item is absent, no fan-out finds the edge. So its copy may be old when the item comes, and when it goes.
  const copy: Suspect = { source: edge.source, sortKey: VIEW_KEY, part: { kind: 'copy', target: edge.target } };
  // rule: reverse-item-opens-the-copy-behind-it
  const suspects = [...own.suspects, copy];
  return { suspects, spreads: [] };
}

function openedByContinuation(graph: CompiledModel, change: SeenChange): Opened {
  const { isLive } = itemKindOf(graph, change.target);
  const isOpen = isLive(change.oldImage) || isLive(change.newImage);
  return openedInItem(graph, change, isOpen ? [{ kind: 'continuation' }] : []);
}

function openedByCount(graph: CompiledModel, change: SeenChange): Opened {
  const [before, after] = [change.oldImage, change.newImage].map((image) => {
    const amounts = storedAmounts(image);
    return amounts && JSON.stringify([textOfAmounts(amounts), setsOfValues(image)]);
  });
  return openedInItem(graph, change, before === after ? [] : [{ kind: 'count' }]);
}
