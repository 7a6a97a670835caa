import type { Command } from 'commander';
import type { OwnerResult } from '../../../read/request/result.ts';
import { examples, type PageOptions, withPaging } from '../../session/options.ts';
import { cellText } from '../../session/output.ts';
import { inSession, sessionReader } from '../../session/session.ts';
import { edgePage } from './edges.ts';

interface InboundOptions extends PageOptions {
  atLeast?: string;
  equals?: string;
  from?: string;
  to?: string;
  order?: string;
  owner?: boolean;
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
    .option('--owner', 'the node itself too, of an edge type with includeOwner')
    .addHelpText(
      'after',
      examples(
        'inbound GOALMEMBERSHIP USER-U1 --at-least CONTRIBUTOR',
        'inbound GOALMEMBERSHIP USER-U1 --order byPriority --reverse',
        'inbound GOALSUBSCRIBER USER-U1 --reverse --owner',
        'inbound GOALMEMBERSHIP USER-U1 --order gsi1 --from 2020-07-01 --reverse',
      ),
    )
    .action(
      inSession(async (session, type: string, id: string, options: InboundOptions) => {
        const { atLeast, equals, from, to, order, owner, reverse, limit, cursor } = options;
        const query = { atLeast, equals, from, to, order, owner, reverse, limit, cursor };
        const page = await sessionReader(session).inbound(type, id, query);
        return { json: page, text: ownerLine(page.owner) + edgePage(page) };
      }),
    );
}

/** The owner as a line of its own before the table; empty where it was not asked for. */
function ownerLine(owner: OwnerResult | null | undefined): string {
  if (owner === undefined) return '';
  return owner === null ? 'owner: no such node\n' : `owner: ${owner.id} ${cellText(owner.attributes)}\n`;
}
