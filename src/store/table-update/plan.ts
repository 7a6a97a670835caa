import {
  DescribeTableCommand,
  type DynamoDBClient,
  ScanCommand,
  type TableDescription,
} from '@aws-sdk/client-dynamodb';
import { WRITE_UNIT_BYTES } from '../../core/items/capacity.ts';
import { type CompiledModel, type IndexName, indexKeysOf } from '../../core/model/compiled.ts';
import { EdgeloomError } from '../../foundation/errors.ts';
import { checkOptions } from '../../foundation/options.ts';
import { keyTypesOf } from '../answers.ts';
import { classifyError } from '../classify.ts';
import { keyTypeText, otherKeyTypes } from '../key-types.ts';
import { describeTable, missingNeedsOf, type TableAccess, ttlOf } from '../table.ts';

/** One thing that a table gets: its stream, one index, or the deletion of what has expired. */
export type TableStep = { kind: 'stream' } | { kind: 'index'; index: IndexName } | { kind: 'ttl' };

/** The steps that bring a table to a model. */
export interface TablePlan {
  table: string;
  steps: TableStep[];
  /** The steps in words. */
  texts: string[];
  /**
   * Steps that are left out until they are asked for, in words: TTL of a table that has items, and another index instead of one of all
   * attributes.
   */
  left: string[];
  /**
   * Write units that filling the new indexes takes at most: those of the whole table, once for each. Items without keys of an index
   * cost nothing there.
   */
  mostWcu: number;
}

/** Options of `planTableUpdate`. */
export interface TablePlanOptions extends TableAccess {
  /**
   * The TTL attribute, by the name that the model has for it. A table that has items gets TTL only if this option names the attribute:
   * TTL would delete items of other software that have the attribute too.
   */
  ttl?: string | undefined;
}

/**
 * Plans the steps that give a table what the model needs. Throws `table-differs` for a difference that no update
 * changes: other keys, an index or a stream of another kind, a TTL by another attribute; `invalid-option` for a TTL that the model does not name.
 */
export async function planTableUpdate(graph: CompiledModel, options: TablePlanOptions): Promise<TablePlan> {
  checkOptions('planTableUpdate', options, { client: true, ttl: true });
  const { client, ttl: asked } = options;
  checkAsked(graph, asked);
  const { itemCount, sizeBytes } = await describeTable(graph, { client });
  const table = await describedTable(client, graph);
  const ttl = await ttlOf(client, graph);
  refuseOtherKind(graph, table, ttl);
  const steps: TableStep[] = [];
  if (table.StreamSpecification?.StreamEnabled !== true) steps.push({ kind: 'stream' });
  const indexes = graph.indexes.filter((index) => indexInTable(graph, table, index) === undefined);
  steps.push(...indexes.map((index): TableStep => ({ kind: 'index', index })));
  const isTtlLeft = ttl === undefined && asked === undefined && (await hasItems(client, graph));
  if (ttl === undefined && !isTtlLeft) steps.push({ kind: 'ttl' });
  // An item takes a unit at least.
  const units = Math.max(itemCount, Math.ceil(sizeBytes / WRITE_UNIT_BYTES));
  return {
    table: graph.table.name,
    steps,
    texts: steps.map((step) => stepText(graph, step)),
    left: [...(isTtlLeft ? [leftText(graph)] : []), ...dearIndexes(graph, table)],
    mostWcu: indexes.length * units,
  };
}

function checkAsked({ table }: CompiledModel, asked: string | undefined): void {
  if (asked === undefined || asked === table.ttl) return;
  throw new EdgeloomError(
    'invalid-option',
    `The model's attribute for TTL is ${table.ttl}, not ${JSON.stringify(asked)}.`,
    'Name the one of the model, or change its table.ttl.',
  );
}

/** Tells whether there is an item; DynamoDB's own count is hours old. */
async function hasItems(client: DynamoDBClient, { table: { name } }: CompiledModel): Promise<boolean> {
  try {
    const { Items = [] } = await client.send(new ScanCommand({ TableName: name, Limit: 1, ConsistentRead: true }));
    return Items.length > 0;
  } catch (error) {
    throw classifyError(error);
  }
}

