import type { Item } from '../../../../src/core/items/attribute-value.ts';
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
  NativeQueryRequest,
  QueryRequest,
  QueryResult,
  ReadOptions,
  RevisionCondition,
  ScanPage,
  ScanRequest,
  ScanSource,
  Store,
  TransactResult,
  UpdateManyOptions,
  UpdateOutcome,
  UpdateResult,
  WriteManyResult,
  WriteResult,
} from '../../../../src/core/store-port.ts';
import { StoreError } from '../../../../src/foundation/errors.ts';
import { updateEach } from '../../../../src/store/update-run.ts';
import { forgotten } from '../../../support/forgotten.ts';
import type { MemoryStore } from '../../../support/memory-store/memory-store.ts';
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
  /** Milliseconds that the answer takes at least, asked when the call has taken effect. */
  holdMs?: () => number;
}

/**
 * The table as one process sees it. Every call becomes a happening: it takes effect after a time, its answer comes
 * after another, and either may go wrong.
 */
export class FaultyStore implements Store, ScanSource {
  private queries = 0;
  private batches = 0;

  constructor(
    private readonly process: SimulatedProcess,
    /** How long a read that is not consistent may lag behind, in milliseconds. */
    private readonly stalenessMs = STALENESS,
  ) {}

  get(key: ItemKey, options: ReadOptions): Promise<GetResult> {
    const text = `get ${keyText(key)}`;
    return this.call((name) => ({ isWrite: false, text, run: () => this.read(name, key, options) }));
  }

  /** The keys are read one by one, at times of their own: a batch of reads is not atomic. */
  async getMany(keys: readonly ItemKey[], options: ReadOptions): Promise<GetManyResult> {
    const results = await Promise.all(keys.map((key) => this.getOne(key, options)));
    return { items: results.map(({ item }) => item), rcu: results.reduce((sum, { rcu }) => sum + rcu, 0), calls: 1 };
  }

  private getOne(key: ItemKey, options: ReadOptions): Promise<GetResult> {
    const text = `get ${keyText(key)} of a batch`;
    return this.call((name) => ({
      isWrite: false,
      text,
      run: async () => {
        const result = await this.read(name, key, options);
        const [item] = result.item === undefined ? [] : this.committed(name, [result.item]);
        return { ...result, item };
      },
    }));
  }

  update(update: DerivedUpdate): Promise<UpdateResult> {
    return this.call(() => ({
      isWrite: true,
      text: `update ${keyText(update.key)}`,
      run: (table) => {
        this.refuseConflict([update.key]);
        const result = table.update(update);
        if (this.process.world.trace !== undefined) void result.then((r) => this.tellUpdate(update, r));
        return result;
      },
    }));
  }

  /** Each item is written and fails for itself; the item that failed a condition may not come back. */
  async updateMany(updates: readonly DerivedUpdate[], options?: UpdateManyOptions): Promise<readonly UpdateOutcome[]> {
    const { choices } = this.process.world;
    const outcomes = await updateEach(updates, (update) => this.update(update), options);
    this.batches += 1;
    const name = `${this.process.name}.batch${this.batches}`;
    return outcomes.map((outcome, i) => forgotten(outcome, choices.chance(`${name}.${i}.forgotten`, 0.5)));
  }

  transact(updates: readonly DerivedUpdate[]): Promise<TransactResult> {
    const keys = updates.map(({ key }) => key);
    return this.call((name) => ({
      isWrite: true,
      text: `transaction on ${keys.map(keyText).join(', ')}`,
      run: (table) => {
        this.refuseConflict(keys);
        const { previous } = this.process.world;
        const earlier = new Map(keys.map((key) => [keyText(key), previous.get(keyText(key))]));
        const result = table.transact(updates);
        this.begin(
          name,
          keys.filter((key) => previous.get(keyText(key)) !== earlier.get(keyText(key))),
        );
        return result;
      },
      holdMs: () => this.process.world.transactions.remainingMs(keys),
    }));
  }

  put(item: Item): Promise<WriteResult> {
    return this.call(() => ({ isWrite: true, text: `put ${plain(item)}`, run: (table) => table.put(item) }));
  }

