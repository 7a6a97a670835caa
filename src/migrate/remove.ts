import pMap from 'p-map';
import { unchanged } from '../items/derived-item.ts';
import { ownedBy } from '../registry/ownership.ts';
import type { SeenState } from '../registry/transitions.ts';
import type { BuildContext } from './build.ts';
import type { WalkPlace } from './place.ts';
import { walk } from './walk.ts';

/** Deletes the items of generations that nothing maintains any more, each if it is still as it was read. */
export async function removeGenerations(
  context: BuildContext,
  generations: readonly SeenState[],
): Promise<WalkPlace | undefined> {
  const isGone = ownedBy(generations);
  const { store, stats, concurrency } = context;
  return await walk(context, async (items) => {
    const owned = items.filter(isGone);
    await pMap(
      owned,
      async ({ source, target, item }) => {
        const { wcu } = await store.delete({ source, target }, unchanged(item));
        stats.writes += 1;
        stats.wcu += wcu;
      },
      { concurrency },
    );
  });
}
