import type { Store } from '../core/store-port.ts';

/** The store with some of its calls replaced. */
export function withReplacedCalls(store: Store, replaced: Partial<Store>): Store {
  return {
    get: (...args) => store.get(...args),
    getMany: (...args) => store.getMany(...args),
    update: (...args) => store.update(...args),
    transact: (...args) => store.transact(...args),
    put: (...args) => store.put(...args),
    delete: (...args) => store.delete(...args),
    writeMany: (...args) => store.writeMany(...args),
    change: (...args) => store.change(...args),
    changeAll: (...args) => store.changeAll(...args),
    query: (...args) => store.query(...args),
    region: async () => store.region?.(),
    keyTypes: async () => store.keyTypes?.(),
    ...replaced,
  };
}
