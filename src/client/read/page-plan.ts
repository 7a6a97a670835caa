import type { CompiledModel, EdgeModel } from '../../core/model/compiled.ts';
import { type Level, MAX_DEPTH } from './levels/level.ts';
import { type AttributeSelection, viewHolds } from './nodes/views.ts';

export interface PageAsked {
  edge: EdgeModel;
  attributes?: AttributeSelection | undefined;
  levels: readonly Level[];
  maxNodes: number;
  isAlone: boolean;
}

export interface PagePlan extends Pick<PageAsked, 'levels' | 'maxNodes'> {
  isInIndex: boolean;
  why: string[];
}

export function planPage(graph: CompiledModel, asked: PageAsked): PagePlan {
  const { edge, levels, maxNodes } = asked;
  const query = `Query: the edges of ${edge.type} in their order.`;
  const isInIndex = asked.isAlone && missingInIndex(graph, asked) === undefined;
  const nodes = isInIndex ? whyInIndex(graph, asked) : whyNodes(graph, asked);
  const neighbors = levels.length === 0 ? ['No neighbors: no edge type is named.'] : whyLevel(levels, maxNodes, 1);
  return { levels, maxNodes, isInIndex, why: [query, nodes, ...neighbors] };
}

export function selectedNames(
  graph: CompiledModel,
  type: string,
  attributes: AttributeSelection | undefined,
): AttributeSelection {
  if (attributes !== undefined) return attributes;
  const node = graph.nodes.get(type);
  if (node === undefined || node.view.kind === 'ALL' || node.isShownItself === true) return 'ALL';
  return [...(node.view.kind === 'LIST' ? node.view.attributes : []), ...node.parts.keys()];
}

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
  return `No views of the nodes: ${held}, and there are no neighbors to show.`;
}

function whyNodes(graph: CompiledModel, asked: PageAsked): string {
  const { edge, attributes, levels } = asked;
  const isBeyond =
    attributes !== undefined && [...edge.from].some((type) => !viewHolds(graph.nodes.get(type), attributes));
  if (levels.length > 0) {
    const more = isBeyond ? ' The nodes themselves: attributes are asked for that their views do not hold.' : '';
    return `Views of the nodes: neighbors are asked for, and the edge sets lie there.${more}`;
  }
  if (!asked.isAlone) return 'Views of the nodes: they tell which nodes exist; with: [] does without.';
  const missing = missingInIndex(graph, asked);
  const lack = `the index items of ${edge.type} do not hold ${missing} (projectSource)`;
  return isBeyond ? `The nodes themselves: neither their views nor ${lack}.` : `Views of the nodes: ${lack}.`;
}

function whyLevel(levels: readonly Level[], maxNodes: number, depth: number): string[] {
  if (depth > MAX_DEPTH) return [`Level ${depth} is left out: a page has ${MAX_DEPTH} levels at most.`];
  const name = depth === 1 ? 'neighbors' : `neighbors on level ${depth}`;
  const uncopied = levels.filter(({ by, edge }) => by !== 'edge set' || edge.copy === undefined);
  const leading = levels.filter(({ with: below }) => below.length > 0);
  const reasons = [
    ...(uncopied.length > 0
      ? [`edges of ${typesOf(uncopied)} hold no copies of their targets' attributes (copy)`]
      : []),
    ...(leading.length > 0 ? [`the next level is next to the targets of ${typesOf(leading)}`] : []),
  ];
  const step =
    reasons.length > 0
      ? `Views of ${name}: ${reasons.join('; ')}.`
      : `No views of ${name}: edges of ${typesOf(levels)} hold copies; a target whose copy is missing is read.`;
  const queries = levels.flatMap((level) => (level.by === 'edge set' ? [] : [whyQuery(level, name, maxNodes)]));
  const below = leading.flatMap((level) => level.with);
  return [...queries, step, ...(below.length > 0 ? whyLevel(below, maxNodes, depth + 1) : [])];
}

function whyQuery({ by, edge }: Level, name: string, maxNodes: number): string {
  const calls = by === 'inbound' ? (edge.inbound?.shards ?? 1) : 1;
  const edges = by === 'inbound' ? 'that enter it come from an index' : 'that leave it are in no edge set';
  const times = calls === 1 ? 'A Query' : `${calls} Queries`;
  return `${times} for each node above the ${name}, ${calls * 0.5} RCU or more, until ${maxNodes} neighbors are found: edges of ${edge.type} ${edges}.`;
}

function typesOf(levels: readonly Level[]): string {
  return [...new Set(levels.map(({ edge }) => edge.type))].join(', ');
}
