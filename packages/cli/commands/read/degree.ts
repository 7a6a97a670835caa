import type { Command } from 'commander';
import { examples } from '../../shared/options.ts';
import { inTable, sessionReader } from '../../shared/table.ts';

/** `edgeloom degree ID TYPE`: how many outgoing edges of a type a node has. */
export function degreeCommand(command: Command): void {
  command
    .argument('<id>', 'node id, such as GOAL-G1')
    .argument('<type>', 'edge type')
    .option('--in', 'the edges that enter the node, counted in their index')
    .addHelpText('after', examples('degree GOAL-G1 GOALMEMBERSHIP', 'degree USER-U1 GOALMEMBERSHIP --in'))
    .action(
      inTable(async (session, id: string, edgeType: string, options: { in?: boolean }) => {
        const reader = sessionReader(session);
        const isIncoming = options.in === true;
        const degree = isIncoming ? (await reader.inDegree(id, edgeType)).count : await reader.degree(id, edgeType);
        return { json: { id, type: edgeType, degree }, text: String(degree) };
      }),
    );
}
