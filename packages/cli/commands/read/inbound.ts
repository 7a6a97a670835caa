import type { Command } from 'commander';
import type { OwnerResult } from '../../../../src/client/read/request/result.ts';
import { printable } from '../../../../src/foundation/printable.ts';
import { examples, type OrderedOptions, orderedQuery, withOrder, withPaging } from '../../shared/options.ts';
import { cellText } from '../../shared/output.ts';
import { inTable, sessionReader } from '../../shared/table.ts';
import { edgeTable } from './edges.ts';

/** `edgeloom inbound TYPE ID`: incoming edges in an order of the model. */
export function inboundCommand(command: Command): void {
  withOrder(withPaging(command))
    .argument('<type>', 'edge type, such as GOALMEMBERSHIP')
    .argument('<id>', 'id of the target node, such as USER-U1')
    .option('--owner', 'the node itself too, of an edge type with includeTarget')
    .addHelpText(
      'after',
      examples(
        'inbound GOALMEMBERSHIP USER-U1 --at-least CONTRIBUTOR',
        'inbound GOALMEMBERSHIP USER-U1 --order byPriority --reverse',
        'inbound IN_PROJECT PROJECT-1 --order byStatus --path open --partition acme',
        'inbound GOALSUBSCRIBER USER-U1 --reverse --owner',
        'inbound GOALMEMBERSHIP USER-U1 --where memberRole=LEAD --max-rcu 10',
        'inbound GOALMEMBERSHIP USER-U1 --order gsi1 --from 2020-07-01 --reverse',
      ),
    )
    .action(
      inTable(async (session, type: string, id: string, options: OrderedOptions & { owner?: boolean }) => {
        const query = { ...orderedQuery(options), owner: options.owner };
        const page = await sessionReader(session).inbound(type, id, query);
        return { json: page, text: ownerLine(page.owner) + edgeTable(page) };
      }),
    );
}

/** The owner as a line of its own before the table; empty where it was not asked for. */
function ownerLine(owner: OwnerResult | null | undefined): string {
  if (owner === undefined) return '';
  return owner === null ? 'owner: no such node\n' : `owner: ${printable(owner.id)} ${cellText(owner.attributes)}\n`;
}
