import { watermarkOf } from '../core/items/watermark.ts';
import { EdgeloomError } from '../foundation/errors.ts';

/** The position of what no record has made: it is below all. */
export const BEFORE_ALL = '0';

const TIME = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?$/;

/** The position of a record, as a text that compares: the stream's label in fixed width, then the number with zeros before it. */
export function positionOf(streamLabel: string, sequenceNumber: string): string {
  // rule: mirror-positions-begin-with-the-stream
  return watermarkOf(fixedWidth(streamLabel), sequenceNumber);
}

/** A label is a time, of which an engine may leave out the fraction: `33/` would sort after `33.5/`. */
function fixedWidth(label: string): string {
  const [, seconds, fraction = ''] = TIME.exec(label) ?? [];
  if (seconds !== undefined) return `${seconds}.${fraction.padEnd(9, '0')}`;
  if (/^\d+$/.test(label)) return label.padStart(20, '0');
  if (label !== '') return label;
  throw new EdgeloomError(
    'invalid-stream-arn',
    'The label of a source stream is empty.',
    'Give the LatestStreamLabel.',
  );
}
