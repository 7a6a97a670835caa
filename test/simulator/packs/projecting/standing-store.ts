import type { DerivedUpdate, ItemKey, UpdateResult } from '../../../../src/core/store-port.ts';
import { MemoryStore } from '../../../support/memory-store/memory-store.ts';

/** A call about a derived item. */
export type DerivedCall = 'read' | 'write';

/** A table with a worker that stands still before it reads, or writes, a derived item. */
export class StandingStore extends MemoryStore {
  private gate: { call: DerivedCall; prefix: string; onArrival: () => void; until: Promise<void> } | undefined;

  /** The next such call for a key with this prefix waits until `letGo`; `arrived` says when there is one that waits. */
  stand(call: DerivedCall, prefix = '~ix/'): { arrived: Promise<void>; letGo: () => void } {
    let letGo = (): void => undefined;
    const until = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    const arrived = new Promise<void>((onArrival) => {
      this.gate = { call, prefix, onArrival, until };
    });
    return { arrived, letGo };
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
    gate.onArrival();
    await gate.until;
  }
}
