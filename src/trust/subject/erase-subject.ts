import pMap from 'p-map';
import { deleteNodeWithEdges } from '../../client/write/cascade.ts';
import { nodeKey } from '../../client/write/item/prepare.ts';
import { writeInBatches } from '../../client/write/write-batches.ts';
import { type Item, numberOf } from '../../core/items/attribute-value.ts';
import {
  ATTRIBUTES,
  COPIES,
  EDGE_SET,
  isTombstone,
  TOMBSTONE_HOURS,
  unchangedCondition,
} from '../../core/items/derived-item.ts';
import { SERVICE_PARTITION } from '../../core/items/keys.ts';
import { groupsAtZero, isZeroAmounts, storedAmounts } from '../../core/items/ledger.ts';
import { itemKindOf, kindOfDerivedKey } from '../../core/kinds/all-kinds.ts';
import { classifyBaseItem } from '../../core/model/base-item.ts';
import type { CompiledModel, OfGraph } from '../../core/model/compiled.ts';
import { GONE } from '../../core/model/gone.ts';
import { isMirrored } from '../../core/model/mirrored.ts';
import type { ItemKey, ScanSource, Store } from '../../core/store-port.ts';
import { EdgeloomError } from '../../foundation/errors.ts';
import { checkStoreOptions, type OptionNames } from '../../foundation/options.ts';
import { RUNTIME_OPTIONS, type Runtime, type RuntimeOptions, runtimeOf } from '../../foundation/runtime.ts';
import { registryLeases } from '../../registry/reader-lease.ts';
import { runAbortable } from '../../store/abortable.ts';
import { MeteredStore, RATE_OPTIONS, type RateOptions } from '../../store/metered.ts';
import type { WalkedItem } from '../../store/table-walk.ts';
import { check } from '../check/check.ts';
import { OBSERVER_KEY, withoutObserved } from '../observe/memory.ts';
import { redrive } from '../repair/redrive.ts';
import { changeErasure, type Erasure, forgetErasure, readErasure } from './erasure-record.ts';
import { outsideTheTable, type Remainder, Remainders } from './remainders.ts';
import { SubjectNames } from './subject-names.ts';
import { SUBJECT_SEGMENTS, type SubjectItem, walkForSubject } from './subject-walk.ts';

/** Options of `eraseSubject`. */
export interface SubjectEraseOptions extends RuntimeOptions, RateOptions {
  /** The table to erase from. */
  store: Store & ScanSource;
  /** The subject's node id. */
  id: string;
  /**
   * Also erases items that producers have written since the first run. Both runs start over. Default: false, so that
   * such items are only reported.
   */
  again?: boolean | undefined;
  /** Only reports what the table contains, without searching failed batches. Default: false. */
  dryRun?: boolean | undefined;
  /**
   * Reconciles and deletes failed batches that name the subject, once its base items are deleted. Default: failed
   * batches aren't searched.
   */
  eraseFailedBatches?: ((names: SubjectNames) => Promise<ErasedBatches>) | undefined;
  /** Number of segments that are read in parallel. Default: 8. */
  segments?: number | undefined;
  /**
   * Returns DynamoDB's time in milliseconds since 1970, such as `serverTime(graph, { client })`. Default: this
   * machine's clock.
   */
  serverTime?: (() => Promise<number | undefined>) | undefined;
  /** Called after each page with the number of items read in this walk. */
  onProgress?: ((items: number) => void) | undefined;
}

const OPTIONS: OptionNames<SubjectEraseOptions> = {
  store: true,
  id: true,
  again: 'boolean',
  dryRun: 'boolean',
  eraseFailedBatches: 'function',
  segments: 'count',
  serverTime: 'function',
  onProgress: 'function',
  ...RATE_OPTIONS,
  ...RUNTIME_OPTIONS,
};

/** Failed batches that were deleted, and those that remain. */
export interface ErasedBatches {
  deleted: number;
  remains: readonly Remainder[];
}

