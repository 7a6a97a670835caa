import { AFTER } from '../../core/items/derived-item.ts';
import { classifyKey } from '../../core/model/base-item.ts';
import type { CompiledModel } from '../../core/model/compiled.ts';
import { isContinuationKey } from '../../core/plan/stream-filter.ts';
import type { ItemKey, Store } from '../../core/store-port.ts';
import { checkStoreOptions } from '../../foundation/options.ts';
import { registryLeases } from '../../registry/reader-lease.ts';
import { compareInForce, isProjectedKind } from './look.ts';

/**
 * Makes a function that tells whether what is derived from a base item is as the base item wants it now, by one consistent look. A base
 * item that cannot be derived, or whose type the model does not have, has nothing that could be waited for: it counts as projected. So
 * does the continuation of a fan-out that is complete.
 *
 * @example
 * const position = await streamPosition(graph, { store, source, isProjected: isProjectedIn(graph, { store }) });
 */
export function isProjectedIn(graph: CompiledModel, options: { store: Store }): (key: ItemKey) => Promise<boolean> {
  checkStoreOptions('isProjectedIn', options, { store: true });
  const { store } = options;
  const leases = registryLeases(graph, store);
  return async (key) => {
    if (isContinuationKey(key.target)) {
      const { item } = await store.get(key, { consistent: true });
      return item?.[AFTER] === undefined;
    }
    const kind = classifyKey(graph, key.source, key.target);
    if (!isProjectedKind(kind)) return true;
    const { problems, differing } = await leases.hold((projections) =>
      compareInForce({ store, projections }, key, kind, true),
    );
    return problems.length > 0 || differing.length === 0;
  };
}
