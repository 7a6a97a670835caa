import type { Command } from 'commander';
import type { SearchPredicate } from '../../../../src/client/read/lists/search-query.ts';
import { findSearch } from '../../../../src/client/read/request/lookup.ts';
import { EdgeloomError } from '../../../../src/foundation/errors.ts';
import { countText, figureText } from '../../../../src/foundation/figure.ts';
import { shardAdvice } from '../../../cost/shards.ts';
import {
  examples,
  type FilterFlags,
  filterOf,
  type PagingFlags,
  type PredicateOptions,
  refuseBeside,
  withFilter,
  withPaging,
  withPredicates,
  withReverse,
} from '../../shared/options.ts';
import { shardsOfSearch } from '../../shared/price.ts';
import { sessionReader } from '../../shared/table-session.ts';
import { parseRate } from '../table/cost.ts';
import { type Bind, pageTable, printing, type ReadSession } from './answer.ts';

export function searchCommand(command: Command, bind: Bind = printing): void {
  withReverse(withFilter(withPaging(withPredicates(command))))
    .argument('<search>', 'search attribute, such as USER.name')
    .option('--shards', 'show how evenly the search items are distributed over the shards, instead of nodes')
    .option(
      '--rate <n/s>',
      'with --shards: how many values change a second (/s), minute (/min), hour (/h) or day (/d)',
      parseRate,
    )
    .addHelpText(
      'after',
      examples(
        'search USER.name --equals Terui',
        'search USER.name --prefix Ter',
        'search GOAL.dueDate --where status=OPEN --limit 20',
        'search STORE.location --path CA --path "San Jose" --partition US',
        'search STORE.location --path CA --prefix San --partition US',
        'search GOAL.dueDate --from 2026-01-01 --to 2026-12-31',
        'search USER.name --shards --rate 500/s',
      ),
    )
    .action(
      bind(async (session, name: string, options: SearchFlags & { shards?: boolean; rate?: number }) => {
        const { partition, limit, cursor, reverse, includeExpired, shards = false, rate } = options;
        if (shards) {
          refuseBeside('--shards', { ...options }, [
            'equals',
            'prefix',
            'from',
            'to',
            'path',
            'where',
            'maxRcu',
            'limit',
            'cursor',
            'reverse',
            'includeExpired',
          ]);
          return await spread(session, name, { partition, rate });
        }
        if (rate !== undefined) throw new EdgeloomError('usage', '--rate is about shards.', 'Give --shards with it.');
        const search = sessionReader(session).search(name);
        const query = { partition, limit, cursor, reverse, includeExpired, ...filterOf(options) };
        const predicate = onePredicate(options);
        session.announce({ shards: shardsOfSearch(session.graph, name, predicate, partition) });
        const page = await search.find(predicate, query);
        const rows = page.items.map(({ id, value, attributes }) => [id, value, attributes]);
        return {
          json: page,
          text: pageTable('nodes', ['id', 'value', 'attributes'], rows, page.cursor),
          found: page.items.map(({ id }) => id),
        };
      }),
    );
}

export type SearchFlags = PredicateOptions & PagingFlags & FilterFlags;

export function onePredicate({ equals, prefix, from, to, path }: PredicateOptions): SearchPredicate {
  const given = [equals, prefix, from ?? to].filter((value) => value !== undefined).length;
  if (given > 1 || (equals !== undefined && path !== undefined)) {
    throw new EdgeloomError(
      'usage',
      'Only one of --equals, --prefix and --from/--to can be given, the last two also with --path.',
      'Keep one: a range is --from, --to or both.',
    );
  }
  if (equals !== undefined) return { equals };
  if (path !== undefined) return prefix === undefined ? { path, between: [from, to] } : { path, beginsWith: prefix };
  return prefix === undefined ? { between: [from, to] } : { beginsWith: prefix };
}

async function spread(
  session: ReadSession,
  name: string,
  { partition, rate }: { partition: string | undefined; rate: number | undefined },
) {
  session.announce({ shards: shardsOfSearch(session.graph, name, {}, partition) });
  const result = await sessionReader(session).shards(name, { partition });
  const { shards, items, hottest, empty, hash } = result;
  const lines = [
    `${countText(items, 'item')} over ${countText(shards, 'shard')} by ${hash}; ${empty} empty`,
    items === 0
      ? 'most items: none, as all shards are empty'
      : `most items: shard ${hottest.shard} with ${figureText(hottest.share * 100)} % (even would be ${figureText(100 / shards)} %)`,
  ];
  // With fewer items per shard, an imbalance may be chance.
  if (items >= shards * 10 && hottest.share * shards > 5) {
    lines.push(
      'warning: one shard has far more items than others; use hash fnv1a, or shardBy source where the values themselves are skewed',
    );
  }
  // `shards` refuses a search without numbered shards.
  const advice = shardAdvice(findSearch(session.graph, name), { putsPerSecond: rate, hottestShare: hottest.share })!;
  const { needed, putsPerSecond, rangeCalls, rangeRcu, warning } = advice;
  lines.push(
    `as it is spread, ${countText(putsPerSecond, 'change')} a second; a range takes ${countText(rangeCalls, 'call')} and ${figureText(rangeRcu)} RCU`,
    ...(needed === undefined ? [] : [`this rate needs ${countText(needed, 'shard')}`]),
    ...(warning === undefined ? [] : [`warning: ${warning}`]),
  );
  return { json: { ...result, ...advice }, text: lines.join('\n') };
}
