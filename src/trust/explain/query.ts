import { numberOf, stringOf } from '../../core/items/attribute-value.ts';
import { isDerivedKey, isServicePartition } from '../../core/items/keys.ts';
import type {
  GetManyResult,
  GetResult,
  ItemKey,
  NativeQueryRequest,
  QueryRequest,
  QueryResult,
  ReadManyOptions,
  ReadOptions,
  Store,
} from '../../core/store-port.ts';
import { countText } from '../../foundation/figure.ts';

export interface QueryPlan {
  /** The partitions that Queries read, such as `gsi0 USER.name#161`; in the table itself: `table GOAL-G1`. */
  partitions: string[];
  calls: number;
  rcu: number;
  steps: string[];
  /** For a page: why each step was taken or skipped. */
  why?: string[];
}

/** @param run runs the query with the store that it receives, and with no other. */
export async function explainQuery<T>(
  store: Store,
  run: (store: Store) => Promise<T>,
): Promise<{ plan: QueryPlan; result: T }> {
  const noted = new NotedReads(store);
  const result = await run(noted.store);
  return { plan: noted.plan(), result };
}

interface Step {
  what: string;
  calls: number;
  rcu: number;
}

class NotedReads {
  readonly store: Store;
  private readonly partitions = new Set<string>();
  private readonly steps: Step[] = [];

  constructor(private readonly table: Store) {
    this.store = Object.create(table, {
      get: { value: (key: ItemKey, options: ReadOptions) => this.get(key, options) },
      getMany: { value: (keys: readonly ItemKey[], options: ReadManyOptions) => this.getMany(keys, options) },
      query: { value: (request: QueryRequest) => this.query(request) },
      queryNative: { value: (request: NativeQueryRequest) => this.queryNative(request) },
    }) as Store;
  }

  plan(): QueryPlan {
    const sumOf = (name: 'calls' | 'rcu'): number => this.steps.reduce((sum, step) => sum + step[name], 0);
    return {
      partitions: [...this.partitions],
      calls: sumOf('calls'),
      rcu: sumOf('rcu'),
      steps: this.steps.map(({ what, calls, rcu }) => `${calls} ${what}, ${rcu} RCU`),
    };
  }

  private async get(key: ItemKey, options: ReadOptions): Promise<GetResult> {
    const result = await this.table.get(key, options);
    // A reader reads the registry now and then, whatever the query.
    if (isServicePartition(key.source)) return result;
    this.noteReads(`GetItem of ${isDerivedKey(key.target) ? '' : `${key.source} `}${key.target}`, 1, result.rcu);
    return result;
  }

  private async getMany(keys: readonly ItemKey[], options: ReadManyOptions): Promise<GetManyResult> {
    const result = await this.table.getMany(keys, options);
    if (keys.every(({ source }) => isServicePartition(source))) return result;
    const targets = new Set(keys.map(({ target }) => (isDerivedKey(target) ? target : 'base items')));
    this.noteReads(
      `BatchGetItem of ${[...targets].join(', ')} (${countText(keys.length, 'key')})`,
      result.calls,
      result.rcu,
    );
    return result;
  }

  private async query(request: QueryRequest): Promise<QueryResult> {
    const { index = 'table', partition } = request;
    const result = await this.table.query(request);
    this.partitions.add(`${index} ${partition}`);
    this.noteReads(`Query of ${index === 'table' ? 'the table' : index}`, 1, result.rcu);
    return result;
  }

  private async queryNative(request: NativeQueryRequest): Promise<QueryResult> {
    const { index, partition } = request;
    const result = await this.table.queryNative(request);
    this.partitions.add(`${index.name} ${stringOf(partition) ?? numberOf(partition)}`);
    this.noteReads(`Query of ${index.name}`, 1, result.rcu);
    return result;
  }

  private noteReads(what: string, calls: number, rcu: number): void {
    const last = this.steps.at(-1);
    if (last?.what === what) {
      last.calls += calls;
      last.rcu += rcu;
    } else this.steps.push({ what, calls, rcu });
  }
}
