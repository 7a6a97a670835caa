import type { Item } from '../../src/core/items/attribute-value.ts';
import type { ItemKey, Store } from '../../src/core/store-port.ts';
import { ForwardingStore, type StoreCallName } from '../../src/store/forwarding.ts';
import { updateEach } from '../../src/store/update-run.ts';

/** One call of a store, before it is made. */
export interface StoreCall {
  method: keyof Store;
  /** Keys concerned, as `source target`. */
  keys: string[];
}

/** Passes every call on and notes it; `before` may wait, change the table, or throw in place of the call. */
export class HookedStore extends ForwardingStore {
  readonly calls: StoreCall[] = [];

  constructor(
    inner: Store,
    private readonly before: (call: StoreCall, number: number) => Promise<void> | void = () => undefined,
  ) {
    super(inner);
  }

  /** The calls so far, as `method source target`. */
  get log(): string[] {
    return this.calls.map(({ method, keys }) => [method, ...keys].join(' '));
  }

  /** Each update is noted for itself, as one of `update`: nothing is promised of their order or of the calls that they come in. */
  override updateMany(...[updates, options]: Parameters<Store['updateMany']>): ReturnType<Store['updateMany']> {
    return updateEach(updates, (update) => this.update(update), options);
  }

  protected override pass<Name extends StoreCallName>(
    name: Name,
    ...args: Parameters<Store[Name]>
  ): ReturnType<Store[Name]> {
    const passed = async (): Promise<unknown> => {
      await this.note(name, keysOf(name, args[0]));
      return await super.pass(name, ...args);
    };
    return passed() as ReturnType<Store[Name]>;
  }

  private async note(method: keyof Store, keys: readonly ItemKey[]): Promise<void> {
    const call = { method, keys: keys.map(({ source, target }) => `${source} ${target}`) };
    this.calls.push(call);
    await this.before(call, this.calls.length);
  }
}

/** The keys that a call is about, by its first parameter. */
function keysOf(name: StoreCallName, given: Parameters<Store[StoreCallName]>[0]): readonly ItemKey[] {
  if (name === 'put') return [keyOf(given as Item)];
  return [given].flat().map((one): ItemKey => {
    if ('partition' in one) return { source: one.partition as string, target: '' };
    if ('key' in one) return one.key as ItemKey;
    if ('put' in one) return keyOf(one.put as Item);
    return ('delete' in one ? one.delete : one) as ItemKey;
  });
}

function keyOf(item: Item): ItemKey {
  const text = (name: string): string => (item[name] as { S: string }).S;
  return { source: text('source'), target: text('target') };
}
