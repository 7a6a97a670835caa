import type { Store } from '../../../../src/core/store-port.ts';
import { StoreError } from '../../../../src/foundation/errors.ts';
import type { Agenda } from '../../kernel/agenda.ts';
import type { Random } from '../../kernel/random.ts';
import type { TableChange } from '../../kernel/shown-stream.ts';
import { Table } from '../../kernel/table.ts';
import { storeOf } from '../../kernel/table-store.ts';
import { keysOf } from '../../kernel/values.ts';

/** Replicas may be this far behind, in milliseconds. */
const BEHIND_MS = 120_000;

/** The table of one schedule, and when each of its items was written last. All of its changes have a record. */
export class WrittenTable extends Table {
  readonly writtenMs = new Map<string, number>();
  writes = 0;

  constructor(clock: Agenda, dice: Random, onWrite: (change: TableChange) => void) {
    super(clock, dice, () => undefined, {
      ...{ indexLag: () => 0, readLag: () => (dice.chance(0.5) ? 0 : BEHIND_MS), mostReadLagMs: BEHIND_MS },
    });
    this.tellsUnchanged = true;
    this.listener = (change) => {
      this.writtenMs.set(keysOf(change.key), clock.now);
      this.writes += 1;
      onWrite(change);
    };
  }
}

/** The process has died in a call. */
export class Death extends Error {}

/** How calls of the observer go. */
export interface CallWeather {
  /** The longest call, in milliseconds. */
  longestMs: number;
  fails: number;
  dies: number;
}

/** Makes the observer's calls of the stream, and those of the table: each takes time, and may be the last. */
export function callsOf(clock: Agenda, dice: Random, weather: CallWeather) {
  return async <T>(effect: () => T | Promise<T>): Promise<T> => {
    clock.pass(dice.below(weather.longestMs));
    if (dice.chance(weather.dies)) throw new Death();
    const answer = await effect();
    clock.pass(dice.below(weather.longestMs));
    return answer;
  };
}

/** The table as the observer sees it: calls may fail, too, and a page is read at several moments. */
export function observersStore(table: WrittenTable, clock: Agenda, dice: Random, weather: CallWeather): Store {
  const call = callsOf(clock, dice, weather);
  return storeOf(table, {
    ...{ name: 'observer', random: dice, clock },
    call: (effect) =>
      call(() => {
        if (dice.chance(weather.fails)) throw new StoreError('retryable', 'simulated', 'A simulated failure.');
        return effect();
      }),
    pause: async () => clock.pass(dice.below(weather.longestMs)),
  });
}
