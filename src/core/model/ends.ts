import { type AttributeValue, attributeOf, type Item, numberOf } from '../items/attribute-value.ts';
import { isDerivedKey, typePrefix, VIEW_KEY } from '../items/keys.ts';
import { viewAttributes } from '../items/stored-view.ts';
import { nodePrefix } from './base-item.ts';
import type { CompiledModel, NodeModel } from './compiled.ts';

/**
 * Derived items hold the time of the end: projector, check and observer need no clock, and readers hide what has ended.
 */

/** Among projected attributes, and an element's last label. */
export const ENDS = '~ends';

export type Ending = Pick<NodeModel, 'expires'>;

/** In epoch seconds. As for DynamoDB's TTL, values other than numbers are ignored. */
export function endOf({ expires }: Ending = {}, image: Item): AttributeValue | undefined {
  // Every image asks, and most types have none.
  if (expires === undefined) return undefined;
  const value = attributeOf(image, expires);
  // A record made by hand may hold anything.
  const { N } = Object(value) as { N?: unknown };
  return typeof N === 'string' && Number.isFinite(Number(N)) ? value : undefined;
}

export function hasCome(end: AttributeValue | undefined, nowSeconds: number): boolean {
  return end !== undefined && Number(numberOf(end)) <= nowSeconds;
}

export function endingOf(model: CompiledModel, source: string, target: string): Ending | undefined {
  return source === target ? model.nodes.get(nodePrefix(source)) : model.edges.get(typePrefix(target) ?? '');
}

/** Parts of a view end by themselves. */
export function endOfItem(
  model: CompiledModel,
  { source, target }: { source: string; target: string },
  item: Item,
): AttributeValue | undefined {
  if (target === VIEW_KEY) return undefined;
  return isDerivedKey(target) ? viewAttributes(item)?.[ENDS] : endOf(endingOf(model, source, target), item);
}

/** Undefined if it has ended. */
export function livingItem(
  model: CompiledModel,
  { source, target }: { source: string; target: string },
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
