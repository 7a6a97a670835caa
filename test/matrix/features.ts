import * as z from 'zod';
import { date, derive, number, rank, source, sum } from '../../src/index.ts';
import { inboundOption } from '../support/inbound-option.ts';
import type { ModelInput, Options } from './model.ts';

/** Values of attributes: the items of a type take them in turn, and each moves on by one with each change. */
export type Values = Readonly<Record<string, readonly unknown[]>>;

/** A value that the edges of each source have for themselves. */
export class OfSource {
  constructor(readonly of: (source: number) => unknown) {}
}

function ofSource(of: (source: number) => unknown): OfSource {
  return new OfSource(of);
}

/** A row of the matrix: one feature of the model. */
export interface Feature {
  name: string;
  /** The options of the model file that it shows, as `vocabulary.ts` names them. */
  options: readonly string[];
  /** An option has one value: of the features of a slot a model has one at most. */
  slot?: string;
  /** What of it stays as it is for good: no migration changes the names of a table, or the keys of base edges. */
  fixed?: (model: ModelInput) => void;
  /** Adds it to a model. */
  add: (model: ModelInput) => void;
  /** Gives it another value, as a later version of the model has it. Absent: it has no other. */
  change?: (model: ModelInput) => void;
  /** Whether its orders get their keys from the compiler; else one with the name of an index stands beside orders with other names. */
  givesKeys?: boolean;
  /** Whether the change leaves the meaning as it is: a reader of the model before it goes on with what is new. */
  keepsMeaning?: boolean;
  /** The projections that it makes, as the registry names them; none where it says how others are made. */
  projections?: readonly string[];
  /** Attributes that goals, memberships and users have for it. */
  goal?: Values;
  member?: Values;
  user?: Values;
  /** Attributes of the part STATE of goals, for a feature that has it. */
  part?: Values;
  /** Attributes that cannot be derived, and of which item. */
  bad?: { of: 'goal' | 'member' | 'part'; attributes: Options };
}

function goal(model: ModelInput, options: Options): void {
  model.nodes['GOAL'] = { ...model.nodes['GOAL'], ...options };
}

function search(model: ModelInput, name: string, options: unknown): void {
  const searches = (model.nodes['GOAL']!['search'] ?? {}) as Options;
  goal(model, { search: { ...searches, [name]: options } });
}

function member(model: ModelInput, options: Options): void {
  model.edges['MEMBER'] = { ...model.edges['MEMBER'], ...options };
}

function inbound(model: ModelInput, options: Options): void {
  const { orders, ...settings } = inboundOption(options);
  const before = (model.edges['MEMBER']!['inbound'] ?? {}) as Options;
  const all = { ...(before['orders'] as Options | undefined), ...(orders as Options | undefined) };
  member(model, { inbound: { ...before, ...settings, ...(orders !== undefined && { orders: all }) } });
}

/** Options of goals, or of memberships, as a feature. */
function ofOptions(
  name: string,
  options: readonly string[],
  add: typeof goal,
  [before, after]: readonly [Options, Options],
  more: Partial<Feature> = {},
): Feature {
  return { name, options, add: (model) => add(model, before), change: (model) => add(model, after), ...more };
}

/** Adds options to the part STATE of goals. */
function state(model: ModelInput, { search: searches, ...options }: Options): void {
  const parts = (model.nodes['GOAL']!['parts'] ?? {}) as { STATE?: Options };
  const { STATE = {} } = parts;
  const all = { ...(STATE['search'] as Options | undefined), ...(searches as Options | undefined) };
  goal(model, { parts: { ...parts, STATE: { ...STATE, ...options, ...(searches !== undefined && { search: all }) } } });
}

/** A feature of the part STATE of goals. */
function ofPart(
  name: string,
  options: readonly string[],
  [before, after]: readonly [Options, Options],
  more: Partial<Feature> = {},
): Feature {
  return {
    name: `part ${name}`,
    options: ['node.parts', ...options],
    add: (model) => state(model, before),
    change: (model) => state(model, after),
    projections: ['part:GOAL.STATE'],
    part: {},
    ...more,
  };
}

