/** A decimal number, exactly: `units` times ten to the power of `exponent`. Without trailing zeros; zero has the exponent 0. */
export interface Exact {
  units: bigint;
  exponent: number;
}

/** The bounds of a value in a sum: below ten to the power of 15, and at most 12 digits behind the point. */
const [WHOLE_DIGITS, FRACTION_DIGITS] = [15, 12];

const NUMBER = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,4}))?$/;

/** The number that a text says; undefined where it says none. */
export function exactOf(text: string): Exact | undefined {
  const [all, sign, whole = '', fraction = '', power = '0'] = NUMBER.exec(text) ?? [];
  if (all === undefined || whole + fraction === '') return undefined;
  const size = BigInt(whole + fraction);
  return reduced({ units: sign === '-' ? -size : size, exponent: Number(power) - fraction.length });
}

/** The sum of two numbers. */
export function plus(left: Exact, right: Exact): Exact {
  const exponent = Math.min(left.exponent, right.exponent);
  const scaled = (number: Exact): bigint => number.units * 10n ** BigInt(number.exponent - exponent);
  return reduced({ units: scaled(left) + scaled(right), exponent });
}

/** Whether a sum takes the value. */
export function isSummable(number: Exact): boolean {
  if (number.units === 0n) return true;
  const digits = digitsOf(number);
  return number.exponent >= -FRACTION_DIGITS && digits + number.exponent <= WHOLE_DIGITS;
}

/** Plain decimal text, without an exponent. */
export function textOf({ units, exponent }: Exact): string {
  const sign = units < 0n ? '-' : '';
  const digits = (units < 0n ? -units : units).toString();
  if (exponent >= 0) return sign + digits + '0'.repeat(exponent);
  const padded = digits.padStart(1 - exponent, '0');
  return `${sign}${padded.slice(0, exponent)}.${padded.slice(exponent)}`;
}

function digitsOf({ units }: Exact): number {
  return (units < 0n ? -units : units).toString().length;
}

/** The number without trailing zeros. */
export function reduced({ units, exponent }: Exact): Exact {
  if (units === 0n) return { units: 0n, exponent: 0 };
  let [less, power] = [units, exponent];
  while (less % 10n === 0n) {
    less /= 10n;
    power += 1;
  }
  return { units: less, exponent: power };
}
