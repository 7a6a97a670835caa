import {
  type CompiledModel,
  defineGraph,
  derive,
  edge,
  node,
  number,
  part,
  rank,
  source,
  sum,
} from '../../../../src/index.ts';
import type { Random } from '../../kernel/random.ts';

/**
 * Models as plain data, from which both the model file and the oracle's answers are made: persons (A) who are in groups (B),
 * and a type (C) that comes and goes, with edges from persons.
 */

/** What a value is taken from and how it sorts. */
export type OrderSpec =
  | { by: 'attribute'; name: string }
  | { by: 'number'; name: string }
  | { by: 'rank'; name: string; table: number }
  | { by: 'derive'; version: number }
  /** An attribute of the source node, or of its part as `STATE.mood`. */
  | { by: 'source'; name: string }
  | { by: 'sourceRank'; name: string; table: number }
  | { by: 'pair'; name: string; source: string };

export interface SearchSpec {
  order: OrderSpec;
  multiValue?: boolean;
  caseInsensitive?: boolean;
  shards: number | 'value';
  shardBy?: 'source';
  hash?: 'codepoint-product';
  project: readonly string[];
  /** DynamoDB itself keeps it: it answers equality alone. */
  native?: boolean;
}

/** Sums and groups over edges: the attribute of each sum, by the name that the total has for it, and the grouped attributes. */
export interface TotalSpec {
  sums: Readonly<Record<string, string>>;
  groups: readonly string[];
}

/** The part STATE of a person. */
export interface PartSpec {
  view: 'ALL' | 'KEYS_ONLY' | readonly string[];
  searches: Readonly<Record<string, SearchSpec>>;
}

export interface EdgeSpec {
  /** Labels of the edge set; false leaves the type out. */
  set: false | readonly string[];
  /** A label that is computed, in this version. */
  mark: number;
  copy: readonly string[];
  degree: boolean;
  orders: Readonly<Record<string, OrderSpec>>;
  /** DynamoDB itself keeps the orders. */
  native?: boolean;
  shards: number;
  project: readonly string[];
  projectSource: readonly string[];
  owner: boolean;
  /** The total of the edges that enter a group. */
  incoming?: TotalSpec | undefined;
  /** The total of the edges that leave a person. */
  outgoing?: TotalSpec | undefined;
}

export interface ModelSpec {
  view: 'ALL' | 'KEYS_ONLY' | readonly string[];
  budget: number;
  list: boolean;
  searches: Readonly<Record<string, SearchSpec>>;
  state?: PartSpec | undefined;
  groupView: readonly string[];
  groupSearch: boolean;
  edge: EdgeSpec;
  /** The indexes over which orders share an item; more where an order is named by a further one. */
  indexes: number;
  /** The type that comes and goes. */
  extra: boolean;
  /** Versions of each `derive` that the code has, beside the one that is meant. */
  code: readonly number[];
}

export const TABLES: readonly Readonly<Record<string, number>>[] = [
  { LEAD: 500, MEMBER: 400, GUEST: 300 },
  { LEAD: 100, MEMBER: 200, GUEST: 300 },
];
export const STATUSES: readonly Readonly<Record<string, number>>[] = [
  { open: 10, busy: 20, done: 30 },
  { open: 30, busy: 20, done: 10 },
];
/** What a `derive` gives in each version. */
export const COMPUTES: Readonly<Record<number, (value: string) => string>> = {
  1: (value) => value.slice(0, 1).toLowerCase(),
  2: (value) => `two-${value.slice(0, 2)}`,
};

export function firstSpec(random: Random): ModelSpec {
  const isTight = random.chance(0.25);
  let spec: ModelSpec = {
    view: 'ALL',
    budget: isTight ? 1_024 : 65_536,
    list: random.chance(0.2),
    searches: { name: { order: { by: 'attribute', name: 'name' }, shards: 2, project: [] } },
    groupView: ['title'],
    groupSearch: random.chance(0.3),
    edge: {
      set: isTight && random.chance(0.6) ? ['role', 'note'] : ['role'],
      mark: 0,
      copy: random.chance(0.3) ? ['title'] : [],
      degree: random.chance(0.3),
      orders: { gsi0: { by: 'rank', name: 'role', table: 0 } },
      shards: 1,
      project: ['role'],
      projectSource: [],
      owner: random.chance(0.15),
    },
    indexes: 2,
    extra: random.chance(0.3),
    code: random.chance(0.8) ? [1, 2] : [],
  };
  for (let i = random.below(4); i > 0; i--) spec = changed(spec, random);
  return spec;
}

