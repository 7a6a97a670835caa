import { describe, expect, it } from 'vitest';
import { actionTarget } from '../../../src/migrate/action.ts';
import type { Generation, Registry } from '../../../src/registry/registry.ts';

const ID = 1_503_238_554;
const registry: Registry = {
  version: 3,
  projections: new Map(),
  shapes: new Map([
    ['USER', { next: ID + 1, shape: { id: ID, definition: 'a', trusted: true, ready: true, changed: 1 } }],
    ['GONE', { next: 8 }],
  ]),
};
const WANTED = { projections: new Map(), views: new Map() };

describe('an action that names views', () => {
  it.each([
    ['view:USER', 'view:USER', [ID]],
    [`view:USER@${ID}`, 'view:USER', [ID]],
    ['view:USER@1', 'view:USER', []],
    ['view:GONE', 'view:GONE', [7]],
  ])('%s is about the views of the shape that it names', (name, projection, ids) => {
    expect(actionTarget(registry, new Map(), WANTED, { kind: 'drop', name })).toEqual({
      name: projection,
      generations: new Set(ids),
    });
  });
});

describe('an action that names a search', () => {
  const ready = (id: number): Generation => ({ id, definition: 'a', state: 'ready', changed: 1 });
  const projections = new Map([
    ['search:USER.name', { next: 3, generations: [ready(1), ready(2)] }],
    ['search:USER.name@2', { next: 3, generations: [ready(1)] }],
  ]);

  it.each([
    ['search:USER.name', 'search:USER.name', [1, 2]],
    ['search:USER.name@1', 'search:USER.name', [1]],
    // There is a search of that name.
    ['search:USER.name@2', 'search:USER.name@2', [1]],
  ])('%s is about what has that name, before a generation', (name, projection, ids) => {
    expect(actionTarget({ ...registry, projections }, new Map(), WANTED, { kind: 'drop', name })).toEqual({
      name: projection,
      generations: new Set(ids),
    });
  });
});

it.each([
  ['view:USR', 'Did you mean view:USER?'],
  ['everything', 'edgeloom status lists them'],
])('an action on %s, as which nothing is known, is refused', (name, hint) => {
  const refused = { code: 'unknown-projection', message: `Neither the table nor the model has a projection ${name}.` };
  const ask = () => actionTarget(registry, new Map(), WANTED, { kind: 'drop', name });
  expect(ask).toThrow(expect.objectContaining({ ...refused, hint: expect.stringContaining(hint) }));
});
