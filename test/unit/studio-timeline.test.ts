import { describe, expect, it } from 'vitest';
import { Timeline } from '../../packages/studio/base/timeline.ts';
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

const recordOf = (registry: Registry, atMs: number) => ({ text: encodeRegistry(registry), atMs });

describe('the timeline of model changes', () => {
  it('says what changed, and when', () => {
    const timeline = new Timeline();
    timeline.addRecords([
      recordOf(registryOf(1, ['ready']), 1_000),
      recordOf(registryOf(2, ['ready', 'building']), 2_000),
      recordOf(registryOf(3, ['ready', 'ready']), 3_000),
    ]);
    timeline.addCurrent(registryOf(4, ['retired', 'ready']), 9_000);
    const change = (generation: number, before: string | null, after: string) => [
      { name: SEARCH, generation, before, after },
    ];
    expect(timeline.moments).toEqual([
      { version: 4, atMs: 9_000, isExact: false, changes: change(1, 'ready', 'retired') },
      { version: 3, atMs: 3_000, isExact: true, changes: change(2, 'building', 'ready') },
      { version: 2, atMs: 2_000, isExact: true, changes: change(2, null, 'building') },
      { version: 1, atMs: 1_000, isExact: true, changes: [] },
    ]);
  });

  it('takes the time of a record before that of a look, and tells of views too', () => {
    const timeline = new Timeline();
    timeline.addCurrent(registryOf(1, ['building'], 'building'), 5_000);
    timeline.addCurrent(registryOf(2, ['ready'], 'retired'), 6_000);
    timeline.addRecords([recordOf(registryOf(2, ['ready'], 'retired'), 5_500)]);
    timeline.addCurrent(registryOf(2, ['ready'], 'retired'), 7_000);
    const [second, first] = timeline.moments;
    expect(first!.changes).toEqual([]);
    expect(second).toMatchObject({ atMs: 5_500, isExact: true });
    expect(second!.changes.map(({ name }) => name)).toEqual([SEARCH, 'view:USER']);
  });
});
