import type { Item } from '../../core/items/attribute-value.ts';
import type { ChangeRecord } from '../../core/items/change-record.ts';
import { INDEX_KEYS, unchangedCondition } from '../../core/items/derived-item.ts';
import { BEGINNINGS, isPlainKey } from '../../core/items/derived-key.ts';
import { textOfKey, VIEW_KEY } from '../../core/items/keys.ts';
import { kindOfDerivedKey } from '../../core/kinds/all-kinds.ts';
import { isFanOutOpen } from '../../core/kinds/continuation.ts';
import { isInTargetOf } from '../../core/kinds/in-target.ts';
import { keysOfBase } from '../../core/kinds/joined.ts';
import { quarantineEntry } from '../../core/kinds/quarantine-entry.ts';
import type { CompiledModel, OfGraph } from '../../core/model/compiled.ts';
import { fanOutOfKey } from '../../core/model/projection/places.ts';
import { indexItemKeysOf } from '../../core/plan/index-item-keys.ts';
import { QUARANTINE_PARTITION, type QuarantineEntry, readEntry } from '../../core/plan/quarantine-entry.ts';
import { isReconcilable, itemTouch, keyOfTouch, type Touch, viewTouch } from '../../core/plan/touch.ts';
import { touched } from '../../core/plan/touched.ts';
import { itemUpdate } from '../../core/plan/writes/item-update.ts';
import { queryPages, readItem, readItems } from '../../core/store-pages.ts';
import type { ItemKey, QueryRequest, Store } from '../../core/store-port.ts';
import { runObserved, type TelemetryOption } from '../../core/telemetry.ts';
import { type EdgeloomError, StoreError } from '../../foundation/errors.ts';
import { forEachSettled, slicesOf } from '../../foundation/for-each.ts';
import { checkStoreOptions, type OptionNames } from '../../foundation/options.ts';
import { RUNTIME_OPTIONS, type RuntimeOptions, runtimeOf } from '../../foundation/runtime.ts';
import {
  type ApplyContext,
  type ApplyStats,
  epochSeconds,
  noStats,
  OutOfTimeError,
  RECONCILE_CALLS_AT_ONCE,
  retryingWithin,
  updateItem,
} from '../../reconcile/apply-context.ts';
import { BaseItems } from '../../reconcile/base-items.ts';
import { beginFanOut, restartFanOut } from '../../reconcile/fan-out.ts';
import { halves, reconcile, reconcileOrThrow } from '../../reconcile/reconcile.ts';
import { registeredModel, type WriterModel } from '../../registry/writer-model.ts';
import { runAbortable } from '../../store/abortable.ts';
import { keyOfItem } from '../../store/table-walk.ts';

/** Options of `redrive`. */
export interface RedriveOptions extends RuntimeOptions, TelemetryOption {
  /** The table with the quarantine. */
  store: Store;
  /** The quarantine entries to reconcile. Default: all in the index. */
  entries?: readonly Item[] | undefined;
  /**
   * Reconciles the entries of these nodes, including entries that no index lists and only a check finds. Default: all
   * in the index.
   */
  ids?: readonly string[] | undefined;
  /** Maximum number of calls in flight. Default: 32. */
  concurrency?: number | undefined;
  /**
   * The model to maintain. Default: the registry's, or `graph` without a registry or with an announced one. @internal
   */
  model?: WriterModel | undefined;
  /**
   * Called after each entry with the number of entries so far. For a failed batch: after each slice with the number of
   * reconciled records.
   */
  onProgress?: ((entries: number) => void) | undefined;
}

/** The result of `redrive`. */
export interface RedriveResult extends Pick<ApplyStats, 'writes' | 'wcu' | 'rcu'> {
  /** Number of entries tried; for a failed batch, number of its records. */
  entries: number;
  /**
   * Number of entries whose base item was reconciled, and which were cleared. For a failed batch, number of leading
   * records that were reconciled.
   */
  repaired: number;
  /** Number of entries whose cause remains, or for which there was no time, as `reasons` tells. */
  left: number;
  /** Number of quarantine entries for records of a failed batch. These records count as reconciled. */
  quarantined: number;
  /** Why entries are left; several for an entry with several faults. */
  reasons: string[];
}

