import pMap from 'p-map';
import { type Item, isTextList } from '../../../core/items/attribute-value.ts';
import { ATTRIBUTES } from '../../../core/items/derived-item.ts';
import { isWellFormed } from '../../../core/items/encoding.ts';
import { describe, notAnId, PARTITION_KEY_BYTES, parseNodeId, VIEW_KEY } from '../../../core/items/keys.ts';
import { toPlainItem } from '../../../core/items/plain.ts';
import type { CompiledModel, NodeModel } from '../../../core/model/compiled.ts';
import { isGone, isNodeThere } from '../../../core/model/gone.ts';
import type { ItemKey } from '../../../core/store-port.ts';
import { EdgeloomError } from '../../../foundation/errors.ts';
import { checkOptions, type OptionNames } from '../../../foundation/options.ts';
import type { OwnWrites } from '../../session/own-writes.ts';
import { patchView } from '../../session/patched-view.ts';
import { type EveryReadOptions, READ_OPTIONS, type ReadContext } from '../request/context.ts';
import { readOwnWritesOfViews } from '../request/own.ts';
import { baseAttributes, pickAttributes, projectedAttributes, shownAttributes, type View } from '../request/result.ts';
import { deriveView } from './base-view.ts';
import { type EdgeSetRead, readEdgeSet } from './edge-set.ts';
import { type Found, type PartSource, partSources, partsOf, queryViewWithParts, withParts } from './parts.ts';

/** Which attributes: all of the node's, or those named. */
export type AttributeSelection = 'ALL' | readonly string[];

/** Options of `getViews`. */
export interface GetOptions<
  Attributes extends AttributeSelection | undefined = AttributeSelection | undefined,
  Asked extends boolean | undefined = boolean | undefined,
> extends EveryReadOptions<Asked> {
  /**
   * Default: those of the model's view. Others, and any with `consistent`, cost a read of the node in addition to its view.
   */
  attributes?: Attributes | undefined;
  /**
   * Strongly consistent, at twice the capacity: what is named in `attributes` is read from the node itself, as its last
   * put left it. The edge set, and the attributes where none are named, come from the view in any case, which the
   * projector brings up to date after the put: consistent of them means as projected by now. Default false.
   */
  consistent?: boolean | undefined;
}

/** The result of `readNodes`. */
export interface NodesRead {
  /** One for each id asked, in their order. */
  nodes: View[];
  /** Their views by id; absent ones are left out. */
  views: ReadonlyMap<string, Item>;
  /** DynamoDB calls made. */
  calls: number;
}

/** The views of nodes: see `Reader.getViews`. */
export async function getViews(
  context: ReadContext,
  ids: readonly string[],
  options?: GetOptions,
): Promise<(View | null)[]> {
  checkIds(ids);
  checkViews(context.graph, ids);
  const { nodes } = await readNodes(context, ids, options);
  // An edge set may be there before its node.
  return nodes.map((view) => (view.attributes === null && view.edgeSet.length === 0 ? null : view));
}

/** The names of the options of `getView` and `getViews`. */
export const GET_OPTIONS: OptionNames<GetOptions> = { attributes: true, consistent: 'boolean', ...READ_OPTIONS };

/** Reads nodes with their edge sets, one for each id: of one that is not projected `attributes` is null and the edge set empty. */
export async function readNodes(
  context: ReadContext,
  ids: readonly string[],
  options: GetOptions = {},
  given?: OwnWrites,
): Promise<NodesRead> {
  checkOptions('getViews', options, GET_OPTIONS);
  checkIds(ids);
  const { attributes, consistent = false } = options;
  if (attributes !== undefined && attributes !== 'ALL' && !isTextList(attributes)) {
    throw new EdgeloomError('invalid-argument', 'attributes should be names, or ALL.', "Give ['name'] or 'ALL'.");
  }
  const own = given ?? (await readOwnWritesOfViews(context, ids));
  const { items: views, calls } = await readViews(context, ids, consistent, own);
  const ownSources = new Set(own.writes.map(({ source }) => source));
  // A view lags behind its node: who reads, changes and puts a node would take back what was put in between.
  const isReadFromNode = (id: string): boolean =>
    attributes !== undefined &&
    ((consistent && !isReadInPlace(context.graph, id)) || !viewOfNodeHolds(context.graph, id, attributes));
  const inNode = ids.filter(isReadFromNode);
  const isOwn = inNode.some((id) => ownSources.has(id));
  const bases = await readBases(context, inNode, attributes, consistent || isOwn);
  const edgeSets = await pMap(
    ids,
    async (id): Promise<EdgeSetRead> => readEdgeSet(context, id, views.get(id), consistent || ownSources.has(id), own),
    // One call after the other, where each may be the last that the units allow.
    { concurrency: context.spending === undefined ? context.concurrency : 1 },
  );
  const nodes = ids.map((id, i): View => {
    return {
      id,
      attributes: isReadFromNode(id)
        ? (bases.attributes.get(id) ?? null)
        : plainViewAttributes(context, views.get(id), attributes),
      edgeSet: edgeSets[i]!.entries,
      ...(edgeSets[i]!.truncated.length > 0 && { truncated: edgeSets[i]!.truncated }),
    };
  });
  const fallbackCalls = edgeSets.reduce((sum, edgeSet) => sum + edgeSet.calls, 0);
  const ownCalls = given === undefined ? own.calls : 0;
  return { nodes, views, calls: calls + bases.calls + fallbackCalls + ownCalls };
}

