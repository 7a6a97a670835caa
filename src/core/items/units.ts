import { parseDecimal } from './attribute-value.ts';

/**
 * Sums are multiples of 10^-12. DynamoDB refuses an addition whose result needs more than 38 digits, which no sum
 * within these bounds does.
 */

export const SUM_DECIMALS = 12;
export const SUM_DIGITS = 15;
const STORED_DIGITS = 38;
export const ONE = 10n ** BigInt(SUM_DECIMALS);

export function parseUnits(text: string, mostDigits = SUM_DIGITS): bigint | undefined {
  const decimal = parseDecimal(text);
  if (decimal === undefined) return undefined;
  const { negative, digits, exponent } = decimal;
  if (digits === '') return 0n;
  const shift = SUM_DECIMALS - (digits.length - exponent);
  if (exponent > mostDigits || shift < 0) return undefined;
  const units = BigInt(digits + '0'.repeat(shift));
  return negative ? -units : units;
}

export function parseSumUnits(text: string): bigint | undefined {
  return parseUnits(text, STORED_DIGITS - SUM_DECIMALS);
}

export function textOfUnits(units: bigint): string {
  const digits = (units < 0n ? -units : units).toString().padStart(SUM_DECIMALS + 1, '0');
  const fraction = digits.slice(-SUM_DECIMALS).replace(/0+$/, '');
  return `${units < 0n ? '-' : ''}${digits.slice(0, -SUM_DECIMALS)}${fraction === '' ? '' : `.${fraction}`}`;
}
