import type { Spread } from './statistics.ts';

export interface Target {
  kind: 'at-most' | 'at-least';
  value: number;
}

export interface Figure {
  name: string;
  /** Exact, or the spread of several runs. */
  value: number | Spread;
  unit: string;
  /**
   * Share by which a count varies between runs, or true if it depends on the run's duration. Absent if it never varies.
   */
  varies?: number | true;
  target?: Target;
}

export function figure(name: string, value: number | Spread, unit: string, target?: Target): Figure {
  return { name, value, unit, ...(target && { target }) };
}

export function varying(varies: NonNullable<Figure['varies']>, count: Figure): Figure {
  return { ...count, varies };
}

export function atMost(value: number): Target {
  return { kind: 'at-most', value };
}

export function atLeast(value: number): Target {
  return { kind: 'at-least', value };
}

/** Depends on when garbage is collected. */
export const MEMORY_VARIES = 0.25;
/** Each change of the code changes its size. */
export const CODE_VARIES = 0.1;

export interface Report {
  name: string;
  title: string;
  figures: Figure[];
}

/** The output of `--json`. */
export interface MeasuredReport extends Report {
  /** True if the target was met. Absent without a target. */
  figures: (Figure & { met?: boolean })[];
}

export function reportJson(report: Report): MeasuredReport {
  return { ...report, figures: report.figures.map((figure) => ({ ...figure, met: isMet(figure) })) };
}

export function isMet({ value, target }: Figure): boolean | undefined {
  if (target === undefined) return undefined;
  const number = middleOf({ value });
  return target.kind === 'at-most' ? number <= target.value : number >= target.value;
}

/** Times and rates differ between machines. */
export function isTime({ unit }: Figure): boolean {
  return /^(s|ms|µs)$|\/s\b/.test(unit);
}

export function reportText(report: Report): string {
  const rows = report.figures.map((figure) => [
    figure.name,
    numberText(middleOf(figure)),
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

export function targetText(figure: Figure): string {
  const { target } = figure;
  if (target === undefined) return '';
  const sign = target.kind === 'at-most' ? '<=' : '>=';
  return `${sign} ${numberText(target.value)} ${isMet(figure) === true ? 'met' : 'MISSED'}`;
}

export function numberText(value: number): string {
  if (Number.isInteger(value)) return value.toLocaleString('en-US');
  return value >= 100 ? Math.round(value).toLocaleString('en-US') : value.toFixed(value >= 10 ? 1 : 3);
}

export function middleOf({ value }: Pick<Figure, 'value'>): number {
  return typeof value === 'number' ? value : value.median;
}

export function rangeText({ value }: Figure, text: (value: number) => string): string {
  if (typeof value === 'number') return text(value);
  return `${text(value.median)} (${text(value.min)} to ${text(value.max)})`;
}
