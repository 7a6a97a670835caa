import type { Item } from '../../../src/core/items/attribute-value.ts';
import type { Store } from '../../../src/core/store-port.ts';
import { StoreError } from '../../../src/foundation/errors.ts';
import type { Agenda } from '../kernel/agenda.ts';
import type { Random } from '../kernel/random.ts';
import { Table } from '../kernel/table.ts';
import { storeOf } from '../kernel/table-store.ts';

/** Replicas may be this far behind, in milliseconds. */
const BEHIND_MS = 120_000;

/** The items of one schedule, and when each was written last. */
export class PlainTable extends Table {
  /** By `source target`. */
  readonly writtenMs = new Map<string, number>();
  writes = 0;

  constructor(clock: Agenda, random: Random) {
    super(clock, random, () => undefined, { readLag: () => random.below(BEHIND_MS) });
  }

  /** The items of a partition, by sort key. */
  itemsOf(source: string): Item[] {
    const items = this.partition(source).map(({ versions }) => versions.at(-1)!.item);
    return items.filter((item) => item !== undefined);
  }
}

/** A key as `source target`. */
export function nameOf({ source, target }: { source: string; target: string }): string {
  return `${source} ${target}`;
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

/** A call of the observer: it takes time, fails, or is the last. */
export function callOf(
  clock: Agenda,
  dice: Random,
  weather: CallWeather,
): <T>(effect: () => T | Promise<T>) => Promise<T> {
  return async (effect) => {
    clock.pass(dice.below(weather.longestMs));
    if (dice.chance(weather.dies)) throw new Death();
    if (dice.chance(weather.fails)) throw new StoreError('retryable', 'simulated', 'A simulated failure.');
    const answer = await effect();
    clock.pass(dice.below(weather.longestMs));
    return answer;
  };
}

/** The table as the observer sees it: pages, and batches, are read at several moments. */
export function observersStore(table: PlainTable, clock: Agenda, dice: Random, weather: CallWeather): Store {
  const pause = async (): Promise<void> => clock.pass(dice.chance(0.2) ? dice.below(weather.longestMs) : 0);
  const call = callOf(clock, dice, weather);
  return storeOf(table, { ...{ name: '', random: dice, clock, call, pause }, torn: 0.5, tearsBatches: true });
}
