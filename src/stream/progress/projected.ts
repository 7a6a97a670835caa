import { AFTER } from '../../core/items/derived-item.ts';
import { classifyKey } from '../../core/model/base-item.ts';
import type { CompiledModel } from '../../core/model/compiled.ts';
import { isContinuationKey } from '../../core/plan/stream-filter.ts';
import type { ItemKey, Store } from '../../core/store-port.ts';
import { checkStoreOptions } from '../../foundation/options.ts';
import { registryLeases } from '../../registry/reader-lease.ts';
import { compareInForce, isProjectedKind } from './agreement.ts';

/**
 * Makes a function that tells, by consistent reads, whether everything derived from a base item is as expected. A base
 * item that can't be derived, or whose type isn't in the model, counts as projected.
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
      compareInForce({ store, projections }, key, kind),
    );
    return problems.length > 0 || differing.length === 0;
  };
}
