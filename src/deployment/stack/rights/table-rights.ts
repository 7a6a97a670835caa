import { SERVICE_PARTITION } from '../../../core/items/keys.ts';
import type { Site } from '../base/site.ts';
import { allowOf, type Statement } from '../base/template.ts';

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

/** Known items are written by statements, 25 in a call: without these rights by a call for each. */
const STATEMENTS = 'PartiQLInsert PartiQLUpdate';
const SETTLING = `BatchGetItem GetItem PutItem Query UpdateItem ${STATEMENTS}`;
const REPAIRING = `${SETTLING} DeleteItem DescribeTable Scan`;

/**
 * The rights of each program, as actions of DynamoDB by their places. A program that comes to do more gets its action here; a test runs
 * every feature behind a proxy that enforces the policies, and fails on a right that is missing and on one that nothing uses.
 *
 * No right depends on the model: programs of the model before, which may search and copy where this one doesn't, run next to a new
 * stack. One wildcard covers all indexes, so that a policy keeps within IAM's 6,144 characters however many there are. Everyone reads the
 * programs' own partition, where the registry of models is; consumers write it.
 */
const RIGHTS: Readonly<Record<Program, Readonly<Partial<Record<Place, string>>>>> = {
  // Query is for fan-outs; a function that starts looks at the types of the table's keys.
  stream: { table: 'BatchGetItem DescribeTable GetItem PutItem Query UpdateItem PartiQLInsert PartiQLUpdate' },
  // A check keeps its place in the partition of the service.
  check: { table: 'BatchGetItem DescribeTable GetItem Query Scan', 'service-partition': 'DeleteItem PutItem' },
  repair: { table: REPAIRING },
  // The function of a rebuild migrates, too: it adds indexes, and looks at what it builds through those that readers will use.
  rebuild: { table: `${REPAIRING} UpdateTable`, indexes: 'Query Scan' },
  // The rest of a failed batch goes into quarantine. An empty table is looked through and registered; its stream is compared. Edges that are
  // over are deleted.
  redrive: { table: REPAIRING, indexes: 'Query' },
  // The indexes are sampled. Its state, and how far the stream is applied, are in the partition of the service.
  observe: { table: 'BatchGetItem GetItem Query', indexes: 'Query', 'service-partition': 'PutItem UpdateItem' },
  // Quarantine and conflicts of sources; the note of a conflict that has ended goes.
  mirror: { table: 'GetItem PutItem', 'service-partition': 'DeleteItem Query' },
  // Indexes are added and deleted. A new projection is verified through the index that readers will use.
  migrate: {
    table: `BatchGetItem DeleteItem DescribeTable GetItem Query Scan UpdateItem UpdateTable ${STATEMENTS}`,
    indexes: 'Query Scan',
  },
  // Status looks at the table's TTL.
  operator: { table: `${REPAIRING} DescribeTimeToLive UpdateTable`, indexes: 'Query Scan' },
  // Deleting a node with its edges looks for them in the indexes, and by their reverse items.
  producer: {
    table: 'BatchGetItem BatchWriteItem ConditionCheckItem DeleteItem GetItem PutItem Query UpdateItem',
    indexes: 'Query',
  },
  reader: { table: 'BatchGetItem GetItem Query', indexes: 'Query' },
};

/** The rights of a program on the table of a stack. */
export function tableStatements(program: Program, { table: { arn, indexArn } }: Site): Statement[] {
  return Object.entries(RIGHTS[program]).map(([place, actions]) => ({
    ...allowOf('dynamodb', actions.split(' ').sort().join(' '), place === 'indexes' ? indexArn : arn),
    ...(place === 'service-partition' && IN_PARTITION),
  }));
}

const IN_PARTITION: Pick<Statement, 'Condition'> = {
  Condition: { 'ForAllValues:StringEquals': { 'dynamodb:LeadingKeys': [SERVICE_PARTITION] } },
};
