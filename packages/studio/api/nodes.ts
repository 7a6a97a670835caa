import * as z from 'zod';
import { findEdge } from '../../../src/client/read/request/lookup.ts';
import type { EdgeResult, EdgeSetElement, Page, StoredNode } from '../../../src/client/read/request/result.ts';
import { typePrefix } from '../../../src/core/items/keys.ts';
import { toPlainItem } from '../../../src/core/items/plain.ts';
import { withoutBookkeeping } from '../../../src/core/model/mirrored.ts';
import { losslessNumber } from '../../../src/foundation/exact-json.ts';
import type { RequestContext } from '../base/context.ts';
import { countEdges, glanceAtCount } from '../base/edge-count.ts';
import type { EdgeCount } from '../base/ended-counts.ts';
import { type NeighbourGroup, neighboursOf } from '../base/neighbours.ts';
import { readStoredView } from '../base/node-view.ts';
import { UNITS_AT_ONCE } from '../base/price.ts';
import { input, orderedInput, route, withRange } from '../base/route.ts';

/** A node: as it was written, and as its view shows it. */
export interface NodeAnswer {
  id: string;
  type: string | null;
  /** The attributes that producers wrote; null: there is no such node. */
  base: StoredNode['attributes'] | null;
  /** The attributes of its parts as producers wrote them, by name; those that are there. */
  parts: Record<string, Record<string, unknown>>;
  /** The attributes of its view; null: nothing is projected. */
  view: Record<string, unknown> | null;
  edgeSet: EdgeSetElement[];
  /** Elements of the edge set; `edgeSet` has the first of them. */
  edgeSetSize: number;
  /** The edge types that left the set, because it grew too large, and how many edges they have. */
  left: ({ type: string } & EdgeCount)[];
}

/** One node with the nodes around it. */
export interface NeighbourhoodAnswer {
  id: string;
  /** The edges that leave it, and those that enter it, by type. */
  groups: NeighbourGroup[];
  /** Edge types whose incoming edges lie in partitions by a value, so that no one question finds them all. */
  partitioned: string[];
}

/** Elements of an edge set that one answer holds. */
const MOST_ELEMENTS = 500;
/** Read units that one count may take: a million edges of 800 bytes. */
const MOST_COUNT_RCU = 100_000;

/** Nodes and what is around them. */
export const NODE_ROUTES = [
  route('GET /api/node', z.object({ id: input.id }), async (context, { id }): Promise<NodeAnswer> => {
    const { graph, reader } = context;
    const hasView = graph.nodes.get(typePrefix(id) ?? '')?.hasView !== false;
    const [view, base, parts] = await Promise.all([
      hasView ? readStoredView(context, id) : undefined,
      reader.getNode(id),
      partsOf(context, id),
    ]);
    const { attributes = null, edgeSet = [], left = [] } = view ?? {};
    const budget = { rcu: UNITS_AT_ONCE };
    const counts: NodeAnswer['left'] = [];
    for (const type of left) {
      const edge = graph.edges.get(type);
      if (edge === undefined) continue;
      counts.push({ type, ...(await glanceAtCount(context, { id, edge, direction: 'outgoing' }, budget)) });
    }
    return {
      id,
      type: typePrefix(id) ?? null,
      base: base?.attributes ?? null,
      parts,
      view: attributes,
      edgeSet: edgeSet.slice(0, MOST_ELEMENTS),
      edgeSetSize: edgeSet.length,
      left: counts,
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
    async ({ reader }, { id, type, ...options }): Promise<Page<EdgeResult>> =>
      reader.inbound(id, type, withRange(options)),
  ),
  route(
    'GET /api/edge-count',
    z.object({
      id: input.id,
      type: input.id,
      direction: z.enum(['outgoing', 'incoming']),
      rcu: z.coerce.number().min(1).max(MOST_COUNT_RCU),
    }),
    async (context, { id, type, direction, rcu }): Promise<EdgeCount> =>
      countEdges(context, { id, edge: findEdge(context.graph, type), direction }, { rcu }),
  ),
  route(
    'GET /api/neighbourhood',
    z.object({ id: input.id, limit: input.limit }),
    async (context, { id, limit }): Promise<NeighbourhoodAnswer> => {
      const type = typePrefix(id) ?? '';
      const partitioned = [...context.graph.edges.values()].filter(
        ({ to, inbound }) => to.has(type) && inbound?.partition !== undefined,
      );
      const groups = await neighboursOf(context, id, limit);
      return { id, groups, partitioned: partitioned.map((edge) => edge.type) };
    },
  ),
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
      const {
        [partitionKey]: _source,
        [sortKey]: _target,
        ...attributes
      } = toPlainItem(withoutBookkeeping(items[i]), losslessNumber);
      return [[name, attributes]];
    }),
  );
}
