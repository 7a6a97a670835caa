import type { SeenState } from '../../registry/transitions.ts';
import type { WalkPlace } from '../../store/table-walk.ts';
import { type BuildContext, backfill } from './build.ts';
import { indexesOf, verifyIndex, verifyInIndexes } from './verify.ts';

/** A walk for building, over the table or an index. It continues from the place where it stopped, and returns where it stops. */
export interface BuildingWalk {
  kind: string;
  walk: (begunAt: WalkPlace | undefined) => Promise<WalkPlace | undefined>;
}

/**
 * Returns the walks after which generations are ready for readers, in their order: `backfill` writes their items, `verifyInIndexes` looks for
 * each item of the table in the indexes, and one walk over each index looks for entries that have left their place in the table. The walks
 * over the indexes come last, because the walk before them may still move items.
 */
export function buildingWalks(context: BuildContext, generations: readonly SeenState[]): readonly BuildingWalk[] {
  const build: BuildingWalk['walk'] = (begunAt) => backfill({ ...context, begunAt }, generations);
  // rule: generation-is-verified-through-its-index
  const look: BuildingWalk['walk'] = (begunAt) => verifyInIndexes({ ...context, begunAt });
  const lookThrough = indexesOf(context.graph).map(
    (index): BuildingWalk => ({
      kind: `verify-${index}`,
      walk: (begunAt) => verifyIndex({ ...context, begunAt }, index, generations),
    }),
  );
  return [{ kind: 'backfill', walk: build }, { kind: 'verify', walk: look }, ...lookThrough];
}
