import type { EdgeModel, NodeModel } from './compile.ts';
import type { AnyGraph } from './graph.ts';
import { parseNodeId, typePrefix } from './keys.ts';

/** What a base item's keys say it is. */
export type BaseItemKind =
  | { kind: 'node'; node: NodeModel }
  | { kind: 'edge'; edge: EdgeModel; target: string }
  /** A type outside the model: no error; the projector skips it and the check counts it. */
  | { kind: 'unknown' }
  /** An edge type of the model between nodes that it does not join. */
  | { kind: 'misfit'; reason: string };

/** Tells a base item's kind from its keys alone. */
export function classify(graph: AnyGraph, source: string, sortKey: string): BaseItemKind {
  const sourceType = parseNodeId(source)?.type;
  if (sourceType === undefined) return { kind: 'unknown' };
  if (source === sortKey) {
    const node = graph.nodes.get(sourceType);
    return node === undefined ? { kind: 'unknown' } : { kind: 'node', node };
  }
  const edgeType = typePrefix(sortKey);
  const edge = edgeType === undefined ? undefined : graph.edges.get(edgeType);
  if (edgeType === undefined || edge === undefined || !graph.nodes.has(sourceType)) return { kind: 'unknown' };
  const target = sortKey.slice(edgeType.length + 1);
  const targetType = parseNodeId(target)?.type;
  if (targetType === undefined) return { kind: 'misfit', reason: `edge type ${edgeType} is not followed by a node id` };
  if (!graph.nodes.has(targetType)) return { kind: 'unknown' };
  if (!edge.from.has(sourceType))
    return { kind: 'misfit', reason: endpoint(edgeType, 'leaves', edge.from, sourceType) };
  if (!edge.to.has(targetType)) return { kind: 'misfit', reason: endpoint(edgeType, 'enters', edge.to, targetType) };
  return { kind: 'edge', edge, target };
}

function endpoint(edgeType: string, verb: string, allowed: ReadonlySet<string>, actual: string): string {
  return `edge type ${edgeType} ${verb} ${[...allowed].join(', ')}, not ${actual}`;
}
