import { describe, expect, it } from 'vitest';
import { isPlausibleWatermark, laterOf, watermarkOf } from '../../../src/core/items/watermark.ts';

describe('watermarks', () => {
  it('compare as sequence numbers do, whatever their length', () => {
    const label = '2026-01-01T00:00:00.000';
    expect(watermarkOf(label, '9') < watermarkOf(label, '10')).toBe(true);
    expect(watermarkOf(label, '99999999999999999999') < watermarkOf(label, '1'.padEnd(40, '0'))).toBe(true);
  });
  it('of a re-created stream are later than all of the old one', () => {
    const old = watermarkOf('2026-01-01T00:00:00.000', '9'.repeat(40));
    expect(old < watermarkOf('2026-01-01T00:00:00.001', '1')).toBe(true);
  });
  it('have one length for a label, padded to 40 digits', () => {
    expect(watermarkOf('label', '7')).toBe(`label/${'0'.repeat(39)}7`);
  });
  it.each(['', '-1', '1.0', 'abc', '1'.repeat(100), ' 1'])('refuse %j as a sequence number', (text) => {
    expect(() => watermarkOf('label', text)).toThrow(TypeError);
  });
  it('of an emulator with longer numbers are later than all padded ones, and compare among themselves', () => {
    const [longest, first, second, longer] = [
      '9'.repeat(40),
      `1${'0'.repeat(55)}`,
      `1${'0'.repeat(54)}1`,
      '1'.repeat(57),
    ];
    const ordered = [longest, '1'.repeat(41), first, second, longer].map((number) => watermarkOf('label', number!));
    expect([...ordered].sort()).toEqual(ordered);
    // Zeros before a number are not digits of it.
    expect(watermarkOf('label', `000${'7'.repeat(40)}`)).toBe(watermarkOf('label', '7'.repeat(40)));
  });
  it('that stand in tables already stay plausible; long ones are, in their form', () => {
    const plausible = (text: string) => isPlausibleWatermark({ S: text }, 'label');
    expect(plausible('')).toBe(true);
    expect(plausible(`label/${'0'.repeat(39)}7`)).toBe(true);
    expect(plausible(watermarkOf('label', '1'.repeat(56)))).toBe(true);
    expect(plausible(watermarkOf('later', '1'.repeat(56)))).toBe(false);
    for (const text of [`label/n99-${'1'.repeat(56)}`, `label/n07-${'1'.repeat(7)}`, `label/n41-0${'1'.repeat(40)}`]) {
      expect(plausible(text)).toBe(false);
    }
  });
  it('the later of two; none counts as before everything', () => {
    expect(laterOf('a', 'b')).toBe('b');
    expect(laterOf('b', 'a')).toBe('b');
    expect(laterOf(undefined, '')).toBe('');
  });
});
