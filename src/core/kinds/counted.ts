import { type Item, stringOf } from '../items/attribute-value.ts';
import { CHILD } from '../items/derived-item.ts';
import { parseDerivedKey } from '../items/derived-key.ts';
import { isWithinBytes, SORT_KEY_BYTES, typePrefix } from '../items/keys.ts';
import { sortKeyOfEdge } from '../model/base-item.ts';
import { type CompiledModel, type CountModel, type EdgeModel, layersOf } from '../model/compiled.ts';
import { type CounterPlaces, countKeyOf, placesOfCount, type TotalPlaces } from '../model/projection/places.ts';
import type { ItemKey } from '../store-port.ts';
import type { AskedInTarget } from './asked-in-target.ts';
import { countedFields } from './parts/totals.ts';

/**
 * The count that holds an edge's index item, or its entry, with this sort key, by its place alone: the one item for each edge that
 * a kept count counts. Undefined for the items of named orders, for those of a generation without a count, and for items of nodes.
 *
 * @param base the key of the edge.
 */
export function countHolding(graph: CompiledModel, base: ItemKey, sortKey: string): CounterPlaces | undefined {
  const edgeType = base.source === base.target ? undefined : typePrefix(base.target);
  if (edgeType === undefined) return undefined;
  for (const { edges } of layersOf(graph)) {
    for (const { places } of countsOf(edges.get(edgeType))) if (places.itemKey(base) === sortKey) return places;
  }
  return undefined;
}

/** The count, or the total, that counted items name; undefined if the model keeps none of that name. */
export function countNamed(graph: CompiledModel, name: string): CountModel | undefined {
  const { edgeType } = placesOfCount(countKeyOf(name));
  for (const { edges } of layersOf(graph)) {
    const count = countsOf(edges.get(edgeType)).find(({ places }) => places.name === name);
    if (count !== undefined) return count;
  }
  return undefined;
}

/** Whether the model keeps the count with this sort key. */
export function isKeptCount(graph: CompiledModel, countKey: string): boolean {
  return countNamed(graph, placesOfCount(countKey).name) !== undefined;
}

function countsOf(edge: EdgeModel | undefined): CountModel[] {
  return [edge?.count, edge?.incoming].filter((count) => count !== undefined);
}

/** The places of the totals of a type's edges that enter a node, one for each model that keeps them. */
function totalsOf(graph: CompiledModel, edgeType: string): TotalPlaces[] {
  return layersOf(graph).flatMap(({ edges }) => edges.get(edgeType)?.incoming?.places ?? []);
}

/** The entries of edges in totals of their targets. An entry names the edge's source, which a hashed key does not tell. */
export const totalEntries: AskedInTarget = {
  isAskedBy: ({ incoming }) => incoming !== undefined,
  keyOf: ({ incoming }, source) => incoming!.places.itemKey({ source }),
  fieldsOf: ({ incoming }, source, subject) => ({ ...countedFields(incoming!, subject), [CHILD]: { S: source } }),
  totalOf: ({ incoming }) => incoming!,
};

/** Whether the model keeps entries with this sort key. */
export function isKeptEntry(graph: CompiledModel, edgeType: string, sortKey: string): boolean {
  return totalsOf(graph, edgeType).some(({ itemPrefixes: [prefix] }) => sortKey.startsWith(prefix!));
}

/** The edge that an entry belongs to, by its key, or by its content if the key is hashed; undefined: unknown. */
export function edgeOfEntry(
  graph: CompiledModel,
  { source, target }: ItemKey,
  item: Item | undefined,
): ItemKey | undefined {
  const key = parseDerivedKey(target);
  if (key?.kind !== 'total-entry') return undefined;
  const edge = layersOf(graph)
    .map(({ edges }) => edges.get(key.edgeType))
    .find((one) => one?.incoming !== undefined);
  const child = key.source.hash === undefined ? key.source.text : stringOf(item?.[CHILD]);
  if (edge === undefined || child === undefined || child === '') return undefined;
  const base = { source: child, target: sortKeyOfEdge(edge, source) };
  return isWithinBytes(base.target, SORT_KEY_BYTES) && countHolding(graph, base, target) !== undefined
    ? base
    : undefined;
}
