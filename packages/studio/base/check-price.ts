import { hasItemInTarget } from '../../../src/core/kinds/in-target.ts';
import type { CompiledModel } from '../../../src/core/model/compiled.ts';
import { joinedTypesFrom, sourceNodeKeys } from '../../../src/core/model/joined.ts';
import type { SampleAnswer, Sampled } from './table-sample.ts';

/** RCU of the smallest eventually consistent read, even of an empty segment. */
const LEAST = 0.5;
/**
 * RCU per edge: the edge and its item in the target's partition are looked up, and so is the copied node, which several
 * edges may share.
 */
const UNITS_OF_A_COPY = 1.25;

/** Estimates the RCU of a check: a scan, extrapolated from the sample, and look-ups. Differences cost extra. */
export function checkUnits(graph: CompiledModel, { answer, rcu }: Sampled): number {
  const scan = answer.items === 0 ? rcu : (rcu * answer.of) / answer.items;
  return Math.ceil(Math.max(LEAST, scan + lookUpUnits(graph, answer)));
}

function lookUpUnits(graph: CompiledModel, { nodes, edges }: SampleAnswer): number {
  const copies = Object.entries(edges).map(([type, { count }]) =>
    hasItemInTarget(graph, `${type}-`) ? count * UNITS_OF_A_COPY : 0,
  );
  // If an edge type sorts before its source node, the scan reads the edges first and looks up the node once per
  // partition.
  const sources = Object.entries(nodes).map(([type, count]) => {
    const early = joinedTypesFrom(graph, type).filter((one) => `${one}-` < `${type}-`);
    const leaving = early.map((one) => edges[one]?.from[type] ?? 0);
    const partitions = Math.min(
      count,
      leaving.reduce((sum, some) => sum + some, 0),
    );
    return partitions * LEAST * sourceNodeKeys(graph, `${type}-`).length;
  });
  return [...copies, ...sources].reduce((sum, units) => sum + units, 0);
}
