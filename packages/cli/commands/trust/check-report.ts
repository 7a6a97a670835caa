import { type ExitRules, failsCheck, VERDICT_NAMES } from '../../../../src/core/verdicts.ts';
import { countText, figureText } from '../../../../src/foundation/figure.ts';
import { printable } from '../../../../src/foundation/printable.ts';
import type { CheckCounts } from '../../../../src/trust/check/cursor.ts';
import type { Finding } from '../../../../src/trust/check/finding.ts';
import type { KeptFindings } from '../../../../src/trust/check/kept-findings.ts';
import { shownDifference } from '../../shared/difference.ts';

const SHOWN = 20;

const CORRECT =
  '  correct these items, then run edgeloom redrive, which clears the entries of correct items; for an item without an entry, the correction is enough';

export function reportText(
  totals: CheckCounts,
  { list, leftOut }: Pick<KeptFindings, 'list' | 'leftOut'>,
  { seconds, looksForNodes }: { seconds: number; looksForNodes: boolean },
): string {
  const { partitions, baseItems, derivedItems, repaired } = totals;
  const lines = [
    `${countText(partitions, 'partition')}, ${countText(baseItems, 'base item')}, ${countText(derivedItems, 'derived item')}; ` +
      `${figureText(totals.rcu)} RCU, ${figureText(totals.wcu)} WCU, ${figureText(seconds)} s`,
    driftText(totals) +
      `${totals.maintenance > 0 ? `; maintenance: ${totals.maintenance}` : ''}${repaired > 0 ? `; ${repaired} repaired` : ''}`,
    countsText(totals, looksForNodes),
  ];
  for (const { name, items, reason } of totals.changing) {
    lines.push(`not compared: ${printable(name)}, ${countText(items, 'item')}: ${reason}`);
  }
  for (const verdict of VERDICT_NAMES) {
    if (verdict === 'unknown') continue;
    const findings = list.filter((finding) => finding.verdict === verdict);
    for (const finding of findings.slice(0, SHOWN)) lines.push(...linesOf(finding));
    const notKept = leftOut[verdict] ?? 0;
    const more = findings.length - SHOWN + notKept;
    if (verdict === 'quarantined' && findings.length > 0) lines.push(CORRECT);
    const listed = notKept === 0 ? 'them' : `the first ${figureText(findings.length)}`;
    if (more > 0) lines.push(`... and ${figureText(more)} more ${verdict}: --json or --report lists ${listed}`);
  }
  return [...lines, ...unknownTypesText(totals, list)].join('\n');
}

function unknownTypesText({ unknown, unknownTypes }: CheckCounts, findings: readonly Finding[]): string[] {
  const examples = new Map(findings.map((finding) => [finding.verdict === 'unknown' && finding.actual, finding]));
  const unlisted = unknown - unknownTypes.reduce((sum, { items }) => sum + items, 0);
  return [
    ...unknownTypes.map(({ type, kind, items, nearest }) => {
      const example = examples.get(type);
      return (
        `unknown ${kind} type ${printable(type)}: ${countText(items, 'item')}` +
        (example === undefined ? '' : `, such as ${keyText(example)}`) +
        (nearest === null ? '' : `; is ${nearest} meant?`)
      );
    }),
    ...(unlisted > 0 ? [`unknown types that are not listed: ${countText(unlisted, 'item')}`] : []),
  ];
}

export function driftText({ drift }: Pick<CheckCounts, 'drift'>): string {
  return `drift: ${Object.entries(drift)
    .map(([verdict, count]) => `${count} ${verdict}`)
    .join(', ')}`;
}

function linesOf(finding: Finding): string[] {
  const { verdict, expected, actual } = finding;
  const lines = [`${verdict} ${keyText(finding)}`];
  const [shown, stored] = shownDifference([expected, actual]);
  if (shown !== null) lines.push(`  expected: ${shown}`);
  if (stored !== null) lines.push(`  actual:   ${stored}`);
  return lines;
}

function keyText({ source, target }: Finding): string {
  return `${printable(source)} ${printable(target)}`;
}

function countsText(totals: CheckCounts, looksForNodes: boolean): string {
  const { pending, superseded, quarantined, dangling, unknown, unregistered } = totals;
  return [
    `${pending} pending, ${superseded} superseded, ${quarantined} quarantined`,
    ...(looksForNodes || dangling > 0 ? [`${dangling} dangling`] : []),
    `${unknown} unknown`,
    ...(unregistered > 0 ? [`${unregistered} unregistered`] : []),
  ].join(', ');
}

export interface RunState extends ExitRules {
  isStopped: boolean;
}

export function reportJunit(findings: readonly Finding[], state: RunState): string {
  const { isStopped } = state;
  // Findings that a model change explains don't fail the check.
  const failures = findings.filter(({ verdict, cause }) => cause === undefined && failsCheck(verdict, state));
  const cases = failures.map(
    ({ source, target, verdict, expected, actual }) =>
      `  <testcase classname="${escapeXml(source)}" name="${escapeXml(target)}">\n` +
      `    <failure type="${verdict}" message="${verdict}">${escapeXml(textsOf({ expected, actual }))}</failure>\n` +
      '  </testcase>\n',
  );
  const errors = isStopped ? 1 : 0;
  if (isStopped) {
    const error = '<error type="stopped" message="the check was stopped before its end"/>';
    cases.push(`  <testcase classname="edgeloom" name="check">\n    ${error}\n  </testcase>\n`);
  }
  // Some tools reject an empty suite.
  const body = cases.length > 0 ? cases.join('') : '  <testcase classname="edgeloom" name="check"/>\n';
  const tests = Math.max(1, cases.length);
  const counts = `tests="${tests}" failures="${failures.length}"${errors > 0 ? ` errors="${errors}"` : ''}`;
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuite name="edgeloom check" ${counts}>\n${body}</testsuite>\n`;
}

function textsOf({ expected, actual }: Pick<Finding, 'expected' | 'actual'>): string {
  return `expected: ${expected}\nactual: ${actual}`;
}

function escapeXml(text: string): string {
  return (
    text
      .replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
      // Replace characters that XML doesn't allow, even escaped.
      .replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '\ufffd')
  );
}
