import { describe, expect, it } from 'vitest';
import { momentOf } from '../../packages/studio/api/timeline.ts';
import { encodeRegistry, type Generation, type Registry } from '../../src/registry/registry.ts';

const SEARCH = 'search:USER.name';

/** A registry with generations of one search, and the shape of the views of users. */
function registryOf(
  version: number,
  states: Generation['state'][],
  shape?: { trusted: boolean; ready: boolean },
): Registry {
  const generations = states.map((state, i) => ({ id: i + 1, definition: `d${i}`, state, changed: version }));
  return {
    version,
    projections: new Map([[SEARCH, { next: states.length + 1, generations }]]),
    shapes: new Map(
      shape === undefined ? [] : [['USER', { next: 3, shape: { id: 2, definition: 's', changed: version, ...shape } }]],
    ),
  };
}

const momentBetween = (before: Registry, after: Registry) =>
  momentOf({ before: encodeRegistry(before), after: encodeRegistry(after), atMs: 1_000 });

describe('the timeline of model changes', () => {
  it('says what changed, and when', () => {
    const change = (generation: number, before: string | null, after: string) => [
      { name: SEARCH, generation, before, after },
    ];
    expect(momentBetween(registryOf(1, ['ready']), registryOf(2, ['ready', 'kept']))).toEqual({
      ...{ version: 2, atMs: 1_000, changes: change(2, null, 'kept') },
    });
    expect(momentBetween(registryOf(2, ['ready', 'kept']), registryOf(3, ['ready', 'ready'])).changes).toEqual(
      change(2, 'kept', 'ready'),
    );
    expect(momentBetween(registryOf(3, ['ready', 'ready']), registryOf(4, ['absent', 'ready'])).changes).toEqual(
      change(1, 'ready', 'absent'),
    );
  });

  it('tells of views too', () => {
    const { changes } = momentBetween(
      registryOf(1, ['kept'], { trusted: true, ready: false }),
      registryOf(2, ['ready'], { trusted: false, ready: false }),
    );
    expect(changes.map(({ name }) => name)).toEqual([SEARCH, 'view:USER']);
  });
});
