import { type MigratingScope, migratingBegin } from './migrating.ts';
import { ProjectingPlay, type ProjectingScope } from './projecting.ts';
import type { Begin } from './walk.ts';

/** A scope that is small enough for all of its schedules. */
export interface Scope {
  name: string;
  /** What happens in it. */
  says: string;
  /** Whether schedules are left out that only differ in the order of steps that commute. */
  isPruned: boolean;
  /** Whether the updates of a call land at once. */
  updatesAtOnce: boolean;
  begin: Begin;
}

const NODE = { source: 'GOAL-1', target: 'GOAL-1' };
const EDGE = { source: 'GOAL-1', target: 'MEMBER-USER-1' };
const USER = { source: 'USER-1', target: 'USER-1' };
const WORK = { source: 'GOAL-1', target: 'WORK-USER-1' };
const OTHER_WORK = { source: 'GOAL-2', target: 'WORK-USER-1' };
const CODE = { put: { kind: 'code' } };
const TALK = { put: { kind: 'talk' } };
const LEAD = { ...EDGE, put: { role: 'LEAD' } };
const TEAM = { ...EDGE, put: { role: 'TEAM' } };

/** Two shards: the edge in the first one, its node and its user in the other; the first one's numbers are the higher ones. */
const TWO_SHARDS = {
  'stream.unordered': 1,
  'stream0.shards': 1,
  'shard0.start': 50,
  'place of GOAL-1 GOAL-1': 4,
  'place of USER-1 USER-1': 4,
};
/** A shard whose numbers are higher than those of its children. */
const FALLING = { 'stream.unordered': 1, 'shard0.start': 50 };

function projecting(name: string, says: string, scope: ProjectingScope): Scope {
  return {
    name,
    says,
    isPruned: scope.isPruned ?? false,
    updatesAtOnce: scope.updatesAtOnce ?? false,
    begin: (numbering) => ProjectingPlay.begin(scope, numbering),
  };
}

function migrating(name: string, says: string, scope: MigratingScope): Scope {
  return { name, says, isPruned: true, updatesAtOnce: scope.updatesAtOnce ?? false, begin: migratingBegin(scope) };
}

/** Every scope. */
export const SCOPES: readonly Scope[] = [
  projecting('two-writes', 'An edge is put and deleted; one batch comes twice, one process dies.', {
    producers: [[LEAD, EDGE]],
    accidents: { duplicates: 1, crashes: 1 },
  }),
  projecting('there-and-back', 'An edge is changed and changed back; the mapping abandons one process.', {
    before: [LEAD],
    producers: [[TEAM, LEAD]],
    accidents: { abandoned: 1 },
  }),
  projecting(
    'falling-numbers',
    'An edge is changed and changed back after a split; numbers fall; one batch comes twice.',
    {
      stream: FALLING,
      before: [LEAD, 'split'],
      producers: [[TEAM, LEAD]],
      accidents: { duplicates: 1 },
    },
  ),
  projecting('two-shards', 'A node and its edge are put and deleted, each in a shard of its own; one process dies.', {
    stream: TWO_SHARDS,
    producers: [
      [LEAD, EDGE],
      [{ ...NODE, put: { title: 'one' } }, NODE],
    ],
    accidents: { crashes: 1 },
    updatesAtOnce: true,
  }),
  projecting('counted', 'A counted edge is put and deleted; one process dies.', {
    model: { counted: 'MEMBER' },
    producers: [[LEAD, EDGE]],
    accidents: { crashes: 1 },
  }),
  projecting('copied', 'An edge is put while its user, in another shard, changes its name; one answer is lost.', {
    model: { copies: 'name' },
    stream: TWO_SHARDS,
    before: [{ ...USER, put: { name: 'ann' } }],
    producers: [[LEAD], [{ ...USER, put: { name: 'bob' } }]],
    accidents: { lost: 1 },
    isPruned: true,
    updatesAtOnce: true,
  }),
  projecting('repair', 'A repair of an edge looks while it is deleted and put again; one process dies.', {
    before: [LEAD],
    producers: [[EDGE, TEAM]],
    accidents: { crashes: 1 },
    repairs: [{ source: EDGE.source, sortKey: '~view', bases: [EDGE] }],
  }),
  projecting('three-writes', 'An edge is put, changed and deleted; one batch comes twice, one process dies.', {
    producers: [[LEAD, TEAM, EDGE]],
    accidents: { duplicates: 1, crashes: 1 },
    isPruned: true,
    updatesAtOnce: true,
  }),
  migrating('search-added', 'One step of a migration that adds a search, one record, one read by the new model.', {
    change: 'search-added',
    reads: 'after',
    hasBatchBefore: true,
  }),
  migrating(
    'search-resharded',
    'One step of a migration that spreads a search, one record, one read by the old model.',
    {
      change: 'search-resharded',
      reads: 'before',
      updatesAtOnce: true,
    },
  ),
  projecting('grouped', 'An edge changes its group and is deleted; one batch comes twice, one process dies.', {
    model: { totals: 'inbound' },
    before: [{ ...WORK, ...CODE }],
    producers: [[{ ...WORK, ...TALK }, WORK]],
    accidents: { duplicates: 1, crashes: 1 },
  }),
  projecting('one-total', 'Two edges of two nodes enter one; one batch comes twice, one process dies.', {
    model: { totals: 'inbound' },
    producers: [[{ ...WORK, ...CODE }], [{ ...OTHER_WORK, ...CODE }]],
    accidents: { duplicates: 1, crashes: 1 },
    isPruned: true,
  }),
  projecting('total-repaired', 'A repair of a total looks while an edge comes and another changes its group.', {
    model: { totals: 'inbound' },
    before: [{ ...WORK, ...CODE }],
    producers: [[{ ...WORK, ...TALK }], [{ ...OTHER_WORK, ...CODE }]],
    repairs: [{ source: 'USER-1', sortKey: '~total/WORK' }],
    isPruned: true,
  }),
];

/** The scope of a name. Throws if there is none. */
export function scopeOf(name: string): Scope {
  const scope = SCOPES.find((one) => one.name === name);
  if (scope !== undefined) return scope;
  throw new Error(`There is no scope ${name}. There are: ${SCOPES.map((one) => one.name).join(', ')}.`);
}
