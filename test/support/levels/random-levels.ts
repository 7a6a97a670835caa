import type { WithLevel } from '../../../src/client/read/levels/level.ts';
import type { CompiledModel } from '../../../src/core/model/compiled.ts';
import { defineGraph, edge, node } from '../../../src/index.ts';
import type { Random } from '../../simulator/kernel/random.ts';
import { uniqueTableName } from '../table.ts';

/** Random graphs of goals, tasks and people, and random levels of pages over them. */

/** An edge as a producer writes it. */
export interface DrawnEdge {
  source: string;
  type: string;
  target: string;
  attributes: Readonly<Record<string, string>>;
}

/** What producers have written: a node has a name, or is not there. */
export interface DrawnGraph {
  nodes: Map<string, { name: string; city: string }>;
  /** By source, type and target. */
  edges: Map<string, DrawnEdge>;
}

/** What the model of a run has. */
export interface DrawnOptions {
  /** Whether LEAD copies the names of people. */
  copies: boolean;
  /** Whether the views of goals have room for little, so that edge types leave their sets. */
  evicts: boolean;
  /** Whether one goal has more edges of a type that is queried than a page with a bound names. */
  hub: boolean;
}

/** The options of the edge types that levels and their oracle depend on. */
export const EDGE_TYPES = {
  SUB: { from: ['GOAL'], to: ['GOAL'], isListed: true, label: undefined, orders: [] },
  TASKS: { from: ['GOAL'], to: ['TASK'], isListed: true, label: 'kind', orders: [] },
  LEAD: { from: ['GOAL', 'TASK'], to: ['USER'], isListed: true, label: 'kind', orders: ['gsi0', 'byKind'] },
  PART_OF: { from: ['TASK'], to: ['GOAL'], isListed: false, label: undefined, orders: ['gsi0'] },
  SEEN: { from: ['GOAL', 'USER'], to: ['USER'], isListed: false, label: undefined, orders: [] },
} as const;

/** The name of an edge type that levels may have. */
export type LevelEdge = keyof typeof EDGE_TYPES;

const NAMES = Object.keys(EDGE_TYPES) as LevelEdge[];
const NODES = { GOAL: 6, TASK: 5, USER: 4 } as const;
const KINDS = ['a', 'b', 'c'] as const;
/** A label that fills a view of 1 KB with a few edges. */
const LONG = `long${'x'.repeat(250)}`;

/** The model of a run. LIST is the edge type of the page. */
export function drawnModel({ copies, evicts }: DrawnOptions): CompiledModel {
  const bounds = evicts ? { viewBudgetBytes: 1_024 } : {};
  return defineGraph({
    table: uniqueTableName(),
    nodes: {
      TEAM: node({ view: 'ALL' }),
      GOAL: node({ view: ['name'], ...bounds }),
      TASK: node({ view: ['name'] }),
      USER: node({ view: ['name', 'city'] }),
    },
    edges: {
      LIST: edge({ from: 'GOAL', to: 'TEAM', edgeSet: false, inbound: { orders: { gsi0: 'rank' } } }),
      SUB: edge({ from: 'GOAL', to: 'GOAL' }),
      TASKS: edge({ from: 'GOAL', to: 'TASK', edgeSet: ['kind'] }),
      LEAD: edge({
        from: ['GOAL', 'TASK'],
        to: 'USER',
        edgeSet: ['kind'],
        inbound: { orders: { gsi0: 'since', byKind: 'kind' }, shards: 2, project: ['since'] },
        ...(copies && { copy: ['name'] }),
      }),
      PART_OF: edge({
        from: 'TASK',
        to: 'GOAL',
        edgeSet: false,
        inbound: { orders: { gsi0: 'since' }, project: ['since'] },
      }),
      SEEN: edge({ from: ['GOAL', 'USER'], to: 'USER', edgeSet: false }),
    },
  }) as CompiledModel;
}

/** The ids of a type. */
function idsOf(type: keyof typeof NODES): string[] {
  return Array.from({ length: NODES[type] }, (_, i) => `${type}-${i}`);
}

/** Names an edge. */
export function edgeName({ source, type, target }: Pick<DrawnEdge, 'source' | 'type' | 'target'>): string {
  return `${source} ${type} ${target}`;
}

/** A node of some ids, at random. */
function one(random: Random, types: readonly string[]): string {
  const ids = types.flatMap((type) => idsOf(type as keyof typeof NODES));
  return ids[random.below(ids.length)]!;
}

