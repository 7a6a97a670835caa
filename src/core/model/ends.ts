import { type AttributeValue, attributeOf, type Item, numberOf } from '../items/attribute-value.ts';
import { isDerivedKey, typePrefix, VIEW_KEY } from '../items/keys.ts';
import { viewAttributes } from '../items/stored-view.ts';
import { nodePrefix } from './base-item.ts';
import type { CompiledModel, NodeModel } from './compiled.ts';

/**
 * Items that end. The items derived from such an item hold the time of its end, and nothing else in them depends on the clock: so projector,
 * check and observer need none, and readers leave out what is over.
 */

/** The time at which a base item ends, in what is derived from it: among projected attributes, and as the last label of an element. */
export const ENDS = '~ends';

/** The part of a type that says when its items end. */
export type Ending = Pick<NodeModel, 'expires'>;

/** The time at which a base item ends, in epoch seconds; undefined: never. Anything but a number says nothing, as to DynamoDB's TTL. */
export function endOf({ expires }: Ending = {}, image: Item): AttributeValue | undefined {
  // Most types have no such attribute, and every image asks.
  if (expires === undefined) return undefined;
  const value = attributeOf(image, expires);
  // A record that was made by hand may hold anything.
  const { N } = Object(value) as { N?: unknown };
  return typeof N === 'string' && Number.isFinite(Number(N)) ? value : undefined;
}

/** Tells whether a time in epoch seconds has come; undefined: never. */
export function hasCome(end: AttributeValue | undefined, nowSeconds: number): boolean {
  return end !== undefined && Number(numberOf(end)) <= nowSeconds;
}

/** The type of a base item, by its key, as far as it says when items end; undefined: of a part, or outside the model. */
export function endingOf(model: CompiledModel, source: string, target: string): Ending | undefined {
  return source === target ? model.nodes.get(nodePrefix(source)) : model.edges.get(typePrefix(target) ?? '');
}

/** The time at which an item of the table ends: of a base item, or of what is derived from one. Parts of a view end by themselves. */
export function endOfItem(
  model: CompiledModel,
  { source, target }: { source: string; target: string },
  item: Item,
): AttributeValue | undefined {
  if (target === VIEW_KEY) return undefined;
  return isDerivedKey(target) ? viewAttributes(item)?.[ENDS] : endOf(endingOf(model, source, target), item);
}

/** A base item as reads and conditions take it; undefined: it is over, or there is none. */
export function livingItem(
  model: CompiledModel,
  { source, target }: { source: string; target: string },
  item: Item | undefined,
  nowMs: number,
): Item | undefined {
  return item === undefined || hasCome(endOf(endingOf(model, source, target), item), nowMs / 1000) ? undefined : item;
}

/** Tells whether any type of a model has items that end. */
export function hasEnds(model: CompiledModel): boolean {
  return [...model.nodes.values(), ...model.edges.values()].some(({ expires }) => expires !== undefined);
}

/** Projected attributes as readers show them. */
export function withoutEnd(attributes: Item): Item {
  if (attributes[ENDS] === undefined) return attributes;
  const { [ENDS]: _, ...shown } = attributes;
  return shown;
}
