import { type Item, stringOf } from '../../../core/items/attribute-value.ts';
import { ATTRIBUTES } from '../../../core/items/derived-item.ts';
import { parseNodeId, VIEW_KEY } from '../../../core/items/keys.ts';
import type { PartModel } from '../../../core/model/compiled.ts';
import { derivedOf } from '../../../core/plan/derive.ts';
import { queriedItems } from '../../../core/store-pages.ts';
import type { ItemKey } from '../../../core/store-port.ts';
import type { OwnWrites } from '../../session/own-writes.ts';
import type { ReadContext } from '../request/read-context.ts';
import { projectedAttributes } from '../request/result.ts';

export function partsOf({ graph }: Pick<ReadContext, 'graph'>, id: string): readonly PartModel[] {
  return [...(graph.nodes.get(parseNodeId(id)?.type ?? '')?.parts.values() ?? [])];
}

export interface PartSource {
  part: PartModel;
  key: ItemKey;
  isBase: boolean;
}

export function partSources(context: ReadContext, id: string): PartSource[] {
  const { projections } = context;
  return partsOf(context, id).map((part): PartSource => {
    const { name } = part;
    const usable = projections.part(parseNodeId(id)!.type, part);
    if (usable === undefined) return { part, key: { source: id, target: name }, isBase: true };
    return { part, key: { source: id, target: usable.inForce.places.key }, isBase: false };
  });
}

export type Found = ReadonlyMap<string, Item>;

export async function queryViewWithParts(
  { graph, store }: ReadContext,
  id: string,
  consistent: boolean,
): Promise<Found> {
  const found = new Map<string, Item>();
  const request = { partition: id, sortKey: { beginsWith: VIEW_KEY }, consistent };
  for await (const item of queriedItems(store, request)) found.set(stringOf(item[graph.table.sortKey]) ?? '', item);
  return found;
}

export function withParts(
  context: ReadContext,
  id: string,
  view: Item | undefined,
  found: Found,
  { writes }: OwnWrites,
): Item | undefined {
  const sources = partSources(context, id);
  const attributes = projectedAttributes(view);
  if (sources.length === 0 || attributes === undefined) return view;
  const all = { ...attributes };
  for (const { part, key, isBase } of sources) {
    const own = writes.find(({ source, target }) => source === id && target === part.name);
    const stored = found.get(key.target);
    const shown =
      own === undefined && !isBase
        ? projectedAttributes(stored)
        : shownPartAttributes(context, id, part, own ? own.item : stored);
    if (shown === undefined) delete all[part.name];
    else all[part.name] = { M: shown };
  }
  return { ...view, [ATTRIBUTES]: { M: all } };
}

function shownPartAttributes({ graph }: ReadContext, id: string, { name, view }: PartModel, image: Item | undefined) {
  return view && projectedAttributes(derivedOf(graph, id, name, image).indexItems.get(view.inForce.places.key));
}