/** A search as a feature. */
function ofSearch(
  name: string,
  options: readonly string[],
  [before, after]: readonly [unknown, unknown],
  values: Values,
  more: Partial<Feature> = {},
): Feature {
  const key = name.replace(/[^a-z]+(.)/g, (_, letter: string) => letter.toUpperCase());
  const attribute = (typeof more.slot === 'string' ? undefined : key) ?? key;
  return {
    name: `search ${name}`,
    options: ['node.search', ...options],
    add: (model) => search(model, attribute, before),
    change: (model) => search(model, attribute, after),
    projections: [`search:GOAL.${attribute}`],
    goal: Object.fromEntries(Object.entries(values).map(([own, all]) => [own === '' ? attribute : own, all])),
    ...more,
  };
}

/** An order of memberships as a feature. */
function ofOrder(
  name: string,
  order: string,
  options: readonly string[],
  [before, after]: readonly [unknown, unknown],
  more: Partial<Feature> = {},
): Feature {
  const isNamed = !order.startsWith('gsi');
  return {
    name: `order ${name}`,
    options: ['edge.inbound', 'inbound.orders', ...options],
    slot: order,
    add: (model) => inbound(model, { [order]: before }),
    change: (model) => inbound(model, { [order]: after }),
    projections: [isNamed ? `order:MEMBER.${order}` : 'inbound:MEMBER'],
    ...more,
  };
}

/** A total of memberships as a feature; the change is of the attribute that it is of. */
function ofTotal(
  name: string,
  options: readonly string[],
  ofAttribute: (attribute: string) => { inbound?: Options; outgoing?: Options },
): Feature {
  const add =
    (attribute: string) =>
    (model: ModelInput): void => {
      const { inbound: incoming, outgoing } = ofAttribute(attribute);
      if (incoming !== undefined) inbound(model, incoming);
      if (outgoing !== undefined) member(model, { outgoing });
    };
  return {
    name,
    options: ['edge.inbound', ...options],
    slot: 'totals',
    add: add('hours'),
    change: add('cost'),
    projections: ['inbound:MEMBER'],
    member: {
      ...SINCE,
      hours: [2, 0.5, undefined, -1],
      cost: [7, undefined, 1.25],
      kind: ['code', 'talk', undefined, 4],
      ...ROLES,
    },
    bad: { of: 'member', attributes: { hours: 'many', kind: [] } },
  };
}

/** A setting of all orders as a feature. */
function ofOrders(
  name: string,
  settings: readonly [Options, Options],
  more: Partial<Feature> & { also?: readonly string[] } = {},
): Feature {
  const { also = [], ...rest } = more;
  return {
    name: `orders with ${name}`,
    options: ['edge.inbound', ...Object.keys(settings[0]).map((option) => `inbound.${option}`), ...also],
    add: (model) => inbound(model, settings[0]),
    change: (model) => inbound(model, settings[1]),
    projections: ['inbound:MEMBER'],
    member: SINCE,
    ...rest,
  };
}

const TEXTS = ['Ann', 'Bob', undefined, 'ann', 'Cid'];
/** Of the order that the model has beside orders with names of their own, too. */
export const SINCE: Values = { since: ['2020', '2021', undefined, '2019'] };
const ROLES: Values = { role: ['LEAD', 'HELPER', undefined, 'GUEST'] };
const STATES: Values = { state: ['open', 'done', undefined, 'busy'] };
const LEVELS = { LEAD: 500, HELPER: 400, GUEST: 300 };
const TURNED = { LEAD: 100, HELPER: 200, GUEST: 300 };
const STAGES = { open: 10, busy: 20, done: 30 };
const STAGES_TURNED = { open: 30, busy: 20, done: 10 };

function initial(attribute: string, version: number, others: readonly number[] = []): unknown {
  const compute = (of: number) => (attributes: Options) => {
    const value = attributes[attribute];
    return typeof value === 'string' ? value.slice(0, of).toLowerCase() : undefined;
  };
  const known = Object.fromEntries(others.map((of) => [of, compute(of)]));
  return derive(compute(version) as never, { version, others: known } as never);
}

const anyAttributes = z.looseObject({});
const MOODS: Values = {
  status: ['on', 'off', undefined, 'away'],
  place: ['here', 'there', 'here', undefined, 'there'],
};

/** The first and the last time at which anything of a row ends, in epoch seconds. */
export const [ENDS_FROM, ENDS_AT] = [1_600_000_000, 4_000_000_000];
/** A time before anything of a row ends, in milliseconds: an item that has ended can't be updated. */
export const BEFORE_ENDS_MS = 1_000 * ENDS_FROM - 1;

