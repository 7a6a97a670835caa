import { type Item, stringOf } from '../../core/items/attribute-value.ts';
import { INDEX_KEYS, unchangedCondition } from '../../core/items/derived-item.ts';
import { BEGINNINGS, isPlainKey } from '../../core/items/derived-key.ts';
import { isTypeName, textOfKey, typePrefix, VIEW_KEY } from '../../core/items/keys.ts';
import { kindOfDerivedKey } from '../../core/kinds/all-kinds.ts';
import { isFanOutOpen } from '../../core/kinds/continuation.ts';
import type { Derived } from '../../core/kinds/derived.ts';
import { isInTargetOf, keysInTarget } from '../../core/kinds/in-target.ts';
import { joinedKeysOf } from '../../core/kinds/joined.ts';
import { quarantineEntry } from '../../core/kinds/quarantine-entry.ts';
import { keepsViews } from '../../core/kinds/view.ts';
import type { CompiledModel, OfGraph } from '../../core/model/compiled.ts';
import { needsSource, sourceNodeKeys, sourceNodeOf } from '../../core/model/joined.ts';
import { fanOutOfKey } from '../../core/model/projection/places.ts';
import { derivedOf } from '../../core/plan/derive.ts';
import { fanOutsOf } from '../../core/plan/fan-out.ts';
import { indexItemKeysOf } from '../../core/plan/index-item-keys.ts';
import { QUARANTINE_PARTITION, type QuarantineEntry, readEntry } from '../../core/plan/quarantine-entry.ts';
import { itemTouch, viewTouch } from '../../core/plan/touch.ts';
import { itemUpdate } from '../../core/plan/writes/item-update.ts';
import { queryPages, readItem, readItems } from '../../core/store-pages.ts';
import type { ItemKey, QueryRequest, Store } from '../../core/store-port.ts';
import { runObserved, type TelemetryOption } from '../../core/telemetry.ts';
import { StoreError } from '../../foundation/errors.ts';
import { forEachOf } from '../../foundation/for-each.ts';
import { checkStoreOptions, type OptionNames } from '../../foundation/options.ts';
import { RUNTIME_OPTIONS, type RuntimeOptions, runtimeOf } from '../../foundation/runtime.ts';
import {
  type ApplyContext,
  type ApplyStats,
  epochSeconds,
  noStats,
  OutOfTimeError,
  retryingWithin,
  updateItem,
} from '../../reconcile/apply-context.ts';
import { beginFanOut, restartFanOut } from '../../reconcile/fan-out.ts';
import { type Reconcilable, reconcileOrThrow } from '../../reconcile/touches.ts';
import { reconcileView } from '../../reconcile/view.ts';
import { registeredModel, type WriterModel } from '../../registry/writer-model.ts';
import { runAbortable } from '../../store/abortable.ts';

/** Options of a redrive. */
export interface RedriveOptions extends RuntimeOptions, TelemetryOption {
  /** The table. */
  store: Store;
  /** The quarantine entries to reconcile. Default: all, as the index names them. */
  entries?: readonly Item[] | undefined;
  /** The nodes whose entries are reconciled, also those that the table has taken into no index: a check names them. Default: all entries of the index. */
  ids?: readonly string[] | undefined;
  /** Entries in flight at once. Default 8. */
  concurrency?: number | undefined;
  /** The model to maintain. Default: the one that the table's registry describes; without a registry the model itself. @internal */
  model?: WriterModel | undefined;
  /** Called after each entry, with the number of entries so far. */
  onProgress?: ((entries: number) => void) | undefined;
}

/** The result of a redrive. */
export interface RedriveResult extends Pick<ApplyStats, 'writes' | 'wcu' | 'rcu'> {
  /** Entries looked at; for a failed batch: its records. */
  entries: number;
  /**
   * Entries that were reconciled with their base item, and are over. For a failed batch: the number of records, from the first, that
   * are reconciled.
   */
  repaired: number;
  /** Entries whose cause remains, or for which there was no time; `reasons` says which. */
  left: number;
  /** Quarantine entries for records of a failed batch. These records count as reconciled. */
  quarantined: number;
  reasons: string[];
}

const OPTIONS: OptionNames<RedriveOptions> = {
  store: true,
  entries: true,
  ids: true,
  concurrency: true,
  model: true,
  onProgress: true,
  telemetry: true,
  ...RUNTIME_OPTIONS,
};

/**
 * Reconciles every quarantined record with its base item as it is now, never with the record's images, and ends its entry. An
 * entry stays if the base item still cannot be derived, or if its derived item still cannot be written. Entries that a `signal`
 * leaves unprocessed stay for the next redrive.
 */
export async function redrive(graph: CompiledModel, options: RedriveOptions): Promise<RedriveResult> {
  checkStoreOptions('redrive', options, OPTIONS);
  return await runObserved('redrive', { ...options, graph }, (observed) =>
    runAbortable(observed.store, observed, (store, wait) => redriveEntries({ ...observed, store }, wait)),
  );
}

