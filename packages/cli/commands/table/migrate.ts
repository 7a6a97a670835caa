import type { Command } from 'commander';
import type { CompiledModel } from '../../../../src/core/model/compiled.ts';
import { type NativeGap, NativeGaps } from '../../../../src/core/model/native-misfits.ts';
import { EdgeloomError } from '../../../../src/foundation/errors.ts';
import { countText, figureText } from '../../../../src/foundation/figure.ts';
import type { MigrateAction } from '../../../../src/migrate/action.ts';
import { type MigrationPlan, planMigration } from '../../../../src/migrate/forecast/plan-migration.ts';
import { migrate } from '../../../../src/migrate/migrate.ts';
import type { MigrateOptions, MigrateResult, MigrateStep } from '../../../../src/migrate/migrate-types.ts';
import { itemsLeftOut, leftOutText } from '../../../../src/migrate/walks/left-out-items.ts';
import { walk } from '../../../../src/migrate/walks/walk.ts';
import { isLoopback } from '../../../../src/store/client/options.ts';
import { requireFit } from '../../../../src/store/key-types.ts';
import { MeteredStore, type RateOptions } from '../../../../src/store/metered.ts';
import { describeTable, serverTime, tableIdentity } from '../../../../src/store/table-description.ts';
import type { WalkedItem } from '../../../../src/store/table-walk.ts';
import { type UnplacedCount, UnplacedItems } from '../../../../src/trust/check/unplaced-items.ts';
import { askToConfirm } from '../../shared/ask-to-confirm.ts';
import { examples, type RateFlags, readRateOption, writeRateOption } from '../../shared/options.ts';
import { textTable } from '../../shared/output.ts';
import { secondsText } from '../../shared/progress-line.ts';
import { type CommandSession, inSession } from '../../shared/session.ts';
import { endingOnSignal } from '../../shared/signals.ts';
import { StepProgress } from '../../shared/step-progress.ts';
import { installedTelemetry } from '../../shared/telemetry.ts';
import { gapTexts, unplacedText } from '../../shared/unplaced.ts';

interface CommandOptions extends RateFlags {
  dryRun?: boolean;
  yes?: boolean;
  withdraw?: string;
  retire?: string;
  drop?: string;
  undo?: boolean;
  accept?: boolean;
  strict?: boolean;
}

const LEFT = 1;
const SILENT = { write: () => undefined };

export function migrateCommand(command: Command): void {
  command
    .option('--dry-run', 'show the steps and their cost, and change nothing')
    .option('--yes', "don't ask for confirmation")
    .option('--withdraw <name>', 'remove the newest generation of a projection')
    .option(
      '--retire <name>',
      'remove the generations of a projection that only other models use; wait until their readers are gone',
    )
    .option('--drop <name>', 'remove a projection with all of its generations')
    .option(
      '--undo',
      "remove everything that this model doesn't have, such as what a killed or rolled back migration has left",
    )
    .option('--accept', "continue although some items don't fit the new projection; readers then miss them")
    .addOption(readRateOption())
    .addOption(writeRateOption())
    .option(
      '--strict',
      'exit with 1 also if the table has items of types outside the model; reads the table if no step has',
    )
    .addHelpText(
      'after',
      examples(
        'migrate --dry-run',
        'migrate --yes --max-rcu 500 --max-wcu 200 --strict',
        'migrate --yes --retire inbound:GOALMEMBERSHIP',
        'migrate --yes --undo',
      ),
    )
    .action(
      inSession((session, options: CommandOptions) => endingOnSignal(GOES_ON, () => runMigration(session, options))),
    );
}

const GOES_ON = 'Run it again: it continues with the steps that are left. edgeloom migrate --dry-run lists them.';

