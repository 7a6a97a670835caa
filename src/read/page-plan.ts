import type { CompiledModel, EdgeModel } from '../model/compiled.ts';
import { type AttributeSelection, viewHolds } from './nodes/views.ts';

/** What a page is asked for, beside which edges. */
export interface PageAsked {
  /** The edge type that the page lists. */
  edge: EdgeModel;
  /** Attributes of the nodes; undefined: those that their views show. */
  attributes?: AttributeSelection | undefined;
  /** Whether the nodes come with their edge sets. */
  edgeSets: boolean;
  /** The edge types whose targets are shown; undefined: all of the edge sets. */
  neighbours?: readonly EdgeModel[] | undefined;
}

/** The steps of a page. */
export interface PagePlan {
  /** Whether the Query alone gives the nodes. */
  isInIndex: boolean;
  /** For each step why it is made or left out. */
  why: string[];
}

/** Which steps a page takes. A step is left out where what is asked for has come before. */
export function planPage(graph: CompiledModel, asked: PageAsked): PagePlan {
  const { edge, edgeSets } = asked;
  const query = `Query: the edges of ${edge.type} in their order.`;
  const isInIndex = !edgeSets && missingInIndex(graph, asked) === undefined;
  const nodes = isInIndex ? whyInIndex(graph, asked) : whyNodes(graph, asked);
  return { isInIndex, why: [query, nodes, whyNeighbours(graph, asked)] };
}

/** The attributes that are asked for of nodes of a type; 'ALL' where no list says. */
export function selectedNames(
  graph: CompiledModel,
  type: string,
  attributes: AttributeSelection | undefined,
): AttributeSelection {
  if (attributes !== undefined) return attributes;
  const view = graph.nodes.get(type)?.view;
  if (view === undefined || view.kind === 'ALL') return 'ALL';
  return view.kind === 'LIST' ? view.attributes : [];
}

/** What index items lack of what is asked for of the nodes; undefined where they hold all of it. */
function missingInIndex(graph: CompiledModel, { edge, attributes }: PageAsked): string | undefined {
  const held = edge.inbound?.projectSource ?? [];
  for (const type of edge.from) {
    const names = selectedNames(graph, type, attributes);
    if (names === 'ALL') return `all attributes of ${type}`;
    const missing = names.filter((name) => !held.includes(name));
    if (missing.length > 0) return missing.join(', ');
  }
  return undefined;
}

function whyInIndex(graph: CompiledModel, { edge, attributes }: PageAsked): string {
  const names = new Set([...edge.from].flatMap((type) => [...selectedNames(graph, type, attributes)]));
  const held = names.size === 0 ? 'no attributes are asked for' : `${[...names].join(', ')} came with the edges`;
  return `No views of the nodes: ${held}, and no edge sets are asked for.`;
}

function whyNodes(graph: CompiledModel, asked: PageAsked): string {
  const { edge, attributes, edgeSets } = asked;
  const isBeyond =
    attributes !== undefined && [...edge.from].some((type) => !viewHolds(graph.nodes.get(type)?.view, attributes));
  if (edgeSets) {
    const more = isBeyond ? ' The nodes themselves: attributes are asked for that their views do not hold.' : '';
    return `Views of the nodes: edge sets are asked for, which lie there.${more}`;
  }
  const missing = missingInIndex(graph, asked);
  const lack = `the index items of ${edge.type} do not hold ${missing} (projectSource)`;
  return isBeyond ? `The nodes themselves: neither their views nor ${lack}.` : `Views of the nodes: ${lack}.`;
}

function whyNeighbours(graph: CompiledModel, { edge, edgeSets, neighbours }: PageAsked): string {
  if (!edgeSets) return 'No neighbours: edge sets name them, and those are not asked for.';
  const ofSets = [...graph.edges.values()].filter(
    ({ from, labels }) => labels !== undefined && [...from].some((type) => edge.from.has(type)),
  );
  const shown = neighbours ?? ofSets;
  if (shown.length === 0) return 'No neighbours: no edge type is named whose targets are shown.';
  const without = shown.filter(({ copy }) => copy === undefined).map(({ type }) => type);
  if (without.length > 0) {
    return `Views of neighbours: edges of ${without.join(', ')} hold no copies of their targets' attributes (copy).`;
  }
  const types = shown.map(({ type }) => type).join(', ');
  return `No views of neighbours: edges of ${types} hold copies; a target whose copy is missing is read.`;
}
