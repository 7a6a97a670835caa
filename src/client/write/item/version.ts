import { type AttributeValue, numberOf, typeOf } from '../../../core/items/attribute-value.ts';
import { typeName } from '../../../core/items/encoding.ts';
import type { BaseCondition, ItemKey } from '../../../core/store-port.ts';
import { EdgeloomError } from '../../../foundation/errors.ts';
import { itemName } from '../checks/problem.ts';

/** Optimistic locking by number: a version attribute that every write of the writer counts up. */

/** The version after the one that was read; 1 where there was none. Throws where what was read is no whole number. */
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

/** The condition that the version is unchanged; an absent version must still be absent. */
export function versionCondition(attribute: string, seen: AttributeValue | undefined): BaseCondition {
  return seen === undefined ? { absent: [attribute] } : { equal: { [attribute]: seen } };
}
