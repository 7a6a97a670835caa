import type { ScanSource, Store } from '../../../src/core/store-port.ts';
import { StoreError } from '../../../src/foundation/errors.ts';
import type { Dice } from './dice.ts';
import { type Actor, never, type Stage } from './stage.ts';
import type { Table } from './table.ts';
import { bytesOf } from './values.ts';

/** How often calls fail. */
export interface Faults {
  /** The call is refused, and nothing is done. */
  refused: number;
  /** The call is carried out, and the answer is lost. */
  lost: number;
}

/** What a store call needs besides the table. */
export interface Line {
  stage: Stage;
  table: Table;
  dice: Dice;
  faults: Faults;
}

/** The table as one process reaches it: each call waits, may fail on the way there or back, and answers no crashed process. */
export function storeOf({ stage, table, dice, faults }: Line, actor: Actor): Store & ScanSource {
  async function call<T>(carryOut: () => T): Promise<T> {
    await stage.gate(actor, true);
    if (!stage.calm && actor.alive && dice.chance(faults.refused))
      throw new StoreError('retryable', 'ThrottlingException', 'The table refuses the call for now.');
    const outcome = outcomeOf(carryOut);
    await stage.gate(actor, false);
    if (!actor.alive) return await never();
    if (!stage.calm && dice.chance(faults.lost))
      throw new StoreError('retryable', 'TimeoutError', 'The answer is lost.');
    return outcome();
  }

  return {
    get: (key, { consistent }) =>
      call(() => {
        const item = table.get(key, consistent);
        return { rcu: item === undefined ? 1 : Math.max(1, Math.ceil(bytesOf(item) / 4096)), ...(item && { item }) };
      }),
    getMany: (keys, { consistent }) =>
      call(() => ({ items: keys.map((key) => table.get(key, consistent)), rcu: keys.length, calls: 1 })),
    update: (update) => call(() => table.update(update)),
    transact: (updates) => call(() => table.transact(updates)),
    put: (item) => call(() => table.put(item)),
    delete: (key, unchanged) => call(() => table.delete(key, unchanged)),
    writeMany: (writes) =>
      call(() => {
        for (const write of writes) {
          if ('put' in write) table.put(write.put);
          else table.delete(write.delete);
        }
        return { wcu: writes.length, calls: 1 };
      }),
    change: (change) => call(() => table.change(change)),
    changeAll: (changes) => call(() => table.changeAll(changes)),
    query: (request) => call(() => table.query(request)),
    scan: (request) => call(() => table.scan(request)),
  };
}

function outcomeOf<T>(carryOut: () => T): () => T {
  try {
    const result = carryOut();
    return () => result;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}
