import { type Item, itemSizeBytes } from '../../core/items/attribute-value.ts';
import { READ_UNIT_BYTES, readUnits, WRITE_UNIT_BYTES, writeUnits } from '../../core/items/capacity.ts';
import { COUNTED, INDEX_KEYS, INDEX_NAMES, shownInIndex } from '../../core/items/derived-item.ts';
import { parseDerivedKey } from '../../core/items/derived-key.ts';
import { parseNodeId, VIEW_KEY } from '../../core/items/keys.ts';
import { isMaintained } from '../../core/kinds/all-kinds.ts';
import { viewBudgetBytes } from '../../core/kinds/eviction.ts';
import { isJoinedKey } from '../../core/kinds/joined.ts';
import type { Problem } from '../../core/kinds/parts/subject.ts';
import { reverseItemOf } from '../../core/kinds/reverse-item.ts';
import { isOfOtherShape } from '../../core/kinds/view.ts';
import type { CompiledModel, IndexName } from '../../core/model/compiled.ts';
import { sourceNodeKeys, sourceNodeOf } from '../../core/model/joined.ts';
import { derivedOf } from '../../core/plan/derive.ts';
import { isBaseSortKey } from '../../core/plan/stream-filter.ts';
import { hasExpectedFields } from '../../core/plan/writes/item-update.ts';
import { type ItemKey, TRANSACTION_ITEMS } from '../../core/store-port.ts';
import type { ownershipTest } from '../../registry/ownership.ts';
import { indexNeeds } from '../../store/definition/index-needs.ts';
import { type ExpectedItem, expectedItemsOf } from '../walks/expected-items.ts';
import type { LeftOutItems } from '../walks/left-out-items.ts';
import { indexesOf } from '../walks/verify.ts';
import { PAGE_ITEMS } from '../walks/walk.ts';
import type { SampledItem, TableSample } from './sample.ts';

export interface EstimateOptions {
  graph: CompiledModel;
  sample: TableSample;
  leftOut?: LeftOutItems;
}

/** Bytes that every derived item has besides its content: the revision, the model and the key attributes' names. */
const STAMP_BYTES = 100;

export interface Work {
  rcu: number;
  wcu: number;
  calls: number;
}

interface SampledPartition {
  source: string;
  items: readonly SampledItem[];
  byKey: ReadonlyMap<string, SampledItem>;
  count: number;
}

/**
 * Estimates two walks over the table and one over each index. The backfill reads each expected item, then reads and
 * writes those that are missing or differ. The verification queries each item in its indexes, then walks over the
 * indexes and reads the item of each entry.
 */
export function estimateBuild(
  graph: CompiledModel,
  isOwn: ReturnType<typeof ownershipTest>,
  { sample, leftOut }: EstimateOptions,
): Work {
  const walk = estimateWalk(sample);
  const sum = { rcu: 2 * walk.rcu, wcu: 0, calls: 2 * walk.calls };
  const indexBytes = new Map(indexesOf(graph).map((index) => [index, storedBytes(sample, index)]));
  const elsewhere = new Elsewhere(
    sample,
    (item) => isOwn(item) && parseDerivedKey(item.target)?.kind === 'total-entry',
  );
  for (const partition of partitionsOf(sample)) {
    const { source, byKey } = partition;
    const pieces = sourceNodeKeys(graph, source).map((target) => byKey.get(target)?.item);
    const nodes = new Map([[source, sourceNodeOf(graph, source, pieces)]]);
    for (const base of partition.items) {
      const { share } = base;
      const note = (key: ItemKey, problems: readonly Problem[]): void => leftOut?.add(key, problems, share);
      for (const one of expectedItemsOf(graph, base, nodes, note)) {
        const isHere = one.source === source;
        const stored = isHere ? byKey.get(one.sortKey)?.item : elsewhere.stored(one);
        const missing = isHere || sample.isWhole ? (hasExpectedFields(stored, one.fields) ? 0 : 1) : undefined;
        const bytes = itemBytes(one);
        const indexes = indexKeysOf(one.fields);
        sum.rcu += share * (readUnits(bytes, true) + (indexes.length === 0 ? 1 : 0));
        for (const _ of indexes) sum.rcu += share * (readUnits(bytes, true) / 2 + readUnits(bytes, true));
        sum.calls += share * (1 + indexes.length);
        const write = (part: number): void => {
          sum.rcu += share * part * (readUnits(bytes, true) + readsOfBases(graph, base, one));
          sum.wcu += share * part * unitsOfWrite(one.fields, bytes, isHere ? partition.count : 1);
          sum.calls += 3 * share * part;
          for (const index of indexes) {
            indexBytes.set(index, (indexBytes.get(index) ?? 0) + share * part * bytes);
          }
        };
        if (missing === undefined) elsewhere.addExpected(share, write);
        else write(missing);
      }
    }
  }
  elsewhere.end();
  for (const bytes of indexBytes.values()) {
    sum.rcu += Math.max(0.5, bytes / READ_UNIT_BYTES / 2);
    sum.calls += 1;
  }
  return sum;
}

