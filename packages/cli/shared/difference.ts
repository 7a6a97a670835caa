import { printable } from '../../../src/foundation/printable.ts';

/** The contents that differ, as people are shown them. */

/** Characters of each content. */
const WIDTH = 160;
const ELLIPSIS = ' ...';

/** The contents of what is expected and what is there, in this order; null: nothing. */
type Contents = readonly [string | null, string | null];

/** Returns the parts of two contents that people are shown: one line each, printable, with their first difference. */
export function shownDifference(contents: Contents): Contents {
  const [expected, stored] = contents.map((text) => (text === null ? null : printable(text))) as [...Contents];
  if (expected === null || stored === null) return [expected && shortened(expected, 0), stored && shortened(stored, 0)];
  const from = placeOfDifference(expected, stored);
  return [shortened(expected, from), shortened(stored, from)];
}

/** The place from which two texts are shown, so that their first difference is seen. */
function placeOfDifference(left: string, right: string): number {
  let place = 0;
  while (place < left.length && left[place] === right[place]) place += 1;
  if (Math.max(left.length, right.length) <= WIDTH || place <= WIDTH / 2) return 0;
  // Some of what is before it says where it is.
  const from = place - WIDTH / 4;
  const word = left.indexOf(' ', from) + 1;
  return word > 0 && word <= place ? word : from;
}

/** A text from a place on, of at most `WIDTH` characters, cut at a word if possible. */
function shortened(text: string, from: number): string {
  const [before, rest] = from === 0 ? ['', text] : [ELLIPSIS.trimStart(), ` ${text.slice(from)}`];
  if (before.length + rest.length <= WIDTH) return `${before}${rest}`;
  const kept = rest.slice(0, WIDTH - before.length - ELLIPSIS.length);
  // The text is cut between words: half an id would read as another id. Only a single word that fills the line is cut itself.
  const words = kept.slice(0, kept.lastIndexOf(' '));
  return `${before}${words.length > WIDTH / 2 ? words : kept}${ELLIPSIS}`;
}
