import type { SeenState } from '../../registry/transitions.ts';
import type { WalkPlace } from '../../store/table-walk.ts';
import { type BuildContext, backfill } from './build.ts';
import type { OldWrites } from './old-writes.ts';
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
 *
 * @param old gets all items of the walks. If it finds writes of software from before the registry, the verification ends early.
 */
export function buildingWalks(
  context: BuildContext,
  generations: readonly SeenState[],
  old: OldWrites,
): readonly BuildingWalk[] {
  const build: BuildingWalk['walk'] = (begunAt) =>
    backfill({ ...context, begunAt, onPage: (items) => old.noteNewest(items) }, generations);
  const isOver = (): boolean => context.isOver() || old.hasFound;
  const look: BuildingWalk['walk'] = async (begunAt) => {
    // rule: generation-is-verified-through-its-index
    const at = await verifyInIndexes({ ...context, begunAt, isOver, onPage: (items) => old.lookForOldWrites(items) });
    return old.hasFound ? undefined : at;
  };
  const lookThrough = indexesOf(context.graph).map((index): BuildingWalk => {
    const walk: BuildingWalk['walk'] = async (begunAt) =>
      old.hasFound ? undefined : await verifyIndex({ ...context, begunAt }, index, generations);
    return { kind: `verify-${index}`, walk };
  });
  return [{ kind: 'backfill', walk: build }, { kind: 'verify', walk: look }, ...lookThrough];
}
