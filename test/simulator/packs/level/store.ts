import type { Item } from '../../../../src/core/items/attribute-value.ts';
import type {
  DerivedUpdate,
  ItemKey,
  QueryRequest,
  QueryResult,
  Store,
  UpdateManyOptions,
  UpdateOutcome,
  UpdateResult,
} from '../../../../src/core/store-port.ts';
import { StoreError } from '../../../../src/foundation/errors.ts';
import type { Choices } from '../../kernel/choices.ts';
import { textOf } from '../../kernel/values.ts';
import { type Climate, LATEST_LANDING_MS } from './climate.ts';
import { never, type Stage } from './stage.ts';
import { holds, type LevelTable } from './table.ts';

/** What the processes of a schedule have in common. */
export interface World {
  choices: Choices;
  climate: Climate;
  stage: Stage;
  table: LevelTable;
  /** Notes that something was done that nobody may do. */
  forbid(kind: string, what: string): void;
  trace(line: string): void;
}

/** A worker: it may die, and then no answer reaches it. */
export class Worker {
  isDead = false;
  /** Calls made, and writes among them. */
  calls = 0;
  writes = 0;
  /** Long sleeps that are left to it. */
  sleeps = 2;

  constructor(
    readonly name: string,
    /** The call with which it dies. */
    readonly lastCall: number,
  ) {}
}

/** How often a refused statement does not tell the item. */
const UNREAD = 0.2;

/** From here on a sleep is long. */
const LONG_MS = 1_000;

/** What becomes of a call. */
type Fault = 'none' | 'refused' | 'lost' | 'lost-before';

const FAULTS: readonly Fault[] = ['none', 'refused', 'lost', 'lost-before'];

/** The table as one worker reaches it: each call takes time there and back, may fail on either way, and answers no dead worker. */
export class WorkerStore implements Store {
  constructor(
    private readonly world: World,
    private readonly worker: Worker,
  ) {}

  async get(key: ItemKey, { consistent }: { consistent: boolean }) {
    return await this.call(`get ${key.source} ${key.target}`, async (name) => {
      const item = this.read(name, key, consistent);
      return { ...(item && { item }), rcu: 1 };
    });
  }

  async getMany(keys: readonly ItemKey[], { consistent }: { consistent: boolean }) {
    return await this.call(`getMany ${keys.map(({ target }) => target).join()}`, async (name) => {
      const items: (Item | undefined)[] = [];
      // Each item has a moment of its own.
      const pauseAt = await this.pauseWithin(name, keys.length);
      for (const [place, key] of keys.entries()) {
        if (place === pauseAt) await this.sleep(`${name}.p`);
        items.push(this.read(`${name}.${place}`, key, consistent));
      }
      return { items, rcu: keys.length, calls: 1 };
    });
  }

  async query(request: QueryRequest): Promise<QueryResult> {
    const { index, partition, sortKey = {}, consistent = false, limit = 1_000, startKey, reverse } = request;
    if (index !== undefined || reverse) throw new Error('A worker has no business in an index.');
    return await this.call(`query ${partition} ${JSON.stringify(sortKey)}`, async (name) => {
      const after = textOf(startKey?.['target']);
      const lagMs = consistent ? 0 : this.world.climate.lagMs;
      const asked = this.world.table
        .keysOf(partition, lagMs)
        .filter(({ target }) => isWithin(target, sortKey) && target > after);
      const pauseAt = await this.pauseWithin(name, asked.length);
      const items: Item[] = [];
      for (const [place, key] of asked.entries()) {
        if (place === pauseAt) await this.sleep(`${name}.p`);
        const item = this.read(`${name}.${place}`, key, consistent);
        if (item !== undefined) items.push(item);
        if (items.length < limit) continue;
        return { ...page(items), lastKey: { source: { S: partition }, target: { S: key.target } } };
      }
      return page(items);
    });
  }

  async update(update: DerivedUpdate): Promise<UpdateResult> {
    this.look(update.key);
    return await this.call(`update ${shortOf(update)}`, async () => this.updateNow(update));
  }

  /** Each item is a call of its own: they go out next to each other, and no sooner than a worker that sleeps between two of them. */
  async updateMany(updates: readonly DerivedUpdate[], options: UpdateManyOptions = {}): Promise<UpdateOutcome[]> {
    const { remainingMs = () => Number.POSITIVE_INFINITY } = options;
    const many = `${this.worker.name}.m${this.worker.calls}`;
    const one = async (update: DerivedUpdate, place: number): Promise<UpdateOutcome> => {
      await this.sleep(`${many}.${place}.before`, this.world.climate.longMs);
      if (this.worker.isDead) return await never();
      if (remainingMs() <= 0)
        return { applied: false, error: new StoreError('retryable', 'no-time', 'No time is left for the call.') };
      try {
        const outcome = await this.update(update);
        const isUnread = !outcome.applied && this.world.choices.chance(`${many}.${place}.unread`, UNREAD);
        return isUnread ? { applied: false, wcu: outcome.wcu, isUnread } : outcome;
      } catch (error) {
        if (error instanceof StoreError) return { applied: false, error };
        throw error;
      }
    };
    return await Promise.all(updates.map(one));
  }

  async transact(updates: readonly DerivedUpdate[]) {
    for (const { key } of updates) this.look(key);
    return await this.call(`transact ${updates.map(shortOf).join('; ')}`, async () => {
      const { table } = this.world;
      const applied = updates.every(({ key, condition }) => holds(condition, table.at(key)));
      if (!applied) return { applied, wcu: 1 };
      for (const update of updates) if (table.isTooLarge(update)) refuseSize();
      for (const update of updates) table.update(update);
      return { applied, wcu: 2 };
    });
  }

