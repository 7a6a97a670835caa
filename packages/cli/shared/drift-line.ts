import { printable } from '../../../src/foundation/printable.ts';
import type { ObservedDrift } from '../../../src/trust/observe/drift.ts';
import type { IndexDifference } from '../../../src/trust/observe/index-sample.ts';
import { shownDifference } from './difference.ts';

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
