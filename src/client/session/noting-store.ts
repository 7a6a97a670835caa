import type { TableNames } from '../../core/model/compiled.ts';
import type { BatchWrite, ItemKey, Store } from '../../core/store-port.ts';
import { keyOfItem } from '../../store/table-walk.ts';
import { withReplacedCalls } from '../../store/wrapped.ts';
import type { Session } from './session.ts';

export function notingStore(store: Store, table: TableNames, session: Session): Store {
  const writeNoted = async <T>(keys: readonly ItemKey[], write: () => Promise<T>): Promise<T> => {
    const written = session.note(keys);
    try {
      return await write();
    } finally {
      written();
    }
  };
  const writeKey = (write: BatchWrite): ItemKey => ('put' in write ? keyOfItem(table, write.put) : write.delete);
  return withReplacedCalls(store, {
    put: (item) => writeNoted([keyOfItem(table, item)], () => store.put(item)),
    delete: (key, unchanged) => writeNoted([key], () => store.delete(key, unchanged)),
    change: (change) => writeNoted([change.key], () => store.change(change)),
    changeAll: (changes, token) =>
      writeNoted(
        changes.filter(({ kind }) => kind !== 'look').map(({ key }) => key),
        () => store.changeAll(changes, token),
      ),
    writeMany: (writes, waits) => writeNoted(writes.map(writeKey), () => store.writeMany(writes, waits)),
  });
}
