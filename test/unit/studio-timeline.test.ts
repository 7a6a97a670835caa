import { describe, expect, it } from 'vitest';
import { Timeline } from '../../packages/studio/base/timeline.ts';
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

const recordOf = (registry: Registry, atMs: number) => ({ text: encodeRegistry(registry), atMs });

describe('the timeline of model changes', () => {
  it('says what changed, and when', () => {
    const timeline = new Timeline();
    timeline.addRecords([
      recordOf(registryOf(1, ['ready']), 1_000),
      recordOf(registryOf(2, ['ready', 'kept']), 2_000),
      recordOf(registryOf(3, ['ready', 'ready']), 3_000),
    ]);
    timeline.addCurrent(registryOf(4, ['absent', 'ready']), 9_000);
    const change = (generation: number, before: string | null, after: string) => [
      { name: SEARCH, generation, before, after },
    ];
    expect(timeline.moments).toEqual([
      { version: 4, atMs: 9_000, isExact: false, changes: change(1, 'ready', 'absent') },
      { version: 3, atMs: 3_000, isExact: true, changes: change(2, 'kept', 'ready') },
      { version: 2, atMs: 2_000, isExact: true, changes: change(2, null, 'kept') },
      { version: 1, atMs: 1_000, isExact: true, changes: [] },
    ]);
  });

  it('takes the time of a record before that of a look, and tells of views too', () => {
    const timeline = new Timeline();
    timeline.addCurrent(registryOf(1, ['kept'], { trusted: true, ready: false }), 5_000);
    timeline.addCurrent(registryOf(2, ['ready'], { trusted: false, ready: false }), 6_000);
    timeline.addRecords([recordOf(registryOf(2, ['ready'], { trusted: false, ready: false }), 5_500)]);
    timeline.addCurrent(registryOf(2, ['ready'], { trusted: false, ready: false }), 7_000);
    const [second, first] = timeline.moments;
    expect(first!.changes).toEqual([]);
    expect(second).toMatchObject({ atMs: 5_500, isExact: true });
    expect(second!.changes.map(({ name }) => name)).toEqual([SEARCH, 'view:USER']);
  });
});
