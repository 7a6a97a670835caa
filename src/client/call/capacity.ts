import type { CompiledModel } from '../../core/model/compiled.ts';
import type { Store } from '../../core/store-port.ts';
import { observedStore, type TelemetryOption } from '../../core/telemetry.ts';
import type { Abortable } from '../../foundation/runtime.ts';
import { withoutUnits } from '../../store/dynamodb.ts';
import { ForwardingStore, type StoreCallName } from '../../store/forwarding.ts';
import { spentBy } from '../../store/spent.ts';

/** Capacity units that a call consumed on the table and its indexes. */
export interface Capacity {
  rcu: number;
  wcu: number;
}

/** Options that most calls of readers and writers take. */
export interface CallOptions<Asked extends boolean | undefined = boolean | undefined> extends Abortable {
  /**
   * Adds the consumed `capacity` to the result. A method that returns a plain value, such as `has` or `getNode`,
   * returns `{ value, capacity }` instead. Default: false.
   */
  capacity?: Asked;
}

/** The consumed capacity, if the call asked for it. */
export interface CallResult {
  capacity?: Capacity;
}

/** A plain value, or `{ value, capacity }` if the call asked for `capacity`. */
export type ValueOf<Value, Asked extends boolean | undefined> = Asked extends true
  ? { value: Value; capacity: Capacity }
  : Value;

export interface CallStores {
  counting: Store;
  plain: Store;
}

export function callStores(graph: CompiledModel, options: { store: Store } & TelemetryOption): CallStores {
  const counting = observedStore(options, graph);
  return { counting, plain: withoutUnits(counting) };
}

type Bounded = CallOptions & { where?: unknown; maxRcu?: number | undefined };

export async function withCapacity<T>(
  { counting, plain }: CallStores,
  options: Bounded | undefined,
  run: (store: Store, spending?: Spending) => Promise<T>,
  form: 'fields' | 'value' = 'fields',
): Promise<T> {
  const { capacity: isAsked, where, maxRcu } = options ?? {};
  if (isAsked !== true && maxRcu === undefined) return await run(where === undefined ? plain : counting);
  const spending = new Spending(counting, maxRcu);
  const result = await run(spending, maxRcu === undefined ? undefined : spending);
  if (isAsked !== true) return result;
  const { rcu, wcu } = spending;
  const capacity: Capacity = { rcu, wcu };
  return (form === 'value' ? { value: result, capacity } : { ...result, capacity }) as T;
}

export class Spending extends ForwardingStore {
  calls = 0;
  rcu = 0;
  wcu = 0;
  private rcuBefore = 0;

  constructor(
    inner: Store,
    private readonly maxRcu = Number.POSITIVE_INFINITY,
  ) {
    super(inner);
  }

  /** Grants the full `maxRcu` again to a read that starts over because the model changed. */
  restart(): void {
    this.rcuBefore = this.rcu;
  }

  get left(): number {
    return Math.max(0, this.maxRcu - (this.rcu - this.rcuBefore));
  }

  get isSpent(): boolean {
    return this.left <= 0;
  }

  protected override pass<Name extends StoreCallName>(
    name: Name,
    ...args: Parameters<Store[Name]>
  ): ReturnType<Store[Name]> {
    const count = async (): Promise<object> => {
      const result: object = await super.pass(name, ...args);
      const { rcu = 0, wcu = 0 } = spentBy(result);
      this.rcu += rcu;
      this.wcu += wcu;
      this.calls += 'calls' in result ? (result.calls as number) : 1;
      return result;
    };
    return count() as ReturnType<Store[Name]>;
  }
}