/**
 * Estimates one walk, which looks up the edge of each reverse item, and reads the view of each node of these types. If
 * a view has another shape, the walk also reads the base items, the nodes that the view copies from and the reverse
 * items, and writes the view and missing reverse items.
 */
export function estimateViews(graph: CompiledModel, types: ReadonlySet<string>, { sample }: EstimateOptions): Work {
  const sum = estimateWalk(sample);
  const isReverse = ({ target }: SampledItem): boolean => parseDerivedKey(target)?.kind === 'reverse-item';
  const elsewhere = new Elsewhere(sample, isReverse);
  for (const item of sample.items) if (isReverse(item) && isMaintained(graph, item.target)) sum.rcu += item.share;
  for (const partition of partitionsOf(sample)) {
    const { source, items, byKey, count } = partition;
    const bases = items.filter(({ target }) => isBaseSortKey(target));
    const view = byKey.get(VIEW_KEY)?.item;
    if (!types.has(parseNodeId(source)?.type ?? '') || (bases.length === 0 && view === undefined)) continue;
    const share = sample.partitionShare;
    const viewBytes = view === undefined ? 0 : itemSizeBytes(view);
    sum.rcu += share * Math.ceil(count / PAGE_ITEMS) * readUnits(viewBytes, true);
    sum.calls += share;
    if (!isOfOtherShape(graph, source, view)) continue;
    // Rebuilding reads the view again, before its base items.
    sum.rcu += share * readUnits(viewBytes, true);
    const bytes = bases.reduce((all, { item, share: each }) => all + (each / share) * itemSizeBytes(item), 0);
    sum.rcu += share * readUnits(bytes, true);
    sum.wcu += share * Math.ceil(Math.max(viewBytes, expectedViewBytes(graph, partition), 1) / WRITE_UNIT_BYTES);
    sum.calls += 3 * share;
    for (const base of bases) {
      const reverse = reverseItemOf(graph, base)?.key;
      if (reverse === undefined) continue;
      sum.rcu += 2 * base.share;
      const write = (part: number): void => {
        sum.rcu += 2 * base.share * part;
        sum.wcu += base.share * part;
        sum.calls += 3 * base.share * part;
      };
      if (sample.isWhole) write(elsewhere.stored({ source: reverse.source, sortKey: reverse.target }) ? 0 : 1);
      else elsewhere.addExpected(base.share, write);
    }
  }
  elsewhere.end();
  return sum;
}

/** DynamoDB reads the table at no charge to fill an index. */
export function estimateIndexes(indexes: ReadonlySet<string>, { graph, sample }: EstimateOptions): Work {
  const sum = { rcu: 1, wcu: 0, calls: 2 * indexes.size };
  for (const need of indexNeeds(graph).filter(({ name }) => indexes.has(name))) {
    // Scanned items have the keys of derived indexes under Edgeloom's own names, not the table's.
    const { partition, sort } = need.index === undefined ? need : INDEX_KEYS[need.index];
    for (const { item, share } of sample.items) {
      if (partition in item && sort in item) sum.wcu += share * writeUnits(itemSizeBytes(item));
    }
  }
  return sum;
}

export function estimateDeletion(isGone: ReturnType<typeof ownershipTest>, { sample }: EstimateOptions): Work {
  const sum = estimateWalk(sample);
  for (const gone of sample.items.filter(isGone)) {
    const units = Math.ceil(itemSizeBytes(gone.item) / WRITE_UNIT_BYTES);
    sum.wcu += gone.share * units * (1 + indexKeysOf(gone.item).length);
    sum.calls += gone.share;
  }
  return sum;
}

