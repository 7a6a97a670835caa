import type { DerivedUpdate, ItemKey, UpdateResult } from '../../../../src/core/store-port.ts';
import { MemoryStore } from '../../../support/memory-store/memory-store.ts';
import { type Standstill, standstill } from '../../kernel/gate.ts';

/** A call about a derived item. */
export type DerivedCall = 'read' | 'write';

/** A table with a worker that stands still before it reads, or writes, a derived item. */
export class StandingStore extends MemoryStore {
  private gate: { call: DerivedCall; prefix: string; pass: Standstill['pass'] } | undefined;

  /** The next such call for a key with this prefix waits until `letGo`; `arrived` says when there is one that waits. */
  stand(call: DerivedCall, prefix = '~ix/'): Omit<Standstill, 'pass'> {
    const { pass, ...rest } = standstill();
    this.gate = { call, prefix, pass };
    return rest;
  }

  override async update(update: DerivedUpdate): Promise<UpdateResult> {
    await this.pass('write', [update.key]);
    return await super.update(update);
  }

  override async delete(...parameters: Parameters<MemoryStore['delete']>): ReturnType<MemoryStore['delete']> {
    await this.pass('write', [parameters[0]]);
    return await super.delete(...parameters);
  }

  override async getMany(...parameters: Parameters<MemoryStore['getMany']>): ReturnType<MemoryStore['getMany']> {
    const [keys] = parameters;
    await this.pass('read', keys);
    return await super.getMany(...parameters);
  }

  protected async pass(call: DerivedCall, keys: readonly ItemKey[]): Promise<void> {
    const { gate } = this;
    if (gate?.call !== call || !keys.some(({ target }) => target.startsWith(gate.prefix))) return;
    this.gate = undefined;
    await gate.pass();
  }
}
