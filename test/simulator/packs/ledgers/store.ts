import type { ScanSource, Store } from '../../../../src/core/store-port.ts';
import { StoreError } from '../../../../src/foundation/errors.ts';
import type { Random } from '../../kernel/random.ts';
import type { Table } from '../../kernel/table.ts';
import { storeOf as plainStoreOf } from '../../kernel/table-store.ts';
import { type Actor, never, type Stage } from './stage.ts';

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
  dice: Random;
  faults: Faults;
}

/** The table as one process reaches it: each call waits, may fail on the way there or back, and answers no crashed process. */
export function storeOf({ stage, table, dice, faults }: Line, actor: Actor): Store & ScanSource {
  async function call<T>(carryOut: () => T | Promise<T>): Promise<T> {
    await stage.gate(actor, true);
    if (!stage.calm && actor.alive && dice.chance(faults.refused))
      throw new StoreError('retryable', 'ThrottlingException', 'The table refuses the call for now.');
    const outcome = (async () => await carryOut())();
    outcome.catch(() => undefined);
    await stage.gate(actor, false);
    if (!actor.alive) return await never();
    if (!stage.calm && dice.chance(faults.lost))
      throw new StoreError('retryable', 'TimeoutError', 'The answer is lost.');
    return await outcome;
  }
  const pause = (): Promise<void> => stage.gate(actor, false);
  return plainStoreOf(table, { name: actor.name, random: dice, clock: table.clock, call, pause });
}
