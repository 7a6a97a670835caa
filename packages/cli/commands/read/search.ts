import type { Command } from 'commander';
import type { SearchPredicate } from '../../../../src/client/read/lists/search.ts';
import { EdgeloomError } from '../../../../src/foundation/errors.ts';
import {
  examples,
  type FilterFlags,
  filterOf,
  type PagingFlags,
  type PredicateOptions,
  withFilter,
  withPaging,
  withPredicates,
} from '../../shared/options.ts';
import { textTable } from '../../shared/output.ts';
import { inTable, sessionReader } from '../../shared/table.ts';
import { cursorLine } from './edges.ts';

/** `edgeloom search TYPE.attr`: nodes by a search attribute. */
export function searchCommand(command: Command): void {
  withFilter(withPaging(withPredicates(command)))
    .argument('<search>', 'search attribute, such as USER.name')
    .option('--reverse', 'descending: latest first')
    .addHelpText(
      'after',
      examples(
        'search USER.name --eq Terui',
        'search USER.name --prefix Ter',
        'search GOAL.dueDate --where status=OPEN --limit 20',
        'search STORE.location --path CA --path "San Jose" --partition US',
        'search STORE.location --path CA --prefix San --partition US',
        'search GOAL.dueDate --from 2026-01-01 --to 2026-12-31',
      ),
    )
    .action(
      inTable(async (session, name: string, options: SearchFlags) => {
        const { partition, limit, cursor, reverse } = options;
        const search = sessionReader(session).search(name);
        const page = await search.find(onePredicate(options), {
          partition,
          limit,
          cursor,
          reverse,
          ...filterOf(options),
        });
        const rows = page.items.map(({ id, value, attributes }) => [id, value, attributes]);
        return { json: page, text: textTable(['id', 'value', 'attributes'], rows) + cursorLine(page.cursor) };
      }),
    );
}

/** Options of the command. */
export type SearchFlags = PredicateOptions & PagingFlags & FilterFlags;

/** The predicate that the options name: a range without ends where they name none; two that exclude each other are refused. */
export function onePredicate({ eq, prefix, from, to, path }: PredicateOptions): SearchPredicate {
  const given = [eq, prefix, from ?? to].filter((value) => value !== undefined).length;
  if (given > 1 || (eq !== undefined && path !== undefined)) {
    throw new EdgeloomError(
      'usage',
      'Only one of --eq, --prefix and --from/--to can be given, the last two also with --path.',
      'Leave the others out.',
    );
  }
  if (eq !== undefined) return { eq };
  if (path !== undefined) return prefix === undefined ? { path, from, to } : { path, beginsWith: prefix };
  return prefix === undefined ? { from, to } : { beginsWith: prefix };
}
