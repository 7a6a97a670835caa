import type { CompiledModel } from '../../../../src/core/model/compiled.ts';
import { defineGraph, edge, node, part, rank, source, sum } from '../../../../src/index.ts';
import type { Choices } from '../../kernel/choices.ts';

/** What a model of these schedules has: the oracle works on this, the product on the graph that is made of it. */
export interface Features {
  /** The attributes that the views of A show. */
  view: 'none' | 'keys' | 'name' | 'all';
  /** Whether the view of A has the smallest byte budget that there is. */
  small: boolean;
  search: 'none' | 'name' | 'packed';
  /** A search by each element of a list. */
  tags: boolean;
  part: boolean;
  /** Whether a node or edge with the attribute `gone` counts as deleted. */
  soft: boolean;
  /** Ids have a tenant in them. */
  tenants: boolean;
  list: boolean;
  /** The edge set's elements of AB: none, plain, with a label. */
  elements: 'none' | 'plain' | 'role';
  /** The orders of AB. */
  orders: 'none' | 'date' | 'rank' | 'ranked-dated' | 'joined';
  /** A third order of AB, with items of its own. */
  third: boolean;
  /** What the index items of AB show of the edge and of its source. */
  project: 'none' | 'edge' | 'both';
  includeTarget: boolean;
  degree: boolean;
  outgoing: boolean;
  inbound: boolean;
  /** Views of A show the name of B under an AB. */
  copy: boolean;
}

/** The dull model: views with plain edges. */
const DULL: Features = {
  view: 'name',
  small: false,
  search: 'none',
  tags: false,
  part: false,
  soft: false,
  tenants: false,
  list: false,
  elements: 'plain',
  orders: 'none',
  third: false,
  project: 'none',
  includeTarget: false,
  degree: false,
  outgoing: false,
  inbound: false,
  copy: false,
};

/** The bytes of a small view. */
export const SMALL_BUDGET = 1_024;

/** What a schedule is about: anything, or the fan-outs of copies, those of joined items, or records without images. */
export type Focus = 'anything' | 'copies' | 'joined' | 'keys';

/** Draws a model: of the projector's core, or with totals and copies. */
export function drawFeatures(choices: Choices, isLedger: boolean, focus: Focus = 'anything'): Features {
  if (focus === 'copies') return { ...DULL, copy: true, small: choices.chance('model.small', 0.1) };
  if (focus === 'joined')
    return { ...DULL, orders: 'joined', third: choices.chance('model.third', 0.4), project: 'both' };
  if (focus === 'keys') return { ...DULL, orders: 'date' };
  const one = <T>(name: string, values: readonly [T, ...T[]]): T =>
    values[choices.pick(`model.${name}`, values.length)]!;
  const yes = (name: string, probability: number): boolean => choices.chance(`model.${name}`, probability);
  const elements = one('elements', ['plain', 'role', 'none'] as const);
  const drawn: Features = {
    ...DULL,
    elements,
    view: one('view', ['name', 'keys', 'all', 'none'] as const),
    small: yes('small', isLedger ? 0.2 : 0.4),
    soft: yes('soft', 0.25),
    orders: one('orders', ['none', 'date', 'rank', 'ranked-dated', 'joined'] as const),
    third: yes('third', 0.2),
    project: one('project', ['none', 'edge', 'both'] as const),
    tenants: yes('tenants', 0.2),
    ...(isLedger
      ? {
          degree: yes('degree', 0.4),
          outgoing: yes('outgoing', 0.4),
          inbound: yes('inbound', 0.5),
          copy: elements !== 'none' && yes('copy', 0.6),
        }
      : {
          search: one('search', ['none', 'name', 'packed'] as const),
          tags: yes('tags', 0.3),
          part: yes('part', 0.3),
          list: yes('list', 0.15),
          includeTarget: yes('target', 0.2),
        }),
  };
  const hasOrder = drawn.orders !== 'none';
  return {
    ...drawn,
    third: drawn.third && drawn.orders !== 'none',
    degree: drawn.degree || drawn.outgoing,
    project: hasOrder ? drawn.project : 'none',
    includeTarget: drawn.includeTarget && hasOrder,
  };
}

const graphs = new Map<string, CompiledModel>();

/** The graph of a model; graphs are kept, since to make one takes longer than a schedule. */
export function graphOf(features: Features): CompiledModel {
  const name = JSON.stringify(features);
  let graph = graphs.get(name);
  if (graph === undefined) {
    graph = defined(features);
    if (graphs.size > 3_000) graphs.clear();
    graphs.set(name, graph);
  }
  return graph;
}

function defined(features: Features): CompiledModel {
  const { view, small, part: hasPart, soft, tenants, list, search, tags } = features;
  const searches = {
    ...(search !== 'none' && { name: { shards: 1 } }),
    ...(search === 'packed' && { title: { shards: 1 } }),
    ...(tags && { tags: { multiValue: true, shards: 1 } }),
  };
  const state = part({ view: ['status'], search: { status: { shards: 1 } } } as never);
  return defineGraph({
    table: 'records',
    ...(tenants && { tenantSeparator: '.' }),
    nodes: {
      A: node({
        ...(view !== 'none' && { view: { keys: 'KEYS_ONLY', name: ['name'], all: 'ALL' }[view] }),
        ...(small && { viewBudgetBytes: SMALL_BUDGET }),
        ...(soft && { deletedWhen: 'gone' }),
        ...(hasPart && { parts: { STATE: state } }),
        list,
        search: searches,
      } as never),
      B: node({ view: ['name'] } as never),
    },
    edges: {
      AB: edge(edgeOptions(features) as never),
      // A second type in the same views, and in the same index items' partitions.
      AA: edge({ from: 'A', to: 'A', ...(soft && { deletedWhen: 'gone' }) } as never),
    },
  } as never) as CompiledModel;
}

function edgeOptions(features: Features): object {
  const { elements, soft, degree, outgoing, inbound, copy, includeTarget, project } = features;
  const orders = ordersOf(features);
  const ledger = { total: { hours: sum('hours') }, groupBy: ['kind'] };
  const entering = {
    ...(Object.keys(orders).length > 0 && { orders }),
    ...(project !== 'none' && { project: ['role'] }),
    ...(project === 'both' && { projectSource: ['title'] }),
    ...(includeTarget && { includeTarget: true }),
    ...(inbound && ledger),
  };
  return {
    from: 'A',
    to: 'B',
    edgeSet: { none: false, plain: [], role: ['role'] }[elements],
    ...(soft && { deletedWhen: 'gone' }),
    ...(copy && { copy: ['name'] }),
    ...(degree && { degree: true }),
    ...(outgoing && { outgoing: ledger }),
    ...(Object.keys(entering).length > 0 && { inbound: entering }),
  };
}

function ordersOf({ orders, third }: Features): Record<string, unknown> {
  const ranked = rank('role', { LEAD: 2, HELP: 1 });
  return {
    ...(orders === 'date' && { gsi0: 'date' }),
    ...(orders === 'rank' && { gsi0: ranked }),
    ...(orders === 'ranked-dated' && { gsi0: ranked, gsi1: 'date' }),
    ...(orders === 'joined' && { gsi0: source('x') }),
    ...(third && { third: orders === 'joined' ? ['date', source('x')] : 'date' }),
  };
}
