import { isDeepStrictEqual } from 'node:util';
import { type Item, sameItem, sameValue, stringOf } from '../../core/items/attribute-value.ts';
import type { ChangeRecord } from '../../core/items/change-record.ts';
import { COUNTED, EVICTED } from '../../core/items/derived-item.ts';
import { baseKeyOfIndexItem } from '../../core/items/derived-key.ts';
import { decodeElement, edgeKeyOfElement, escapedEdge } from '../../core/items/element.ts';
import { isDerivedKey, VIEW_KEY } from '../../core/items/keys.ts';
import { setsOfValues, storedAmounts, textOfAmounts } from '../../core/items/ledger.ts';
import { elementsByEdge, hasEdgeSet, viewAttributes } from '../../core/items/stored-view.ts';
import { itemKindOf } from '../../core/kinds/all-kinds.ts';
import { copyingEdge, copySlots } from '../../core/kinds/copy.ts';
import { isKeptCount } from '../../core/kinds/count.ts';
import { NO_SET } from '../../core/kinds/element.ts';
import { edgeNamedInTarget, kindOfTarget } from '../../core/kinds/in-target.ts';
import { indexItemText } from '../../core/kinds/index-item.ts';
import type { Part, Suspect } from '../../core/kinds/part.ts';
import { reverseItemOf } from '../../core/kinds/reverse-item.ts';
import { hasOtherShape } from '../../core/kinds/view.ts';
import type { CompiledModel } from '../../core/model/compiled.ts';
import { countKeyOf, type FanOutOf } from '../../core/model/projection/places.ts';
import { isBaseSortKey } from '../../core/plan/stream-filter.ts';
import type { Touch } from '../../core/plan/touch.ts';
import { touched } from '../../core/plan/touched.ts';
import { standingOf } from '../../registry/standing.ts';

/**
 * The parts of derived items that a record touches: those that may be wrong since, whoever wrote it. The record of a base item touches what the
 * projector reconciles for it; the record of a derived item touches the parts that differ between its two images. A record that only moves a
 * revision touches nothing.
 */

/** Parts that only a Query can name. */
export interface Range {
  /**
   * `copies`: a node changed, and views of other nodes show it. `joined`: a node changed, and the index items of its edges show it.
   * `partition`: anything in a partition may be wrong.
   */
  kind: FanOutOf | 'partition';
  /** The node whose change it is, or the partition. */
  source: string;
  /** The type of the edges; empty for a partition. */
  edgeType: string;
}

/** What a record touches. */
export interface Touched {
  parts: readonly Suspect[];
  ranges: readonly Range[];
}

const NOTHING: Touched = { parts: [], ranges: [] };

/** Returns what a record touches. `graph` is the model that writers maintain. */
export function touchedBy(graph: CompiledModel, record: ChangeRecord): Touched {
  // rule: base-records-touch-what-they-change
  if (isBaseSortKey(record.target)) return touchedByBase(graph, record);
  // An item that no type or template fits is somebody else's: it is neither judged nor repaired.
  if (!isDerivedKey(record.target)) return NOTHING;
  // rule: derived-records-are-judged
  return touchedByDerived(graph, record);
}

function touchedByBase(graph: CompiledModel, record: ChangeRecord): Touched {
  const touches = touched(graph, [record]);
  const parts = touches.flatMap((touch) => partsOf(graph, touch));
  // rule: changed-node-touches-its-fan-outs
  const ranges = touches.flatMap((touch): Range[] =>
    touch.kind === 'fan-out' ? [{ kind: touch.of, source: touch.source, edgeType: touch.edgeType }] : [],
  );
  return { parts, ranges };
}

function partsOf(graph: CompiledModel, touch: Touch): Suspect[] {
  const { source, sortKey } = touch;
  if (touch.kind === 'view') {
    return touch.targets
      .flatMap((target) => partsInView(graph, source, target))
      .map((part) => ({ source, sortKey, part }));
  }
  if (touch.kind !== 'item') return [];
  const { base } = touch;
  const isInTarget = kindOfTarget(sortKey) !== undefined;
  return [
    {
      source,
      sortKey,
      part: isInTarget ? { kind: 'reverse-item', base } : { kind: 'index-item', target: base.target },
    },
  ];
}

function partsInView(graph: CompiledModel, source: string, target: string): Part[] {
  if (target === source) return [{ kind: 'attributes' }];
  const element: Part = { kind: 'element', target };
  return copyingEdge(graph, target) === undefined ? [element] : [element, { kind: 'copy', target }];
}

