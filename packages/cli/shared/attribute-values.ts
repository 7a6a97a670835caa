import { parse } from 'lossless-json';
import { itemOfJson } from '../../../src/client/write/import.ts';
import { toPlainItem } from '../../../src/core/items/plain.ts';
import { EdgeloomError } from '../../../src/foundation/errors.ts';

/**
 * Attributes that are given as one JSON object. Validators get them as an import's lines: numbers as JS numbers, and those that
 * would lose digits as `ExactNumber`.
 */
export function attributesOfJson(json: string): Record<string, unknown> {
  try {
    return toPlainItem(itemOfJson(json));
  } catch (error) {
    if (!(error instanceof EdgeloomError) || error.code !== 'invalid-json') throw error;
    // The library's words are about a line of a file.
    const hint = `Give the attributes as one JSON object, in quotes: '{"name":"Ada"}'.`;
    throw new EdgeloomError('invalid-json', `The text of the attributes ${error.message}.`, hint, { cause: error });
  }
}

/** The attributes of options such as `--if status=OPEN --if points=3`: a value is JSON where it is JSON, else a text. */
export function attributeValues(flag: string, pairs: readonly string[]): Record<string, unknown> {
  const values = pairs.map((pair) => {
    const end = pair.indexOf('=');
    if (end > 0) return [pair.slice(0, end), attributeValue(pair.slice(end + 1))];
    throw new EdgeloomError('usage', `${flag} ${pair} is no ATTRIBUTE=VALUE.`, `Give it as ${flag} status=OPEN.`);
  });
  return Object.fromEntries(values);
}

/** Collects the values of an option that may be repeated. */
export function collectValue(value: string, before: string[] | undefined): string[] {
  return [...(before ?? []), value];
}

/** The value of a text: JSON where it is JSON, else the text. */
export function attributeValue(text: string): unknown {
  try {
    parse(text);
  } catch {
    return text;
  }
  return attributesOfJson(`{"value":${text}}`)['value'];
}
