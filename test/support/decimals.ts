import fc from 'fast-check';

/** A decimal of the whole range of DynamoDB: up to 38 digits, magnitudes from 1E-130 to 9.99E+125. */
export interface Decimal {
  negative: boolean;
  digits: string;
  /** Power of ten of the last digit. */
  scale: number;
}
export const decimal: fc.Arbitrary<Decimal> = fc
  .record({
    negative: fc.boolean(),
    digits: fc.stringMatching(/^[1-9][0-9]{0,37}$/),
    first: fc.oneof(fc.integer({ min: -130, max: 125 }), fc.integer({ min: -3, max: 20 })),
  })
  .map(({ negative, digits, first }) => {
    const scale = first - digits.length + 1;
    // The last digit may not lie below the range either.
    const fitting = scale < -130 ? digits.slice(0, Math.max(1, digits.length - (-130 - scale))) : digits;
    return { negative, digits: fitting, scale: first - fitting.length + 1 };
  });
/** The same, and zero. */
export const number = fc.oneof(
  { weight: 9, arbitrary: decimal },
  { weight: 1, arbitrary: fc.constant<Decimal>({ negative: false, digits: '0', scale: 0 }) },
);

/** The text of a decimal, in one of three notations (0 to 2). */
export function asText({ negative, digits, scale }: Decimal, notation: number): string {
  const minus = negative ? '-' : '';
  if (notation === 0) return `${minus}${digits}e${scale}`;
  if (notation === 1) return `${minus}${digits.slice(0, 1)}.${digits.slice(1)}00E${scale + digits.length - 1}`;
  if (scale >= 0) return `${minus}${digits}${'0'.repeat(scale)}`;
  const padded = digits.padStart(1 - scale, '0');
  return `${minus}${padded.slice(0, scale)}.${padded.slice(scale)}`;
}
