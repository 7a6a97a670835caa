/**
 * Strings that differ only in case, composition or compatibility form (`ﬁ` and `fi`) fold to the same string, except
 * that combining marks keep their order. Each code point is folded separately, so a prefix of a string folds to a
 * prefix of the string's fold.
 */

import { TooLongError } from './encoding-error.ts';
import type { TextForm } from './text-form.ts';

/** Part of the definition of each `caseInsensitive` search, so a new version rebuilds these searches. */
export const FOLDING = 3;
/** Two UTF-16 units fold to at least one byte, and an index key has at most 1,024 bytes. */
export const MAX_FOLDED_CHARACTERS = 2048;

const UNFOLDED = /[^\u0000-@[-\u007f]/gu;
const DOTLESS_I = '\u0131';
const REMEMBERED = 4096;
const remembered = new Map<string, string>();

/** Throws `TooLongError` for a string that no key can hold. */
export const FOLDED: TextForm = (text) => {
  if (text.length > MAX_FOLDED_CHARACTERS) throw new TooLongError(text.length, MAX_FOLDED_CHARACTERS);
  return foldText(text);
};

export function foldText(text: string): string {
  return text.replace(UNFOLDED, foldOf);
}

function foldOf(codePoint: string): string {
  let fold = remembered.get(codePoint);
  if (fold === undefined) {
    fold = computeFold(codePoint);
    if (remembered.size < REMEMBERED) remembered.set(codePoint, fold);
  }
  return fold;
}

/** Repeats until nothing changes: `ẞ` becomes `ß` and then `ss`. */
function computeFold(text: string): string {
  // The upper case of the dotless i is I, but Unicode folds only I and i to one another.
  const upper = Array.from(text.normalize('NFKD'), (codePoint) =>
    codePoint === DOTLESS_I ? codePoint : codePoint.toUpperCase(),
  ).join('');
  // Convert each code point separately: a sigma at the end of a word has another lower case.
  const lower = Array.from(upper, (codePoint) => codePoint.toLowerCase());
  const fold = lower.join('').normalize('NFKD');
  return fold === text ? fold : computeFold(fold);
}
