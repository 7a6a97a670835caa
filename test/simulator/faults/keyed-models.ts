import { type CompiledModel, defineGraph, edge, node, source } from '../../../src/index.ts';
import { sharedOrders } from '../../support/inbound-option.ts';
import type { Random } from '../kernel/random.ts';
import type { Stage } from './stage.ts';

/**
 * Models and items that make derived keys of every form, from names and ids that look like parts of keys. A model is plain data, so
 * that one projection can be taken out of it: what a table loses by that belongs to the projection.
 */

interface SearchSpec {
  shards: number;
  multiValue?: boolean;
  partition?: string;
}

interface OrderSpec {
  by: string;
  ofSource?: boolean;
}

interface EdgeTypeSpec {
  to: string[];
  keys: 'plain' | 'hashed';
  degree: boolean;
  copy: boolean;
  owner: boolean;
  shards: number;
  orders: Record<string, OrderSpec>;
}

export interface KeyedSpec {
  nodes: Record<string, { list: boolean; search: Record<string, SearchSpec> }>;
  edges: Record<string, EdgeTypeSpec>;
}

/** Types of which one begins as the other does. */
const TYPES = ['A', 'AB', 'B_1'] as const;
const EDGES = ['E', 'EA', 'AB'] as const;
/** Names of attributes that look like what stands around them in keys. */
const NAMES = [
  'name',
  '',
  '@2',
  '@2/name',
  '#list',
  '#byName',
  'E-A-1',
  'a/b',
  '%2F',
  'includeTarget',
  'ü🌊',
  '-',
  '~view',
];
const ORDERS = ['gsi0', 'gsi1', 'byName', 'list', 'includeTarget1'] as const;
const TAILS = ['1', '2', '-', '@2', '@2/x', '#', '#/E', '/', '%', 'A-1', '~ix', 'ü🌊', '\u0001'];

export function drawSpec(random: Random): KeyedSpec {
  const nodes: KeyedSpec['nodes'] = {};
  for (const type of TYPES) {
    const search: Record<string, SearchSpec> = {};
    for (let i = random.below(4); i > 0; i--) {
      const name = random.oneOf(NAMES as [string]);
      // An attribute has a name that is not empty.
      if (name === '') continue;
      const partition = random.chance(0.15) ? { partition: 'country' } : {};
      search[name] = { shards: 1 + random.below(3), ...(random.chance(0.4) && { multiValue: true }), ...partition };
    }
    // Each model has one projection at least.
    nodes[type] = { list: type === 'B_1' || random.chance(0.5), search };
  }
  const edges: KeyedSpec['edges'] = {};
  for (const type of EDGES) {
    if (random.chance(0.2)) continue;
    const orders: Record<string, OrderSpec> = {};
    for (const name of ORDERS) {
      const ofSource = name.startsWith('gsi') ? false : random.chance(0.3);
      if (random.chance(0.35)) orders[name] = { by: random.oneOf(['since', 'role']), ofSource };
    }
    const owner = Object.keys(orders).length > 0 && random.chance(0.3);
    const keys = random.chance(0.3) ? 'hashed' : 'plain';
    edges[type] = {
      to: random.chance(0.5) ? ['A'] : ['A', 'AB', 'B_1'],
      ...{ keys, degree: random.chance(0.4), copy: keys === 'plain' && random.chance(0.3), owner, orders },
      shards: owner ? 1 : 1 + random.below(3),
    };
  }
  return { nodes, edges };
}

/** The same projections, each spread in another way, as far as the model can say so: each gets a generation of its own. */
export function spreadAnew(spec: KeyedSpec): KeyedSpec {
  const next = structuredClone(spec);
  for (const { search } of Object.values(next.nodes)) for (const one of Object.values(search)) one.shards += 3;
  for (const one of Object.values(next.edges)) if (!one.owner) one.shards += 3;
  return next;
}

/** The names of what a model keeps under keys of its own. */
export function projectionsOf({ nodes, edges }: KeyedSpec): string[] {
  const names: string[] = [];
  for (const [type, { list, search }] of Object.entries(nodes)) {
    if (list) names.push(`list:${type}`);
    names.push(...Object.keys(search).map((name) => `search:${type}.${name}`));
  }
  for (const [type, { degree, orders }] of Object.entries(edges)) {
    const shared = sharedOrders(Object.keys(orders));
    if (degree || Object.keys(orders).length > 0) names.push(`inbound:${type}`);
    for (const name of Object.keys(orders)) if (!shared.includes(name)) names.push(`order:${type}.${name}`);
  }
  return names;
}