/** Numbers of items that one run deleted. */
export interface ErasedItems {
  nodes: number;
  parts: number;
  /** Edges that leave or enter the node. */
  edges: number;
  /** Base items of types outside the model, in the node's partition or with the sort key of an edge to it. */
  unknown: number;
  /** Tombstones, empty counts and empty views. */
  derived: number;
  /** Quarantine entries. */
  entries: number;
  failedBatches: number;
}

/** The result of `eraseSubject`. */
export interface SubjectErasure {
  deleted: ErasedItems;
  /** Everything that still names the subject, ending with the places that no run searches. */
  remains: Remainder[];
  /**
   * True if, after the last deletion, a read of the whole table found the id in no key and in no attribute's name or
   * value. An id within a longer string that may be another id doesn't count, but is in `remains`.
   */
  isDone: boolean;
  /** When the next run can delete the rest, ISO 8601; absent if waiting doesn't help. */
  next?: string;
  /** True if producers have written the subject again since the first run. */
  isWrittenAgain: boolean;
  /** True if time ran out before the run ended. Another run continues. */
  isStopped: boolean;
  rcu: number;
  wcu: number;
}

const HOUR_MS = 3_600_000;
/** Consumers may process the last deletions some time after the first run. */
const MARGIN_MS = HOUR_MS;
const STREAM_MS = 24 * HOUR_MS;
/** Maximum number of walks in a second run, which busy producers could prolong forever. */
const MOST_WALKS = 5;
const WALKS_INSTEAD: ReadonlySet<string> = new Set(['projection-not-ready', 'mirrored-type', 'condition-failed']);
const DELETES_AT_ONCE = 8;
const MOST_UNSET = 50;
/** A count may have many groups, and consumers may change it between attempts. */
const MOST_ATTEMPTS = 100;

/**
 * Erases a node: the node itself, its parts, its edges in both directions, and everything derived. This takes two runs.
 * The first deletes the base items. Consumers then leave tombstones, which still name the node and hold off late writes
 * until they expire 48 hours later. The second run deletes the tombstones, and reads the table once more to prove that
 * nothing is left. A run can be interrupted anywhere and repeated.
 *
 * Items that producers have written since the first run are only reported, unless `again` is set. Items of mirrored
 * types are also only reported, because they follow their source items; while any of these are left, each run counts as
 * a first one.
 *
 * @example
 * const { isDone, next, remains } = await eraseSubject(graph, { store, id: 'USER-U1' });
 */
export async function eraseSubject(graph: CompiledModel, options: SubjectEraseOptions): Promise<SubjectErasure> {
  checkStoreOptions('eraseSubject', options, OPTIONS);
  nodeKey(graph, options.id);
  return await runAbortable(options.store, options, async (store, wait) => {
    const runtime = runtimeOf({ ...options, wait });
    const startedMs = (await options.serverTime?.()) ?? runtime.now();
    return await new SubjectEraser({ ...options, graph, store }, runtime, startedMs).run();
  });
}

type WalkMode =
  | 'look'
  | 'delete'
  /** Deletes expired tombstones. Base items found now were written after the first run. */
  | 'clear';

interface Found {
  isWrittenAgain: boolean;
  hasOthers: boolean;
  /** Includes entries and failed batches, which are reconciled after the walk and may leave tombstones. */
  deleted: number;
  entries: Item[];
  wrong: Set<string>;
  /** When the last tombstone expires, in milliseconds since 1970; 0 if there is none. */
  tombstonesUntilMs: number;
  remainders: Remainders;
}

class SubjectEraser {
  private readonly store: MeteredStore;
  private readonly names: SubjectNames;
  private readonly offsetMs: number;
  private readonly total: ErasedItems = {
    ...{ nodes: 0, parts: 0, edges: 0, unknown: 0, derived: 0, entries: 0, failedBatches: 0 },
  };
  private batchesLeft: readonly Remainder[] = [];
  private isStopped = false;

  constructor(
    private readonly options: OfGraph<SubjectEraseOptions>,
    private readonly runtime: Runtime,
    startedMs: number,
  ) {
    const { graph, store, id, maxRcu, maxWcu } = options;
    const { remainingMs, wait, random } = runtime;
    this.store = new MeteredStore(store, { maxRcu, maxWcu, remainingMs, wait, random });
    this.names = new SubjectNames(id, graph);
    this.offsetMs = startedMs - runtime.now();
  }

