import { printable } from '../../../src/foundation/printable.ts';

const WIDTH = 160;
const ELLIPSIS = ' ...';

type Contents = readonly [string | null, string | null];

/** Shortens two texts to one printable line each, with their first difference in view. */
export function shownDifference(contents: Contents): Contents {
  const [expected, stored] = contents.map((text) => (text === null ? null : printable(text))) as [...Contents];
  if (expected === null || stored === null) return [expected && shortened(expected, 0), stored && shortened(stored, 0)];
  const from = placeOfDifference(expected, stored);
  return [shortened(expected, from), shortened(stored, from)];
}

function placeOfDifference(left: string, right: string): number {
  let place = 0;
  while (place < left.length && left[place] === right[place]) place += 1;
  if (Math.max(left.length, right.length) <= WIDTH || place <= WIDTH / 2) return 0;
  const from = place - WIDTH / 4;
  const word = left.indexOf(' ', from) + 1;
  return word > 0 && word <= place ? word : from;
}

function shortened(text: string, from: number): string {
  const [before, rest] = from === 0 ? ['', text] : [ELLIPSIS.trimStart(), ` ${text.slice(from)}`];
  if (before.length + rest.length <= WIDTH) return `${before}${rest}`;
  const kept = rest.slice(0, WIDTH - before.length - ELLIPSIS.length);
  // Cut between words: half an id looks like another id.
  const words = kept.slice(0, kept.lastIndexOf(' '));
  return `${before}${words.length > WIDTH / 2 ? words : kept}${ELLIPSIS}`;
}
