import { parseDecimal } from './attribute-value.ts';

/**
 * Exact decimal sums as multiples of 10^-12. DynamoDB refuses additions beyond 38 digits, so that without bounds the
 * order of additions would decide. Within the bounds below no sum of edges needs more digits.
 */

/** Digits after the point of a value in a sum. */
export const SUM_DECIMALS = 12;
/** Digits before the point of a value in a sum. */
export const SUM_DIGITS = 15;
/** Digits that DynamoDB keeps. */
const STORED_DIGITS = 38;
export const ONE = 10n ** BigInt(SUM_DECIMALS);

/**
 * In units of 10^-12; undefined if the text isn't a number, or has too many digits before or after the point.
 *
 * @param mostDigits digits before the point.
 */
export function parseUnits(text: string, mostDigits = SUM_DIGITS): bigint | undefined {
  const decimal = parseDecimal(text);
  if (decimal === undefined) return undefined;
  const { negative, digits, exponent } = decimal;
  if (digits === '') return 0n;
  const shift = SUM_DECIMALS - (digits.length - exponent);
  // rule: sums-have-bounds
  if (exponent > mostDigits || shift < 0) return undefined;
  const units = BigInt(digits + '0'.repeat(shift));
  return negative ? -units : units;
}

/** May have more digits than a single value; undefined like `parseUnits`. */
export function parseSumUnits(text: string): bigint | undefined {
  return parseUnits(text, STORED_DIGITS - SUM_DECIMALS);
}

/** The shortest decimal text. */
export function textOfUnits(units: bigint): string {
  const digits = (units < 0n ? -units : units).toString().padStart(SUM_DECIMALS + 1, '0');
  const fraction = digits.slice(-SUM_DECIMALS).replace(/0+$/, '');
  return `${units < 0n ? '-' : ''}${digits.slice(0, -SUM_DECIMALS)}${fraction === '' ? '' : `.${fraction}`}`;
}
