import type { Command } from 'commander';
import { checkLimit } from '../../../../src/client/read/request/read-context.ts';
import { printable } from '../../../../src/foundation/printable.ts';
import {
  examples,
  type OrderedOptions,
  orderedQuery,
  type PagingFlags,
  withOrder,
  withPaging,
  withReverse,
} from '../../shared/options.ts';
import { cellText } from '../../shared/output.ts';
import { shardsOfList } from '../../shared/price.ts';
import { sessionReader } from '../../shared/table-session.ts';
import { type Bind, edgeTable, pageTable, printing } from './answer.ts';
import { addPage } from './page.ts';

interface InboundFlags extends OrderedOptions {
  includeTarget?: boolean;
}

export function listCommand(command: Command, bind: Bind = printing): void {
  command.addHelpText(
    'after',
    examples(
      'list nodes GOAL',
      'list edges GOAL-G1',
      'list inbound USER-U1 GOALMEMBERSHIP',
      'list page TEAM-T1 GOALMEMBERSHIP',
    ),
  );
  addNodes(command.command('nodes'), bind);
  addEdges(command.command('edges'), bind);
  addInbound(command.command('inbound'), bind);
  addPage(command.command('page'), bind);
}

function addNodes(command: Command, bind: Bind): void {
  withReverse(withPaging(command))
    .description('list all nodes of a type by id; the type needs list: true in the model')
    .argument('<type>', 'node type, such as GOAL')
    .addHelpText('after', examples('list nodes GOAL', 'list nodes GOAL --limit 10 --json'))
    .action(
      bind(async (session, type: string, { limit, cursor, reverse, includeExpired }: PagingFlags) => {
        session.announce({ nodes: checkLimit(limit) });
        const page = await sessionReader(session).nodes(type, { limit, cursor, reverse, includeExpired });
        const rows = page.items.map(({ id, attributes }) => [id, attributes]);
        return {
          json: page,
          text: pageTable('nodes', ['id', 'attributes'], rows, page.cursor),
          found: page.items.map(({ id }) => id),
        };
      }),
    );
}

function addEdges(command: Command, bind: Bind): void {
  withPaging(command)
    .description("list a node's outgoing edges as they were written, of one type or all")
    .argument('<id>', 'node id, such as GOAL-G1')
    .argument('[type]', 'edge type (default: all)')
    .addHelpText('after', examples('list edges GOAL-G1', 'list edges GOAL-G1 GOALMEMBERSHIP --limit 10'))
    .action(
      bind(async (session, id: string, type: string | undefined, options: PagingFlags) => {
        const { limit, cursor, includeExpired } = options;
        const page = await sessionReader(session).edges(id, type, { limit, cursor, includeExpired });
        return { json: page, text: edgeTable(page), found: sourcesOf(page) };
      }),
    );
}

function addInbound(command: Command, bind: Bind): void {
  withOrder(withPaging(command))
    .description("list a node's incoming edges of one type, in an order of the model")
    .argument('<id>', 'id of the target node, such as USER-U1')
    .argument('<type>', 'edge type, such as GOALMEMBERSHIP')
    .option('--include-target', 'include the target node, for an edge type with includeTarget')
    .addHelpText(
      'after',
      examples(
        'list inbound USER-U1 GOALMEMBERSHIP --at-least CONTRIBUTOR',
        'list inbound USER-U1 GOALMEMBERSHIP --order byPriority --reverse',
        'list inbound PROJECT-1 IN_PROJECT --order byStatus --path open --partition acme',
        'list inbound USER-U1 GOALSUBSCRIBER --reverse --include-target',
        'list inbound USER-U1 GOALMEMBERSHIP --where memberRole=LEAD --max-rcu 10',
        'list inbound USER-U1 GOALMEMBERSHIP --order byDate --from 2020-07-01 --reverse',
      ),
    )
    .action(
      bind(async (session, id: string, type: string, options: InboundFlags) => {
        const query = { ...orderedQuery(options), includeTarget: options.includeTarget };
        session.announce({ shards: shardsOfList(session.graph, id, type, query) });
        const page = await sessionReader(session).inbound(id, type, query);
        return { json: page, text: targetLine(page.target) + edgeTable(page), found: sourcesOf(page) };
      }),
    );
}

function sourcesOf({ items }: { items: readonly { source: string }[] }): string[] {
  return items.map(({ source }) => source);
}

function targetLine(target: { id: string; attributes: unknown } | null | undefined): string {
  if (target === undefined) return '';
  return target === null
    ? 'target: no such node\n'
    : `target: ${printable(target.id)} ${cellText(target.attributes)}\n`;
}
