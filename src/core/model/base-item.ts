import { attributeOf, type Item, textOfUntrusted } from '../items/attribute-value.ts';
import { hashedSortKey, isHashedName, TARGET_ID } from '../items/hashed-key.ts';
import { describe, edgeSortKey, type ItemKey, parseNodeId, tenantOf } from '../items/keys.ts';
import type { CompiledModel, EdgeModel, NodeModel, PartModel } from './compiled.ts';

export type BaseItemKind =
  | { kind: 'node'; node: NodeModel }
  | { kind: 'part'; node: NodeModel; part: PartModel }
  | { kind: 'edge'; edge: EdgeModel; target: string }
  /** Not an error: the projector skips the item, and a check counts it. */
  | { kind: 'unknown' }
  /** An edge that its type doesn't allow because of its key, or because of the types or tenants of its nodes. */
  | { kind: 'misfit'; code?: 'edge-between-tenants'; reason: string; remedy?: string };

/** `hashed`: the key shows the edge type, but only the image names the target. */
export type KeyKind = BaseItemKind | { kind: 'hashed'; edge: EdgeModel };

const UNKNOWN: { kind: 'unknown' } = { kind: 'unknown' };
const HASHED_REMEDY = `Put it under hashedEdgeKey(edgeType, target) with the target's id in ${TARGET_ID}, and delete what lies under another key`;

export function classifyBaseItem(graph: CompiledModel, source: string, sortKey: string, image: Item): BaseItemKind {
  const kind = classifyKey(graph, source, sortKey);
  return kind.kind === 'hashed' ? classifyHashedEdge(graph, kind.edge, { source, target: sortKey }, image) : kind;
}

export function classifyKey(graph: CompiledModel, source: string, sortKey: string): KeyKind {
  const sourceType = nodePrefix(source);
  // A prefix that isn't a valid type name can't be in the model.
  const node = graph.nodes.get(sourceType);
  if (node === undefined) return UNKNOWN;
  if (source === sortKey) return { kind: 'node', node };
  const part = node.parts.get(sortKey);
  if (part !== undefined) return { kind: 'part', node, part };
  const edge = graph.edges.get(sortKey.slice(0, Math.max(0, sortKey.indexOf('-'))));
  if (edge === undefined) return UNKNOWN;
  const target = sortKey.slice(edge.type.length + 1);
  if (edge.keys === 'plain') {
    const wrong = misfitOfTarget(graph, edge, target);
    if (wrong?.kind === 'unknown') return wrong;
    const misfit = misfitOfSource(edge, sourceType) ?? wrong ?? misfitOfTenants(edge, source, target);
    return misfit ?? { kind: 'edge', edge, target };
  }
  if (!isHashedName(target)) {
    return hashedMisfit(`edge type ${edge.type} has hashed keys, and this is none`);
  }
  return misfitOfSource(edge, sourceType) ?? { kind: 'hashed', edge };
}

export function classifyHashedEdge(
  graph: CompiledModel,
  edge: EdgeModel,
  { source, target: sortKey }: ItemKey,
  image: Item,
): Exclude<BaseItemKind, { kind: 'node' | 'part' }> {
  const targetId = targetIdOf(image);
  if (targetId === undefined) {
    return hashedMisfit(`edge type ${edge.type} has hashed keys, and no text ${TARGET_ID} says whose`);
  }
  if (hashedSortKey(edge.type, targetId) !== sortKey) {
    return hashedMisfit(`its sort key is not the hashed key of its ${TARGET_ID}`);
  }
  const misfit = misfitOfTarget(graph, edge, targetId) ?? misfitOfTenants(edge, source, targetId);
  return misfit ?? { kind: 'edge', edge, target: targetId };
}

export function misfitText({ reason, remedy }: Extract<BaseItemKind, { kind: 'misfit' }>): string {
  return remedy === undefined ? reason : `${reason}. ${remedy}`;
}

export function targetIdOf(image: Item): string | undefined {
  // In a record that doesn't come from DynamoDB, such as a test event, the attribute may hold anything.
  return textOfUntrusted(attributeOf(image, TARGET_ID));
}

export function sortKeyOfEdge(edge: EdgeModel, target: string): string {
  return edge.keys === 'hashed' ? hashedSortKey(edge.type, target) : edgeSortKey(edge.type, target);
}

type Misfit = Extract<BaseItemKind, { kind: 'misfit' }>;

function misfitOfSource(edge: EdgeModel, sourceType: string): Misfit | undefined {
  if (edge.from.has(sourceType)) return undefined;
  return misfit(endpointText(edge.type, 'leaves', edge.from, sourceType));
}

function misfitOfTenants({ type, tenantSeparator }: EdgeModel, source: string, target: string): Misfit | undefined {
  if (tenantSeparator === undefined) return undefined;
  const [from, to] = [tenantOf(source, tenantSeparator), tenantOf(target, tenantSeparator)];
  if (from !== undefined && from === to) return undefined;
  const [leaves, enters] = [from, to].map((tenant) => (tenant === undefined ? 'none' : describe(tenant)));
  const reason = `edge type ${type} leaves a node of tenant ${leaves}, and enters one of tenant ${enters}`;
  return { kind: 'misfit', code: 'edge-between-tenants', reason };
}

function misfit(reason: string): Misfit {
  return { kind: 'misfit', reason };
}

function hashedMisfit(reason: string): Misfit {
  return { kind: 'misfit', reason, remedy: HASHED_REMEDY };
}

function misfitOfTarget(graph: CompiledModel, edge: EdgeModel, target: string): Misfit | typeof UNKNOWN | undefined {
  const targetType = nodePrefix(target);
  if (!graph.nodes.has(targetType)) {
    if (parseNodeId(target) !== undefined) return UNKNOWN;
    return misfit(`edge type ${edge.type} is not followed by a node id`);
  }
  if (!edge.to.has(targetType)) {
    return misfit(endpointText(edge.type, 'enters', edge.to, targetType));
  }
  return undefined;
}

/** Returns an empty string unless there is text on both sides of the first dash. */
export function nodePrefix(id: string): string {
  const dash = id.indexOf('-');
  return dash <= 0 || dash === id.length - 1 ? '' : id.slice(0, dash);
}

function endpointText(edgeType: string, verb: string, allowed: ReadonlySet<string>, actual: string): string {
  return `edge type ${edgeType} ${verb} ${[...allowed].join(', ')}, not ${actual}`;
}
