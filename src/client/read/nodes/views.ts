import pMap from 'p-map';
import { type Item, isTextList } from '../../../core/items/attribute-value.ts';
import { ATTRIBUTES } from '../../../core/items/derived-item.ts';
import { isWellFormed } from '../../../core/items/encoding.ts';
import { describe, notAnId, PARTITION_KEY_BYTES, parseNodeId, VIEW_KEY } from '../../../core/items/keys.ts';
import { toPlainItem } from '../../../core/items/plain.ts';
import type { CompiledModel, NodeModel } from '../../../core/model/compiled.ts';
import { isGone, isNodeThere } from '../../../core/model/gone.ts';
import type { ItemKey, ReadOptions } from '../../../core/store-port.ts';
import { EdgeloomError } from '../../../foundation/errors.ts';
import { checkOptions, type OptionNames } from '../../../foundation/options.ts';
import type { OwnWrites } from '../../session/own-writes.ts';
import { patchView } from '../../session/patched-view.ts';
import { readOwnWritesOfViews } from '../request/own.ts';
import { type EveryReadOptions, READ_OPTIONS, type ReadContext } from '../request/read-context.ts';
import { baseAttributes, pickAttributes, projectedAttributes, shownAttributes, type View } from '../request/result.ts';
import { deriveView } from './base-view.ts';
import { type EdgeSetRead, readEdgeSet } from './edge-set.ts';
import { type Found, type PartSource, partSources, partsOf, queryViewWithParts, withParts } from './parts.ts';

/** All of the node's attributes, or only the named ones. */
export type AttributeSelection = 'ALL' | readonly string[];

/** Options of `getViews`. */
export interface GetOptions<
  Attributes extends AttributeSelection | undefined = AttributeSelection | undefined,
  Asked extends boolean | undefined = boolean | undefined,
> extends EveryReadOptions<Asked> {
  /**
   * Attributes to return. If `consistent` is set, or if the view lacks any of them, all are read from the node.
   * Default: the view's.
   */
  attributes?: Attributes | undefined;
  /** Strongly consistent reads, at twice the capacity. Default: false. */
  consistent?: boolean | undefined;
}

export interface NodesRead {
  nodes: View[];
  views: ReadonlyMap<string, Item>;
}

export async function getViews(
  context: ReadContext,
  ids: readonly string[],
  options?: GetOptions,
): Promise<(View | null)[]> {
  checkIds(ids);
  checkViews(context.graph, ids);
  const { nodes } = await readNodes(context, ids, options);
  // A node that isn't written yet may already have edges, even ones that the read didn't reach.
  const isAbsent = ({ attributes, edgeSet, truncated }: View) =>
    attributes === null && edgeSet.length === 0 && truncated === undefined;
  return nodes.map((view) => (isAbsent(view) ? null : view));
}

export const GET_OPTIONS: OptionNames<GetOptions> = { attributes: true, consistent: 'boolean', ...READ_OPTIONS };

export async function readNodes(
  context: ReadContext,
  ids: readonly string[],
  options: GetOptions = {},
  given?: OwnWrites,
): Promise<NodesRead> {
  checkOptions('getViews', options, GET_OPTIONS);
  const { attributes, consistent = false } = options;
  if (attributes !== undefined && attributes !== 'ALL' && !isTextList(attributes)) {
    throw new EdgeloomError('invalid-argument', 'attributes should be names, or ALL.', "Give ['name'] or 'ALL'.");
  }
  const own = given ?? (await readOwnWritesOfViews(context, ids));
  const views = await readViews(context, ids, { consistent, own });
  const ownSources = new Set(own.writes.map(({ source }) => source));
  // A view lags behind its node: a caller who writes its attributes back would undo newer puts.
  const isReadFromNode = (id: string): boolean =>
    attributes !== undefined &&
    ((consistent && !isReadInPlace(context.graph, id)) || !viewOfNodeHolds(context.graph, id, attributes));
  const inNode = ids.filter(isReadFromNode);
  const isOwn = inNode.some((id) => ownSources.has(id));
  const bases = await readBases(context, inNode, attributes, { consistent: consistent || isOwn });
  const edgeSets = await pMap(
    ids,
    async (id): Promise<EdgeSetRead> =>
      readEdgeSet(context, id, views.get(id), { consistent: consistent || ownSources.has(id), own }),
    // If `maxRcu` is given, make one call at a time, because each may use up the units.
    { concurrency: context.spending === undefined ? context.concurrency : 1 },
  );
  const nodes = ids.map((id, i): View => {
    return {
      id,
      attributes: isReadFromNode(id)
        ? (bases.get(id) ?? null)
        : plainViewAttributes(context, views.get(id), attributes),
      edgeSet: edgeSets[i]!.entries,
      ...(edgeSets[i]!.truncated.length > 0 && { truncated: edgeSets[i]!.truncated }),
    };
  });
  return { nodes, views };
}

