import { nearest } from '../../../src/core/model/options/nearest.ts';

/** Commands of SQL, Prisma, the AWS CLI and DynamoDB's API, with Edgeloom's equivalent. A key of two words is a subcommand. */
export const COMMAND_SYNONYMS: Readonly<Record<string, string>> = {
  ...meaning('get ID', 'show read fetch cat view views node get-item batch-get-item batch-get get-view get-views'),
  ...meaning('get ID --stored', 'get-node'),
  ...meaning('get SOURCE TYPE TARGET', 'edge has exists get-edge'),
  ...meaning('list inbound ID TYPE', 'inbound incoming backlinks followers', 'list incoming', 'list in'),
  ...meaning(
    'list edges ID',
    'edges outbound outgoing neighbours neighbors get-collection',
    'list edge',
    'list outbound',
    'list outgoing',
  ),
  ...meaning('list nodes TYPE', 'nodes ls scan all', 'list node', 'list all', 'list types'),
  ...meaning('list page ID TYPE', 'page traverse graph walk', 'list pages'),
  ...meaning('search TYPE.attribute', 'query find select where filter lookup', 'list search'),
  ...meaning('count edges ID TYPE', 'degree size', 'count outgoing', 'count outbound'),
  ...meaning('count inbound ID TYPE', 'in-degree indegree', 'count incoming', 'count in'),
  ...meaning('total ID TYPE', 'sum sums totals aggregate group-by groups'),
  ...meaning('put ID JSON', 'put-item insert create add set write new-item put-node putnode'),
  ...meaning('put SOURCE TYPE TARGET JSON', 'put-edge putedge link connect'),
  ...meaning('update ID JSON', 'update-item patch modify edit alter update-node update-edge update-part'),
  ...meaning('update ID JSON --upsert', 'upsert upsert-node upsert-edge'),
  ...meaning('delete ID', 'delete-item remove rm del unlink disconnect delete-node delete-edge delete-part'),
  ...meaning('delete ID --with-edges', 'cascade delete-with-edges delete-node-with-edges'),
  ...meaning('import FILE', 'load batch-write-item batch-write put-many import-file seed copy bulk'),
  ...meaning('subject export ID', 'export dump export-subject'),
  ...meaning('subject erase ID', 'erase forget gdpr purge erase-subject', 'subject delete', 'subject forget'),
  ...meaning('watch', 'subscribe tail follow listen changes'),
  ...meaning('table create', 'create-table init-table setup', 'table init', 'table new', 'table make'),
  ...meaning(
    'table describe',
    'describe describe-table schema indexes \\d \\dt',
    'table show',
    'table status',
    'table info',
  ),
  ...meaning('table update', 'update-table', 'table sync', 'table apply'),
  ...meaning('table delete --yes', 'delete-table drop drop-table truncate', 'table drop', 'table remove'),
  ...meaning('status', 'stats statistics info health lag quarantine consumers ps monitor', 'table stats'),
  ...meaning('wait', 'ready wait-for wait-for-projection until'),
  ...meaning('check', 'verify validate audit diff drift doctor', 'table check'),
  ...meaning('check --repair', 'repair fix heal reconcile'),
  ...meaning('explain ID', 'why debug trace analyze analyse'),
  ...meaning("explain --query 'list inbound ID TYPE'", 'plan explain-query'),
  ...meaning('project', 'projector consume consumer worker run process stream sync'),
  ...meaning('observe', 'observer sweep'),
  ...meaning('migrate', 'migration migrations push evolve db', 'table migrate'),
  ...meaning('migrate --undo', 'rollback undo revert'),
  ...meaning('rebuild', 'reindex backfill refresh reset'),
  ...meaning('redrive', 'retry replay dlq requeue dead-letter'),
  ...meaning('mirror', 'replicate cdc', 'mirror sync'),
  ...meaning('drill', 'alarms alarm test-alarms'),
  ...meaning('init FOLDER', 'scaffold create-project new project-init generate bootstrap'),
  ...meaning('adopt', 'introspect pull infer discover'),
  ...meaning('stack', 'deploy synth cloudformation cfn template cdk sam terraform'),
  ...meaning('cost', 'price prices pricing costs estimate capacity bill'),
  ...meaning('dev', 'up start serve server local emulator'),
  ...meaning('demo', 'example tour quickstart try'),
  ...meaning('studio', 'ui gui web browse browser dashboard'),
  ...meaning('shell', 'repl console prompt psql'),
  ...meaning('--version', 'version'),
};

/**
 * Other tools' options, with Edgeloom's. The first one that the command has is suggested. Entries without dashes are
 * suggested for every command.
 */
