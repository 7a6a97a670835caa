import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { groupTypes } from '../../packages/studio/base/type-groups.ts';

const link = (from: string, to: string) => ({ from: [from], to: [to] });

describe('groups of node types', () => {
  it('hold the types that are connected most, the busiest first', () => {
    const links = [
      ...[link('USER', 'TEAM'), link('USER', 'GOAL'), link('TEAM', 'GOAL')],
      ...[link('ORDER', 'LINE'), link('ORDER', 'BILL'), link('LINE', 'BILL'), link('BILL', 'ORDER')],
      link('USER', 'ORDER'),
    ];
    expect(groupTypes(['BILL', 'GOAL', 'LINE', 'ORDER', 'TEAM', 'USER'], links)).toEqual([
      ['ORDER', 'BILL', 'LINE'],
      ['USER', 'GOAL', 'TEAM'],
    ]);
  });

  it('leave a type alone that no edge type connects with another', () => {
    expect(groupTypes(['A', 'B', 'C'], [link('A', 'A'), link('B', 'C')])).toEqual([['A'], ['B', 'C']]);
  });

  it('have each type once, and eight types at most', () => {
    const types = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'.split('');
    const anyType = fc.constantFrom(...types);
    const anyLink = fc.record({ from: fc.array(anyType, { minLength: 1 }), to: fc.array(anyType, { minLength: 1 }) });
    fc.assert(
      fc.property(fc.array(anyLink), (links) => {
        const groups = groupTypes(types, links);
        expect(groups.flat().sort()).toEqual(types);
        expect(Math.max(...groups.map(({ length }) => length))).toBeLessThanOrEqual(8);
      }),
    );
  });
});
