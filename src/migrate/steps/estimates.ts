import { type Item, itemSizeBytes, WRITE_UNIT_BYTES } from '../../core/items/attribute-value.ts';
import { COUNTED, INDEX_KEYS } from '../../core/items/derived-item.ts';
import { parseNodeId, VIEW_KEY } from '../../core/items/keys.ts';
import type { CompiledModel } from '../../core/model/compiled.ts';
import { sourceNodeKeys, sourceNodeOf } from '../../core/model/joined.ts';
import { isBaseSortKey } from '../../core/plan/stream-filter.ts';
import { hasExpectedFields } from '../../core/plan/writes/updates.ts';
import type { ownershipTest } from '../../registry/ownership.ts';
import type { WalkedItem } from '../../store/table-walk.ts';
import { expectedItemsOf } from '../walks/wanted.ts';

/** Estimates of the work of steps, from a sample of the table. */

/** Some items of a table, with the size of the whole. */
export interface TableSample {
  items: readonly WalkedItem[];
  /** Number of items of the table; equal to the sample's if that is whole. */
  itemCount: number;
  /** Bytes of the table, estimated from the sample's items. */
  bytes: number;
  /** Whether the sample is the whole table, so that nothing is estimated. */
  isWhole: boolean;
  /** Read units of the sampling. */
  rcu: number;
}

/** The values that an estimate uses. */
export interface EstimateOptions {
  graph: CompiledModel;
  sample: TableSample;
}

const READ_UNIT_BYTES = 4096;

/** The capacity units and calls of a step. */
export interface Work {
  rcu: number;
  wcu: number;
  calls: number;
}

/**
 * Estimates a backfill and its verification: two walks over the table, and one over each index. Each expected item is read once;
 * for each of its indexes it is queried there and read again; it is written if it is missing or differs.
 */
export function estimateBuild(graph: CompiledModel, { sample }: EstimateOptions): Work {
  const stored = new Map(sample.items.map(({ source, target, item }) => [`${source}\0${target}`, item]));
  const sources = new Set(sample.items.filter(({ source, target }) => source === target).map(({ source }) => source));
  const nodes = new Map(
    [...sources].map((source) => {
      const pieces = sourceNodeKeys(graph, source).map((target) => stored.get(`${source}\0${target}`));
      return [source, sourceNodeOf(graph, source, pieces)];
    }),
  );
  const walk = estimateWalk(sample);
  const sum = { rcu: 2 * walk.rcu, wcu: 0, calls: 2 * walk.calls };
  const share = itemsPerSampledItem(sample);
  for (const { base, sortKey, fields } of sample.items.flatMap((item) => expectedItemsOf(graph, item, nodes))) {
    const indexes = indexesOf(fields);
    const entryUnits = itemSizeBytes(fields) / READ_UNIT_BYTES / 2;
    sum.rcu += share * (1 + indexes * (0.5 + 1 + entryUnits));
    sum.calls += share * indexes;
    if (hasExpectedFields(stored.get(`${base.source}\0${sortKey}`), fields)) continue;
    sum.wcu += share * writeUnits(fields);
    sum.calls += share;
  }
  return sum;
}

/** Estimates the building of views: one walk, and for each node a read of all its items and a write of its view. */
export function estimateViews(types: ReadonlySet<string>, { sample }: EstimateOptions): Work {
  const partitions = new Map<string, { bytes: number; viewBytes: number }>();
  for (const { source, target, item } of sample.items) {
    if (!types.has(parseNodeId(source)?.type ?? '')) continue;
    if (target !== VIEW_KEY && !isBaseSortKey(target)) continue;
    const partition = partitions.get(source) ?? { bytes: 0, viewBytes: 0 };
    const bytes = itemSizeBytes(item);
    if (target === VIEW_KEY) partition.viewBytes = bytes;
    else partition.bytes += bytes;
    partitions.set(source, partition);
  }
  const sum = estimateWalk(sample);
  const share = itemsPerSampledItem(sample);
  for (const { bytes, viewBytes } of partitions.values()) {
    sum.rcu += share * (1 + Math.max(1, Math.ceil(bytes / READ_UNIT_BYTES)));
    sum.wcu += share * Math.max(1, Math.ceil((viewBytes || bytes) / WRITE_UNIT_BYTES));
    sum.calls += share * 2;
  }
  return sum;
}

/** Estimates the deletion of items: one walk, and a delete of each. */
export function estimateDeletion(isGone: ReturnType<typeof ownershipTest>, { sample }: EstimateOptions): Work {
  const sum = estimateWalk(sample);
  const share = itemsPerSampledItem(sample);
  for (const walked of sample.items.filter(isGone)) {
    sum.wcu += share * writeUnits(walked.item);
    sum.calls += share;
  }
  return sum;
}

/** Estimates a consistent scan of the table. */
function estimateWalk({ bytes, itemCount }: TableSample): Work {
  const rcu = Math.max(1, bytes / READ_UNIT_BYTES);
  return { rcu, wcu: 0, calls: Math.max(1, itemCount / 1_000) };
}

/** The number of the table's items for each item of the sample. */
function itemsPerSampledItem({ items, itemCount }: TableSample): number {
  return items.length === 0 ? 0 : itemCount / items.length;
}

/**
 * The write units of an item: for itself, and again in each of its indexes. A counted item is written in a transaction with its
 * count.
 */
function writeUnits(fields: Item): number {
  const units = Math.max(1, Math.ceil(itemSizeBytes(fields) / WRITE_UNIT_BYTES));
  const isCounted = fields[COUNTED] !== undefined;
  return units * (isCounted ? 2 : 1) + units * indexesOf(fields) + (isCounted ? 2 : 0);
}

function indexesOf(fields: Item): number {
  return Object.values(INDEX_KEYS).filter(({ partition }) => fields[partition] !== undefined).length;
}