async function runMigration(session: CommandSession, options: CommandOptions) {
  const { dryRun = false, yes = false, strict = false, undo = false, accept = false } = options;
  const { plan, going, lines, announced, rates, known } = await planOf(session, options);
  const isIdle = plan.steps.length === 0 && going.length === 0;
  if (!dryRun && !accept && plan.leftOut !== undefined) throw itemsLeftOut(plan.leftOut);
  if (!dryRun && !isIdle && !yes) await askToConfirm(lines, 'Migrate?');
  const store = new MeteredStore(session.store, rates);
  const progress = new StepProgress(plan.estimate.items, session.settings.json ? SILENT : process.stderr);
  if (!dryRun && yes) for (const line of announced) progress.printLine(line);
  const walked = new WalkedItems(session);
  const run: MigrateOptions = {
    store,
    ...known,
    acceptLeftOut: accept,
    telemetry: await installedTelemetry(),
    serverTime: () => serverTime(session.graph, { client: session.client }),
    onWait: ({ message }, milliseconds) =>
      progress.printLine(`waiting ${secondsText(milliseconds / 1000)}: ${message}`),
    onStep: (step) => progress.printLine(stepText(step)),
    onProgress: (items, phase) => progress.noteFigures({ phase, items, rcu: store.rcu, wcu: store.wcu }),
    onItems: (items, name) => walked.addItems(items, name),
  };
  const result = await migrateAll(session.graph, run, dryRun, going);
  const { steps, done, next, leftovers } = result;
  const counted = dryRun ? undefined : await walked.count(strict && done ? store : undefined);
  const unplaced = dryRun ? plan.unplaced : counted?.unplaced;
  const gaps = counted?.gaps ?? plan.gaps;
  const isLeft = dryRun ? going.length > 0 : undo && leftovers.length > 0;
  const isLeftOut = dryRun && !accept && plan.leftOut !== undefined;
  const hasAliens = strict && (unplaced?.items ?? 0) > 0;
  if (!done || isLeft || isLeftOut || hasAliens || gaps.length > 0) process.exitCode = LEFT;
  const { cost, estimate, changes, warnings, leftOut = null } = plan;
  const isSampled = !estimate.isExact && counted === undefined;
  const about = isSampled ? `among ${countText(estimate.sampled, 'item')}, ` : '';
  const texts = [
    ...(leftOut === null ? [] : [leftOutText(leftOut, estimate.isExact ? '' : 'about ')]),
    ...(isLeftOut
      ? ['migrate stops for them; --accept goes on without them; --json names each item that was read']
      : []),
    ...gapTexts(gaps, about),
    ...(dryRun ? lines : [endText(steps, next, plan), ...leftoverText(leftovers)]),
    ...unplacedText(unplaced ?? NONE, about),
  ];
  return {
    json: {
      ...{ steps, done, next, leftovers, plan: { changes, warnings, steps: plan.steps, cost, estimate } },
      unplaced: unplaced ?? null,
      gaps,
      leftOut,
    },
    text: texts.join('\n'),
  };
}

async function planOf(
  { graph, client, store, settings }: CommandSession,
  { maxRcu, maxWcu, undo, ...actions }: CommandOptions,
) {
  const action = actionOf({ undo, ...actions });
  const status = await describeTable(graph, { client });
  // An action may remove the very thing that doesn't fit, so only migrations without one are checked.
  if (action === undefined) requireFit(status);
  const { itemCount, sizeBytes } = status;
  const rates = { maxRcu, maxWcu };
  const known = {
    ...(await tableIdentity(graph, { client })),
    ...(action && { action }),
    lateWritesMs: isLoopback(settings.client.endpoint) ? 0 : undefined,
  };
  const plan = await planMigration({ graph, store, itemCount, sizeBytes, ...rates, ...known });
  const going = undo === true ? plan.leftovers : [];
  const isIdle = plan.steps.length === 0 && going.length === 0;
  const lines = [
    ...(plan.steps.length === 0 && going.length > 0 ? [] : planText(plan, action, rates)),
    ...goingLines(going),
    ...readersWarning(going[0]),
    ...comesBackText(plan),
    ...(isIdle ? leftoverText(plan.leftovers) : []),
  ];
  const warnings = plan.warnings.map((warning) => `warning: ${warning}`);
  const ofSteps = plan.steps.length > 0 ? [...warnings, costText(plan, rates)] : [];
  const announced = [...ofSteps, ...goingLines(going), ...readersWarning(action ?? going[0])];
  return { plan, going, lines, announced, rates, known };
}

function goingLines(going: readonly MigrateAction[]): string[] {
  return going.map(({ kind, name }) => `${kind} ${name}`);
}

const NONE: UnplacedCount = { items: 0, forms: [], others: 0 };
const SEGMENTS = 4;

/** Counts items of unknown types and gaps of native lists. Every walk sees all items, so only the last walk counts. */
class WalkedItems {
  private walk: string | undefined;
  private unplaced: UnplacedItems;
  private native: NativeGaps;

  constructor(private readonly session: Pick<CommandSession, 'graph'>) {
    this.unplaced = new UnplacedItems(session.graph);
    this.native = new NativeGaps(session.graph);
  }

  addItems(items: readonly WalkedItem[], walk: string): void {
    if (walk !== this.walk) {
      this.unplaced = new UnplacedItems(this.session.graph);
      this.native = new NativeGaps(this.session.graph);
    }
    this.walk = walk;
    for (const { source, target, item } of items) {
      this.unplaced.addItem({ source, target }, item);
      this.native.addItem({ source, target }, item);
    }
  }

  /** Walks `store` if no step has read the table. Returns undefined if there was no walk. */
  async count(store: MeteredStore | undefined): Promise<{ unplaced: UnplacedCount; gaps: NativeGap[] } | undefined> {
    if (this.walk === undefined && store !== undefined) {
      const { graph } = this.session;
      const onVisited = (items: readonly WalkedItem[]): void => this.addItems(items, 'count');
      const stats = { rcu: 0 };
      await walk({ graph, store, stats, segments: SEGMENTS, isOver: () => false, onVisited }, async () => true);
      this.walk ??= 'count';
    }
    return this.walk === undefined ? undefined : { unplaced: this.unplaced.count, gaps: this.native.gaps };
  }
}

