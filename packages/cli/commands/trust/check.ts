import { type Command, InvalidArgumentError, Option } from 'commander';
import { hasItemsInTargets } from '../../../../src/core/kinds/in-target.ts';
import { isClean, isDrift, noVerdicts, VERDICT_NAMES } from '../../../../src/core/verdicts.ts';
import { EdgeloomError } from '../../../../src/foundation/errors.ts';
import { countText } from '../../../../src/foundation/figure.ts';
import { printable } from '../../../../src/foundation/printable.ts';
import type { CheckOptions, CheckResult } from '../../../../src/trust/check/check.ts';
import { checkExport, type ExportCheckResult } from '../../../../src/trust/check/export/export.ts';
import type { Finding } from '../../../../src/trust/check/finding.ts';
import { saveLastCheck } from '../../../../src/trust/check/last-check.ts';
import { sampleOptions } from '../../../../src/trust/check/scan.ts';
import { absentTexts } from '../../shared/absent-partitions.ts';
import { unreadyText } from '../../shared/model-notice.ts';
import {
  commandText,
  examples,
  exitCodes,
  type RateFlags,
  readRateOption,
  refuseBeside,
  refuseWithout,
  wholeNumber,
  writeRateOption,
} from '../../shared/options.ts';
import type { Color } from '../../shared/output.ts';
import { startProgress } from '../../shared/progress.ts';
import { type CommandSession, inSession } from '../../shared/session.ts';
import { sayAbsent } from '../read/answer.ts';
import { driftText, reportText } from './check-report.ts';
import { type CheckRunResult, runCheck } from './check-run.ts';
import { isExplainedByLag, type Waiting, waitingText } from './check-waiting.ts';
import { GatheredFindings } from './gathered-findings.ts';
import { reportTargets, requireReportFile, writeReport } from './report-file.ts';

const FOUND = 1;
const STOPPED = 2;
const COPIES_LEFT_OUT =
  'copies, reverse items and entries of totals are left out of a check of an export; a check of the table, or --confirm, looks at them';
const MOST_KEPT = 10_000;

interface CommandOptions extends RateFlags {
  repair?: boolean;
  dryRun?: boolean;
  grace: number;
  segments?: number;
  segment?: { segment: number; segments: number };
  sample?: number;
  source?: string[];
  export?: string;
  confirm?: boolean;
  resume?: string;
  report?: string[];
  strict?: boolean;
  dangling?: boolean;
}

export function checkCommand(command: Command): void {
  command
    .option('--repair', 'repair drift from the base items')
    .option('--dry-run', 'show what --repair would repair, and write nothing')
    .addOption(
      new Option(
        '--grace <time>',
        'how late the consumer may be before a difference counts as drift, such as 30s or 5m',
      )
        .argParser(parseDuration)
        .default(30_000, '30s'),
    )
    .option('--segments <n>', 'number of parts of the table to read in parallel (default: 8)', wholeNumber)
    .option('--segment <k/n>', 'check only the k-th of n parts', parseSegment)
    .option('--sample <share>', 'check only a random share of the table, such as 1%', parseShare)
    .addOption(readRateOption())
    .addOption(writeRateOption())
    .option('--source <id...>', 'only these partitions')
    .option('--export <folder>', 'check an export of the table to S3 instead of the table')
    .option('--confirm', 'with --export: look up partitions that differ in the live table')
    .option('--strict', 'exit with 1 also if the table has items of types outside the model')
    .option('--dangling', "also report edges to nodes that don't exist; costs one or two read units for each")
    .option('--resume <file>', 'save the place in this file, and continue there after an interruption')
    .option('--report <kind-and-file...>', 'write a report, too: junit FILE or json FILE')
    .addHelpText(
      'after',
      examples(
        'check',
        'check --repair --max-wcu 100',
        'check --repair --dry-run',
        'check --sample 1% --json',
        'check --source GOAL-G1 USER-U1',
        'check --resume check.json --report junit drift.xml',
        'check --export ./AWSDynamoDB --confirm',
      ) +
        exitCodes({
          0: 'nothing differs, of all that was looked at (--source, --segment, --sample: a part), and nothing is in quarantine',
          1: 'drift that is not repaired, quarantined or unregistered items, pending records that no lag explains, projections that are not ready, a partition of --source without items, or with --strict types outside the model',
          2: 'stopped before its end, wrong use, or a failure',
        }),
    )
    .action(inSession(checkAndReport));
}

