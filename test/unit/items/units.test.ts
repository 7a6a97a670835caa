import { describe, expect, it } from 'vitest';
import { ONE, parseSumUnits, parseUnits, textOfUnits } from '../../../src/core/items/units.ts';

describe('decimals as units', () => {
  it.each([
    ['0', '0'],
    ['-0', '0'],
    ['1', '1'],
    ['-2.50', '-2.5'],
    ['1E+2', '100'],
    ['1.5e-3', '0.0015'],
    ['-0.000000000001', '-0.000000000001'],
    ['999999999999999.999999999999', '999999999999999.999999999999'],
    ['999999999999999', '999999999999999'],
    ['.5', '0.5'],
  ])('%s is the same as %s', (text, shortest) => {
    expect(textOfUnits(parseUnits(text)!)).toBe(shortest);
  });

  it.each([
    ...['1e15', '1000000000000000', '-1e15', '0.0000000000001', '1e-13', '1.0000000000001', '1e400', 'many', '', 'NaN'],
  ])('%s is beyond the bounds of a value, or no number', (text) => {
    expect(parseUnits(text)).toBeUndefined();
  });

  it('add up exactly in any order, where doubles do not', () => {
    const values = ['0.1', '0.2', '999999999999999.999999999999', '-999999999999999.999999999999', '0.000000000001'];
    for (let turn = 0; turn < values.length; turn++) {
      const turned = [...values.slice(turn), ...values.slice(0, turn)];
      expect(textOfUnits(turned.reduce((sum, text) => sum + parseUnits(text)!, 0n))).toBe('0.300000000001');
    }
  });

  it('are of sums up to 38 digits', () => {
    const sum = parseUnits('999999999999999.999999999999')! * 10_000_000_000n;
    expect(parseSumUnits(textOfUnits(sum))).toBe(sum);
    expect(parseSumUnits('1e26')).toBeUndefined();
    expect(parseUnits('1')).toBe(ONE);
  });
});
