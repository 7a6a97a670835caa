import { type Item, itemSizeBytes, textsOf } from '../../items/attribute-value.ts';
import { ATTRIBUTES, COPIES, EDGE_SET, EVICTED, MODEL, REVISION } from '../../items/derived-item.ts';
import { escapedEdge, escapedEdgeOfElement, isElementOf } from '../../items/element.ts';
import { typePrefix, VIEW_KEY } from '../../items/keys.ts';
import {
  copiesByEdge,
  elementsByEdge,
  evictedTypes,
  isEdgeSetMalformed,
  viewAttributes,
} from '../../items/stored-view.ts';
import { copiesWithElement, type ParentCopies } from '../../kinds/copy.ts';
import type { Derived } from '../../kinds/derived.ts';
import { garbageElements } from '../../kinds/element.ts';
import { evictToBudget, viewBudgetBytes } from '../../kinds/eviction.ts';
import { leftoverMarks, shapeOf } from '../../kinds/view.ts';
import type { CompiledModel } from '../../model/compiled.ts';
import type { DerivedUpdate } from '../../store-port.ts';
import { type EpochSeconds, itemUpdate } from './item-update.ts';

export type Share = Pick<Derived, 'element' | 'attributes'>;

/** Corrections that no record asks for. Scans and rewrites of whole views make them. */
interface ViewCorrections {
  unmark?: ReadonlySet<string>;
  drop?: readonly string[];
}

export function correctionsOf(
  graph: CompiledModel,
  view: Item | undefined,
  returning: readonly string[] = [],
): ViewCorrections {
  return { unmark: new Set([...returning, ...leftoverMarks(graph, view)]), drop: garbageElements(view) };
}

export interface ViewShares {
  shares: ReadonlyMap<string, Share>;
  copies: ParentCopies;
  corrections?: ViewCorrections | undefined;
}

/** Replaces only the shares of some base items. */
export function viewUpdate(
  graph: CompiledModel,
  source: string,
  view: Item | undefined,
  { shares, copies, corrections = {} }: ViewShares,
  now: EpochSeconds,
): DerivedUpdate {
  const evicted = new Set([...evictedTypes(view)].filter((type) => corrections.unmark?.has(type) !== true));
  const touched = new Map<string, string | undefined>();
  let attributes = viewAttributes(view);
  for (const [target, share] of shares) {
    const type = typePrefix(target);
    if (target === source) attributes = share.attributes;
    // A part of the node contributes nothing to the view.
    if (target === source || type === undefined) continue;
    touched.set(escapedEdge(target), evicted.has(type) ? undefined : share.element);
  }
  const { kept, replaced } = splitElements(view, [...touched.keys()], new Set(corrections.drop));
  const shown = [...touched.values()].filter((element) => element !== undefined);
  const change = elementChange(replaced, shown);
  const elements = [...kept, ...shown];
  const known = new Map([...copiesByEdge(view), ...copies]);
  return updateOfView(graph, source, view, { elements, attributes, copies: known, evicted, change }, now);
}

/** More edges than this are looked up in a set. */
const FEW_EDGES = 4;

/** A hub has thousands of elements and a record touches one, so elements that stay aren't parsed. */
function splitElements(
  view: Item | undefined,
  touched: readonly string[],
  drop: ReadonlySet<string>,
): { kept: string[]; replaced: string[] } {
  const edges = new Set(touched);
  const isTouched =
    touched.length <= FEW_EDGES
      ? (element: string): boolean => touched.some((edge) => isElementOf(edge, element))
      : (element: string): boolean => edges.has(escapedEdgeOfElement(element));
  const kept: string[] = [];
  const replaced: string[] = [];
  for (const element of storedElements(view)) (isTouched(element) || drop.has(element) ? replaced : kept).push(element);
  return { kept, replaced };
}

export function wholeViewUpdate(
  graph: CompiledModel,
  source: string,
  view: Item | undefined,
  { shares, copies }: ViewShares,
  now: EpochSeconds,
): DerivedUpdate {
  const elements: string[] = [];
  for (const { element } of shares.values()) if (element !== undefined) elements.push(element);
  const attributes = shares.get(source)?.attributes;
  return updateOfView(graph, source, view, { elements, attributes, copies, evicted: new Set() }, now);
}

/** Ignores the revision. */
export function changesNothing({ set, unset, addElements, deleteElements, setElements }: DerivedUpdate): boolean {
  const elements = (addElements?.length ?? 0) + (deleteElements?.length ?? 0) + (setElements?.length ?? 0);
  return elements + unset.length === 0 && Object.keys(set).length === 0;
}

function storedElements(view: Item | undefined): readonly string[] {
  return textsOf(view?.[EDGE_SET]);
}

