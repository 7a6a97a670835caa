import { hasItemInTarget } from '../../../src/core/kinds/in-target.ts';
import type { CompiledModel } from '../../../src/core/model/compiled.ts';
import { joinedTypesFrom, sourceNodeKeys } from '../../../src/core/model/joined.ts';
import { SAMPLE_SEGMENTS } from '../../../src/trust/check/scan.ts';
import type { SampleAnswer, Sampled } from './table-sample.ts';

/** Read units of a small item, or of the empty end of a segment, read eventually consistent. */
const LEAST = 0.5;
/**
 * Read units that an edge with items in the partition of its target takes: each of the two is looked up, and the node that it copies from
 * once for each of its edges, or once for many of them.
 */
const UNITS_OF_A_COPY = 1.25;

/**
 * Read units that a check of a share of the table takes, about: the scan by what a sample of the table has taken, and what the check looks
 * up besides. Differences that it finds are read again, and come on top.
 *
 * @param share 0 to 1.
 */
export function checkUnits(graph: CompiledModel, { answer, looked, rcu }: Sampled, share: number): number {
  const scan = looked.items === 0 ? rcu : (rcu * looked.of) / looked.items;
  const units = (scan + lookUpUnits(graph, answer)) * share;
  return Math.ceil(Math.max(units, share === 1 ? LEAST : LEAST * Math.round(share * SAMPLE_SEGMENTS)));
}

function lookUpUnits(graph: CompiledModel, { nodes, edges }: SampleAnswer): number {
  const copies = Object.entries(edges).map(([type, { count }]) =>
    hasItemInTarget(graph, `${type}-`) ? count * UNITS_OF_A_COPY : 0,
  );
  // An edge whose list needs its source node may come before that node: then the node is read, once for each partition.
  const sources = Object.entries(nodes).map(([type, { count }]) => {
    const early = joinedTypesFrom(graph, type).filter((one) => `${one}-` < `${type}-`);
    const leaving = early.map((one) => {
      const ways = edges[one]?.ways.filter(({ from }) => from === type) ?? [];
      return ways.reduce((sum, way) => sum + way.count, 0);
    });
    const partitions = Math.min(
      count,
      leaving.reduce((sum, some) => sum + some, 0),
    );
    return partitions * LEAST * sourceNodeKeys(graph, `${type}-`).length;
  });
  return [...copies, ...sources].reduce((sum, units) => sum + units, 0);
}
