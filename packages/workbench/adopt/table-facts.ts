import type { TableDescription } from '@aws-sdk/client-dynamodb';
import type { TableOptions } from '../../../src/core/model/table-options.ts';
import { EdgeloomError } from '../../../src/foundation/errors.ts';
import type { TableFacts } from './propose-model.ts';

/** The part of a model that a table's description gives. */
export interface DescribedTable extends TableFacts {
  /** Items of the table, as DynamoDB last counted them. */
  items: number;
  partitionKey: string;
  sortKey: string;
  /** Whether the table deletes items by an attribute. */
  hasTtl: boolean;
  /** Sentences for the person who edits the model. */
  notes: string[];
}

/** The attribute that TTL uses if a model names none. */
const DEFAULT_TTL = 'expiresAt';
/** Names that Edgeloom's indexes have if a model names none. */
const DEFAULT_NAMES = ['gsi0', 'gsi1', 'gsi0pk', 'gsi0sk', 'gsi1pk', 'gsi1sk'] as const;

/**
 * The options of a table as it is. Throws `table-differs` for keys that are no texts.
 *
 * @param ttl the attribute by which the table deletes items; undefined: it deletes none.
 */
export function tableFacts(table: TableDescription, ttl: string | undefined): DescribedTable {
  const name = table.TableName!;
  const partitionKey = keyOf(table, 'HASH');
  const sortKey = keyOf(table, 'RANGE');
  const indexes = table.GlobalSecondaryIndexes ?? [];
  const all = [...indexes, ...(table.LocalSecondaryIndexes ?? [])];
  const keyAttributes = new Set(
    all.flatMap(({ KeySchema }) => (KeySchema ?? []).map(({ AttributeName }) => AttributeName!)),
  );
  const indexNames = all.map(({ IndexName }) => IndexName!);
  const notes = indexes.map(({ IndexName, KeySchema = [], Projection }) => {
    const keys = KeySchema.map(({ AttributeName }) => AttributeName).join(', ');
    const attributes = Projection?.ProjectionType === 'ALL' ? 'all attributes' : 'not all attributes';
    return `The table has the index ${IndexName} (${keys}; ${attributes}). It stays as it is, since lists get indexes of their own.`;
  });
  const isTaken = DEFAULT_NAMES.some((one) => keyAttributes.has(one) || indexNames.includes(one));
  if (table.StreamSpecification?.StreamViewType !== 'NEW_AND_OLD_IMAGES') {
    notes.push('The table lacks a stream of new and old images: edgeloom table update adds it.');
  }
  if (ttl === undefined)
    notes.push('The table deletes nothing by TTL: edgeloom table update --ttl ATTRIBUTE switches it on.');
  return {
    items: table.ItemCount ?? 0,
    ...{ partitionKey, sortKey, keyAttributes, notes, hasTtl: ttl !== undefined },
    options: {
      ...{ name, partitionKey, sortKey },
      ...(ttl !== undefined && ttl !== DEFAULT_TTL && { ttl }),
      ...(isTaken && {
        indexes: { gsi0: freeIndex(0, keyAttributes, indexNames), gsi1: freeIndex(1, keyAttributes, indexNames) },
      }),
    },
  };
}

/** The options of a table whose items have an attribute that would be taken for Edgeloom's. */
export function withFreeNames(facts: DescribedTable, names: ReadonlySet<string>): DescribedTable {
  const { options, keyAttributes, hasTtl } = facts;
  const isIndexTaken = DEFAULT_NAMES.some((one) => names.has(one));
  const all = new Set([...keyAttributes, ...names]);
  const free: TableOptions = {
    ...options,
    ...(options.ttl === undefined && names.has(DEFAULT_TTL) && !hasTtl && { ttl: freeName('edgeloomExpiresAt', all) }),
    ...(options.indexes === undefined &&
      isIndexTaken && { indexes: { gsi0: freeIndex(0, all, []), gsi1: freeIndex(1, all, []) } }),
  };
  return { ...facts, options: free };
}

function freeIndex(number: number, attributes: ReadonlySet<string>, indexes: readonly string[]) {
  const name = freeName(`edgeloom${number}`, new Set(indexes));
  return { name, partitionKey: freeName(`${name}pk`, attributes), sortKey: freeName(`${name}sk`, attributes) };
}

function freeName(name: string, taken: ReadonlySet<string>): string {
  return taken.has(name) ? freeName(`${name}_`, taken) : name;
}

function keyOf({ TableName, KeySchema, AttributeDefinitions }: TableDescription, type: 'HASH' | 'RANGE'): string {
  const name = KeySchema?.find(({ KeyType }) => KeyType === type)?.AttributeName;
  const kind = AttributeDefinitions?.find(({ AttributeName }) => AttributeName === name)?.AttributeType;
  if (name !== undefined && kind === 'S') return name;
  const key = type === 'HASH' ? 'partition key' : 'sort key';
  const found = name === undefined ? `has no ${key}` : `has the ${key} ${name} of type ${kind}`;
  throw new EdgeloomError(
    'table-differs',
    `The table ${TableName} ${found}, and keys of nodes and edges are texts.`,
    'Copy its items into a table with a partition key and a sort key of type S.',
  );
}
