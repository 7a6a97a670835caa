import type { Store } from '../core/store-port.ts';
import { ForwardingStore } from './forwarding.ts';

/** The store with some of its calls replaced. */
export function withReplacedCalls(store: Store, replaced: Partial<Store>): Store {
  return Object.assign(new ForwardingStore(store), replaced);
}
