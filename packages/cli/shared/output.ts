import { toJson } from '../../../src/foundation/exact-json.ts';
import { printable, printableLines } from '../../../src/foundation/printable.ts';

export interface Output<Json = unknown> {
  /** Undefined if the command has already printed its lines. */
  json: Json;
  text: string;
  /** Called for each line of `text` on a terminal. */
  colorOf?: (line: string) => Color | undefined;
}

/** Green: right. Red: wrong. Yellow: worth a look. */
const COLORS = { green: 32, red: 31, yellow: 33 } as const;

export type Color = keyof typeof COLORS;

function painted(text: string, color: Color | undefined): string {
  const isColored = process.stdout.isTTY === true && (process.env['NO_COLOR'] ?? '') === '';
  return isColored && color !== undefined ? `\u001b[${COLORS[color]}m${text}\u001b[0m` : text;
}

export function print({ json, text, colorOf }: Output, asJson: boolean): void {
  const whole = printableLines(asJson ? (json === undefined ? '' : toJson(json)) : text);
  if (whole === '') return;
  const lines =
    asJson || colorOf === undefined ? [whole] : whole.split('\n').map((line) => painted(line, colorOf(line)));
  process.stdout.write(`${lines.join('\n')}\n`);
}

const GAP = '  ';

/** Returns a table with right-aligned numbers. Wraps the widest columns at the width of the terminal or COLUMNS, if there is one. */
export function textTable(
  headings: readonly string[],
  rows: readonly (readonly unknown[])[],
  mostWidth = widthOfOutput(),
): string {
  const cells = rows.map((row) => row.map(cellText));
  const natural = headings.map((heading, i) =>
    Math.max(...[heading, ...cells.map((row) => row[i] ?? '')].map(lengthOf)),
  );
  const widths = fitted(natural, mostWidth - GAP.length * (headings.length - 1));
  const linesOf = (row: readonly string[], source?: readonly unknown[]): string[] => {
    const wrapped = row.map((text, i) => wrap(text, widths[i]!));
    return Array.from({ length: Math.max(...wrapped.map(({ length }) => length)) }, (_, at) =>
      wrapped
        .map((lines, i) => padded(lines[at] ?? '', widths[i]!, typeof source?.[i] === 'number' ? 'start' : 'end'))
        .join(GAP)
        .trimEnd(),
    );
  };
  return [...linesOf(headings), ...cells.flatMap((row, i) => linesOf(row, rows[i]))].join('\n');
}

function widthOfOutput(): number {
  const given = Number(process.env['COLUMNS']);
  // A pseudo-terminal whose size was never set has 0 columns.
  if (process.stdout.isTTY === true) return process.stdout.columns || 80;
  return given > 0 ? given : Number.POSITIVE_INFINITY;
}

const LEAST_WIDTH = 8;

function fitted(natural: readonly number[], mostWidth: number): number[] {
  const widths = [...natural];
  for (;;) {
    const excess = widths.reduce((sum, width) => sum + width, 0) - mostWidth;
    const widest = Math.max(...widths);
    if (excess <= 0 || widest <= LEAST_WIDTH) return widths;
    const next = Math.max(LEAST_WIDTH, ...widths.filter((width) => width < widest), widest - excess);
    widths[widths.indexOf(widest)] = Math.min(next, widest - 1);
  }
}

function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let rest = [...text];
  while (rest.length > width) {
    const head = rest.slice(0, width);
    const at = Math.max(head.lastIndexOf(' '), head.lastIndexOf(',')) + 1;
    const end = at > width / 2 ? at : width;
    lines.push(rest.slice(0, end).join('').trimEnd());
    rest = rest.slice(end);
  }
  return [...lines, rest.join('')];
}

function lengthOf(text: string): number {
  return [...text].length;
}

export function cellText(value: unknown): string {
  if (value === undefined || value === null) return '-';
  if (typeof value === 'string') return printable(value);
  if (typeof value === 'number') return String(value);
  return printable(toJson(value));
}

function padded(text: string, width: number, side: 'start' | 'end'): string {
  const missing = ' '.repeat(Math.max(0, width - lengthOf(text)));
  return side === 'start' ? missing + text : text + missing;
}
