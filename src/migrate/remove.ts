import pMap from 'p-map';
import { numberOf } from '../items/attribute-value.ts';
import { REVISION } from '../items/derived-item.ts';
import { isDerivedKey } from '../items/keys.ts';
import { ownerOfItem } from '../registry/ownership.ts';
import type { SeenState } from '../registry/transitions.ts';
import type { BuildContext } from './build.ts';
import { walk } from './walk.ts';

/** Deletes the items of generations that nothing maintains any more, each if it is still as it was read. */
export async function removeGenerations(context: BuildContext, generations: readonly SeenState[]): Promise<void> {
  const gone = new Set(generations.map(({ name, id }) => `${name}@${id}`));
  const { store, stats, concurrency } = context;
  await walk(context, async (items) => {
    const owned = items.filter(({ source, target, item }) => {
      const owner = isDerivedKey(target) ? ownerOfItem(source, target, item) : undefined;
      return owner !== undefined && gone.has(`${owner.name}@${owner.generation}`);
    });
    await pMap(
      owned,
      async ({ source, target, item }) => {
        const unchanged = { kind: 'revision', revision: numberOf(item[REVISION]) } as const;
        const { wcu } = await store.delete({ source, target }, unchanged);
        stats.writes += 1;
        stats.wcu += wcu;
      },
      { concurrency },
    );
  });
}
