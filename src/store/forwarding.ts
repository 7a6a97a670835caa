import type { Store, WayOfWriting } from '../core/store-port.ts';
import { updateEach } from './update-run.ts';

/** The calls that every store has. */
export type StoreCallName = Exclude<keyof Store, 'region' | 'serverTime' | 'writesBy' | 'describe' | 'changeTable'>;

/**
 * Forwards all calls. A subclass overrides `pass` to wrap the calls of `StoreCallName`, or single methods to replace
 * them.
 */
export class ForwardingStore<Inner extends Store = Store> implements Store {
  constructor(protected readonly inner: Inner) {}

  protected pass<Name extends StoreCallName>(name: Name, ...args: Parameters<Store[Name]>): ReturnType<Store[Name]> {
    const call = this.inner[name] as (...args: Parameters<Store[Name]>) => ReturnType<Store[Name]>;
    return call.apply(this.inner, args);
  }

  get(...args: Parameters<Store['get']>): ReturnType<Store['get']> {
    return this.pass('get', ...args);
  }
  getMany(...args: Parameters<Store['getMany']>): ReturnType<Store['getMany']> {
    return this.pass('getMany', ...args);
  }
  update(...args: Parameters<Store['update']>): ReturnType<Store['update']> {
    return this.pass('update', ...args);
  }
  updateMany(...args: Parameters<Store['updateMany']>): ReturnType<Store['updateMany']> {
    const [updates, options] = args;
    // A subclass that overrides `update` must also see the updates of `updateMany`.
    const isReplaced = this.update !== ForwardingStore.prototype.update;
    return isReplaced
      ? updateEach(updates, (update) => this.update(update), options)
      : this.pass('updateMany', ...args);
  }
  transact(...args: Parameters<Store['transact']>): ReturnType<Store['transact']> {
    return this.pass('transact', ...args);
  }
  put(...args: Parameters<Store['put']>): ReturnType<Store['put']> {
    return this.pass('put', ...args);
  }
  delete(...args: Parameters<Store['delete']>): ReturnType<Store['delete']> {
    return this.pass('delete', ...args);
  }
  writeMany(...args: Parameters<Store['writeMany']>): ReturnType<Store['writeMany']> {
    return this.pass('writeMany', ...args);
  }
  change(...args: Parameters<Store['change']>): ReturnType<Store['change']> {
    return this.pass('change', ...args);
  }
  changeAll(...args: Parameters<Store['changeAll']>): ReturnType<Store['changeAll']> {
    return this.pass('changeAll', ...args);
  }
  query(...args: Parameters<Store['query']>): ReturnType<Store['query']> {
    return this.pass('query', ...args);
  }
  queryNative(...args: Parameters<Store['queryNative']>): ReturnType<Store['queryNative']> {
    return this.pass('queryNative', ...args);
  }
  async region(): Promise<string | undefined> {
    return await this.inner.region?.();
  }
  async writesBy(): Promise<WayOfWriting | undefined> {
    return await this.inner.writesBy?.();
  }
  async serverTime(): Promise<number | undefined> {
    return await this.inner.serverTime?.();
  }
  get describe(): Store['describe'] {
    return this.inner.describe?.bind(this.inner);
  }
  get changeTable(): Store['changeTable'] {
    return this.inner.changeTable?.bind(this.inner);
  }
}
