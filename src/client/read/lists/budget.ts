import { EdgeloomError } from '../../../foundation/errors.ts';

/** Read capacity units that a call costs at least. */
export const LEAST_RCU = 0.5;
/** Nothing is known of the size of items before the first look, which therefore takes few of them. */
const FIRST_LOOK = 8;
/** The default limit of read capacity units for one page of a list with `where`, and for the rows that a page of a native list leaves out. */
export const DEFAULT_MAX_RCU = 50;
/** How many items more than the page needs a call asks for at least where readers leave out some of them. */
export const LEAST_FILTERED = 64;

/**
 * The read capacity units that a page may cost. Without `where` a page costs what its limit says, so there is no default;
 * with it the default is 50, or a look at each partition where that is more. Throws `invalid-argument`.
 */
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
    `maxRcu should be a number, and ${asked}, but it is ${String(maxRcu)}.`,
    'Raise it, or ask for one value, which lies in one partition where the model spreads by value.',
  );
}

/**
 * The budget of a page. DynamoDB counts items, not units, so the number of items to ask for follows from what earlier items
 * cost: a page exceeds its budget only as far as its last items are larger than the earlier ones.
 */
export class Budget {
  /** DynamoDB calls made. */
  calls = 0;
  /** Read capacity units consumed. */
  rcu = 0;
  private scanned = 0;

  /** @param maxRcu read capacity units that may be consumed. */
  constructor(private maxRcu: number) {}

  /** Leaves some units that were consumed out of account. */
  refund(rcu: number): void {
    this.maxRcu += rcu;
  }

  spend(rcu: number, scanned: number): void {
    this.calls += 1;
    this.rcu += rcu;
    this.scanned += scanned;
  }

  /** How many calls can still be made. */
  callsLeft(): number {
    const ofItem = this.isMeasured() ? this.rcu / this.scanned : 0;
    return Math.floor((this.maxRcu - this.rcu) / billedUnits(Math.max(LEAST_RCU, ofItem)));
  }

  /** Tells whether one partition has to be looked at before others are asked. */
  isUnmeasured(): boolean {
    return this.maxRcu !== Number.POSITIVE_INFINITY && this.calls === 0;
  }

  /** How many items each of some calls may ask for, so that together they cost no more than what is left. */
  itemsOfCall(calls: number): number {
    if (this.maxRcu === Number.POSITIVE_INFINITY) return Number.POSITIVE_INFINITY;
    if (this.scanned === 0) return FIRST_LOOK;
    const share = Math.floor((this.maxRcu - this.rcu) / calls / LEAST_RCU) * LEAST_RCU;
    const items = Math.floor((Math.max(share, LEAST_RCU) * this.scanned) / this.rcu);
    return this.isMeasured() ? items : Math.max(items, FIRST_LOOK);
  }

  /** Tells whether the capacity units show the size of the items: a call has cost more than the least. */
  private isMeasured(): boolean {
    return this.scanned > 0 && this.rcu > LEAST_RCU * this.calls;
  }
}

/** Units as a call is billed for them. */
function billedUnits(rcu: number): number {
  return Math.ceil(rcu / LEAST_RCU) * LEAST_RCU;
}
