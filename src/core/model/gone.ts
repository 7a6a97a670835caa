import { attributeOf, type Item } from '../items/attribute-value.ts';
import { describe } from '../items/describe.ts';
import { typePrefix } from '../items/keys.ts';
import { nodePrefix } from './base-item.ts';
import { type CompiledModel, layersOf, type NodeModel } from './compiled.ts';

/** The attribute of a base item that says that the item is gone, whatever its type: what it was made from is not there any more. */
export const GONE = '~gone';

/** The part of a type that says when its items count as deleted. */
type Deletion = Pick<NodeModel, 'deletedWhen'>;

/**
 * Tells whether a base item counts as absent although it is stored: for all that is derived it is as if it were deleted.
 *
 * @param of the type of the item, of the model that derives; undefined: of a part of a node, or of a type outside the model.
 */
export function isGone(of: Deletion | undefined, image: Item): boolean {
  // rule: item-that-says-it-is-gone-is-absent
  if (Object.hasOwn(image, GONE)) return true;
  const { deletedWhen } = of ?? {};
  // rule: soft-deleted-item-is-absent
  return deletedWhen !== undefined && isSet(attributeOf(image, deletedWhen));
}

/** Says by which attribute, with which value, an image counts as deleted, for one that does. */
export function deletionText(of: Deletion | undefined, image: Item): string {
  const attribute = Object.hasOwn(image, GONE) ? GONE : (of?.deletedWhen ?? GONE);
  return `It counts as deleted, because it has ${attribute} (${describe(Object.values(Object(image[attribute]))[0])})`;
}

/** Tells whether an attribute of an image is there, and neither null nor false. An image of a record that was made by hand may hold anything. */
function isSet(value: unknown): boolean {
  if (value === undefined) return false;
  const { NULL, BOOL } = Object(value) as { NULL?: unknown; BOOL?: unknown };
  return NULL === undefined && BOOL !== false;
}

/** Tells whether a node is there for the items that are derived from it in a model; undefined: it is not stored. */
export function isNodeThere(model: CompiledModel, id: string, image: Item | undefined): image is Item {
  return image !== undefined && !isGone(model.nodes.get(nodePrefix(id)), image);
}

/** Tells whether a base item is there for the items that are derived from it in a model; undefined: it is not stored. */
export function isItemThere(
  graph: CompiledModel,
  { source, target }: { source: string; target: string },
  image: Item | undefined,
): boolean {
  if (source === target) return isNodeThere(graph, source, image);
  return image !== undefined && !isGone(graph.edges.get(typePrefix(target) ?? ''), image);
}

/** The attributes by which nodes of a type count as absent, in a model or in one that is maintained with it. */
export function attributesOfDeletion(graph: CompiledModel, nodeType: string): string[] {
  return [GONE, ...layersOf(graph).flatMap(({ nodes }) => nodes.get(nodeType)?.deletedWhen ?? [])];
}
