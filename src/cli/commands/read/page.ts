import type { Command } from 'commander';
import { EdgeloomError } from '../../../errors.ts';
import { examples, type OrderedOptions, orderedQuery, withOrder, withPaging } from '../../session/options.ts';
import { cellText } from '../../session/output.ts';
import { shown } from '../../session/shown.ts';
import { inTable, sessionReader } from '../../session/table.ts';
import { cursorLine } from './edges.ts';
import { elementText } from './get.ts';

/** `edgeloom page TYPE ID`: the three steps. */
export function pageCommand(command: Command): void {
  withPageFlags(command)
    .argument('<type>', 'edge type, such as GOALMEMBERSHIP')
    .argument('<id>', 'id of the target node, such as TEAM-T1')
    .addHelpText(
      'after',
      examples(
        'page GOALMEMBERSHIP TEAM-T1 --with GOALMEMBERSHIP:LEAD --limit 20',
        'page GOALMEMBERSHIP USER-U1 --at-least CONTRIBUTOR',
        'page GOALMEMBERSHIP USER-U1 --attributes title status --no-edge-sets',
        'page GOALMEMBERSHIP USER-U1 --order gsi1 --from 2020-07-01 --reverse',
      ),
    )
    .action(
      inTable(async (session, type: string, id: string, options: PageFlags) => {
        const page = await sessionReader(session).page(type, id, pageQuery(options));
        const lines = page.items.map(({ id: source, attributes, edgeSet = [] }) =>
          [
            `${shown(source)}  ${cellText(attributes)}`,
            ...edgeSet.map((element) => `  -> ${elementText(element)}`),
          ].join('\n'),
        );
        const nodes = Object.entries(page.nodes).map(([node, attributes]) => `${shown(node)}  ${cellText(attributes)}`);
        const neighbours = options.edgeSets === false ? [] : ['neighbours:', ...nodes, ''];
        const text = [...lines, '', ...neighbours, `${page.calls} DynamoDB calls`].join('\n');
        return { json: page, text: text + cursorLine(page.cursor) };
      }),
    );
}

/** Options of the command. */
export interface PageFlags extends OrderedOptions {
  with?: string[];
  attributes?: string[];
  edgeSets?: boolean;
}

/** Adds the options of a page. */
export function withPageFlags(command: Command): Command {
  return withOrder(withPaging(command))
    .option('--with <edges...>', 'TYPE or TYPE:LABEL: which neighbours to fetch; may be repeated (default: all)')
    .option('--attributes <names...>', 'attributes of the nodes (default: those of their views)')
    .option('--no-edge-sets', 'without edge sets and neighbours: one call where the index items hold the attributes');
}

/** The page that options ask for. */
export function pageQuery(options: PageFlags) {
  const { with: edges, attributes, edgeSets } = options;
  return { ...orderedQuery(options), with: edges?.map(neighbour), attributes, edgeSets };
}

/** `TYPE` or `TYPE:LABEL`; the label may hold colons. */
function neighbour(text: string): { type: string; label?: string } {
  const colon = text.indexOf(':');
  if (colon === 0) throw new EdgeloomError('usage', `--with ${text} names no edge type.`, 'Give TYPE or TYPE:LABEL.');
  return colon < 0 ? { type: text } : { type: text.slice(0, colon), label: text.slice(colon + 1) };
}
