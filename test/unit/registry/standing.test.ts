import { describe, expect, it } from 'vitest';
import type { Item } from '../../../src/core/items/attribute-value.ts';
import { defineGraph } from '../../../src/core/model/compile/define-graph.ts';
import type { CompiledModel } from '../../../src/core/model/compiled.ts';
import { edge, node, rank, source } from '../../../src/core/model/schema.ts';
import { keysMovedSince, modelOfReady } from '../../../src/registry/checked.ts';
import type { Data } from '../../../src/registry/data.ts';
import { definitionsOf } from '../../../src/registry/definition.ts';
import type { ProjectionState, RegisteredProjection, Registry } from '../../../src/registry/registry.ts';
import { neededFanOuts, standingOf } from '../../../src/registry/standing.ts';

const GRAPH = defineGraph({
  table: 'records',
  nodes: {
    GOAL: node({ view: ['title'] }),
    USER: node({ view: ['name'], search: { name: {}, 'first-name': { attribute: 'name', project: ['name'] } } }),
    TEAM: node({ view: ['name'] }),
    BOOK: node({ view: [] }),
  },
  edges: {
    MEMBER: edge({
      ...{ from: 'GOAL', to: 'USER', degree: true },
      inbound: { orders: { gsi0: rank('role', { LEAD: 500 }), byDate: 'date' }, shards: 1, includeTarget: true },
    }),
    ABOUT: edge({ from: 'GOAL', to: 'BOOK', copy: ['title'] }),
    LEADS: edge({ from: 'TEAM', to: 'USER', copy: ['name'] }),
  },
});
const DEFINITIONS = definitionsOf(GRAPH);
const DATA = new Map<string, Data>([...DEFINITIONS.values()].map(({ fingerprint, data }) => [fingerprint, data]));

const views = (type: string, state: ProjectionState, id = 2): [string, RegisteredProjection] => {
  const definition = DEFINITIONS.get(`view:${type}`)!.fingerprint;
  return [`view:${type}`, { next: id + 1, generations: [{ id, definition, state, since: 0, changed: 1 }] }];
};
const NO_VIEWS = { next: 3, generations: [] };

/**
 * Of each projection 1 is forgotten, 2 is ready, 3 is building, 4 is retired and 5 is the next id; the search by first name was dropped.
 * Views 2 of GOAL are ready, those of USER retired, those of TEAM building; BOOK's were dropped.
 */
function registry(changes: { views?: [string, RegisteredProjection][]; ready?: number } = {}): Registry {
  const { ready = 2 } = changes;
  return {
    version: 1,
    projections: new Map([
      ...[...DEFINITIONS.values()].map(({ name, fingerprint: definition }): [string, RegisteredProjection] => {
        const generation = (id: number, state: ProjectionState) => {
          return { id, definition, since: 0, changed: 1, state: id === ready ? 'ready' : state } as const;
        };
        const generations = [generation(2, 'building'), generation(3, 'building'), generation(4, 'retired')];
        return [name, { next: 5, generations: name === 'search:USER.first-name' ? [] : generations }];
      }),
      ...[views('GOAL', 'ready'), views('USER', 'retired'), views('TEAM', 'building')],
      ['view:BOOK', NO_VIEWS],
      ...(changes.views ?? []),
    ]),
  };
}

const CHECKED = modelOfReady(registry(), DATA, GRAPH);
const standing = (source: string, sortKey: string, item: Item = {}, model: CompiledModel = CHECKED): string => {
  const { kind, name } = standingOf(model, source, sortKey, { ...item, r: { N: '4' } });
  return `${kind} ${name}`.trim();
};

