import { attributeOf } from '../../../src/core/items/attribute-value.ts';
import { isTypeName, parseNodeId } from '../../../src/core/items/keys.ts';
import type { LeftOut } from './propose.ts';
import type { SampledItem } from './sampled-item.ts';

/** The model of a table that already holds nodes and edges, whatever its key attributes are called. */
export interface InPlace {
  /** Node types, with the names of their parts. */
  nodes: ReadonlyMap<string, ReadonlySet<string>>;
  edges: ReadonlyMap<string, { from: ReadonlySet<string>; to: ReadonlySet<string>; isHashed: boolean }>;
  leftOut: readonly LeftOut[];
}

/** Minimum share of nodes, parts and edges among the items. */
const SHARE = 0.9;

export function inPlace(items: readonly SampledItem[]): InPlace | undefined {
  const nodes = new Map<string, Set<string>>();
  for (const { keys } of items) {
    const type = keys[0] === keys[1] ? typeOf(keys[0]) : undefined;
    if (type !== undefined) nodes.set(type, nodes.get(type) ?? new Set());
  }
  const edges = new Map<string, { from: Set<string>; to: Set<string>; isHashed: boolean }>();
  const left: SampledItem[] = [];
  for (const one of items) if (!tryPlace(one, nodes, edges)) left.push(one);
  if (nodes.size === 0 || items.length - left.length < items.length * SHARE) return undefined;
  const [first] = left;
  const leftOut = first && { items: left.length, example: first.keys, reason: 'no type of the model has such keys' };
  return { nodes, edges, leftOut: leftOut === undefined ? [] : [leftOut] };
}

function tryPlace(
  { keys: [source, target], item }: SampledItem,
  nodes: Map<string, Set<string>>,
  edges: Map<string, { from: Set<string>; to: Set<string>; isHashed: boolean }>,
): boolean {
  const from = typeOf(source);
  const parts = from === undefined ? undefined : nodes.get(from);
  if (from === undefined || parts === undefined) return false;
  if (source === target) return true;
  if (isTypeName(target)) {
    parts.add(target);
    return true;
  }
  const dash = target.indexOf('-');
  const type = target.slice(0, Math.max(0, dash));
  if (!isTypeName(type) || nodes.has(type)) return false;
  const rest = target.slice(dash + 1);
  const isHashed = rest.startsWith('#');
  const targetId = attributeOf(item, 'targetId');
  const to = typeOf(isHashed ? (targetId !== undefined && 'S' in targetId ? targetId.S : '') : rest);
  if (to === undefined || !nodes.has(to)) return false;
  const found = edges.get(type) ?? { from: new Set(), to: new Set(), isHashed };
  edges.set(type, found);
  if (found.isHashed !== isHashed) return false;
  found.from.add(from);
  found.to.add(to);
  return true;
}

function typeOf(id: string): string | undefined {
  return parseNodeId(id)?.type;
}
