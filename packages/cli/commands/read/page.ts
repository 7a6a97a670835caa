import type { Command } from 'commander';
import { MAX_DEPTH } from '../../../../src/client/read/levels/level.ts';
import { levelOfPath } from '../../../../src/client/read/levels/level-path.ts';
import type { Truncated } from '../../../../src/client/read/levels/level-walk.ts';
import type { AnyPageNode, Neighbor } from '../../../../src/client/read/levels/page-tree.ts';
import { pagePlan } from '../../../../src/client/read/page.ts';
import { checkLimit } from '../../../../src/client/read/request/read-context.ts';
import { EdgeloomError } from '../../../../src/foundation/errors.ts';
import { countText } from '../../../../src/foundation/figure.ts';
import { printable } from '../../../../src/foundation/printable.ts';
import {
  examples,
  type OrderedOptions,
  orderedQuery,
  wholeNumber,
  withOrder,
  withPaging,
} from '../../shared/options.ts';
import { cellText } from '../../shared/output.ts';
import { shardsOfList } from '../../shared/price.ts';
import { sessionReader } from '../../shared/table-session.ts';
import { type Bind, cursorLine, noneText } from './answer.ts';

export function addPage(command: Command, bind: Bind): void {
  withPageFlags(command)
    .description('list the nodes that have an edge to a node, together with their neighbors')
    .addHelpText(
      'after',
      examples(
        'list page TEAM-T1 GOALMEMBERSHIP --with GOALMEMBERSHIP:LEAD --limit 20',
        'list page TEAM-T1 TEAMGOAL --with GOALMEMBERSHIP:LEAD KEYRESULT/GOALMEMBERSHIP:LEAD KEYRESULT/inbound:TASK_OF',
        'list page USER-U1 GOALMEMBERSHIP --at-least CONTRIBUTOR',
        'list page USER-U1 GOALMEMBERSHIP --attributes title status --no-neighbors',
        'list page USER-U1 GOALMEMBERSHIP --order byDate --from 2020-07-01 --reverse',
      ),
    )
    .action(
      bind(async (session, id: string, type: string, options: PageFlags) => {
        const query = pageQuery(options);
        const { why, isInIndex } = pagePlan(session.graph, type, query);
        const nodes = isInIndex ? 0 : checkLimit(query.limit);
        session.announce({ shards: shardsOfList(session.graph, id, type, query), nodes });
        const page = await sessionReader(session).page(id, type, query);
        const { items, truncated, calls, cursor } = page;
        const open = new Set<AnyPageNode>();
        const text = [
          ...(items.length === 0 ? [noneText('nodes', cursor)] : []),
          ...items.flatMap((node) => [nodeText(node), ...neighborLines(node, '  ', open)]),
          '',
          ...(truncated === undefined ? [] : [truncatedText(truncated)]),
          countText(calls, 'DynamoDB call'),
        ].join('\n');
        return { json: page, text: text + cursorLine(cursor), found: items.map((node) => node.id), why };
      }),
    );
}

function nodeText({ id, attributes }: AnyPageNode): string {
  return `${printable(id)}  ${cellText(attributes)}`;
}

function neighborLines(node: AnyPageNode, indent: string, open: Set<AnyPageNode>): string[] {
  const { edges = {}, inbound = {} } = node;
  const sides = [...sideOf('->', edges), ...sideOf('<-', inbound)];
  if (open.has(node)) return sides.length === 0 ? [] : [`${indent}as above`];
  open.add(node);
  return sides.flatMap(({ arrow, type, edge, node: other }) => [
    `${indent}${arrow} ${printable(type)} ${Object.keys(edge).length === 0 ? '' : `${cellText(edge)} `}${nodeText(other)}`,
    ...neighborLines(other, `${indent}  `, open),
  ]);
}

function sideOf(arrow: string, byType: Record<string, Neighbor[]>) {
  return Object.entries(byType).flatMap(([type, neighbors]) => neighbors.map((one) => ({ arrow, type, ...one })));
}

function truncatedText({ reason, ids, edgesOf = [] }: Truncated): string {
  const bound = reason === 'depth' ? `${MAX_DEPTH} levels` : '--max-nodes';
  return [
    `left out beyond ${bound}: ${ids.length === 0 ? 'nodes that are not known' : ids.map(printable).join(', ')}`,
    ...(edgesOf.length === 0 ? [] : [`not all edges were read of ${edgesOf.map(printable).join(', ')}`]),
  ].join('\n');
}

export interface PageFlags extends OrderedOptions {
  with?: string[];
  maxNodes?: number;
  attributes?: string[];
  neighbors?: boolean;
}

export function withPageFlags(command: Command): Command {
  return withOrder(withPaging(command))
    .argument('<id>', 'id of the target node, such as TEAM-T1')
    .argument('<type>', 'edge type, such as GOALMEMBERSHIP')
    .option(
      '--with <edges...>',
      'neighbors to show, as TYPE or TYPE:LABEL; repeatable (default: all). Use / for another level, inbound:TYPE for edges that enter, and \\/ for a slash in a label',
    )
    .option(
      '--max-nodes <n>',
      'maximum number of neighbors, on all levels together (default: 1000 with levels)',
      wholeNumber,
    )
    .option('--attributes <names...>', 'attributes of the nodes to show (default: those of their views)')
    .option(
      '--no-neighbors',
      'show the nodes without neighbors; takes one call if the index items have the attributes',
    );
}

export function pageQuery(options: PageFlags) {
  const { with: edges, maxNodes, attributes, neighbors } = options;
  if (neighbors === false && edges !== undefined) {
    throw new EdgeloomError(
      'usage',
      '--no-neighbors shows none, but --with names some.',
      'Leave out --no-neighbors or --with.',
    );
  }
  const levels = neighbors === false ? [] : edges?.map(levelOfPath);
  return { ...orderedQuery(options), with: levels, maxNodes, attributes };
}
