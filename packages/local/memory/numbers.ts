import { type Decimal, parseDecimal } from '../../../src/core/items/attribute-value.ts';
import { invalid } from './refusal.ts';

const MOST_DIGITS = 38;
const LARGEST_EXPONENT = 126;
const SMALLEST_EXPONENT = -129;

/**
 * Removes the exponent and redundant zeros. Throws for text that isn't a number of at most 38 digits, and for numbers
 * out of range.
 */
export function normalNumber(text: string): string {
  // Fast path for small counters.
  if (/^[1-9]\d{0,14}$/.test(text)) return text;
  const decimal = /\s/.test(text) ? undefined : parseDecimal(text);
  if (decimal === undefined) throw invalid(`The parameter cannot be converted to a numeric value: ${text}`);
  return decimalText(decimal);
}

function decimalText({ negative, digits, exponent }: Decimal): string {
  if (digits === '') return '0';
  if (digits.length > MOST_DIGITS) {
    throw invalid(`Attempting to store more than ${MOST_DIGITS} significant digits in a Number`);
  }
  if (exponent > LARGEST_EXPONENT) {
    throw invalid('Number overflow. Attempting to store a number with magnitude larger than supported range');
  }
  if (exponent < SMALLEST_EXPONENT) {
    throw invalid('Number underflow. Attempting to store a number with magnitude smaller than supported range');
  }
  const sign = negative ? '-' : '';
  if (exponent <= 0) return `${sign}0.${'0'.repeat(-exponent)}${digits}`;
  if (exponent >= digits.length) return sign + digits.padEnd(exponent, '0');
  return `${sign}${digits.slice(0, exponent)}.${digits.slice(exponent)}`;
}

export function sumOf(text: string, addend: string): string {
  if (/^\d{1,15}$/.test(text) && /^-?\d{1,15}$/.test(addend)) return String(Number(text) + Number(addend));
  const digits = Math.max(fractionDigits(text), fractionDigits(addend));
  const sum = scaledDigits(text, digits) + scaledDigits(addend, digits);
  const padded = (sum < 0n ? -sum : sum).toString().padStart(digits + 1, '0');
  const point = padded.length - digits;
  return normalNumber(`${sum < 0n ? '-' : ''}${padded.slice(0, point)}.${padded.slice(point)}`);
}

export function negated(text: string): string {
  if (text === '0') return text;
  return text.startsWith('-') ? text.slice(1) : `-${text}`;
}

export function compareNumbers(left: string, right: string): number {
  const digits = Math.max(fractionDigits(left), fractionDigits(right));
  const [a, b] = [scaledDigits(left, digits), scaledDigits(right, digits)];
  return a < b ? -1 : a > b ? 1 : 0;
}

function fractionDigits(text: string): number {
  return text.split('.')[1]?.length ?? 0;
}

function scaledDigits(text: string, digits: number): bigint {
  const [whole, fraction = ''] = text.replace('-', '').split('.');
  return BigInt(whole + fraction.padEnd(digits, '0')) * (text.startsWith('-') ? -1n : 1n);
}