const OPTIONS: OptionNames<RedriveOptions> = {
  store: true,
  entries: true,
  ids: true,
  concurrency: 'count',
  model: 'internal',
  onProgress: 'function',
  telemetry: true,
  ...RUNTIME_OPTIONS,
};

/**
 * Reconciles every quarantined record with its base item's current content, and clears its entry. An entry stays if its
 * base item still can't be derived, or its derived item still can't be written. Entries left when `signal` aborts stay
 * for the next redrive.
 */
export async function redrive(graph: CompiledModel, options: RedriveOptions): Promise<RedriveResult> {
  checkStoreOptions('redrive', options, OPTIONS);
  return await runObserved('redrive', { ...options, graph }, (observed) =>
    runAbortable(observed.store, observed, (store, wait) => redriveEntries({ ...observed, store }, wait)),
  );
}

async function redriveEntries(options: OfGraph<RedriveOptions>, wait: ApplyContext['wait']): Promise<RedriveResult> {
  const { entries, ids, onProgress } = options;
  const context = await makeContext(options, wait);
  const result = emptyRedrive();
  const endOrLeave = async (item: Item, reasons: Reasons): Promise<void> => {
    result.entries += 1;
    if (reasons.length === 0) await clearEntry(context, item, result);
    else {
      result.left += 1;
      result.reasons.push(...reasons);
      const isListed = item[INDEX_KEYS.gsi0.partition] !== undefined;
      if (options.remainingMs !== undefined && isListed) await moveEntryBack(context, item);
    }
    onProgress?.(result.entries);
  };
  const found =
    entries === undefined
      ? quarantineEntries(context, result, ids?.map(entriesOfNode) ?? [ALL_ENTRIES])
      : slicesOf(entries, TOGETHER);
  for await (const items of found) {
    const reasons = await reconcileEntries(context, items);
    const { concurrency = RECONCILE_CALLS_AT_ONCE } = context;
    await forEachSettled(items.entries(), ([i, item]) => endOrLeave(item, reasons[i]!), { concurrency });
  }
  const { writes, wcu, rcu } = context.stats;
  return { ...result, writes, wcu, rcu };
}

export function emptyRedrive(): RedriveResult {
  return { entries: 0, repaired: 0, left: 0, quarantined: 0, reasons: [], writes: 0, wcu: 0, rcu: 0 };
}

export function addRedrive(total: RedriveResult, { reasons, ...counts }: RedriveResult): void {
  total.reasons.push(...reasons);
  for (const [name, count] of Object.entries(counts)) total[name as keyof typeof counts] += count;
}

/**
 * Replaces an entry by a tombstone, unless the entry was written again, which means another failure. If the entry were
 * deleted, its revisions would start over, and a worker with the old entry could overwrite the next one.
 */
async function clearEntry(context: ApplyContext, item: Item, result: RedriveResult): Promise<void> {
  const key = keyOfItem(context.graph.table, item);
  // rule: redriven-entry-leaves-a-tombstone
  const { applied } = await updateItem(context, itemUpdate(context.graph, key, item, undefined, epochSeconds(context)));
  const present = applied ? undefined : await readItem(context, key);
  // The entry may have been cleared when its base item was corrected.
  if (present === undefined || !quarantineEntry.isLive(present)) result.repaired += 1;
  else {
    result.left += 1;
    const { reason } = readEntry(context.graph, present);
    result.reasons.push(`${key.source} ${key.target}: the entry has changed meanwhile. ${reason}`.trimEnd());
  }
}

async function makeContext(options: OfGraph<RedriveOptions>, wait: ApplyContext['wait']): Promise<ApplyContext> {
  const { store } = options;
  const { model = registeredModel(options.graph, store) } = options;
  const stats = noStats();
  const graph = await model.current(stats);
  const { concurrency } = options;
  return { graph, store, stats, ...(concurrency !== undefined && { concurrency }), ...runtimeOf({ ...options, wait }) };
}

const TOGETHER = 100;

const ALL_ENTRIES: QueryRequest = { index: 'gsi0', partition: QUARANTINE_PARTITION };

function entriesOfNode(partition: string): QueryRequest {
  return { partition, sortKey: { beginsWith: BEGINNINGS['quarantine-entry'] }, consistent: true };
}

