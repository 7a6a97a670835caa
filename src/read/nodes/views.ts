import pMap from 'p-map';
import { EdgeloomError } from '../../errors.ts';
import type { Item } from '../../items/attribute-value.ts';
import { isWellFormed } from '../../items/encoding.ts';
import { describe, PARTITION_KEY_BYTES, parseNodeId, VIEW_KEY } from '../../items/keys.ts';
import { toPlainItem } from '../../items/plain.ts';
import type { CompiledModel, Projection } from '../../model/compiled.ts';
import { checkOptions } from '../../options.ts';
import { isUsable } from '../../registry/readable.ts';
import type { Abortable } from '../../runtime.ts';
import type { OwnWrites } from '../../session/own-writes.ts';
import { patchedView } from '../../session/patched-view.ts';
import type { ReadContext } from '../request/context.ts';
import { ownWritesOfViews } from '../request/own.ts';
import { baseAttributes, type NodeResult, pick, projectedAttributes } from '../request/result.ts';
import { makeView } from './base-view.ts';
import { type EdgeSetRead, readEdgeSet } from './edge-set.ts';

/** Which attributes: all of the node's, or those named. */
export type AttributeSelection = 'ALL' | readonly string[];

/** Options of `get`. */
export interface GetOptions<Attributes extends AttributeSelection | undefined = AttributeSelection | undefined>
  extends Abortable {
  /**
   * Default: what the model's view holds. Others, and any with `consistent`, cost a read of the node beside its view.
   */
  attributes?: Attributes | undefined;
  /**
   * Strongly consistent, at twice the capacity: what is named in `attributes` is read from the node itself, as its last
   * put left it. The edge set, and the attributes where none are named, come from the view in any case, which the
   * projector brings up to date after the put: consistent of them means as projected by now. Default false.
   */
  consistent?: boolean | undefined;
}

/** What `readNodes` gives. */
export interface NodesRead {
  /** One for each id asked, in their order. */
  nodes: NodeResult[];
  /** DynamoDB calls made. */
  calls: number;
}

/** Reads nodes with their edge sets: see `Reader.get`. */
export async function readNodes(
  context: ReadContext,
  ids: readonly string[],
  options: GetOptions = {},
  given?: OwnWrites,
): Promise<NodesRead> {
  checkOptions('get', options, { attributes: true, consistent: true, signal: true });
  const { attributes, consistent = false } = options;
  const own = given ?? (await ownWritesOfViews(context, ids));
  const { items: views, calls } = await readViews(context, ids, consistent, own);
  const ownSources = new Set(own.writes.map(({ source }) => source));
  // A view lags behind its node: who reads, changes and puts a node would take back what was put in between.
  const isOfNode = (id: string): boolean =>
    attributes !== undefined && (consistent || !isInView(context.graph, id, attributes));
  const inNode = ids.filter(isOfNode);
  const isOwn = inNode.some((id) => ownSources.has(id));
  const bases = await readItems(context, inNode, (id) => id, consistent || isOwn);
  const edgeSets = await pMap(
    ids,
    async (id): Promise<EdgeSetRead> => readEdgeSet(context, id, views.get(id), consistent || ownSources.has(id)),
    { concurrency: context.concurrency },
  );
  const nodes = ids.map((id, i): NodeResult => {
    return {
      id,
      attributes: isOfNode(id)
        ? nodeAttributes(context, bases.items.get(id), attributes)
        : plainViewAttributes(context, views.get(id), attributes),
      edgeSet: edgeSets[i]!.entries,
    };
  });
  const fallbackCalls = edgeSets.reduce((sum, edgeSet) => sum + edgeSet.calls, 0);
  const ownCalls = given === undefined ? own.calls : 0;
  return { nodes, calls: calls + bases.calls + fallbackCalls + ownCalls };
}

