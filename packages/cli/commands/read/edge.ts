import type { Command } from 'commander';
import { examples } from '../../shared/options.ts';
import { inTable, sessionReader } from '../../shared/table.ts';
import { edgeTable } from './edges.ts';
import { ABSENT } from './get.ts';

/** `edgeloom edge SOURCE TYPE TARGET`: one edge, read from its base item; exit code 1 if it is not there. */
export function edgeCommand(command: Command): void {
  command
    .argument('<source>', 'node id, such as GOAL-G1')
    .argument('<type>', 'edge type')
    .argument('<target>', 'node id, such as USER-U1')
    .option('--consistent', 'strongly consistent, at twice the capacity')
    .addHelpText('after', examples('edge GOAL-G1 GOALMEMBERSHIP USER-U1', 'edge GOAL-G1 GOALMEMBERSHIP USER-U1 --json'))
    .action(
      inTable(async (session, source: string, type: string, target: string, options: { consistent?: boolean }) => {
        const edge = await sessionReader(session).getEdge(source, type, target, options);
        if (edge === null) process.exitCode = ABSENT;
        return { json: edge, text: edge === null ? '(not found)' : edgeTable({ items: [edge] }) };
      }),
    );
}
