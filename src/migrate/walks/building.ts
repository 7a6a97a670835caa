import type { SeenState } from '../../registry/transitions.ts';
import type { WalkPlace } from '../../store/table-walk.ts';
import { type BuildContext, backfill } from './build.ts';
import { indexesOf, verifyIndex, verifyInIndexes } from './verify.ts';

export interface BuildingWalk {
  kind: string;
  walk: (begunAt: WalkPlace | undefined) => Promise<WalkPlace | undefined>;
}

/**
 * Returns the walks in order. `verify` looks up each item of the table in the indexes; the walks over the indexes find
 * entries whose item is gone from the table. They come last, because earlier walks may still move items.
 */
export function buildingWalks(context: BuildContext, generations: readonly SeenState[]): readonly BuildingWalk[] {
  return [
    { kind: 'backfill', walk: (begunAt) => backfill({ ...context, begunAt }, generations) },
    // rule: generation-is-verified-through-its-index
    { kind: 'verify', walk: (begunAt) => verifyInIndexes({ ...context, begunAt }) },
    ...indexesOf(context.graph).map(
      (index): BuildingWalk => ({
        kind: `verify-${index}`,
        walk: (begunAt) => verifyIndex({ ...context, begunAt }, index, generations),
      }),
    ),
  ];
}