/** A model that differs in one or two things. */
export function nextSpec(spec: ModelSpec, random: Random): ModelSpec {
  let next = changed(spec, random);
  if (random.chance(0.5)) next = changed(next, random);
  return next;
}

type Change = (spec: ModelSpec, random: Random) => ModelSpec;

function withSearch(spec: ModelSpec, name: string, change: Partial<SearchSpec> | undefined): ModelSpec {
  const { [name]: old, ...searches } = spec.searches;
  if (change === undefined) return { ...spec, searches };
  const base = old ?? { order: { by: 'attribute' as const, name }, shards: 1, project: [] };
  return { ...spec, searches: { ...searches, [name]: { ...base, ...change } } };
}

/** Adds a search, or takes it away. */
function toggled(name: string, search: SearchSpec): Change {
  return (spec) => withSearch(spec, name, spec.searches[name] === undefined ? search : undefined);
}

function withEdge(spec: ModelSpec, change: Partial<EdgeSpec>): ModelSpec {
  const edge = { ...spec.edge, ...change };
  // The owner stands in one partition, whatever the source is.
  if (edge.owner && edge.shards !== 1) edge.owner = false;
  return { ...spec, edge };
}

function withOrder(spec: ModelSpec, name: string, order: OrderSpec | undefined): ModelSpec {
  const { [name]: _, ...orders } = spec.edge.orders;
  return withEdge(spec, { orders: order === undefined ? orders : { ...orders, [name]: order } });
}

const CHANGES: readonly [Change, ...Change[]] = [
  (spec, random) => withSearch(spec, 'name', { shards: random.oneOf([1, 2, 3, 5, 'value']) }),
  (spec) => withSearch(spec, 'name', { caseInsensitive: !(spec.searches['name']?.caseInsensitive ?? false) }),
  (spec, random) => withSearch(spec, 'name', { shardBy: random.chance(0.5) ? 'source' : undefined, shards: 3 }),
  (spec, random) => withSearch(spec, 'name', { hash: random.chance(0.5) ? 'codepoint-product' : undefined }),
  (spec, random) => withSearch(spec, 'name', { project: random.chance(0.5) ? ['status'] : [] }),
  toggled('name', { order: { by: 'attribute', name: 'name' }, shards: 2, project: [] }),
  toggled('status', { order: { by: 'rank', name: 'status', table: 0 }, shards: 1, project: [] }),
  (spec, random) =>
    withSearch(spec, 'status', { order: { by: 'rank', name: 'status', table: random.below(2) }, shards: 2 }),
  toggled('num', { order: { by: 'number', name: 'num' }, shards: 2, project: ['name'] }),
  toggled('tags', { order: { by: 'attribute', name: 'tags' }, multiValue: true, shards: 1, project: [] }),
  (spec, random) => withSearch(spec, 'initial', { order: { by: 'derive', version: 1 + random.below(2) }, shards: 1 }),
  (spec, random) => ({
    ...spec,
    view: random.oneOf<ModelSpec['view']>(['ALL', 'KEYS_ONLY', ['name'], ['name', 'status']]),
  }),
  (spec, random) => ({ ...spec, budget: random.oneOf([1_024, 65_536]) }),
  (spec) => ({ ...spec, list: !spec.list }),
  (spec, random) => ({ ...spec, groupView: random.oneOf([['title'], ['title', 'city']]) }),
  (spec) => ({ ...spec, groupSearch: !spec.groupSearch }),
  (spec) => ({ ...spec, extra: !spec.extra }),
  (spec, random) => withEdge(spec, { set: random.oneOf([[], ['role'], ['role', 'note'], ['note'], false]) }),
  (spec, random) => withEdge(spec, { mark: random.below(3) }),
  (spec) => withEdge(spec, { copy: spec.edge.copy.length > 0 ? [] : ['title'] }),
  (spec) => withEdge(spec, { degree: !spec.edge.degree }),
  (spec) => withEdge(spec, { degree: !spec.edge.degree }),
  (spec, random) =>
    withOrder(spec, 'gsi0', random.chance(0.6) ? { by: 'rank', name: 'role', table: random.below(2) } : undefined),
  (spec) => withOrder(spec, 'gsi0', { by: 'attribute', name: 'since' }),
  (spec, random) => withOrder(spec, 'gsi1', random.chance(0.6) ? { by: 'attribute', name: 'since' } : undefined),
  (spec, random) =>
    withOrder(
      spec,
      'byStatus',
      random.chance(0.7) ? { by: 'source', name: random.oneOf(['status', 'name']) } : undefined,
    ),
  (spec, random) => withOrder(spec, 'byStatus', { by: 'sourceRank', name: 'status', table: random.below(2) }),
  (spec) => withOrder(spec, 'byStatus', { by: 'pair', name: 'since', source: 'status' }),
  (spec) => withOrder(spec, 'bySince', { by: 'attribute', name: 'since' }),
  (spec) => withOrder(spec, 'bySince', undefined),
  (spec, random) => withEdge(spec, { shards: random.oneOf([1, 2, 3]) }),
  (spec, random) => withEdge(spec, { project: random.oneOf([[], ['role'], ['role', 'since']]) }),
  (spec, random) => withEdge(spec, { projectSource: random.oneOf([[], ['name'], ['status']]) }),
  (spec) => withEdge(spec, { owner: !spec.edge.owner }),
];

