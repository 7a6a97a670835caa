import type { TableDescription } from '@aws-sdk/client-dynamodb';
import type { TableOptions } from '../../../src/core/model/table-options.ts';
import type { KeyNames } from './kinds.ts';

export interface DescribedTable {
  options: TableOptions;
  indexAttributes: ReadonlySet<string>;
  /** Index attributes whose names say that they hold keys: `GSI1PK`, but not `email`. */
  keyAttributes: ReadonlySet<string>;
  streamView: string | undefined;
  items: number;
  keys: KeyNames;
  ttl: string | undefined;
  /** RCU per second. Undefined if on demand. */
  readCapacity: number | undefined;
  notes: string[];
}

const DEFAULT_TTL = 'expiresAt';
const DEFAULT_NAMES = ['gsi0', 'gsi1', 'gsi0pk', 'gsi0sk', 'gsi1pk', 'gsi1sk'] as const;

export function tableFacts(table: TableDescription, ttl: string | undefined): DescribedTable {
  const name = table.TableName!;
  const keyOf = (type: string): string | undefined =>
    table.KeySchema?.find(({ KeyType }) => KeyType === type)?.AttributeName;
  const partitionKey = keyOf('HASH')!;
  const sortKey = keyOf('RANGE');
  const indexes = table.GlobalSecondaryIndexes ?? [];
  const all = [...indexes, ...(table.LocalSecondaryIndexes ?? [])];
  const ofIndexes = all.flatMap(({ KeySchema }) => (KeySchema ?? []).map(({ AttributeName }) => AttributeName!));
  const indexAttributes = new Set(ofIndexes);
  const indexNames = all.map(({ IndexName }) => IndexName!);
  const notes = indexes.map(({ IndexName, KeySchema = [], Projection }) => {
    const keys = KeySchema.map(({ AttributeName }) => AttributeName).join(', ');
    const attributes = Projection?.ProjectionType === 'ALL' ? 'all attributes' : 'not all attributes';
    return `The table has the index ${IndexName} (${keys}; ${attributes}). It stays as it is.`;
  });
  const isTaken = DEFAULT_NAMES.some((one) => indexAttributes.has(one) || indexNames.includes(one));
  return {
    items: table.ItemCount ?? 0,
    streamView: table.StreamSpecification?.StreamViewType,
    indexAttributes,
    keyAttributes: new Set(ofIndexes.filter(isNameOfKey)),
    notes,
    ttl,
    readCapacity: table.ProvisionedThroughput?.ReadCapacityUnits || undefined,
    keys: sortKey === undefined ? [partitionKey] : [partitionKey, sortKey],
    options: {
      ...{ name, partitionKey, ...(sortKey !== undefined && { sortKey }) },
      ...(ttl !== undefined && ttl !== DEFAULT_TTL && { ttl }),
      ...(isTaken && {
        indexes: { gsi0: freeIndex(0, indexAttributes, indexNames), gsi1: freeIndex(1, indexAttributes, indexNames) },
      }),
    },
  };
}

/** Replaces default names that sampled items already use. */
export function withFreeNames(facts: DescribedTable, names: ReadonlySet<string>): DescribedTable {
  const { options, indexAttributes, ttl } = facts;
  const isIndexTaken = DEFAULT_NAMES.some((one) => names.has(one));
  const all = new Set([...indexAttributes, ...names]);
  const free: TableOptions = {
    ...options,
    ...(options.ttl === undefined &&
      names.has(DEFAULT_TTL) &&
      ttl === undefined && { ttl: freeName('edgeloomExpiresAt', all) }),
    ...(options.indexes === undefined &&
      isIndexTaken && { indexes: { gsi0: freeIndex(0, all, []), gsi1: freeIndex(1, all, []) } }),
  };
  return { ...facts, options: free };
}

/** Matches names such as `GSI1PK`, `pk2`, `byStatusSK` and `gs1sk`. */
function isNameOfKey(name: string): boolean {
  return /^(gsi|lsi|[gl]s\d|[ps]k\d*$)/i.test(name) || /([^a-z](pk|sk)|[a-z\d_-](PK|SK))[_-]?\d*$/.test(name);
}

function freeIndex(number: number, attributes: ReadonlySet<string>, indexes: readonly string[]) {
  const name = freeName(`edgeloom${number}`, new Set(indexes));
  return { name, partitionKey: freeName(`${name}pk`, attributes), sortKey: freeName(`${name}sk`, attributes) };
}

function freeName(name: string, taken: ReadonlySet<string>): string {
  return taken.has(name) ? freeName(`${name}_`, taken) : name;
}
