import * as z from 'zod';
import type { EdgeResult, EdgeSetElement, Page, StoredNode } from '../../../src/client/read/request/result.ts';
import type { Item } from '../../../src/core/items/attribute-value.ts';
import { BEGINNINGS } from '../../../src/core/items/derived-key.ts';
import { typePrefix } from '../../../src/core/items/keys.ts';
import { toPlainItem } from '../../../src/core/items/plain.ts';
import { quarantineEntry } from '../../../src/core/kinds/quarantine-entry.ts';
import type { CompiledModel, NodeModel } from '../../../src/core/model/compiled.ts';
import { withoutBookkeeping } from '../../../src/core/model/mirrored.ts';
import { type QuarantineEntry, readEntry } from '../../../src/core/plan/quarantine-entry.ts';
import { StoreError } from '../../../src/foundation/errors.ts';
import { losslessNumber } from '../../../src/foundation/exact-json.ts';
import type { ExplainedPart } from '../../../src/trust/explain/base-item.ts';
import type { RequestContext } from '../base/context.ts';
import { countEdges, type EdgeCount, type EdgeEnd } from '../base/edge-count.ts';
import { wrongPlacesOf } from '../base/node-state.ts';
import { readStoredView } from '../base/node-view.ts';
import { UNITS_AT_ONCE } from '../base/price.ts';
import { input, route } from '../base/route.ts';
import { nameOfNode, type Sampled, sampledName } from '../base/table-sample.ts';
import { sampleOf } from './live.ts';

export interface NodeAnswer {
  id: string;
  name: string | null;
  base: StoredNode['attributes'] | null;
  parts: Record<string, Record<string, unknown>>;
  view: Record<string, unknown> | null;
  /** Projections that lag, drift or are quarantined. Empty while base item and view agree. */
  wrong: ExplainedPart[];
  quarantined: QuarantineEntry[];
  edgeSet: EdgeSetElement[];
  names: Record<string, string | null>;
  /** Full size; `edgeSet` may hold only the first elements. */
  edgeSetSize: number;
  /** Edge types evicted from the edge set. */
  left: string[];
}

export interface NamedEdge extends EdgeResult {
  name: string | null;
}

export interface ListOfNode extends EdgeCount {
  type: string;
  direction: EdgeEnd['direction'];
}

const MOST_ELEMENTS = 500;
/** Maximum nodes read for names, each at 0.5 RCU per 4 KB. */
const MOST_READ = 20;
const MOST_ENTRIES = 20;

export const NODE_ROUTES = [
  route('GET /api/node', z.object({ id: input.id }), async (context, { id }): Promise<NodeAnswer> => {
    const { graph, reader } = context;
    const node = nodeOf(graph, id);
    const [view, base, parts, quarantined] = await Promise.all([
      node?.hasView === false ? undefined : readStoredView(context, id),
      reader.getNode(id),
      partsOf(context, id),
      entriesOf(context, id),
    ]);
    const { attributes = null, edgeSet: whole = [], left = [] } = view ?? {};
    const edgeSet = whole.slice(0, MOST_ELEMENTS);
    return {
      id,
      name: node && base ? nameOfNode(node, base.attributes) : null,
      base: base?.attributes ?? null,
      parts,
      view: attributes,
      wrong: await wrongPlacesOf(context, id, { base: base?.attributes, view: attributes }),
      quarantined,
      edgeSet,
      names: Object.fromEntries(
        await namesOf(
          context,
          edgeSet.map(({ target }) => target),
        ),
      ),
      edgeSetSize: whole.length,
      left,
    };
  }),
  route(
    'GET /api/edges',
    z.object({ id: input.id, type: z.string().optional(), limit: input.limit, cursor: input.cursor }),
    async (context, { id, type, ...options }): Promise<Page<NamedEdge>> => {
      const page = await context.reader.edges(id, type, options);
      return { ...page, items: await named(context, page.items, ({ target }) => target) };
    },
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

export async function named<T extends object>(
  context: RequestContext,
  all: readonly T[],
  idOf: (one: T) => string,
): Promise<(T & { name: string | null })[]> {
  const names = await namesOf(context, all.map(idOf));
  return all.map((one) => ({ ...one, name: names.get(idOf(one)) ?? null }));
}

async function namesOf(context: RequestContext, ids: readonly string[]): Promise<Map<string, string | null>> {
  const { graph, store } = context;
  const sampled = await sampleIfAllowed(context);
  const names = new Map(ids.map((id) => [id, sampled === undefined ? null : sampledName(sampled, id)] as const));
  const unknown = [...names.keys()].filter((id) => names.get(id) === null && nodeOf(graph, id) !== undefined);
  const read = unknown.slice(0, MOST_READ);
  const { items } = await store.getMany(
    read.map((id) => ({ source: id, target: id })),
    { consistent: false },
  );
  for (const [i, id] of read.entries()) {
    if (items[i] !== undefined) names.set(id, nameOfNode(nodeOf(graph, id)!, plainWithoutKeys(graph, items[i])));
  }
  return names;
}

/** Returns undefined if the table can't be scanned: a page without names is better than none. */
async function sampleIfAllowed(context: RequestContext): Promise<Sampled | undefined> {
  try {
    return await sampleOf(context);
  } catch (error) {
    if (error instanceof StoreError) return undefined;
    throw error;
  }
}

function nodeOf({ nodes }: CompiledModel, id: string): NodeModel | undefined {
  return nodes.get(typePrefix(id) ?? '');
}

async function entriesOf({ graph, store }: RequestContext, id: string): Promise<QuarantineEntry[]> {
  const sortKey = { beginsWith: BEGINNINGS['quarantine-entry'] };
  const { items } = await store.query({ partition: id, sortKey, limit: MOST_ENTRIES, consistent: true });
  return items.filter((item) => quarantineEntry.isLive(item)).map((item) => readEntry(graph, item));
}

async function partsOf({ graph, store }: RequestContext, id: string): Promise<NodeAnswer['parts']> {
  const names = [...(nodeOf(graph, id)?.parts.keys() ?? [])];
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
