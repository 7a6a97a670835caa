import { EdgeloomError, StoreError } from '../errors.ts';
import { AFTER } from '../items/derived-item.ts';
import type { Reader } from '../read/reader.ts';
import type { ItemKey, Store } from '../store/port.ts';
import { isContinuationKey } from '../stream/filter.ts';

/**
 * Whether what is derived from a base item is as the base item wants it now. A base item that cannot be derived, or whose
 * type the model does not have, has nothing that could be waited for: it counts as projected. So does the continuation of a
 * fan-out that is complete.
 */
export async function isProjected(
  reader: Pick<Reader, 'waitForProjection'>,
  store: Pick<Store, 'get'>,
  key: ItemKey,
): Promise<boolean> {
  if (isContinuationKey(key.target)) {
    const { item } = await store.get(key, { consistent: true });
    return item?.[AFTER] === undefined;
  }
  try {
    await reader.waitForProjection(key, { timeoutMs: 0 });
    return true;
  } catch (error) {
    if (!(error instanceof EdgeloomError) || error instanceof StoreError) throw error;
    return error.code !== 'projection-timeout';
  }
}
