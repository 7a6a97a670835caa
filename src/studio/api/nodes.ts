import * as z from 'zod';
import type { BaseNode, EdgeResult, EdgeSetEntry, Page } from '../../client/read/request/result.ts';
import { typePrefix } from '../../core/items/keys.ts';
import { toPlainItem } from '../../core/items/plain.ts';
import { losslessNumber } from '../../foundation/exact-json.ts';
import type { RequestContext } from '../base/context.ts';
import { input, orderedInput, route } from '../base/route.ts';

/** A node: as it was written, and as its view shows it. */
export interface NodeAnswer {
  id: string;
  type: string | null;
  /** The attributes that producers wrote; null: there is no such node. */
  base: BaseNode['attributes'] | null;
  /** The attributes of its parts as producers wrote them, by name; those that are there. */
  parts: Record<string, Record<string, unknown>>;
  /** The attributes of its view; null: nothing is projected. */
  view: Record<string, unknown> | null;
  edgeSet: EdgeSetEntry[];
  /** Elements of the edge set; `edgeSet` has the first of them. */
  edgeSetSize: number;
}

/** One node with the nodes around it. */
export interface NeighbourhoodAnswer {
  id: string;
  /** Edges that leave it, and edges that enter it, up to a limit for each type. */
  outgoing: Pick<EdgeResult, 'source' | 'type' | 'target'>[];
  incoming: Pick<EdgeResult, 'source' | 'type' | 'target'>[];
  /** Edge types of which there are more. */
  more: string[];
  /** Edge types whose incoming edges lie in partitions by a value, so that no one question finds them all. */
  partitioned: string[];
}

/** Elements of an edge set that one answer holds. */
const MOST_ELEMENTS = 500;

/** Nodes and what is around them. */
export const NODE_ROUTES = [
  route('GET /api/node', z.object({ id: input.id }), async (context, { id }): Promise<NodeAnswer> => {
    const { reader } = context;
    const [[seen], base, parts] = await Promise.all([reader.get([id]), reader.node(id), partsOf(context, id)]);
    const edgeSet = (seen?.edgeSet ?? []) as EdgeSetEntry[];
    return {
      id,
      type: typePrefix(id) ?? null,
      base: base?.attributes ?? null,
      parts,
      view: seen?.attributes ?? null,
      edgeSet: edgeSet.slice(0, MOST_ELEMENTS),
      edgeSetSize: edgeSet.length,
    };
  }),
  route(
    'GET /api/edges',
    z.object({ id: input.id, type: z.string().optional(), limit: input.limit, cursor: input.cursor }),
    async ({ reader }, { id, type, ...options }): Promise<Page<EdgeResult>> => reader.edges(id, type, options),
  ),
  route(
    'GET /api/inbound',
    z.object({
      id: input.id,
      type: input.id,
      limit: input.limit,
      cursor: input.cursor,
      ...orderedInput,
    }),
    async ({ reader }, { id, type, ...options }): Promise<Page<EdgeResult>> => reader.inbound(type, id, options),
  ),
  route('GET /api/neighbourhood', z.object({ id: input.id, limit: input.limit }), neighbourhood),
];

/** The parts of a node, whether the node is there or not. */
async function partsOf({ graph, store }: RequestContext, id: string): Promise<NodeAnswer['parts']> {
  const names = [...(graph.nodes.get(typePrefix(id) ?? '')?.parts.keys() ?? [])];
  if (names.length === 0) return {};
  const { partitionKey, sortKey } = graph.table;
  const { items } = await store.getMany(
    names.map((name) => ({ source: id, target: name })),
    { consistent: true },
  );
  return Object.fromEntries(
    names.flatMap((name, i) => {
      if (items[i] === undefined) return [];
      const { [partitionKey]: _source, [sortKey]: _target, ...attributes } = toPlainItem(items[i], losslessNumber);
      return [[name, attributes]];
    }),
  );
}

async function neighbourhood(
  { graph, reader }: RequestContext,
  { id, limit }: { id: string; limit: number },
): Promise<NeighbourhoodAnswer> {
  const type = typePrefix(id) ?? '';
  const edges = [...graph.edges.values()];
  const leaving = edges.filter(({ from }) => from.has(type));
  const indexed = edges.filter(({ to, inbound }) => to.has(type) && inbound !== undefined);
  const entering = indexed.filter(({ inbound }) => inbound?.partition === undefined);
  const out = await Promise.all(
    leaving.map(async (edge) => ({ edge, page: await reader.edges(id, edge.type, { limit }) })),
  );
  const into = await Promise.all(
    entering.map(async (edge) => ({ edge, page: await reader.inbound(edge.type, id, { limit }) })),
  );
  const ends = ({ source, type: edgeType, target }: EdgeResult) => ({ source, type: edgeType, target });
  const more = [...out, ...into].filter(({ page }) => page.cursor !== undefined).map(({ edge }) => edge.type);
  return {
    id,
    outgoing: out.flatMap(({ page }) => page.items.map(ends)),
    incoming: into.flatMap(({ page }) => page.items.map(ends)),
    more: [...new Set(more)],
    partitioned: indexed.filter((edge) => !entering.includes(edge)).map((edge) => edge.type),
  };
}