/** The model without one of its projections. */
export function without(spec: KeyedSpec, projection: string): KeyedSpec {
  const next = structuredClone(spec);
  const [kind, rest = ''] = [
    projection.slice(0, projection.indexOf(':')),
    projection.slice(projection.indexOf(':') + 1),
  ];
  const [type, name] = rest.includes('.')
    ? [rest.slice(0, rest.indexOf('.')), rest.slice(rest.indexOf('.') + 1)]
    : [rest, ''];
  if (kind === 'list') {
    next.nodes[type]!.list = false;
    return next;
  }
  if (kind === 'search') {
    delete next.nodes[type]!.search[name];
    return next;
  }
  const of = next.edges[type]!;
  if (kind === 'order') delete of.orders[name];
  else {
    of.degree = false;
    const shared = sharedOrders(Object.keys(of.orders)).filter((one) => one !== undefined);
    if (shared.length === Object.keys(of.orders).length) of.orders = {};
    // Else the ones that are left would share the item: it is kept for orders that no edge has a value of.
    for (const one of shared) if (of.orders[one] !== undefined) of.orders[one] = { by: 'nothing' };
  }
  return next;
}

/** Searches each of which has an item of its own, under its own name: each shows another attribute. */
function apart(search: Readonly<Record<string, object>>): Record<string, object> {
  return Object.fromEntries(
    Object.entries(search).map(([name, one]) => [name, { ...one, project: [`shown by ${name}`] }]),
  );
}

export function graphOf({ nodes, edges }: KeyedSpec): CompiledModel {
  const orderOf = ({ by, ofSource }: OrderSpec): unknown => (ofSource ? source(by) : by);
  return defineGraph({
    table: 'records',
    nodes: Object.fromEntries(
      Object.entries(nodes).map(([type, { list, search }]) => [
        type,
        node({ view: ['title'], list, search: apart(search) } as never),
      ]),
    ),
    edges: Object.fromEntries(
      Object.entries(edges).map(([type, { to, keys, degree, copy, owner, shards, orders }]) => {
        const named = Object.fromEntries(Object.entries(orders).map(([name, order]) => [name, orderOf(order)]));
        const inbound = { orders: named, shards, ...(owner && { includeTarget: true }) };
        return [
          type,
          edge({
            // One that is named as the node type that it leaves would have that node's keys.
            ...{ from: TYPES.filter((from) => from !== type), to, keys, degree },
            ...(copy && { copy: ['title'] }),
            ...(Object.keys(orders).length > 0 && { inbound }),
          } as never),
        ];
      }),
    ),
  } as never) as CompiledModel;
}

/** A text that may be an element or a value; some leave no room in a key for more than a hash. */
function drawText(random: Random): string {
  return `${random.oneOf(TAILS as [string])}${random.chance(0.1) ? 'y'.repeat(980) : ''}`;
}

/**
 * Puts nodes and edges that each projection of the model has items of. Of each type one node may have an id that leaves no room
 * for more than a hash in the keys of the edges that enter it; no edge leaves it, and its values are short.
 *
 * @param hashedKey the sort key of an edge whose keys are hashed.
 */
export function putItems(stage: Stage, spec: KeyedSpec, hashedKey: (type: string, target: string) => string): void {
  const { random } = stage;
  const short = TYPES.flatMap((type) => [0, 1].map(() => `${type}-${random.oneOf(TAILS as [string])}`));
  const long = TYPES.filter(() => random.chance(0.3)).map((type) => `${type}-${'x'.repeat(985 + random.below(15))}`);
  const ids = [...new Set([...short, ...long])];
  for (const id of ids) {
    const { search } = spec.nodes[typeOf(id)]!;
    const attributes: Record<string, unknown> = { title: 'Title', country: 'IT', since: '2020', role: 'LEAD' };
    const value = (): string => (long.includes(id) ? random.oneOf(['1', '/']) : drawText(random));
    for (const [name, { multiValue }] of Object.entries(search))
      attributes[name] = multiValue ? [value(), value()] : value();
    stage.node(id, attributes);
  }
  for (const [type, { to, keys }] of Object.entries(spec.edges)) {
    for (const source of new Set(short.filter((id) => typeOf(id) !== type))) {
      const targets = ids.filter((id) => to.includes(typeOf(id)));
      const target = random.oneOf(targets as [string]);
      const key = keys === 'hashed' ? hashedKey(type, target) : `${type}-${target}`;
      stage.put(source, key, { since: '2021', role: 'MEMBER', ...(keys === 'hashed' && { targetId: target }) });
    }
  }
}

function typeOf(id: string): string {
  return id.slice(0, id.indexOf('-'));
}