async function redriveEntries(options: OfGraph<RedriveOptions>, wait: ApplyContext['wait']): Promise<RedriveResult> {
  const { concurrency = 8, entries, ids, onProgress } = options;
  const context = await makeContext(options, wait);
  const { graph } = context;
  const result = emptyRedrive();
  await forEachOf(
    entries ?? quarantineEntries(context, result, ids?.map(entriesOfNode) ?? [ALL_ENTRIES]),
    async (item) => {
      const entry = readEntry(graph, item);
      const reason = await reconcileEntry(context, entry);
      result.entries += 1;
      if (reason === undefined) {
        await clearEntry(context, item, result);
      } else {
        result.left += 1;
        result.reasons.push(reason);
        if (options.remainingMs !== undefined && isListed(item)) await moveEntryBack(context, item);
      }
      onProgress?.(result.entries);
    },
    { concurrency },
  );
  const { writes, wcu, rcu } = context.stats;
  return { ...result, writes, wcu, rcu };
}

/** The result of a redrive without entries. */
export function emptyRedrive(): RedriveResult {
  return { entries: 0, repaired: 0, left: 0, quarantined: 0, reasons: [], writes: 0, wcu: 0, rcu: 0 };
}

/** Adds a result to a total. */
export function addRedrive(total: RedriveResult, { reasons, ...counts }: RedriveResult): void {
  total.reasons.push(...reasons);
  for (const [name, count] of Object.entries(counts)) total[name as keyof typeof counts] += count;
}

/**
 * Makes a reconciled entry a tombstone, unless it was written again meanwhile: then it represents another failure. To delete the entry would
 * begin its revisions again: a worker that holds the entry of now could bury the next one.
 */
async function clearEntry(context: ApplyContext, item: Item, result: RedriveResult): Promise<void> {
  const key = ownKeyOfEntry(context, item);
  // rule: redriven-entry-leaves-a-tombstone
  const { applied } = await updateItem(context, itemUpdate(context.graph, key, item, undefined, epochSeconds(context)));
  const present = applied ? undefined : await readItem(context, key);
  // The entry of a base item may have gone with the fault.
  if (present === undefined || !quarantineEntry.isLive(present)) result.repaired += 1;
  else {
    result.left += 1;
    const { reason } = readEntry(context.graph, present);
    result.reasons.push(`${key.source} ${key.target}: the entry has changed meanwhile. ${reason}`.trimEnd());
  }
}

/** Makes the context. It reads the model to maintain after the records are read, as the projector does. */
async function makeContext(options: OfGraph<RedriveOptions>, wait: ApplyContext['wait']): Promise<ApplyContext> {
  const { store } = options;
  const { model = registeredModel(options.graph, store) } = options;
  const stats = noStats();
  const graph = await model.current(stats);
  return { graph, store, stats, ...runtimeOf({ ...options, wait }) };
}

const ALL_ENTRIES: QueryRequest = { index: 'gsi0', partition: QUARANTINE_PARTITION };

function entriesOfNode(partition: string): QueryRequest {
  return { partition, sortKey: { beginsWith: BEGINNINGS['quarantine-entry'] }, consistent: true };
}

/** Tells whether an index shows an entry. */
function isListed(item: Item): boolean {
  return item[INDEX_KEYS.gsi0.partition] !== undefined;
}

/**
 * Yields the entries as of the start of each page, ordered by the time when they were made or last tried. It may also yield entries
 * that are written meanwhile. It ends when time is over, and counts the rest of its page as left.
 */
async function* quarantineEntries(
  context: ApplyContext,
  result: RedriveResult,
  requests: readonly QueryRequest[],
): AsyncGenerator<Item> {
  const met = new Set<string>();
  for await (const page of pagesOf(context, requests)) {
    for (const [i, item] of page.entries()) {
      const { source, target } = ownKeyOfEntry(context, item);
      if (context.remainingMs() <= 0) {
        const left = page.length - i;
        result.entries += left;
        result.left += left;
        result.reasons.push(`The time is over: entries from ${source} ${target} on wait for the next run.`);
        return;
      }
      if (!quarantineEntry.isLive(item)) continue;
      // An entry that was moved back appears a second time at the end.
      const key = JSON.stringify([source, target]);
      if (met.has(key)) continue;
      met.add(key);
      yield item;
    }
  }
}

/** Pages of whole entries: an index names them, without the revision, and may name one that is gone. */
async function* pagesOf(context: ApplyContext, requests: readonly QueryRequest[]): AsyncGenerator<Item[], void> {
  for (const request of requests) {
    for await (const { items } of queryPages(context.store, request, context.stats)) {
      if (request.index === undefined) {
        yield items;
        continue;
      }
      const keys = items.map((item) => ownKeyOfEntry(context, item));
      yield (await readItems(context, keys)).filter((item) => item !== undefined);
    }
  }
}

/**
 * Moves an entry whose cause remains behind all others. So a run that ends early begins the next time with entries that it has not
 * tried.
 */