  delete(key: ItemKey, unchanged?: RevisionCondition): Promise<DeleteResult> {
    const run = (table: Store) => {
      this.refuseConflict([key]);
      return table.delete(key, unchanged);
    };
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

  /** The items of a page are read one after the other, while others write. */
  async query(request: QueryRequest): Promise<QueryResult> {
    const split = this.split(request.limit);
    if (split === undefined) return this.queryAtOnce(request);
    const first = await this.queryAtOnce({ ...request, limit: split });
    if (first.lastKey === undefined) return first;
    const limit = request.limit === undefined ? undefined : request.limit - split;
    const second = await this.queryAtOnce({ ...request, limit, startKey: first.lastKey });
    return { ...second, items: [...first.items, ...second.items], count: first.count + second.count };
  }

  private queryAtOnce(request: QueryRequest): Promise<QueryResult> {
    return this.call((name) => ({
      isWrite: false,
      text: `query ${request.partition}`,
      run: async (table) => {
        const page = await table.query(request);
        const items = this.committed(name, page.items);
        return { ...page, items: request.consistent === true ? items : this.lagging(name, items) };
      },
    }));
  }

  queryNative(request: NativeQueryRequest): Promise<QueryResult> {
    return this.call((name) => ({
      isWrite: false,
      text: `query ${request.index.name}`,
      run: async (table) => {
        const page = await table.queryNative(request);
        return { ...page, items: this.lagging(name, this.committed(name, page.items)) };
      },
    }));
  }

  async scan(request: ScanRequest): Promise<ScanPage> {
    const split = this.split(SCAN_PAGE);
    if (split === undefined) return this.scanAtOnce({ ...request, limit: SCAN_PAGE });
    const first = await this.scanAtOnce({ ...request, limit: split });
    if (first.lastKey === undefined) return first;
    const second = await this.scanAtOnce({ ...request, limit: SCAN_PAGE - split, startKey: first.lastKey });
    return { ...second, items: [...first.items, ...second.items] };
  }

  private scanAtOnce(request: ScanRequest): Promise<ScanPage> {
    return this.call((name) => ({
      isWrite: false,
      text: 'scan',
      run: async (table) => {
        const page = await table.scan(request);
        return { ...page, items: this.lagging(name, this.committed(name, page.items)) };
      },
    }));
  }

  /** How many items a page reads at its first moment, where it reads the rest at a second one. */
  private split(limit = SCAN_PAGE): number | undefined {
    const { choices, climate } = this.process.world;
    this.queries += 1;
    const name = `${this.process.name}.query${this.queries}.torn`;
    if (limit < 2 || !choices.chance(name, climate.torn)) return undefined;
    this.process.world.count('pages read at two moments');
    return 1 + choices.pick(`${name}.after`, limit - 1);
  }

  /** A transaction that was decided takes its time, until it is acknowledged. */
  private begin(name: string, keys: readonly ItemKey[]): void {
    const { agenda, choices, climate, previous, transactions } = this.process.world;
    if (keys.length === 0 || !choices.chance(`${name}.underway`, climate.torn)) return;
    const drawnMs = 1 + choices.drawn(`${name}.underway.ends`, (random) => callDuration(climate, random));
    const endsInMs = Math.min(drawnMs, this.process.world.longestTransactionMs);
    const shownInMs = choices.pick(`${name}.underway.shown`, endsInMs + 1);
    this.process.world.count('transactions under way');
    transactions.begin(
      keys.map((key) => ({ key, before: previous.get(keyText(key))?.item })),
      shownInMs,
      endsInMs,
    );
    this.process.world.tell(
      () => `  under way until ${agenda.now + endsInMs}, shown from ${agenda.now + shownInMs} on`,
    );
  }

  /** What DynamoDB does with a write of an item that a transaction is writing. */
  private refuseConflict(keys: readonly ItemKey[]): void {
    const { transactions } = this.process.world;
    if (keys.every((key) => transactions.find(key) === undefined)) return;
    this.process.world.count('transaction conflicts');
    throw new StoreError(this.process.failureKind, 'transaction-conflict', 'A transaction is writing the item.');
  }

  /** A page of items read beside transactions: each is as it was before its transaction or as it is after. */
  private committed(name: string, items: readonly Item[]): Item[] {
    const { choices, transactions } = this.process.world;
    return items.flatMap((item) => {
      const key = { source: keyPart(item, 'source'), target: keyPart(item, 'target') };
      const underway = transactions.find(key);
      if (underway === undefined || !choices.chance(`${name}.before ${keyText(key)}`, 0.5)) return [item];
      return underway.before === undefined ? [] : [underway.before];
    });
  }

  private async read(name: string, key: ItemKey, options: ReadOptions): Promise<GetResult> {
    const { world } = this.process;
    const hidden = world.transactions.hidden(key);
    if (hidden !== undefined) return { item: hidden.before, rcu: 1 };
    const previous = options.consistent ? undefined : this.replica(`${name}.stale`, key);
    return previous === undefined ? world.table.get(key, options) : { item: previous.item, rcu: 0.5 };
  }

  /** What a replica that lags behind has of an item, where it was asked. */
  private replica(name: string, { source, target }: ItemKey): { item?: Item } | undefined {
    const { world } = this.process;
    const previous = world.previous.get(`${source} ${target}`);
    const isRecent = previous !== undefined && world.agenda.now - previous.atMs <= this.stalenessMs;
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
              return random.chance(process.isApplication === true ? 0 : climate.fault)
                ? 1 + random.below(FAULTS.length - 1)
                : 0;
            })
          ]!;
        if (fault !== 'none') return this.failing(name, call, fault, reject);
        world.tell(() => `${process.name} ${call.text}`);
        return this.answer(name, call, resolve);
      });
    });
  }

  /** Gives the caller the result, after the time that the answer takes. */
  private answer<T>(name: string, call: Call<T>, resolve: (result: Promise<T>) => void): boolean {
    const { process } = this;
    const result = this.run(call);
    const { agenda, choices, climate } = process.world;
    const drawn = choices.drawn(`${name}.answer`, (random) => (random.chance(0.5) ? 0 : callDuration(climate, random)));
    const delay = Math.max(drawn, call.holdMs?.() ?? 0);
    if (delay === 0) {
      resolve(result);
      return true;
    }
    // Its refusal may come when the caller is dead.
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

  /** A call takes effect, now. */
  private run<T>(call: Call<T>): Promise<T> {
    const { isApplication, world } = this.process;
    try {
      return isApplication === true ? call.run(world.table) : world.project(call.run);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /** A call takes effect although its caller does not wait for it. */
  private land<T>(call: Call<T>, why: string): void {
    if (!call.isWrite) return;
    const { process } = this;
    process.world.count('writes that land unseen');
    process.world.tell(() => `${process.name}, ${why}: ${call.text}`);
    // The caller is not told of a refusal.
    this.run(call).catch(() => undefined);
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
