import type { Problem } from '../../core/kinds/parts/subject.ts';
import type { ItemKey } from '../../core/store-port.ts';
import { EdgeloomError } from '../../foundation/errors.ts';
import { countText, figureText } from '../../foundation/figure.ts';
import { printable } from '../../foundation/printable.ts';

export interface LeftOutItem {
  source: string;
  target: string;
  reason: string;
}

/** Items that can't be in a projection, because a label has no rank, a value has the wrong type, or `derive` throws. */
export interface LeftOut {
  /** An estimate if only a part of the table was read. */
  items: number;
  example: LeftOutItem;
  /** The left-out items that were read, at most 10,000. */
  known: LeftOutItem[];
}

const MOST_KNOWN = 10_000;
const MOST_NAMED = 20;

export class LeftOutItems {
  private items = 0;
  private readonly known: LeftOutItem[] = [];

  add({ source, target }: ItemKey, problems: readonly Problem[], share = 1): void {
    const [first] = problems;
    if (first === undefined) return;
    this.items += share;
    if (this.known.length < MOST_KNOWN) this.known.push({ source, target, reason: first.message });
  }

  get found(): LeftOut | undefined {
    const { known } = this;
    const [example] = known;
    return example && { items: Math.round(this.items), example, known };
  }
}

export function leftOutText({ items, known }: LeftOut, about = ''): string {
  const named = namedItems(items, known, about);
  return [`${about}${countText(items, 'item')} cannot be in what is built:`, ...named].join('\n');
}

export function namedItems(items: number, known: readonly LeftOutItem[], about = ''): string[] {
  const named = known.slice(0, MOST_NAMED).map(({ source, target, reason }) => {
    return `  ${printable(source)} ${printable(target)}: ${printable(reason)}`;
  });
  const rest = items - named.length;
  return rest > 0 ? [...named, `  and ${about}${figureText(rest)} more`] : named;
}

export function itemsLeftOut(leftOut: LeftOut): EdgeloomError {
  return new EdgeloomError(
    'items-left-out',
    `Readers would miss items: ${leftOutText(leftOut)}`,
    'Correct the items or the model, and migrate again; edgeloom migrate --dry-run --json names each item that it reads. --accept goes on without them.',
  );
}