async function moveEntryBack(context: ApplyContext, item: Item): Promise<void> {
  const place = `${new Date(context.now()).toISOString()}/${ownKeyOfEntry(context, item).source}`;
  await updateItem(context, {
    key: ownKeyOfEntry(context, item),
    set: { [INDEX_KEYS.gsi0.sort]: { S: place } },
    unset: [],
    // The condition holds for this entry only: one that was written again meanwhile represents another failure.
    condition: unchangedCondition(item, context.graph.table.ttl),
  });
}

function ownKeyOfEntry({ graph }: ApplyContext, item: Item): ItemKey {
  const { partitionKey, sortKey } = graph.table;
  return { source: stringOf(item[partitionKey]) ?? '', target: stringOf(item[sortKey]) ?? '' };
}

/**
 * Reconciles the items that an entry names; `was`: the entry. Returns why the entry has to stay, or whether it is gone by itself: the entry
 * of a base item is reconciled with it.
 */
function reconcileEntry(context: ApplyContext, entry: QuarantineEntry): Promise<string | undefined> {
  return tryReconcile(context, entry, () => reconcileEntryOnce(context, entry));
}

async function tryReconcile(
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

async function reconcileEntryOnce(context: ApplyContext, entry: QuarantineEntry): Promise<string | undefined> {
  const { graph } = context;
  const { source, target } = entry;
  // An entry that names no item could be tried for ever. So the view is reconciled, and a check finds the rest.
  if (target === VIEW_KEY || target === '') {
    await reconcileView(context, source);
    return undefined;
  }
  const base = { source, target };
  const image = await readItem(context, base);
  const expected = derivedOf(graph, source, target, image);
  const joinedKeys = joinedKeysOf(graph, typePrefix(target) ?? '', target);
  const named = entry.derivedKeys.filter(reconcilableTest(graph, base));
  const keys = new Set([...named, ...expected.indexItems.keys(), ...joinedKeys]);
  keys.delete(VIEW_KEY);
  const inTarget = new Map(keysInTarget(graph, base, image).map((one) => [textOfKey(one), one]));
  const { elsewhere } = entry;
  if (elsewhere !== undefined && isInTargetOf(graph, base, elsewhere)) inTarget.set(textOfKey(elsewhere), elsewhere);
  const items = [...[...keys].map((sortKey) => ({ source, target: sortKey })), ...inTarget.values()];
  const touches: Reconcilable[] = items.map((key) => itemTouch(key, base));
  if (!isTypeName(target) && keepsViews(graph, typePrefix(source) ?? '')) touches.push(viewTouch(source, [target]));
  await reconcileOrThrow(context, touches);
  // Each child has to get the attributes of the node, or of its part, which the records may have changed.
  for (const fanOut of fanOutsOf(graph, base)) await beginFanOut(context, fanOut);
  await driveOpenFanOuts(context, entry);
  const [problem] = await problemsOf(context, base, expected);
  return problem === undefined ? undefined : `${source} ${target}: ${problem.message}`;
}

/**
 * Has the fan-outs of an entry go on that are still open: the write was refused that moves them, and the record of such a write is all that
 * drives them.
 */
async function driveOpenFanOuts(context: ApplyContext, { source, derivedKeys }: QuarantineEntry): Promise<void> {
  for (const target of derivedKeys) {
    if (fanOutOfKey(target) === undefined) continue;
    const key = { source, target };
    if (isFanOutOpen(await readItem(context, key))) await restartFanOut(context, key);
  }
}

/**
 * Tells the keys of an entry that are reconciled: those of items that a base item decides. Whoever may write the table may forge an entry.
 * An entry may also name a generation that is retired, or that only a deleted registry kept. An item of such a generation is left
 * alone: the model does not keep its count, which would go on counting a tombstone. A new registry may assign the same id again.
 */
function reconcilableTest(graph: CompiledModel, base: ItemKey): (sortKey: string) => boolean {
  const itemKeys = indexItemKeysOf(graph, base);
  return (sortKey) => {
    if (kindOfDerivedKey(sortKey)?.kind.hasBase !== true) return false;
    // Plain keys have been there without a registry too.
    if (isPlainKey(sortKey)) return true;
    // rule: redrive-leaves-unknown-generations-alone
    return itemKeys.some(({ key, isPrefix }) => (isPrefix ? sortKey.startsWith(key) : key === sortKey));
  };
}

/** The problems of deriving from a base item, by itself and with its source node. */
async function problemsOf(context: ApplyContext, key: ItemKey, expected: Derived): Promise<Derived['problems']> {
  const { source, target } = key;
  if (!needsSource(context.graph, target)) return expected.problems;
  const { graph } = context;
  const ofNode = sourceNodeKeys(graph, source).map((piece) => ({ source, target: piece }));
  const [edge, ...node] = await readItems(context, [key, ...ofNode]);
  return derivedOf(graph, source, target, edge, sourceNodeOf(graph, source, node)).problems;
}
