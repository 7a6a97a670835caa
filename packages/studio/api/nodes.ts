import * as z from 'zod';
import type { EdgeResult, EdgeSetElement, Page, StoredNode } from '../../../src/client/read/request/result.ts';
import type { Item } from '../../../src/core/items/attribute-value.ts';
import { BEGINNINGS } from '../../../src/core/items/derived-key.ts';
import { typePrefix } from '../../../src/core/items/keys.ts';
import { toPlainItem } from '../../../src/core/items/plain.ts';
import { quarantineEntry } from '../../../src/core/kinds/quarantine-entry.ts';
import type { CompiledModel } from '../../../src/core/model/compiled.ts';
import { withoutBookkeeping } from '../../../src/core/model/mirrored.ts';
import { type QuarantineEntry, readEntry } from '../../../src/core/plan/quarantine-entry.ts';
import { losslessNumber } from '../../../src/foundation/exact-json.ts';
import type { ExplainedPart } from '../../../src/trust/explain/base-item.ts';
import type { RequestContext } from '../base/context.ts';
import { countEdges, type EdgeCount, type EdgeEnd } from '../base/edge-count.ts';
import { wrongPlacesOf } from '../base/node-state.ts';
import { readStoredView } from '../base/node-view.ts';
import { UNITS_AT_ONCE } from '../base/price.ts';
import { input, route } from '../base/route.ts';
import { nameOfNode, namesOfNode } from '../base/table-sample.ts';
import { sampleOf } from './live.ts';

export interface NodeAnswer {
  id: string;
  /** The first attribute that the view shows. */
  name: string | null;
  /** Null: the node doesn't exist. */
  base: StoredNode['attributes'] | null;
  parts: Record<string, Record<string, unknown>>;
  /** Null: nothing is projected. */
  view: Record<string, unknown> | null;
  /** The parts that lag, drift or are quarantined. */
  wrong: ExplainedPart[];
  /** Entries of the node's partition. */
  quarantined: QuarantineEntry[];
  edgeSet: EdgeSetElement[];
  /** `edgeSet` may hold only the first elements. */
  edgeSetSize: number;
  /** Edge types evicted from the set because it grew too large. */
  left: string[];
}

export interface ListOfNode extends EdgeCount {
  type: string;
  direction: EdgeEnd['direction'];
}

export interface NamesAnswer {
  names: Record<string, string | null>;
}

const MOST_ELEMENTS = 500;
const MOST_NODES = 500;
const MOST_NAME = 120;
const MOST_ENTRIES = 20;

export const NODE_ROUTES = [
  route('GET /api/node', z.object({ id: input.id }), async (context, { id }): Promise<NodeAnswer> => {
    const { graph, reader } = context;
    const hasView = graph.nodes.get(typePrefix(id) ?? '')?.hasView !== false;
    const [view, base, parts, quarantined] = await Promise.all([
      hasView ? readStoredView(context, id) : undefined,
      reader.getNode(id),
      partsOf(context, id),
      entriesOf(context, id),
    ]);
    const { attributes = null, edgeSet = [], left = [] } = view ?? {};
    return {
      id,
      name: shownName(graph, id, base?.attributes),
      base: base?.attributes ?? null,
      parts,
      view: attributes,
      wrong: await wrongPlacesOf(context, id, { base: base?.attributes, view: attributes }),
      quarantined,
      edgeSet: edgeSet.slice(0, MOST_ELEMENTS),
      edgeSetSize: edgeSet.length,
      left,
    };
  }),
  // POST, because the ids of a page don't fit into an address.
  route(
    'POST /api/names',
    z.object({ ids: z.array(input.id).max(MOST_NODES), isRead: z.boolean() }),
    async (context, { ids, isRead }): Promise<NamesAnswer> => ({
      names: Object.fromEntries(await (isRead ? readNames : sampledNames)(context, ids)),
    }),
  ),
  route(
    'GET /api/edges',
    z.object({ id: input.id, type: z.string().optional(), limit: input.limit, cursor: input.cursor }),
    async ({ reader }, { id, type, ...options }): Promise<Page<EdgeResult>> => reader.edges(id, type, options),
  ),
  route('GET /api/lists', z.object({ id: input.id }), async (context, { id }): Promise<{ lists: ListOfNode[] }> => {
    const lists: ListOfNode[] = [];
    // Sequential, because the lists share one budget of units.
    for (const end of endsOf(context.graph, id)) {
      const left = UNITS_AT_ONCE - context.store.rcu;
      const counted = left > 0 ? await countEdges(context, end, left) : undefined;
      if (counted !== undefined) lists.push({ type: end.edge.type, direction: end.direction, ...counted });
    }
    return { lists };
  }),
];

