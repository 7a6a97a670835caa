import { StoreError } from '../../src/errors.ts';
import type { Item } from '../../src/items/attribute-value.ts';
import type {
  BaseChange,
  BatchWrite,
  ChangeAllResult,
  ChangeResult,
  DeleteResult,
  DerivedUpdate,
  GetManyResult,
  GetResult,
  ItemKey,
  QueryRequest,
  QueryResult,
  ReadOptions,
  RevisionCondition,
  ScanPage,
  ScanRequest,
  ScanSource,
  Store,
  TransactResult,
  UpdateResult,
  WriteManyResult,
  WriteResult,
} from '../../src/store/port.ts';
import type { MemoryStore } from '../support/memory-store/memory-store.ts';
import { callDuration, echoDelay } from './climate.ts';
import type { SimulatedProcess } from './process.ts';
import { LONGEST_TIMEOUT, SECOND } from './time.ts';
import { plain } from './world.ts';

/** How a call can fail; the first is not to. */
const FAULTS = [
  'none',
  /** Refused, nothing done: throttling, 5xx. */
  'refused',
  /** Done, but the caller is told of an error. */
  'answer lost',
  /** The caller is told of an error, and it is done later all the same: a zombie write. */
  'done later',
  /** The process dies before the call is made. */
  'crash before',
  /** The process dies after the call, before it learns of its answer. */
  'crash after',
] as const;

/** How long a read that is not consistent may lag behind. */
const STALENESS = 2 * SECOND;

/** Small, so that partitions are spread over pages. */
const SCAN_PAGE = 7;

/** What a call is: a text for the trace, and what it does to the table. */
interface Call<T> {
  isWrite: boolean;
  text: string;
  run: (table: MemoryStore) => Promise<T>;
}

/**
 * The table as one process sees it. Every call becomes a happening: it takes effect after a time, its answer comes
 * after another, and either may go wrong.
 */
export class FaultyStore implements Store, ScanSource {
  constructor(private readonly process: SimulatedProcess) {}

  get(key: ItemKey, options: ReadOptions): Promise<GetResult> {
    const text = `get ${keyText(key)}`;
    return this.call((name) => ({ isWrite: false, text, run: () => this.read(name, key, options) }));
  }

  /** The keys are read one by one, at times of their own: a batch of reads is not atomic. */
  async getMany(keys: readonly ItemKey[], options: ReadOptions): Promise<GetManyResult> {
    const results = await Promise.all(keys.map((key) => this.get(key, options)));
    return { items: results.map(({ item }) => item), rcu: results.reduce((sum, { rcu }) => sum + rcu, 0), calls: 1 };
  }

  update(update: DerivedUpdate): Promise<UpdateResult> {
    return this.call(() => ({
      isWrite: true,
      text: `update ${keyText(update.key)}`,
      run: (table) => {
        const result = table.update(update);
        if (this.process.world.trace !== undefined) void result.then((r) => this.tellUpdate(update, r));
        return result;
      },
    }));
  }

  transact(updates: readonly DerivedUpdate[]): Promise<TransactResult> {
    return this.call(() => ({
      isWrite: true,
      text: `transaction on ${updates.map(({ key }) => keyText(key)).join(', ')}`,
      run: (table) => table.transact(updates),
    }));
  }

  put(item: Item): Promise<WriteResult> {
    return this.call(() => ({ isWrite: true, text: `put ${plain(item)}`, run: (table) => table.put(item) }));
  }

  delete(key: ItemKey, unchanged?: RevisionCondition): Promise<DeleteResult> {
    const run = (table: Store) => table.delete(key, unchanged);
    return this.call(() => ({ isWrite: true, text: `delete ${keyText(key)}`, run }));
  }

  writeMany(writes: readonly BatchWrite[]): Promise<WriteManyResult> {
    return this.call(() => ({ isWrite: true, text: 'write many', run: (table) => table.writeMany(writes) }));
  }

  change(change: BaseChange): Promise<ChangeResult> {
    const text = `change ${keyText(change.key)}`;
    return this.call(() => ({ isWrite: true, text, run: (table) => table.change(change) }));
  }

  changeAll(changes: readonly BaseChange[], token: string): Promise<ChangeAllResult> {
    const text = `transaction on ${changes.map(({ key }) => keyText(key)).join(', ')}`;
    return this.call(() => ({ isWrite: true, text, run: (table) => table.changeAll(changes, token) }));
  }

  query(request: QueryRequest): Promise<QueryResult> {
    return this.call((name) => ({
      isWrite: false,
      text: `query ${request.partition}`,
      run: async (table) => {
        const page = await table.query(request);
        return request.consistent === true ? page : { ...page, items: this.lagging(name, page.items) };
      },
    }));
  }

  scan(request: ScanRequest): Promise<ScanPage> {
    return this.call((name) => ({
      isWrite: false,
      text: 'scan',
      run: async (table) => {
        const page = await table.scan({ ...request, limit: SCAN_PAGE });
        return { ...page, items: this.lagging(name, page.items) };
      },
    }));
  }

