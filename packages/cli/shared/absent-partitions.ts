import { checkSource } from '../../../src/client/read/request/lookup.ts';
import type { CompiledModel } from '../../../src/core/model/compiled.ts';
import type { Store } from '../../../src/core/store-port.ts';
import { CALLS_AT_ONCE, forEachOf } from '../../../src/foundation/for-each.ts';

/** Returns the partitions that have no items. Throws if one of these ids can't be a node's, because it's probably a typo. */
export async function absentPartitions(
  { graph, store }: { graph: CompiledModel; store: Pick<Store, 'query'> },
  ids: readonly string[] = [],
): Promise<string[]> {
  const absent = new Set<string>();
  const lookFor = async (partition: string): Promise<void> => {
    const { items } = await store.query({ partition, limit: 1, consistent: true });
    if (items.length === 0) absent.add(partition);
  };
  await forEachOf(new Set(ids), lookFor, { concurrency: CALLS_AT_ONCE });
  const inOrder = [...new Set(ids)].filter((id) => absent.has(id));
  for (const id of inOrder) checkSource(graph, id);
  return inOrder;
}

export function absentTexts(partitions: readonly string[]): string[] {
  return partitions.map((partition) => `There are no items in the partition ${partition}.`);
}