function estimateWalk({ bytes, itemCount }: TableSample): Work {
  const rcu = Math.max(1, bytes / READ_UNIT_BYTES);
  return { rcu, wcu: 0, calls: Math.max(1, itemCount / PAGE_ITEMS) };
}

/**
 * Estimates how many derived items are missing outside their base items' partitions. Compares the numbers of existing
 * and expected items, because a sample rarely has both partitions.
 */
class Elsewhere {
  private readonly byKey: ReadonlyMap<string, Item>;
  private readonly present: number;
  private expected = 0;
  private readonly writes: ((part: number) => void)[] = [];

  constructor({ items }: TableSample, isOne: (item: SampledItem) => boolean) {
    const all = items.filter(isOne);
    this.byKey = new Map(all.map(({ source, target, item }) => [`${source}\0${target}`, item]));
    this.present = all.reduce((sum, { share }) => sum + share, 0);
  }

  stored({ source, sortKey }: Pick<ExpectedItem, 'source' | 'sortKey'>): Item | undefined {
    return this.byKey.get(`${source}\0${sortKey}`);
  }

  /** `end` calls `write` with the missing fraction of all expected items. */
  addExpected(share: number, write: (part: number) => void): void {
    this.expected += share;
    this.writes.push(write);
  }

  end(): void {
    const part = this.expected === 0 ? 0 : Math.max(0, 1 - this.present / this.expected);
    for (const write of this.writes) write(part);
  }
}

function partitionsOf({ items, partitionShare }: TableSample): SampledPartition[] {
  const bySource = new Map<string, SampledItem[]>();
  for (const item of items) {
    const own = bySource.get(item.source);
    if (own === undefined) bySource.set(item.source, [item]);
    else own.push(item);
  }
  return [...bySource].map(([source, own]) => ({
    source,
    items: own,
    byKey: new Map(own.map((item) => [item.target, item])),
    count: own.reduce((sum, { share }) => sum + share, 0) / partitionShare,
  }));
}

function readsOfBases(graph: CompiledModel, { source, target, item }: SampledItem, { sortKey }: ExpectedItem): number {
  const units = readUnits(itemSizeBytes(item), true);
  return isJoinedKey(graph, target, sortKey) ? units + sourceNodeKeys(graph, source).length : units;
}

/** Limited to the view's budget, because an edge type that makes the view too large is evicted. */
function expectedViewBytes(graph: CompiledModel, { source, items, byKey }: SampledPartition): number {
  const own = byKey.get(source)?.share ?? items[0]!.share;
  let bytes = STAMP_BYTES + source.length;
  for (const { target, item, share } of items) {
    if (!isBaseSortKey(target)) continue;
    const { attributes, element } = derivedOf(graph, source, target, item);
    if (target === source && attributes !== undefined) bytes += itemSizeBytes(attributes);
    if (element !== undefined) bytes += (share / own) * Buffer.byteLength(element);
  }
  return Math.min(bytes, viewBudgetBytes(graph, source));
}

function storedBytes({ items }: TableSample, index: IndexName): number {
  const { partition } = INDEX_KEYS[index];
  return items.reduce((sum, { source, target, item, share }) => {
    if (item[partition] === undefined) return sum;
    return sum + share * (itemSizeBytes(shownInIndex(index, item)) + source.length + target.length);
  }, 0);
}

function itemBytes({ source, sortKey, fields }: ExpectedItem): number {
  return itemSizeBytes(fields) + source.length + sortKey.length + STAMP_BYTES;
}

/** A counted item shares a transaction with its count and as many other items of that count as fit. */
function unitsOfWrite(fields: Item, bytes: number, sharers = 1): number {
  const units = writeUnits(bytes);
  const isCounted = fields[COUNTED] !== undefined;
  const together = Math.min(Math.max(1, sharers), TRANSACTION_ITEMS - 1);
  return units * (isCounted ? 2 : 1) + units * indexKeysOf(fields).length + (isCounted ? 2 / together : 0);
}

function indexKeysOf(fields: Item): IndexName[] {
  return INDEX_NAMES.filter((index) => fields[INDEX_KEYS[index].partition] !== undefined);
}