  async put(item: Item) {
    const key = { source: textOf(item['source']), target: textOf(item['target']) };
    this.look(key);
    return await this.call(`put ${key.source} ${key.target}`, async () => {
      this.world.table.put(key, item);
      return { wcu: 1 };
    });
  }

  async delete(key: ItemKey, unchanged?: DerivedUpdate['condition']) {
    this.look(key);
    return await this.call(`delete ${key.source} ${key.target}`, async () => {
      const { table } = this.world;
      const applied = unchanged === undefined || holds(unchanged, table.at(key));
      if (applied) table.put(key, undefined);
      return { applied, wcu: 1 };
    });
  }

  async writeMany(): Promise<never> {
    throw new Error('A projector writes nothing without a condition.');
  }

  async change(): Promise<never> {
    throw new Error('A projector changes no base item.');
  }

  async changeAll(): Promise<never> {
    throw new Error('A projector changes no base item.');
  }

  async queryNative(): Promise<never> {
    throw new Error('No list of these schedules is native.');
  }

  private updateNow(update: DerivedUpdate): UpdateResult {
    const { table } = this.world;
    const current = table.at(update.key);
    if (!holds(update.condition, current)) return { applied: false, wcu: 1, ...(current && { current }) };
    if (table.isTooLarge(update)) refuseSize();
    table.update(update);
    return { applied: true, wcu: 1 };
  }

  private look({ source, target }: ItemKey): void {
    if (!target.startsWith('~')) this.world.forbid('base-item-written', `${source} ${target}`);
    this.worker.writes += 1;
  }

  /** One call: it goes there, is carried out there, and its answer comes back. */
  private async call<T>(what: string, carryOut: (name: string) => Promise<T>): Promise<T> {
    const { worker, world } = this;
    if (worker.isDead) return await never();
    worker.calls += 1;
    const name = `${worker.name}.${worker.calls}`;
    const isLast = worker.calls === worker.lastCall;
    const fault =
      FAULTS[
        world.choices.drawn(`${name}.f`, (random) => (random.chance(world.climate.faults) ? random.between(1, 3) : 0))
      ]!;
    await this.sleep(`${name}.go`, [LATEST_LANDING_MS / 4, LATEST_LANDING_MS]);
    if (fault === 'refused') throw refusal();
    let outcome: T | undefined;
    if (fault !== 'lost-before') outcome = await carryOut(name);
    world.trace(`${name} ${what}${fault === 'none' ? '' : ` (${fault})`}: ${JSON.stringify(outcome)}`);
    if (isLast) worker.isDead = true;
    if (worker.isDead) return await never();
    await this.sleep(`${name}.back`, this.world.climate.longMs);
    if (worker.isDead) return await never();
    if (fault !== 'none') throw new StoreError('retryable', 'TimeoutError', 'The answer is lost.');
    return outcome!;
  }

  /** Waits: mostly not at all, now and then a little, and rarely as long as `longMs` allows: a request on its way, a frozen function. */
  private async sleep(name: string, longMs?: readonly [number, ...number[]]): Promise<void> {
    const { choices, climate, stage } = this.world;
    const ms = choices.drawn(name, (random) => {
      if (longMs !== undefined && this.worker.sleeps > 0 && random.chance(climate.long)) return random.oneOf(longMs);
      return random.chance(climate.wait) ? random.between(1, climate.spanMs) : 0;
    });
    if (ms >= LONG_MS) this.worker.sleeps -= 1;
    await stage.sleep(ms);
  }

  /** The place in a page before which time passes; beyond its end if none. */
  private async pauseWithin(name: string, length: number): Promise<number> {
    if (length < 2) return -1;
    const { choices, climate } = this.world;
    const place = choices.drawn(`${name}.at`, (random) =>
      random.chance(climate.wait / 2) ? random.between(1, length - 1) : 0,
    );
    return place === 0 ? -1 : place;
  }

  /** An item as a read finds it: as it is, or, where that is allowed, as it was. */
  private read(name: string, key: ItemKey, consistent: boolean): Item | undefined {
    const { choices, climate, table } = this.world;
    const present = table.at(key);
    if (consistent || climate.lagMs === 0) return present;
    const earlier = table.before(key, climate.lagMs);
    if (earlier.length === 0) return present;
    const back = choices.drawn(`${name}.lag`, (random) =>
      random.chance(climate.lags) ? random.between(1, earlier.length) : 0,
    );
    return back === 0 ? present : earlier[Math.min(back, earlier.length) - 1];
  }
}

function isWithin(target: string, range: NonNullable<QueryRequest['sortKey']>): boolean {
  if ('beginsWith' in range) return target.startsWith(range.beginsWith);
  return target >= (range.from ?? '') && target <= (range.to ?? '\u{10ffff}');
}

function page(items: Item[]): QueryResult {
  return { items, count: items.length, scanned: items.length, rcu: 1 };
}

function refusal(): StoreError {
  return new StoreError('retryable', 'ThrottlingException', 'The table refuses the call for now.');
}

function refuseSize(): never {
  throw new StoreError('terminal', 'ValidationException', 'Item size to update has exceeded the maximum allowed size');
}

function shortOf({ key, set, condition }: DerivedUpdate): string {
  return `${key.source} ${key.target} ${JSON.stringify(set)} if ${JSON.stringify(condition)}`;
}