/** What `readAttributes` gives. */
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
  const isOfNode = (id: string): boolean => attributes !== undefined && !isInView(context.graph, id, attributes);
  const inNode = ids.filter(isOfNode);
  const ownSources = new Set(own.writes.map(({ source }) => source));
  const isOwn = inNode.some((id) => ownSources.has(id));
  const bases = await readItems(context, inNode, (id) => id, isOwn);
  const views = await readViews(
    context,
    ids.filter((id) => !isOfNode(id)),
    false,
    own,
  );
  return {
    attributes: ids.map((id) =>
      isOfNode(id)
        ? nodeAttributes(context, bases.items.get(id), attributes)
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
 * The views of nodes, 100 in a call; ids that cannot be in the table are not asked for. A view that this read may not rely on
 * is made here, from the base items.
 */
export async function readViews(
  context: ReadContext,
  ids: Iterable<string>,
  consistent: boolean,
  own: OwnWrites,
): Promise<ItemsRead> {
  const distinct = [...new Set(ids)];
  const { items, calls } = await usableViews(context, distinct, consistent);
  if (own.writes.length === 0) return { items, calls };
  for (const id of distinct) {
    const view = patchedView(context.graph, id, items.get(id), own);
    if (view === undefined) items.delete(id);
    else items.set(id, view);
  }
  return { items, calls };
}

async function usableViews(context: ReadContext, ids: readonly string[], consistent: boolean): Promise<ItemsRead> {
  const { graph, readable } = context;
  const distinct = [...new Set(ids)].filter((id) => canBeStored(graph, id));
  const stored = await readItems(context, distinct, () => VIEW_KEY, consistent);
  if (readable === undefined) return stored;
  const { items } = stored;
  const unusable = distinct.filter((id) => !isUsable(readable.view(id), items.get(id)));
  const made = await pMap(unusable, (id) => makeView(context, id, consistent), { concurrency: context.concurrency });
  let { calls } = stored;
  for (const [i, id] of unusable.entries()) {
    const { view, calls: callsOfView } = made[i]!;
    calls += callsOfView;
    if (view === undefined) items.delete(id);
    else items.set(id, view);
  }
  return { items, calls };
}

/** The projected attributes of a view, plain; null where the node is not known. */
export function plainViewAttributes(
  { readNumber }: ReadContext,
  view: Item | undefined,
  selection?: AttributeSelection,
): Record<string, unknown> | null {
  const attributes = projectedAttributes(view);
  if (attributes === undefined) return null;
  const isNamed = selection !== undefined && selection !== 'ALL';
  return toPlainItem(isNamed ? pick(attributes, selection) : attributes, readNumber);
}

async function readItems(
  { graph, store }: ReadContext,
  ids: Iterable<string>,
  sortKey: (id: string) => string,
  consistent: boolean,
): Promise<ItemsRead> {
  const distinct = [...new Set(ids)].filter((id) => canBeStored(graph, id));
  const keys = distinct.map((id) => ({ source: id, target: sortKey(id) }));
  const { items, calls } = await store.getMany(keys, { consistent });
  const found = new Map<string, Item>();
  for (const [i, id] of distinct.entries()) if (items[i] !== undefined) found.set(id, items[i]);
  return { items: found, calls };
}

/** Ids come from URLs: one of an unknown type, or that no key can hold, names an unknown node and nothing worse. */
function canBeStored(graph: CompiledModel, id: string): boolean {
  if (typeof id !== 'string') {
    throw new EdgeloomError('invalid-id', `A node id should be a text, but is ${describe(id)}.`);
  }
  return (
    graph.nodes.has(parseNodeId(id)?.type ?? '') && isWellFormed(id) && Buffer.byteLength(id) <= PARTITION_KEY_BYTES
  );
}

function isInView(graph: CompiledModel, id: string, selection: AttributeSelection): boolean {
  return viewHolds(graph.nodes.get(parseNodeId(id)?.type ?? '')?.view, selection);
}

/** Whether views hold the attributes that are selected; those of an unknown type hold what there is. */
export function viewHolds(view: Projection | undefined, selection: AttributeSelection): boolean {
  if (view === undefined || view.kind === 'ALL') return true;
  const projected = view.kind === 'LIST' ? view.attributes : [];
  return selection !== 'ALL' && selection.every((name) => projected.includes(name));
}

function nodeAttributes(
  context: ReadContext,
  item: Item | undefined,
  selection: AttributeSelection = 'ALL',
): Record<string, unknown> | null {
  if (item === undefined) return null;
  return baseAttributes(context, selection === 'ALL' ? item : pick(item, selection));
}
