/**
 * Folding of texts: texts that differ in upper and lower case, or in how a character is composed, fold to the same text.
 *
 * Each code point is folded by itself, so that the fold of a text is the folds of its parts, one after the other. So every prefix of
 * a text folds to a prefix of its fold. For this reason marks keep the order in which they are written, and `ß`, `SS` and `ss` are equal.
 */

import { TooLongError } from './encoding-error.ts';
import type { TextForm } from './text-form.ts';

/** The version of the folding. The definition of a search has it, so that a migration rebuilds the searches that another one folded. */
export const FOLDING = 2;
/**
 * Characters (UTF-16 units) of a text that is folded. Folding makes at least one byte of two of them, and an index key
 * has 1,024: a longer text is refused before it is folded.
 */
export const MAX_FOLDED_CHARACTERS = 2048;

/** Every code point but the ASCII ones that are folded already. */
const UNFOLDED = /[^\u0000-@[-\u007f]/gu;
/** Code points whose fold is remembered; most texts share some hundreds. */
const REMEMBERED = 4096;
const remembered = new Map<string, string>();

/** Folded texts. Throws `TooLongError` for one that no key holds. */
export const FOLDED: TextForm = (text) => {
  if (text.length > MAX_FOLDED_CHARACTERS) throw new TooLongError(text.length, MAX_FOLDED_CHARACTERS);
  return foldText(text);
};

/** Folds a text of any length. */
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

/** The lower case of the upper case, decomposed, until nothing changes: `ς` is `σ`, `ẞ` is first `ß` and then `ss`. */
function computeFold(text: string): string {
  const upper = text.normalize('NFKD').toUpperCase();
  // Alone no code point is at the end of a word, where sigma has another lower case.
  const lower = Array.from(upper, (codePoint) => codePoint.toLowerCase());
  const fold = lower.join('').normalize('NFKD');
  return fold === text ? fold : computeFold(fold);
}