/**
 * Migrates, then removes the leftovers in `going`. Returns the leftovers that remain, because another model may have
 * added some.
 */
async function migrateAll(
  graph: CompiledModel,
  run: MigrateOptions,
  dryRun: boolean,
  going: readonly MigrateAction[],
): Promise<MigrateResult> {
  if (dryRun) return await migrate(graph, { ...run, mostSteps: 0 });
  const result = await migrate(graph, run);
  if (going.length === 0) return result;
  const undone = await migrate(graph, { ...run, action: going });
  return { ...undone, steps: [...result.steps, ...undone.steps] };
}

function actionOf({ withdraw, retire, drop, undo }: CommandOptions): MigrateAction | undefined {
  const given = Object.entries({ withdraw, retire, drop, undo }).filter(([, name]) => name !== undefined);
  if (given.length > 1) {
    throw new EdgeloomError(
      'usage',
      'Give one of --withdraw, --retire, --drop and --undo.',
      'Run the others after it.',
    );
  }
  const [first] = given.filter(([, name]) => typeof name === 'string') as [MigrateAction['kind'], string][];
  return first && { kind: first[0], name: first[1] };
}

function planText(plan: MigrationPlan, action: MigrateAction | undefined, rates: RateOptions): string[] {
  if (plan.steps.length === 0) return ['nothing to do'];
  const rows = plan.steps.map(({ step, projection, rcu, wcu, seconds }) => {
    return [step, projection || '-', figureText(rcu), figureText(wcu), secondsText(seconds)];
  });
  return [
    ...plan.changes,
    ...plan.warnings.map((warning) => `warning: ${warning}`),
    ...(action === undefined ? [] : [`${action.kind} ${action.name}`]),
    textTable(['step', 'of', 'about RCU', 'about WCU', 'about'], rows),
    costText(plan, rates),
    ...readersWarning(action),
  ];
}

function leftoverText(leftovers: readonly MigrateAction[]): string[] {
  if (leftovers.length === 0) return [];
  return [
    'the table also keeps what only other models have, and each write of these items pays for it:',
    ...leftovers.map(({ kind, name }) => `  edgeloom migrate --${kind} ${name}`),
    'all of it goes with edgeloom migrate --undo, once no reader of those models runs',
  ];
}

function readersWarning(action: MigrateAction | undefined): string[] {
  if (action === undefined || action.kind === 'withdraw') return [];
  return [
    'readers are not seen by this command: one that still means what goes gets projection-not-ready from now on; deploy them first',
  ];
}

function costText({ cost: { rcu, wcu, seconds }, estimate }: MigrationPlan, { maxRcu, maxWcu }: RateOptions): string {
  const { items, sampled, isExact } = estimate;
  const rates = [
    ...(maxRcu === undefined ? [] : [`${figureText(maxRcu)} RCU`]),
    ...(maxWcu === undefined ? [] : [`${figureText(maxWcu)} WCU`]),
  ];
  const pace = rates.length === 0 ? '' : ` at ${rates.join(' and ')} a second`;
  const basis = isExact
    ? `based on all ${countText(items, 'item')}`
    : `based on ${figureText(sampled)} of about ${countText(items, 'item')}`;
  return `estimate: ${figureText(rcu)} RCU, ${figureText(wcu)} WCU and ${secondsText(seconds)}${pace}; ${basis}`;
}

function stepText({ step, projection, state, rcu, wcu, seconds }: MigrateStep): string {
  const units = `${figureText(rcu)} RCU, ${figureText(wcu)} WCU`;
  return `${`${step} ${projection}`.trim()}: ${state}; ${units}, ${figureText(seconds)} s`;
}

function comesBackText({ comesBack }: MigrationPlan): string[] {
  if (comesBack === undefined) return [];
  return [
    `the model has ${comesBack}: the next edgeloom migrate builds it again; to be rid of it, take it out of the model`,
  ];
}

function endText(steps: readonly MigrateStep[], next: string, plan: MigrationPlan): string {
  if (steps.length === 0 && next === '') return 'nothing to do';
  const sum = (units: 'rcu' | 'wcu'): string => figureText(steps.reduce((all, step) => all + step[units], 0));
  const text = `${countText(steps.length, 'step')}, ${sum('rcu')} RCU, ${sum('wcu')} WCU`;
  if (next !== '') return `${text}; next: ${next}`;
  return [
    text,
    ...(plan.comesBack === undefined ? ['the table now has everything that the model defines'] : comesBackText(plan)),
  ].join('; ');
}
