import { describe, expect, it } from 'vitest';
import { ownershipTest } from '../../../src/registry/ownership.ts';
import { stampedId, stampText } from '../../../src/registry/registry.ts';
import { addGeneration, announce, registerAll, replaceViews } from '../../../src/registry/transitions.ts';

describe('a registry that is made anew', () => {
  it('gives the views of a type that it learns of later a number of its own', () => {
    const views = [
      { name: 'view:GOAL', fingerprint: 'a' },
      { name: 'view:USER', fingerprint: 'b' },
    ];
    const registry = announce(views, undefined, 700);
    const { projections } = replaceViews(registry, [{ name: 'view:TEAM', fingerprint: 'c' }], []);
    expect(projections.get('view:TEAM')).toMatchObject({ next: 702, generations: [{ id: 701, state: 'building' }] });
    expect(projections.get('view:GOAL')?.generations.map(({ id }) => id)).toEqual([700]);
  });

  it('gives only its own ids to generations, but for the plain keys', () => {
    const definitions = [
      { name: 'search:USER.name', fingerprint: 'a' },
      { name: 'view:USER', fingerprint: 'b' },
    ];
    const idsIn = (registry: ReturnType<typeof announce>, name: string) =>
      addGeneration(registry, name, 'c')
        .projections.get(name)
        ?.generations.map(({ id }) => id);
    const anew = announce(definitions, undefined, 700);
    expect(idsIn(anew, 'search:USER.name')).toEqual([1, 701]);
    expect(idsIn(anew, 'search:USER.email')).toEqual([701]);
    // The views of a type have changed meanwhile, and it does not matter.
    const empty = registerAll(definitions);
    const changed = {
      ...empty,
      projections: new Map(empty.projections).set('view:USER', { next: 9, generations: [] }),
    };
    expect(idsIn(changed, 'search:USER.name')).toEqual([1, 2]);
    expect(idsIn(changed, 'search:USER.email')).toEqual([2]);
  });

  it.each([7, 999_999_999, 1_503_238_554, 2 ** 31])('tells views %i from the next ones', (id) => {
    expect(stampedId(stampText(id))).toBe(id);
    const viewOf = (viewId: number) => ({
      source: 'USER-1',
      target: '~view',
      item: { model: { S: stampText(viewId) } },
    });
    const isGone = ownershipTest([{ name: 'view:USER', id }]);
    expect([isGone(viewOf(id - 1)), isGone(viewOf(id)), isGone(viewOf(id + 1))]).toEqual([true, true, false]);
  });
});
