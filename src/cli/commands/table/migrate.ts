import type { Command } from 'commander';
import { EdgeloomError } from '../../../errors.ts';
import { figure } from '../../../figure.ts';
import { migrate } from '../../../migrate/migrate.ts';
import type { MigrateOptions, MigrateStep } from '../../../migrate/migrate-types.ts';
import type { MigrateAction } from '../../../migrate/next-step.ts';
import { modelNotice } from '../../../migrate/notice.ts';
import { MeteredStore } from '../../../store/metered.ts';
import { serverTime, tableIdentity } from '../../../store/table.ts';
import { askToConfirm } from '../../session/ask-to-confirm.ts';
import { examples, wholeNumber } from '../../session/options.ts';

import { inSession } from '../../session/session.ts';

interface CommandOptions {
  dryRun?: boolean;
  yes?: boolean;
  withdraw?: string;
  retire?: string;
  drop?: string;
  maxWcu?: number;
}

/** Something is left to do. */
const LEFT = 1;

/** `edgeloom migrate`: brings the table to the model. */
export function migrateCommand(program: Command): void {
  program
    .command('migrate')
    .description(
      'bring the table to the model, step by step, beside live traffic: what is new is built and verified before readers use it',
    )
    .option('--dry-run', 'show what would be done')
    .option('--yes', 'do it without asking')
    .option('--withdraw <name>', 'take the newest generation of a projection away again, from ready back to absent')
    .option('--retire <name>', 'take away what other models mean by a projection, once their readers are gone')
    .option('--drop <name>', 'take a projection away for good, with its last generation')
    .option('--max-wcu <n>', 'write capacity units a second at most', wholeNumber)
    .addHelpText(
      'after',
      examples('migrate --dry-run', 'migrate --yes --max-wcu 200', 'migrate --yes --retire inbound:GOALMEMBERSHIP'),
    )
    .action(
      inSession(async (session, options: CommandOptions) => {
        const { graph, client } = session;
        const action = actionOf(options);
        const { changes } = await modelNotice(graph, session.store);
        const plan = [...changes, ...(action === undefined ? [] : [`${action.kind} ${action.name}`])];
        const { maxWcu } = options;
        const run: MigrateOptions = {
          ...{ graph, store: new MeteredStore(session.store, { maxWcu }) },
          ...(await tableIdentity(client, graph)),
          ...(action && { action }),
          serverTime: () => serverTime(client, graph),
          onStep: (step) => {
            if (!session.settings.json) process.stderr.write(`${stepText(step)}\n`);
          },
        };
        const isLook = options.dryRun === true;
        if (!isLook && plan.length > 0 && options.yes !== true) await askToConfirm(plan, 'Migrate?');
        const { steps, done, next } = await migrate({ ...run, ...(isLook && { mostSteps: 0 }) });
        if (!done) process.exitCode = LEFT;
        const text = isLook ? (plan.length === 0 && done ? 'nothing to do' : plan.join('\n')) : endText(steps, next);
        return { json: { steps, done, next }, text };
      }),
    );
}

function actionOf({ withdraw, retire, drop }: CommandOptions): MigrateAction | undefined {
  const given = Object.entries({ withdraw, retire, drop }).filter(([, name]) => name !== undefined);
  if (given.length > 1) {
    throw new EdgeloomError('usage', 'Give one of --withdraw, --retire and --drop.', 'Run the others after it.');
  }
  const [first] = given;
  return first && { kind: first[0] as MigrateAction['kind'], name: first[1]! };
}

function stepText({ step, projection, state, wcu, seconds }: MigrateStep): string {
  return `${step} ${projection}: ${state}; ${figure(wcu)} WCU, ${figure(seconds)} s`;
}

function endText(steps: readonly MigrateStep[], next: string): string {
  if (steps.length === 0 && next === '') return 'nothing to do';
  const wcu = steps.reduce((sum, step) => sum + step.wcu, 0);
  const text = `${steps.length} steps, ${figure(wcu)} WCU`;
  return next === '' ? `${text}; the table keeps everything as the model has it` : `${text}; next: ${next}`;
}
