import { type AttributeValue, numberOf, stringOf } from '../../../core/items/attribute-value.ts';
import { AS_WRITTEN, compareKeys, encodeValue } from '../../../core/items/encoding.ts';
import { hash128 } from '../../../core/items/keys.ts';
import type { NativeIndex } from '../../../core/model/native-indexes.ts';
import { GIVEN_CHARACTERS } from '../request/cursor.ts';

/** Where a page of a native list ends. */
export interface Position {
  value: AttributeValue;
  /**
   * Source of the last row with `value` that came from the index. Undefined while all such rows came from the session.
   */
  source?: string | undefined;
  /**
   * Identifies the session's rows with `value` that were returned before the index's rows, by short hashes of their
   * sources.
   */
  given: readonly string[];
}

export function compareValues(index: NativeIndex, left: AttributeValue, right: AttributeValue): number {
  return compareKeys(orderText(index, left), orderText(index, right));
}

function orderText({ sort, attribute, type }: NativeIndex, value: AttributeValue): string {
  return encodeValue(value, sort === attribute && type === 'N' ? 'number' : 'string', AS_WRITTEN);
}

export function shortHash(source: string): string {
  return hash128(source).slice(0, GIVEN_CHARACTERS);
}

/** Prefixes the source with its length, since both the source and the value may contain any character. */
export function formatPosition({ value, source, given }: Position): string {
  return `${given.join('')}|${source?.length ?? ''}:${source ?? ''}${stringOf(value) ?? numberOf(value)}`;
}

export function parsePosition({ sort, attribute, type }: NativeIndex, text: string): Position {
  const bar = text.indexOf('|');
  const given = Array.from({ length: bar / GIVEN_CHARACTERS }, (_, i) =>
    text.slice(i * GIVEN_CHARACTERS, (i + 1) * GIVEN_CHARACTERS),
  );
  const colon = text.indexOf(':', bar);
  const length = text.slice(bar + 1, colon);
  const end = colon + 1 + Number(length);
  const value = text.slice(end);
  return {
    given,
    source: length === '' ? undefined : text.slice(colon + 1, end),
    value: sort === attribute && type === 'N' ? { N: value } : { S: value },
  };
}
