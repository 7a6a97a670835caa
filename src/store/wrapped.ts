import type { Store } from '../core/store-port.ts';
import { ForwardingStore } from './forwarding.ts';

export function withReplacedCalls(store: Store, replaced: Partial<Store>): Store {
  return Object.assign(new ForwardingStore(store), replaced);
}
