/**
 * Folding: texts that differ only in case, or in how characters are composed, fold to the same text.
 *
 * Each code point is folded by itself, so every prefix of a text folds to a prefix of its fold. Therefore marks keep
 * their order, and `ß`, `SS` and `ss` are equal.
 */

import { TooLongError } from './encoding-error.ts';
import type { TextForm } from './text-form.ts';

/** Part of a search's definition, so that a migration rebuilds searches folded by another version. */
export const FOLDING = 2;
/**
 * Longest text to fold, in UTF-16 units. Two of them fold to at least one byte, and an index key has 1,024 bytes, so
 * longer texts can be refused unfolded.
 */
export const MAX_FOLDED_CHARACTERS = 2048;

/** All code points except ASCII characters that are already folded. */
const UNFOLDED = /[^\u0000-@[-\u007f]/gu;
/** How many code points' folds are cached; most texts share some hundreds. */
const REMEMBERED = 4096;
const remembered = new Map<string, string>();

/** Throws `TooLongError` for a text that no key holds. */
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

/** Lower case of upper case, decomposed, until nothing changes: `ς` becomes `σ`, `ẞ` first `ß` and then `ss`. */
function computeFold(text: string): string {
  const upper = text.normalize('NFKD').toUpperCase();
  // A single code point is never at the end of a word, where sigma has another lower case.
  const lower = Array.from(upper, (codePoint) => codePoint.toLowerCase());
  const fold = lower.join('').normalize('NFKD');
  return fold === text ? fold : computeFold(fold);
}
