import type { Command } from 'commander';
import { migrate } from '../../../migrate/migrate.ts';
import { createTable, deleteTable, describeTable, type TableStatus, tableIdentity } from '../../../store/table.ts';
import { examples } from '../../session/options.ts';
import type { Output } from '../../session/output.ts';
import { inSession } from '../../session/session.ts';

/** `edgeloom table create|describe|delete`. */
export function tableCommand(program: Command): void {
  const table = program.command('table').description("create, describe or delete the model's table");
  table
    .command('create')
    .description('create the table with its stream, TTL and the indexes that the model needs')
    .addHelpText('after', examples('table create', 'table create --endpoint http://127.0.0.1:8000'))
    .action(
      inSession(async ({ client, graph, store }) => {
        const status = await createTable(client, graph);
        // Nothing is in it yet, so that all of the model is ready.
        await migrate({ graph, store, isEmpty: true, ...(await tableIdentity(client, graph)) });
        return output(status);
      }),
    );
  table
    .command('describe')
    .description('show status, indexes and stream')
    .addHelpText('after', examples('table describe --json'))
    .action(inSession(async ({ client, graph }) => output(await describeTable(client, graph))));
  table
    .command('delete')
    .description('delete the table and everything in it')
    .addHelpText('after', examples('table delete --table records-test'))
    .action(inSession(async ({ client, graph }) => output(await deleteTable(client, graph))));
}

function output(status: TableStatus): Output {
  const { table, indexes, streamArn } = status;
  const lines = [
    `table:   ${table}`,
    `status:  ${status.status}`,
    `indexes: ${indexes.join(', ') || 'none'}`,
    `stream:  ${streamArn ?? 'none'}`,
    ...status.lacks.map((lack) => `lacks:   ${lack}, which the model needs`),
  ];
  return { json: { ...status, streamArn: streamArn ?? null }, text: lines.join('\n') };
}
