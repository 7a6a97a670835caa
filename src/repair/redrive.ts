import pMap from 'p-map';
import { type ApplyContext, type ApplyStats, OutOfTimeError, retryingWithin } from '../apply/context.ts';
import { applyContinuationUnit, applyFanOutUnit } from '../apply/fan-out.ts';
import { StoreError } from '../errors.ts';
import { type Item, stringOf } from '../items/attribute-value.ts';
import type { ChangeRecord } from '../items/change-record.ts';
import { unchanged, WATERMARK } from '../items/derived-item.ts';
import { VIEW_KEY } from '../items/keys.ts';
import type { CompiledModel } from '../model/compiled.ts';
import { reverseOf } from '../plan/copies.ts';
import { derivedOf } from '../plan/derive.ts';
import { continuationUnit, fanOutsOf } from '../plan/fan-out.ts';
import { QUARANTINE_PARTITION, type QuarantineEntry, readEntry } from '../plan/quarantine-entry.ts';
import { sleep } from '../retry.ts';
import { queriedItems, readItem } from '../store/pages.ts';
import type { ItemKey, Store } from '../store/port.ts';
import { isContinuationKey } from '../stream/filter.ts';
import { settleIndexItem } from './settle/index-item.ts';
import { settleView, settleViewParts } from './settle/view.ts';

/** Options of a redrive. */
export interface RedriveOptions {
  graph: CompiledModel;
  /** The table. */
  store: Store;
  /** Entries in flight at once. Default 8. */
  concurrency?: number | undefined;
  /** Milliseconds left, asked again and again. Default: no end. */
  remainingMs?: (() => number) | undefined;
  /** Clock in milliseconds since 1970. Default: the machine's. */
  now?: (() => number) | undefined;
  /** Called as entries are settled, with how many so far. */
  onProgress?: ((entries: number) => void) | undefined;
}

/** What a redrive came to. */
export interface RedriveResult extends Pick<ApplyStats, 'writes' | 'wcu' | 'rcu'> {
  /** Entries looked at. */
  entries: number;
  /** Entries settled by their base item, and cleared. */
  repaired: number;
  /** Entries whose cause is still there; `reasons` says which. */
  left: number;
  reasons: string[];
}

/**
 * Settles every quarantined record by its base item as it is now, never by the record's images, and clears its entry. An
 * entry stays where the base item still cannot be derived, or its derived item still not be written.
 */
export async function redrive(options: RedriveOptions): Promise<RedriveResult> {
  const { graph, concurrency = 8, onProgress } = options;
  const context = contextOf(options);
  const result = emptyRedrive();
  await pMap(
    quarantined(context),
    async (item) => {
      const entry = readEntry(graph, item);
      const reason = await settleEntry(context, entry, stringOf(item[WATERMARK]) ?? '');
      result.entries += 1;
      if (reason === undefined) {
        await clear(context, item, result);
      } else {
        result.left += 1;
        result.reasons.push(reason);
      }
      onProgress?.(result.entries);
    },
    { concurrency },
  );
  const { writes, wcu, rcu } = context.stats;
  return { ...result, writes, wcu, rcu };
}

/**
 * Settles everything that some records of the stream concern, as after an event source mapping gave up on them: by the
 * base items as they are now, with the derived keys of both images.
 */
export async function redriveRecords(
  records: readonly ChangeRecord[],
  options: RedriveOptions,
): Promise<RedriveResult> {
  const { graph, concurrency = 8, onProgress } = options;
  const context = contextOf(options);
  const result = emptyRedrive();
  await pMap(
    records,
    async (record) => {
      const { source, target, position } = record;
      const images = [record.oldImage, record.newImage].map((image) => derivedOf(graph, source, target, image));
      const keys = new Set(images.flatMap(({ indexItems }) => [...indexItems.keys()]));
      const entry: QuarantineEntry = {
        source,
        target,
        code: '',
        reason: '',
        since: '',
        derivedKeys: [VIEW_KEY, ...keys],
      };
      const reason = isContinuationKey(target)
        ? await attempted(context, record, () => goOn(context, record))
        : await settleEntry(context, entry, position);
      result.entries += 1;
      if (reason === undefined) result.repaired += 1;
      else {
        result.left += 1;
        result.reasons.push(reason);
      }
      onProgress?.(result.entries);
    },
    { concurrency },
  );
  const { writes, wcu, rcu } = context.stats;
  return { ...result, writes, wcu, rcu };
}