/** The number of indexes that a model of the spec names. */
export function indexesOf({ indexes, edge: { orders } }: ModelSpec): number {
  return Math.max(indexes, 'gsi2' in orders ? 3 : 'gsi1' in orders ? 2 : 1);
}

/** The searches that share an item, by the name that the item has: those by one plain value that show the same, as many as there are indexes. */
export function packedSearches(
  searches: Readonly<Record<string, SearchSpec>>,
  indexes: number,
): ReadonlyMap<string, readonly SearchSpec[]> {
  const packs = new Map<string, SearchSpec[]>();
  const open = new Map<string, SearchSpec[]>();
  for (const [name, search] of Object.entries(searches)) {
    const shown = search.multiValue === true || search.order.by === 'derive' ? name : `shows ${search.project.join()}`;
    const begun = open.get(shown);
    if (begun !== undefined && begun.length < indexes) {
      begun.push(search);
      continue;
    }
    const pack = [search];
    packs.set(name, pack);
    open.set(shown, pack);
  }
  return packs;
}

function changed(spec: ModelSpec, random: Random): ModelSpec {
  return random.oneOf(CHANGES)(spec, random);
}

const SUMS: readonly [TotalSpec['sums'], ...TotalSpec['sums'][]] = [
  { hours: 'hours' },
  { hours: 'hours', cost: 'cost' },
  { hours: 'cost' },
  {},
];
const GROUPS: readonly [TotalSpec['groups'], ...TotalSpec['groups'][]] = [['kind'], ['kind', 'role'], ['role']];

function anyTotal(random: Random): TotalSpec {
  const sums = random.oneOf(SUMS);
  const mayGroup = Object.keys(sums).length === 0 || random.chance(0.7);
  return { sums, groups: mayGroup ? random.oneOf(GROUPS) : [] };
}

function anyState(random: Random): PartSpec {
  const search = (name: string, of: Partial<SearchSpec>): Record<string, SearchSpec> =>
    random.chance(0.5) ? { [name]: { order: { by: 'attribute', name }, shards: 1, project: [], ...of } } : {};
  return {
    view: random.oneOf<PartSpec['view']>(['ALL', 'KEYS_ONLY', ['mood'], ['level']]),
    searches: {
      ...search('mood', { shards: 1 + random.below(3), caseInsensitive: random.chance(0.3), project: ['level'] }),
      ...search('level', { order: { by: 'number', name: 'level' } }),
    },
  };
}