/** Times that have come and that have not, under both names that the tables of rows delete by. */
const ENDING: Values = {
  expiresAt: [undefined, ENDS_FROM, ENDS_AT],
  goneAt: [undefined, ENDS_FROM, ENDS_AT],
};

/** The attribute by which the table of a model deletes. */
function ttlOf({ table }: ModelInput): string {
  return String(table['ttl'] ?? 'expiresAt');
}

/** Something in both indexes, for a feature that says how all items are stored. */
const INDEXED: Pick<Feature, 'add' | 'change' | 'projections'> = {
  add: (model) => {
    search(model, 'stored', { attribute: 'state', shards: 2, project: 'ALL' });
    inbound(model, { gsi1: 'since' });
  },
  change: (model) => {
    search(model, 'stored', { attribute: 'state', caseInsensitive: true, shards: 2, project: 'ALL' });
    inbound(model, { gsi1: ['since', 'note'] });
  },
  projections: ['search:GOAL.stored', 'inbound:MEMBER'],
};

/** Attributes of an item that is not deleted softly: nothing is derived from one that is, so nothing of it can be wrong. */
export const LIVE: Options = { deletedAt: undefined, leftAt: undefined };

/** The rows of the matrix. */
export const FEATURES: readonly Feature[] = [
  ofOptions('view of all attributes', ['node.view'], goal, [{ view: 'ALL' }, { view: ['title'] }], {
    slot: 'view',
    projections: ['view:GOAL'],
  }),
  ofOptions('view of some attributes', ['node.view'], goal, [{ view: ['title', 'state'] }, { view: ['state'] }], {
    slot: 'view',
    projections: ['view:GOAL'],
    goal: STATES,
  }),
  ofOptions('view of keys only', ['node.view'], goal, [{ view: 'KEYS_ONLY' }, { view: ['title'] }], {
    slot: 'view',
    projections: ['view:GOAL'],
  }),
  ofOptions(
    'budget of a view (eviction)',
    ['node.viewBudgetBytes'],
    goal,
    [{ viewBudgetBytes: 1_024 }, { viewBudgetBytes: 65_536 }],
    { projections: ['view:GOAL'], goal: { title: ['x'.repeat(1_100), 'y', 'y'.repeat(1_200)] } },
  ),
  ofOptions(
    'limit of entries',
    ['node.maxEntries'],
    goal,
    [{ maxEntries: { addresses: 2 } }, { maxEntries: { addresses: 3 } }],
    { goal: { addresses: [['a'], ['a', 'b'], undefined] } },
  ),
  ofOptions('version attribute', ['node.versionAttribute'], goal, [
    { versionAttribute: 'v' },
    { versionAttribute: 'edition' },
  ]),
  {
    name: 'list of nodes',
    options: ['node.list'],
    add: (model) => goal(model, { list: true }),
    projections: ['list:GOAL'],
  },
  {
    name: 'soft deletion of nodes',
    options: ['node.deletedWhen'],
    add: (model) => {
      goal(model, { deletedWhen: 'deletedAt', list: true });
      search(model, 'state', { shards: 2, project: 'ALL' });
      model.nodes['USER'] = { ...model.nodes['USER'], deletedWhen: 'deletedAt' };
      member(model, { copy: ['name'] });
      inbound(model, { byState: source('state'), includeTarget: true });
    },
    change: (model) => goal(model, { deletedWhen: 'leftAt' }),
    projections: ['list:GOAL', 'search:GOAL.state', 'order:MEMBER.byState'],
    goal: { ...STATES, deletedAt: [undefined, '2026'], leftAt: [undefined, undefined, '2025'] },
    user: { name: ['Ann', 'Bob', undefined], deletedAt: [undefined, undefined, '2026'] },
  },
  {
    name: 'soft deletion of edges',
    options: ['edge.deletedWhen'],
    add: (model) => {
      member(model, {
        deletedWhen: 'deletedAt',
        degree: true,
        copy: ['name'],
        outgoing: { total: { hours: sum('hours') } },
      });
      inbound(model, { bySince: 'since', byStage: [source('state'), 'since'], total: { hours: sum('hours') } });
    },
    change: (model) => member(model, { deletedWhen: 'leftAt' }),
    projections: ['inbound:MEMBER', 'order:MEMBER.bySince', 'order:MEMBER.byStage'],
    goal: STATES,
    user: { name: ['Ann', 'Bob', undefined] },
    member: { ...SINCE, hours: [2, 0.5], deletedAt: [undefined, '2026', undefined], leftAt: [undefined, '2025'] },
  },
  {
    name: 'ends of nodes',
    options: ['node.expires'],
    // A node whose values its edges take cannot end.
    add: (model) => {
      model.nodes['USER'] = { ...model.nodes['USER'], expires: ttlOf(model) };
      inbound(model, { bySince: 'since', includeTarget: true });
      member(model, { copy: ['name'] });
    },
    change: (model) => {
      model.nodes['USER'] = { ...model.nodes['USER'], expires: undefined };
    },
    projections: ['order:MEMBER.bySince'],
    member: SINCE,
    user: { name: ['Ann', 'Bob', undefined], ...ENDING },
  },
  {
    name: 'ends of edges',
    options: ['edge.expires'],
    slot: 'ends of edges',
    add: (model) => {
      member(model, { expires: ttlOf(model), degree: true, outgoing: { total: { hours: sum('hours') } } });
      inbound(model, { bySince: 'since', byStage: [source('state'), 'since'], total: { hours: sum('hours') } });
    },
    change: (model) => member(model, { expires: undefined }),
    projections: ['order:MEMBER.expires', 'inbound:MEMBER', 'order:MEMBER.bySince', 'order:MEMBER.byStage'],
    goal: STATES,
    member: { ...SINCE, hours: [2, 0.5], ...ENDING },
  },
  {
    name: 'mirrored types',
    options: ['graph.mirrored'],
    slot: 'ends of edges',
    fixed: (model) => {
      model.mirrored = ['MEMBER'];
    },
    add: (model) => {
      member(model, { expires: 'until', deletedWhen: 'deletedAt', degree: true });
      inbound(model, { bySince: 'since', total: { hours: sum('hours') } });
    },
    change: (model) => member(model, { expires: undefined }),
    projections: ['inbound:MEMBER', 'order:MEMBER.bySince'],
    member: {
      ...SINCE,
      hours: [2, 0.5],
      until: [undefined, ENDS_FROM, ENDS_AT],
      deletedAt: [undefined, undefined, '2026'],
    },
  },
  {
    name: 'fields of nodes',
    options: ['node.fields'],
    add: (model) => goal(model, { fields: anyAttributes }),
  },
  ofSearch('by attribute', [], [{}, { attribute: 'state' }], { '': TEXTS, ...STATES }),
  ofSearch(
    'by number',
    ['search.type'],
    [
      { type: 'number', shards: 3 },
      { type: 'number', shards: 2 },
    ],
    {
      '': [7, -3, undefined, 10, 7.5],
    },
    { keepsMeaning: true, bad: { of: 'goal', attributes: { byNumber: 'seven' } } },
  ),
  ofSearch(
    'by date',
    ['search.type'],
    [
      { type: 'date', shards: 3 },
      { type: 'date', shards: 1 },
    ],
    {
      '': ['2026-03-01', '2026-03-01T12:00:00Z', undefined, '2026-03-01T12:00:00+05:00', '2025-12-31'],
    },
    { keepsMeaning: true, bad: { of: 'goal', attributes: { byDate: 'someday' } } },
  ),
  ofSearch(
    'by rank',
    ['search.attribute', 'rank.attribute', 'rank.weights'],
    [
      { attribute: rank('state', STAGES), shards: 2 },
      { attribute: rank('state', STAGES_TURNED), shards: 2 },
    ],
    STATES,
    { bad: { of: 'goal', attributes: { state: 'lost' } } },
  ),
  ofSearch(
    'by a typed order',
    ['search.attribute', 'typed.attribute'],
    [
      { attribute: number('size'), shards: 2 },
      { attribute: 'size', shards: 2 },
    ],
    { size: [2, 11, undefined, 3] },
    {
      change: (model) => search(model, 'byATypedOrder', { attribute: number('size'), shards: 4 }),
      keepsMeaning: true,
      bad: { of: 'goal', attributes: { size: 'wide' } },
    },
  ),
  ofSearch(
    'by derive',
    ['search.attribute', 'derive.compute', 'derive.version', 'derive.others'],
    [
      { attribute: initial('label', 1, [2]), shards: 2 },
      { attribute: initial('label', 2, [1]), shards: 2 },
    ],
    { label: TEXTS },
  ),
  ofSearch('in one shard', ['search.shards'], [{ shards: 1 }, { shards: 4 }], { '': TEXTS }, { keepsMeaning: true }),
  ofSearch('by value shards', ['search.shards'], [{ shards: 'value' }, { shards: 3 }], { '': TEXTS }),
  ofSearch(
    'sharded by source',
    ['search.shardBy', 'search.shards'],
    [
      { shards: 3, shardBy: 'source' },
      { shards: 5, shardBy: 'source' },
    ],
    { '': TEXTS },
    { keepsMeaning: true },
  ),
  ofSearch(
    'with code point hash',
    ['search.hash'],
    [
      { shards: 5, hash: 'codepoint-product' },
      { shards: 5, hash: 'fnv1a' },
    ],
    { '': TEXTS },
    { keepsMeaning: true },
  ),
  ofSearch(
    'folded',
    ['search.caseInsensitive'],
    [
      { caseInsensitive: true, shards: 2 },
      { caseInsensitive: false, shards: 2 },
    ],
    {
      '': ['Ann', 'ann', undefined, 'ÄNN', 'ﬁne', 'Fine'],
    },
  ),
  ofSearch(
    'of each element',
    ['search.multiValue'],
    [
      { multiValue: true, shards: 3 },
      { multiValue: true, shards: 2 },
    ],
    {
      '': [['a', 'b'], ['b'], undefined, [], ['c', 'a']],
    },
    { keepsMeaning: true, bad: { of: 'goal', attributes: { ofEachElement: 'x' } } },
  ),
  ofSearch(
    'of each folded element',
    ['search.multiValue', 'search.caseInsensitive'],
    [
      { multiValue: true, caseInsensitive: true, shards: 3 },
      { multiValue: true, caseInsensitive: false, shards: 3 },
    ],
    { '': [['A', 'a', 'B'], ['b'], undefined, ['a']] },
  ),
  ofSearch(
    'within a partition',
    ['search.partition'],
    [
      { partition: 'land', shards: 2 },
      { partition: 'land', shards: 3 },
    ],
    { '': TEXTS, land: ['IT', 'DE', 'IT', undefined] },
    { keepsMeaning: true },
  ),
  ofSearch(
    'within a partition that changes',
    ['search.partition'],
    [
      { partition: 'land', shards: 2 },
      { partition: 'state', shards: 2 },
    ],
    { '': TEXTS, ...STATES, land: ['IT', 'DE', 'IT', undefined] },
  ),
  ofSearch(
    'by path',
    ['search.path'],
    [
      { path: ['state', 'city'], shards: 3 },
      { path: ['city', 'state'], shards: 3 },
    ],
    { ...STATES, city: ['Rome', undefined, 'Oslo', 'Ro'] },
    { bad: { of: 'goal', attributes: { state: 5, city: 'Rome' } } },
  ),
  ofSearch(
    'that shows some attributes',
    ['search.project'],
    [
      { project: ['title'], shards: 2 },
      { project: ['title', 'state'], shards: 2 },
    ],
    { '': TEXTS, ...STATES },
  ),
  ofSearch(
    'that shows all attributes',
    ['search.project'],
    [
      { project: 'ALL', shards: 2 },
      { project: 'KEYS_ONLY', shards: 2 },
    ],
    { '': TEXTS },
  ),
  ofSearch(
    'of the same attribute',
    ['search.attribute'],
    [{ attribute: 'state' }, { attribute: 'state', caseInsensitive: true }],
    STATES,
  ),
  {
    name: 'search native',
    options: ['node.search', 'search.native'],
    add: (model) => search(model, 'badge', { native: true, project: ['title'] }),
    // Derived from now on: a native one has no other value.
    change: (model) => search(model, 'badge', { shards: 'value', project: ['title'] }),
    goal: { badge: ['Ann', 'Bob', undefined, 'ann', 'Ann'] },
  },
  ofOptions(
    'labels of an edge set',
    ['edge.edgeSet'],
    member,
    [{ edgeSet: ['role', 'since'] }, { edgeSet: ['role'] }],
    { slot: 'edgeSet', projections: ['view:GOAL'], member: { ...ROLES, ...SINCE } },
  ),
  ofOptions(
    'computed labels',
    ['edge.edgeSet', 'derive.compute'],
    member,
    [
      { edgeSet: { is: 'role', mark: initial('role', 1, [2]) } },
      { edgeSet: { is: 'role', mark: initial('role', 2, [1]) } },
    ],
    { slot: 'edgeSet', projections: ['view:GOAL'], member: ROLES },
  ),
  ofOptions('edges out of the edge set', ['edge.edgeSet'], member, [{ edgeSet: false }, { edgeSet: [] }], {
    slot: 'edgeSet',
    projections: ['view:GOAL'],
  }),
  {
    name: 'edges between several types',
    options: ['edge.from', 'edge.to'],
    add: (model) => {
      model.nodes['PLAN'] = { view: ['title'] };
      model.nodes['TEAM'] = { view: 'ALL' };
      member(model, { from: ['GOAL', 'PLAN'], to: ['USER', 'TEAM'] });
    },
    projections: ['view:PLAN', 'view:TEAM'],
  },
  ofTotal('inbound total', ['inbound.total'], (attribute) => ({ inbound: { total: { hours: sum(attribute) } } })),
  ofTotal('outgoing total', ['edge.outgoing'], (attribute) => ({ outgoing: { total: { hours: sum(attribute) } } })),
  ofTotal('totals by group', ['inbound.groupBy', 'edge.outgoing'], (attribute) => {
    const groupBy = [attribute === 'hours' ? 'kind' : 'role'];
    return { inbound: { groupBy }, outgoing: { groupBy } };
  }),
  ofPart('of all attributes', ['part.view'], [{ view: 'ALL' }, { view: ['mood'] }], { slot: 'part.view' }),
  ofPart('of some attributes', ['part.view'], [{ view: ['status', 'mood'] }, { view: ['place'] }], {
    slot: 'part.view',
    part: MOODS,
  }),
  ofPart('of keys only', ['part.view'], [{ view: 'KEYS_ONLY' }, { view: ['mood'] }], { slot: 'part.view' }),
  ofPart('with fields', ['part.fields'], [{ fields: anyAttributes }, {}], { change: undefined }),
  ofPart(
    'found by an attribute',
    ['part.search', 'search.shards'],
    [{ search: { status: { shards: 2 } } }, { search: { status: { attribute: 'place', shards: 2 } } }],
    {
      projections: ['part:GOAL.STATE', 'search:GOAL.STATE.status'],
      part: MOODS,
      bad: { of: 'part', attributes: { status: 7 } },
    },
  ),
  ofPart(
    'found by each element',
    ['part.search', 'search.multiValue'],
    [
      { search: { devices: { multiValue: true, shards: 3 } } },
      { search: { devices: { multiValue: true, caseInsensitive: true, shards: 3 } } },
    ],
    {
      projections: ['part:GOAL.STATE', 'search:GOAL.STATE.devices'],
      part: { devices: [['desk', 'phone'], ['phone'], undefined, []] },
      bad: { of: 'part', attributes: { devices: 'phone' } },
    },
  ),
  ofPart(
    'found within a partition',
    ['part.search', 'search.partition'],
    [
      { search: { spot: { attribute: 'place', partition: 'status', project: ['mood'], shards: 2 } } },
      { search: { spot: { attribute: 'place', partition: 'status', project: 'ALL', shards: 2 } } },
    ],
    { projections: ['part:GOAL.STATE', 'search:GOAL.STATE.spot'], part: MOODS },
  ),
  ofOrder(
    'by a part of the source',
    'byPart',
    ['node.parts', 'source.attribute'],
    [source('STATE.status'), [source('STATE.place'), 'note']],
    {
      add: (model) => {
        state(model, {});
        inbound(model, { byPart: source('STATE.status') });
      },
      change: (model) => inbound(model, { byPart: [source('STATE.place'), 'note'] }),
      projections: ['part:GOAL.STATE', 'order:MEMBER.byPart'],
      part: MOODS,
    },
  ),
  ofOrders(
    'attributes of a part of the source',
    [{ projectSource: ['STATE.mood'] }, { projectSource: ['STATE.mood', 'STATE.status'] }],
    {
      also: ['node.parts'],
      slot: 'inbound.projectSource',
      add: (model) => {
        state(model, {});
        inbound(model, { projectSource: ['STATE.mood'] });
      },
      projections: ['part:GOAL.STATE', 'inbound:MEMBER'],
      part: MOODS,
    },
  ),
  ofOrders(
    'a partition of a part of the source',
    [{ partition: source('STATE.place') }, { partition: source('STATE.status') }],
    {
      also: ['node.parts', 'source.attribute'],
      slot: 'inbound.partition',
      add: (model) => {
        state(model, {});
        inbound(model, { partition: source('STATE.place') });
      },
      projections: ['part:GOAL.STATE', 'inbound:MEMBER'],
      part: MOODS,
    },
  ),
  {
    name: 'degree',
    options: ['edge.degree'],
    add: (model) => member(model, { degree: true }),
    projections: ['inbound:MEMBER'],
  },
  {
    name: 'hashed keys',
    options: ['edge.keys'],
    slot: 'keys of edges',
    fixed: (model) => member(model, { keys: 'hashed' }),
    add: (model) => inbound(model, { byTime: 'since' }),
    change: (model) => inbound(model, { byTime: ['since', 'role'] }),
    projections: ['order:MEMBER.byTime'],
    member: { ...SINCE, ...ROLES },
  },
  {
    name: 'total of edges with hashed keys',
    options: ['edge.keys', 'inbound.total'],
    slot: 'keys of edges',
    fixed: (model) => member(model, { keys: 'hashed' }),
    add: (model) => inbound(model, { total: { hours: sum('hours') } }),
    change: (model) => inbound(model, { total: { hours: sum('cost') } }),
    projections: ['inbound:MEMBER'],
    member: { ...SINCE, hours: [2, 0.5, undefined, -1], cost: [7, undefined, 1.25] },
  },
  ofOptions('copies', ['edge.copy'], member, [{ copy: ['name'] }, { copy: ['name', 'city'] }], {
    projections: ['view:GOAL'],
    user: { name: ['Ann', 'Bob', undefined], city: ['Rome', undefined, 'Oslo'] },
  }),
  {
    name: 'fields of edges',
    options: ['edge.fields'],
    add: (model) => member(model, { fields: anyAttributes }),
  },
  ofOrder('by attribute', 'gsi0', [], ['since', 'role'], { member: { ...SINCE, ...ROLES } }),
  ofOrder('by rank', 'gsi0', ['rank.attribute', 'rank.weights'], [rank('role', LEVELS), rank('role', TURNED)], {
    member: ROLES,
    bad: { of: 'member', attributes: { role: 'SPY' } },
  }),
  ofOrder('by number', 'gsi0', ['typed.attribute'], [number('size'), number('size')], {
    change: (model) => inbound(model, { gsi0: number('size'), shards: 3 }),
    keepsMeaning: true,
    member: { size: [2, 11, undefined, 3] },
    bad: { of: 'member', attributes: { size: 'wide' } },
  }),
  ofOrder('by date', 'gsi0', ['typed.attribute'], [date('day'), 'day'], {
    member: { day: ['2026-03-01', '2026-02-01T10:00:00Z', undefined, '2026-03-01T12:00:00+05:00'] },
    bad: { of: 'member', attributes: { day: 'someday' } },
  }),
  ofOrder('by derive', 'gsi0', ['derive.compute'], [initial('role', 1, [2]), initial('role', 2, [1])], {
    member: ROLES,
  }),
  ofOrder('of the second index', 'gsi1', [], ['since', 'role'], { member: { ...SINCE, ...ROLES } }),
  ofOrder('of a name', 'bySince', [], ['since', 'role'], { member: { ...SINCE, ...ROLES } }),
  ofOrder(
    'of several parts',
    'byParts',
    [],
    [
      ['role', 'since'],
      ['since', 'role'],
    ],
    { member: { ...SINCE, ...ROLES } },
  ),
  {
    name: 'orders with names only',
    options: ['edge.inbound', 'inbound.orders'],
    givesKeys: true,
    add: (model) =>
      inbound(model, { newest: 'since', ranked: rank('role', LEVELS), staged: [source('state'), 'since'] }),
    change: (model) =>
      inbound(model, { newest: ['since', 'role'], ranked: rank('role', TURNED), staged: source('state') }),
    projections: ['order:MEMBER.newest', 'order:MEMBER.ranked', 'order:MEMBER.staged'],
    goal: STATES,
    member: { ...SINCE, ...ROLES },
    bad: { of: 'member', attributes: { role: 'SPY' } },
  },
  ofOrder('by the source', 'bySource', ['source.attribute'], [source('state'), source('city')], {
    goal: { ...STATES, city: ['Rome', undefined, 'Oslo'] },
  }),
  ofOrder(
    'by the rank of the source',
    'byStage',
    ['source.attribute', 'rank.attribute'],
    [rank(source('state'), STAGES), rank(source('state'), STAGES_TURNED)],
    { goal: STATES },
  ),
  ofOrder(
    'of parts of edge and source',
    'byBoth',
    ['source.attribute'],
    [
      [source('state'), 'since'],
      ['since', source('state')],
    ],
    { goal: STATES, member: SINCE },
  ),
  {
    name: 'orders native',
    options: ['edge.inbound', 'inbound.orders', 'inbound.native', 'typed.attribute'],
    givesKeys: true,
    add: (model) => inbound(model, { native: true, byTerm: 'term', byFine: number('fine'), project: ['note'] }),
    change: (model) => inbound(model, { native: false }),
    // The order of equal values is nobody's: no two edges of a node have one.
    member: {
      term: [ofSource((n) => `b${n}`), ofSource((n) => `a${n}`), undefined, ofSource((n) => `${n}c`)],
      fine: [ofSource((n) => 10 + n), ofSource((n) => -n - 0.5), undefined],
    },
  },
  ofOrders('shards', [{ shards: 3 }, { shards: 2 }], { keepsMeaning: true }),
  ofOrders(
    'shards by value',
    [
      { shards: 3, shardBy: 'value' },
      { shards: 3, shardBy: 'source' },
    ],
    { keepsMeaning: true },
  ),
  ofOrders(
    'code point hash',
    [
      { shards: 3, hash: 'codepoint-product' },
      { shards: 3, hash: 'fnv1a' },
    ],
    { keepsMeaning: true },
  ),
  ofOrders('some attributes', [{ project: ['role'] }, { project: ['role', 'since'] }], {
    slot: 'inbound.project',
    member: { ...SINCE, ...ROLES },
  }),
  ofOrders('all attributes', [{ project: 'ALL' }, { project: 'KEYS_ONLY' }], {
    slot: 'inbound.project',
    member: { ...SINCE, ...ROLES },
  }),
  ofOrders('attributes of the source', [{ projectSource: ['state'] }, { projectSource: ['state', 'city'] }], {
    slot: 'inbound.projectSource',
    goal: { ...STATES, city: ['Rome', undefined, 'Oslo'] },
  }),
  ofOrders('a partition', [{ partition: 'land' }, { partition: 'land', shards: 2 }], {
    keepsMeaning: true,
    slot: 'inbound.partition',
    member: { ...SINCE, land: ['IT', 'DE', undefined, 'IT'] },
  }),
  ofOrders('a partition of the source', [{ partition: source('land') }, { partition: source('state') }], {
    slot: 'inbound.partition',
    also: ['source.attribute'],
    goal: { ...STATES, land: ['IT', 'DE', undefined, 'IT'] },
  }),
  ofOrders('the owner', [{ includeTarget: true }, { includeTarget: false }]),
  {
    name: 'foreign key names',
    options: ['table.name', 'table.partitionKey', 'table.sortKey'],
    fixed: (model) => Object.assign(model.table, { partitionKey: 'pk', sortKey: 'sk' }),
    ...INDEXED,
    goal: STATES,
    member: SINCE,
  },
  {
    name: 'expiry of base items',
    options: ['table.ttl'],
    fixed: (model) => Object.assign(model.table, { ttl: 'goneAt' }),
    ...INDEXED,
    goal: { ...STATES, goneAt: [undefined, 4_000_000_000] },
    member: SINCE,
  },
  {
    name: 'names of the keys of indexes',
    options: ['table.indexes', 'index.name', 'index.partitionKey', 'index.sortKey'],
    slot: 'indexes',
    fixed: (model) =>
      Object.assign(model.table, {
        indexes: {
          gsi0: { name: 'GSI1', partitionKey: 'GSI1PK', sortKey: 'GSI1SK' },
          gsi1: { name: 'GSI2', partitionKey: 'GSI2PK', sortKey: 'GSI2SK' },
        },
      }),
    ...INDEXED,
    goal: STATES,
    member: SINCE,
  },
  {
    name: 'names of indexes',
    slot: 'indexes',
    options: ['table.indexes', 'indexes.gsi0', 'indexes.gsi1'],
    fixed: (model) => Object.assign(model.table, { indexes: { gsi0: 'first', gsi1: 'second' } }),
    ...INDEXED,
    goal: STATES,
    member: SINCE,
  },
];
