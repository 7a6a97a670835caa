import { describe, expect, it } from 'vitest';
import { laterOf, watermarkOf } from '../../../src/items/watermark.ts';

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
  it.each(['', '-1', '1.0', 'abc', '1'.repeat(41), ' 1'])('refuse %j as a sequence number', (text) => {
    expect(() => watermarkOf('label', text)).toThrow(TypeError);
  });
  it('the later of two; none counts as before everything', () => {
    expect(laterOf('a', 'b')).toBe('b');
    expect(laterOf('b', 'a')).toBe('b');
    expect(laterOf(undefined, '')).toBe('');
  });
});
