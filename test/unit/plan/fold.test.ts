import { describe, expect, it } from 'vitest';
import { foldBatch } from '../../../src/core/plan/fold.ts';
import { change, history } from '../../support/records.ts';

const A = 'USER-A';
const B = 'USER-B';

describe('foldBatch', () => {
  it('gathers records by partition, then by base item, in stream order', () => {
    const [a1, a2] = history(A, A, [undefined, {}, { n: { N: '1' } }], 1) as [never, never];
    const edge = change(A, 'KNOWS-USER-B', undefined, {}, 3);
    const b = change(B, B, undefined, {}, 4);
    const folded = foldBatch([a1, edge, b, a2]);
    expect([...folded.keys()]).toEqual([A, B]);
    expect(folded.get(A)).toEqual([
      { source: A, target: A, records: [a1, a2] },
      { source: A, target: 'KNOWS-USER-B', records: [edge] },
    ]);
    expect(folded.get(B)).toEqual([{ source: B, target: B, records: [b] }]);
  });

  it('takes a record that a batch holds twice once', () => {
    const records = history(A, A, [undefined, {}, { n: { N: '1' } }, undefined]);
    const [first, second, third] = records as [never, never, never];
    for (const batch of [
      [first, first, second, third],
      [first, second, third, first, second],
      [first, second, first, second, third, third],
    ]) {
      expect(foldBatch(batch).get(A)).toEqual([{ source: A, target: A, records }]);
    }
  });

  it('puts records that arrive out of order into the order of their positions', () => {
    const records = history(A, A, [undefined, {}, { n: { N: '1' } }, undefined]);
    expect(foldBatch([...records].reverse()).get(A)?.[0]?.records).toEqual(records);
  });

  it('keeps items apart whose keys run together, and those named like properties of every object', () => {
    const records = [
      ['AB', 'C'],
      ['A', 'BC'],
      ['constructor', '__proto__'],
      ['__proto__', 'constructor'],
    ].map(([source, target], i) => change(source!, target!, undefined, {}, i));
    const folded = foldBatch(records);
    expect([...folded.values()].flat().map(({ source, target }) => [source, target])).toEqual([
      ['AB', 'C'],
      ['A', 'BC'],
      ['constructor', '__proto__'],
      ['__proto__', 'constructor'],
    ]);
  });

  it('makes nothing of an empty batch', () => {
    expect(foldBatch([]).size).toBe(0);
  });
});