function touchedByDerived(graph: CompiledModel, record: ChangeRecord): Touched {
  const { source, target, oldImage, newImage } = record;
  const kind = itemKindOf(graph, target);
  // No base item asks for an entry, and none is wrong by itself.
  if (kind.name === 'quarantine-entry') return NOTHING;
  const parts: Part[] = [oldImage, newImage].flatMap((image) =>
    image === undefined ? [] : faultsOf(graph, record, image),
  );
  const others: Suspect[] = [];
  const ranges: Range[] = [];
  if (kind.name === 'view') {
    parts.push(...changedInView(graph, oldImage, newImage));
    if (isListedAnew(graph, record)) ranges.push({ kind: 'partition', source, edgeType: '' });
  } else if (kind.decidedBy === 'time') {
    if (kind.isLive(oldImage) || kind.isLive(newImage)) parts.push({ kind: 'continuation' });
  } else if (kind.name === 'count' || kind.name === 'total') {
    if (textOfCount(oldImage) !== textOfCount(newImage)) parts.push({ kind: 'count' });
  } else if (kind.hasBase && indexItemText(oldImage) !== indexItemText(newImage)) {
    // rule: counted-item-touches-its-counts
    others.push(...countsOf(graph, record));
    if (kind.decidedBy === 'edge-elsewhere') {
      const edge = edgeNamedInTarget(graph, record, newImage) ?? edgeNamedInTarget(graph, record, oldImage);
      parts.push({ kind: 'reverse-item', base: edge });
      // While the item is absent, no fan-out finds the edge. So its copy may be old when the item comes, and when it goes.
      // rule: reverse-item-touches-the-copy-behind-it
      if (edge !== undefined && reverseItemOf(graph, edge)?.key.target === target) others.push(copyOf(edge));
    } else parts.push({ kind: 'index-item', target: baseKeyOfIndexItem(source, target) });
  }
  return { parts: [...parts.map((part): Suspect => ({ source, sortKey: target, part })), ...others], ranges };
}

/** The copy along an edge. */
export function copyOf({ source, target }: { source: string; target: string }): Suspect {
  return { source, sortKey: VIEW_KEY, part: { kind: 'copy', target } };
}

/** The parts of an image that are wrong whatever base items say. */
function faultsOf(graph: CompiledModel, { source, target }: ChangeRecord, image: Item): readonly Part[] {
  const { kind } = standingOf(graph, source, target, image);
  if (kind === 'retired' || kind === 'unregistered' || kind === 'misplaced') return [{ kind }];
  // An item of a projection that is being built or removed differs by nature.
  return kind === 'compared' ? itemKindOf(graph, target).oddities(graph, image) : [];
}

/**
 * Tells whether a view lists edges again of which its record says nothing: those of a type that comes back from its eviction, or all of a view
 * that had another shape.
 */
function isListedAnew(graph: CompiledModel, { source, oldImage, newImage }: ChangeRecord): boolean {
  const isUsed = (view: Item | undefined): boolean =>
    view === undefined ||
    (standingOf(graph, source, VIEW_KEY, view).kind === 'compared' && !hasOtherShape(graph, source, view));
  // rule: evicted-type-that-comes-back-touches-its-partition
  return !sameValue(oldImage?.[EVICTED], newImage?.[EVICTED]) || (!isUsed(oldImage) && isUsed(newImage));
}

function changedInView(graph: CompiledModel, before: Item | undefined, after: Item | undefined): Part[] {
  const parts: Part[] = [];
  if (!sameItem(viewAttributes(before), viewAttributes(after))) parts.push({ kind: 'attributes' });
  const [old, now] = [elementsByEdge(before), elementsByEdge(after)];
  for (const edge of new Set([...old.keys(), ...now.keys()])) {
    const elements = [...(old.get(edge) ?? []), ...(now.get(edge) ?? [])];
    if (isDeepStrictEqual([...(old.get(edge) ?? [])].sort(), [...(now.get(edge) ?? [])].sort())) continue;
    const target = edgeKeyOfElement(elements[0]!);
    if (decodeElement(elements[0]!) !== undefined && escapedEdge(target) === edge)
      parts.push({ kind: 'element', target });
    else parts.push(...elements.map((element): Part => ({ kind: 'garbage', element })));
  }
  if (!hasEdgeSet(before) || !hasEdgeSet(after)) parts.push({ kind: 'garbage', element: NO_SET });
  const slotsOf = (view: Item | undefined): Map<string, string> =>
    new Map(copySlots(graph, view).map(({ edge, parent, stored }) => [edge, JSON.stringify([parent, stored])]));
  const [slots, slotsNow] = [slotsOf(before), slotsOf(after)];
  for (const target of new Set([...slots.keys(), ...slotsNow.keys()]))
    if (slots.get(target) !== slotsNow.get(target)) parts.push({ kind: 'copy', target });
  return parts;
}

/** The counts of an item that has changed: they are wrong, unless they move with it. */
function countsOf(graph: CompiledModel, { source, oldImage, newImage }: ChangeRecord): Suspect[] {
  const names = new Set([oldImage, newImage].flatMap((image) => stringOf(image?.[COUNTED]) ?? []));
  return [...names]
    .map(countKeyOf)
    .filter((sortKey) => isKeptCount(graph, sortKey))
    .map((sortKey): Suspect => ({ source, sortKey, part: { kind: 'count' } }));
}

function textOfCount(image: Item | undefined): string | undefined {
  const amounts = storedAmounts(image);
  return amounts && JSON.stringify([textOfAmounts(amounts), setsOfValues(image)]);
}