/** Changes of totals and parts: each leaves one as it is, changes it, adds it or takes it away. */
const FURTHER_CHANGES: readonly [Change, ...Change[]] = [
  (spec, random) => withEdge(spec, { incoming: random.chance(0.8) ? anyTotal(random) : undefined }),
  (spec, random) => withEdge(spec, { outgoing: random.chance(0.8) ? anyTotal(random) : undefined }),
  (spec, random) => ({ ...spec, state: random.chance(0.8) ? anyState(random) : undefined }),
  (spec, random) =>
    withOrder(
      spec,
      'byMood',
      random.oneOf<OrderSpec | undefined>([
        { by: 'source', name: 'STATE.mood' },
        { by: 'pair', name: 'since', source: 'STATE.mood' },
        undefined,
      ]),
    ),
];

/** Models with totals of edges and parts of nodes: each as the one before it, but for what changes from one to the next. */
export function withTotalsAndParts(specs: readonly ModelSpec[], random: Random): ModelSpec[] {
  let last: ModelSpec | undefined;
  return specs.map((spec): ModelSpec => {
    const { incoming, outgoing, orders: { byMood } = {} } = last?.edge ?? {};
    let next: ModelSpec = withEdge({ ...spec, state: last?.state }, { incoming, outgoing });
    next = withOrder(next, 'byMood', byMood);
    const isFirst = last === undefined;
    for (const change of FURTHER_CHANGES) if (random.chance(isFirst ? 0.6 : 0.35)) next = change(next, random);
    // An order by a part needs the part.
    if (next.state === undefined) next = withOrder(next, 'byMood', undefined);
    last = next;
    return next;
  });
}

/** Models whose orders are packed over other numbers of indexes, from one to the next: those of an index by its name, or all by their place. */
export function withPackings(specs: readonly ModelSpec[], random: Random): ModelSpec[] {
  const isByPlace = random.chance(0.6);
  const names: Readonly<Record<string, string>> = isByPlace ? { gsi0: 'byFirst', gsi1: 'bySecond' } : {};
  return specs.map((spec): ModelSpec => {
    const named = Object.entries(spec.edge.orders).map(([name, order]) => [names[name] ?? name, order] as const);
    const next = withEdge({ ...spec, indexes: 1 + random.below(4) }, { orders: Object.fromEntries(named) });
    const third: OrderSpec = { by: 'attribute', name: 'note' };
    return isByPlace || random.chance(0.5) ? next : withOrder(next, 'gsi2', third);
  });
}

/** Models of which some have a search and orders that DynamoDB keeps: what one of them derives, the next one may leave to DynamoDB. */
export function withNatives(specs: readonly ModelSpec[], random: Random): ModelSpec[] {
  return specs.map((spec): ModelSpec => {
    const { project = [] } = spec.searches['name'] ?? {};
    const search: SearchSpec = { order: { by: 'attribute', name: 'name' }, shards: 'value', project, native: true };
    const found = random.chance(0.5) ? { ...spec, searches: { ...spec.searches, name: search } } : spec;
    if (random.chance(0.5)) return found;
    const kept = Object.entries(spec.edge.orders).filter(([, { by }]) => by === 'attribute');
    const orders = Object.fromEntries(kept.length > 0 ? kept : [['bySince', { by: 'attribute', name: 'since' }]]);
    return withEdge(found, { native: true, orders, shards: 1, projectSource: [], owner: false });
  });
}

/** The part of a model that projectors maintain. */
export function derivedPart(spec: ModelSpec): ModelSpec {
  const searches = Object.entries(spec.searches).filter(([, { native }]) => native !== true);
  const orders = spec.edge.native === true ? {} : spec.edge.orders;
  return { ...spec, searches: Object.fromEntries(searches), edge: { ...spec.edge, orders } };
}

function totalOf({ sums, groups }: TotalSpec): object {
  const total = Object.fromEntries(Object.entries(sums).map(([name, attribute]) => [name, sum(attribute)]));
  return {
    ...(Object.keys(sums).length > 0 && { total }),
    ...(groups.length > 0 && { groupBy: groups }),
  };
}