function endsOf(graph: CompiledModel, id: string): EdgeEnd[] {
  const type = typePrefix(id) ?? '';
  const edges = [...graph.edges.values()];
  const incoming = edges.filter(({ to, inbound }) => to.has(type) && inbound !== undefined && !inbound.partition);
  return [
    ...edges.filter(({ from }) => from.has(type)).map((edge): EdgeEnd => ({ id, edge, direction: 'outgoing' })),
    ...incoming.map((edge): EdgeEnd => ({ id, edge, direction: 'incoming' })),
  ];
}

/** The name of a node: its first text or number among the attributes that the view shows. */
function shownName(graph: CompiledModel, id: string, attributes: Record<string, unknown> | undefined): string | null {
  if (attributes === undefined) return null;
  const node = graph.nodes.get(typePrefix(id) ?? '');
  const shown = node?.view.kind === 'LIST' ? node.view.attributes : namesOfNode(node);
  for (const name of shown) {
    const value = Object.hasOwn(attributes, name) ? attributes[name] : undefined;
    if ((typeof value === 'string' && value !== '') || typeof value === 'number')
      return String(value).slice(0, MOST_NAME);
  }
  return null;
}

async function entriesOf({ graph, store }: RequestContext, id: string): Promise<QuarantineEntry[]> {
  const sortKey = { beginsWith: BEGINNINGS['quarantine-entry'] };
  const { items } = await store.query({ partition: id, sortKey, limit: MOST_ENTRIES, consistent: true });
  return items.filter((item) => quarantineEntry.isLive(item)).map((item) => readEntry(graph, item));
}

type NameOf = [id: string, name: string | null];

async function sampledNames(context: RequestContext, ids: readonly string[]): Promise<NameOf[]> {
  const { nodes } = await sampleOf(context);
  return ids.map((id) => [id, nodes.get(typePrefix(id) ?? '')?.get(id) ?? null]);
}

/** Costs 0.5 RCU for each node. */
async function readNames({ graph, store }: RequestContext, ids: readonly string[]): Promise<NameOf[]> {
  const each = [...new Set(ids)];
  const keys = each.map((id) => ({ source: id, target: id }));
  const { items } = await store.getMany(keys, { consistent: false });
  return each.map((id, i) => [id, items[i] === undefined ? null : nameOfNode(graph, typePrefix(id) ?? '', items[i])]);
}

async function partsOf({ graph, store }: RequestContext, id: string): Promise<NodeAnswer['parts']> {
  const names = [...(graph.nodes.get(typePrefix(id) ?? '')?.parts.keys() ?? [])];
  if (names.length === 0) return {};
  const { items } = await store.getMany(
    names.map((name) => ({ source: id, target: name })),
    { consistent: true },
  );
  return Object.fromEntries(
    names.flatMap((name, i) => {
      return items[i] === undefined ? [] : [[name, plainWithoutKeys(graph, items[i])]];
    }),
  );
}

function plainWithoutKeys({ table }: CompiledModel, item: Item): Record<string, unknown> {
  const {
    [table.partitionKey]: _source,
    [table.sortKey]: _target,
    ...attributes
  } = toPlainItem(withoutBookkeeping(item), losslessNumber);
  return attributes;
}
