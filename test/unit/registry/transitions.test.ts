import { describe, expect, it } from 'vitest';
import { ownershipTest } from '../../../src/registry/ownership.ts';
import { stampedId, stampText } from '../../../src/registry/registry.ts';
import { announce, installShapes, keepGeneration, registerAll } from '../../../src/registry/transitions.ts';

describe('a registry that is made anew', () => {
  const shape = (fingerprint: string): { fingerprint: string } => ({ fingerprint });

  it('gives the views of a type that it learns of later a number of its own', () => {
    const views = new Map([
      ['GOAL', shape('a')],
      ['USER', shape('b')],
    ]);
    const registry = announce({ projections: new Map(), views }, undefined, 700);
    const { shapes } = installShapes(registry, new Map([['TEAM', 'c']]), new Map());
    expect(shapes.get('TEAM')).toMatchObject({ next: 702, shape: { id: 701, trusted: true, ready: false } });
    expect(shapes.get('GOAL')?.shape?.id).toBe(700);
  });

  it('gives only its own ids to generations, but for the plain keys', () => {
    const definitions = {
      projections: new Map([['search:USER.name', shape('a')]]),
      views: new Map([['USER', shape('b')]]),
    };
    const idsIn = (registry: ReturnType<typeof announce>, name: string) =>
      keepGeneration(registry, name, 'c')
        .projections.get(name)
        ?.generations.map(({ id }) => id);
    const anew = announce(definitions, undefined, 700);
    expect(idsIn(anew, 'search:USER.name')).toEqual([1, 701]);
    expect(idsIn(anew, 'search:USER.email')).toEqual([701]);
    // The shape of a type has changed meanwhile, and it does not matter.
    const empty = registerAll(definitions);
    const changed = { ...empty, shapes: new Map([['USER', { next: 9 }]]) };
    expect(idsIn(changed, 'search:USER.name')).toEqual([1, 2]);
    expect(idsIn(changed, 'search:USER.email')).toEqual([2]);
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
