import type { EdgeModel, NodeModel } from './compile.ts';
import type { AnyGraph } from './graph.ts';
import { parseNodeId } from './keys.ts';

/** What a base item's keys say it is. */
export type BaseItemKind =
  | { kind: 'node'; node: NodeModel }
  | { kind: 'edge'; edge: EdgeModel; target: string }
  /** A type outside the model: no error; the projector skips it and the check counts it. */
  | { kind: 'unknown' }
  /** An edge type of the model between nodes that it does not join. */
  | { kind: 'misfit'; reason: string };

const UNKNOWN: BaseItemKind = { kind: 'unknown' };

/** Tells a base item's kind from its keys alone. */
export function classify(graph: AnyGraph, source: string, sortKey: string): BaseItemKind {
  // Names of the model are type names, so a prefix that is one of them needs no check of its own.
  const sourceType = nodePrefix(source);
  const node = graph.nodes.get(sourceType);
  if (node === undefined) return UNKNOWN;
  if (source === sortKey) return { kind: 'node', node };
  const edge = graph.edges.get(sortKey.slice(0, Math.max(0, sortKey.indexOf('-'))));
  if (edge === undefined) return UNKNOWN;
  const target = sortKey.slice(edge.type.length + 1);
  const targetType = nodePrefix(target);
  if (!graph.nodes.has(targetType)) {
    if (parseNodeId(target) !== undefined) return UNKNOWN;
    return { kind: 'misfit', reason: `edge type ${edge.type} is not followed by a node id` };
  }
  if (!edge.from.has(sourceType)) {
    return { kind: 'misfit', reason: endpoint(edge.type, 'leaves', edge.from, sourceType) };
  }
  if (!edge.to.has(targetType)) {
    return { kind: 'misfit', reason: endpoint(edge.type, 'enters', edge.to, targetType) };
  }
  return { kind: 'edge', edge, target };
}

/** What stands before the first `-` of a text that has something behind it; else an empty text, which is no type. */
function nodePrefix(id: string): string {
  const dash = id.indexOf('-');
  return dash <= 0 || dash === id.length - 1 ? '' : id.slice(0, dash);
}

function endpoint(edgeType: string, verb: string, allowed: ReadonlySet<string>, actual: string): string {
  return `edge type ${edgeType} ${verb} ${[...allowed].join(', ')}, not ${actual}`;
}
