import { printable } from '../../../src/foundation/printable.ts';
import type { ObservedDrift } from '../../../src/trust/observe/drift.ts';
import type { IndexDifference } from '../../../src/trust/observe/index-sample.ts';

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

export function driftLine({ suspect, differences, expected, stored, isCertain }: ObservedDrift): string {
  const { source, sortKey } = suspect;
  const kinds = [...new Set(differences.map(({ kind }) => kind))].join(', ');
  const doubt = isCertain ? '' : ' (the low watermark is not known: the consumer may only be late)';
  const [shown, actual] = shownDifference([expected, stored]);
  return printable(
    `drift: ${source} ${sortKey}, ${kinds}: expected ${shown ?? 'nothing'}, actual ${actual ?? 'nothing'}${doubt}`,
  );
}

const SHOWS: { readonly [Kind in IndexDifference['kind']]: string } = {
  missing: 'does not show it',
  stale: 'shows other attributes than the table has',
  'left-over': 'shows it at a place that it has left',
};

export function indexDifferenceLine({ source, target, index, kind }: IndexDifference): string {
  return printable(`index ${kind}: ${source} ${target}: ${index} ${SHOWS[kind]}`);
}