/**
 * Yields the index's entries in the order of their last try, oldest first. May include entries written during the run.
 * When time runs out, counts the rest of the page as left.
 */
async function* quarantineEntries(
  context: ApplyContext,
  result: RedriveResult,
  requests: readonly QueryRequest[],
): AsyncGenerator<Item[]> {
  const met = new Set<string>();
  const isNew = (item: Item): boolean => {
    const name = textOfKey(keyOfItem(context.graph.table, item));
    return quarantineEntry.isLive(item) && !met.has(name) && met.add(name) !== undefined;
  };
  for await (const page of pagesOf(context, requests)) {
    const entries = page.filter(isNew);
    for (let start = 0; start < entries.length; start += TOGETHER) {
      if (context.remainingMs() <= 0) {
        const { source, target } = keyOfItem(context.graph.table, entries[start]!);
        const left = entries.length - start;
        result.entries += left;
        result.left += left;
        result.reasons.push(`The time is over: entries from ${source} ${target} on wait for the next run.`);
        return;
      }
      yield entries.slice(start, start + TOGETHER);
    }
  }
}

/** An index lacks the entries' revisions and may list deleted entries, so they are read from the table. */
async function* pagesOf(context: ApplyContext, requests: readonly QueryRequest[]): AsyncGenerator<Item[], void> {
  for (const request of requests) {
    for await (const { items } of queryPages(context.store, request, context.stats)) {
      if (request.index === undefined) {
        yield items;
        continue;
      }
      const keys = items.map((item) => keyOfItem(context.graph.table, item));
      yield (await readItems(context, keys)).filter((item) => item !== undefined);
    }
  }
}

/** Moves an entry behind all others, so that the next run begins with entries that this run didn't try. */
async function moveEntryBack(context: ApplyContext, item: Item): Promise<void> {
  const place = `${new Date(context.now()).toISOString()}/${keyOfItem(context.graph.table, item).source}`;
  await updateItem(context, {
    key: keyOfItem(context.graph.table, item),
    set: { [INDEX_KEYS.gsi0.sort]: { S: place } },
    unset: [],
    condition: unchangedCondition(item, context.graph.table.ttl),
  });
}

/** Why an entry has to stay; empty if it is reconciled. */
type Reasons = readonly string[];

async function reconcileEntries(context: ApplyContext, items: readonly Item[]): Promise<Reasons[]> {
  const entries = items.map((item) => readEntry(context.graph, item));
  try {
    return await retryingWithin(context, () => reconcileTogether(context, entries));
  } catch (error) {
    if (!isOfEntry(error)) throw error;
    const isTerminal = error instanceof StoreError && error.kind === 'terminal';
    if (!isTerminal || items.length === 1) return entries.map((entry) => [reasonOf(entry, error)]);
    // DynamoDB refuses a whole call for one bad key, so the entries are tried in halves.
    const reasons: Reasons[] = [];
    for (const half of halves(items)) reasons.push(...(await reconcileEntries(context, half)));
    return reasons;
  }
}

function isOfEntry(error: unknown): error is EdgeloomError {
  return error instanceof OutOfTimeError || (error instanceof StoreError && error.kind !== 'fatal');
}

function reasonOf({ source, target }: ItemKey, { message }: { message: string }): string {
  return `${source} ${target}: ${message}`;
}