  async run(): Promise<SubjectErasure> {
    const { id, dryRun = false, again = false } = this.options;
    const before = await readErasure(this.store, id);
    if (dryRun) return this.result(await this.walk('look'), before);
    if (before === undefined || before.stage === 'deleting' || again) return await this.first();
    if (this.nowMs() < before.tombstonesUntilMs) {
      const found = emptyFound(this.options.graph);
      found.remainders.add('tombstones, which have not expired; nothing was looked at');
      return this.result(found, before);
    }
    return await this.second(before);
  }

  private nowMs(): number {
    return this.runtime.now() + this.offsetMs;
  }

  private async first(): Promise<SubjectErasure> {
    const { id } = this.options;
    await changeErasure(this.store, id, (now) =>
      now?.stage === 'deleting' ? undefined : { stage: 'deleting', sinceMs: this.nowMs(), tombstonesUntilMs: 0 },
    );
    await this.deleteByLists();
    const found = await this.walk('delete');
    await this.eraseEntriesAndBatches(found);
    if (this.isStopped || found.hasOthers) return this.result(found, undefined);
    const tombstonesUntilMs = this.nowMs() + TOMBSTONE_HOURS * HOUR_MS + MARGIN_MS;
    const after = await changeErasure(this.store, id, (now) => ({
      stage: 'erased',
      sinceMs: now?.sinceMs ?? this.nowMs(),
      tombstonesUntilMs: Math.max(tombstonesUntilMs, now?.tombstonesUntilMs ?? 0),
    }));
    return this.result(found, after);
  }

  /**
   * Walks until a walk has nothing to delete or rebuild, or finds a tombstone that hasn't expired; at most `MOST_WALKS`
   * times.
   */
  private async second(before: Erasure): Promise<SubjectErasure> {
    const { id } = this.options;
    const rebuilt = new Set<string>();
    for (let walks = 1; ; walks++) {
      const found = await this.walk('clear', rebuilt);
      await this.eraseEntriesAndBatches(found);
      if (this.isStopped) return this.result(found, undefined);
      const canRebuild = !found.isWrittenAgain && found.wrong.size > 0 && walks < MOST_WALKS;
      if (canRebuild) await this.rebuild(found.wrong, rebuilt);
      else if (found.tombstonesUntilMs > this.nowMs()) {
        const { tombstonesUntilMs } = found;
        const after = await changeErasure(this.store, id, (now) => ({ ...(now ?? before), tombstonesUntilMs }));
        return this.result(found, after);
      } else if (found.deleted === 0 || walks >= MOST_WALKS) {
        const isDone = found.deleted === 0 && found.remainders.isEmpty && this.batchesLeft.length === 0;
        if (isDone) await forgetErasure(this.store, id);
        return this.result(found, undefined, isDone);
      }
    }
  }

  private async deleteByLists(): Promise<void> {
    const { graph, id } = this.options;
    try {
      const leases = registryLeases(graph, this.store);
      const { nodes, parts, edges } = await deleteNodeWithEdges(graph, this.store, id, { leases });
      this.total.nodes += nodes;
      this.total.parts += parts;
      this.total.edges += edges;
    } catch (error) {
      // A list that is being built doesn't name every edge, but the walk that follows finds them all.
      if (!(error instanceof EdgeloomError) || !WALKS_INSTEAD.has(error.code)) throw error;
    }
  }

