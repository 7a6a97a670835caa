import type { Item } from '../../items/attribute-value.ts';
import type { CompiledModel } from '../../model/compiled.ts';
import { needsSource } from '../../model/joined.ts';
import { derivedOf } from '../../plan/derive.ts';
import { type CountingReader, readItems } from '../../store/pages.ts';
import type { ItemKey } from '../../store/port.ts';
import { isBaseSortKey } from '../../stream/filter.ts';
import type { WalkedItem } from './walk.ts';

/** The index items that base items want of a model that is being built. */

/** An index item that a base item wants. */
export interface Wanted {
  base: { source: string; target: string };
  sortKey: string;
  fields: Item;
}

/** What reads base items. */
interface WantedContext extends CountingReader<'getMany'> {
  graph: CompiledModel;
}

/** The source nodes of edges that they decide with, by id. */
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

/** What a base item wants as it is now. */
export async function wantedNow(context: WantedContext, { source, target }: ItemKey): Promise<Wanted[]> {
  const [item] = await readItems(context, [{ source, target }]);
  if (item === undefined) return [];
  return wantedOf(context.graph, { source, target, item }, await nodesOf(context, [{ source, target }]));
}

/** The index items that a base item wants. */
export function wantedOf(
  graph: CompiledModel,
  { source, target, item }: WalkedItem,
  nodes: ReadonlyMap<string, Item | undefined>,
): Wanted[] {
  if (!isBaseSortKey(target)) return [];
  const { indexItems } = derivedOf(graph, source, target, item, { item: nodes.get(source) });
  return [...indexItems].map(([sortKey, fields]) => ({ base: { source, target }, sortKey, fields }));
}