export function isReadInPlace(graph: CompiledModel, id: string): boolean {
  return isShownItself(graph, id) && graph.nodes.get(parseNodeId(id)!.type)!.parts.size === 0;
}

/** Refuses a single id: a string would be iterated by character. */
export function checkIds(ids: readonly string[]): void {
  if (Array.isArray(ids)) return;
  throw new EdgeloomError(
    'invalid-argument',
    `getViews takes a list of ids, but is given ${describe(ids)}.`,
    "Give ['USER-U1'].",
  );
}

export function checkViews(graph: CompiledModel, ids: readonly string[]): void {
  for (const id of ids) {
    if (!isViewless(graph, id)) continue;
    const { type } = parseNodeId(id)!;
    throw new EdgeloomError(
      'not-declared',
      `${type} has no view.`,
      `Add view: ['name'] to nodes.${type} in the model and migrate, or read getNode.`,
    );
  }
}

export function isShownItself(graph: CompiledModel, id: string): boolean {
  return typeof id === 'string' && graph.nodes.get(parseNodeId(id)?.type ?? '')?.isShownItself === true;
}

export function isViewless(graph: CompiledModel, id: string): boolean {
  return typeof id === 'string' && graph.nodes.get(parseNodeId(id)?.type ?? '')?.hasView === false;
}

export async function readAttributes(
  context: ReadContext,
  ids: readonly string[],
  attributes: AttributeSelection | undefined,
  own: OwnWrites,
): Promise<(Record<string, unknown> | null)[]> {
  const isReadFromNode = (id: string): boolean =>
    attributes !== undefined && !viewOfNodeHolds(context.graph, id, attributes);
  const inNode = ids.filter(isReadFromNode);
  const ownSources = new Set(own.writes.map(({ source }) => source));
  const isOwn = inNode.some((id) => ownSources.has(id));
  const bases = await readBases(context, inNode, attributes, { consistent: isOwn });
  const views = await readViews(
    context,
    ids.filter((id) => !isReadFromNode(id)),
    { own, needsEdges: () => false },
  );
  return ids.map((id) =>
    isReadFromNode(id) ? (bases.get(id) ?? null) : plainViewAttributes(context, views.get(id), attributes),
  );
}

/**
 * Reads the node itself if its type declares no view, and derives from base items the views that this read can't use.
 */
export async function readViews(
  context: ReadContext,
  ids: Iterable<string>,
  {
    consistent = false,
    own,
    needsEdges = () => true,
  }: { consistent?: boolean; own: OwnWrites; needsEdges?: (id: string) => boolean },
): Promise<Map<string, Item>> {
  const { graph } = context;
  const all = [...new Set(ids)];
  const themselves = all.filter((id) => isShownItself(graph, id));
  const isAlone = (id: string): boolean => isViewless(graph, id) || (isReadInPlace(graph, id) && !needsEdges(id));
  const viewed = themselves.length === 0 ? all : all.filter((id) => !isAlone(id));
  const { items, found } = await readUsableViews(context, viewed, consistent, (id) => partSources(context, id));
  const nodes = await readByNode(
    context,
    themselves.filter((id) => canBeStored(graph, id)).map((id) => ({ source: id, target: id })),
    { consistent: consistent || own.writes.length > 0 },
  );
  // The stored view has no attributes of these nodes, so only the node's item tells whether it exists.
  const shownItself = (id: string, view: Item | undefined): Item | undefined => {
    const node = nodes.get(id)?.get(id);
    const { [ATTRIBUTES]: _, ...rest } = view ?? {};
    if (isNodeThere(graph, id, node)) return { ...rest, [ATTRIBUTES]: { M: shownAttributes(graph, node) } };
    return view && rest;
  };
  for (const id of viewed) {
    const patched = own.writes.length === 0 ? items.get(id) : patchView(context.graph, id, items.get(id), own);
    const whole = isShownItself(graph, id) ? shownItself(id, patched) : patched;
    const view = withParts(context, id, whole, found.get(id) ?? new Map(), own);
    if (view === undefined) items.delete(id);
    else items.set(id, view);
  }
  for (const id of themselves.filter(isAlone)) {
    const node = shownItself(id, undefined);
    if (node !== undefined) items.set(id, node);
  }
  return items;
}