  private async walk(mode: WalkMode, rebuilt: ReadonlySet<string> = new Set()): Promise<Found> {
    const { graph, segments = SUBJECT_SEGMENTS, onProgress } = this.options;
    const { remainingMs } = this.runtime;
    const found = emptyFound(graph);
    const cleaned = mode === 'clear' ? (item: WalkedItem) => this.withoutTraces(item) : undefined;
    const walk = { graph, source: this.store, names: this.names, segments, remainingMs, onProgress, cleaned };
    const isWhole = await walkForSubject(walk, async (items) => {
      const bases =
        mode === 'delete' ? items.filter((item) => item.role.kind === 'base' && !this.isOfOthers(item)) : [];
      const expired = mode === 'clear' ? items.filter((item) => this.canGo(item)) : [];
      const deleted = [...(await this.deleteBases(bases)), ...(await this.deleteDerived(expired))];
      found.deleted += deleted.length;
      const gone = new Set<WalkedItem>(deleted);
      for (const item of items) if (!gone.has(item)) this.note(item, mode, rebuilt, found);
      return deleted;
    });
    this.isStopped ||= !isWhole;
    return found;
  }

  /**
   * Removes the entries in the observer's state that name the subject, and a count's groups without edges, whose values
   * may be a name or an address.
   */
  private async withoutTraces(walked: WalkedItem): Promise<WalkedItem> {
    const { source, target } = walked;
    const kind = kindOfDerivedKey(target)?.kind.name;
    if (source === SERVICE_PARTITION && target === OBSERVER_KEY.target) {
      const item = await withoutObserved(this.store, (entry) => this.names.isNamedIn(entry));
      return item === undefined ? walked : { source, target, item };
    }
    // Counts in the subject's own partition are deleted as a whole.
    if ((kind !== 'count' && kind !== 'total') || source === this.options.id) return walked;
    let { item } = walked;
    for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
      const groups = groupsAtZero(item);
      if (groups === undefined) break;
      const unset = groups.unset.slice(0, MOST_UNSET);
      const condition = unchangedCondition(item, this.options.graph.table.ttl);
      await this.store.update({ key: { source, target }, set: groups.set, unset, condition });
      item = (await this.store.get({ source, target }, { consistent: true })).item ?? {};
    }
    return { source, target, item };
  }

  private note(walked: SubjectItem, mode: WalkMode, rebuilt: ReadonlySet<string>, found: Found): void {
    const { role, source, target, item } = walked;
    const { remainders } = found;
    if (role.kind === 'base' && Object.hasOwn(item, GONE)) {
      remainders.addItem(walked, 'a tombstone of a mirror, which expires');
    } else if (role.kind === 'base' && mode !== 'clear' && this.isOfOthers(walked)) {
      found.hasOthers = true;
      remainders.addItem(walked, 'a base item that other software writes: delete it there');
    } else if (role.kind === 'base') {
      found.isWrittenAgain ||= mode === 'clear';
      remainders.addItem(walked, mode === 'clear' ? 'a base item that was written after the first run' : 'a base item');
    } else if (role.kind === 'entry') {
      if (mode === 'look') remainders.addItem(walked, 'a quarantine entry');
      else found.entries.push(item);
    } else if (role.kind === 'mention') {
      const attributes = role.attributes.join(', ');
      if (role.isSure) remainders.addItem(walked, `the id in ${attributes}`);
      else remainders.addDoubtful(walked, `the id in ${attributes}, perhaps as a part of another id`);
    } else if (isTombstone(item, this.options.graph.table) && !Number.isNaN(this.expiryMs(item))) {
      found.tombstonesUntilMs = Math.max(found.tombstonesUntilMs, this.expiryMs(item));
      remainders.count('tombstones, until they expire');
    } else if (mode !== 'clear') {
      remainders.count('derived items');
    } else if (rebuilt.has(source) || kindOfDerivedKey(target)?.kind.name === 'unknown-item') {
      remainders.addItem(walked, 'a derived item that no repair takes away: a base item names it, or see check');
    } else {
      found.wrong.add(source);
      remainders.count('derived items, which are right as long as the subject is written again');
    }
  }

  private isOfOthers(key: ItemKey): boolean {
    return isMirrored(this.options.graph, key);
  }

  /**
   * A second run may delete expired tombstones, items without content and expiry, and empty items in the subject's
   * partition.
   */
  private canGo({ role, source, target, item }: SubjectItem): boolean {
    if (role.kind !== 'derived') return false;
    const { graph } = this.options;
    if (isTombstone(item, graph.table)) return this.expiryMs(item) <= this.nowMs();
    const kind = itemKindOf(graph, target);
    if (kind.hasTombstones && !kind.isLive(item)) return true;
    // Counts, and views with marks of evicted types, never become tombstones.
    return source === this.options.id && isEmptyItem(target, item);
  }

  private expiryMs(item: Item): number {
    return Number(numberOf(item[this.options.graph.table.ttl])) * 1000;
  }

  private async deleteBases(items: readonly SubjectItem[]): Promise<readonly SubjectItem[]> {
    const writes = items.map(({ source, target }) => ({ delete: { source, target } }));
    await writeInBatches(this.store, writes);
    for (const { source, target, item } of items) {
      const { kind } = classifyBaseItem(this.options.graph, source, target, item);
      if (kind === 'node') this.total.nodes += 1;
      else if (kind === 'part') this.total.parts += 1;
      else if (kind === 'unknown') this.total.unknown += 1;
      else this.total.edges += 1;
    }
    return items;
  }

  private async deleteDerived(items: readonly SubjectItem[]): Promise<readonly SubjectItem[]> {
    const { ttl } = this.options.graph.table;
    const results = await pMap(
      items,
      async ({ source, target, item }) => {
        const { applied } = await this.store.delete({ source, target }, unchangedCondition(item, ttl));
        return applied;
      },
      { concurrency: DELETES_AT_ONCE },
    );
    const gone = items.filter((_, i) => results[i]);
    this.total.derived += gone.length;
    return gone;
  }

  private async eraseEntriesAndBatches(found: Found): Promise<void> {
    const { graph, eraseFailedBatches } = this.options;
    const { entries, remainders } = found;
    if (this.isStopped) return;
    if (entries.length > 0) {
      const { repaired, reasons } = await redrive(graph, { store: this.store, entries, ...this.runtime });
      this.total.entries += repaired;
      found.deleted += repaired;
      for (const reason of reasons) remainders.add(`a quarantine entry: ${reason}`);
    }
    if (eraseFailedBatches === undefined) return;
    const { deleted, remains } = await eraseFailedBatches(this.names);
    this.total.failedBatches += deleted;
    found.deleted += deleted;
    this.batchesLeft = remains;
  }

  private async rebuild(sources: ReadonlySet<string>, rebuilt: Set<string>): Promise<void> {
    const { graph } = this.options;
    await check(graph, { store: this.store, mode: 'rebuild', sources: [...sources], ...this.runtime });
    for (const source of sources) rebuilt.add(source);
  }

  private result(found: Found, record: Erasure | undefined, isDone = false): SubjectErasure {
    const { isStopped } = this;
    const { eraseFailedBatches, dryRun = false } = this.options;
    const isPlanned = record?.stage === 'erased' && !isStopped;
    return {
      deleted: this.total,
      remains: [
        ...found.remainders.all,
        ...this.batchesLeft,
        ...outsideTheTable({
          streamEndMs: this.nowMs() + STREAM_MS,
          searchesBatches: eraseFailedBatches !== undefined && !dryRun,
        }),
      ],
      isDone,
      ...(isPlanned && { next: new Date(Math.ceil(record.tombstonesUntilMs / 1000) * 1000).toISOString() }),
      isWrittenAgain: found.isWrittenAgain,
      isStopped,
      rcu: this.store.rcu,
      wcu: this.store.wcu,
    };
  }
}

function emptyFound({ table }: CompiledModel): Found {
  return {
    isWrittenAgain: false,
    hasOthers: false,
    deleted: 0,
    entries: [],
    wrong: new Set(),
    tombstonesUntilMs: 0,
    remainders: new Remainders(table.name),
  };
}

function isEmptyItem(sortKey: string, item: Item): boolean {
  const kind = kindOfDerivedKey(sortKey)?.kind.name;
  if (kind === 'view') return [EDGE_SET, ATTRIBUTES, COPIES].every((name) => item[name] === undefined);
  const amounts = kind === 'count' || kind === 'total' ? storedAmounts(item) : undefined;
  return amounts !== undefined && isZeroAmounts(amounts);
}
