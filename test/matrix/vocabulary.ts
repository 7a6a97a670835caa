import { COMMANDS } from '../../packages/cli/command-list.ts';
import * as admin from '../../src/admin.ts';
import { TransactionBuilder } from '../../src/client/write/transaction.ts';
import { QUARANTINE_FIELDS } from '../../src/core/items/derived-item.ts';
import { DIFFERENCES } from '../../src/core/kinds/difference.ts';
import {
  deriveSchema,
  edgeSchema,
  inboundSchema,
  indexSchema,
  nodeSchema,
  partSchema,
  rankSchema,
  searchSchema,
  tableSchema,
  typedOrder,
} from '../../src/core/model/compile/schemas.ts';
import { FEED_KINDS } from '../../src/core/model/compiled.ts';
import { sourceSchema } from '../../src/core/model/options/checks.ts';
import * as feed from '../../src/feed.ts';
import * as library from '../../src/index.ts';
import { baseModel, compiled } from './model.ts';
import { memoryRig } from './rig.ts';

/**
 * What a model file and the library can say, taken from their code: an option that no row shows, or a command or method that no column is
 * about, is a hole of the matrix.
 */

function named(kind: string, names: Iterable<string>): string[] {
  return [...names].map((name) => `${kind}.${name}`);
}

/** The options of the model file, as rows name them. */
export function modelOptions(): string[] {
  const parts = {
    node: nodeSchema,
    search: searchSchema,
    part: partSchema,
    edge: edgeSchema,
    inbound: inboundSchema,
    table: tableSchema,
    index: indexSchema,
  };
  const orders = { rank: rankSchema, derive: deriveSchema, typed: typedOrder, source: sourceSchema };
  return [
    ...Object.entries({ ...parts, ...orders }).flatMap(([kind, { of }]) => named(kind, Object.keys(of))),
    ...named('indexes', ['gsi0', 'gsi1']),
    ...named('feed', FEED_KINDS),
    'graph.mirrored',
  ].filter((name) => !name.endsWith('.kind'));
}

/**
 * The commands, the methods of reader, search, writer, transaction and session, the functions of the library, the parts of derived items
 * that can be wrong, and the fields of quarantine entries.
 */
export function operations(): string[] {
  const input = baseModel();
  input.nodes['GOAL'] = { search: { title: {} } };
  const model = compiled(input);
  const { store } = memoryRig(model);
  const reader = library.createReader(model, { store });
  const transaction = new TransactionBuilder({ graph: model, store, now: Date.now, wait: async () => undefined });
  const session = Object.getOwnPropertyNames(library.Session.prototype);
  const functions = Object.entries({ ...library, ...admin, ...feed }).filter(
    ([, value]) => typeof value === 'function',
  );
  return [
    ...COMMANDS.map(({ name }) => `command:${name}`),
    ...named('reader', Object.keys(reader)),
    ...named('search', Object.keys(reader.search('GOAL.title' as never))),
    ...named('writer', Object.keys(library.createWriter(model, { store }))),
    ...Object.entries(transaction).flatMap(([name, value]) =>
      typeof value === 'function' ? named('transaction', [name]) : [],
    ),
    ...named(
      'session',
      session.filter((name) => !HIDDEN.includes(name)),
    ),
    ...functions.filter(([, value]) => !isError(value)).map(([name]) => `library:${name}`),
    ...named('wrong', Object.keys(DIFFERENCES)),
    ...named('entry', Object.values(QUARANTINE_FIELDS)),
  ];
}

/** Methods of a session that the compiler hides from callers. */
const HIDDEN = ['constructor', 'rememberKey', 'mayForget', 'hasPassed', 'isOutOfStream', 'graceMs', 'now', 'sizeBytes'];

function isError(value: unknown): boolean {
  return (value as { prototype?: unknown }).prototype instanceof Error;
}

/** Options of the model file that no row shows, and why. */
export const OPTIONS_ELSEWHERE: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    FEED_KINDS.map((kind) => [
      `feed.${kind}`,
      'It shapes no item and no answer, and no list that is watched: tests of the feed compare what it tells with what it leaves out.',
    ]),
  ),
  'table.nativeIndexes':
    'It gives the index of the row "orders native" another name, and no item another form: tests of table updates read through such an index.',
};