/** The functions of a `derive` of the version that is meant, and of the others that the code has. */
function computed(version: number, attribute: string, code: readonly number[]): unknown {
  const functionOf = (of: number) => (attributes: Readonly<Record<string, unknown>>) => {
    const value = attributes[attribute];
    return typeof value === 'string' ? COMPUTES[of]!(value) : undefined;
  };
  const others = Object.fromEntries(code.filter((of) => of !== version).map((of) => [of, functionOf(of)]));
  return derive(functionOf(version) as never, { version, others } as never);
}

function orderOf(order: OrderSpec, code: readonly number[]): unknown {
  const { by } = order;
  if (by === 'rank') return rank(order.name, (order.name === 'role' ? TABLES : STATUSES)[order.table]!);
  if (by === 'number') return number(order.name);
  if (by === 'derive') return computed(order.version, 'name', code);
  if (by === 'source') return source(order.name);
  if (by === 'sourceRank') return rank(source(order.name), STATUSES[order.table]!);
  if (by === 'pair') return [order.name, source(order.source)];
  return order.name;
}

function searchOf(
  { order, multiValue, caseInsensitive, shards, shardBy, hash, project, native }: SearchSpec,
  code: readonly number[],
): unknown {
  if (native) return { attribute: orderOf(order, code), project, native };
  const spread = shards === 'value' ? {} : { ...(shardBy && { shardBy }), ...(hash && { hash }) };
  return {
    attribute: orderOf(order, code),
    shards,
    project,
    ...(multiValue && { multiValue }),
    ...(caseInsensitive && { caseInsensitive }),
    ...spread,
  };
}

function stateOf({ view, searches }: PartSpec, code: readonly number[]): unknown {
  const search = Object.entries(searches).map(([name, one]) => [name, searchOf(one, code)]);
  return part({ view, search: Object.fromEntries(search) } as never);
}

/** The model file of a spec. `code`: the versions of functions that it has, where not the spec's own. */
export function graphOf(spec: ModelSpec, code: readonly number[] = spec.code): CompiledModel {
  const { edge: of } = spec;
  const hasOrders = Object.keys(of.orders).length > 0;
  const orders = Object.fromEntries(Object.entries(of.orders).map(([name, order]) => [name, orderOf(order, code)]));
  const labels = of.set && Object.fromEntries(of.set.map((name) => [name, name]));
  const set = labels && of.mark > 0 ? { ...labels, mark: computed(of.mark, 'role', code) } : of.set;
  const { shards, project, projectSource, owner } = of;
  const settings = {
    ...(of.native ? { native: true } : { shards }),
    project,
    ...(projectSource.length > 0 && { projectSource }),
    ...(owner && { includeTarget: true }),
  };
  return defineGraph({
    table: { name: 'records', indexes: indexesOf(spec) },
    nodes: {
      A: node({
        ...{ view: spec.view, viewBudgetBytes: spec.budget, list: spec.list },
        search: Object.fromEntries(
          Object.entries(spec.searches).map(([name, search]) => [name, searchOf(search, code)]),
        ),
        ...(spec.state && { parts: { STATE: stateOf(spec.state, code) } }),
      } as never),
      B: node({ view: spec.groupView, search: spec.groupSearch ? { title: { shards: 1 } } : {} } as never),
      ...(spec.extra && { C: node({ view: ['label'], search: { label: { shards: 1 } } }) }),
    },
    edges: {
      AB: edge({
        ...{ from: 'A', to: 'B', edgeSet: set, degree: of.degree },
        ...(of.copy.length > 0 && of.set !== false && { copy: of.copy }),
        ...((hasOrders || of.incoming) && {
          inbound: { ...(hasOrders && { orders, ...settings }), ...(of.incoming && totalOf(of.incoming)) },
        }),
        ...(of.outgoing && { outgoing: totalOf(of.outgoing) }),
      } as never),
      ...(spec.extra && { AC: edge({ from: 'A', to: 'C', edgeSet: [], inbound: { orders: { gsi0: 'since' } } }) }),
    },
  } as never) as CompiledModel;
}

/** The versions of the functions that a model means; 0 where it has none. */
export function versionsOf({ searches, edge: of }: ModelSpec): { initial: number; mark: number } {
  const order = searches['initial']?.order;
  return { initial: order?.by === 'derive' ? order.version : 0, mark: of.set === false ? 0 : of.mark };
}
