import type { Command } from 'commander';
import type { CountResult } from '../../../../src/client/read/lists/count-search.ts';
import {
  examples,
  type InboundOptions,
  inboundQuestion,
  type PredicateOptions,
  withInbound,
  withMaxRcu,
  withPredicates,
} from '../../shared/options.ts';
import { shardsOfList, shardsOfSearch } from '../../shared/price.ts';
import { sessionReader } from '../../shared/table-session.ts';
import { type Bind, printing } from './answer.ts';
import { onePredicate } from './search.ts';

export function countCommand(command: Command, bind: Bind = printing): void {
  command.addHelpText(
    'after',
    examples(
      'count edges GOAL-G1 GOALMEMBERSHIP',
      'count inbound USER-U1 GOALMEMBERSHIP',
      'count search USER.name --prefix Ter',
    ),
  );
  ofEdges(command.command('edges'))
    .description("count a node's outgoing edges of a type, in one read")
    .addHelpText('after', examples('count edges GOAL-G1 GOALMEMBERSHIP'))
    .action(
      bind(async (session, id: string, type: string) =>
        answerOf({ count: await sessionReader(session).degree(id, type) }),
      ),
    );
  withMaxRcu(withInbound(ofEdges(command.command('inbound'))))
    .description("count a node's incoming edges of a type, or those that list inbound would show")
    .addHelpText(
      'after',
      examples(
        'count inbound USER-U1 GOALMEMBERSHIP',
        'count inbound PROJECT-1 IN_PROJECT --order byStatus --path open --partition acme',
      ),
    )
    .action(
      bind(async (session, id: string, type: string, { maxRcu, ...options }: InboundOptions & Bound) => {
        const question = { ...inboundQuestion(options), maxRcu };
        session.announce({ shards: shardsOfList(session.graph, id, type, question) });
        return answerOf(await sessionReader(session).inDegree(id, type, question));
      }),
    );
  withMaxRcu(withPredicates(command.command('search')))
    .description('count the hits of a search, over all shards')
    .argument('<search>', 'search attribute, such as USER.name')
    .addHelpText(
      'after',
      examples(
        'count search USER.name',
        'count search USER.name --prefix Ter',
        'count search STORE.location --path CA --partition US',
      ),
    )
    .action(
      bind(async (session, name: string, { maxRcu, ...options }: PredicateOptions & Bound) => {
        const { partition } = options;
        const predicate = onePredicate(options);
        session.announce({ shards: shardsOfSearch(session.graph, name, predicate, partition) });
        return answerOf(await sessionReader(session).search(name).count(predicate, { partition, maxRcu }));
      }),
    );
}

function ofEdges(command: Command): Command {
  return command.argument('<id>', 'node id, such as GOAL-G1').argument('<type>', 'edge type');
}

interface Bound {
  maxRcu?: number;
}

function answerOf({ count, truncated }: CountResult) {
  return {
    json: { count, ...(truncated && { truncated }) },
    text: truncated ? `${count} or more: its read units were spent (--max-rcu)` : String(count),
  };
}