function leftText({ table: { ttl } }: CompiledModel): string {
  return `TTL stays off, since the table has items: --ttl ${ttl} lets it delete those whose ${ttl} is over`;
}

/** Says of each index of all attributes that it works and how it is replaced. Under its own name readers would be without it meanwhile. */
function dearIndexes(graph: CompiledModel, table: TableDescription): string[] {
  return graph.indexes
    .filter((index) => indexInTable(graph, table, index)?.Projection?.ProjectionType === 'ALL')
    .map((index) => {
      const name = graph.table.indexNames[index];
      return `the index ${name} stays: it holds all attributes, so more writes are billed in it. Another name in the model (table.indexes) adds one of what readers need; delete ${name} when nothing reads it`;
    });
}

function stepText({ table }: CompiledModel, step: TableStep): string {
  if (step.kind === 'stream') return 'add a stream of new and old images';
  if (step.kind === 'ttl') return `delete items by their attribute ${table.ttl} (TTL)`;
  const { partition, sort } = indexKeysOf(table)[step.index];
  return `add the index ${table.indexNames[step.index]} with the keys ${partition} and ${sort}`;
}

/** Throws where what the table has is of another kind than the model needs. */
function refuseOtherKind(graph: CompiledModel, table: TableDescription, ttl: string | undefined): void {
  const { name, partitionKey, sortKey, indexNames } = graph.table;
  const differ = (what: string, hint: string): EdgeloomError =>
    new EdgeloomError('table-differs', `The table ${name} cannot be brought to the model: ${what}.`, hint);
  const [first] = missingNeedsOf({ ...graph, indexes: [] }, table);
  if (first?.startsWith('the keys') === true) {
    throw differ(
      `it has not ${first}`,
      `Keys never change. Name them in the model (partitionKey and sortKey instead of ${partitionKey} and ${sortKey}), or make another table.`,
    );
  }
  const [key] = otherKeyTypes(graph, keyTypesOf(table));
  if (key !== undefined) {
    throw differ(
      `it has not ${keyTypeText(key)}`,
      key.index === undefined
        ? 'Keys never change: copy its items into a table with keys of type S.'
        : `Give index and key other names in the model (table.indexes), or delete each index of the table that has the key ${key.attribute}.`,
    );
  }
  for (const index of graph.indexes) {
    const isThere = indexInTable(graph, table, index) !== undefined;
    if (
      !isThere ||
      missingNeedsOf({ ...graph, indexes: [index] }, table).every((lack) => !lack.startsWith('the index'))
    )
      continue;
    throw differ(
      `its index ${indexNames[index]} has other keys, or lacks attributes that readers need`,
      'Delete that index if nothing else reads it, or give the index another name in the model (table.indexes).',
    );
  }
  const stream = table.StreamSpecification;
  if (stream?.StreamEnabled === true && stream.StreamViewType !== 'NEW_AND_OLD_IMAGES') {
    throw differ(
      `its stream is of ${stream.StreamViewType}`,
      'A stream cannot be changed. Switch it off once nothing reads it, run this again, and then edgeloom rebuild: changes in between have no record.',
    );
  }
  if (ttl !== undefined && ttl !== graph.table.ttl) {
    throw differ(
      `its TTL goes by the attribute ${ttl}`,
      `Name that attribute in the model (ttl), or switch that TTL off first.`,
    );
  }
}

function indexInTable({ table: { indexNames } }: CompiledModel, table: TableDescription, index: IndexName) {
  return table.GlobalSecondaryIndexes?.find(({ IndexName }) => IndexName === indexNames[index]);
}

/** A table as DynamoDB describes it. */
export async function describedTable(client: DynamoDBClient, graph: CompiledModel): Promise<TableDescription> {
  try {
    return (await client.send(new DescribeTableCommand({ TableName: graph.table.name }))).Table!;
  } catch (error) {
    throw classifyError(error);
  }
}
