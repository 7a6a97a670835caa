import { ONE, parseUnits, SUM_DECIMALS, SUM_DIGITS, textOfUnits } from '../../../core/items/units.ts';
import type { EdgeModel } from '../../../core/model/compiled.ts';
import type { NumberRange } from '../../../core/store-port.ts';
import { docsPage } from '../../../foundation/docs.ts';
import { boundsOfEnd } from '../checks/base-item.ts';
import { AttributeError } from '../checks/problem.ts';
import type { UpdateSubject } from './subject.ts';

/** In units of 10^-12, like the amounts. */
const MOST_OF_TOTAL = 10n ** BigInt(SUM_DIGITS + SUM_DECIMALS) - 1n;

/**
 * Returns the ranges in which the stored numbers must be, so that the model accepts the sums. Throws for an amount that
 * no stored number makes acceptable.
 */
export function rangesBeforeAdding(subject: UpdateSubject, add: Readonly<Record<string, string>>): NumberRange[] {
  const end = boundsOfEnd(subject.graph, subject.key);
  return Object.entries(add).flatMap(([attribute, amount]) => {
    const ranges: NumberRange[] = [];
    if (end?.attribute === attribute) {
      const { least, most } = end;
      ranges.push(rangeBefore(attribute, unitsOfSeconds(attribute, amount), BigInt(least) * ONE, BigInt(most) * ONE));
    }
    if (isInTotal(subject.type, attribute)) {
      ranges.push(rangeBefore(attribute, unitsOfSummand(attribute, amount), -MOST_OF_TOTAL, MOST_OF_TOTAL));
    }
    return ranges;
  });
}

function rangeBefore(attribute: string, added: bigint, least: bigint, most: bigint): NumberRange {
  const orAbsent = least <= added && added <= most;
  return { attribute, low: textOfUnits(least - added), high: textOfUnits(most - added), orAbsent };
}

function isInTotal(type: UpdateSubject['type'], attribute: string): boolean {
  const { count, incoming }: Pick<EdgeModel, 'count' | 'incoming'> = 'from' in type ? type : {};
  return [count, incoming].some((counts) => {
    const { sums = [], groups = [] } = counts?.totals ?? {};
    return [...sums, ...groups].some((part) => part.attribute === attribute);
  });
}

function unitsOfSummand(attribute: string, amount: string): bigint {
  const units = parseUnits(amount);
  if (units !== undefined) return units;
  throw new AttributeError(
    attribute,
    `is part of a total, which takes at most ${SUM_DIGITS} digits before the point and ${SUM_DECIMALS} behind it, but ${amount} is added to it`,
    `Keep the values of a total within the bounds of ${docsPage('totals')}.`,
  );
}

function unitsOfSeconds(attribute: string, amount: string): bigint {
  const units = parseUnits(amount);
  if (units !== undefined && units % ONE === 0n) return units;
  throw new AttributeError(
    attribute,
    `is the time at which the item ends, a whole number of seconds since 1970, but ${amount} is added to it`,
    'Add whole seconds.',
  );
}