async function reconcileTogether(context: ApplyContext, entries: readonly QuarantineEntry[]): Promise<Reasons[]> {
  const { graph } = context;
  // An entry without a target doesn't name its base item. Reconciling the view ends the entry; a check finds what else
  // is wrong.
  const isOfView = ({ target }: QuarantineEntry): boolean => target === VIEW_KEY || target === '';
  const reasons = new Map(entries.map((entry): [QuarantineEntry, string[]] => [entry, []]));
  const addReason = (entry: QuarantineEntry, error: { message: string }): void => {
    reasons.get(entry)!.push(reasonOf(entry, error));
  };
  const reconcileOr = async (entry: QuarantineEntry, run: () => Promise<void>): Promise<void> => {
    try {
      await retryingWithin(context, run);
    } catch (error) {
      if (!isOfEntry(error)) throw error;
      addReason(entry, error);
    }
  };
  for (const entry of entries.filter(isOfView)) {
    const view = { ...viewTouch(entry.source, [entry.source]), isWhole: true as const };
    await reconcileOr(entry, () => reconcileOrThrow(context, [view], { isScan: true }));
  }
  const ofBases = entries.filter((entry) => !isOfView(entry));
  const bases = await BaseItems.read(
    context,
    ofBases.flatMap((entry) => keysOfBase(graph, keyOfBase(entry))),
  );
  const byRecord = new Map(ofBases.map((entry) => [recordOf(entry, bases), entry]));
  const touches = touchesOf(graph, byRecord);
  const fail = ({ records }: Pick<Touch, 'records'>, error: EdgeloomError): void => {
    if (!isOfEntry(error)) throw error;
    for (const record of records) addReason(byRecord.get(record)!, error);
  };
  for (const { touch, error } of await reconcile(context, touches.filter(isReconcilable))) fail(touch, error);
  // The lost records may have changed what the children copy.
  for (const touch of touches) {
    if (touch.kind !== 'fan-out') continue;
    for (const record of touch.records) await reconcileOr(byRecord.get(record)!, () => beginFanOut(context, touch));
  }
  for (const entry of ofBases) {
    await reconcileOr(entry, () => driveOpenFanOuts(context, entry));
    for (const problem of bases.derivedOf(keyOfBase(entry)).problems) addReason(entry, problem);
  }
  // Several items of an entry may fail for the same reason.
  return entries.map((entry) => [...new Set(reasons.get(entry))]);
}

function keyOfBase({ source, target }: QuarantineEntry): ItemKey {
  return { source, target };
}

/** Stands for the lost records of a base item. */
function recordOf(entry: QuarantineEntry, bases: BaseItems): ChangeRecord {
  const base = keyOfBase(entry);
  const image = bases.imageOf(base);
  return { ...base, ...(image && { newImage: image }), stream: '', sequenceNumber: '0', isPartial: true };
}

function touchesOf(graph: CompiledModel, byRecord: ReadonlyMap<ChangeRecord, QuarantineEntry>): Touch[] {
  // Leaves out the entries' own items: `clearEntry` ends them under the revision that was read.
  const touches = touched(graph, [...byRecord.keys()]).filter(({ kind }) => kind !== 'entry');
  const known = new Set(touches.map((touch) => textOfKey(keyOfTouch(touch))));
  for (const [record, entry] of byRecord) {
    const base = keyOfBase(entry);
    const { source, derivedKeys, elsewhere } = entry;
    const named = derivedKeys.filter(reconcilableTest(graph, base)).map((target): ItemKey => ({ source, target }));
    if (elsewhere !== undefined && isInTargetOf(graph, base, elsewhere)) named.push(elsewhere);
    for (const key of named) {
      if (key.target === VIEW_KEY || known.has(textOfKey(key))) continue;
      known.add(textOfKey(key));
      touches.push({ ...itemTouch(key, base), records: [record] });
    }
  }
  return touches;
}

/** Restarts fan-outs whose next step was refused, because only the record of that step would have continued them. */
async function driveOpenFanOuts(context: ApplyContext, { source, derivedKeys }: QuarantineEntry): Promise<void> {
  for (const target of derivedKeys) {
    if (fanOutOfKey(target) === undefined) continue;
    const key = { source, target };
    if (isFanOutOpen(await readItem(context, key))) await restartFanOut(context, key);
  }
}

/**
 * Accepts only keys that the base item determines, because anyone who may write to the table can forge an entry. Leaves
 * items of retired generations alone: their count isn't maintained, so it would still include a deleted item, and a new
 * registry may assign the same id again.
 */
function reconcilableTest(graph: CompiledModel, base: ItemKey): (sortKey: string) => boolean {
  const itemKeys = indexItemKeysOf(graph, base);
  return (sortKey) => {
    if (kindOfDerivedKey(sortKey)?.kind.hasBase !== true) return false;
    // Always accepts plain keys, because tables without a registry have no others.
    if (isPlainKey(sortKey)) return true;
    // rule: redrive-leaves-unknown-generations-alone
    return itemKeys.some(({ key, isPrefix }) => (isPrefix ? sortKey.startsWith(key) : key === sortKey));
  };
}
