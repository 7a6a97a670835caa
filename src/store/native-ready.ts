import type { AttributeValue } from '../core/items/attribute-value.ts';
import type { CompiledModel } from '../core/model/compiled.ts';
import { type NativeIndex, nativeIndexes } from '../core/model/native-indexes.ts';
import type { Store } from '../core/store-port.ts';

/**
 * Throws `no-index` if an index of a native order or search is missing or still being filled. Queries a page of each,
 * which only a ready index returns, so it only needs readers' rights.
 */
export async function requireNativeIndexes(graph: CompiledModel, store: Pick<Store, 'queryNative'>): Promise<void> {
  for (const index of nativeIndexes(graph)) {
    await store.queryNative({ index, partition: anyPartition(index), limit: 1 });
  }
}

function anyPartition({ partition, attribute, type }: NativeIndex): AttributeValue {
  return partition === attribute && type === 'N' ? { N: '0' } : { S: '~' };
}
