import type { ModelAnswer } from '../../api/model-and-status.ts';
import type { ListedNode } from '../../base/listed-tree.ts';
import type { TouchedPlaces } from '../../base/touched.ts';
import type { PlaceParameters } from '../base/address.ts';

/** Levels below a list: a page shows no more. */
const MOST_LEVELS = 5;
/** Paths offered at most. */
const MOST_SUGGESTED = 12;

/** Levels that could come next: below the nodes of the list, and below the nodes at the end of each given level without a label. */
export function levelSuggestions({ edges }: ModelAnswer, type: string, levels: readonly string[]): string[] {
  const listed = edges.find((edge) => edge.type === type);
  const next = (types: readonly string[], before: string): string[] =>
    edges
      .filter(({ from, labels }) => labels !== undefined && from.some((one) => types.includes(one)))
      .map((edge) => before + edge.type);
  const deeper = levels.flatMap((path) => {
    if (path.split('/').length >= MOST_LEVELS) return [];
    const last = edges.find((edge) => edge.type === path.slice(path.lastIndexOf('/') + 1));
    return last === undefined ? [] : next(last.to, `${path}/`);
  });
  const all = [...next(listed?.from ?? [], ''), ...deeper];
  return [...new Set(all)].filter((path) => !levels.includes(path)).slice(0, MOST_SUGGESTED);
}

/** Nodes, and lists of nodes in the tree, that are followed at most. */
const MOST_FOLLOWED = { sources: 2_000, lists: 500 };

/** The places that a list with levels is read from: the list itself, the nodes of its tree, and the lists of edges that enter these. */
export function placesOfTree(
  { edges }: ModelAnswer,
  { type, id, order, partition }: PlaceParameters,
  levels: readonly string[],
  items: readonly ListedNode[],
): TouchedPlaces {
  const own = { type: String(type), id: String(id), ...textsOf({ order, partition }) };
  const sources = new Set<string>([own.id]);
  const add = ({ id: one, below }: ListedNode): void => {
    sources.add(one);
    for (const { nodes } of below) nodes.forEach(add);
  };
  items.forEach(add);
  const entering = new Set(
    levels.flatMap((path) =>
      path.split('/').flatMap((step) => (step.startsWith('inbound:') ? step.split(':')[1] : [])),
    ),
  );
  const lists = edges
    .filter((edge) => entering.has(edge.type) && edge.partition === undefined)
    .flatMap((edge) => {
      const ends = [...sources].filter((one) => edge.to.includes(one.slice(0, one.indexOf('-'))));
      return ends.map((end) => ({ type: edge.type, id: end }));
    });
  return {
    sources: [...sources].slice(0, MOST_FOLLOWED.sources),
    lists: [own, ...lists].slice(0, MOST_FOLLOWED.lists),
  };
}

function textsOf(parameters: PlaceParameters): Record<string, string> {
  return Object.fromEntries(
    Object.entries(parameters).flatMap(([name, value]) =>
      typeof value === 'string' && value !== '' ? [[name, value]] : [],
    ),
  );
}
