import { isDeepStrictEqual } from 'node:util';
import { type Item, sameItem, sameValue, stringOf } from '../../core/items/attribute-value.ts';
import type { ChangeRecord } from '../../core/items/change-record.ts';
import { COUNTED, EVICTED } from '../../core/items/derived-item.ts';
import { baseKeyOfIndexItem } from '../../core/items/derived-key.ts';
import { isDerivedKey, VIEW_KEY } from '../../core/items/keys.ts';
import { setsOfValues, soundAmounts, storedAmounts, textOfAmounts } from '../../core/items/ledger.ts';
import { elementsByEdge, viewAttributes } from '../../core/items/stored-view.ts';
import { itemKindOf } from '../../core/kinds/all-kinds.ts';
import { copySlots } from '../../core/kinds/copy.ts';
import { isKeptCount } from '../../core/kinds/count.ts';
import type { Suspect } from '../../core/kinds/difference.ts';
import { edgeOfElements } from '../../core/kinds/element.ts';
import { edgeNamedInTarget } from '../../core/kinds/in-target.ts';
import { indexItemText } from '../../core/kinds/index-item.ts';
import { reverseItemOf } from '../../core/kinds/reverse-item.ts';
import { isOutsideRegistry } from '../../core/kinds/unknown-item.ts';
import { faultsOfView, hasOtherShape } from '../../core/kinds/view.ts';
import type { CompiledModel } from '../../core/model/compiled.ts';
import { countKeyOf, type FanOutOf } from '../../core/model/projection/places.ts';
import { isBaseSortKey } from '../../core/plan/stream-filter.ts';
import type { Touch } from '../../core/plan/touch.ts';
import { touched } from '../../core/plan/touched.ts';
import type { ItemKey } from '../../core/store-port.ts';
import { standingOf } from '../../registry/standing.ts';

/**
 * Finds the derived items that may be wrong after a record. A base item's record touches what the projector reconciles.
 * A derived item's record touches the item or shares of a view, if the content differs between the two images.
 */

/** Items that only a Query can name. */
export interface Range {
  /**
   * `copies`: views of other nodes that show the node. `joined`: index items of the node's edges. `partition`:
   * anything in the partition.
   */
  kind: FanOutOf | 'partition';
  /** The changed node, or the partition. */
  source: string;
  /** The type of the edges; empty for a partition. */
  edgeType: string;
}

export interface Touched {
  items: readonly Suspect[];
  ranges: readonly Range[];
}

const NOTHING: Touched = { items: [], ranges: [] };

/** @param graph the model that readers use. */
export function touchedBy(graph: CompiledModel, record: ChangeRecord): Touched {
  // rule: base-records-touch-what-they-change
  if (isBaseSortKey(record.target)) return touchedByBase(graph, record);
  // Another program's item.
  if (!isDerivedKey(record.target)) return NOTHING;
  // rule: derived-records-are-judged
  return touchedByDerived(graph, record);
}

function touchedByBase(graph: CompiledModel, record: ChangeRecord): Touched {
  const touches = touched(graph, [record]);
  const items = touches.flatMap(suspectsOf);
  // rule: changed-node-touches-its-fan-outs
  const ranges = touches.flatMap((touch): Range[] =>
    touch.kind === 'fan-out' ? [{ kind: touch.of, source: touch.source, edgeType: touch.edgeType }] : [],
  );
  return { items, ranges };
}

function suspectsOf(touch: Touch): Suspect[] {
  const { source, sortKey } = touch;
  if (touch.kind === 'view') return touch.targets.map((target) => shareOf({ source, target }));
  return touch.kind === 'item' ? [{ source, sortKey, bases: [touch.base] }] : [];
}

export function shareOf(base: ItemKey): Suspect {
  return { source: base.source, sortKey: VIEW_KEY, bases: [base] };
}

