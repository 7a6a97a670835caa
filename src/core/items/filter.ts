import { type AttributeValue, attributeOf, compareNumbers, type Item, sameValue } from './attribute-value.ts';
import { compareKeys } from './encoding.ts';

/** Evaluates filters as DynamoDB does, for items that DynamoDB hasn't filtered. */

/** `<>` also holds if the attribute is absent. The others only hold between values of the same type. */
export type Comparison = '=' | '<>' | '<' | '<=' | '>' | '>=' | 'begins_with';

/** A condition on one attribute, or the negation of a filter. */
export type FilterTerm =
  | { attribute: string; compare: Comparison; value: AttributeValue }
  | { attribute: string; compare: 'in'; values: readonly AttributeValue[] }
  | { attribute: string; compare: 'exists' | 'not_exists' }
  | { compare: 'not'; terms: Filter };

/** Conditions that must all hold. */
export type Filter = readonly FilterTerm[];

export function passesFilter(attributes: Item, filter: Filter): boolean {
  return filter.every((term) =>
    term.compare === 'not'
      ? !passesFilter(attributes, term.terms)
      : holds(attributeOf(attributes, term.attribute), term),
  );
}

function holds(stored: AttributeValue | undefined, term: Exclude<FilterTerm, { compare: 'not' }>): boolean {
  switch (term.compare) {
    case 'exists':
      return stored !== undefined;
    case 'not_exists':
      return stored === undefined;
    case 'in':
      return term.values.some((value) => sameValue(stored, value));
    case '=':
      return sameValue(stored, term.value);
    case '<>':
      return !sameValue(stored, term.value);
    case 'begins_with':
      return stored !== undefined && startsWith(stored, term.value);
    default:
      return stored !== undefined && isInOrder(term.compare, compareValues(stored, term.value));
  }
}

function startsWith(stored: AttributeValue, prefix: AttributeValue): boolean {
  if ('S' in prefix) return 'S' in stored && stored.S.startsWith(prefix.S);
  return 'B' in prefix && 'B' in stored && Buffer.compare(prefix.B, stored.B.subarray(0, prefix.B.length)) === 0;
}

function compareValues(left: AttributeValue, right: AttributeValue): number | undefined {
  if ('S' in left && 'S' in right) return compareKeys(left.S, right.S);
  if ('B' in left && 'B' in right) return Buffer.compare(left.B, right.B);
  return 'N' in left && 'N' in right ? compareNumbers(left.N, right.N) : undefined;
}

function isInOrder(compare: '<' | '<=' | '>' | '>=', ordered: number | undefined): boolean {
  if (ordered === undefined) return false;
  if (ordered === 0) return compare === '<=' || compare === '>=';
  return ordered < 0 ? compare === '<' || compare === '<=' : compare === '>' || compare === '>=';
}
