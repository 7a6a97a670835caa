import type { DerivedUpdate, Store, UpdateManyOptions } from '../../src/core/store-port.ts';
import { updateEach } from '../../src/store/update-run.ts';

/** The operations of DynamoDB that write derived items one by one, or many in a call. */
export const DERIVED_WRITES: ReadonlySet<string> = new Set(['UpdateItem', 'BatchExecuteStatement']);

/** Makes a call of a store, or does something else in its place. */
export type OnCall = (method: string, parameters: readonly unknown[], run: () => Promise<unknown>) => Promise<unknown>;

/**
 * A store whose calls go through a function. The updates of one call go through it one by one, as `update`: a schedule tells an update by
 * its own key, whatever call it comes in.
 */
export function throughCalls<S extends Store>(store: S, onCall: OnCall): S {
  return new Proxy(store, {
    get(target, name) {
      const member = Reflect.get(target, name) as unknown;
      if (typeof member !== 'function') return member;
      if (name !== 'updateMany') return calling(target, name, onCall);
      const update = calling(target, 'update', onCall) as Store['update'];
      return (updates: readonly DerivedUpdate[], options?: UpdateManyOptions) => updateEach(updates, update, options);
    },
  });
}

function calling(target: Store, name: string | symbol, onCall: OnCall) {
  const method = Reflect.get(target, name) as (...parameters: unknown[]) => Promise<unknown>;
  return (...parameters: unknown[]) =>
    onCall(String(name), parameters, () => Reflect.apply(method, target, parameters));
}
