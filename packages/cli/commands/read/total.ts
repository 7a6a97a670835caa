import type { Command } from 'commander';
import { examples } from '../../shared/options.ts';
import { inTable, sessionReader } from '../../shared/table.ts';

/** `edgeloom total ID TYPE`: the sums and groups of a node's edges of a type. */
export function totalCommand(command: Command): void {
  command
    .argument('<id>', 'node id, such as PROJECT-P1')
    .argument('<type>', 'edge type')
    .option('--in', 'the edges that enter the node, where the type has totals of both')
    .option('--out', 'the edges that leave the node')
    .option('--no-group-by', 'without the groups')
    .addHelpText('after', examples('total PROJECT-P1 WORKED_ON', 'total PROJECT-P1 WORKED_ON --no-group-by --json'))
    .action(
      inTable(
        async (session, id: string, edgeType: string, options: { in?: boolean; out?: boolean; groupBy: boolean }) => {
          const direction = options.in === true ? 'inbound' : options.out === true ? 'outgoing' : undefined;
          const total = await sessionReader(session).total(id, edgeType, { direction, groupBy: options.groupBy });
          const { groupBy, ...numbers } = total;
          const lines = Object.entries(numbers).map(([name, value]) => `${name} ${value}`);
          for (const [group, values] of Object.entries(groupBy)) {
            for (const [value, edges] of Object.entries(values)) lines.push(`${group} ${value} ${edges}`);
          }
          return { json: total, text: lines.join('\n') };
        },
      ),
    );
}
