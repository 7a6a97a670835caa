import type { Finding } from './findings.ts';
import { figure } from './text.ts';

export interface Verdict {
  constant: string[];
  /** O(1) in the article, but growing here. */
  lost: Finding[];
  billedOnly: Finding[];
  /** O(n) in the article, but not growing here. */
  gained: Finding[];
}

export function judge(all: readonly Finding[]): Verdict {
  const findings = all.filter(({ claim }) => claim !== undefined);
  const lost = findings.filter(({ claim, capacity }) => claim === 'O(1)' && capacity.growth === 'O(n)');
  const layouts = [...new Set(findings.map(({ layout }) => layout))];
  return {
    constant: layouts.filter((name) =>
      findings.every(({ layout, capacity }) => layout !== name || capacity.growth === 'O(1)'),
    ),
    lost,
    billedOnly: lost.filter(({ bytes }) => bytes.growth === 'O(1)'),
    gained: findings.filter(({ claim, capacity }) => claim === 'O(n)' && capacity.growth === 'O(1)'),
  };
}

export function verdictLines(findings: readonly Finding[], mostFriends: number): string[] {
  const { constant, lost, billedOnly, gained } = judge(findings);
  const kept = findings.filter(({ layout, claim }) => claim !== undefined && constant.includes(layout));
  const lines = [
    constant.length === 0
      ? 'No layout keeps its O(1) for all three operations.'
      : `**Keep O(1): ${byLayout(kept)}.** Units with no friend as with ${figure(mostFriends)}: ${constant.map((name) => costText(name, kept)).join('; ')}.`,
  ];
  if (lost.length > 0) {
    lines.push(
      `**O(1) in the article, but growing here: ${byLayout(lost)}.** Each friend more costs ${lost.map(slopeText).join(', ')}.`,
    );
  }
  if (billedOnly.length > 0) {
    lines.push(
      `**Of these only the bill grows: ${byLayout(billedOnly)}.** The bytes moved stay the same: an update names the cells, and a projection brings one back.`,
    );
  }
  if (gained.length > 0) {
    lines.push(`**O(n) in the article, but not seen to grow over these lists: ${byLayout(gained)}.**`);
  }
  return lines;
}

function costText(name: string, findings: readonly Finding[]): string {
  const own = findings.filter(({ layout }) => layout === name);
  return `${code(name)} ${own.map(({ operation, capacity }) => `${operation} ${figure(capacity.intercept)}`).join(', ')}`;
}

function slopeText({ layout, operation, capacity }: Finding): string {
  return `${figure(capacity.slope)} units (${code(layout)} ${operation})`;
}

function byLayout(findings: readonly Finding[]): string {
  const layouts = [...new Set(findings.map(({ layout }) => layout))];
  return layouts
    .map((name) => {
      const operations = findings.filter(({ layout }) => layout === name).map(({ operation }) => operation);
      return `${code(name)} (${operations.join(', ')})`;
    })
    .join('; ');
}

function code(name: string): string {
  return `\`${name}\``;
}