/** Tells whether `readViews` reads all that it shows of a node from the node itself. */
export function isReadInPlace(graph: CompiledModel, id: string): boolean {
  return isShownItself(graph, id) && graph.nodes.get(parseNodeId(id)!.type)!.parts.size === 0;
}

/** Throws `invalid-argument` for ids that are no list: a text would be one of characters. */
export function checkIds(ids: readonly string[]): void {
  if (Array.isArray(ids)) return;
  throw new EdgeloomError(
    'invalid-argument',
    `getViews takes a list of ids, but is given ${describe(ids)}.`,
    "Give ['USER-U1'].",
  );
}

/** Throws `no-view` where nodes of a type are asked for by their views, and have none. */
export function checkViews(graph: CompiledModel, ids: readonly string[]): void {
  for (const id of ids) {
    if (!isViewless(graph, id)) continue;
    const { type } = parseNodeId(id)!;
    throw new EdgeloomError(
      'no-view',
      `${type} has no view.`,
      `Add view: ['name'] to nodes.${type} in the model and migrate, or read getNode.`,
    );
  }
}

/** Tells whether reads show a node by its own attributes, since the model does not say which of them its view shows. */
export function isShownItself(graph: CompiledModel, id: string): boolean {
  return typeof id === 'string' && graph.nodes.get(parseNodeId(id)?.type ?? '')?.isShownItself === true;
}

/** Tells whether a node is of a type without views. */
export function isViewless(graph: CompiledModel, id: string): boolean {
  // An id from outside may be no text.
  return typeof id === 'string' && graph.nodes.get(parseNodeId(id)?.type ?? '')?.hasView === false;
}

/** The result of `readAttributes`. */
export interface AttributesRead {
  /** One for each id asked, in their order; null where the node is not known. */
  attributes: (Record<string, unknown> | null)[];
  /** DynamoDB calls made. */
  calls: number;
}

/** The attributes of nodes, without their edge sets: of their views, or of the nodes where those do not hold them. */
export async function readAttributes(
  context: ReadContext,
  ids: readonly string[],
  attributes: AttributeSelection | undefined,
  own: OwnWrites,
): Promise<AttributesRead> {
  const isReadFromNode = (id: string): boolean =>
    attributes !== undefined && !viewOfNodeHolds(context.graph, id, attributes);
  const inNode = ids.filter(isReadFromNode);
  const ownSources = new Set(own.writes.map(({ source }) => source));
  const isOwn = inNode.some((id) => ownSources.has(id));
  const bases = await readBases(context, inNode, attributes, isOwn);
  const views = await readViews(
    context,
    ids.filter((id) => !isReadFromNode(id)),
    false,
    own,
    () => false,
  );
  return {
    attributes: ids.map((id) =>
      isReadFromNode(id)
        ? (bases.attributes.get(id) ?? null)
        : plainViewAttributes(context, views.items.get(id), attributes),
    ),
    calls: bases.calls + views.calls,
  };
}

/** Items by node id, and the DynamoDB calls that they took. */
export interface ItemsRead {
  items: Map<string, Item>;
  calls: number;
}

/**
 * The views of nodes with what they show of their parts, 100 items in a call; of one node with parts in one Query. Of a node of a type
 * that declares no `view` the node is read, too, and shows all of its attributes; its view is read for edges and parts alone. Ids that
 * cannot be in the table are not asked for. A view that this read may not rely on is made here, from the base items.
 *
 * @param needsEdges tells for which nodes edge sets are needed: a view that has nothing else is left out for the others.
 */
export async function readViews(
  context: ReadContext,
  ids: Iterable<string>,
  consistent: boolean,
  own: OwnWrites,
  needsEdges: (id: string) => boolean = () => true,
): Promise<ItemsRead> {
  const { graph } = context;
  const all = [...new Set(ids)];
  const themselves = all.filter((id) => isShownItself(graph, id));
  const isAlone = (id: string): boolean => isViewless(graph, id) || (isReadInPlace(graph, id) && !needsEdges(id));
  const viewed = themselves.length === 0 ? all : all.filter((id) => !isAlone(id));
  const read = await readUsableViews(context, viewed, consistent, (id) => partSources(context, id));
  const { items, found } = read;
  const { found: nodes, calls } = await readByNode(
    context,
    themselves.filter((id) => canBeStored(graph, id)).map((id) => ({ source: id, target: id })),
    consistent || own.writes.length > 0,
  );
  // Nothing is projected of the attributes of such a node: it is there while it is stored.
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
  return { items, calls: read.calls + calls };
}