describe('what a check has to do with a derived item', () => {
  const GENERATIONS: [id: number, kind: string][] = [
    [1, 'retired'],
    [2, 'compared'],
    [3, 'changing'],
    [4, 'changing'],
    [5, 'unregistered'],
    [99, 'unregistered'],
  ];
  describe.each(GENERATIONS)('of generation %i is: %s', (id, kind) => {
    const mark = id === 1 ? '' : `@${id}/`;
    const hashed = '#0123456789abcdef0123456789abcdef';
    it.each([
      ['a search item', 'USER-1', `~ix/${mark}name`, {}, 'search:USER.name'],
      ['one of a value', 'USER-1', `~ix/${mark}name/x-y`, {}, 'search:USER.name'],
      ['an index item of an edge', 'GOAL-1', `~ix/${mark}MEMBER-USER-1`, {}, 'inbound:MEMBER'],
      [
        'a counted one with a hashed key',
        'GOAL-1',
        `~ix/${mark}${hashed}`,
        { counted: { S: 'MEMBER' } },
        'inbound:MEMBER',
      ],
      [
        'one with a hashed key in an index',
        'GOAL-1',
        `~ix/${mark}${hashed}`,
        { gsi0pk: { S: 'MEMBER-U' } },
        'inbound:MEMBER',
      ],
      ['an item of a named order', 'GOAL-1', `~ix/${mark}#byDate/MEMBER-USER-1`, {}, 'order:MEMBER.byDate'],
      ['an owner', 'USER-1', `~ix/${mark}#includeTarget/MEMBER`, {}, 'inbound:MEMBER'],
      ['an owner in a named order', 'USER-1', `~ix/${mark}#includeTarget/MEMBER/byDate`, {}, 'order:MEMBER.byDate'],
      ['a count', 'GOAL-1', `~degree/${mark}MEMBER`, { count: { N: '1' } }, 'inbound:MEMBER'],
    ] as const)('%s', (_what, source, sortKey, item, name) => {
      expect(standing(source, sortKey, item)).toBe(`${kind} ${name}@${id}`);
    });
  });

  it('counts as ready what readers use, and as changing what they do not use yet, or no more', () => {
    const { ready, changing } = CHECKED.standings!;
    expect(ready).toContain('search:USER.name@2');
    expect(ready).toContain('view:GOAL@2');
    for (const name of ['search:USER.name@3', 'search:USER.name@4', 'view:USER@2', 'view:TEAM@2']) {
      expect(ready).not.toContain(name);
      expect(changing.map((part) => part.name)).toContain(name);
    }
    for (const name of ['search:USER.name@1', 'view:BOOK@2']) expect(ready).not.toContain(name);
  });

  it('goes by the name: of a dropped projection all ids that were given out are retired, of an unknown one none is known', () => {
    expect(standing('USER-1', '~ix/@4/first%2Dname')).toBe('retired search:USER.first-name@4');
    expect(standing('USER-1', '~ix/@5/first%2Dname')).toBe('unregistered search:USER.first-name@5');
    expect(standing('USER-1', '~ix/@2/ghost')).toBe('unregistered search:USER.ghost@2');
    expect(standing('GHOST-1', '~ix/name')).toBe('unregistered search:GHOST.name@1');
    expect(standing('GOAL-1', '~ix/GHOST-USER-1')).toBe('unregistered inbound:GHOST@1');
    expect(standing('GOAL-1', '~ix/#byGhost/MEMBER-USER-1')).toBe('unregistered order:MEMBER.byGhost@1');
    expect(standing('GOAL-1', '~degree/GHOST')).toBe('unregistered inbound:GHOST@1');
  });

  it('leaves tombstones of what is retired or unknown to TTL, also where a hash names them', () => {
    const tombstone = { expiresAt: { N: '1' }, model: { S: '@1' }, source: { S: 'USER-1' } };
    expect(standing('USER-1', '~ix/name', tombstone)).toBe('left');
    expect(standing('USER-1', '~ix/@9/name', tombstone)).toBe('left');
    expect(standing('GOAL-1', '~ix/@2/#0123456789abcdef0123456789abcdef', tombstone)).toBe('left');
    expect(standing('BOOK-1', '~view', tombstone)).toBe('left');
    // What holds something is none, and what lacks an expiry stays for ever.
    expect(standing('USER-1', '~ix/name', { ...tombstone, value: { S: 'x' } })).toBe('retired search:USER.name@1');
    expect(standing('USER-1', '~ix/name', { model: { S: '@1' } })).toBe('retired search:USER.name@1');
    expect(standing('USER-1', '~ix/@2/name', tombstone)).toBe('compared search:USER.name@2');
  });

  it('takes keys that name nothing for what they are without a registry', () => {
    expect(standing('GOAL-1', '~ix/#0123456789abcdef0123456789abcdef')).toBe('compared');
    expect(standing('nobody', '~ix/name')).toBe('compared');
    expect(standing('USER-1', '~ix/%zz')).toBe('compared');
    expect(standing('USER-1', '~junk')).toBe('compared');
    expect(standing('USER-1', '~quarantine/USER-1/x')).toBe('compared');
    expect(standing('USER-1', '~ix/@2/%zz')).toBe('unregistered');
    expect(standingOf(GRAPH, 'USER-1', '~ix/@9/name', {})).toEqual({ kind: 'compared', name: '' });
  });

  it('goes by the last views of the type, whatever the stamp, unless nobody has given that out', () => {
    const stamped = (stamp: string) => ({ model: { S: stamp } });
    expect(standing('GOAL-1', '~view', stamped('@2'))).toBe('compared view:GOAL@2');
    expect(standing('GOAL-1', '~view', stamped('@1'))).toBe('compared view:GOAL@2');
    expect(standing('GOAL-1', '~view', stamped('cafe1234'))).toBe('compared view:GOAL@2');
    expect(standing('GOAL-1', '~view', stamped('@3'))).toBe('unregistered view:GOAL@3');
    expect(standing('USER-1', '~view', stamped('@2'))).toBe('changing view:USER@2');
    expect(standing('TEAM-1', '~view', stamped('@1'))).toBe('changing view:TEAM@2');
    expect(standing('BOOK-1', '~view', stamped('@2'))).toBe('retired view:BOOK');
    expect(standing('BOOK-1', '~view', stamped('@3'))).toBe('unregistered view:BOOK@3');
    expect(standing('GHOST-1', '~view')).toBe('unregistered view:GHOST');
    expect(standing('nobody', '~view')).toBe('compared');
  });

  it('compares reverse items and fan-outs of edges that a ready view copies by, and leaves all others', () => {
    for (const sortKey of ['~rev/ABOUT-GOAL-1', '~more/ABOUT'])
      expect(standing('BOOK-1', sortKey)).toBe('compared ABOUT for @2');
    for (const sortKey of ['~rev/LEADS-TEAM-1', '~more/LEADS', '~more/#source/ABOUT']) {
      expect(standing('USER-1', sortKey)).toBe('left');
    }
    expect(standing('BOOK-1', '~rev/@2/ABOUT-GOAL-1')).toBe('unregistered ABOUT@2');
  });

  it('takes an open fan-out that nothing needs for garbage, where no change is under way', () => {
    const open: Item = { after: { S: '~rev/LEADS-TEAM-1' } };
    const built = registry({ views: [views('USER', 'ready'), ['view:TEAM', NO_VIEWS]] });
    const calm: Registry = {
      ...built,
      projections: new Map(
        [...built.projections].map(([name, { next, generations }]) => {
          return [name, { next, generations: generations.filter(({ state }) => state === 'ready') }];
        }),
      ),
    };
    const settled = modelOfReady(calm, DATA, GRAPH);
    expect(standing('USER-1', '~more/LEADS', open, settled)).toBe('retired a fan-out of LEADS');
    const building = modelOfReady(built, DATA, GRAPH);
    expect(standing('USER-1', '~more/LEADS', open, building)).toBe('left');
  });

  it('knows the fan-outs that something needs in whatever state, or may need', () => {
    const joined = defineGraph({
      table: 'records',
      nodes: { GOAL: node({ view: 'ALL' }), USER: node({ view: 'ALL' }) },
      edges: {
        MEMBER: edge({ from: 'GOAL', to: 'USER', inbound: { orders: { gsi0: 'date', byTitle: source('title') } } }),
        HELPS: edge({ from: 'GOAL', to: 'USER', inbound: { orders: { gsi0: 'date' }, projectSource: ['title'] } }),
      },
    });
    const own = [...definitionsOf(joined).values()];
    const data = new Map<string, Data>([...DATA, ...own.map((one) => [one.fingerprint, one.data] as const)]);
    const withJoined = (state: ProjectionState): Registry => ({
      ...registry(),
      projections: new Map([
        ...own.map(({ name, fingerprint }): [string, RegisteredProjection] => {
          return [name, { next: 2, generations: [{ id: 1, definition: fingerprint, state, since: 0, changed: 1 }] }];
        }),
        ...[views('GOAL', 'ready'), views('TEAM', 'building')],
      ]),
    });
    const keys = ['~more/LEADS', '~more/ABOUT', '~more/MEMBER', '~more/#source/MEMBER', '~more/#source/HELPS'];
    const needed = (from: Registry | undefined, definitions = data) => keys.filter(neededFanOuts(from, definitions));
    // The views that copy by LEADS are being built.
    const copies = ['~more/LEADS', '~more/ABOUT'];
    const joins = ['~more/#source/MEMBER', '~more/#source/HELPS'];
    expect(needed(withJoined('building'))).toEqual([...copies, ...joins]);
    expect(needed(withJoined('ready'))).toEqual([...copies, ...joins]);
    expect(needed(withJoined('retired'))).toEqual(copies);
    expect(needed(undefined)).toEqual(keys);
    expect(needed(withJoined('building'), DATA)).toEqual(keys);
  });

  it('lists what is built and what is taken away, with a reason', () => {
    const { changing } = CHECKED.standings!;
    expect(changing.map(({ name }) => name).sort()).toEqual([
      ...['inbound:MEMBER@3', 'inbound:MEMBER@4', 'order:MEMBER.byDate@3', 'order:MEMBER.byDate@4'],
      ...['search:USER.name@3', 'search:USER.name@4', 'view:TEAM@2', 'view:USER@2'],
    ]);
    const reasonOf = (name: string) => changing.find((part) => part.name === name)?.reason;
    expect(reasonOf('search:USER.name@3')).toContain('it is being built, or taken away; edgeloom migrate');
    expect(reasonOf('search:USER.name@4')).toContain('its items are being deleted; edgeloom migrate');
    expect(reasonOf('view:USER@2')).toContain('its items are being deleted');
    expect(reasonOf('view:TEAM@2')).toContain('it is being built, or taken away');
  });
});

