import { describe } from '../../../foundation/describe.ts';
import { EdgeloomError } from '../../../foundation/errors.ts';

export const LEAST_RCU = 0.5;
/** The first call reads few items, since their size isn't known yet. */
const FIRST_LOOK = 8;
/** Default of `maxRcu` with `where`, and for rows that a native list hides. */
export const DEFAULT_MAX_RCU = 50;
/** A filtered call requests at least this many items if the units allow. */
export const LEAST_FILTERED = 64;

/** Returns undefined if neither `maxRcu` nor `where` is given: the page's `limit` bounds the cost. */
export function checkMaxRcu(
  maxRcu: number | undefined,
  hasWhere: boolean,
  partitions: readonly string[],
): number | undefined {
  const least = LEAST_RCU * partitions.length;
  if (maxRcu === undefined) return hasWhere ? Math.max(DEFAULT_MAX_RCU, least) : undefined;
  if (typeof maxRcu === 'number' && maxRcu >= least && maxRcu >= LEAST_RCU) return maxRcu;
  const asked = `a look at each of the ${partitions.length} partitions asked takes ${Math.max(least, LEAST_RCU)}`;
  throw new EdgeloomError(
    'invalid-argument',
    `maxRcu should be a number, and ${asked}, but it is ${describe(maxRcu)}.`,
    'Raise it, or ask for one value, which lies in one partition where the model spreads by value.',
  );
}

/** Estimates from earlier calls how many items to request, because DynamoDB can limit items, but not units. */
export class Budget {
  calls = 0;
  rcu = 0;
  private scanned = 0;

  constructor(private maxRcu: number) {}

  refund(rcu: number): void {
    this.maxRcu += rcu;
  }

  spend(rcu: number, scanned: number): void {
    this.calls += 1;
    this.rcu += rcu;
    this.scanned += scanned;
  }

  callsLeft(): number {
    const ofItem = this.isMeasured() ? this.rcu / this.scanned : 0;
    return Math.floor((this.maxRcu - this.rcu) / (Math.ceil(Math.max(LEAST_RCU, ofItem) / LEAST_RCU) * LEAST_RCU));
  }

  /** True if one partition must be read first, to learn the size of items. */
  isUnmeasured(): boolean {
    return this.maxRcu !== Number.POSITIVE_INFINITY && this.calls === 0;
  }

  itemsOfCall(calls: number): number {
    if (this.maxRcu === Number.POSITIVE_INFINITY) return Number.POSITIVE_INFINITY;
    if (this.scanned === 0) return FIRST_LOOK;
    const share = Math.floor((this.maxRcu - this.rcu) / calls / LEAST_RCU) * LEAST_RCU;
    const items = Math.floor((Math.max(share, LEAST_RCU) * this.scanned) / this.rcu);
    return this.isMeasured() ? items : Math.max(items, FIRST_LOOK);
  }

  /** Calls at the minimum cost don't tell how large items are. */
  private isMeasured(): boolean {
    return this.scanned > 0 && this.rcu > LEAST_RCU * this.calls;
  }
}
