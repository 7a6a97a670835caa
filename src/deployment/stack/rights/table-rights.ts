import { SERVICE_PARTITION } from '../../../core/items/keys.ts';
import type { Site } from '../base/site.ts';
import { allow, type Statement } from '../base/template.ts';

/** A program that works on the table. */
export type Program =
  | 'stream'
  | 'check'
  | 'repair'
  | 'rebuild'
  | 'redrive'
  | 'observe'
  | 'mirror'
  | 'migrate'
  | 'operator'
  | 'producer'
  | 'reader';

/** The place that a right is for. */
type Place =
  /** Any item of the table. */
  | 'table'
  /** Items of the programs' own partition alone. */
  | 'service-partition'
  /** Every index of the table, including those of models before and after this one. */
  | 'indexes';

/** One right of a program: an action of DynamoDB, and where. */
interface Right {
  action: string;
  on: Place;
}

const on =
  (place: Place) =>
  (action: string): Right => ({ action, on: place });
const onTable = on('table');

/** Known items are written by statements, 25 in a call: without these rights by a call for each. */
const STATEMENTS = ['PartiQLInsert', 'PartiQLUpdate'].map(onTable);
const SETTLING = [...['BatchGetItem', 'GetItem', 'PutItem', 'Query', 'UpdateItem'].map(onTable), ...STATEMENTS];
/** Items are looked for in the indexes that they are derived for. */
const LOOKING = ['Query', 'Scan'].map(on('indexes'));
const REPAIRING = [...SETTLING, ...['DeleteItem', 'DescribeTable', 'Scan'].map(onTable)];

/**
 * The rights of each program. A program that comes to do more gets its line here; a test runs every feature behind a proxy that
 * enforces the policies, and fails on a right that is missing and on one that nothing uses.
 *
 * No right depends on the model: programs of the model before, which may search and copy where this one doesn't, run next to a new
 * stack. One wildcard covers all indexes, so that a policy keeps within IAM's 6,144 characters however many there are. Everyone reads the programs' own partition, where the registry of models is; consumers write it.
 */
const RIGHTS: Readonly<Record<Program, readonly Right[]>> = {
  // Query is for fan-outs; a function that starts looks at the types of the table's keys.
  stream: [
    ...['BatchGetItem', 'DescribeTable', 'GetItem', 'PutItem', 'Query', 'UpdateItem'].map(onTable),
    ...STATEMENTS,
  ],
  check: [
    ...['BatchGetItem', 'DescribeTable', 'GetItem', 'Query', 'Scan'].map(onTable),
    // A check keeps its place in the partition of the service.
    ...['DeleteItem', 'PutItem'].map(on('service-partition')),
  ],
  repair: REPAIRING,
  // The function of a rebuild migrates, too: it adds indexes, and looks at what it builds through those that readers will use.
  rebuild: [...REPAIRING, onTable('UpdateTable'), ...LOOKING],
  // The rest of a failed batch goes into quarantine. An empty table is looked through and registered; its stream is compared. Edges that are over are deleted.
  redrive: [...REPAIRING, on('indexes')('Query')],
  observe: [
    ...['BatchGetItem', 'GetItem', 'Query'].map(onTable),
    // The indexes are sampled.
    on('indexes')('Query'),
    // Its state, and how far the stream is applied.
    ...['PutItem', 'UpdateItem'].map(on('service-partition')),
  ],
  mirror: [
    ...['GetItem', 'PutItem'].map(onTable),
    // Quarantine and conflicts of sources; the note of a conflict that has ended goes.
    ...['DeleteItem', 'Query'].map(on('service-partition')),
  ],
  migrate: [
    ...['BatchGetItem', 'DeleteItem', 'DescribeTable', 'GetItem', 'Query', 'Scan', 'UpdateItem'].map(onTable),
    ...STATEMENTS,
    // Indexes are added and deleted.
    onTable('UpdateTable'),
    // A new projection is verified through the index that readers will use.
    ...LOOKING,
  ],
  // Status looks at the table's TTL.
  operator: [...REPAIRING, onTable('DescribeTimeToLive'), onTable('UpdateTable'), ...LOOKING],
  producer: [
    ...['BatchWriteItem', 'ConditionCheckItem', 'DeleteItem', 'GetItem', 'PutItem', 'Query', 'UpdateItem'].map(onTable),
    // Deleting a node with its edges looks for them in the indexes, and by their reverse items.
    onTable('BatchGetItem'),
    on('indexes')('Query'),
  ],
  reader: [...['BatchGetItem', 'GetItem', 'Query'].map(onTable), on('indexes')('Query')],
};

/** The rights of a program on the table of a stack. */
export function tableStatements(program: Program, site: Site): Statement[] {
  const expected = RIGHTS[program];
  return [...new Set(expected.map((right) => right.on))].map((place) => {
    const rights = expected.filter((right) => right.on === place);
    const actions = rights.map(({ action }) => `dynamodb:${action}`);
    const { arn, indexArn } = site.table;
    const resources = [place === 'indexes' ? indexArn : arn];
    return { ...allow(actions.sort(), resources), ...(place === 'service-partition' && IN_PARTITION) };
  });
}

const IN_PARTITION: Pick<Statement, 'Condition'> = {
  Condition: { 'ForAllValues:StringEquals': { 'dynamodb:LeadingKeys': [SERVICE_PARTITION] } },
};
