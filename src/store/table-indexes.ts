import type { AttributeDefinition, TableDescription, UpdateTableCommandInput } from '@aws-sdk/client-dynamodb';
import type { CompiledModel } from '../core/model/compiled.ts';
import { MOST_INDEXES } from '../core/model/native-indexes.ts';
import type { Store } from '../core/store-port.ts';
import { EdgeloomError } from '../foundation/errors.ts';
import { hasKeys, type IndexNeed, indexNamed, indexNeeds, stateOfIndex } from './definition/index-needs.ts';
import { tableDefinition } from './definition/table-definition.ts';
import { keyTypeText, otherKeyTypes } from './key-types.ts';

export interface MissingIndex {
  name: string;
  /** Why the table can't get any of the missing indexes. */
  refusal?: EdgeloomError;
}

/** A change takes long in a large table, so `add` and `drop` only start it, and callers call them again. */
export class TableIndexes {
  constructor(private readonly store: Pick<Store, 'describe' | 'changeTable'>) {}

  /** Sorted in the order in which to add them. */
  async missing(graph: CompiledModel): Promise<readonly MissingIndex[]> {
    const table = await this.store.describe?.();
    if (table === undefined) return [];
    const missing = indexNeeds(graph).filter((need) => stateOfIndex(need, table) !== 'fits');
    const absent = missing.filter((need) => stateOfIndex(need, table) === 'absent').length;
    const refusal = misfitError(graph, table) ?? tooManyIndexesError(graph, table, absent);
    return missing.map(({ name }) => ({ name, ...(refusal && { refusal }) }));
  }

  async add(graph: CompiledModel, name: string): Promise<void> {
    const table = await this.store.describe?.();
    const need = indexNeeds(graph).find((one) => one.name === name);
    if (table === undefined || need === undefined || isBusy(table) || stateOfIndex(need, table) !== 'absent') return;
    await this.store.changeTable?.(additionOf(graph, need, table));
  }

  async drop(name: string, mayDrop: () => boolean = () => true): Promise<boolean> {
    const table = await this.store.describe?.();
    if (table === undefined || indexNamed(name, table) === undefined) return true;
    const change = { TableName: table.TableName, GlobalSecondaryIndexUpdates: [{ Delete: { IndexName: name } }] };
    if (!isBusy(table) && mayDrop()) await this.store.changeTable?.(change);
    return false;
  }
}

export function additionOf(
  graph: CompiledModel,
  { partition, sort, definition }: IndexNeed,
  table: TableDescription,
): UpdateTableCommandInput {
  const { ReadCapacityUnits = 0, WriteCapacityUnits = 0 } = table.ProvisionedThroughput ?? {};
  const isOwn = ({ AttributeName: name }: AttributeDefinition): boolean => name === partition || name === sort;
  const own = tableDefinition(graph).AttributeDefinitions!.filter(isOwn);
  // DynamoDB refuses an attribute definition that no key uses.
  const inKeys = new Set(
    [table, ...presentIndexes(table)].flatMap(({ KeySchema = [] }) => KeySchema.map((key) => key.AttributeName)),
  );
  const others = (table.AttributeDefinitions ?? []).filter((one) => inKeys.has(one.AttributeName) && !isOwn(one));
  const Create = {
    ...definition,
    ...(ReadCapacityUnits > 0 && { ProvisionedThroughput: { ReadCapacityUnits, WriteCapacityUnits } }),
    ...(table.OnDemandThroughput && { OnDemandThroughput: table.OnDemandThroughput }),
  };
  return {
    TableName: graph.table.name,
    AttributeDefinitions: [...others, ...own],
    GlobalSecondaryIndexUpdates: [{ Create }],
  };
}

/** DynamoDB only accepts one change at a time. */
export function isBusy(table: TableDescription): boolean {
  return (table.TableStatus ?? 'ACTIVE') !== 'ACTIVE' || changingIndex(table) !== undefined;
}

export function changingIndex({ GlobalSecondaryIndexes = [] }: TableDescription) {
  return GlobalSecondaryIndexes.find(({ IndexStatus = 'ACTIVE' }) => IndexStatus !== 'ACTIVE');
}

function presentIndexes({ GlobalSecondaryIndexes = [] }: TableDescription) {
  return GlobalSecondaryIndexes.filter(({ IndexStatus }) => IndexStatus !== 'DELETING');
}

function tooManyIndexesError(graph: CompiledModel, table: TableDescription, absent: number): EdgeloomError | undefined {
  const present = presentIndexes(table).length;
  if (absent === 0 || present + absent <= MOST_INDEXES) return undefined;
  return tableDiffersError(
    graph.table.name,
    `it has ${present} indexes and lacks ${absent}, and DynamoDB takes ${MOST_INDEXES}`,
    'Once no reader of other models runs, take their native lists away (edgeloom migrate --drop index:NAME), or delete indexes of derived items that no model uses (aws dynamodb update-table).',
  );
}

export function misfitError(graph: CompiledModel, table: TableDescription): EdgeloomError | undefined {
  const { name, partitionKey, sortKey } = graph.table;
  if (!hasKeys(table.KeySchema, partitionKey, sortKey)) {
    return tableDiffersError(
      name,
      `it doesn't have the keys ${partitionKey} and ${sortKey}`,
      `Keys never change. Name them in the model (partitionKey and sortKey instead of ${partitionKey} and ${sortKey}), or make another table.`,
    );
  }
  const [key] = otherKeyTypes(graph, table);
  if (key !== undefined) {
    return tableDiffersError(
      name,
      `it doesn't have ${keyTypeText(key)}`,
      key.index === undefined
        ? 'Keys never change: copy its items into a table with keys of type S.'
        : key.isNative === true
          ? `Give the attribute that type in the model, leave native out, or delete each index of the table that has the key ${key.attribute} (edgeloom migrate --drop index:NAME).`
          : `Give index and key other names in the model (table.indexes), or delete each index of the table that has the key ${key.attribute}.`,
    );
  }
  const other = indexNeeds(graph).find((need) => stateOfIndex(need, table) === 'differs');
  if (other === undefined) return undefined;
  const hint = 'Delete that index if nothing else reads it, or';
  return tableDiffersError(
    name,
    `its index ${other.name} has other keys, or lacks attributes that readers need`,
    other.index === undefined
      ? `${hint} give the index another name in the model (table.nativeIndexes, an index of all attributes), or leave native out for ${other.partition} and ${other.sort}.`
      : `${hint} give the index another name in the model (table.indexes).`,
  );
}

export function tableDiffersError(table: string, what: string, hint: string): EdgeloomError {
  return new EdgeloomError('table-differs', `The table ${table} cannot be brought to the model: ${what}.`, hint);
}
