import type { Problem } from '../../core/kinds/parts/subject.ts';
import type { ItemKey } from '../../core/store-port.ts';
import { EdgeloomError } from '../../foundation/errors.ts';
import { countText } from '../../foundation/figure.ts';
import { printable } from '../../foundation/printable.ts';

/** Items that can't be in a projection, because a label has no rank, a value has the wrong type, or `derive` throws. */
export interface LeftOut {
  items: number;
  example: { source: string; target: string; reason: string };
}

export class LeftOutItems {
  private items = 0;
  private example: LeftOut['example'] | undefined;

  add({ source, target }: ItemKey, problems: readonly Problem[], share = 1): void {
    const [first] = problems;
    if (first === undefined) return;
    this.items += share;
    this.example ??= { source, target, reason: first.message };
  }

  get found(): LeftOut | undefined {
    return this.example && { items: Math.round(this.items), example: this.example };
  }
}

export function leftOutText({ items, example: { source, target, reason } }: LeftOut, about = ''): string {
  const key = `${printable(source)} ${printable(target)}`;
  return `${about}${countText(items, 'item')} cannot be in what is built, such as ${key}: ${printable(reason)}`;
}

export function itemsLeftOut(leftOut: LeftOut): EdgeloomError {
  return new EdgeloomError(
    'items-left-out',
    `Readers would miss items: ${leftOutText(leftOut)}.`,
    'Correct the items or the model, and migrate again; edgeloom check names each item. --accept goes on without them.',
  );
}