async function checkAndReport(session: CommandSession, options: CommandOptions) {
  refuseIgnored(options);
  const [started, startedAtMs] = [performance.now(), Date.now()];
  const reports = reportTargets(options.report ?? []);
  for (const report of reports) await requireReportFile(report);
  const gathered = new GatheredFindings(MOST_KEPT);
  const { swept, ...result } = await checkTableOrExport(session, options, gathered);
  const seconds = (performance.now() - started) / 1000;
  const { cursor, lagSeconds, unready, absent = [], ...totals } = result;
  const { kept, actionsLeftOut, ofChange } = gathered;
  const actions = [...gathered.actions];
  const { list: findings, leftOut } = kept;
  const leavesCopiesOut = isOfExport(options) && hasItemsInTargets(session.graph);
  const waiting: Waiting = { pending: totals.pending - ofChange, lagSeconds, graceSeconds: options.grace / 1000 };
  const rules = { isUnexplained: !isExplainedByLag(waiting), isStrict: options.strict === true };
  sayAbsent(absentTexts(absent));
  const isRepair = options.repair === true && options.dryRun !== true;
  const isFine = isClean(totals, rules) && unready === undefined;
  if (!isFine) process.exitCode = FOUND;
  if (cursor !== undefined) process.exitCode = STOPPED;
  const json = {
    ...totals,
    // A check of an export doesn't wait for consumers, so it has no lag.
    ...(!isOfExport(options) && { lagSeconds: lagSeconds ?? null }),
    ...(swept > 0 && { swept }),
    seconds,
    ...(cursor !== undefined && { stopped: true }),
    ...(leavesCopiesOut && { copiesLeftOut: true }),
    ...(absent.length > 0 && { absent }),
    findings,
    ...(Object.keys(leftOut).length > 0 && { findingsLeftOut: leftOut }),
    ...(options.dryRun === true && { plan: actions, ...(actionsLeftOut > 0 && { planLeftOut: actionsLeftOut }) }),
    ...(isRepair && { refusals: actions, ...(actionsLeftOut > 0 && { refusalsLeftOut: actionsLeftOut }) }),
  };
  if (isWholeTable(options) && cursor === undefined) {
    // A resumed check began in another process, at an unknown time.
    const beganAtMs = options.resume === undefined ? startedAtMs : undefined;
    await saveLastCheck(session.graph.table, session.store, { ...totals, beganAtMs, isClean: isFine }, Date.now());
  }
  const state = { ...rules, isStopped: cursor !== undefined };
  for (const report of reports) await writeReport(report, json, findings, state);
  const lines = [
    ...actions.map(printable),
    ...(actionsLeftOut > 0
      ? [`... and ${countText(actionsLeftOut, `more ${isRepair ? 'failed' : 'planned'} repair`)}`]
      : []),
    reportText(totals, kept, { seconds, looksForNodes: looksForNodes(options) }),
    ...unreadyText(unready),
    ...waitingText(waiting),
    ...(swept > 0
      ? [`${countText(swept, 'record')} of the stream that no consumer had claimed: reconciled first`]
      : []),
    ...(cursor === undefined ? [] : ['stopped before its end; with --resume FILE it could go on from here']),
    ...(leavesCopiesOut ? [COPIES_LEFT_OUT] : []),
  ];
  return { json, text: lines.join('\n'), colorOf };
}

async function checkTableOrExport(
  session: CommandSession,
  options: CommandOptions,
  gathered: GatheredFindings,
): Promise<CheckResult & Partial<CheckRunResult> & { swept: number }> {
  const { resume, source: named, segment, sample, repair, dryRun } = options;
  const onFinding = (finding: Finding): void => gathered.addFinding(finding);
  if (isOfExport(options)) {
    if (repair === true) throw confirmationMissing();
    const { suspects: _, ...counts } = await runExportCheck(session, options.export!, onFinding);
    return { ...counts, swept: 0 };
  }
  const source =
    options.export === undefined ? named : (await runExportCheck(session, options.export, () => undefined)).suspects;
  return await runCheck(session, checkOptions({ ...options, source }), {
    ...{ resume, gathered, named, onFinding },
    // Reconcile records that a consumer silently gave up on. Otherwise, the position would stop at them, and no finding
    // would be confirmed.
    sweeps: repair === true && dryRun !== true,
    command: commandText('check', {
      ...{ repair: repair || undefined, dryRun: dryRun || undefined, source: named },
      segment: segment && `${segment.segment + 1}/${segment.segments}`,
      sample: sample === undefined ? undefined : `${Number((sample * 100).toPrecision(12))}%`,
    }),
    // Only a plan shows all actions.
    onRepair: (action) => {
      if (dryRun === true || action.startsWith('cannot')) gathered.addAction(action);
    },
  });
}

