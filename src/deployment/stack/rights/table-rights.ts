import { SERVICE_PARTITION } from '../../../core/items/keys.ts';
import type { Site } from '../base/site.ts';
import { allow, type Statement } from '../base/template.ts';

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

type Place =
  | 'table'
  | 'service-partition'
  /** Every index of the table, whatever the model. */
  | 'indexes';

/** Most derived items are written with PartiQL statements, 25 per call. */
const STATEMENTS = 'PartiQLInsert PartiQLUpdate';
const RECONCILING = `BatchGetItem GetItem PutItem Query UpdateItem ${STATEMENTS}`;
const REPAIRING = `${RECONCILING} DeleteItem DescribeTable Scan`;

/**
 * A test runs every feature behind a proxy that enforces these rights, and fails on missing or unused ones. No right
 * depends on the model, because programs of the previous model run next to a new stack. One wildcard covers all
 * indexes, to keep policies within IAM's 6,144 characters.
 */
const RIGHTS: Readonly<Record<Program, Readonly<Partial<Record<Place, string>>>>> = {
  // Query is for fan-outs, DescribeTable for the key types that the function checks when it starts.
  stream: { table: 'BatchGetItem DescribeTable GetItem PutItem Query UpdateItem PartiQLInsert PartiQLUpdate' },
  check: { table: 'BatchGetItem DescribeTable GetItem Query Scan', 'service-partition': 'DeleteItem PutItem' },
  repair: { table: REPAIRING },
  // The function also migrates.
  rebuild: { table: `${REPAIRING} UpdateTable`, indexes: 'Query Scan' },
  // The function also quarantines records that can't be projected, registers an empty table, and deletes ended edges.
  redrive: { table: REPAIRING, indexes: 'Query' },
  // The observer samples the indexes.
  observe: { table: 'BatchGetItem GetItem Query', indexes: 'Query', 'service-partition': 'PutItem UpdateItem' },
  mirror: { table: 'GetItem PutItem', 'service-partition': 'DeleteItem Query' },
  // A new projection is verified through its index.
  migrate: {
    table: `BatchGetItem DeleteItem DescribeTable GetItem Query Scan UpdateItem UpdateTable ${STATEMENTS}`,
    indexes: 'Query Scan',
  },
  // `status` reads the table's TTL; erasing a person deletes in batches.
  operator: { table: `${REPAIRING} BatchWriteItem DescribeTimeToLive UpdateTable`, indexes: 'Query Scan' },
  // Deleting a node finds its edges in the indexes.
  producer: {
    table: 'BatchGetItem BatchWriteItem ConditionCheckItem DeleteItem GetItem PutItem Query UpdateItem',
    indexes: 'Query',
  },
  reader: { table: 'BatchGetItem GetItem Query', indexes: 'Query' },
};

export function tableStatements(program: Program, { table: { arn, indexArn } }: Site): Statement[] {
  return Object.entries(RIGHTS[program]).map(([place, actions]) => ({
    ...allow(`dynamodb:${actions.split(' ').sort().join(' ')}`, place === 'indexes' ? indexArn : arn),
    ...(place === 'service-partition' && IN_PARTITION),
  }));
}

const IN_PARTITION: Pick<Statement, 'Condition'> = {
  Condition: { 'ForAllValues:StringEquals': { 'dynamodb:LeadingKeys': [SERVICE_PARTITION] } },
};
