import type { Command } from 'commander';
import { edgePage } from './edges.ts';
import { examples, type PageOptions, withPaging } from './options.ts';
import { inSession, sessionReader } from './session.ts';

interface InboundOptions extends PageOptions {
  atLeast?: string;
  equals?: string;
  from?: string;
  to?: string;
  order?: string;
}

/** `edgeloom inbound TYPE ID`: incoming edges in an order of the model. */
export function inboundCommand(program: Command): void {
  withPaging(program.command('inbound'))
    .description("list a node's incoming edges of one type, in a declared order")
    .argument('<type>', 'edge type, such as GOALMEMBERSHIP')
    .argument('<id>', 'id of the target node, such as USER-U1')
    .option('--at-least <label>', 'rank of this label or higher')
    .option('--equals <label>', 'exactly this label or value')
    .option('--from <value>', 'values from this on, inclusive')
    .option('--to <value>', 'values up to this, inclusive')
    .option('--order <order>', 'gsi0, gsi1 or the name of another order of the model (default: gsi0)')
    .option('--reverse', 'descending')
    .addHelpText(
      'after',
      examples(
        'inbound GOALMEMBERSHIP USER-U1 --at-least CONTRIBUTOR',
        'inbound GOALMEMBERSHIP USER-U1 --order byPriority --reverse',
        'inbound GOALMEMBERSHIP USER-U1 --order gsi1 --from 2020-07-01 --reverse',
      ),
    )
    .action(
      inSession(async (session, type: string, id: string, options: InboundOptions) => {
        const { atLeast, equals, from, to, order, reverse, limit, cursor } = options;
        const query = { atLeast, equals, from, to, order, reverse, limit, cursor };
        const page = await sessionReader(session).inbound(type, id, query);
        return { json: page, text: edgePage(page) };
      }),
    );
}
