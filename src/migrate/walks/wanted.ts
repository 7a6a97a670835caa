import type { Item } from '../../items/attribute-value.ts';
import type { CompiledModel } from '../../model/compiled.ts';
import { needsSource } from '../../model/joined.ts';
import { derivedOf } from '../../plan/derive.ts';
import { type CountingReader, readItems } from '../../store/pages.ts';
import type { ItemKey } from '../../store/port.ts';
import type { WalkedItem } from '../../store/table-walk.ts';
import { isBaseSortKey } from '../../stream/filter.ts';

/** The index items that base items ask for in a model that is being built. */

/** An index item that a base item asks for. */
export interface Wanted {
  base: { source: string; target: string };
  sortKey: string;
  fields: Item;
}

/** The values that reading base items needs. */
interface WantedContext extends CountingReader<'getMany'> {
  graph: CompiledModel;
}

/** Reads the source nodes of edges with joined items, by id. */
export async function nodesOf(
  context: WantedContext,
  items: readonly ItemKey[],
): Promise<ReadonlyMap<string, Item | undefined>> {
  const ids = [
    ...new Set(items.filter(({ target }) => needsSource(context.graph, target)).map(({ source }) => source)),
  ];
  const nodes = await readItems(
    context,
    ids.map((id) => ({ source: id, target: id })),
  );
  return new Map(ids.map((id, i) => [id, nodes[i]]));
}

/** Reads a base item, and returns the index items that it asks for now. */
export async function wantedNow(context: WantedContext, { source, target }: ItemKey): Promise<Wanted[]> {
  const [item] = await readItems(context, [{ source, target }]);
  if (item === undefined) return [];
  return wantedOf(context.graph, { source, target, item }, await nodesOf(context, [{ source, target }]));
}

/** Returns the index items that a base item asks for. */
export function wantedOf(
  graph: CompiledModel,
  { source, target, item }: WalkedItem,
  nodes: ReadonlyMap<string, Item | undefined>,
): Wanted[] {
  if (!isBaseSortKey(target)) return [];
  const { indexItems } = derivedOf(graph, source, target, item, { item: nodes.get(source) });
  return [...indexItems].map(([sortKey, fields]) => ({ base: { source, target }, sortKey, fields }));
}
