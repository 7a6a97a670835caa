import type { Spread } from './statistics.ts';

/** What a figure is held against. */
export interface Target {
  /** The figure may be at most, or has to be at least, `value`. */
  kind: 'at-most' | 'at-least';
  value: number;
}

/** One line of a benchmark's table. */
export interface Figure {
  name: string;
  /** An exact number, or the spread of a measured one. */
  value: number | Spread;
  /** What the number counts: `calls`, `WCU`, `µs`, `x`, ... */
  unit: string;
  /**
   * How far a count may be from itself on another run, as a share of it; `true` where it says how much was done while the run lasted.
   * Absent: it is the same on each run.
   */
  varies?: number | true;
  /** The median is what has to meet it. */
  target?: Target;
}

/** How far the peak memory of a process varies: the garbage collector chooses its moments. */
export const MEMORY_VARIES = 0.25;
/** How far the bytes of code may be from what is documented: each change of the code moves them a little. */
export const CODE_VARIES = 0.1;

/** What a benchmark found out. */
export interface Report {
  name: string;
  /** One sentence: what was run. */
  title: string;
  figures: Figure[];
}

/** A report in the form that `--json` prints. */
export interface MeasuredReport extends Report {
  /** Each figure with a target says whether it was met. */
  figures: (Figure & { met?: boolean })[];
}

/** A report with each figure's verdict. */
export function reportJson(report: Report): MeasuredReport {
  return { ...report, figures: report.figures.map((figure) => ({ ...figure, met: isMet(figure) })) };
}

/** Whether a figure meets its target; undefined where it has none. */
export function isMet({ value, target }: Figure): boolean | undefined {
  if (target === undefined) return undefined;
  const number = typeof value === 'number' ? value : value.median;
  return target.kind === 'at-most' ? number <= target.value : number >= target.value;
}

/** Whether a figure is a time or a rate, which is another on each machine. */
export function isTime({ unit }: Figure): boolean {
  return /^(s|ms|µs)$|\/s\b/.test(unit);
}

/** A report as a table for people. */
export function reportText(report: Report): string {
  const rows = report.figures.map((figure) => [
    figure.name,
    typeof figure.value === 'number' ? numberText(figure.value) : numberText(figure.value.median),
    typeof figure.value === 'number' ? '' : `${numberText(figure.value.min)} .. ${numberText(figure.value.max)}`,
    figure.unit,
    targetText(figure),
  ]);
  const table = [['figure', 'median', 'min .. max', 'unit', 'target'], ...rows];
  const widths = table[0]!.map((_, column) => Math.max(...table.map((row) => row[column]!.length)));
  const lines = table.map((row) =>
    row
      .map((cell, column) => pad(cell, widths[column]!, column))
      .join('  ')
      .trimEnd(),
  );
  const rule = widths.map((width) => '-'.repeat(width)).join('  ');
  return [`${report.name}: ${report.title}`, '', lines[0]!, rule, ...lines.slice(1), ''].join('\n');
}

function pad(cell: string, width: number, column: number): string {
  const isNumber = column === 1 || column === 2;
  return isNumber ? cell.padStart(width) : cell.padEnd(width);
}

/** A figure's target and whether it was met; empty where it has none. */
export function targetText(figure: Figure): string {
  const { target } = figure;
  if (target === undefined) return '';
  const sign = target.kind === 'at-most' ? '<=' : '>=';
  return `${sign} ${numberText(target.value)} ${isMet(figure) === true ? 'met' : 'MISSED'}`;
}

/** A number as people read it. */
export function numberText(value: number): string {
  if (Number.isInteger(value)) return value.toLocaleString('en-US');
  return value >= 100 ? Math.round(value).toLocaleString('en-US') : value.toFixed(value >= 10 ? 1 : 3);
}
