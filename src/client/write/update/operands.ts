import { type AttributeValue, canonicalText, parseDecimal, typeOf } from '../../../core/items/attribute-value.ts';
import { typeName } from '../../../core/items/encoding.ts';
import { AttributeError } from '../checks/problem.ts';

export function addNumbers(name: string, stored: AttributeValue | undefined, added: string): { N: string } {
  if (stored !== undefined && !('N' in stored)) {
    const reason = `is ${typeName(typeOf(stored))} in the stored item, so that no number can be added to it`;
    throw new AttributeError(name, reason, 'Set it to a number, or remove it before.');
  }
  return { N: decimalSum(stored?.N ?? '0', added) };
}

export function changeSet(
  name: string,
  stored: AttributeValue | undefined,
  given: AttributeValue,
  how: 'add' | 'delete',
): AttributeValue | undefined {
  const type = (['SS', 'NS', 'BS'] as const).find((one) => one in given)!;
  if (stored !== undefined && !(type in stored)) {
    const what = how === 'add' ? 'added to' : 'deleted from';
    const reason = `is ${typeName(typeOf(stored))} in the stored item, so that no elements of ${typeName(type)} can be ${what} it`;
    throw new AttributeError(name, reason, 'Set it to such a set, or remove it before.');
  }
  const elements = new Map(elementsOf(stored, type).map((element) => [elementText(type, element), element]));
  for (const element of elementsOf(given, type)) {
    if (how === 'delete') elements.delete(elementText(type, element));
    else elements.set(elementText(type, element), element);
  }
  if (elements.size === 0) return undefined;
  return { [type]: [...elements.values()] } as unknown as AttributeValue;
}

type Element = string | Uint8Array;

function elementsOf(value: AttributeValue | undefined, type: string): Element[] {
  return value === undefined ? [] : ((value as unknown as Record<string, Element[]>)[type] ?? []);
}

/** Returns the same string for equal elements, such as the numbers 1 and 1.0. */
function elementText(type: 'SS' | 'NS' | 'BS', element: Element): string {
  return canonicalText({ [type.charAt(0)]: element } as unknown as AttributeValue);
}

function decimalSum(left: string, right: string): string {
  const [one, two] = [parseScaled(left), parseScaled(right)];
  const scale = Math.min(one.scale, two.scale);
  const sum = one.digits * 10n ** BigInt(one.scale - scale) + two.digits * 10n ** BigInt(two.scale - scale);
  if (scale >= 0) return `${sum * 10n ** BigInt(scale)}`;
  const text = (sum < 0n ? -sum : sum).toString().padStart(1 - scale, '0');
  const point = text.length + scale;
  return `${sum < 0n ? '-' : ''}${text.slice(0, point)}.${text.slice(point)}`;
}

function parseScaled(text: string): { digits: bigint; scale: number } {
  const { negative, digits, exponent } = parseDecimal(text)!;
  const whole = BigInt(digits === '' ? 0 : digits);
  return { digits: negative ? -whole : whole, scale: digits === '' ? 0 : exponent - digits.length };
}