function isOfExport(options: CommandOptions): boolean {
  return options.export !== undefined && options.confirm !== true;
}

function refuseIgnored(options: CommandOptions): void {
  const given: Readonly<Record<string, unknown>> = { ...options };
  if (options.source !== undefined) refuseBeside('--source', given, ['segment', 'segments', 'sample', 'dangling']);
  if (options.sample !== undefined) refuseBeside('--sample', given, ['segment', 'segments', 'dangling']);
  if (options.segment !== undefined) refuseBeside('--segment', given, ['segments', 'dangling']);
  if (options.export === undefined) refuseWithout('--export', given, ['confirm']);
  else refuseBeside('--export', given, ['source', 'segment', 'segments', 'sample', 'resume']);
  if (options.repair !== true) refuseWithout('--repair', given, ['dryRun']);
}

function colorOf(line: string): Color | undefined {
  if (line.startsWith('drift: ')) return line.startsWith(driftText(noVerdicts())) ? 'green' : 'red';
  const verdict = VERDICT_NAMES.find((name) => line.startsWith(`${name} `));
  return verdict && (isDrift(verdict) ? 'red' : 'yellow');
}

function isWholeTable({ source, segment, sample, dryRun, ...options }: CommandOptions): boolean {
  return [source, segment, sample, options.export].every((one) => one === undefined) && dryRun !== true;
}

function looksForNodes({ source, segment, sample, resume, ...options }: CommandOptions): boolean {
  if (options.export !== undefined) return options.confirm !== true;
  return options.dangling === true && [source, segment, sample, resume].every((one) => one === undefined);
}

function confirmationMissing(): EdgeloomError {
  return new EdgeloomError(
    'invalid-argument',
    '--repair cannot repair an export.',
    'Add --confirm: it looks up in the live table what differs in the export, and repairs it there.',
  );
}

async function runExportCheck(
  { graph }: CommandSession,
  folder: string,
  onFinding: (finding: Finding) => void,
): Promise<ExportCheckResult> {
  const progress = startProgress('items', 0);
  try {
    return await checkExport({ graph, folder, onFinding, onProgress: (items) => progress.update(items, items) });
  } finally {
    progress.stop();
  }
}

function checkOptions(options: CommandOptions): Partial<CheckOptions> {
  const { segment, sample, segments, source, grace, maxRcu, maxWcu, dangling } = options;
  const mode = options.dryRun === true ? 'plan' : options.repair === true ? 'repair' : 'report';
  return {
    mode,
    graceMs: grace,
    maxRcu,
    maxWcu,
    dangling,
    ...(segments !== undefined && { segments }),
    ...(segment !== undefined && { segments: segment.segments, onlySegments: [segment.segment] }),
    ...(sample !== undefined && sampleOptions(sample)),
    ...(source !== undefined && { sources: source }),
  };
}

const UNITS: Record<string, number> = { ms: 1, s: 1_000, m: 60_000 };

function parseDuration(text: string): number {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m)$/.exec(text);
  if (match === null) throw new InvalidArgumentError('It should be a time such as 500ms, 30s or 5m.');
  return Number(match[1]) * UNITS[match[2]!]!;
}

/** Parses `k/n`. `k` counts from 1, `segment` from 0. */
function parseSegment(text: string): { segment: number; segments: number } {
  const match = /^(\d+)\/(\d+)$/.exec(text);
  const [segment, segments] = [Number(match?.[1]), Number(match?.[2])];
  if (match === null || segment < 1 || segment > segments) {
    throw new InvalidArgumentError('It should be k/n, the k-th of n parts, such as 1/4.');
  }
  return { segment: segment - 1, segments };
}

function parseShare(text: string): number {
  const match = /^(\d+(?:\.\d+)?)%$/.exec(text);
  const fraction = Number(match?.[1]) / 100;
  if (!(fraction > 0 && fraction <= 1)) throw new InvalidArgumentError('It should be a share such as 1%.');
  return fraction;
}
