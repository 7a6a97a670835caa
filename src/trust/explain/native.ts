import { type AttributeValue, attributeOf, type Item } from '../../core/items/attribute-value.ts';
import { describe } from '../../core/items/describe.ts';
import type { CompiledModel } from '../../core/model/compiled.ts';
import { faultOfNativeKey, nativePlaces } from '../../core/model/native-misfits.ts';
import type { ItemKey } from '../../core/store-port.ts';
import type { ExplainedPart } from './base-item.ts';

/** The native orders and searches that a base item may be in: DynamoDB keeps them, so that no derived item is compared. */

/** Explains the places of a base item in native lists; `gone`: the reason why it counts as deleted, where it does. */
export function explainNative(
  graph: CompiledModel,
  key: ItemKey,
  item: Item,
  gone: string | undefined,
): ExplainedPart[] {
  return nativePlaces(graph, key).map(({ name, index }) => {
    const value = attributeOf(item, index.attribute);
    const fault = value && faultOfNativeKey(index, value);
    const isIn = value !== undefined && fault === undefined;
    const kept = `The index ${index.name}, kept by DynamoDB,`;
    const place = { ...key, name };
    if (isIn && gone === undefined)
      return { ...place, state: 'right', reason: `${kept} has it at ${index.attribute} ${textOf(value)}.` };
    const why =
      value === undefined
        ? `${kept} leaves it out: it has no value for ${index.attribute}.`
        : isIn
          ? `${gone}: readers leave it out of the index ${index.name}, kept by DynamoDB.`
          : `${kept} leaves it out: ${index.attribute} is ${textOf(value)}, and the index takes only ${fault!.wanted}.`;
    return { ...place, state: 'absent', reason: why };
  });
}

function textOf(value: AttributeValue): string {
  return describe(Object.values(Object(value))[0]);
}
