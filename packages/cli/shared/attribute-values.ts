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
    // The library's hint is about a line of a file.
    const hint = `Give the attributes as ATTRIBUTE=VALUE, or as one JSON object in quotes: '{"name":"Ada"}'.`;
    throw new EdgeloomError('invalid-json', `The attributes cannot be read. ${error.message}.`, hint, { cause: error });
  }
}

/**
 * The attributes of words or options such as `--if status=OPEN --if points=3`: a value is JSON where it is JSON, else a text. Throws
 * `usage` for a word without `=`, and for an attribute that is given twice.
 *
 * @param flag the option, behind which the words stand; empty for words of the command.
 */
export function attributeValues(flag: string, pairs: readonly string[]): Record<string, unknown> {
  const values = new Map<string, unknown>();
  for (const pair of pairs) {
    const end = pair.indexOf('=');
    const name = pair.slice(0, end);
    const word = `${flag} ${pair}`.trim();
    const hint = `Write ${`${flag} status=OPEN`.trim()}.`;
    if (end <= 0) throw new EdgeloomError('usage', `${word} should be ATTRIBUTE=VALUE.`, hint);
    if (values.has(name))
      throw new EdgeloomError('usage', `${word} gives ${name} a second value.`, 'Leave one of them out.');
    values.set(name, attributeValue(pair.slice(end + 1)));
  }
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
