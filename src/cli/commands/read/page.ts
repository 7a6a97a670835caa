import type { Command } from 'commander';
import { MAX_DEPTH } from '../../../client/read/levels/level.ts';
import { levelOfPath } from '../../../client/read/levels/level-path.ts';
import type { Truncated } from '../../../client/read/levels/level-walk.ts';
import type { EdgeResult, EdgeSetEntry } from '../../../client/read/request/result.ts';
import {
  examples,
  type OrderedOptions,
  orderedQuery,
  wholeNumber,
  withOrder,
  withPaging,
} from '../../shared/options.ts';
import { cellText } from '../../shared/output.ts';
import { printable } from '../../shared/shown.ts';
import { inTable, sessionReader } from '../../shared/table.ts';
import { cursorLine } from './edges.ts';
import { elementText } from './get.ts';

/** `edgeloom page TYPE ID`: nodes, and what is next to them on one level or several. */
export function pageCommand(command: Command): void {
  withPageFlags(command)
    .argument('<type>', 'edge type, such as GOALMEMBERSHIP')
    .argument('<id>', 'id of the target node, such as TEAM-T1')
    .addHelpText(
      'after',
      examples(
        'page GOALMEMBERSHIP TEAM-T1 --with GOALMEMBERSHIP:LEAD --limit 20',
        'page TEAMGOAL TEAM-T1 --with GOALMEMBERSHIP:LEAD KEYRESULT/GOALMEMBERSHIP:LEAD KEYRESULT/inbound:TASK_OF',
        'page GOALMEMBERSHIP USER-U1 --at-least CONTRIBUTOR',
        'page GOALMEMBERSHIP USER-U1 --attributes title status --no-edge-sets',
        'page GOALMEMBERSHIP USER-U1 --order gsi1 --from 2020-07-01 --reverse',
      ),
    )
    .action(
      inTable(async (session, type: string, id: string, options: PageFlags) => {
        const page = await sessionReader(session).page(type, id, pageQuery(options));
        const { nodes, edgeSets = {}, edges = {}, truncated } = page;
        const nodeBlock = (node: string, attributes: unknown, edgeSet: readonly EdgeSetEntry[] = []): string =>
          [
            `${printable(node)}  ${cellText(attributes)}`,
            ...edgeSet.map((element) => `  -> ${elementText(element)}`),
            ...(edges[node] ?? []).map((edge) => `  ${queriedText(node, edge)}`),
          ].join('\n');
        const lines = page.items.map(({ id: source, attributes, edgeSet }) => nodeBlock(source, attributes, edgeSet));
        const neighbours = Object.entries(nodes).map(([node, attributes]) =>
          nodeBlock(node, attributes, edgeSets[node]),
        );
        const text = [
          ...lines,
          '',
          ...(options.edgeSets === false ? [] : ['neighbours:', ...neighbours, '']),
          ...(truncated === undefined ? [] : [truncatedText(truncated)]),
          `${page.calls} DynamoDB calls`,
        ].join('\n');
        return { json: page, text: text + cursorLine(page.cursor) };
      }),
    );
}

/** An edge that a Query found, seen from one of its nodes. */
export function queriedText(node: string, { source, type, target, attributes }: EdgeResult): string {
  const [arrow, other] = node === target ? ['<-', source] : ['->', target];
  // Attributes may have these names, too.
  return `${arrow} ${elementText({ ...attributes, type, target: other })}`;
}

function truncatedText({ reason, ids, edgesOf = [] }: Truncated): string {
  const bound = reason === 'depth' ? `${MAX_DEPTH} levels` : '--max-nodes';
  return [
    `left out beyond ${bound}: ${ids.length === 0 ? 'nodes that are not known' : ids.map(printable).join(', ')}`,
    ...(edgesOf.length === 0 ? [] : [`not all edges were read of ${edgesOf.map(printable).join(', ')}`]),
  ].join('\n');
}

/** Options of the command. */
export interface PageFlags extends OrderedOptions {
  with?: string[];
  maxNodes?: number;
  attributes?: string[];
  edgeSets?: boolean;
}

/** Adds the options of `edgeloom page`: paging, order and filters, neighbours, attributes, edge sets. */
export function withPageFlags(command: Command): Command {
  return withOrder(withPaging(command))
    .option(
      '--with <edges...>',
      'TYPE or TYPE:LABEL: which neighbours to fetch; may be repeated (default: all). TYPE/TYPE is a level more, inbound:TYPE are edges that enter; a / in a label is \\/',
    )
    .option('--max-nodes <n>', 'neighbours to show, on all levels together (default: 1000 with levels)', wholeNumber)
    .option('--attributes <names...>', 'attributes of the nodes (default: those of their views)')
    .option('--no-edge-sets', 'without edge sets and neighbours: one call where the index items hold the attributes');
}

/** The page that options ask for. */
export function pageQuery(options: PageFlags) {
  const { with: edges, maxNodes, attributes, edgeSets } = options;
  return { ...orderedQuery(options), with: edges?.map(levelOfPath), maxNodes, attributes, edgeSets };
}
