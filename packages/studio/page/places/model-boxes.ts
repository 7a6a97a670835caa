import { countText } from '../../../../src/foundation/figure.ts';
import type { ModelAnswer } from '../../api/model-and-status.ts';
import type { DescribedEdge } from '../../base/describe-model.ts';
import type { SampleAnswer } from '../../base/table-sample.ts';
import { groupTypes } from '../../base/type-groups.ts';
import { addressOf } from '../base/address.ts';
import { sampledText } from '../base/words.ts';
import type { Box, Way } from '../parts/layers.tsx';

/** A model with more node types and edge types is shown in groups. */
const MOST_UNFOLDED = 20;
/** The name that opens all groups; no node type has a name in lower case. */
export const ALL_GROUPS = 'all';

/** The model as a drawing shows it: node types that are folded are in the box of their group. */
export interface ModelBoxes {
  boxes: Box[];
  ways: Way[];
  /** True if the model is large enough for groups. */
  hasGroups: boolean;
  /** The boxes of a change: from the box of its source, over that of its edge type, to that of its target. */
  boxesOfMove(from: string, type: string, to: string): [from: string, over: string | undefined, to: string];
}

/** The groups of the node types of a large model; a small one has none. */
export function groupsOf({ nodes, edges }: ModelAnswer): string[][] {
  if (nodes.length + edges.length <= MOST_UNFOLDED) return [];
  const groups = groupTypes(
    nodes.map(({ type }) => type),
    edges,
  );
  return groups.filter(({ length }) => length > 1);
}

/**
 * Makes the boxes of a model.
 *
 * @param open the groups that are unfolded, by their first types; `all` unfolds each.
 * @param chosen the box that is picked: the types that it needs are unfolded too.
 */
export function modelBoxes(
  model: ModelAnswer,
  sample: SampleAnswer | undefined,
  groups: readonly string[][],
  open: readonly string[],
  chosen: string | undefined,
): ModelBoxes {
  const needed = new Set(typesOf(model, chosen));
  const folded = groups.filter(
    (group) => !open.includes(ALL_GROUPS) && !open.includes(group[0]!) && !group.some((type) => needed.has(type)),
  );
  const groupOf = new Map(folded.flatMap((group) => group.map((type) => [type, groupBox(group)])));
  const boxOf = (type: string): string => groupOf.get(type) ?? nodeBox(type);
  const countOf = (count: number | undefined): string | undefined =>
    sample === undefined || count === undefined ? undefined : sampledText(count, sample);
  const to = (id: string): string => addressOf('/', { picked: id, open });
  const ends = model.edges.map((edge) => endsOf(edge, boxOf));
  const boxes: Box[] = [
    ...model.nodes
      .filter(({ type }) => !groupOf.has(type))
      .map(({ type, searches }): Box => {
        const id = nodeBox(type);
        const lines = searches.map(({ name }) => {
          return { text: name.slice(type.length + 1), to: addressOf('/explore', { search: name }) };
        });
        return { id, title: type, count: countOf(sample?.nodes[type]?.count), kind: 'node', to: to(id), lines };
      }),
    ...folded.map((group): Box => {
      const id = groupBox(group);
      const within = ends.filter(({ inner }) => inner === id).length;
      const lines = group.slice(1).map((type) => {
        const count = countOf(sample?.nodes[type]?.count);
        return { text: count === undefined ? type : `${type} ${count}`, to: to(nodeBox(type)) };
      });
      return {
        ...{ id, title: `${group[0]} and ${group.length - 1} more`, count: countOf(sample?.nodes[group[0]!]?.count) },
        kind: 'node',
        to: addressOf('/', { open: [...open, group[0]!] }),
        lines: within === 0 ? lines : [...lines, { text: `${countText(within, 'edge type')} within` }],
      };
    }),
  ];
  const ways: Way[] = [];
  const between = new Map<string, { from: string; to: string; edges: DescribedEdge[] }>();
  for (const { edge, sources, targets, inner } of ends) {
    if (inner !== undefined) continue;
    if ([...sources, ...targets].some((id) => !id.startsWith(GROUP))) {
      const id = edgeBox(edge.type);
      const lines = edge.orders.map(({ name, from }) => ({ text: `${name}: ${from}` }));
      const count = countOf(sample?.edges[edge.type]?.count);
      boxes.push({ id, title: edge.type, count, kind: 'edge', to: to(id), lines });
      ways.push(...sources.map((from) => ({ from, to: id, hasHead: false })));
      ways.push(...targets.map((one) => ({ from: id, to: one, hasHead: true })));
      continue;
    }
    for (const [from, end] of sources.flatMap((one) => targets.map((other) => [one, other] as const))) {
      if (from === end) continue;
      const id = pairBox(from, end);
      const known = between.get(id);
      between.set(id, { from, to: end, edges: [...(known?.edges ?? []), edge] });
    }
  }
  for (const [id, { from, to: end, edges }] of between) {
    const [first, ...rest] = edges.map(({ type }) => type);
    boxes.push({
      ...{ id, title: rest.length === 0 ? first! : `${first} and ${rest.length} more`, kind: 'edge' },
      to: to(edgeBox(first!)),
      lines: rest.map((type) => ({ text: type, to: to(edgeBox(type)) })),
    });
    ways.push({ from, to: id, hasHead: false }, { from: id, to: end, hasHead: true });
  }
  const known = new Set(boxes.map(({ id }) => id));
  return {
    boxes,
    ways,
    hasGroups: groups.length > 0,
    boxesOfMove: (from, type, end) => {
      const [start, last] = [boxOf(from), boxOf(end)];
      const over = [edgeBox(type), pairBox(start, last)].find((id) => known.has(id));
      return [start, over, last];
    },
  };
}

