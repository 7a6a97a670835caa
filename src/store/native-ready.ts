import type { AttributeValue } from '../core/items/attribute-value.ts';
import type { CompiledModel } from '../core/model/compiled.ts';
import { type NativeIndex, nativeIndexes } from '../core/model/native.ts';
import type { Store } from '../core/store-port.ts';

/**
 * Throws `no-index` where the table lacks the index of a native order or search, or where DynamoDB still fills it. It asks each index
 * for a page, which only one that is ready gives: so it needs no right but those of readers.
 */
export async function requireNativeIndexes(graph: CompiledModel, store: Pick<Store, 'queryNative'>): Promise<void> {
  for (const index of nativeIndexes(graph)) {
    await store.queryNative({ index, partition: anyPartition(index), limit: 1 });
  }
}

function anyPartition({ partition, attribute, type }: NativeIndex): AttributeValue {
  return partition === attribute && type === 'N' ? { N: '0' } : { S: '~' };
}
