import type { Command } from 'commander';
import { examples } from '../../session/options.ts';
import { inSession, sessionReader } from '../../session/session.ts';

/** `edgeloom degree ID TYPE`: how many outgoing edges of a type a node has. */
export function degreeCommand(program: Command): void {
  program
    .command('degree')
    .description("count a node's outgoing edges of a type, in one read")
    .argument('<id>', 'node id, such as GOAL-G1')
    .argument('<type>', 'edge type')
    .addHelpText('after', examples('degree GOAL-G1 GOALMEMBERSHIP'))
    .action(
      inSession(async (session, id: string, edgeType: string) => {
        const degree = await sessionReader(session).degree(id, edgeType);
        return { json: { id, type: edgeType, degree }, text: String(degree) };
      }),
    );
}
