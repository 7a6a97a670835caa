import { isLosslessNumber, LosslessNumber, stringify } from 'lossless-json';
import { shown, shownLines } from './shown.ts';

/** What a command gives: a document for machines and a text for people. */
export interface Output {
  json: unknown;
  text: string;
}

/** Prints a command's result to stdout. */
export function print({ json, text }: Output, asJson: boolean): void {
  const whole = asJson ? toJson(json) : text;
  process.stdout.write(whole === '' ? '' : `${shownLines(whole)}\n`);
}

/** A number that is printed with the digits that DynamoDB gave. */
export function losslessNumber(text: string): LosslessNumber {
  return new LosslessNumber(text);
}

/** JSON with exact numbers; sets become arrays, binary base64 text. */
export function toJson(value: unknown): string {
  return stringify(plain(value)) ?? 'null';
}

function plain(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || isLosslessNumber(value)) return value;
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (value instanceof Set) return [...value].map(plain);
  if (Array.isArray(value)) return value.map(plain);
  const copy: Record<string, unknown> = Object.create(null);
  for (const [name, entry] of Object.entries(value)) copy[name] = plain(entry);
  return copy;
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
  if (typeof value === 'string') return shown(value);
  if (typeof value === 'number') return String(value);
  return shown(toJson(value));
}

/** A figure with at most two decimals, for people. */
export function figure(value: number): string {
  return Number.isInteger(value)
    ? value.toLocaleString('en')
    : value.toLocaleString('en', { maximumFractionDigits: 2 });
}

function pad(text: string, width: number, right: boolean): string {
  const missing = ' '.repeat(Math.max(0, width - [...text].length));
  return right ? missing + text : text + missing;
}
