import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toBaseItem } from '../../src/client/write/checks/base-item.ts';
import { ExactNumber } from '../../src/core/items/plain.ts';
import { EdgeloomError } from '../../src/foundation/errors.ts';
import { anyNode, define } from '../support/model.ts';

const entries = fc.uniqueArray(fc.integer(), { maxLength: 12 });
const form = fc.constantFrom<(numbers: number[]) => unknown>(
  (numbers) => numbers,
  (numbers) => new Set(numbers.map(String)),
  (numbers) => new Set(numbers.map((number) => new ExactNumber(String(number)))),
  (numbers) => Object.fromEntries(numbers.map((number) => [`k${number}`, number])),
);

describe('maxEntries', () => {
  it('refuses exactly what has more entries than its limit, in whatever form, and names both numbers', () => {
    fc.assert(
      fc.property(entries, form, fc.integer({ min: 1, max: 12 }), (numbers, of, limit) => {
        // DynamoDB has no empty sets.
        fc.pre(numbers.length > 0);
        const graph = define({ table: 'items', nodes: { USER: anyNode({ maxEntries: { list: limit } }) } });
        const write = () => toBaseItem(graph, { source: 'USER-1', target: 'USER-1', list: of(numbers) });
        if (numbers.length <= limit) expect(write).not.toThrow();
        else expect(write).toThrow(new RegExp(`has ${numbers.length} entries; its model allows ${limit}\\.`));
        try {
          write();
        } catch (error) {
          expect(error).toBeInstanceOf(EdgeloomError);
          expect((error as EdgeloomError).code).toBe('too-many-entries');
        }
      }),
    );
  });
});
