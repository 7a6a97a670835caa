import type { Command } from 'commander';
import { modelCost } from '../../../cost/capacity.ts';
import { examples } from '../../session/options.ts';
import { textTable } from '../../session/output.ts';
import { inSession } from '../../session/session.ts';

/** `edgeloom cost`: what the model costs. */
export function costCommand(program: Command): void {
  program
    .command('cost')
    .description('show the capacity units of each put and query of the model; needs no table')
    .addHelpText('after', examples('cost', 'cost --json'))
    .action(
      inSession(async ({ graph }) => {
        const cost = modelCost(graph);
        const puts = cost.puts.map(({ type, kind, base, view, indexItems, reverseItem, total }) => [
          type,
          kind,
          base,
          view,
          indexItems,
          reverseItem,
          total,
        ]);
        const queries = cost.queries.map(({ query, calls, rcu }) => [query, calls, rcu]);
        const text = [
          textTable(['put', 'kind', 'base', 'view', 'index items', 'reverse', 'WCU'], puts),
          '',
          textTable(['query', 'calls', 'RCU'], queries),
          '',
          ...cost.puts.flatMap(({ type, fanOut = {} }) =>
            Object.entries(fanOut).map(
              ([edgeType, wcu]) =>
                `a change of what ${edgeType} copies of ${type} nodes: ${wcu} WCU more for each edge`,
            ),
          ),
          'in a transaction a base item costs 2 WCU in place of 1, and what is derived from it the same',
          `assumed: ${cost.assumptions}`,
        ];
        return { json: cost, text: text.join('\n') };
      }),
    );
}
