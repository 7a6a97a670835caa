import type { Command } from 'commander';
import { EdgeloomError } from '../../../errors.ts';
import { examples, type OrderedOptions, orderedQuery, withOrder, withPaging } from '../../session/options.ts';
import { cellText } from '../../session/output.ts';
import { inSession, sessionReader } from '../../session/session.ts';
import { shown } from '../../session/shown.ts';
import { cursorLine } from './edges.ts';
import { elementText } from './get.ts';

/** `edgeloom page TYPE ID`: the three steps. */
export function pageCommand(program: Command): void {
  withOrder(withPaging(program.command('page')))
    .description(
      'a page of the nodes that link to a node, with the neighbours that their edge sets name, in three steps',
    )
    .argument('<type>', 'edge type, such as GOALMEMBERSHIP')
    .argument('<id>', 'id of the target node, such as TEAM-T1')
    .option('--with <edges...>', 'TYPE or TYPE:LABEL: which neighbours to fetch; may be repeated (default: all)')
    .addHelpText(
      'after',
      examples(
        'page GOALMEMBERSHIP TEAM-T1 --with GOALMEMBERSHIP:LEAD --limit 20',
        'page GOALMEMBERSHIP USER-U1 --at-least CONTRIBUTOR',
        'page GOALMEMBERSHIP USER-U1 --order gsi1 --from 2020-07-01 --reverse',
      ),
    )
    .action(
      inSession(async (session, type: string, id: string, options: OrderedOptions & { with?: string[] }) => {
        const page = await sessionReader(session).page(type, id, {
          ...orderedQuery(options),
          with: options.with?.map(neighbour),
        });
        const lines = page.items.map(({ id: source, attributes, edgeSet }) =>
          [
            `${shown(source)}  ${cellText(attributes)}`,
            ...edgeSet.map((element) => `  -> ${elementText(element)}`),
          ].join('\n'),
        );
        const nodes = Object.entries(page.nodes).map(([node, attributes]) => `${shown(node)}  ${cellText(attributes)}`);
        const text = [...lines, '', 'neighbours:', ...nodes, '', `${page.calls} DynamoDB calls`].join('\n');
        return { json: page, text: text + cursorLine(page.cursor) };
      }),
    );
}

/** `TYPE` or `TYPE:LABEL`; the label may hold colons. */
function neighbour(text: string): { type: string; label?: string } {
  const colon = text.indexOf(':');
  if (colon === 0) throw new EdgeloomError('usage', `--with ${text} names no edge type.`, 'Give TYPE or TYPE:LABEL.');
  return colon < 0 ? { type: text } : { type: text.slice(0, colon), label: text.slice(colon + 1) };
}
