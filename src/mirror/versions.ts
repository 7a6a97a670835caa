import { attributeOf, type Item, numberOf } from '../core/items/attribute-value.ts';
import { REVISION } from '../core/items/derived-item.ts';
import { SERVICE_PARTITION } from '../core/items/keys.ts';
import type { MirrorContext } from './context.ts';

/** The versions of a mapping, with the times at which they began: recorded in our table. */

/**
 * The time for which source items decide instead of records after a version began, in milliseconds: consumers of the version before may work
 * next to it during a deployment of an hour, and clocks differ by five minutes at most.
 */
const OVERLAP_MS = 65 * 60_000;

const VERSIONS = 'versions';

/**
 * The time before which records are not mapped from their images, in milliseconds since 1970: those from before the mapping began. Version 1
 * has none before it. The first call with a new version notes it.
 */
export async function settledBefore({ graph, store, source, now }: MirrorContext): Promise<number> {
  const key = { source: SERVICE_PARTITION, target: `mirror/${source.table}` };
  const name = String(source.version);
  for (;;) {
    const { item } = await store.get(key, { consistent: true });
    const versions = versionsOf(item);
    const since = numberOf(attributeOf(versions, name));
    if (since !== undefined) return Number(since) === 0 ? Number.NEGATIVE_INFINITY : Number(since) + OVERLAP_MS;
    // The first note says nothing: of two versions that run side by side the newer one may come first.
    const isFirst = source.version === 1;
    const revision = item && attributeOf(item, REVISION);
    await store.change({
      kind: 'put',
      key,
      item: {
        [graph.table.partitionKey]: { S: key.source },
        [graph.table.sortKey]: { S: key.target },
        [VERSIONS]: { M: { ...versions, [name]: { N: isFirst ? '0' : String(now()) } } },
        [REVISION]: { N: String(Number(numberOf(revision) ?? 0) + 1) },
      },
      condition: revision === undefined ? { absent: [REVISION] } : { equal: { [REVISION]: revision } },
    });
  }
}

function versionsOf(item: Item | undefined): Item {
  const value = item && attributeOf(item, VERSIONS);
  return value !== undefined && 'M' in value ? value.M : {};
}