  private async read(name: string, key: ItemKey, options: ReadOptions): Promise<GetResult> {
    const { world } = this.process;
    const previous = options.consistent ? undefined : this.replica(`${name}.stale`, key);
    return previous === undefined ? world.table.get(key, options) : { item: previous.item, rcu: 0.5 };
  }

  /** What a replica that lags behind has of an item, where it was asked. */
  private replica(name: string, { source, target }: ItemKey): { item?: Item } | undefined {
    const { world } = this.process;
    const previous = world.previous.get(`${source} ${target}`);
    const isRecent = previous !== undefined && world.agenda.now - previous.atMs <= STALENESS;
    return isRecent && world.choices.chance(name, 0.5) ? previous : undefined;
  }

  /** A page of items as a replica has it that lags behind with some of them; what was deleted of late is not in it. */
  private lagging(name: string, items: readonly Item[]): Item[] {
    return items.flatMap((item) => {
      const key = { source: keyPart(item, 'source'), target: keyPart(item, 'target') };
      const replica = this.replica(`${name}.stale ${keyText(key)}`, key);
      if (replica === undefined) return [item];
      return replica.item === undefined ? [] : [replica.item];
    });
  }

  private call<T>(make: (name: string) => Call<T>): Promise<T> {
    const { process } = this;
    const { world } = process;
    const { agenda, choices, climate } = world;
    const { name, stall } = process.nextCall();
    const call = make(name);
    return new Promise((resolve, reject) => {
      const delay = choices.drawn(`${name}.delay`, (random) => callDuration(climate, random));
      agenda.in(1 + stall + delay, () => {
        if (process.isDead) {
          if (call.isWrite && choices.chance(`${name}.lands`, 0.5)) this.land(call, 'which is dead');
          return false;
        }
        const fault =
          FAULTS[
            choices.drawn(`${name}.fault`, (random) => {
              return random.chance(climate.fault) ? 1 + random.below(FAULTS.length - 1) : 0;
            })
          ]!;
        if (fault !== 'none') return this.failing(name, call, fault, reject);
        world.tell(() => `${process.name} ${call.text}`);
        return this.answer(name, world.project(call.run), resolve);
      });
    });
  }

  /** Gives the caller the result, after the time that the answer takes. */
  private answer<T>(name: string, result: Promise<T>, resolve: (result: Promise<T>) => void): boolean {
    const { process } = this;
    const { agenda, choices, climate } = process.world;
    const delay = choices.drawn(`${name}.answer`, (random) => (random.chance(0.5) ? 0 : callDuration(climate, random)));
    if (delay === 0) {
      resolve(result);
      return true;
    }
    // A refusal that comes when nobody waits any more is nobody's concern.
    result.catch(() => undefined);
    agenda.in(delay, () => {
      if (process.isDead) return false;
      resolve(result);
      return true;
    });
    return false;
  }

  private failing<T>(
    name: string,
    call: Call<T>,
    fault: Exclude<(typeof FAULTS)[number], 'none'>,
    reject: (error: StoreError) => void,
  ): boolean {
    const { process } = this;
    const { agenda, choices, climate } = process.world;
    process.world.count(`calls with ${fault}`);
    process.world.tell(() => `${process.name} ${call.text}: ${fault}`);
    if (fault === 'answer lost' || fault === 'crash after') this.land(call, fault);
    if (fault === 'done later' && call.isWrite) {
      const delay = choices.drawn(`${name}.later`, (random) =>
        random.chance(0.1) ? random.below(LONGEST_TIMEOUT) : echoDelay(climate, random),
      );
      agenda.in(1 + delay, () => {
        this.land(call, 'long after its caller was told of an error');
        return false;
      });
    }
    if (fault === 'crash before' || fault === 'crash after') {
      process.die('crashes');
      return false;
    }
    reject(new StoreError(process.failureKind, 'simulated', `A simulated failure: ${fault}.`));
    return true;
  }

  /** A call takes effect although nobody waits for it. */
  private land<T>(call: Call<T>, why: string): void {
    if (!call.isWrite) return;
    const { process } = this;
    process.world.count('writes that land unseen');
    process.world.tell(() => `${process.name}, ${why}: ${call.text}`);
    // As above: nobody is there to be told of a refusal.
    process.world.project(call.run).catch(() => undefined);
  }

  private tellUpdate(
    { set, condition, addElements, deleteElements, setElements }: DerivedUpdate,
    result: UpdateResult,
  ) {
    const { world } = this.process;
    world.tell(() => {
      const elements = { addElements, deleteElements, setElements };
      const outcome = result.applied ? 'applied' : `refused, the item is ${plain(result.current ?? {})}`;
      return `  ${plain(set)} ${JSON.stringify(elements)} if ${JSON.stringify(condition)}: ${outcome}`;
    });
  }
}

function keyText({ source, target }: ItemKey): string {
  return `${source} ${target}`;
}

function keyPart(item: Item, name: string): string {
  const value = item[name];
  return value !== undefined && 'S' in value ? value.S : '';
}
