import type { Store } from '../../../core/store-port.ts';
import { ForwardingStore, type StoreCallName } from '../../../store/forwarding.ts';
import { LivingStore } from './living-store.ts';
import type { ReadContext } from './read-context.ts';

export interface Counted {
  calls: number;
}

export function countingCalls(context: ReadContext): { context: ReadContext; counted: Readonly<Counted> } {
  const { store } = context;
  const counted: Counted = { calls: 0 };
  const counting = (inner: Store): Store => new CountedStore(inner, counted);
  return {
    context: { ...context, store: store instanceof LivingStore ? store.over(counting) : counting(store) },
    counted,
  };
}

class CountedStore extends ForwardingStore {
  constructor(
    inner: Store,
    private readonly counted: Counted,
  ) {
    super(inner);
  }

  protected override pass<Name extends StoreCallName>(
    name: Name,
    ...args: Parameters<Store[Name]>
  ): ReturnType<Store[Name]> {
    const count = async (): Promise<object> => {
      const result: object = await super.pass(name, ...args);
      this.counted.calls += 'calls' in result ? (result.calls as number) : 1;
      return result;
    };
    return count() as ReturnType<Store[Name]>;
  }
}
