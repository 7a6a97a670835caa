import type { Command } from 'commander';
import { countText, figureText } from '../../../../src/foundation/figure.ts';
import { registerIfEmpty } from '../../../../src/migrate/register-empty.ts';
import {
  createTable,
  deleteTable,
  describeTable,
  serverTime,
  type TableStatus,
  tableIdentity,
} from '../../../../src/store/table-description.ts';
import { planTableUpdate, type TablePlan } from '../../../../src/store/table-update/plan.ts';
import { updateTable } from '../../../../src/store/table-update/update.ts';
import { askToConfirm } from '../../shared/ask-to-confirm.ts';
import { examples } from '../../shared/options.ts';
import { type CommandSession, inSession } from '../../shared/session.ts';
import { endingOnSignal } from '../../shared/signals.ts';
import { gapTexts } from '../../shared/unplaced.ts';

export function tableCommand(table: Command): void {
  table.addHelpText('after', examples('table create', 'table describe', 'table update --dry-run'));
  table
    .command('create')
    .description('create the table with its stream, TTL and indexes')
    .addHelpText('after', examples('table create', 'table create --endpoint http://127.0.0.1:8000'))
    .action(inSession((session) => endingOnSignal(FINISH, () => runTableCreate(session))));
  table
    .command('describe')
    .description("show the table's status, indexes and stream")
    .addHelpText('after', examples('table describe --json'))
    .action(inSession(async ({ client, graph }) => tableOutput(await describeTable(graph, { client }))));
  table
    .command('update')
    .description(
      'add what the table lacks for the model: the stream, indexes, TTL; exits with 1 if a native index leaves items out',
    )
    .option('--dry-run', 'show what would be added, and change nothing')
    .option('--ttl <attribute>', 'enable TTL by this attribute, although the table has items')
    .option('--yes', "don't ask for confirmation")
    .addHelpText('after', examples('table update --dry-run', 'table update --yes'))
    .action(
      inSession((session, options: UpdateFlags) => endingOnSignal(AGAIN, () => runTableUpdate(session, options))),
    );
  table
    .command('delete')
    .description('delete the table and everything in it')
    .option('--yes', "don't ask for confirmation")
    .addHelpText('after', examples('table delete --table records-test --yes'))
    .action(
      inSession((session, flags: { yes?: boolean }) => endingOnSignal(LOOK, () => runTableDelete(session, flags))),
    );
}

const FINISH = 'If the table exists by now, finish it with edgeloom table update, then edgeloom migrate.';
const LOOK = 'Look with edgeloom table describe whether the table is still there.';
const AGAIN = 'Run it again: it continues with what is left.';

interface UpdateFlags {
  dryRun?: boolean;
  yes?: boolean;
  ttl?: string;
}

async function runTableCreate({ client, graph, store }: CommandSession) {
  const status = await createTable(graph, { client });
  const identity = await tableIdentity(graph, { client });
  await registerIfEmpty({ graph, store, serverTime: () => serverTime(graph, { client }), ...identity });
  return tableOutput(status);
}

async function runTableDelete({ client, graph }: CommandSession, { yes }: { yes?: boolean }) {
  const items = `${graph.table.name} goes with everything in it; nothing brings it back but a backup.`;
  if (yes !== true) await askToConfirm([items], 'Delete the table?');
  return tableOutput(await deleteTable(graph, { client }));
}

const LACKING = 1;

async function runTableUpdate({ client, graph, settings }: CommandSession, options: UpdateFlags) {
  const { ttl } = options;
  const plan = await planTableUpdate(graph, { client, ttl });
  const { gaps = [], items = 0, isWhole = true } = plan.lookedFor ?? {};
  const lacking = gapTexts(gaps, isWhole ? '' : `among the first ${countText(items, 'item')}, `);
  if (gaps.length > 0) process.exitCode = LACKING;
  const lines = [...plan.texts, ...costText(plan), ...plan.left, ...lacking];
  if (options.dryRun === true || plan.steps.length === 0) {
    return { json: { ...plan, done: plan.steps.length === 0 }, text: lines.join('\n') || 'nothing to do' };
  }
  if (options.yes !== true) await askToConfirm(lines, 'Update the table?');
  await updateTable(graph, {
    client,
    ttl,
    onProgress: (step, status) => {
      if (!settings.json) process.stderr.write(`${step}: ${status}\n`);
    },
  });
  const { lacks } = await describeTable(graph, { client });
  return {
    json: { ...plan, done: true, lacks },
    text: [
      `${countText(plan.texts.length, 'step')}; the table has what the model needs`,
      ...plan.left,
      ...lacking,
    ].join('\n'),
  };
}

function costText({ steps, mostWcu }: TablePlan): string[] {
  if (mostWcu > 0) return [`at most ${figureText(mostWcu)} WCU for filling what is new`];
  const addsIndex = steps.some(({ kind }) => kind === 'index' || kind === 'native-index');
  return addsIndex ? ['an unknown number of WCU for filling what is new: DynamoDB reports no size for the table'] : [];
}

function tableOutput(status: TableStatus) {
  const { table, indexes, projections, streamArn } = status;
  const lines = [
    `table:   ${table}`,
    `status:  ${status.status}`,
    `indexes: ${indexes.map((name) => `${name} (${projections[name]})`).join(', ') || 'none'}`,
    `stream:  ${streamArn ?? 'none'}`,
    ...status.lacks.map((lack) => `lacks:   ${lack}, which the model needs`),
    ...status.filling.map((name) => `filling: ${name}; reads of it fail until DynamoDB has filled it`),
  ];
  return { json: { ...status, streamArn: streamArn ?? null }, text: lines.join('\n') };
}
