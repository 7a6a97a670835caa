import type { Command } from 'commander';
import { createTable, deleteTable, describeTable, type TableStatus } from '../../../store/table.ts';
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
    .action(inSession(async ({ client, graph }) => output(await createTable(client, graph))));
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