export const OPTION_SYNONYMS: Readonly<Record<string, readonly string[]>> = {
  ...meaningOption(['--limit'], 'max-items page-size top first take n count size max limit-to'),
  ...meaningOption(['--cursor'], 'starting-token next-token after start page offset skip exclusive-start-key token'),
  ...meaningOption(['--reverse'], 'desc descending backwards no-scan-index-forward latest-first'),
  ...meaningOption(['--order'], 'sort order-by sort-by orderby index index-name by'),
  ...meaningOption(['--where', '--if'], 'filter filter-expression'),
  ...meaningOption(['--prefix'], 'begins-with starts-with startswith beginswith'),
  ...meaningOption(['--equals'], 'eq is value label role key'),
  ...meaningOption(['--from'], 'since gte gt min after-date'),
  ...meaningOption(['--to'], 'until lte lt max-value before'),
  ...meaningOption(['--from', '--path'], 'between'),
  ...meaningOption(['--consistent'], 'consistent-read strong strongly-consistent'),
  ...meaningOption(['--stored'], 'raw base item'),
  ...meaningOption(['--attributes', '--stored'], 'fields columns select projection projection-expression'),
  ...meaningOption(['--include-target'], 'with-target owner include-owner'),
  ...meaningOption(['--with'], 'include neighbours neighbors expand'),
  ...meaningOption(['--if'], 'condition condition-expression only-if'),
  ...meaningOption(['--if-absent'], 'if-not-exists create-only no-overwrite attribute-not-exists'),
  ...meaningOption(['--if-present'], 'if-exists must-exist'),
  ...meaningOption(['--upsert'], 'create insert or-create'),
  ...meaningOption(['--remove'], 'unset delete-attribute'),
  ...meaningOption(['--with-edges'], 'cascade recursive edges all-edges'),
  ...meaningOption(['--repair'], 'fix heal apply'),
  ...meaningOption(['--dry-run'], 'plan preview dryrun what-if explain-only noop diff'),
  ...meaningOption(['--yes', '--force'], 'y force confirm auto-approve no-confirm assume-yes accept-data-loss'),
  ...meaningOption(['--max-rcu'], 'rate-limit read-limit rcu'),
  ...meaningOption(['--max-wcu'], 'write-limit wcu'),
  ...meaningOption(['--segments'], 'parallel parallelism concurrency workers total-segments'),
  ...meaningOption(['--until-idle'], 'once exit-when-idle'),
  ...meaningOption(['--config'], 'model schema c'),
  ...meaningOption(['--table'], 'table-name t'),
  ...meaningOption(['--endpoint'], 'endpoint-url url host local'),
  ...meaningOption(['--json'], 'output o output-json format'),
  ...meaningOption(['--log-level'], 'verbose debug v log loglevel'),
  ...meaningOption(['set AWS_PROFILE in the environment'], 'profile'),
};

/**
 * Options whose value is often given alone, and the form of that value. The first one that the command has is
 * suggested.
 */
export const OPTION_OF_WORD: readonly (readonly [option: string, value: RegExp])[] = [
  ['--where', /[=<>]/],
  ['--param', /=/],
  ['--port', /^\d+$/],
  ['--for', /^\d+$/],
  ['--config', /\.[cm]?[jt]s$/],
  ['--equals', /^/],
  ['--alarm', /^/],
  ['--deploy', /^[a-z]+$/],
  ['--stage', /^[a-z]/],
  ['--source', /^[A-Z]/],
  ['--table', /^[\w.-]{3,}$/],
];

export interface Advised {
  /** Words after `edgeloom`. */
  words: readonly string[];
  commands: readonly string[];
  /** Long names with dashes, including global options. */
  options: readonly string[];
}

export function meantCommand(word: string, { words, commands }: Advised): string | undefined {
  const known = kebabCase(word);
  const synonym = own(COMMAND_SYNONYMS, [...words, known].join(' ')) ?? own(COMMAND_SYNONYMS, known);
  if (synonym !== undefined) return `edgeloom ${synonym}`;
  const near = nearest(word, commands);
  if (near !== undefined) return ['edgeloom', ...words, near].join(' ');
  // In `list USER-U1` and `count USER`, the subcommand is missing.
  if (!/^[A-Z][A-Z0-9_]*(-|$)/.test(word) || !['list', 'count'].includes(words[0] ?? '')) return undefined;
  const [verb] = words;
  if (word.includes('-')) return `edgeloom ${verb} edges ${word}, or edgeloom ${verb} inbound ${word} TYPE`;
  return verb === 'list' ? `edgeloom list nodes ${word}` : `edgeloom count search ${word}.attribute`;
}

export function meantOption(flag: string, { options }: Advised): string | undefined {
  const [name = ''] = flag.split('=');
  const remedies = own(OPTION_SYNONYMS, kebabCase(name.replace(/^-+/, ''))) ?? [];
  return remedies.find((remedy) => !remedy.startsWith('-') || options.includes(remedy)) ?? nearest(name, options);
}

/** Returns the option or command that a command's surplus words are probably meant for, or undefined. */
export function meantByWords(given: readonly string[], taken: number, { words, options }: Advised): string | undefined {
  const extra = given.slice(taken).join(' ');
  if (words[1] === 'edges' && given.length === 3) return `edgeloom get ${given.join(' ')}`;
  const meant = OPTION_OF_WORD.find(([option, value]) => options.includes(option) && value.test(extra));
  return meant && `${meant[0]} ${/[\s"'<>$]/.test(extra) ? `'${extra}'` : extra}`;
}

function meaning(remedy: string, words: string, ...subcommands: string[]): Record<string, string> {
  return Object.fromEntries([...words.split(' '), ...subcommands].map((word) => [word, remedy]));
}

function meaningOption(remedies: readonly string[], words: string): Record<string, readonly string[]> {
  return Object.fromEntries(words.split(' ').map((word) => [word, remedies]));
}

function own<T>(of: Readonly<Record<string, T>>, word: string): T | undefined {
  return Object.hasOwn(of, word) ? of[word] : undefined;
}

function kebabCase(word: string): string {
  return word
    .replace(/([a-z])([A-Z])/g, '$1-$2')
    .replaceAll('_', '-')
    .toLowerCase();
}
