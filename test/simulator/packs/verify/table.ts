import type { Item } from '../../../../src/core/items/attribute-value.ts';
import type { ItemKey, QueryRequest, Store } from '../../../../src/core/store-port.ts';
import { StoreError } from '../../../../src/foundation/errors.ts';
import type { Agenda } from '../../kernel/agenda.ts';
import type { Random } from '../../kernel/random.ts';
import { keysOf, textOf } from '../../kernel/values.ts';

/** A change of one item. */
export interface Written {
  key: ItemKey;
  before: Item | undefined;
  after: Item | undefined;
}

/** Replicas may be this far behind, in milliseconds. */
const BEHIND_MS = 120_000;

/** The items of one schedule, and when each was written last. */
export class PlainTable {
  private readonly items = new Map<string, Map<string, Item>>();
  private readonly past = new Map<string, { item: Item | undefined; atMs: number }>();
  readonly writtenMs = new Map<string, number>();
  writes = 0;

  constructor(
    private readonly clock: Agenda,
    private readonly onWrite: (written: Written) => void,
  ) {}

  get({ source, target }: ItemKey): Item | undefined {
    return this.items.get(source)?.get(target);
  }

  partition(source: string): Item[] {
    const items = [...(this.items.get(source) ?? [])].sort(([left], [right]) => (left < right ? -1 : 1));
    return items.map(([, item]) => item);
  }

  sources(): string[] {
    return [...this.items.keys()];
  }

  put(item: Item): void {
    const key = keyOf(item);
    const partition = this.items.get(key.source) ?? new Map<string, Item>();
    const before = partition.get(key.target);
    this.items.set(key.source, partition.set(key.target, item));
    this.noteWrite({ key, before, after: item });
  }

  delete(key: ItemKey): void {
    const before = this.get(key);
    if (before === undefined) return;
    this.items.get(key.source)!.delete(key.target);
    this.noteWrite({ key, before, after: undefined });
  }

  /** The item as a replica shows it that is behind. */
  getOld(key: ItemKey): Item | undefined {
    const past = this.past.get(keysOf(key));
    return past !== undefined && past.atMs > this.clock.now - BEHIND_MS ? past.item : this.get(key);
  }

  private noteWrite(written: Written): void {
    const name = keysOf(written.key);
    this.past.set(name, { item: written.before, atMs: this.clock.now });
    this.writtenMs.set(name, this.clock.now);
    this.writes += 1;
    this.onWrite(written);
  }
}

export function keyOf(item: Item): ItemKey {
  return { source: textOf(item['source']), target: textOf(item['target']) };
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

/** The table as the observer sees it: calls take time, fail or are the last, and pages are read at two moments. */
export function observersStore(
  table: PlainTable,
  clock: Agenda,
  dice: Random,
  weather: CallWeather,
): Pick<Store, 'get' | 'getMany' | 'query'> {
  const call = (): void => {
    clock.pass(dice.below(weather.longestMs));
    if (dice.chance(weather.dies)) throw new Death();
    if (dice.chance(weather.fails)) throw new StoreError('retryable', 'simulated', 'A simulated failure.');
  };
  const pause = (): void => clock.pass(dice.chance(0.2) ? dice.below(weather.longestMs) : 0);
  const read = (key: ItemKey, isConsistent: boolean): Item | undefined =>
    isConsistent || dice.chance(0.5) ? table.get(key) : table.getOld(key);
  return {
    get: async (key, { consistent }) => {
      call();
      const item = read(key, consistent);
      clock.pass(dice.below(weather.longestMs));
      return { item, rcu: 1 };
    },
    getMany: async (keys, { consistent }) => {
      call();
      const items = keys.map((key) => {
        pause();
        return read(key, consistent);
      });
      clock.pass(dice.below(weather.longestMs));
      return { items, rcu: 1, calls: 1 };
    },
    query: async ({ partition, sortKey, consistent }: QueryRequest) => {
      call();
      const isHere = (item: Item): boolean => isWithin(keyOf(item).target, sortKey);
      const shown = (listed: readonly Item[]): Item[] =>
        listed.map((item) => read(keyOf(item), consistent === true)).filter((item) => item !== undefined);
      const seen = table.partition(partition).filter(isHere);
      const half = dice.between(0, seen.length);
      const last = half === 0 ? '' : keyOf(seen[half - 1]!).target;
      const first = shown(seen.slice(0, half));
      clock.pass(dice.below(weather.longestMs));
      const rest = shown(table.partition(partition).filter((item) => isHere(item) && keyOf(item).target > last));
      clock.pass(dice.below(weather.longestMs));
      const items = [...first, ...rest];
      return { items, count: items.length, scanned: items.length, rcu: 1 };
    },
  };
}

function isWithin(target: string, sortKey: QueryRequest['sortKey']): boolean {
  if (sortKey === undefined) return true;
  if ('beginsWith' in sortKey) return target.startsWith(sortKey.beginsWith);
  const { from = '', to } = sortKey;
  return target >= from && (to === undefined || target <= to);
}
