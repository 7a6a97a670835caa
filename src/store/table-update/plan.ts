import type { DynamoDBClient, GlobalSecondaryIndexDescription, TableDescription } from '@aws-sdk/client-dynamodb';
import type { Item } from '../../core/items/attribute-value.ts';
import { WRITE_UNIT_BYTES } from '../../core/items/capacity.ts';
import type { CompiledModel, IndexName } from '../../core/model/compiled.ts';
import { isNameOfKeys, nativeIndexes } from '../../core/model/native-indexes.ts';
import { type NativeGap, NativeGaps } from '../../core/model/native-misfits.ts';
import { EdgeloomError } from '../../foundation/errors.ts';
import { checkOptions } from '../../foundation/options.ts';
import { hasKeys, type IndexNeed, indexNamed, indexNeeds, stateOfIndex } from '../definition/index-needs.ts';
import { requireTable, ttlOf } from '../described-table.ts';
import { scanPage } from '../source-table.ts';
import type { TableAccess } from '../table-description.ts';
import { misfitError, tableDiffersError } from '../table-indexes.ts';
import { keyOfItem } from '../table-walk.ts';

/** At 800 bytes per item, reading them takes 1,000 read units. `edgeloom check` examines the whole table. */
const MOST_LOOKED_AT = 10_000;
/** A change to a table: its stream, an index, or TTL. */
export type TableStep =
  | { kind: 'stream' }
  | { kind: 'index'; index: IndexName }
  /** `index` is the index's name in the table. */
  | { kind: 'native-index'; index: string }
  | { kind: 'ttl' };

export type IndexStep = Extract<TableStep, { kind: 'index' | 'native-index' }>;

/** The steps that adapt a table to a model. */
export interface TablePlan {
  table: string;
  steps: TableStep[];
  texts: string[];
  /**
   * Changes that are left to a person: TTL for a table with items, unless requested; replacing an index that projects
   * all attributes; deleting a native index that the model doesn't use, or an index with the keys of a native index but
   * another name.
   */
  left: string[];
  /** Maximum write units for filling the new indexes. Items without an index's keys cost nothing. */
  mostWcu: number;
  /** Only set if the plan adds a native index. */
  lookedFor?: LookedForGaps;
}

/** Native lists that would lack some of the table's first items. */
export interface LookedForGaps {
  gaps: NativeGap[];
  /** Number of items examined. */
  items: number;
  /** True if the table has no more items. */
  isWhole: boolean;
}

/** Options of `planTableUpdate`. */
export interface TablePlanOptions extends TableAccess {
  /**
   * The TTL attribute. A table with items only gets TTL with this option, because TTL would also delete other
   * software's items.
   */
  ttl?: string | undefined;
}

/**
 * Plans the changes that a table needs for the model. Throws `no-table` if the table doesn't exist, `table-differs` for
 * a difference that can't be changed, and `invalid-argument` for a TTL attribute other than the model's.
 */
export async function planTableUpdate(graph: CompiledModel, options: TablePlanOptions): Promise<TablePlan> {
  checkOptions('planTableUpdate', options, { client: true, ttl: true });
  const { client, ttl: asked } = options;
  const { ttl: own } = graph.table;
  checkTtl(graph, asked);
  const table = await requireTable(client, graph.table.name);
  const ttl = await ttlOf(client, graph.table.name);
  checkChangeable(graph, table, ttl);
  const steps: TableStep[] = [];
  if (table.StreamSpecification?.StreamEnabled !== true) steps.push({ kind: 'stream' });
  const indexes = indexNeeds(graph).filter((need) => stateOfIndex(need, table) === 'absent');
  steps.push(
    ...indexes.map(({ name, index }): TableStep => {
      return index === undefined ? { kind: 'native-index', index: name } : { kind: 'index', index };
    }),
  );
  const isTtlLeft = ttl === undefined && asked === undefined && (await hasItems(client, graph));
  if (ttl === undefined && !isTtlLeft) steps.push({ kind: 'ttl' });
  // Each item's last write unit may be a partial one.
  const units = (table.ItemCount ?? 0) + Math.floor((table.TableSizeBytes ?? 0) / WRITE_UNIT_BYTES);
  const addsNative = steps.some(({ kind }) => kind === 'native-index');
  return {
    ...(addsNative && { lookedFor: await lookForGaps(client, graph) }),
    table: graph.table.name,
    steps,
    texts: steps.map((step) => stepText(graph, step)),
    left: [
      ...(isTtlLeft
        ? [`TTL stays off, since the table has items: --ttl ${own} lets it delete those whose ${own} is over`]
        : []),
      ...costlyIndexes(graph, table),
      ...unusedNativeIndexes(graph, table),
      ...twinsOfNative(graph, table),
    ],
    mostWcu: indexes.length * units,
  };
}

function checkTtl({ table }: CompiledModel, asked: string | undefined): void {
  if (asked === undefined || asked === table.ttl) return;
  throw new EdgeloomError(
    'invalid-argument',
    `The model's attribute for TTL is ${table.ttl}, not ${JSON.stringify(asked)}.`,
    'Name the one of the model, or change its table.ttl.',
  );
}

