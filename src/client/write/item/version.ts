import { type AttributeValue, numberOf, typeOf } from '../../../core/items/attribute-value.ts';
import { typeName } from '../../../core/items/encoding.ts';
import type { BaseCondition, ItemKey } from '../../../core/store-port.ts';
import { EdgeloomError } from '../../../foundation/errors.ts';
import { itemName } from '../checks/problem.ts';

export function nextVersion({ source, target }: ItemKey, attribute: string, seen: AttributeValue | undefined) {
  if (seen === undefined) return { N: '1' };
  const text = numberOf(seen);
  if (text !== undefined && /^\d+$/.test(text)) return { N: String(BigInt(text) + 1n) };
  throw new EdgeloomError(
    'invalid-attribute',
    `${itemName(source, target)}: attribute ${attribute} is its version and should be a whole number, but is ${text ?? typeName(typeOf(seen))}.`,
    'Give the version that was read, or none for a new item. Correct a stored one with an UpdateItem of the AWS SDK.',
  );
}

export function versionCondition(attribute: string, seen: AttributeValue | undefined): BaseCondition {
  return seen === undefined ? { absent: [attribute] } : { equal: { [attribute]: seen } };
}