export async function readUsableViews(
  context: ReadContext,
  ids: Iterable<string>,
  consistent: boolean,
  partsOfId: (id: string) => readonly PartSource[] = () => [],
): Promise<{ items: Map<string, Item>; found: ReadonlyMap<string, Found> }> {
  const { graph, projections } = context;
  const distinct = [...new Set(ids)].filter((id) => canBeStored(graph, id));
  const found = await readStoredViews(context, distinct, consistent, partsOfId);
  const items = new Map<string, Item>();
  for (const id of distinct) {
    const view = found.get(id)?.get(VIEW_KEY);
    if (view !== undefined) items.set(id, view);
  }
  const unusable = distinct.filter((id) => !projections.usesView(id, items.get(id)));
  const made = await pMap(unusable, (id) => deriveView(context, id, consistent), { concurrency: context.concurrency });
  for (const [i, id] of unusable.entries()) {
    const view = made[i];
    if (view === undefined) items.delete(id);
    else items.set(id, view);
  }
  return { items, found };
}

async function readStoredViews(
  context: ReadContext,
  ids: readonly string[],
  consistent: boolean,
  partsOfId: (id: string) => readonly PartSource[],
): Promise<Map<string, Found>> {
  const [first] = ids;
  const parts = ids.flatMap(partsOfId);
  if (first !== undefined && ids.length === 1 && parts.length > 0 && !parts.some(({ isBase }) => isBase)) {
    return new Map([[first, await queryViewWithParts(context, first, consistent)]]);
  }
  const views = ids.map((id) => ({ source: id, target: VIEW_KEY }));
  return readByNode(context, [...views, ...parts.map(({ key }) => key)], { consistent });
}

export function plainViewAttributes(
  { readNumber }: Pick<ReadContext, 'readNumber'>,
  view: Item | undefined,
  selection?: AttributeSelection,
): Record<string, unknown> | null {
  const attributes = projectedAttributes(view);
  if (attributes === undefined) return null;
  const isNamed = selection !== undefined && selection !== 'ALL';
  return toPlainItem(isNamed ? pickAttributes(attributes, selection) : attributes, readNumber);
}

async function readByNode(
  { store }: ReadContext,
  keys: readonly ItemKey[],
  options: ReadOptions,
): Promise<Map<string, Map<string, Item>>> {
  const { items } = await store.getMany(keys, options);
  const found = new Map<string, Map<string, Item>>();
  for (const [i, { source, target }] of keys.entries()) {
    const item = items[i];
    if (item === undefined) continue;
    const ofNode = found.get(source) ?? new Map<string, Item>();
    found.set(source, ofNode.set(target, item));
  }
  return found;
}

async function readBases(
  context: ReadContext,
  ids: readonly string[],
  selection: AttributeSelection | undefined,
  options: ReadOptions,
): Promise<Map<string, Record<string, unknown>>> {
  const distinct = [...new Set(ids)].filter((id) => canBeStored(context.graph, id));
  const names = selection === 'ALL' ? undefined : selection;
  const isSelected = (name: string): boolean => names?.includes(name) !== false;
  const namesOf = (id: string): string[] => partsOf(context, id).flatMap(({ name }) => (isSelected(name) ? name : []));
  const keys = distinct.flatMap((id) => [id, ...namesOf(id)].map((target) => ({ source: id, target })));
  const found = await readByNode(context, keys, options);
  const attributes = new Map<string, Record<string, unknown>>();
  for (const id of distinct) {
    const item = found.get(id)?.get(id);
    if (!isNodeThere(context.graph, id, item)) continue;
    const all = baseAttributes(context, names === undefined ? item : pickAttributes(item, names));
    for (const name of namesOf(id)) {
      const part = found.get(id)?.get(name);
      if (part === undefined || isGone(undefined, part)) delete all[name];
      else all[name] = baseAttributes(context, part);
    }
    attributes.set(id, all);
  }
  return attributes;
}

/** Tells whether the table can hold an id, which may come from a URL. Throws if the id isn't a string. */
function canBeStored(graph: CompiledModel, id: string): boolean {
  if (typeof id !== 'string') {
    throw notAnId(describe(id));
  }
  return (
    graph.nodes.has(parseNodeId(id)?.type ?? '') && isWellFormed(id) && Buffer.byteLength(id) <= PARTITION_KEY_BYTES
  );
}

function viewOfNodeHolds(graph: CompiledModel, id: string, selection: AttributeSelection): boolean {
  return viewHolds(graph.nodes.get(parseNodeId(id)?.type ?? ''), selection);
}

/** Returns true for a type outside the model, which is read only from its view. */
export function viewHolds(node: NodeModel | undefined, selection: AttributeSelection): boolean {
  if (node === undefined) return true;
  const { view, parts } = node;
  const isAll = node.isShownItself === true || view.kind === 'ALL';
  const isWhole = (name: string): boolean => parts.get(name)?.view?.view.kind === 'ALL';
  const projected = view.kind === 'LIST' ? view.attributes : [];
  if (selection === 'ALL') return isAll && [...parts.keys()].every(isWhole);
  return selection.every((name) => (parts.has(name) ? isWhole(name) : isAll || projected.includes(name)));
}
