import { SERVICE_PARTITION } from '../../../core/items/keys.ts';
import type { Site } from '../base/site.ts';
import { allow, type Statement, type Value } from '../base/template.ts';

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
  /** The index in which the quarantine is found. */
  | 'first-index'
  /** The indexes of derived items. */
  | 'derived-indexes'
  /** All indexes, native ones too. */
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
const LOOKING = [on('indexes')('Query'), on('derived-indexes')('Scan')];
const REPAIRING = [...SETTLING, ...['DescribeTable', 'Scan'].map(onTable)];
const DELETING = onTable('DeleteItem');

/**
 * The rights of each program. A program that comes to do more gets its line here; a test runs every feature behind a proxy that
 * enforces the policies, and fails on a right that is missing and on one that nothing uses.
 *
 * No right depends on the model: programs with the model before, which may search and copy where this one does not, run next to
 * a new stack. Everyone reads the programs' own partition, where the registry of models is; consumers write it.
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
  repair: [...REPAIRING, DELETING],
  // The function of a rebuild migrates, too: it looks at what it builds through the indexes that readers will use.
  rebuild: [...REPAIRING, DELETING, ...LOOKING],
  // The rest of a failed batch goes into quarantine. An empty table is looked through and registered; its stream is compared.
  redrive: [...REPAIRING, on('first-index')('Query')],
  observe: [
    ...['BatchGetItem', 'GetItem', 'Query'].map(onTable),
    // The indexes are sampled.
    on('derived-indexes')('Query'),
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
    // A new projection is verified through the index that readers will use, and a native one is asked whether it is ready.
    ...LOOKING,
  ],
  // Status looks at the table's TTL.
  operator: [...REPAIRING, DELETING, onTable('DescribeTimeToLive'), ...LOOKING],
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
  const wanted = RIGHTS[program];
  const places = [...new Set(wanted.map((right) => placeIn(site, right.on)))];
  return places.map((place) => {
    const rights = wanted.filter((right) => placeIn(site, right.on) === place);
    const actions = rights.map(({ action }) => `dynamodb:${action}`);
    return { ...allow(actions.sort(), resourcesOf(place, site)), ...(place === 'service-partition' && IN_PARTITION) };
  });
}

/** Without native indexes those of derived items are all. */
function placeIn({ table, graph }: Site, place: Place): Place {
  return place === 'derived-indexes' && table.indexArns.length === graph.indexes.length ? 'indexes' : place;
}

const IN_PARTITION: Pick<Statement, 'Condition'> = {
  Condition: { 'ForAllValues:StringEquals': { 'dynamodb:LeadingKeys': [SERVICE_PARTITION] } },
};

function resourcesOf(place: Place, { table, graph }: Site): readonly Value[] {
  if (place === 'first-index') return table.indexArns.slice(0, 1);
  if (place === 'derived-indexes') return table.indexArns.slice(0, graph.indexes.length);
  return place === 'indexes' ? table.indexArns : [table.arn];
}
