import type { Command } from 'commander';
import { examples, type PagingFlags, withPaging } from '../../shared/options.ts';
import { cellText, textTable } from '../../shared/output.ts';
import { inTable, sessionReader } from '../../shared/table.ts';

/** `edgeloom edges ID`: outgoing edges, read from the base items. */
export function edgesCommand(command: Command): void {
  withPaging(command)
    .argument('<id>', 'node id, such as GOAL-G1')
    .option('--type <type>', 'only this edge type')
    .option('--with-node', 'the node too, in the same Query')
    .addHelpText(
      'after',
      examples('edges GOAL-G1', 'edges GOAL-G1 --type GOALMEMBERSHIP --limit 10', 'edges GOAL-G1 --with-node'),
    )
    .action(
      inTable(async (session, id: string, options: EdgesOptions) => {
        const { type, limit, cursor, withNode = false } = options;
        if (withNode) {
          const types = type === undefined ? undefined : [type];
          const collection = await sessionReader(session).getCollection(id, { types, limit, cursor });
          return { json: collection, text: `${nodeLine(id, collection.node)}${edgeTable(collection)}` };
        }
        const page = await sessionReader(session).edges(id, type, { limit, cursor });
        return { json: page, text: edgeTable(page) };
      }),
    );
}

/** Options of the command. */
interface EdgesOptions extends PagingFlags {
  type?: string;
  withNode?: boolean;
}

/** The node before its edges; nothing on later pages. */
function nodeLine(id: string, node: { attributes: unknown } | null | undefined): string {
  if (node === undefined) return '';
  return node === null ? `${id}  (not found)\n` : `${id}  ${cellText(node.attributes)}\n`;
}

/** A page of edges as a table. */
export function edgeTable(page: {
  items: readonly { source: string; type: string; target: string; attributes: unknown }[];
  cursor?: string;
}): string {
  const rows = page.items.map(({ source, type, target, attributes }) => [source, type, target, attributes]);
  return textTable(['source', 'type', 'target', 'attributes'], rows) + cursorLine(page.cursor);
}

/** How to go on, where something remains. */
export function cursorLine(cursor: string | undefined): string {
  return cursor === undefined ? '' : `\nmore: --cursor ${cursor}`;
}
