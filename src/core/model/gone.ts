import { describe } from '../../foundation/describe.ts';
import { attributeOf, type Item } from '../items/attribute-value.ts';
import { type ItemKey, typePrefix } from '../items/keys.ts';
import { nodePrefix } from './base-item.ts';
import { type CompiledModel, layersOf, type NodeModel } from './compiled.ts';

/** The attribute that marks a mirrored base item whose source item is gone. */
export const GONE = '~gone';

type Deletion = Pick<NodeModel, 'deletedWhen'>;

/** @param of undefined for a part of a node, or for a type outside the model. */
export function isGone(of: Deletion | undefined, image: Item): boolean {
  if (Object.hasOwn(image, GONE)) return true;
  const { deletedWhen } = of ?? {};
  return deletedWhen !== undefined && isSet(attributeOf(image, deletedWhen));
}

export function deletionText(of: Deletion | undefined, image: Item): string {
  const attribute = Object.hasOwn(image, GONE) ? GONE : (of?.deletedWhen ?? GONE);
  return `It counts as deleted, because it has ${attribute} (${describe(Object.values(Object(image[attribute]))[0])})`;
}

/** Accepts anything, because a record that doesn't come from DynamoDB may hold a malformed value. */
function isSet(value: unknown): boolean {
  if (value === undefined) return false;
  const { NULL, BOOL } = Object(value) as { NULL?: unknown; BOOL?: unknown };
  return NULL === undefined && BOOL !== false;
}

export function isNodeThere(model: CompiledModel, id: string, image: Item | undefined): image is Item {
  return image !== undefined && !isGone(model.nodes.get(nodePrefix(id)), image);
}

export function isItemThere(graph: CompiledModel, { source, target }: ItemKey, image: Item | undefined): boolean {
  if (source === target) return isNodeThere(graph, source, image);
  return image !== undefined && !isGone(graph.edges.get(typePrefix(target) ?? ''), image);
}

export function attributesOfDeletion(graph: CompiledModel, nodeType: string): string[] {
  return [GONE, ...layersOf(graph).flatMap(({ nodes }) => nodes.get(nodeType)?.deletedWhen ?? [])];
}