function touchedByDerived(graph: CompiledModel, record: ChangeRecord): Touched {
  const { source, target, oldImage, newImage } = record;
  const kind = itemKindOf(graph, target);
  // No base item asks for a quarantine entry, so it can't be wrong.
  if (kind.name === 'quarantine-entry') return NOTHING;
  const images = [oldImage, newImage].filter((image) => image !== undefined);
  const isFaulty = images.some((image) => hasFaults(graph, record, image));
  const own: Suspect = { source, sortKey: target };
  if (kind.name === 'view') {
    const shares = changedShares(graph, record).map((edge) => shareOf({ source, target: edge }));
    const ranges: Range[] = isListedAnew(graph, record) ? [{ kind: 'partition', source, edgeType: '' }] : [];
    return { items: isFaulty ? [own, ...shares] : shares, ranges };
  }
  if (kind.decidedBy === 'time') {
    const isTouched = isFaulty || images.some((image) => kind.isLive(image));
    return { items: isTouched ? [own] : [], ranges: [] };
  }
  if (kind.name === 'count' || kind.name === 'total') {
    const isSound = images.every((image) => soundAmounts(image) !== undefined);
    const isTouched = isFaulty || !isSound || textOfCount(oldImage) !== textOfCount(newImage);
    return { items: isTouched ? [own] : [], ranges: [] };
  }
  if (!kind.hasBase || indexItemText(oldImage) === indexItemText(newImage))
    return { items: isFaulty ? [own] : [], ranges: [] };
  // rule: counted-item-touches-its-counts
  const others = countsOf(graph, record);
  if (kind.decidedBy === 'partition') {
    const base = baseKeyOfIndexItem(source, target);
    return { items: [base === undefined ? own : { ...own, bases: [{ source, target: base }] }, ...others], ranges: [] };
  }
  const edge = edgeNamedInTarget(graph, record, newImage) ?? edgeNamedInTarget(graph, record, oldImage);
  const item = edge === undefined ? own : { ...own, bases: [edge] };
  // While the reverse item is absent, no fan-out finds the edge, so its copy may be outdated.
  // rule: reverse-item-touches-the-copy-behind-it
  if (edge !== undefined && reverseItemOf(graph, edge)?.key.target === target) others.push(shareOf(edge));
  return { items: [item, ...others], ranges: [] };
}

function hasFaults(graph: CompiledModel, { source, target }: ChangeRecord, image: Item): boolean {
  const standing = standingOf(graph, source, target, image);
  if (isOutsideRegistry(standing)) return true;
  // Items of a projection that is being built or removed are expected to differ.
  if (standing.kind !== 'compared') return false;
  const kind = itemKindOf(graph, target);
  return (kind.name === 'view' ? faultsOfView(graph, image) : kind.faults(graph, image)).length > 0;
}

/**
 * Tells whether the view again lists edges that the record doesn't show, because an evicted type came back or the view
 * had another shape.
 */
function isListedAnew(graph: CompiledModel, { source, oldImage, newImage }: ChangeRecord): boolean {
  const isUsed = (view: Item | undefined): boolean =>
    view === undefined ||
    (standingOf(graph, source, VIEW_KEY, view).kind === 'compared' && !hasOtherShape(graph, source, view));
  // rule: evicted-type-that-comes-back-touches-its-partition
  return !sameValue(oldImage?.[EVICTED], newImage?.[EVICTED]) || (!isUsed(oldImage) && isUsed(newImage));
}

function changedShares(graph: CompiledModel, { source, oldImage: before, newImage: after }: ChangeRecord): string[] {
  const changed = new Set<string>();
  if (!sameItem(viewAttributes(before), viewAttributes(after))) changed.add(source);
  const [old, now] = [elementsByEdge(before), elementsByEdge(after)];
  for (const edge of new Set([...old.keys(), ...now.keys()])) {
    const [was, is] = [old.get(edge) ?? [], now.get(edge) ?? []];
    if (isDeepStrictEqual([...was].sort(), [...is].sort())) continue;
    const target = edgeOfElements(edge, [...was, ...is]);
    if (target !== undefined) changed.add(target);
  }
  // Copies without a parent make the whole view faulty, so they are skipped.
  const copiesOf = (view: Item | undefined): Map<string, string> =>
    new Map(copySlots(graph, view).flatMap(({ edge, parent, stored = '' }) => (parent ? [[edge, stored]] : [])));
  const [copies, copiesNow] = [copiesOf(before), copiesOf(after)];
  for (const target of new Set([...copies.keys(), ...copiesNow.keys()]))
    if (copies.get(target) !== copiesNow.get(target)) changed.add(target);
  return [...changed];
}

function countsOf(graph: CompiledModel, { source, oldImage, newImage }: ChangeRecord): Suspect[] {
  const names = new Set([oldImage, newImage].flatMap((image) => stringOf(image?.[COUNTED]) ?? []));
  return [...names]
    .map(countKeyOf)
    .filter((sortKey) => isKeptCount(graph, sortKey))
    .map((sortKey) => ({ source, sortKey }));
}

function textOfCount(image: Item | undefined): string | undefined {
  const amounts = storedAmounts(image);
  return amounts && JSON.stringify([textOfAmounts(amounts), setsOfValues(image)]);
}