interface ViewContent {
  elements: readonly string[];
  attributes: Item | undefined;
  copies: ParentCopies;
  evicted: ReadonlySet<string>;
  change?: ElementChange;
}

interface ElementChange {
  added: readonly string[];
  removed: readonly string[];
}

function updateOfView(
  graph: CompiledModel,
  source: string,
  view: Item | undefined,
  content: ViewContent,
  now: EpochSeconds,
): DerivedUpdate {
  const key = { source, target: VIEW_KEY };
  const stamp = shapeOf(graph, source)?.stamp ?? graph.fingerprint;
  const { elements, copies, evicted } = withinBudget(graph, source, stamp, content);
  const held: Item = {
    ...(content.attributes && { [ATTRIBUTES]: { M: content.attributes } }),
    ...(copies.size > 0 && { [COPIES]: { M: Object.fromEntries([...copies].map(([edge, M]) => [edge, { M }])) } }),
    ...(evicted.size > 0 && { [EVICTED]: { SS: [...evicted] } }),
  };
  // A view with only an eviction mark isn't a tombstone: TTL would delete the mark, and the view would fill up again.
  const isEmpty = elements.length === 0 && Object.keys(held).length === 0;
  const update = itemUpdate(graph, key, view, isEmpty ? undefined : held, now, stamp);
  const isWhole = elements === content.elements;
  const change = (isWhole ? content.change : undefined) ?? elementChange(storedElements(view), elements);
  return { ...update, ...elementsUpdate(view, elements, change, update) };
}

function withinBudget(
  graph: CompiledModel,
  source: string,
  stamp: string,
  { elements, attributes, copies: all, evicted: before }: ViewContent,
): { elements: readonly string[]; copies: ReadonlyMap<string, Item>; evicted: ReadonlySet<string> } {
  const budgetBytes = viewBudgetBytes(graph, source);
  const { partitionKey, sortKey } = graph.table;
  const rest: Item = {
    [partitionKey]: { S: source },
    [sortKey]: { S: VIEW_KEY },
    [REVISION]: { N: '1' },
    [MODEL]: { S: stamp },
    ...(attributes && { [ATTRIBUTES]: { M: attributes } }),
  };
  if (all.size === 0 && before.size === 0) {
    const restBytes = itemSizeBytes(rest) + EDGE_SET.length;
    if (restBytes + elementBytes(elements, budgetBytes - restBytes) <= budgetBytes)
      return { elements, copies: NO_COPIES, evicted: before };
  }
  const byEdge = elementsByEdge({ [EDGE_SET]: { SS: [...elements] } });
  const copies = copiesWithElement(graph, byEdge, all);
  const evicted = evictToBudget({ elements: byEdge, copies, evictedBefore: before, rest }, budgetBytes);
  return { elements: [...byEdge.values()].flat(), copies, evicted };
}

/** A UTF-16 unit takes at most three bytes in UTF-8. */
const MOST_CHARACTER_BYTES = 3;

/** Returns a quick upper bound of the bytes if the bound fits into `room`, otherwise the exact number. */
function elementBytes(elements: readonly string[], room: number): number {
  let characters = 0;
  for (const { length } of elements) characters += length;
  if (characters * MOST_CHARACTER_BYTES <= room) return characters * MOST_CHARACTER_BYTES;
  return elements.reduce((bytes, element) => bytes + Buffer.byteLength(element), 0);
}

const NO_COPIES: ReadonlyMap<string, Item> = new Map();

/** Small sets are written whole, because every engine accepts a statement without set functions. */
const MOST_CHARACTERS_WHOLE = 2_048;

function elementsUpdate(
  view: Item | undefined,
  expected: readonly string[],
  { added, removed }: ElementChange,
  { unset }: DerivedUpdate,
): Pick<DerivedUpdate, 'addElements' | 'deleteElements' | 'setElements' | 'unset'> {
  const isSet = !isEdgeSetMalformed(view);
  if (isSet && added.length + removed.length === 0) return { unset };
  if (expected.length === 0) return { unset: [...unset, EDGE_SET] };
  const isChangedBothWays = added.length > 0 && removed.length > 0;
  if (!isSet || isChangedBothWays || isSmall(expected)) return { unset, setElements: expected };
  return added.length > 0 ? { unset, addElements: added } : { unset, deleteElements: removed };
}

function isSmall(elements: readonly string[]): boolean {
  let characters = 0;
  for (const { length } of elements) {
    characters += length;
    if (characters > MOST_CHARACTERS_WHOLE) return false;
  }
  return true;
}

function elementChange(before: readonly string[], after: readonly string[]): ElementChange {
  const [had, has] = [new Set(before), new Set(after)];
  return {
    added: after.filter((element) => !had.has(element)),
    removed: before.filter((element) => !has.has(element)),
  };
}