/** The boxes at the ends of an edge type. `inner`: the one folded group that has all of them. */
function endsOf(
  edge: DescribedEdge,
  boxOf: (type: string) => string,
): { edge: DescribedEdge; sources: string[]; targets: string[]; inner: string | undefined } {
  const [sources, targets] = [[...new Set(edge.from.map(boxOf))], [...new Set(edge.to.map(boxOf))]];
  const [first, ...others] = new Set([...sources, ...targets]);
  const isInner = first?.startsWith(GROUP) === true && others.length === 0;
  return { edge, sources, targets, inner: isInner ? first : undefined };
}

/** The node types of a picked box: its own type, or the ends of its edge type. */
function typesOf({ edges }: ModelAnswer, chosen: string | undefined): readonly string[] {
  if (chosen === undefined) return [];
  if (!chosen.startsWith(EDGE)) return [chosen.slice(nodeBox('').length)];
  const edge = edges.find(({ type }) => edgeBox(type) === chosen);
  return edge === undefined ? [] : [...edge.from, ...edge.to];
}

/** The box of a node type, or of a group, that most edge types leave or enter. */
export function busiestBox(ways: readonly Way[]): string {
  const counts = new Map<string, number>();
  for (const id of ways.flatMap(({ from, to }) => [from, to])) {
    if (!id.startsWith(EDGE)) counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  return [...counts].reduce((most, one) => (one[1] > most[1] ? one : most), ['', 0] as [string, number])[0];
}

/** A box, what it is connected with, and the other ends of the edges of a node. */
export function boxesNextTo(ways: readonly Way[], chosen: string): ReadonlySet<string> {
  const around = (ids: ReadonlySet<string>): string[] =>
    ways.flatMap(({ from, to }) => (ids.has(from) ? [to] : ids.has(to) ? [from] : []));
  const first = new Set([chosen, ...around(new Set([chosen]))]);
  if (chosen.startsWith(EDGE)) return first;
  const edges = new Set([...first].filter((id) => id.startsWith(EDGE)));
  return new Set([...first, ...around(edges)]);
}

const EDGE = 'edge ';
const GROUP = 'group ';
// Types of nodes and of edges may have the same name.
const nodeBox = (type: string): string => `node ${type}`;
const edgeBox = (type: string): string => EDGE + type;
const groupBox = ([first]: readonly string[]): string => GROUP + first;
const pairBox = (from: string, to: string): string => `${EDGE}between ${from} and ${to}`;
