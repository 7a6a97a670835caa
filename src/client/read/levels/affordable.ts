import type { Spending } from '../../call/capacity.ts';
import { Budget, LEAST_RCU } from '../lists/budget.ts';

const MOST_IDS = 100;

/**
 * Reads ids while the units last, then yields the rest unread. The first calls are small, to learn how large the items
 * are.
 */
export async function* affordable<Result>(
  spending: Spending | undefined,
  ids: readonly string[],
  read: (ids: readonly string[]) => Promise<Result>,
): AsyncGenerator<{ ids: readonly string[]; read: Result | undefined }, void> {
  if (spending === undefined) {
    if (ids.length > 0) yield { ids, read: await read(ids) };
    return;
  }
  const budget = new Budget(spending.left);
  let at = 0;
  while (at < ids.length && !spending.isSpent) {
    const most = Math.min(MOST_IDS, budget.itemsOfCall(1), Math.floor(spending.left / LEAST_RCU));
    const some = ids.slice(at, at + Math.max(1, most));
    const before = spending.rcu;
    const result = await read(some);
    budget.spend(spending.rcu - before, some.length);
    at += some.length;
    yield { ids: some, read: result };
  }
  if (at < ids.length) yield { ids: ids.slice(at), read: undefined };
}
