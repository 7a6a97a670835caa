/**
 * Strings that differ only in case, composition or compatibility form (`ﬁ` and `fi`) fold to the same string, unless
 * their combining marks have different orders. Each code point is folded separately, so a prefix of a string folds to a
 * prefix of the string's fold.
 */

import { TooLongError } from './attribute-value.ts';
import type { TextForm } from './encoding.ts';

/**
 * The version of the folding. It is part of the definition of each `caseInsensitive` search, so incrementing it
 * rebuilds these searches.
 */
export const FOLDING = 3;
/** Two UTF-16 units fold to at least one byte, and an index's sort key has at most 1,024 bytes. */
export const MAX_FOLDED_CHARACTERS = 2048;

const UNFOLDED = /[^\u0000-@[-\u007f]/gu;
const DOTLESS_I = '\u0131';
const REMEMBERED = 4096;
const remembered = new Map<string, string>();

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

/** Repeats until nothing changes, because `ẞ` becomes `ß`, and `ß` becomes `ss`. */
function computeFold(text: string): string {
  // The uppercase of the dotless i is I, but Unicode's case folding keeps the dotless i apart from i.
  const upper = Array.from(text.normalize('NFKD'), (codePoint) =>
    codePoint === DOTLESS_I ? codePoint : codePoint.toUpperCase(),
  ).join('');
  // Converts each code point separately, because a sigma at the end of a word has another lowercase.
  const lower = Array.from(upper, (codePoint) => codePoint.toLowerCase());
  const fold = lower.join('').normalize('NFKD');
  return fold === text ? fold : computeFold(fold);
}
