import { hasItemInTarget } from '../../../src/core/kinds/in-target.ts';
import type { CompiledModel } from '../../../src/core/model/compiled.ts';
import { joinedTypesFrom, sourceNodeKeys } from '../../../src/core/model/joined.ts';
import type { SampleAnswer, Sampled } from './table-sample.ts';

/** Of a small item, or of the empty end of a segment, eventually consistent. */
const LEAST = 0.5;
/** Both items in the target's partition, and the copied node, which several edges may share. */
const UNITS_OF_A_COPY = 1.25;

/** Estimates a check: the scan by what the sample took, and the look-ups beside it. Differences cost extra. */
export function checkUnits(graph: CompiledModel, { answer, rcu }: Sampled): number {
  const scan = answer.items === 0 ? rcu : (rcu * answer.of) / answer.items;
  return Math.ceil(Math.max(LEAST, scan + lookUpUnits(graph, answer)));
}

function lookUpUnits(graph: CompiledModel, { nodes, edges }: SampleAnswer): number {
  const copies = Object.entries(edges).map(([type, { count }]) =>
    hasItemInTarget(graph, `${type}-`) ? count * UNITS_OF_A_COPY : 0,
  );
  // An edge that sorts before its source node is read before that node: then the node is looked up once for each partition.
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
