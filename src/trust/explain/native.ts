import { type AttributeValue, attributeOf, type Item, typeOf } from '../../core/items/attribute-value.ts';
import { typeName } from '../../core/items/encoding.ts';
import type { CompiledModel } from '../../core/model/compiled.ts';
import { faultOfNativeKey, nativePlaces } from '../../core/model/native-misfits.ts';
import type { ItemKey } from '../../core/store-port.ts';
import { describe } from '../../foundation/describe.ts';
import type { ExplainedPart } from './base-item.ts';

/** DynamoDB maintains native orders and searches, so there is no derived item to compare. */
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
          : `${kept} leaves it out: ${index.attribute} is ${typedText(value)}, and the index takes only ${fault!.expected}.`;
    return { ...place, state: 'absent', reason: why };
  });
}

/** Names the type, which distinguishes a number from a string with the same digits: `a number (20260102)`. */
function typedText(value: AttributeValue): string {
  return typeName(typeOf(value)) + ('S' in value || 'N' in value ? ` (${textOf(value)})` : '');
}

function textOf(value: AttributeValue): string {
  return 'N' in value ? value.N : describe(Object.values(Object(value))[0]);
}
