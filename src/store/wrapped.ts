import type { Store } from './port.ts';

/** The store with some of its calls replaced. */
export function replacedCalls(store: Store, replaced: Partial<Store>): Store {
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
    ...replaced,
  };
}

/**
 * The store with calls that are made only until a signal is aborted; then they throw its reason. A call that was sent is
 * waited for, so that its outcome is known.
 */
export function abortable<S extends object>(store: S, signal: AbortSignal | undefined): S {
  if (signal === undefined) return store;
  return new Proxy(store, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      return async (...args: unknown[]): Promise<unknown> => {
        signal.throwIfAborted();
        return await member.apply(target, args);
      };
    },
  });
}
