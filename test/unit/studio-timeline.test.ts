import { describe, expect, it } from 'vitest';
import { momentOf } from '../../packages/studio/api/timeline.ts';
import { encodeRegistry, type ProjectionState, type Registry } from '../../src/registry/registry.ts';

const SEARCH = 'search:USER.name';

/** A registry with generations of one search, and the views of users. */
function registryOf(version: number, states: ProjectionState[], views?: ProjectionState): Registry {
  const generations = states.map((state, i) => ({ id: i + 1, definition: `d${i}`, state, changed: version }));
  const ofViews = views === undefined ? [] : [{ id: 2, definition: 's', changed: version, state: views }];
  return {
    version,
    projections: new Map([
      [SEARCH, { next: states.length + 1, generations }],
      ['view:USER', { next: 3, generations: ofViews }],
    ]),
  };
}

const momentBetween = (before: Registry, after: Registry) =>
  momentOf({ before: encodeRegistry(before), after: encodeRegistry(after), atMs: 1_000 });

describe('the timeline of model changes', () => {
  it('says what changed, and when', () => {
    const change = (generation: number, before: string | null, after: string) => [
      { name: SEARCH, generation, before, after },
    ];
    expect(momentBetween(registryOf(1, ['ready']), registryOf(2, ['ready', 'building']))).toEqual({
      ...{ version: 2, atMs: 1_000, changes: change(2, null, 'building') },
    });
    expect(momentBetween(registryOf(2, ['ready', 'building']), registryOf(3, ['ready', 'ready'])).changes).toEqual(
      change(2, 'building', 'ready'),
    );
    expect(momentBetween(registryOf(3, ['ready', 'ready']), registryOf(4, ['retired', 'ready'])).changes).toEqual(
      change(1, 'ready', 'retired'),
    );
  });

  it('tells of views too', () => {
    const { changes } = momentBetween(registryOf(1, ['building'], 'building'), registryOf(2, ['ready'], 'retired'));
    expect(changes.map(({ name }) => name)).toEqual([SEARCH, 'view:USER']);
  });
});