/** The views of nodes as `readViews` gives them, without parts and own writes. */
export async function readBareViews(
  context: ReadContext,
  ids: Iterable<string>,
  consistent: boolean,
): Promise<ItemsRead> {
  return readUsableViews(context, ids, consistent, () => []);
}

async function readUsableViews(
  context: ReadContext,
  ids: Iterable<string>,
  consistent: boolean,
  partsOfId: (id: string) => readonly PartSource[],
): Promise<ItemsRead & { found: ReadonlyMap<string, Found> }> {
  const { graph, projections } = context;
  const distinct = [...new Set(ids)].filter((id) => canBeStored(graph, id));
  const stored = await readStoredViews(context, distinct, consistent, partsOfId);
  const { found } = stored;
  const items = new Map<string, Item>();
  for (const id of distinct) {
    const view = found.get(id)?.get(VIEW_KEY);
    if (view !== undefined) items.set(id, view);
  }
  const unusable = distinct.filter((id) => !projections.usesView(id, items.get(id)));
  const made = await pMap(unusable, (id) => deriveView(context, id, consistent), { concurrency: context.concurrency });
  let { calls } = stored;
  for (const [i, id] of unusable.entries()) {
    const { view, calls: callsOfView } = made[i]!;
    calls += callsOfView;
    if (view === undefined) items.delete(id);
    else items.set(id, view);
  }
  return { items, found, calls };
}

/** Reads the stored views of nodes, and those of their parts, or the parts themselves. */
async function readStoredViews(
  context: ReadContext,
  ids: readonly string[],
  consistent: boolean,
  partsOfId: (id: string) => readonly PartSource[],
): Promise<{ found: Map<string, Found>; calls: number }> {
  const [first] = ids;
  const parts = ids.flatMap(partsOfId);
  if (first !== undefined && ids.length === 1 && parts.length > 0 && !parts.some(({ isBase }) => isBase)) {
    const { found, calls } = await queryViewWithParts(context, first, consistent);
    return { found: new Map([[first, found]]), calls };
  }
  const views = ids.map((id) => ({ source: id, target: VIEW_KEY }));
  return readByNode(context, [...views, ...parts.map(({ key }) => key)], consistent);
}

/** The projected attributes of a view, plain; null where the node is not known. */
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

/** Reads items, and returns those that exist by partition, then by sort key. */
async function readByNode(
  { store }: ReadContext,
  keys: readonly ItemKey[],
  consistent: boolean,
): Promise<{ found: Map<string, Map<string, Item>>; calls: number }> {
  const { items, calls } = await store.getMany(keys, { consistent });
  const found = new Map<string, Map<string, Item>>();
  for (const [i, { source, target }] of keys.entries()) {
    const item = items[i];
    if (item === undefined) continue;
    const ofNode = found.get(source) ?? new Map<string, Item>();
    found.set(source, ofNode.set(target, item));
  }
  return { found, calls };
}

/** The selected attributes of nodes and of their parts, as producers wrote them. */
async function readBases(
  context: ReadContext,
  ids: readonly string[],
  selection: AttributeSelection = 'ALL',
  consistent: boolean,
): Promise<{ attributes: Map<string, Record<string, unknown>>; calls: number }> {
  const distinct = [...new Set(ids)].filter((id) => canBeStored(context.graph, id));
  const isSelected = (name: string): boolean => selection === 'ALL' || selection.includes(name);
  const namesOf = (id: string): string[] => partsOf(context, id).flatMap(({ name }) => (isSelected(name) ? name : []));
  const keys = distinct.flatMap((id) => [id, ...namesOf(id)].map((target) => ({ source: id, target })));
  const { found, calls } = await readByNode(context, keys, consistent);
  const attributes = new Map<string, Record<string, unknown>>();
  for (const id of distinct) {
    const item = found.get(id)?.get(id);
    if (!isNodeThere(context.graph, id, item)) continue;
    const all = baseAttributes(context, selection === 'ALL' ? item : pickAttributes(item, selection));
    for (const name of namesOf(id)) {
      const part = found.get(id)?.get(name);
      if (part === undefined || isGone(undefined, part)) delete all[name];
      else all[name] = baseAttributes(context, part);
    }
    attributes.set(id, all);
  }
  return { attributes, calls };
}

/**
 * Tells whether an id has a type of the model and fits into a key. Ids come from URLs: another one is that of an unknown node. Throws `invalid-id`
 * for a value that is no string.
 */
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

/** Tells whether `readViews` gives all selected attributes of the nodes of a type. True for a type outside the model: nothing else is read of it. */
export function viewHolds(node: NodeModel | undefined, selection: AttributeSelection): boolean {
  if (node === undefined) return true;
  const { view, parts } = node;
  // `readViews` reads a node that is shown itself.
  const isAll = node.isShownItself === true || view.kind === 'ALL';
  const isWhole = (name: string): boolean => parts.get(name)?.view?.view.kind === 'ALL';
  const projected = view.kind === 'LIST' ? view.attributes : [];
  if (selection === 'ALL') return isAll && [...parts.keys()].every(isWhole);
  return selection.every((name) => (parts.has(name) ? isWhole(name) : isAll || projected.includes(name)));
}
