import type { Command } from 'commander';
import { figureText } from '../../../../src/foundation/figure.ts';
import { examples, type PredicateOptions, withPredicates } from '../../shared/options.ts';

import { inTable, sessionReader } from '../../shared/table.ts';
import { onePredicate } from './search.ts';

/** `edgeloom count TYPE.attr`: how many nodes a search finds. */
export function countCommand(command: Command): void {
  withPredicates(command)
    .argument('<search>', 'search attribute, such as USER.name')
    .addHelpText(
      'after',
      examples('count USER.name', 'count USER.name --prefix Ter', 'count STORE.location --path CA --partition US'),
    )
    .action(
      inTable(async (session, name: string, options: PredicateOptions) => {
        const search = sessionReader(session).search(name);
        const result = await search.count(onePredicate(options), { partition: options.partition });
        return { json: result, text: `${figureText(result.count)} (${figureText(result.rcu)} RCU)` };
      }),
    );
}
