import type { Item } from '../core/items/attribute-value.ts';
import type { CompiledModel, IndexName } from '../core/model/compiled.ts';
import type { IndexEntry } from '../core/model/projection/list-of-place.ts';
import type { ReadStats } from '../core/store-pages.ts';
import type { ItemKey, Store } from '../core/store-port.ts';
import { walkedItem } from './table-walk.ts';

export interface PlaceInIndex extends IndexEntry {
  index: IndexName;
}

export async function shownAt(
  { graph, store, stats }: { graph: Pick<CompiledModel, 'table'>; store: Pick<Store, 'query'>; stats?: ReadStats },
  { index, partition, sort }: PlaceInIndex,
  { source, target }: ItemKey,
): Promise<Item | undefined> {
  // An index's sort key ends with the item's partition key, so one page is enough.
  const page = await store.query({ index, partition, sortKey: { from: sort, to: sort } });
  if (stats !== undefined) stats.rcu += page.rcu;
  return page.items.find((item) => {
    const found = walkedItem(graph, item);
    return found.source === source && found.target === target;
  });
}