async function lookForGaps(client: DynamoDBClient, graph: CompiledModel): Promise<LookedForGaps> {
  const native = new NativeGaps(graph);
  let items = 0;
  let startKey: Item | undefined;
  do {
    const page = await scanPage(client, { TableName: graph.table.name }, startKey);
    for (const item of page.items) native.addItem(keyOfItem(graph.table, item), item);
    items += page.items.length;
    startKey = page.lastKey;
  } while (startKey !== undefined && items < MOST_LOOKED_AT);
  return { gaps: native.gaps, items, isWhole: startKey === undefined };
}

/** Scans, because DynamoDB's item count may be hours old. */
async function hasItems(client: DynamoDBClient, { table: { name } }: CompiledModel): Promise<boolean> {
  const { items } = await scanPage(client, { TableName: name, Limit: 1, ConsistentRead: true });
  return items.length > 0;
}

/** Only reported, because replacing the index would leave readers without it for a while. */
function costlyIndexes(graph: CompiledModel, table: TableDescription): string[] {
  return graph.indexes
    .filter((index) => indexNamed(graph.table.indexNames[index], table)?.Projection?.ProjectionType === 'ALL')
    .map((index) => {
      const name = graph.table.indexNames[index];
      return `the index ${name} stays: it holds all attributes, so more writes are billed in it. Another name in the model (table.indexes) adds one of what readers need; delete ${name} when nothing reads it`;
    });
}

function unneededIndexes(graph: CompiledModel, table: TableDescription): GlobalSecondaryIndexDescription[] {
  const needed = new Set(indexNeeds(graph).map(({ name }) => name));
  return (table.GlobalSecondaryIndexes ?? []).filter(({ IndexName = '' }) => !needed.has(IndexName));
}

function unusedNativeIndexes(graph: CompiledModel, table: TableDescription): string[] {
  return unneededIndexes(graph, table)
    .filter((index) => isNative(graph, index))
    .map(({ IndexName = '' }) => IndexName)
    .sort()
    .map((name) => {
      return `the index ${name} stays, and writes pay for it, but no native order or search of this model uses it; delete ${name} when nothing reads it`;
    });
}

/** Reports indexes with the keys of a native index but another name, which readers don't use. */
function twinsOfNative(graph: CompiledModel, table: TableDescription): string[] {
  return unneededIndexes(graph, table).flatMap(({ IndexName, KeySchema, Projection }) => {
    const twin = nativeIndexes(graph).find(({ partition, sort }) => hasKeys(KeySchema, partition, sort));
    // `unusedNativeIndexes` reports native indexes of an earlier model.
    if (twin === undefined || isNative(graph, { IndexName, KeySchema })) return [];
    const way =
      Projection?.ProjectionType === 'ALL'
        ? `To read ${IndexName} instead, name it in the model (table.nativeIndexes); else delete`
        : `Delete`;
    return [
      `the index ${IndexName} has the keys of ${twin.name}, and readers ask that name alone. ${way} ${IndexName} when nothing reads it`,
    ];
  });
}

function isNative(
  { table: { sortKey } }: CompiledModel,
  { IndexName = '', KeySchema = [] }: GlobalSecondaryIndexDescription,
) {
  const keys = KeySchema.map(({ AttributeName = '' }) => AttributeName);
  return keys.includes(sortKey) && isNameOfKeys(IndexName, keys);
}

function stepText(graph: CompiledModel, step: TableStep): string {
  if (step.kind === 'stream') return 'add a stream of new and old images';
  if (step.kind === 'ttl') return `delete items by their attribute ${graph.table.ttl} (TTL)`;
  const { name, partition, sort, held } = needOfStep(graph, step);
  const text = `add the index ${name} with the keys ${partition} and ${sort}${held}`;
  const native = nativeIndexes(graph).find((one) => one.name === name);
  if (native === undefined) return text;
  const { attribute, type } = native;
  return `${text}; from then on the table takes no item whose ${attribute} is ${type === 'N' ? 'no number' : 'no text, or an empty one'}`;
}

export function needOfStep(graph: CompiledModel, step: IndexStep): IndexNeed {
  return indexNeeds(graph).find(({ name, index }) =>
    step.kind === 'index' ? index === step.index : index === undefined && name === step.index,
  )!;
}

function checkChangeable(graph: CompiledModel, table: TableDescription, ttl: string | undefined): void {
  const refusal = misfitError(graph, table);
  if (refusal !== undefined) throw refusal;
  const stream = table.StreamSpecification;
  if (stream?.StreamEnabled === true && stream.StreamViewType !== 'NEW_AND_OLD_IMAGES') {
    throw tableDiffersError(
      graph.table.name,
      `its stream is of ${stream.StreamViewType}`,
      'A stream cannot be changed. Switch it off once nothing reads it, run this again, and then edgeloom rebuild: changes in between have no record.',
    );
  }
  if (ttl !== undefined && ttl !== graph.table.ttl) {
    throw tableDiffersError(
      graph.table.name,
      `its TTL goes by the attribute ${ttl}`,
      `Name that attribute in the model (ttl), or switch that TTL off first.`,
    );
  }
}
