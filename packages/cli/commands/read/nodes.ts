import type { Command } from 'commander';
import { examples, type PagingFlags, withPaging } from '../../shared/options.ts';
import { textTable } from '../../shared/output.ts';
import { inTable, sessionReader } from '../../shared/table.ts';
import { cursorLine } from './edges.ts';

/** `edgeloom nodes TYPE`: all nodes of a type with `list: true`. */
export function nodesCommand(command: Command): void {
  withPaging(command)
    .argument('<type>', 'node type, such as GOAL')
    .option('--reverse', 'descending')
    .addHelpText('after', examples('nodes GOAL', 'nodes GOAL --limit 10 --json'))
    .action(
      inTable(async (session, type: string, { limit, cursor, reverse }: PagingFlags) => {
        const page = await sessionReader(session).nodes(type, { limit, cursor, reverse });
        const rows = page.items.map(({ id, attributes }) => [id, attributes]);
        return { json: page, text: textTable(['id', 'attributes'], rows) + cursorLine(page.cursor) };
      }),
    );
}
