import { toJson } from '../../../src/foundation/exact-json.ts';
import { printable, printableLines } from '../../../src/foundation/printable.ts';

/** The output of a command: a document for machines and a text for people. */
export interface Output<Json = unknown> {
  /** Undefined: the command has no document, as one that has printed its lines already. */
  json: Json;
  text: string;
}

/** Prints a command's result to stdout. `paint` gives the text for people its colour: codes that are in the text itself are shown, not obeyed. */
export function print({ json, text }: Output, asJson: boolean, paint = (line: string): string => line): void {
  const whole = printableLines(asJson ? (json === undefined ? '' : toJson(json)) : text);
  if (whole !== '') process.stdout.write(`${asJson ? whole : paint(whole)}\n`);
}

/** A table in text: columns padded, numbers to the right; no colours, so that it can be piped. */
export function textTable(headings: readonly string[], rows: readonly (readonly unknown[])[]): string {
  const cells = rows.map((row) => row.map(cellText));
  const widths = headings.map((heading, i) =>
    Math.max(heading.length, ...cells.map((row) => [...(row[i] ?? '')].length)),
  );
  const line = (row: readonly string[], source?: readonly unknown[]): string =>
    row
      .map((text, i) => pad(text, widths[i]!, typeof source?.[i] === 'number'))
      .join('  ')
      .trimEnd();
  return [line(headings), ...cells.map((row, i) => line(row, rows[i]))].join('\n');
}

/** One value in a table or list, on one line. */
export function cellText(value: unknown): string {
  if (value === undefined || value === null) return '-';
  if (typeof value === 'string') return printable(value);
  if (typeof value === 'number') return String(value);
  return printable(toJson(value));
}

function pad(text: string, width: number, right: boolean): string {
  const missing = ' '.repeat(Math.max(0, width - [...text].length));
  return right ? missing + text : text + missing;
}
