import type { Command } from 'commander';
import { checkSource } from '../../../../src/client/read/request/lookup.ts';
import type { NodeResult } from '../../../../src/client/read/request/result.ts';
import { printable } from '../../../../src/foundation/printable.ts';
import { examples } from '../../shared/options.ts';
import { cellText, type Output } from '../../shared/output.ts';
import { inTable, sessionReader, type TableSession } from '../../shared/table.ts';

/** The exit code where something that was asked for is not there. */
export const ABSENT = 1;

/** `edgeloom get ID…`: views of nodes; exit code 1 if one of them is not there. */
export function getCommand(command: Command): void {
  command
    .argument('<id...>', 'node ids, such as USER-U1')
    .option('--base', 'the nodes as their producers wrote them, with all attributes, instead of their projections')
    .addHelpText('after', examples('get USER-U1', 'get GOAL-G1 GOAL-G2 --json', 'get GOAL-G1 --base'))
    .action(
      inTable(async (session, ids: string[], { base = false }: { base?: boolean }) => {
        if (base) return baseNodes(session, ids);
        // The library takes any text, such as a part of a URL; here a mistyped id is an error.
        for (const id of ids) checkSource(session.graph, id);
        const views = await sessionReader(session).getViews(ids);
        const text = views.map(({ id, attributes, edgeSet }) => {
          if (isAbsent({ attributes, edgeSet })) return `${printable(id)}  (not found)`;
          const lines = Object.entries(attributes ?? {}).map(
            ([name, value]) => `  ${printable(name)}: ${cellText(value)}`,
          );
          return [printable(id), ...lines, ...edgeSet.map((element) => `  -> ${elementText(element)}`)].join('\n');
        });
        if (views.some(isAbsent)) process.exitCode = ABSENT;
        return { json: views, text: text.join('\n') };
      }),
    );
}

/** Whether a view shows nothing: an edge set may be there before its node. */
function isAbsent({ attributes, edgeSet }: Pick<NodeResult, 'attributes' | 'edgeSet'>): boolean {
  return attributes === null && edgeSet.length === 0;
}

async function baseNodes(session: TableSession, ids: readonly string[]): Promise<Output> {
  const reader = sessionReader(session);
  const nodes = await Promise.all(
    ids.map(async (id) => (await reader.getNode(id, { consistent: true })) ?? { id, attributes: null }),
  );
  const text = nodes.map(({ id, attributes }) => {
    if (attributes === null) return `${id}  (not found)`;
    return [id, ...Object.entries(attributes).map(([name, value]) => `  ${name}: ${cellText(value)}`)].join('\n');
  });
  if (nodes.some(({ attributes }) => attributes === null)) process.exitCode = ABSENT;
  return { json: nodes, text: text.join('\n') };
}

/** An edge-set element on one line. */
export function elementText({ type, target, ...labels }: { type: string; target: string }): string {
  const rest = Object.keys(labels).length === 0 ? '' : ` ${cellText(labels)}`;
  return `${printable(type)} ${printable(target)}${rest}`;
}
