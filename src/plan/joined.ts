import type { Item } from '../items/attribute-value.ts';
import { edgeIndexKey } from '../items/keys.ts';
import { type CompiledModel, layersOf } from '../model/compiled.ts';
import { isJoinedItem } from '../model/joined.ts';
import { sameShare, sourceShare } from './parts/joined-items.ts';
import { nodeOwner, Subject } from './parts/subject.ts';
import { edgePlan } from './parts/type-plans.ts';

/**
 * Finds the keys of joined index items: by their edge, and by ranges of their partition. `derivedOf` derives their fields, given
 * the source node.
 */

/** Whether two images of a node give the same shares to the index items of its edges of a type. */
export function givesTheSame(
  graph: CompiledModel,
  source: string,
  edgeType: string,
  before: Item | undefined,
  after: Item | undefined,
): boolean {
  return layersOf(graph).every((layer) => {
    const edge = layer.edges.get(edgeType);
    if (edge === undefined) return true;
    const owner = nodeOwner(layer, source);
    const subject = (image: Item | undefined): Subject | undefined => image && new Subject(owner, image);
    return edgePlan(layer, edge).joinedItems.every((plan) =>
      sameShare(sourceShare(plan, subject(before)), sourceShare(plan, subject(after))),
    );
  });
}

/** One joined index item of an edge type: the order that has it for itself, if any, and its generation. */
interface JoinedSlot {
  orderName: string | undefined;
  generation: number | undefined;
}

function slotsOf(graph: CompiledModel, edgeType: string): JoinedSlot[] {
  return layersOf(graph).flatMap((layer) => {
    const inbound = layer.edges.get(edgeType)?.inbound;
    const items = inbound?.items.filter((item) => isJoinedItem(inbound, item)) ?? [];
    return items.map(({ orderName, generation }) => ({ orderName, generation }));
  });
}

/** The sort keys of an edge's joined index items, expected or not. */
export function joinedKeysOf(graph: CompiledModel, edgeType: string, sortKey: string): string[] {
  return slotsOf(graph, edgeType).map(({ orderName, generation }) => edgeIndexKey(sortKey, orderName, generation));
}

/** The prefixes before an edge's sort key in the keys of its type's joined index items, one for each. */
export function joinedPrefixes(graph: CompiledModel, edgeType: string): string[] {
  const any = `${edgeType}-`;
  return slotsOf(graph, edgeType).map(({ orderName, generation }) =>
    edgeIndexKey(any, orderName, generation).slice(0, -any.length),
  );
}
