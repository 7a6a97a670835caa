import type { AnyPageNode, Neighbor } from '../../../src/client/read/levels/page-tree.ts';
import { type Asked, edgesAt, MOST_LEVELS } from './levels-oracle.ts';
import { type DrawnEdge, type DrawnGraph, EDGE_TYPES, type LevelEdge } from './random-levels.ts';

/** What a page shows, and where it may lack edges. */
export interface ShownPage {
  items: readonly AnyPageNode[];
  /** Whether a node is shown anywhere. */
  isShown: (id: string) => boolean;
  /** Whether not all edges of a node were read. */
  isCut: (id: string) => boolean;
}

/** What the places of a page have. */
export interface MetPlaces {
  /** Nodes whose edge sets were read. */
  ofSets: Set<string>;
  /** Whether there are edges that were queried. */
  hasQueried: boolean;
}

/** A place of a page that is to be compared: its levels, and those that the question names for its edge type with any label. */
interface Place {
  node: AnyPageNode;
  levels: readonly Asked[];
  named: readonly Asked[];
  depth: number;
  /** Whether some of the edges that may lead here were not read: then it is not known which levels are next to it. */
  isUnsure: boolean;
}

/**
 * Throws unless each node and edge of the page is at the places where the question asks for it, and nowhere else. Each object of the
 * page is looked at once: it has to stand for one node with one set of levels.
 */
export function comparePlaces(graph: DrawnGraph, page: ShownPage, asked: readonly Asked[]): MetPlaces {
  const met: MetPlaces = { ofSets: new Set(), hasQueried: false };
  const known = new Map<AnyPageNode, Place>();
  const open: Place[] = page.items.map((node) => ({ node, levels: asked, named: asked, depth: 1, isUnsure: false }));
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    const before = known.get(place.node);
    if (before !== undefined) {
      if (before.isUnsure || place.isUnsure) continue;
      if (!isSame(before.levels, place.levels) || !isSame(before.named, place.named))
        throw new Error(`one object is ${place.node.id} with two sets of levels`);
      continue;
    }
    known.set(place.node, place);
    open.push(...comparePlace(graph, page, place, met));
  }
  return met;
}

function comparePlace(
  graph: DrawnGraph,
  { isShown, isCut }: ShownPage,
  { node, levels, named, depth, isUnsure }: Place,
  met: MetPlaces,
): Place[] {
  const sides = { edges: [] as string[], inbound: [] as string[] };
  const below: Place[] = [];
  for (const group of groupsOf(named)) {
    const { type, isInbound, isQueried } = group[0]!;
    const side = isInbound ? 'inbound' : 'edges';
    sides[side].push(type!);
    const found: readonly Neighbor[] | undefined = node[side]?.[type!];
    if (found === undefined) throw new Error(`${node.id} has no list of ${type}`);
    const expected = depth > MOST_LEVELS ? new Map() : edgesOf(graph, node.id, group, levels);
    for (const id of expected.keys()) if (!isShown(id)) expected.delete(id);
    const place = `${type} at ${node.id} on level ${depth}`;
    const ids = found.map(({ node: { id } }) => id);
    if (new Set(ids).size < ids.length) throw new Error(`${place} names a node twice: ${ids}`);
    const wrong = ids.find((id) => !expected.has(id));
    if (wrong !== undefined) throw new Error(`${place} has ${wrong}`);
    const missing = [...expected.keys()].find((id) => !ids.includes(id));
    const isPart = isQueried && isCut(node.id);
    if (missing !== undefined && !isPart && !isUnsure) throw new Error(`${place} lacks ${missing}`);
    for (const { edge, node: other } of found) {
      const { drawn, next } = expected.get(other.id)!;
      const attributes = shownOf(drawn, group[0]!);
      if (sortedText(edge) !== sortedText(attributes))
        throw new Error(`${place} has ${sortedText(edge)} instead of ${sortedText(attributes)}`);
      const end = { node: other, levels: next, named: group.flatMap((level) => level.with), depth: depth + 1 };
      below.push({ ...end, isUnsure: isUnsure || (isPart && group.length > 1) });
    }
    if (!isQueried) met.ofSets.add(node.id);
    else if (ids.length > 0) met.hasQueried = true;
  }
  for (const side of ['edges', 'inbound'] as const) {
    const types = Object.keys(node[side] ?? {});
    if (types.sort().join() !== sides[side].sort().join()) throw new Error(`${node.id} has ${side} of ${types}`);
  }
  return below;
}

/** The edges that levels of one edge type find at a node, by the node at the other end, with what is next to that. */
function edgesOf(graph: DrawnGraph, id: string, group: readonly Asked[], levels: readonly Asked[]) {
  const found = new Map<string, { drawn: DrawnEdge; next: Asked[] }>();
  for (const level of group) {
    if (!levels.includes(level)) continue;
    for (const drawn of edgesAt(graph, id, level)) {
      const end = level.isInbound ? drawn.source : drawn.target;
      found.set(end, { drawn, next: [...(found.get(end)?.next ?? []), ...level.with] });
    }
  }
  return found;
}

function groupsOf(levels: readonly Asked[]): Asked[][] {
  const names = new Set(levels.map(nameOf));
  return [...names].map((name) => levels.filter((level) => nameOf(level) === name));
}

function nameOf({ type, isInbound }: Asked): string {
  return `${isInbound} ${type}`;
}

/** What a page shows of an edge: its label, the attributes of its index item, or all. */
function shownOf({ type, attributes }: DrawnEdge, { isInbound, isQueried }: Asked): Record<string, string> {
  if (isQueried && !isInbound) return { ...attributes };
  const name = isInbound ? 'since' : EDGE_TYPES[type as LevelEdge].label;
  const value = name === undefined ? undefined : attributes[name];
  return value === undefined ? {} : { [name!]: value };
}

function sortedText(attributes: object): string {
  return JSON.stringify(Object.entries(attributes).sort(([left], [right]) => (left < right ? -1 : 1)));
}

function isSame(left: readonly Asked[], right: readonly Asked[]): boolean {
  return left.length === right.length && left.every((level) => right.includes(level));
}
