/**
 * Folding of texts: texts that differ in upper and lower case, or in how a character is composed, fold to the same text.
 *
 * Each code point is folded by itself, so that the fold of a text is the folds of its parts, one after the other. So every prefix of
 * a text folds to a prefix of its fold. For this reason marks keep the order in which they are written, and `ß`, `SS` and `ss` are equal.
 */

/** The version of the folding. The definition of a search has it, so that a migration rebuilds the searches that another one folded. */
export const FOLDING = 2;
/** A search's folding; false: its texts stay as they are. */
export type Folding = false | typeof FOLDING;

/** Every code point but the ASCII ones that are folded already. */
const UNFOLDED = /[^\u0000-@[-\u007f]/gu;
/** Code points whose fold is remembered; most texts share some hundreds. */
const REMEMBERED = 4096;
const remembered = new Map<string, string>();

/** Folds a text where asked. */
export function foldText(text: string, fold: boolean): string {
  return fold ? text.replace(UNFOLDED, foldOf) : text;
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