/** A random edge of a random type. */
export function drawnEdge(random: Random, { evicts }: DrawnOptions): DrawnEdge {
  const type = NAMES[random.below(NAMES.length)]!;
  const { from, to } = EDGE_TYPES[type];
  const kind = evicts && random.chance(0.5) ? LONG : random.oneOf(KINDS);
  const since: Record<string, string> = random.chance(0.9) ? { since: `2026-0${1 + random.below(9)}` } : {};
  return { source: one(random, from), type, target: one(random, to), attributes: { kind, ...since } };
}

/** A random node, and its attributes; undefined: it is deleted, or never put. */
export function drawnNode(random: Random): [string, { name: string; city: string } | undefined] {
  const id = one(random, Object.keys(NODES));
  return [id, random.chance(0.8) ? { name: `${id} ${random.below(100)}`, city: 'Lisbon' } : undefined];
}

/** A random graph; some goals are on the page. */
export function drawnGraph(random: Random, options: DrawnOptions): DrawnGraph {
  const graph: DrawnGraph = { nodes: new Map(), edges: new Map() };
  for (let i = 0; i < 24; i++) {
    const [id, attributes] = drawnNode(random);
    if (attributes !== undefined) graph.nodes.set(id, attributes);
  }
  for (let i = 0; i < 15 + random.below(40); i++) {
    const drawn = drawnEdge(random, options);
    graph.edges.set(edgeName(drawn), drawn);
  }
  for (const [i, source] of idsOf('GOAL')
    .slice(0, 1 + random.below(4))
    .entries()) {
    const listed = { source, type: 'LIST', target: 'TEAM-1', attributes: { rank: String(i) } };
    graph.edges.set(edgeName(listed), listed);
  }
  for (let i = 0; options.evicts && i < LARGE_EDGES; i++) {
    const large = largeEdge(random);
    graph.edges.set(edgeName(large), large);
  }
  if (options.hub) addHub(random, graph);
  return graph;
}

/** Large edges of two goals: for most draws the set of one of them has no room for them. */
const LARGE_EDGES = 10;

/** An edge with a long label that leaves one of the first two goals. */
export function largeEdge(random: Random): DrawnEdge {
  const source = `GOAL-${random.below(2)}`;
  return { source, type: 'TASKS', target: one(random, ['TASK']), attributes: { kind: LONG, since: '2026-01' } };
}

/** A page with a bound names 100 nodes more than it shows: of a hub it reads only some edges. */
const HUB_EDGES = 130;

/** Gives a goal of the page many edges that leave it or that enter it. */
function addHub(random: Random, graph: DrawnGraph): void {
  const isLeaving = random.chance(0.5);
  for (let i = 0; i < HUB_EDGES; i++) {
    const attributes = { kind: 'a', since: '2026-01' };
    const added = isLeaving
      ? { source: 'GOAL-0', type: 'SEEN', target: `USER-HUB${i}`, attributes }
      : { source: `TASK-HUB${i}`, type: 'PART_OF', target: 'GOAL-0', attributes };
    graph.edges.set(edgeName(added), added);
  }
}

/** Random levels next to nodes of some types. */
export function drawnLevels(random: Random, above: readonly string[], depth = 1): WithLevel[] {
  const meeting = (side: 'from' | 'to') =>
    NAMES.filter((name) => EDGE_TYPES[name][side].some((type) => above.includes(type)));
  const levels: WithLevel[] = [];
  for (let i = 0; i < 1 + random.below(2); i++) {
    const entering = meeting('to').filter((name) => EDGE_TYPES[name].orders.length > 0);
    const leaving = meeting('from');
    const isInbound = entering.length > 0 && (leaving.length === 0 || random.chance(0.3));
    const among = isInbound ? entering : leaving;
    if (among.length === 0) continue;
    const type = among[random.below(among.length)]!;
    const { from, to, isListed, label, orders } = EDGE_TYPES[type];
    const next = isInbound ? from : to;
    const below =
      depth < 7 && random.chance(depth === 1 ? 0.8 : 0.6) ? { with: drawnLevels(random, next, depth + 1) } : {};
    if (isInbound) {
      const order = random.chance(0.5) ? { order: orders[random.below(orders.length)]! } : {};
      levels.push({ inbound: type, ...order, ...below });
      continue;
    }
    const kind = label !== undefined && random.chance(0.4) ? random.oneOf(KINDS) : undefined;
    if (isListed && Object.keys(below).length === 0 && random.chance(0.5))
      levels.push(kind === undefined ? type : `${type}:${kind}`);
    else levels.push({ edge: type, ...(kind !== undefined && { label: kind }), ...below });
  }
  return levels;
}
