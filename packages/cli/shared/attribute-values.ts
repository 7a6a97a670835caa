import { parse } from 'lossless-json';
import { itemOfJson } from '../../../src/client/write/json-item.ts';
import { toPlainItem } from '../../../src/core/items/plain.ts';
import { EdgeloomError } from '../../../src/foundation/errors.ts';
import { hasOtherValue, repeated } from './repeated.ts';

/** Parses a JSON object like a line of an import: numbers that would lose digits become `ExactNumber`. */
export function attributesOfJson(json: string): Record<string, unknown> {
  try {
    return toPlainItem(itemOfJson(json));
  } catch (error) {
    if (!(error instanceof EdgeloomError) || error.code !== 'invalid-json') throw error;
    // Replaces the library's hint, which is about a line of a file.
    const hint = `Give the attributes as ATTRIBUTE=VALUE, or as one JSON object in quotes: '{"name":"Ada"}'.`;
    throw new EdgeloomError('invalid-json', `The attributes cannot be read. ${error.message}.`, hint, { cause: error });
  }
}

/**
 * Parses pairs such as `status=OPEN`. `flag` is the option that the pairs come from; empty for plain words. Throws
 * `usage` for a second, different value of an attribute.
 */
export function attributeValues(flag: string, pairs: readonly string[]): Record<string, unknown> {
  const values = new Map<string, unknown>();
  for (const pair of pairs) {
    const end = pair.indexOf('=');
    const name = pair.slice(0, end);
    const word = `${flag} ${pair}`.trim();
    const hint = `Write ${`${flag} status=OPEN`.trim()}.`;
    if (end <= 0) throw new EdgeloomError('usage', `${word} should be ATTRIBUTE=VALUE.`, hint);
    const value = attributeValue(pair.slice(end + 1));
    if (hasOtherValue(values, name, value))
      throw new EdgeloomError('usage', `${word} gives ${name} a second value.`, 'Leave one of them out.');
    values.set(name, value);
  }
  return Object.fromEntries(values);
}

export const collectValue = repeated<string[]>((value, before = []) => [...before, value]);

export function attributeValue(text: string): unknown {
  try {
    parse(text);
  } catch {
    return text;
  }
  return attributesOfJson(`{"value":${text}}`)['value'];
}
