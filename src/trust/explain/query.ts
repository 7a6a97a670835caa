import { numberOf, stringOf } from '../../core/items/attribute-value.ts';
import { isDerivedKey, isServicePartition } from '../../core/items/keys.ts';
import type { Store } from '../../core/store-port.ts';
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

/** @param run must read only through the store that it receives. */
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

  constructor(table: Store) {
    const calls: Pick<Store, 'get' | 'getMany' | 'query' | 'queryNative'> = {
      get: async (key, options) => {
        const result = await table.get(key, options);
        const item = isDerivedKey(key.target) ? key.target : `${key.source} ${key.target}`;
        // A reader rereads the registry now and then, regardless of the query.
        if (!isServicePartition(key.source)) this.noteReads(`GetItem of ${item}`, 1, result.rcu);
        return result;
      },
      getMany: async (keys, options) => {
        const result = await table.getMany(keys, options);
        if (keys.every(({ source }) => isServicePartition(source))) return result;
        const targets = new Set(keys.map(({ target }) => (isDerivedKey(target) ? target : 'base items')));
        const what = `BatchGetItem of ${[...targets].join(', ')} (${countText(keys.length, 'key')})`;
        this.noteReads(what, result.calls, result.rcu);
        return result;
      },
      query: async (request) => {
        const { index = 'table', partition } = request;
        const result = await table.query(request);
        this.partitions.add(`${index} ${partition}`);
        this.noteReads(`Query of ${index === 'table' ? 'the table' : index}`, 1, result.rcu);
        return result;
      },
      queryNative: async (request) => {
        const { index, partition } = request;
        const result = await table.queryNative(request);
        this.partitions.add(`${index.name} ${stringOf(partition) ?? numberOf(partition)}`);
        this.noteReads(`Query of ${index.name}`, 1, result.rcu);
        return result;
      },
    };
    this.store = Object.create(table, Object.getOwnPropertyDescriptors(calls)) as Store;
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

  private noteReads(what: string, calls: number, rcu: number): void {
    const last = this.steps.at(-1);
    if (last?.what === what) {
      last.calls += calls;
      last.rcu += rcu;
    } else this.steps.push({ what, calls, rcu });
  }
}
