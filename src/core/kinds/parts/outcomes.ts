import type { OrderModel } from '../../model/compiled.ts';

/** The result of an image for one projection of the model. */
export interface Outcome {
  /** The projection's path in the model, such as `edges.MEMBER.inbound.orders.byDate`. */
  line: string;
  /** Sort key of the derived item, in the base item's partition. */
  sortKey: string;
  /** Why there is no such item, as a sentence; absent: there is one. */
  why?: string | undefined;
  /** True if the image has an error, which its quarantine entry names. */
  isFault: boolean;
}

/**
 * The outcomes of an image for all projections. The code that leaves out an item gives the reason, so that nobody has
 * to guess.
 */
export class Outcomes {
  private readonly byLine = new Map<string, Outcome>();

  get all(): Outcome[] {
    return [...this.byLine.values()];
  }

  /** @param why the reason if there is no item. */
  add(line: string, sortKey: string, why?: string): void {
    this.set({ line, sortKey, why, isFault: false });
  }

  /** For an item that can't be derived. It isn't an error of the image if a newer projection supersedes this one. */
  addFault(line: string, sortKey: string, message: string, isSuperseded = false): void {
    this.set({ line, sortKey, why: `${message}.`, isFault: !isSuperseded });
  }

  private set(outcome: Outcome): void {
    this.byLine.set(`${outcome.line} ${outcome.sortKey}`, outcome);
  }
}

/** The base item that lacks a value. */
export type Whose = 'node' | 'part' | 'edge' | 'source node';

/** @param attribute undefined if a function derives the value. */
export function lacksValueText(whose: Whose, attribute: string | undefined, orders = ''): string {
  return attribute === undefined
    ? `The derive function of the model gives no text for the ${whose}.`
    : `The ${whose} has no value for ${attribute}${orders}.`;
}

export function lacksPartitionText(whose: Whose, attribute: string, of: 'list' | 'search' = 'list'): string {
  return `The ${whose} has no value for ${attribute}, the partition of the ${of}.`;
}

/** The attribute of the order's first value; undefined if a function derives it. */
export function firstAttributeOf(order: OrderModel): string | undefined {
  switch (order.kind) {
    case 'parts':
      return firstAttributeOf(order.parts[0]!);
    case 'path':
      return order.attributes[0];
    case 'source':
      return firstAttributeOf(order.order);
    case 'derive':
      return undefined;
    default:
      return order.attribute;
  }
}
