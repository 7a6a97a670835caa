import { countText, figureText } from '../../../foundation/figure.ts';
import type { CheckTotals } from '../../../trust/check/cursor.ts';
import { type Finding, WRONG } from '../../../trust/check/finding.ts';

import { printable } from '../../shared/shown.ts';

/** Findings that the text spells out; the others are in `--json` and `--report`. */
const SHOWN = 50;
/** Characters of what is expected and what is there. */
const WIDTH = 160;
const ELLIPSIS = ' ...';

/** The facts of a run that its text needs besides its findings. */
interface TextState {
  seconds: number;
  /** Whether it has looked up the nodes that edges enter. */
  looksForNodes: boolean;
}

/** A check's result for people: the counts, then what was found, worst first. */
export function reportText(
  totals: CheckTotals,
  findings: readonly Finding[],
  { seconds, looksForNodes }: TextState,
): string {
  const { drift, partitions, baseItems, derivedItems, repaired, tidied } = totals;
  const lines = [
    `${countText(partitions, 'partition')}, ${countText(baseItems, 'base item')}, ${countText(derivedItems, 'derived item')}; ` +
      `${figureText(totals.rcu)} RCU, ${figureText(totals.wcu)} WCU, ${figureText(seconds)} s`,
    `drift: ${drift.missing} missing, ${drift.stale} stale, ${drift.orphan} orphan` +
      `${totals.maintenance > 0 ? `; maintenance: ${totals.maintenance}` : ''}${repaired > 0 ? `; ${repaired} repaired` : ''}${tidied > 0 ? `; ${tidied} tidied up` : ''}`,
    countsText(totals, looksForNodes),
  ];
  for (const { name, items, reason } of totals.changing) {
    lines.push(`not compared: ${printable(name)}, ${countText(items, 'item')}: ${reason}`);
  }
  for (const { type, items, nearest } of totals.unknownTypes) {
    lines.push(`unknown type ${type}: ${countText(items, 'item')}${nearest === null ? '' : `; is ${nearest} meant?`}`);
  }
  const sorted = [...findings].sort((a, b) => severityOf(a) - severityOf(b));
  for (const { source, target, verdict, expected, actual } of sorted.slice(0, SHOWN)) {
    lines.push(`${verdict} ${printable(source)} ${printable(target)}`);
    const [ofWanted, ofStored] = labelsOf(verdict);
    const [wanted, stored] = [expected, actual].map((text) => (text === null ? undefined : printable(text)));
    const from = wanted === undefined || stored === undefined ? 0 : placeOfDifference(wanted, stored);
    if (wanted !== undefined) lines.push(`  ${`${ofWanted}:`.padEnd(9)} ${shortened(wanted, from)}`);
    if (stored !== undefined) lines.push(`  ${`${ofStored}:`.padEnd(9)} ${shortened(stored, from)}`);
  }
  if (sorted.length > SHOWN) lines.push(`... and ${sorted.length - SHOWN} more: --json or --report lists them`);
  return lines.join('\n');
}

/** The counts besides drift; a rare one only where there is something to count. */
function countsText(totals: CheckTotals, looksForNodes: boolean): string {
  const { pending, superseded, quarantined, dangling, unknown, unregistered, disputed } = totals;
  return [
    `${pending} pending, ${superseded} superseded, ${quarantined} quarantined`,
    ...(looksForNodes || dangling > 0 ? [`${dangling} dangling`] : []),
    `${unknown} unknown`,
    ...(unregistered > 0 ? [`${unregistered} unregistered`] : []),
    ...(disputed > 0 ? [`${disputed} disputed`] : []),
  ].join(', ');
}

/** The facts of a run that a build server needs besides its findings. */
export interface RunState {
  /** Whether the consumers' lag does not explain what is pending: then that fails, too. */
  isUnexplained: boolean;
  /** Whether the run was stopped before its end: what it found is not all. */
  isStopped: boolean;
}

/**
 * Formats a check's result as JUnit XML for a build server. Every finding that makes the exit code 1 is a failure; a stopped check is
 * an error.
 */
export function reportJunit(findings: readonly Finding[], { isUnexplained, isStopped }: RunState): string {
  const failures = findings.filter(
    (finding) => severityOf(finding) < WARNING || (isUnexplained && isHeldByConsumer(finding)),
  );
  const cases = failures.map(
    ({ source, target, verdict, expected, actual }) =>
      `  <testcase classname="${escapeXml(source)}" name="${escapeXml(target)}">\n` +
      `    <failure type="${verdict}" message="${verdict}">${escapeXml(textsOf({ verdict, expected, actual }))}</failure>\n` +
      '  </testcase>\n',
  );
  const errors = isStopped ? 1 : 0;
  if (isStopped) {
    const error = '<error type="stopped" message="the check was stopped before its end"/>';
    cases.push(`  <testcase classname="edgeloom" name="check">\n    ${error}\n  </testcase>\n`);
  }
  // Without findings there is one case, which passes: some readers take an empty suite for a mistake.
  const body = cases.length > 0 ? cases.join('') : '  <testcase classname="edgeloom" name="check"/>\n';
  const tests = Math.max(1, cases.length);
  const counts = `tests="${tests}" failures="${failures.length}"${errors > 0 ? ` errors="${errors}"` : ''}`;
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuite name="edgeloom check" ${counts}>\n${body}</testsuite>\n`;
}

/** The names of the two texts of a finding: what is disputed is not compared with what is there. */
function labelsOf(verdict: Finding['verdict']): [string, string] {
  return verdict === 'disputed' ? ['planner', 'plain'] : ['expected', 'actual'];
}

function textsOf({ verdict, expected, actual }: Pick<Finding, 'verdict' | 'expected' | 'actual'>): string {
  const [wanted, stored] = labelsOf(verdict);
  return `${wanted}: ${expected}\n${stored}: ${actual}`;
}

const WARNING = 10;

/** Whether a finding is held back by the consumer. */
function isHeldByConsumer({ verdict, cause }: Finding): boolean {
  return verdict === 'pending' && cause === undefined;
}

function severityOf({ verdict }: Finding): number {
  const place = (WRONG as readonly string[]).indexOf(verdict);
  return place < 0 ? WARNING : place;
}

/** The place from which two texts are shown, so that their first difference is seen. */
function placeOfDifference(left: string, right: string): number {
  let place = 0;
  while (place < left.length && left[place] === right[place]) place += 1;
  if (Math.max(left.length, right.length) <= WIDTH || place <= WIDTH / 2) return 0;
  // Some of what is before it says where it is.
  const from = place - WIDTH / 4;
  const word = left.indexOf(' ', from) + 1;
  return word > 0 && word <= place ? word : from;
}

/** A text from a place on, of at most `WIDTH` characters, cut at a word if possible. */
function shortened(text: string, from: number): string {
  const [before, rest] = from === 0 ? ['', text] : [ELLIPSIS.trimStart(), ` ${text.slice(from)}`];
  if (before.length + rest.length <= WIDTH) return `${before}${rest}`;
  const kept = rest.slice(0, WIDTH - before.length - ELLIPSIS.length);
  // The text is cut between words: half an id would read as another id. Only a single word that fills the line is cut itself.
  const words = kept.slice(0, kept.lastIndexOf(' '));
  return `${before}${words.length > WIDTH / 2 ? words : kept}${ELLIPSIS}`;
}

function escapeXml(text: string): string {
  return (
    text
      .replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
      // XML has no place for these, escaped or not.
      .replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '\ufffd')
  );
}
