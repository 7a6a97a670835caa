import type { Command } from 'commander';
import { startFeed } from '../../../../src/client/feed/start-feed.ts';
import type { InboundOfWatch, SearchOfWatch } from '../../../../src/client/feed/watch.ts';
import type { WatchEvent } from '../../../../src/client/feed/watch-types.ts';
import { checkSource } from '../../../../src/client/read/request/lookup.ts';
import type { EdgeResult, SearchResult, View } from '../../../../src/client/read/request/result.ts';
import { countText } from '../../../../src/foundation/figure.ts';
import { printable } from '../../../../src/foundation/printable.ts';
import { isLoopback } from '../../../../src/store/client/options.ts';
import { createStreamsClient } from '../../../../src/store/client.ts';
import {
  examples,
  filterOf,
  type OrderedOptions,
  orderedQuery,
  wholeNumber,
  withFilter,
  withOrder,
  withPredicates,
  withReverse,
} from '../../shared/options.ts';
import { type Color, cellText, print } from '../../shared/output.ts';
import { type CommandSession, withSession } from '../../shared/session.ts';
import type { Settings } from '../../shared/settings.ts';
import { createStopSignal } from '../../shared/signals.ts';
import { sessionReader } from '../../shared/table-session.ts';
import { elementText } from './get.ts';
import { onePredicate, type SearchFlags } from './search.ts';

type Watched = EdgeResult | SearchResult | View | null;
type Reader = ReturnType<typeof sessionReader>;
type Watch = (reader: Reader, signal: AbortSignal) => AsyncIterable<WatchEvent<Watched>>;

const HELP = `
A line for each row of the list as it is, then one for each change: + comes in, - goes, ~ has other attributes, each with its index in the list.
A row that has moved goes and comes in. With --json each event is one line of JSON, as reader.watch gives it.

A change is shown once it is projected: in seconds where the consumer is a process or a function on the stream, up to a minute later where
it runs on a schedule. The command reads the stream of the table itself. DynamoDB advises at most two readers for each shard, and the
consumer is one of them: on a busy table let no second command or process watch.

Rights: dynamodb:DescribeTable, Query, GetItem, BatchGetItem on the table and its indexes; DescribeStream, GetShardIterator, GetRecords on its stream.
`;

export function watchCommand(command: Command): void {
  command.addHelpText(
    'after',
    HELP +
      examples(
        'watch inbound USER-U1 GOALMEMBERSHIP --at-least CONTRIBUTOR --limit 10',
        'watch search USER.name --prefix Te',
        'watch get GOAL-G1 USER-U1 --json',
      ),
  );
  withLimit(withOrder(command.command('inbound')))
    .description("list a node's incoming edges of one type, in an order of the model")
    .argument('<id>', 'id of the target node, such as USER-U1')
    .argument('<type>', 'edge type, such as GOALMEMBERSHIP')
    .addHelpText('after', examples('watch inbound USER-U1 GOALMEMBERSHIP --where memberRole=LEAD'))
    .action(
      watching((_, id: string, type: string, options: OrderedOptions) => {
        const { cursor: _cursor, ...query } = orderedQuery(options);
        return (reader, signal) => reader.watch({ inbound: [id, type], ...(query as InboundOfWatch) }, { signal });
      }),
    );
  withReverse(withLimit(withFilter(withPredicates(command.command('search')))))
    .description('watch the hits of a search')
    .argument('<search>', 'search attribute, such as USER.name')
    .addHelpText('after', examples('watch search GOAL.dueDate --from 2026-01-01 --limit 20'))
    .action(
      watching((_, search: string, options: SearchFlags) => {
        const { partition, limit, reverse } = options;
        const query = { partition, limit, reverse, ...filterOf(options) } as SearchOfWatch;
        return (reader, signal) => reader.watch({ search, ...onePredicate(options), ...query }, { signal });
      }),
    );
  command
    .command('get')
    .description('watch nodes, with their attributes and edge sets')
    .argument('<id...>', 'node ids, such as USER-U1')
    .addHelpText('after', examples('watch get GOAL-G1 GOAL-G2'))
    .action(
      watching(({ graph }, ids: string[]) => {
        for (const id of ids) checkSource(graph, id);
        return (reader, signal) => reader.watch({ views: ids }, { signal });
      }),
    );
}

function withLimit(command: Command): Command {
  return command.option('--limit <n>', 'number of rows to watch (default: 100)', wholeNumber);
}

function watching<Args extends unknown[]>(watchOf: (session: CommandSession, ...args: Args) => Watch) {
  return withSession(async (session, ...args: Args) => {
    const { client, settings } = session;
    const streams = createStreamsClient(settings.client);
    const { signal, release } = createStopSignal();
    try {
      const watch = watchOf(session, ...args);
      const { feed, stop } = await startFeed(session.graph, { client, streams });
      try {
        noteReader(session);
        await printEvents(watch(sessionReader(session, feed), signal), settings);
      } finally {
        await stop();
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      release();
      streams.destroy();
    }
  });
}

function noteReader({ settings, graph }: CommandSession): void {
  const isOwn = isLoopback(settings.client.endpoint);
  const note = `It reads the stream of ${graph.table.name} as one reader more: DynamoDB advises two for each shard, and the consumer is one.\n`;
  process.stderr.write(`${isOwn ? '' : note}Ctrl-C stops\n`);
}

async function printEvents(events: AsyncIterable<WatchEvent<Watched>>, settings: Settings): Promise<void> {
  for await (const event of events) {
    const color = COLOR_OF[event.type];
    print({ json: event, text: textOf(event), ...(color && { colorOf: () => color }) }, settings.json);
  }
}

const COLOR_OF: Readonly<Partial<Record<WatchEvent['type'], Color>>> = {
  ...{ enter: 'green', leave: 'red', change: 'yellow' },
};
const SIGNS = { enter: '+', leave: '-', change: '~' } as const;

function textOf(event: WatchEvent<Watched>): string {
  if (event.type !== 'page') return `${SIGNS[event.type]} ${event.at} ${rowText(event.item)}`;
  const rows = event.items.map((item, at) => `  ${at} ${rowText(item)}`);
  return [countText(event.items.length, 'row'), ...rows].join('\n');
}

function rowText(item: Watched): string {
  if (item === null) return '(not found)';
  if ('source' in item) return `${printable(item.source)} ${cellText(item.attributes)}`;
  if ('value' in item) return `${printable(item.id)} ${cellText(item.value)} ${cellText(item.attributes)}`;
  const { id, attributes, edgeSet } = item;
  const elements = edgeSet.map((element) => `-> ${elementText(element)}`);
  return [printable(id), ...(attributes === null ? [] : [cellText(attributes)]), ...elements].join(' ');
}