/** The result of nothing. */
export function emptyRedrive(): RedriveResult {
  return { entries: 0, repaired: 0, left: 0, reasons: [], writes: 0, wcu: 0, rcu: 0 };
}

/** Adds a result to a total. */
export function addRedrive(total: RedriveResult, { reasons, ...counts }: RedriveResult): void {
  total.reasons.push(...reasons);
  for (const [name, count] of Object.entries(counts)) total[name as keyof typeof counts] += count;
}

/** Deletes a settled entry, unless it was written again meanwhile: then it stands for another failure. */
async function clear({ graph, store, stats }: ApplyContext, item: Item, result: RedriveResult): Promise<void> {
  const { partitionKey, sortKey } = graph.table;
  const key = { source: stringOf(item[partitionKey]) ?? '', target: stringOf(item[sortKey]) ?? '' };
  const { applied, wcu } = await store.delete(key, unchanged(item));
  stats.wcu += wcu;
  if (applied) result.repaired += 1;
  else {
    result.left += 1;
    result.reasons.push(`${key.source} ${key.target}: the entry has changed meanwhile`);
  }
}

function contextOf(options: RedriveOptions): ApplyContext {
  const { graph, store, now = Date.now, remainingMs = () => Number.POSITIVE_INFINITY } = options;
  const stats: ApplyStats = { writes: 0, wcu: 0, rcu: 0, stale: 0, contradictions: 0, quarantined: 0 };
  return { graph, store, now, remainingMs, stats, wait: sleep, random: Math.random };
}

/** The entries as they are at the start of each page; new ones that come meanwhile may be met too. */
function quarantined({ store, stats }: ApplyContext): AsyncGenerator<Item> {
  return queriedItems(store, { index: 'gsi0', partition: QUARANTINE_PARTITION }, stats);
}

/** Goes on with a fan-out from the page that a record of its continuation stands for. */
async function goOn(context: ApplyContext, record: ChangeRecord): Promise<undefined> {
  const { source, target } = record;
  const unit = continuationUnit(context.graph, { source, target, records: [record] });
  if (unit !== undefined) await applyContinuationUnit(context, unit);
}

/** Settles what an entry names; gives why it has to stay, or undefined where it is done. */
function settleEntry(context: ApplyContext, entry: QuarantineEntry, watermark: string): Promise<string | undefined> {
  return attempted(context, entry, () => settleOnce(context, entry, watermark));
}

async function attempted(
  context: ApplyContext,
  { source, target }: ItemKey,
  run: () => Promise<string | undefined>,
): Promise<string | undefined> {
  try {
    return await retryingWithin(context, run);
  } catch (error) {
    const isOfEntry = error instanceof OutOfTimeError || (error instanceof StoreError && error.kind !== 'fatal');
    if (!isOfEntry) throw error;
    return `${source} ${target}: ${error.message}`;
  }
}

async function settleOnce(
  context: ApplyContext,
  entry: QuarantineEntry,
  watermark: string,
): Promise<string | undefined> {
  const { graph } = context;
  const { source, target } = entry;
  if (target === VIEW_KEY) {
    await settleView(context, source, watermark);
    return undefined;
  }
  const wanted = derivedOf(graph, source, target, await readItem(context, { source, target }));
  const keys = new Set([...entry.derivedKeys, ...wanted.indexItems.keys()]);
  keys.delete(VIEW_KEY);
  const key = { source, target };
  const reverse = reverseOf(graph, key);
  // Before the view, for which the parent is read.
  if (reverse !== undefined) await settleIndexItem(context, key, reverse, watermark);
  await settleViewParts(context, source, [target], watermark);
  for (const sortKey of keys) await settleIndexItem(context, key, { source, target: sortKey }, watermark);
  // What the records said of the parent, each child has to be told.
  if (source === target) for (const unit of fanOutsOf(graph, source, watermark)) await applyFanOutUnit(context, unit);
  const [problem] = wanted.problems;
  return problem === undefined ? undefined : `${source} ${target}: ${problem.message}`;
}