/** What no column is about, and why. */
export const ELSEWHERE: Readonly<Record<string, string>> = {
  'command:adopt': 'It proposes a model and a mapping from the items of a table, before there is one.',
  'command:demo': 'It has a model of its own.',
  'command:shell': 'As reader and writer.',
  'command:dev': 'It runs the projector of the column "first write" on an engine.',
  'command:table': 'It makes what the columns stand on: a table with its indexes, whatever the model says of items.',
  'command:watch': 'As reader.watch.',
  'command:drill': 'It tries the alarms of a stack, whatever the model says.',
  'command:mirror': 'As createSources.',
  'command:init': 'It makes the files of a project; the model is a fixed one.',
  'library:startFeed': 'Reads the stream for watch: a simulator of its own crashes it, and moves the shards under it.',
  'library:watchHandler': 'It sends the events of watch to a browser.',
  'library:createFeedModels': 'It gives changesOf the model that readers use.',
  'library:answerNodeRequest': 'It carries the answers of watchHandler, and knows no model.',
  'wrong.set': 'Nobody but a stranger writes it, whatever the model says: tests of checks forge it.',
  'wrong.form': 'As a set.',
  'wrong.expiry': 'As a set.',
  'wrong.unknown-item': 'As a set.',
  'wrong.mark': 'It depends on the size of a view: tests of eviction have it.',
  'wrong.returning': 'As a mark.',
  'wrong.continuation': 'A fan-out that does not end: tests of crashes have it.',
  'wrong.shape': 'A migration that was left half-way: tests of model changes have it.',
  'wrong.retired': 'As a shape.',
  'wrong.misplaced': 'As a shape.',
  'wrong.unregistered': 'As a shape.',
  'library:DynamoDBStore': 'The port to the table, whose calls have a suite of their own.',
  'library:createSources':
    'It writes base items, whatever the model derives from them: schedules of its own attack it.',
  'library:sourceTable': 'As createSources.',
  'library:defineSource': 'As createSources.',
  'library:mappedNode': 'As createSources.',
  'library:mappedEdge': 'As createSources.',
  'library:nodeItem': 'It checks and makes keys as writer.putNode does.',
  'library:edgeItem': 'As nodeItem.',
  'library:mapped': 'As createSources.',
  'library:fromElectroDB':
    'It makes base items of those of another table, whose tables `test/support/foreign-tables` has.',
  'library:fromOneTable': 'As fromElectroDB.',
  'library:fromToolbox': 'As fromElectroDB.',
  'library:DynamoDBSourceStore': 'As DynamoDBStore.',
  'library:scanNodes': 'It gives base nodes as the table has them, whatever is derived of them.',
  'library:ExactNumber': 'A value.',
  'library:Session': 'What createSession makes.',
  'library:createClient': 'The connection to DynamoDB.',
  'library:createStreamsClient': 'The connection to DynamoDB Streams.',
  'library:createTable': 'As the command `table`.',
  'library:deleteTable': 'As the command `table`.',
  'library:describeTable': 'As the command `table`.',
  'library:updateTable': 'As the command `table`.',
  'library:planTableUpdate': 'As the command `table`.',
  'library:serverTime': 'A clock.',
  'library:tableIdentity': 'The name of a table.',
  'library:parseCursor': 'It reads the cursor of a check, which holds keys and no features.',
  'library:checkBaseItem': 'It checks as the writer does.',
  'library:toBaseItem': 'As checkBaseItem.',
  'library:tableDefinition': 'As the command `table`.',
  'library:decodeRecords': 'It reads records of a stream for the projector.',
  'library:streamPosition': 'As the command `status`.',
  'library:notedUpToMs': 'As streamPosition.',
  'library:isProjectedIn': 'As streamPosition.',
  'library:eraseSubject': 'As the command `subject`.',
  'library:exportSubject': 'As the command `subject`.',
  'library:failedBatchEraser': 'As the command `subject`.',
  'library:shardOf': 'A hash.',
  'library:fnv1a': 'A hash.',
  'library:codePointProduct': 'A hash.',
  'library:newId': 'It makes an id.',
  'library:defineGraph': 'It compiles the model of each row.',
  'library:node': 'A word of the model file: the rows.',
  'library:edge': 'A word of the model file: the rows.',
  'library:rank': 'A word of the model file: the rows.',
  'library:part': 'A word of the model file: the rows.',
  'library:date': 'A word of the model file: the rows.',
  'library:number': 'A word of the model file: the rows.',
  'library:sum': 'A word of the model file: the rows.',
  'library:source': 'A word of the model file: the rows.',
  'library:derive': 'A word of the model file: the rows.',
  'library:hashedEdgeKey': 'The rows make hashed keys without it, so as to judge it.',
};
