import type { WithLevel } from '../../../src/client/read/levels/level.ts';
import { type DrawnEdge, type DrawnGraph, EDGE_TYPES, type LevelEdge } from './random-levels.ts';

/** The answer that a page with levels has to give, from what producers wrote alone: it shares nothing with the reader. */

/** What levels show. */
export interface ShownLevels {
  /** The nodes, with those of them that only edges with copies lead to. */
  nodes: Map<string, { isCopied: boolean }>;
  /** Nodes on the level that is too deep, and nodes of which a Query would be needed there. */
  tooDeep: { ids: Set<string>; edgesOf: Set<string>; edges: { id: string; end: string }[] };
}

/** A level as its entry says it. */
export interface Asked {
  type: LevelEdge | undefined;
  isInbound: boolean;
  isQueried: boolean;
  order: string;
  label: string | undefined;
  with: readonly Asked[];
}

/** Levels of a page at most. */
export const MOST_LEVELS = 5;

/** The levels of a `with` at nodes of the page; without one the edge types of their edge sets. */
export function askedLevels(entries: readonly WithLevel[] | undefined): Asked[] {
  return (entries ?? ['SUB', 'TASKS', 'LEAD']).map(askedOf);
}

function askedOf(entry: WithLevel): Asked {
  if (typeof entry === 'string') {
    const [type, label] = entry.split(':');
    return { type: type as LevelEdge, isInbound: false, isQueried: false, order: '', label, with: [] };
  }
  const below = (entry.with ?? []).map(askedOf);
  if ('inbound' in entry) {
    const type = entry.inbound as LevelEdge;
    return { type, isInbound: true, isQueried: true, order: entry.order ?? 'gsi0', label: undefined, with: below };
  }
  const type = entry.edge as LevelEdge;
  const label = entry.label === undefined ? undefined : String(entry.label);
  return { type, isInbound: false, isQueried: !EDGE_TYPES[type].isListed, order: '', label, with: below };
}

/** The edges that an entry of `with` finds at a node. */
export function edgesAt({ edges }: DrawnGraph, id: string, { type, isInbound, order, label }: Asked): DrawnEdge[] {
  const isFound = (edge: DrawnEdge): boolean => {
    if (isInbound) {
      // An order has the edges that have its attribute.
      const attribute = order === 'byKind' ? 'kind' : 'since';
      return edge.type === type && edge.target === id && edge.attributes[attribute] !== undefined;
    }
    if (edge.source !== id || edge.type === 'LIST') return false;
    if (type === undefined) return EDGE_TYPES[edge.type as LevelEdge].isListed;
    return edge.type === type && (label === undefined || edge.attributes['kind'] === label);
  };
  return [...edges.values()].filter(isFound);
}

/** Whether nodes of a type can have a level. */
function canHave(id: string, { type, isInbound }: Asked): boolean {
  if (type === undefined) return true;
  const { from, to } = EDGE_TYPES[type];
  return (isInbound ? to : from).some((one) => id.startsWith(`${one}-`));
}

/**
 * Walks levels, breadth first.
 *
 * @param isOpen whether a node that is found may be shown: all may where no bound is asked for.
 * @param isCut whether the edges of a node were not all read.
 */
export function walkLevels(
  graph: DrawnGraph,
  page: readonly string[],
  entries: readonly WithLevel[] | undefined,
  copies: boolean,
  isOpen: (id: string) => boolean = () => true,
  isCut: (id: string) => boolean = () => false,
): ShownLevels {
  const every: Asked = { type: undefined, isInbound: false, isQueried: false, order: '', label: undefined, with: [] };
  const levels = entries === undefined ? [every] : entries.map(askedOf);
  const shown: ShownLevels = {
    ...{ nodes: new Map() },
    tooDeep: { ids: new Set(), edgesOf: new Set(), edges: [] },
  };
  const stepsOf = (id: string, asked: readonly Asked[]) =>
    asked.filter((level) => canHave(id, level)).map((level) => ({ id, level }));
  let above = page.flatMap((id) => stepsOf(id, levels));
  for (let depth = 1; above.length > 0 && depth <= MOST_LEVELS + 1; depth++) {
    const below = new Map<string, { id: string; level: Asked }>();
    for (const { id, level } of above) {
      if (depth > MOST_LEVELS && level.isQueried) {
        shown.tooDeep.edgesOf.add(id);
        continue;
      }
      if (level.isQueried && isCut(id)) continue;
      for (const edge of edgesAt(graph, id, level)) {
        const end = level.isInbound ? edge.source : edge.target;
        if (depth > MOST_LEVELS) {
          shown.tooDeep.ids.add(end);
          shown.tooDeep.edges.push({ id, end });
          continue;
        }
        if (!isOpen(end)) continue;
        const isCopied = copies && !level.isQueried && edge.type === 'LEAD' && graph.nodes.has(end);
        shown.nodes.set(end, { isCopied: isCopied && (shown.nodes.get(end)?.isCopied ?? true) });
        for (const step of stepsOf(end, level.with)) {
          below.set(`${step.id} ${numberOf(step.level)}`, step);
        }
      }
    }
    above = [...below.values()];
  }
  return shown;
}

const numbers = new WeakMap<object, number>();
let last = 0;

function numberOf(level: object): number {
  const known = numbers.get(level);
  if (known !== undefined) return known;
  last += 1;
  numbers.set(level, last);
  return last;
}
