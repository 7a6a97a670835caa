import { readUnits, writeUnits } from '../../src/core/items/capacity.ts';
import { encodeElement } from '../../src/core/items/element.ts';
import { edgeSortKey } from '../../src/core/items/keys.ts';
import { DEFAULT_VIEW_BUDGET_BYTES } from '../../src/core/kinds/eviction.ts';
import type { CompiledModel, EdgeModel, NodeModel } from '../../src/core/model/compiled.ts';
import { listedEdges } from '../../src/core/model/compiled.ts';

export interface EdgeSetCost {
  type: string;
  edges: number;
  bytes: number;
  /** Write units of the view when an edge is added. An evicted set isn't part of the view. */
  wcu: number;
  isEvicted: boolean;
  /** Read units of the view and, if the set is evicted, of a Query of the edges. */
  rcu: number;
  queryRcu: number;
  /** From this many reads per write, the set is cheaper than Queries. Absent if it never is. */
  paysFrom?: number;
}

const EDGES = [1, 14, 50, 100, 500];
/** A write unit costs as much as this many read units. */
const READS_A_WRITE_UNIT = 5;
/** Assumed sizes: UUIDs as ids, and short label values. */
const ID = 'x'.repeat(36);
const VALUE = 'x'.repeat(8);
/** Bytes of a view's keys and bookkeeping attributes, and of an edge beyond its element. */
const [VIEW_BYTES, EDGE_BYTES] = [220, 60];
const ATTRIBUTE_BYTES = 24;
/** Assumed bytes of a node's attributes if its view shows them all. */
const ALL_BYTES = 300;

/**
 * Compares reading edge sets with querying the edges. Adding or removing an edge rewrites the whole view, so a set pays
 * off only if it is small and often read.
 */
export function costsOfEdgeSets(graph: CompiledModel): EdgeSetCost[] {
  return [...graph.nodes.values()].flatMap((node) => {
    const listed = listedEdges(graph, node.type);
    return listed.length === 0 ? [] : EDGES.map((count) => costOfSet(node, listed, count));
  });
}

function costOfSet(node: NodeModel, listed: readonly EdgeModel[], edges: number): EdgeSetCost {
  const { view, viewBudgetBytes = DEFAULT_VIEW_BUDGET_BYTES } = node;
  const shown = view.kind === 'ALL' ? ALL_BYTES : view.kind === 'LIST' ? ATTRIBUTE_BYTES * view.attributes.length : 0;
  const without = VIEW_BYTES + shown;
  // Assumes the same number of edges of each type.
  const element = mean(listed.map(elementBytes));
  const bytes = Math.ceil(without + edges * element);
  const isEvicted = bytes > viewBudgetBytes;
  const rcu = readUnits(isEvicted ? without : bytes, false);
  const queryRcu = readUnits(without, false) + readUnits(edges * (element + EDGE_BYTES), false);
  const wcu = writeUnits(isEvicted ? without : bytes);
  const point = { type: node.type, edges, bytes, wcu, isEvicted, rcu: isEvicted ? queryRcu : rcu, queryRcu };
  if (isEvicted || queryRcu <= rcu) return point;
  return { ...point, paysFrom: Math.ceil((wcu * READS_A_WRITE_UNIT) / (queryRcu - rcu)) };
}

function elementBytes({ type, to, labels = [] }: EdgeModel): number {
  const [target = ''] = to;
  return Buffer.byteLength(
    encodeElement(
      edgeSortKey(type, `${target}-${ID}`),
      labels.map(({ name }) => [name, { S: VALUE }]),
    ),
  );
}

function mean(numbers: readonly number[]): number {
  return numbers.reduce((sum, one) => sum + one, 0) / numbers.length;
}