describe('what the registry has moved since a check began', () => {
  const keys = [
    { source: 'USER-1', target: '~ix/@2/name' },
    { source: 'USER-1', target: '~ix/@3/name' },
    { source: 'USER-1', target: '~ix/name' },
    { source: 'GOAL-1', target: '~view' },
    { source: 'BOOK-1', target: '~rev/ABOUT-GOAL-1' },
    { source: 'GOAL-1', target: '~ix/#0123456789abcdef0123456789abcdef' },
  ];
  const store = { getMany: async () => ({ items: keys.map(() => undefined), rcu: 0, calls: 1 }) };
  const moved = async (now: CompiledModel) => {
    const found = await keysMovedSince(CHECKED, { model: { current: async () => now }, store }, keys);
    return keys.map(({ source, target }) => found.has(JSON.stringify([source, target])));
  };

  it('is nothing while it has not changed, and what cannot be told where it has', async () => {
    expect(await moved(CHECKED)).toEqual(keys.map(() => false));
    const same = modelOfReady(registry(), DATA, GRAPH);
    expect(await moved(same)).toEqual([false, false, false, false, false, true]);
  });

  it('is what has another state, or views with another id', async () => {
    expect(await moved(modelOfReady(registry({ ready: 3 }), DATA, GRAPH))).toEqual([
      ...[true, true, false, false, false, true],
    ]);
    const replaced = registry({ views: [views('GOAL', 'ready', 3)] });
    // Reverse items that views of two generations copy by: those in between may have copied nothing.
    expect(await moved(modelOfReady(replaced, DATA, GRAPH))).toEqual([false, false, false, true, true, true]);
  });

  it('is all of it where the table had no registry before', async () => {
    const found = await keysMovedSince(GRAPH, { model: { current: async () => CHECKED }, store }, keys);
    expect(found.size).toBe(keys.length);
  });
});
