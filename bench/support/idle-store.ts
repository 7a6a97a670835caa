import type { ItemKey, Store } from '../../src/core/store-port.ts';
import type { Item } from './images.ts';
import { byKey } from './table.ts';

/** Updates succeed without changing anything, and reads find the given items, both in no time. */
export function idleStore(items: Iterable<Item> = []): Store {
  const stored = byKey(items);
  const find = ({ source, target }: ItemKey): Item | undefined => stored.get(`${source} ${target}`);
  const refuse = async (): Promise<never> => {
    throw new Error('the projector makes no such call here');
  };
  return {
    get: async (key) => ({ item: find(key), rcu: 1 }),
    getMany: async (keys) => ({ items: keys.map(find), rcu: 1, calls: 1 }),
    update: async () => ({ applied: true, wcu: 1 }),
    updateMany: async (updates) => updates.map(() => ({ applied: true, wcu: 1 })),
    transact: refuse,
    put: refuse,
    delete: refuse,
    writeMany: refuse,
    query: refuse,
    queryNative: refuse,
    change: refuse,
    changeAll: refuse,
  };
}
