import type { Item } from '../../../core/items/attribute-value.ts';
import type { Filter } from '../../../core/items/filter.ts';
import type { NativeQueryRequest, Store } from '../../../core/store-port.ts';
import { Budget, DEFAULT_MAX_RCU, LEAST_FILTERED } from './budget.ts';
import { MOST_ASKED } from './scatter.ts';

/** If `maxRcu` is undefined, a walk may spend 50 read capacity units besides those for the returned rows. */
interface Bounds {
  where?: Filter | undefined;
  maxRcu?: number | undefined;
}

/** Requests grow while items are dropped, so that a long stretch of dropped items takes few calls. */
export class NativeWalk {
  readonly budget: Budget;
  private leftOut = 0;

  constructor(
    private readonly store: Pick<Store, 'queryNative'>,
    private request: NativeQueryRequest,
    private readonly bounds: Bounds,
  ) {
    this.budget = new Budget(bounds.maxRcu ?? DEFAULT_MAX_RCU);
  }

  get isSpent(): boolean {
    return this.budget.callsLeft() <= 0;
  }

  async readOn(missing: number, take: (item: Item) => boolean): Promise<Item | undefined> {
    const { budget, bounds } = this;
    const { items, lastKey, rcu, scanned } = await this.store.queryNative({
      ...this.request,
      limit: this.itemsToAskFor(missing),
    });
    budget.spend(rcu, scanned);
    const taken = items.filter(take).length;
    this.leftOut = scanned - taken;
    // If `maxRcu` is undefined, returned items don't count, however large they are.
    if (bounds.maxRcu === undefined && scanned > 0) budget.refund((rcu * taken) / scanned);
    if (lastKey !== undefined) this.request = { ...this.request, startKey: lastKey };
    return lastKey;
  }

  private itemsToAskFor(missing: number): number {
    const { budget, leftOut } = this;
    const { where, maxRcu } = this.bounds;
    const isFiltered = where !== undefined || leftOut > 0;
    const asked = isFiltered ? Math.max(LEAST_FILTERED, missing + 4 * leftOut) : missing;
    // If `maxRcu` is undefined, returned items are free, so a page that drops none needs no bound. The budget would
    // make the first call too small, because it doesn't know the items' size.
    const isFree = maxRcu === undefined && leftOut === 0 && missing !== Number.POSITIVE_INFINITY;
    const affordable = isFree ? Number.POSITIVE_INFINITY : budget.itemsOfCall(1);
    return Math.max(1, Math.min(asked, affordable, MOST_ASKED));
  }
}
