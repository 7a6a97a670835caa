import { describe, expect, it } from 'vitest';
import { actionTargets, type MigrateAction } from '../../../src/migrate/action.ts';
import type { Generation, Registry } from '../../../src/registry/registry.ts';

const ID = 1_503_238_554;
const registry: Registry = {
  version: 3,
  projections: new Map([
    ['view:USER', { next: ID + 1, generations: [{ id: ID, definition: 'a', state: 'ready', changed: 1 }] }],
    ['view:GONE', { next: 8, generations: [] }],
  ]),
};
const targetsOf = (registry: Registry, ...actions: MigrateAction[]) =>
  actionTargets(registry, new Map(), new Map(), actions);

describe('an action that names views', () => {
  it.each([
    ['view:USER', 'view:USER', [ID], true],
    [`view:USER@${ID}`, 'view:USER', [ID], true],
    ['view:USER@1', 'view:USER', [], false],
    ['view:GONE', 'view:GONE', [], true],
  ])('%s is about the views of the generation that it names', (name, projection, ids, dropsOwn) => {
    expect(targetsOf(registry, { kind: 'drop', name })).toEqual([
      { kind: 'drop', name: projection, generations: new Set(ids), dropsOwn },
    ]);
  });
});

describe('an action that names a search', () => {
  const ready = (id: number): Generation => ({ id, definition: 'a', state: 'ready', changed: 1 });
  const projections = new Map([
    ['search:USER.name', { next: 3, generations: [ready(1), ready(2)] }],
    ['search:USER.name@2', { next: 3, generations: [ready(1)] }],
  ]);

  it.each([
    ['search:USER.name', 'search:USER.name', [1, 2], true],
    ['search:USER.name@1', 'search:USER.name', [1], false],
    // There is a search of that name.
    ['search:USER.name@2', 'search:USER.name@2', [1], true],
  ])('%s is about what has that name, before a generation', (name, projection, ids, dropsOwn) => {
    expect(targetsOf({ ...registry, projections }, { kind: 'drop', name })).toEqual([
      { kind: 'drop', name: projection, generations: new Set(ids), dropsOwn },
    ]);
  });
});

it('actions together may not take the last generation from readers, where each of them alone may', () => {
  const ready = (id: number): Generation => ({ id, definition: 'a', state: 'ready', changed: 1 });
  const projections = new Map([['search:USER.name', { next: 3, generations: [ready(1), ready(2)] }]]);
  const retire = (id: number): MigrateAction => ({ kind: 'retire', name: `search:USER.name@${id}` });
  const both = () => targetsOf({ ...registry, projections }, retire(1), retire(2));
  expect(targetsOf({ ...registry, projections }, retire(1))).toHaveLength(1);
  expect(both).toThrow(expect.objectContaining({ code: 'last-generation' }));
});

it.each([
  ['view:USR', 'Did you mean view:USER?'],
  ['everything', 'edgeloom status lists them'],
])('an action on %s, as which nothing is known, is refused', (name, hint) => {
  const refused = { code: 'unknown-name', message: `Neither the table nor the model has a projection ${name}.` };
  const ask = () => targetsOf(registry, { kind: 'drop', name });
  expect(ask).toThrow(expect.objectContaining({ ...refused, hint: expect.stringContaining(hint) }));
});
