import { describe, expect, it } from 'vitest';
import { ownershipTest } from '../../../src/registry/ownership.ts';
import { stampedId, stampText } from '../../../src/registry/registry.ts';
import { announce, installShapes } from '../../../src/registry/transitions.ts';

describe('a registry that is made anew', () => {
  const shape = (fingerprint: string): { fingerprint: string } => ({ fingerprint });

  it('gives the views of a type that it learns of later a number beyond those of all its types', () => {
    const views = new Map([
      ['GOAL', shape('a')],
      ['USER', shape('b')],
    ]);
    const registry = announce({ projections: new Map(), views }, undefined, 700);
    const { shapes } = installShapes(registry, new Map([['TEAM', 'c']]), new Map());
    expect(shapes.get('TEAM')).toMatchObject({ next: 702, shape: { id: 701, trusted: true, ready: false } });
    expect(shapes.get('GOAL')?.shape?.id).toBe(700);
  });

  it.each([7, 999_999_999, 1_503_238_554, 2 ** 31])('tells the views of shape %i from those of the next', (id) => {
    expect(stampedId(stampText(id))).toBe(id);
    const viewOf = (shapeId: number) => ({
      source: 'USER-1',
      target: '~view',
      item: { model: { S: stampText(shapeId) } },
    });
    const isGone = ownershipTest([{ name: 'view:USER', id }]);
    expect([isGone(viewOf(id - 1)), isGone(viewOf(id)), isGone(viewOf(id + 1))]).toEqual([true, true, false]);
  });
});
