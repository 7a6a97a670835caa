import { type Command, Option } from 'commander';
import { examples } from '../../shared/options.ts';
import { sessionReader } from '../../shared/table-session.ts';
import { type Bind, printing } from './answer.ts';

interface TotalDocument {
  count: number;
  groups: Record<string, Record<string, number>>;
  [sum: string]: unknown;
}

export function totalCommand(command: Command, bind: Bind = printing): void {
  command
    .argument('<id>', 'node id, such as PROJECT-P1')
    .argument('<type>', 'edge type')
    .addOption(
      new Option('--direction <direction>', 'direction of the edges, if the type has totals of both').choices([
        'inbound',
        'outgoing',
      ]),
    )
    .addHelpText('after', examples('total PROJECT-P1 WORKED_ON', 'total PROJECT-P1 WORKED_ON --json'))
    .action(
      bind(async (session, id: string, edgeType: string, { direction }: { direction?: 'inbound' | 'outgoing' }) => {
        const total = await sessionReader(session).total(id, edgeType, { direction });
        const { groups: found, ...numbers } = total;
        const lines = Object.entries(numbers).map(([name, value]) => `${name} ${value}`);
        for (const [group, values] of Object.entries(found)) {
          for (const [value, edges] of Object.entries(values)) lines.push(`${group} ${value} ${edges}`);
        }
        return { json: total as TotalDocument, text: lines.join('\n') };
      }),
    );
}
