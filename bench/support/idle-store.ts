import type { Store } from '../../src/core/store-port.ts';

/** A store in which every update applies and nothing is found. */
export function idleStore(): Store {
  const refuse = async (): Promise<never> => {
    throw new Error('the projector makes no such call here');
  };
  return {
    get: async () => ({ rcu: 1 }),
    getMany: async (keys) => ({ items: keys.map(() => undefined), rcu: 1, calls: 1 }),
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
