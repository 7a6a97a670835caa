import { INDEX_NAMES } from '../items/derived-item.ts';
import { TARGET_ID } from '../items/hashed-key.ts';
import { hash128 } from '../items/keys.ts';
import type {
  CompiledModel,
  EdgeModel,
  InboundOrder,
  NodeModel,
  Projection,
  SearchModel,
  TableNames,
} from './compiled.ts';
import { oncePer } from './compiled.ts';
import { lineOfSearch } from './options/option-tables.ts';

/**
 * An order's index has the table's sort key as its partition key, so each partition holds the edges of one target. A
 * search's index has the table's sort key as its sort key, which groups the nodes of a type.
 */

/** DynamoDB's type of the attribute in a native index's key. */
export type NativeType = 'S' | 'N';

/** The keys of an index on attributes of base items. */
export interface NativeKeys {
  partition: string;
  sort: string;
  /** One of the keys. The other is the table's sort key. */
  attribute: string;
  type: NativeType;
}

/** A named index on attributes of base items. */
export interface NativeIndex extends NativeKeys {
  /**
   * The key attributes, then `-all` or a hash of the projected attributes, if any. DynamoDB can't change an index, so a
   * model whose readers need other attributes gets one with another name. An index that the model names holds all
   * attributes.
   */
  name: string;
}

/** A native index that a model needs. `attributes` is undefined if readers need all of them. */
export interface NativeIndexNeed extends NativeIndex {
  attributes: readonly string[] | undefined;
}

export function nativeAttribute(
  order: InboundOrder['order'] | SearchModel['order'],
): { attribute: string; type: NativeType } | undefined {
  if (order.kind !== 'attribute' || order.type === 'date') return undefined;
  return { attribute: order.attribute, type: order.type === 'number' ? 'N' : 'S' };
}

export function indexOfOrder(graph: CompiledModel, order: Pick<InboundOrder, 'order'>): NativeIndex {
  return indexWithKeys(graph, keysOfOrder(graph.table, order));
}

export function indexOfSearch(graph: CompiledModel, search: Pick<SearchModel, 'order'>): NativeIndex {
  return indexWithKeys(graph, keysOfSearch(graph.table, search));
}

function indexWithKeys(graph: CompiledModel, { partition, sort }: NativeKeys): NativeIndex {
  return nativeIndexes(graph).find((one) => one.partition === partition && one.sort === sort)!;
}

function keysOfOrder({ sortKey }: Pick<TableNames, 'sortKey'>, { order }: Pick<InboundOrder, 'order'>): NativeKeys {
  const { attribute, type } = nativeAttribute(order)!;
  return { partition: sortKey, sort: attribute, attribute, type };
}

function keysOfSearch({ sortKey }: Pick<TableNames, 'sortKey'>, { order }: Pick<SearchModel, 'order'>): NativeKeys {
  const { attribute, type } = nativeAttribute(order)!;
  return { partition: attribute, sort: sortKey, attribute, type };
}

export function placedNativeIndexes({ table, nodes, edges }: NativeDeclarations): {
  path: string;
  keys: NativeKeys;
  project: Projection;
  of: NodeModel | EdgeModel;
}[] {
  const ofNodes = [...nodes.values()].flatMap((node) =>
    [...node.searches.values()].flatMap((search) => {
      if (!search.native || nativeAttribute(search.order) === undefined) return [];
      return [{ path: lineOfSearch(search), keys: keysOfSearch(table, search), project: search.project, of: node }];
    }),
  );
  const ofEdges = [...edges.values()].flatMap((edge) => {
    const { inbound, type } = edge;
    if (inbound?.native !== true) return [];
    const orders = [...inbound.orders.values()].filter(({ order }) => nativeAttribute(order) !== undefined);
    return orders.map((order) => {
      const path = `edges.${type}.inbound.orders.${order.name}`;
      return { path, keys: keysOfOrder(table, order), project: inbound.project, of: edge };
    });
  });
  return [...ofNodes, ...ofEdges];
}

