import type { MaybeSuperseded, OrderModel } from '../../model/compiled.ts';

/** The result of deriving one projection from an image: an item, or the reason why it is missing. */
export interface Outcome {
  /** The projection's path in the model, such as `edges.MEMBER.inbound.orders.byDate`. */
  line: string;
  sortKey: string;
  /** Why there is no derived item, as a sentence; undefined if there is one. */
  why?: string | undefined;
  /** True if the reason is an error in the image, which a quarantine entry then reports. */
  isFault: boolean;
}

export class Outcomes {
  private readonly byLine = new Map<string, Outcome>();

  get all(): Outcome[] {
    return [...this.byLine.values()];
  }

  add(line: string, sortKey: string, why?: string): void {
    this.set({ line, sortKey, why, isFault: false });
  }

  /** If a newer generation replaces the projection, the image isn't at fault. */
  addFault(line: string, sortKey: string, message: string, projection?: MaybeSuperseded): void {
    this.set({ line, sortKey, why: `${message}.`, isFault: projection?.isSuperseded !== true });
  }

  private set(outcome: Outcome): void {
    this.byLine.set(`${outcome.line} ${outcome.sortKey}`, outcome);
  }
}

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
