import type { AttributeValue, Item } from '../../../../src/core/items/attribute-value.ts';

/**
 * The answers that native orders and searches have to give, worked out from base items alone. Shares no code with readers: not even the
 * comparison of values.
 */

/** The values of a list that are asked for. */
export type Asked =
  | { equals: string }
  | { atLeast: string }
  | { between: readonly [string | undefined, string | undefined] }
  | { beginsWith: string }
  | Record<string, never>;

/** Compares the texts of two values, as DynamoDB orders them: texts by their bytes, numbers by what they are worth. */
export function compareTexts(type: 'S' | 'N', left: string, right: string): number {
  if (type === 'S') return Buffer.compare(Buffer.from(left), Buffer.from(right));
  const difference = worth(left) - worth(right);
  return difference < 0n ? -1 : Number(difference > 0n);
}

/** The smallest exponent of a digit that DynamoDB keeps, with room for 38 digits. */
const SCALE = 180;

/** A number as a whole multiple of 10^-180. */
function worth(text: string): bigint {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  const zeros = SCALE + Number(exponent) - fraction.length;
  return BigInt(`${sign}${whole}${fraction}${'0'.repeat(zeros)}`);
}

/** The text of a value of a type; undefined where the item has none of it. */
export function textOf(type: 'S' | 'N', value: AttributeValue | undefined): string | undefined {
  if (value === undefined) return undefined;
  if (type === 'S') return 'S' in value ? value.S : undefined;
  return 'N' in value ? value.N : undefined;
}

/** Tells whether a value is asked for. */
export function isAsked(type: 'S' | 'N', asked: Asked, text: string): boolean {
  const isUp = (end: string): boolean => compareTexts(type, text, end) >= 0;
  const isDown = (end: string): boolean => compareTexts(type, text, end) <= 0;
  if ('equals' in asked) return isUp(asked.equals!) && isDown(asked.equals!);
  if ('atLeast' in asked) return isUp(asked.atLeast!);
  if ('beginsWith' in asked) return text.startsWith(asked.beginsWith!);
  if (!('between' in asked)) return true;
  const [low, high] = asked.between!;
  return (low === undefined || isUp(low)) && (high === undefined || isDown(high) || isWithinDay(type, high, text));
}

/** Tells whether a text is of the day that ends a range. */
function isWithinDay(type: 'S' | 'N', high: string, text: string): boolean {
  return type === 'S' && /^\d{4}-\d\d-\d\d$/.test(high) && text.startsWith(high);
}

/** Tells whether nothing can lie in a range. */
export function isBackwards(type: 'S' | 'N', [low, high]: readonly [string | undefined, string | undefined]): boolean {
  if (low === undefined || high === undefined || isWithinDay(type, high, low)) return false;
  return compareTexts(type, low, high) > 0;
}

/** Tells whether an item counts as deleted by an attribute: while that is there and neither null nor false. */
export function isVoid(attribute: string | undefined, item: Item): boolean {
  const value = attribute === undefined ? undefined : item[attribute];
  return value !== undefined && !('NULL' in value) && !('BOOL' in value && !value.BOOL);
}