export const nativeIndexes: (graph: CompiledModel) => readonly NativeIndexNeed[] = oncePer(nativeIndexesOf);

export function nativeIndexesOf(graph: NativeDeclarations): NativeIndexNeed[] {
  const { partitionKey, sortKey } = graph.table;
  const needs = new Map<string, NativeIndexNeed>();
  for (const { keys, project, of } of placedNativeIndexes(graph)) {
    const name = `${keys.partition}-${keys.sort}`;
    // The name isn't unique, because attribute names may contain hyphens.
    const id = JSON.stringify([keys.partition, keys.sort]);
    const before = needs.get(id);
    const isWhole = project.kind === 'ALL' || (before !== undefined && before.attributes === undefined);
    // Readers need these attributes to know whether an item counts as absent, and which target a hashed key has.
    const deciding = [of.deletedWhen, of.expires, 'keys' in of && of.keys === 'hashed' ? TARGET_ID : undefined];
    const shown = project.kind === 'LIST' ? project.attributes : [];
    const names = new Set([...(before?.attributes ?? []), ...shown, ...deciding.filter((one) => one !== undefined)]);
    const inKeys = [keys.attribute, partitionKey, sortKey];
    const attributes = isWhole ? undefined : [...names].filter((one) => !inKeys.includes(one)).sort();
    needs.set(id, { ...keys, name, attributes });
  }
  return [...needs.values()]
    .map((need) => {
      const named = graph.table.nativeNames?.find(
        ({ partition, sort }) => partition === need.partition && sort === need.sort,
      );
      if (named !== undefined) return { ...need, name: named.name, attributes: undefined };
      return { ...need, name: `${need.name}${heldText(need)}` };
    })
    .sort((left, right) => (left.name < right.name ? -1 : 1));
}

function heldText({ attributes }: Pick<NativeIndexNeed, 'attributes'>): string {
  if (attributes === undefined) return '-all';
  return attributes.length === 0 ? '' : `-${hash128(JSON.stringify(attributes)).slice(0, 8)}`;
}

export function isNameOfKeys(name: string, keys: readonly string[]): boolean {
  const ofKeys = keys.join('-');
  return name.startsWith(ofKeys) && /^(-all|-[0-9a-f]{8})?$/.test(name.slice(ofKeys.length));
}

/** Not a part of `CompiledModel`, whose nodes and edges the published types leave out. */
export interface NativeDeclarations {
  table: TableNames;
  nodes: ReadonlyMap<string, NodeModel>;
  edges: ReadonlyMap<string, EdgeModel>;
}

/**
 * Declares native orders and searches as derived ones, so that readers can derive the same items as a projector would.
 */
export const derivedInstead = oncePer((graph: CompiledModel): CompiledModel => {
  const nodes = [...graph.nodes].map(([type, node]): [string, NodeModel] => {
    const searches = [...node.searches].filter(([, { native }]) => native);
    const own = searches.map(([name, search]): [string, SearchModel] => [name, { ...search, native: false }]);
    return [type, { ...node, hasView: false, parts: new Map(), includedBy: [], searches: new Map(own) }];
  });
  const edges = [...graph.edges.values()].flatMap((edge): [string, EdgeModel][] => {
    const { inbound, type, from, to, keys, deletedWhen, expires } = edge;
    if (inbound?.native !== true) return [];
    return [
      [
        type,
        {
          ...{ type, from, to, keys, inbound: { ...inbound, native: false } },
          ...(deletedWhen !== undefined && { deletedWhen }),
          ...(expires !== undefined && { expires }),
        },
      ],
    ];
  });
  const { table, indexes, fingerprint } = graph;
  return { table, indexes, fingerprint, nodes: new Map(nodes), edges: new Map(edges) };
});

/** DynamoDB's limit on indexes per table. */
export const MOST_INDEXES = INDEX_NAMES.length;
