import { type AttributeValue, attributeOf, type Item, numberOf } from '../items/attribute-value.ts';
import { type ItemKey, isDerivedKey, typePrefix, VIEW_KEY } from '../items/keys.ts';
import { viewAttributes } from '../items/stored-view.ts';
import { nodePrefix } from './base-item.ts';
import type { CompiledModel, NodeModel } from './compiled.ts';

/**
 * Derived items hold the time at which their node or edge ends. Readers hide ended items, so the projector, checks and
 * the observer don't need a clock.
 */

/** The projected attribute with the time at which the item ends. In an element, this time is the last label. */
export const ENDS = '~ends';

export type Ending = Pick<NodeModel, 'expires'>;

/** Ignores values that aren't numbers, as DynamoDB's TTL does. */
export function endOf({ expires }: Ending = {}, image: Item): AttributeValue | undefined {
  // Skips most types early, because this runs for every image.
  if (expires === undefined) return undefined;
  const value = attributeOf(image, expires);
  // In a record that doesn't come from DynamoDB, such as a test event, the attribute may hold anything.
  const { N } = Object(value) as { N?: unknown };
  return typeof N === 'string' && Number.isFinite(Number(N)) ? value : undefined;
}

export function hasCome(end: AttributeValue | undefined, nowSeconds: number): boolean {
  return end !== undefined && Number(numberOf(end)) <= nowSeconds;
}

export function endingOf(model: CompiledModel, source: string, target: string): Ending | undefined {
  return source === target ? model.nodes.get(nodePrefix(source)) : model.edges.get(typePrefix(target) ?? '');
}

/** A view doesn't end, because the items that it shows end separately. */
export function endOfItem(model: CompiledModel, { source, target }: ItemKey, item: Item): AttributeValue | undefined {
  if (target === VIEW_KEY) return undefined;
  return isDerivedKey(target) ? viewAttributes(item)?.[ENDS] : endOf(endingOf(model, source, target), item);
}

export function livingItem(
  model: CompiledModel,
  { source, target }: ItemKey,
  item: Item | undefined,
  nowMs: number,
): Item | undefined {
  return item === undefined || hasCome(endOf(endingOf(model, source, target), item), nowMs / 1000) ? undefined : item;
}

export function hasEnds(model: CompiledModel): boolean {
  return [...model.nodes.values(), ...model.edges.values()].some(({ expires }) => expires !== undefined);
}

export function withoutEnd(attributes: Item): Item {
  if (attributes[ENDS] === undefined) return attributes;
  const { [ENDS]: _, ...shown } = attributes;
  return shown;
}
