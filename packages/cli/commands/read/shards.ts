import type { Command } from 'commander';
import { findSearch } from '../../../../src/client/read/request/lookup.ts';
import { countText, figureText } from '../../../../src/foundation/figure.ts';
import { shardAdvice } from '../../../workbench/cost/shards.ts';
import { examples } from '../../shared/options.ts';
import { inTable, sessionReader } from '../../shared/table.ts';
import { parseRate } from '../table/cost.ts';

/** `edgeloom shards TYPE.attr`: how evenly a search is spread. */
export function shardsCommand(command: Command): void {
  command
    .argument('<search>', 'search attribute, such as USER.name')
    .option('--partition <value>', 'the partition, where the search declares one')
    .option('--rate <n/s>', 'nodes whose value changes a second (/s), minute (/min), hour (/h) or day (/d)', parseRate)
    .addHelpText('after', examples('shards USER.name', 'shards USER.name --rate 500/s'))
    .action(
      inTable(async (session, name: string, { partition, rate }: { partition?: string; rate?: number }) => {
        const spread = await sessionReader(session).shards(name, { partition });
        const { shards, items, hottest, empty, hash } = spread;
        const lines = [
          `${countText(items, 'item')} over ${countText(shards, 'shard')} by ${hash}; ${empty} empty`,
          `hottest: shard ${hottest.shard} with ${figureText(hottest.share * 100)} % (even would be ${figureText(100 / shards)} %)`,
        ];
        // Five times the even share on a body of items that is large enough for chance to have evened out.
        if (items >= shards * 10 && hottest.share * shards > 5) {
          lines.push(
            'warning: one shard is hot; use hash fnv1a, or shardBy source where the values themselves are skewed',
          );
        }
        const [advice] = shardAdvice(findSearch(session.graph, name), rate, hottest.share);
        if (advice !== undefined) {
          const { needed, putsPerSecond, rangeCalls, rangeRcu, warning } = advice;
          lines.push(
            `as it is spread, ${countText(putsPerSecond, 'change')} a second; a range takes ${countText(rangeCalls, 'call')} and ${figureText(rangeRcu)} RCU`,
            ...(needed === undefined ? [] : [`this rate needs ${countText(needed, 'shard')}`]),
            ...(warning === undefined ? [] : [`warning: ${warning}`]),
          );
        }
        return { json: { ...spread, ...advice }, text: lines.join('\n') };
      }),
    );
}
