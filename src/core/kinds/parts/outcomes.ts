import type { OrderModel } from '../../model/compiled.ts';

/** What an image comes to in one line of the model. */
export interface Outcome {
  /** The line, such as `edges.MEMBER.inbound.orders.byDate`. */
  line: string;
  /** Sort key of the derived item that the line asks for, in the partition of the base item. */
  sortKey: string;
  /** The sentence that says why the line asks for no such item; absent: the line asks for it. */
  why?: string | undefined;
  /** True if the image has a mistake, which a quarantine entry names. */
  isFault: boolean;
}

/**
 * The outcomes of an image in all lines of the model, for those who ask why something is absent. The code that leaves an item out says why, so
 * that nobody has to guess.
 */
export class Outcomes {
  private readonly byLine = new Map<string, Outcome>();

  /** All outcomes, in the order in which they were noted. */
  get all(): Outcome[] {
    return [...this.byLine.values()];
  }

  /** Notes that a line asks for an item; `why`: that it asks for none. */
  add(line: string, sortKey: string, why?: string): void {
    this.set({ line, sortKey, why, isFault: false });
  }

  /** Notes that the item of a line cannot be derived; where a newer projection supersedes the line, that is no mistake of the image. */
  addFault(line: string, sortKey: string, message: string, isSuperseded = false): void {
    this.set({ line, sortKey, why: `${message}.`, isFault: !isSuperseded });
  }

  private set(outcome: Outcome): void {
    this.byLine.set(`${outcome.line} ${outcome.sortKey}`, outcome);
  }
}

/** The base item that lacks a value. */
export type Whose = 'node' | 'part' | 'edge' | 'source node';

/**
 * Says that a base item has no value for an order, or a search.
 *
 * @param attribute the attribute of the value; undefined: a function derives the value.
 */
export function lacksValueText(whose: Whose, attribute: string | undefined, orders = ''): string {
  return attribute === undefined
    ? `The derive function of the model gives no text for the ${whose}.`
    : `The ${whose} has no value for ${attribute}${orders}.`;
}

/** Says that a base item has no value for the attribute that an index partition names. */
export function lacksPartitionText(whose: Whose, attribute: string, of: 'list' | 'search' = 'list'): string {
  return `The ${whose} has no value for ${attribute}, the partition of the ${of}.`;
}

/** The attribute that an order takes its first value from; undefined: a function derives it. */
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
