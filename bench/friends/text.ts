import type { Finding, Measure } from './findings.ts';
import type { Fit } from './fit.ts';
import { LAYOUTS } from './layouts/index.ts';

export type Rows = readonly (readonly string[])[];

const HEADS: Readonly<Record<Measure, string>> = {
  time: 'time (checks in row)',
  capacity: 'capacity (RCU + WCU)',
  bytes: 'bytes moved',
};

/** A Scan costs as much as the whole table, whatever the list's length. */
export function growthRows(findings: readonly Finding[]): Rows {
  const measures = Object.keys(HEADS) as Measure[];
  return [
    ['layout', 'operation', 'article', ...measures.map((measure) => HEADS[measure])],
    ...findings.map((finding) => [
      finding.layout,
      finding.operation,
      finding.claim ?? '',
      ...measures.map((measure) =>
        measure !== 'bytes' && isScan(finding) ? 'O(whole table)' : fitText(finding[measure]),
      ),
    ]),
  ];
}

function isScan({ layout, operation }: Finding): boolean {
  const { itemPer, key } = LAYOUTS.find(({ name }) => name === layout)!;
  return operation === 'list' && itemPer === 'friend' && key.sort === undefined;
}

/** Returns text such as `O(n): 1.6 + 0.044 n, ±9 %`, where `n` is the number of friends. */
export function fitText({ growth, intercept, slope, errorPercent }: Fit): string {
  const model = growth === 'O(n)' ? `${figure(intercept)} + ${figure(slope)} n` : figure(intercept);
  return `${growth}: ${model}, ±${errorPercent < 0.05 ? '0' : errorPercent.toFixed(1)} %`;
}

export function figure(value: number): string {
  if (Number.isInteger(value) || Math.abs(value) >= 100) return Math.round(value).toLocaleString('en-US');
  return String(Number(value.toPrecision(3)));
}

export function markdownTable(rows: Rows): string {
  const lines = rows.map((row) => `| ${row.join(' | ')} |`);
  return [lines[0]!, `|${'---|'.repeat(rows[0]!.length)}`, ...lines.slice(1)].join('\n');
}
