import pMap from 'p-map';
import { type Item, stringOf } from '../core/items/attribute-value.ts';
import { COUNTED, isTombstone, OTHER } from '../core/items/derived-item.ts';
import { textOfKey } from '../core/items/keys.ts';
import { countHolding } from '../core/kinds/count.ts';
import { isJoinedKey } from '../core/kinds/joined.ts';
import { isReverseKey } from '../core/kinds/reverse-item.ts';
import { isOfOtherShape } from '../core/kinds/view.ts';
import { entryUpdate, faultEntry } from '../core/plan/quarantine-entry.ts';
import {
  type EntryTouch,
  entryTouch,
  type ItemTouch,
  keyOfTouch,
  type Reconcilable,
  type ViewTouch,
} from '../core/plan/touch.ts';
import { hasExpectedFields, itemUpdate } from '../core/plan/writes/item-update.ts';
import { changesNothing, viewUpdate } from '../core/plan/writes/view-update.ts';
import type { DerivedUpdate, ItemKey, UpdateOutcome } from '../core/store-port.ts';
import { type EdgeloomError, isRetryableStoreError, StoreError } from '../foundation/errors.ts';
import { backoffMs } from '../foundation/retry.ts';
import {
  type ApplyContext,
  CALLS_AT_ONCE,
  epochSeconds,
  OutOfTimeError,
  sendingWithin,
  waitWithin,
} from './apply-context.ts';
import { BaseItems, decidingKeys, sharingTargets } from './base-items.ts';
import { reconcileOtherCount, writeCounted } from './counted.ts';
import { putEntry, putRefusal, type SeenEntry } from './quarantine.ts';
import { reconcileWholeView } from './whole-view.ts';

/**
 * To reconcile derived items is to make them what their base items ask for, whatever records said. The order is the rule: first read
 * what is there, then what should be there, then write under the revision that was read. If a derived item has changed meanwhile, the
 * write fails, and both are read again. So no write brings a base item that is older than the derived item that it replaces, and the
 * order of records, their batches and their repetitions do not matter.
 *
 * Many items share three round trips: derived items, base items, writes.
 */

/** An item that could not be reconciled. */
export interface Failure {
  touch: Reconcilable;
  error: EdgeloomError;
}

/** How to reconcile items. */
export interface ReconcileOptions {
  /**
   * True if no record asks for it, but a scan. Then items are read consistently, and one that is right is left as it is: whoever read
   * before the last change of its base items is overtaken by the record of that change.
   */
  isScan?: boolean;
  /** What is read already, or is being read. Default: nothing. */
  ahead?: ReadAhead | undefined;
}

/** Derived items as they were read, by their touches; without an item: there is none. */
type ReadItems = ReadonlyMap<Reconcilable, Item | undefined>;

/** A read of derived items that was begun before. Items that it leaves out are read by themselves. */
export interface ReadAhead {
  was: ReadItems | Promise<ReadItems>;
  /** All that decides about the items, read after them. Absent: it is read now. */
  bases?: BaseItems;
  /** When the first of them was read. */
  readAtMs: number;
}

/** Items in the first step, so that a call with hardly any time gets on all the same. */
const FIRST_STEP = 100;
/** Items in each further step: bounded memory for a batch of any size. */
const STEP = 2_000;

/**
 * Reconciles derived items, as many at once as fit; returns those that failed. Items that the table refuses are quarantined, and count
 * as reconciled. Edges' items in the partitions of copied nodes come before the views that list these edges.
 */
export async function reconcileTouches(
  context: ApplyContext,
  touches: readonly Reconcilable[],
  options: ReconcileOptions = {},
): Promise<Failure[]> {
  const failures: Failure[] = [];
  for (const group of inOrder(touches)) failures.push(...(await reconcileSteps(context, group, options)));
  return failures;
}

function inOrder(touches: readonly Reconcilable[]): Reconcilable[][] {
  // A parent is read only after its reverse items are written: else the fan-out of its next change could miss the child. Where one of them
  // could not be written, its record comes again, and touches the view once more.
  // rule: reverse-items-before-views
  const isReverse = (touch: Reconcilable): boolean => touch.kind === 'item' && isReverseKey(touch.sortKey);
  const [first, then] = [touches.filter(isReverse), touches.filter((touch) => !isReverse(touch))];
  return [first, then].filter((group) => group.length > 0);
}

/** Begins to read the derived items that `reconcileTouches` reads first. */
export function readAhead(context: ApplyContext, touches: readonly Reconcilable[]): ReadAhead {
  const readAtMs = context.now();
  const first = inOrder(touches)[0]?.slice(0, FIRST_STEP) ?? [];
  const consistent = first.some(isLook);
  const was = readTouched(context, first, { consistent, remainingMs: () => Math.max(1, context.remainingMs()) });
  // Whoever reads ahead may need the items no longer: then nobody waits for an error.
  was.catch(() => undefined);
  return { was, readAtMs };
}

/** Reads touched items. */
async function readTouched(
  { store, stats, wait, random }: ApplyContext,
  touches: readonly Reconcilable[],
  { consistent, remainingMs }: { consistent: boolean; remainingMs: () => number },
): Promise<Map<Reconcilable, Item | undefined>> {
  if (touches.length === 0) return new Map();
  const { items, rcu } = await store.getMany(touches.map(keyOfTouch), { consistent, wait, random, remainingMs });
  stats.rcu += rcu;
  return new Map(touches.map((touch, i) => [touch, items[i]]));
}

/** Reconciles derived items, or throws why one could not be. */
export async function reconcileOrThrow(
  context: ApplyContext,
  touches: readonly Reconcilable[],
  options?: ReconcileOptions,
): Promise<void> {
  const [failure] = await reconcileTouches(context, touches, options);
  if (failure !== undefined) throw failure.error;
}

/** Makes a view of another shape by all base items of its partition; false if the view has the shape by now. */
export function makeViewWhole(context: ApplyContext, source: string): Promise<boolean> {
  return reconcileWholeView(context, source, reconcileOrThrow);
}

/** Reconciles one derived item for a scan, or throws why it could not be. */
export async function reconcileTouch(context: ApplyContext, touch: Reconcilable): Promise<void> {
  await reconcileOrThrow(context, [touch], { isScan: true });
}

async function reconcileSteps(
  context: ApplyContext,
  touches: readonly Reconcilable[],
  options: ReconcileOptions,
): Promise<Failure[]> {
  const failures: Failure[] = [];
  const after: AfterSteps = { entries: new Map(), counts: new Map() };
  for (let start = 0, size = FIRST_STEP; start < touches.length; start += size, size = STEP) {
    const step = new Step(context, options, start === 0 && context.hasBegun !== true, after);
    failures.push(...(await step.run(touches.slice(start, start + size))));
    const fatal = failures.find(({ error }) => error instanceof StoreError && error.kind === 'fatal');
    if (fatal === undefined) continue;
    for (const touch of touches.slice(start + size)) failures.push({ touch, error: fatal.error });
    break;
  }
  const entries = [...after.entries.values()];
  if (entries.length > 0)
    failures.push(...(await new Step(context, { isScan: options.isScan ?? false }, false, after).run(entries)));
  for (const { touch, name, holding } of after.counts.values()) {
    try {
      await reconcileOtherCount(context, touch.source, name, holding);
    } catch (error) {
      if (!(error instanceof StoreError || error instanceof OutOfTimeError)) throw error;
      failures.push({ touch, error });
    }
  }
  return failures;
}

/** What is reconciled after all items, by key. */
interface AfterSteps {
  entries: Map<string, EntryTouch>;
  /** Counts that items named by mistake, each with one of the items and the count that holds it. */
  counts: Map<string, { touch: Reconcilable; name: string; holding: string | undefined }>;
}

/** An item to reconcile; `seen`: it was read, by itself or in the answer to a refused write. */
interface Open {
  touch: Reconcilable;
  seen?: { was: Item | undefined; readAtMs: number };
  /** The entry of an item that the table has refused before. */
  entry?: SeenEntry;
}

/** An item that was read, and the write that makes it right. */
interface Planned {
  open: Open;
  was: Item | undefined;
  update: DerivedUpdate;
  /** The fields that it is to hold. */
  expected?: Item | undefined;
  /** The count that moves with it. */
  count?: string | undefined;
  /** The content of an entry. */
  content?: Item | undefined;
  /** False if the entry is not written yet, but its tombstone. */
  isBegun?: boolean;
}

/** When a write was sent, and when the first of the reads that it rests on was made. */
interface Times {
  sentAtMs: number;
  readAtMs: number;
}

/** Some items that are read and written together, again and again until all are right or time is over. */
class Step {
  private readonly failures: Failure[] = [];
  private cause: EdgeloomError | undefined;
  /** Views that the table has refused, in the shares of several base items. */
  private readonly refusedViews: ViewTouch[] = [];

  constructor(
    private readonly context: ApplyContext,
    private readonly options: ReconcileOptions,
    /** True if this step is tried also where no time is left. */
    private readonly isFirst: boolean,
    private readonly after: AfterSteps,
  ) {}

  async run(touches: readonly Reconcilable[]): Promise<readonly Failure[]> {
    let open: Open[] = touches.map((touch) => ({ touch }));
    for (let attempt = 1; open.length > 0; attempt++) {
      if (!(await this.mayTry(attempt))) {
        this.fail(open, this.cause ?? new OutOfTimeError());
        break;
      }
      try {
        open = await this.tryOnce(open, attempt);
      } catch (error) {
        if (isRetryableStoreError(error)) {
          this.cause = error;
          open = open.map(({ touch }) => ({ touch }));
          continue;
        }
        if (!(error instanceof StoreError || error instanceof OutOfTimeError)) throw error;
        if (error instanceof OutOfTimeError || error.kind === 'fatal' || open.length === 1) this.fail(open, error);
        // DynamoDB refuses a call for one of its keys: so the items go apart.
        else for (const half of halves(open.map(({ touch }) => touch))) await this.runPart(half);
        break;
      }
    }
    for (const view of this.refusedViews)
      for (const targets of halves(view.targets)) await this.runPart([{ ...view, targets }]);
    return this.failures;
  }

  /** The time that is left; the first step of a batch has some, so that each call gets on. */
  private readonly remainingMs = (): number => Math.max(this.isFirst ? 1 : 0, this.context.remainingMs());

  private async runPart(touches: readonly Reconcilable[]): Promise<void> {
    const step = new Step(this.context, { ...this.options, ahead: undefined }, this.isFirst, this.after);
    this.failures.push(...(await step.run(touches)));
  }

  private async mayTry(attempt: number): Promise<boolean> {
    const { context } = this;
    if (attempt === 1) return this.isFirst || context.remainingMs() > 0;
    if (context.remainingMs() <= 0) return false;
    // Who loses a race once reads again at once; who loses twice, or finds the table busy, waits.
    if (attempt === 2 && this.cause === undefined) return true;
    try {
      await waitWithin(context, backoffMs(attempt - 1, context.random));
      return true;
    } catch (error) {
      if (error instanceof OutOfTimeError) return false;
      throw error;
    }
  }

  private fail(open: readonly Open[], error: EdgeloomError): void {
    for (const { touch } of open) this.failures.push({ touch, error });
  }

  /** Reads, decides and writes once; returns the items that have to be tried again. */
  private async tryOnce(open: readonly Open[], attempt: number): Promise<Open[]> {
    const { context, options } = this;
    const { graph } = context;
    const ahead = attempt === 1 ? options.ahead : undefined;
    // What is known of an item from a refused write is as old as that.
    const readAtMs = open.reduce(
      (oldest, { seen: known, entry }) => Math.min(oldest, known?.readAtMs ?? oldest, entry?.readAtMs ?? oldest),
      Math.min(context.now(), ahead?.readAtMs ?? Number.POSITIVE_INFINITY),
    );
    // rule: derived-item-is-read-before-what-decides, first
    const seen = await this.readDerived(open, attempt, await ahead?.was);
    // rule: derived-item-is-read-before-what-decides, then
    // rule: conflict-repeats-every-read
    const bases = ahead?.bases ?? (await BaseItems.read(context, keysOf(graph, open, seen)));
    const again: Open[] = [];
    const alone: Open[] = [];
    const planned: Planned[] = [];
    for (const [i, one] of open.entries()) {
      const { touch } = one;
      if (touch.kind === 'view' && isOfOtherShape(graph, touch.source, seen[i])) alone.push(one);
      else {
        const made = this.plan(one, seen[i], bases);
        if (made !== undefined) planned.push(made);
      }
    }
    const cleared = await this.clearEntries(planned, bases);
    const counted = cleared.filter(({ count }) => count !== undefined);
    const single = cleared.filter(({ count }) => count === undefined);
    await Promise.all([
      this.writeSingle(single, readAtMs).then((left) => again.push(...left)),
      this.writeTotals(counted, readAtMs).then((left) => again.push(...left)),
      this.makeWhole(alone, readAtMs).then((left) => again.push(...left)),
    ]);
    const repeated = new Set(again.map(({ touch }) => touch));
    for (const one of cleared) {
      if (repeated.has(one.open.touch)) continue;
      this.noteOtherCount(one);
      const joint = this.jointEntry(one, bases);
      if (joint?.isBefore === false) noteEntry(this.after.entries, joint.entry);
    }
    return again;
  }

  /** Reads the derived items that are not known yet. What is stale costs a conflict at most: only a scan may end without a write. */
  private async readDerived(
    open: readonly Open[],
    attempt: number,
    ahead: ReadItems = new Map(),
  ): Promise<(Item | undefined)[]> {
    const { context, options, remainingMs } = this;
    const unread = open.filter(({ touch, seen }) => seen === undefined && !ahead.has(touch)).map(({ touch }) => touch);
    // rule: item-that-may-be-left-is-read-consistently
    const consistent = options.isScan === true || attempt > 1 || unread.some(isLook);
    const found = await readTouched(context, unread, { consistent, remainingMs });
    return open.map(({ touch, seen }) => (seen === undefined ? (found.get(touch) ?? ahead.get(touch)) : seen.was));
  }

  /** Makes the write of an item; undefined if there is nothing to write. */
  private plan(open: Open, was: Item | undefined, bases: BaseItems): Planned | undefined {
    const { touch } = open;
    const { graph } = this.context;
    const now = epochSeconds(this.context);
    if (touch.kind === 'view') {
      // A scan may have found edges of an evicted type in the view, which have no share in it.
      const targets = this.options.isScan === true ? touch.targets : sharingTargets(touch.targets, was);
      const { source } = touch;
      const shares = new Map(targets.map((target) => [target, bases.derivedOf({ source, target })]));
      const copies = bases.copiesOf(targets);
      const update = viewUpdate(graph, source, was, { shares, copies }, now);
      return this.isToWrite(was, update, isEmptyUpdate(update, graph.table.ttl)) ? { open, was, update } : undefined;
    }
    if (touch.kind === 'entry') {
      const { problems } = bases.derivedOf(touch.base);
      const nowMs = this.context.now();
      const content = faultEntry({ base: touch.base, was, problems, records: touch.records }, nowMs);
      // A look leaves no trace of an absent entry. So who is to put one leaves a trace first, and then reads the base item again: it is as a
      // look has read it, or the look finds the trace.
      // rule: entry-begins-as-a-tombstone
      const isBegun = content === undefined || was !== undefined;
      const update = entryUpdate(graph, keyOfTouch(touch), was, isBegun ? content : undefined, nowMs);
      // rule: look-leaves-alone-only-what-is-absent
      const mayStay = isLook(touch) && content === undefined && was === undefined;
      return mayStay || !this.isToWrite(was, update, content === undefined)
        ? undefined
        : { open, was, update, content, isBegun };
    }
    const expected = bases.fieldsOf(touch.base, keyOfTouch(touch));
    const update = itemUpdate(graph, keyOfTouch(touch), was, expected, now);
    const count = countHolding(graph, touch.base, touch.sortKey)?.name;
    // Values that had no room in the count may have some by now.
    const isLacking = count !== undefined && expected !== undefined && was?.[OTHER] !== undefined;
    const isWritten = isLacking || this.isToWrite(was, update, expected === undefined);
    return isWritten ? { open, was, update, expected, count } : undefined;
  }

  /** Records always leave a new revision: a worker with an older read must fail. A scan writes what is wrong. */
  private isToWrite(was: Item | undefined, update: DerivedUpdate, isGone: boolean): boolean {
    // rule: equal-item-gets-a-new-revision
    if (this.options.isScan !== true) return true;
    if (isGone) return was !== undefined && !isTombstone(was, this.context.graph.table);
    return !changesNothing(update);
  }

  private async writeSingle(planned: readonly Planned[], readAtMs: number): Promise<Open[]> {
    if (planned.length === 0) return [];
    const { context } = this;
    const { store, stats, concurrency = CALLS_AT_ONCE } = context;
    const remainingMs = sendingWithin(context, { readAtMs, isFirst: this.isFirst });
    const sentAtMs = context.now();
    stats.writes += planned.length;
    const outcomes = await store.updateMany(
      planned.map(({ update }) => update),
      { concurrency, remainingMs },
    );
    const again: Open[] = [];
    for (const [i, outcome] of outcomes.entries()) {
      const left = await this.handleOutcome(planned[i]!, outcome, { sentAtMs, readAtMs });
      if (left !== undefined) again.push(left);
    }
    return again;
  }

  /** Notes what became of a write; returns the item if it has to be tried again. */
  private async handleOutcome(
    planned: Planned,
    outcome: UpdateOutcome,
    { sentAtMs, readAtMs }: Times,
  ): Promise<Open | undefined> {
    const { context } = this;
    const { stats } = context;
    const { open, content, isBegun } = planned;
    const { touch } = open;
    if (!outcome.applied && outcome.error !== undefined)
      return await this.handleError(open, outcome.error, readAtMs, planned);
    stats.wcu += outcome.wcu;
    if (!outcome.applied) {
      stats.conflicts += 1;
      return outcome.isUnread === true ? { touch } : { touch, seen: { was: outcome.current, readAtMs: sentAtMs } };
    }
    if (content === undefined) return undefined;
    if (isBegun === false) return { touch };
    stats.quarantined += 1;
    context.onQuarantine?.(content, false);
    return undefined;
  }

  /** Notes why an item could not be written; one that the table refuses is quarantined. Returns the item if it has to be tried again. */
  private async handleError(
    open: Open,
    error: StoreError,
    readAtMs: number,
    { was, content }: Partial<Planned> = {},
  ): Promise<Open | undefined> {
    const { context } = this;
    const { touch } = open;
    if (error.kind === 'retryable') {
      if (error.code !== 'no-time') this.cause = error;
      return { touch };
    }
    if (error.kind === 'fatal') {
      this.fail([open], error);
      return undefined;
    }
    // Which share the table refuses is not known. All others are written all the same: nobody else comes for them.
    // rule: refused-view-is-written-in-parts
    if (touch.kind === 'view' && touch.targets.length > 1) {
      this.refusedViews.push(touch);
      return undefined;
    }
    if (sendingWithin(context, { readAtMs, isFirst: this.isFirst })() <= 0) return { touch };
    try {
      if (content === undefined) {
        const entry = await putRefusal(context, touch, error, open.entry);
        return entry && { touch, entry };
      }
      const seen = await putEntry(context, keyOfTouch(touch), was, content);
      return seen && { touch, seen };
    } catch (failed) {
      if (!(failed instanceof StoreError)) throw failed;
      if (failed.kind === 'retryable') {
        this.cause = failed;
        return { touch };
      }
      this.fail([open], failed);
    }
    return undefined;
  }

  /** Writes counted items with their counts, one count after the other in itself, counts side by side. */
  private async writeTotals(planned: readonly Planned[], readAtMs: number): Promise<Open[]> {
    const byCount = new Map<string, Planned[]>();
    for (const one of planned) {
      const place = textOfKey({ source: one.open.touch.source, target: one.count! });
      const same = byCount.get(place);
      if (same === undefined) byCount.set(place, [one]);
      else same.push(one);
    }
    const again: Open[] = [];
    await pMap(
      byCount.values(),
      async (same) => {
        again.push(...(await this.writeTotal(same, readAtMs)));
      },
      { concurrency: this.context.concurrency ?? CALLS_AT_ONCE },
    );
    return again;
  }

  private async writeTotal(planned: readonly Planned[], readAtMs: number): Promise<Open[]> {
    const sentAtMs = this.context.now();
    const changes = planned.map(({ was, expected, update }) => ({ current: was, expected, update }));
    const outcomes = await writeCounted(this.context, planned[0]!.count!, changes, {
      remainingMs: sendingWithin(this.context, { readAtMs, isFirst: this.isFirst }),
      readmits: this.options.isScan === true,
    });
    const again: Open[] = [];
    for (const [i, outcome] of outcomes.entries()) {
      const left = await this.handleOutcome(planned[i]!, outcome, { sentAtMs, readAtMs });
      if (left !== undefined) again.push(left);
    }
    return again;
  }

  /** Makes views of another shape whole, each by a Query of its partition. */
  private async makeWhole(open: readonly Open[], readAtMs: number): Promise<Open[]> {
    const again: Open[] = [];
    await pMap(
      open,
      async (one) => {
        try {
          if (!(await makeViewWhole(this.context, one.touch.source))) again.push({ touch: one.touch });
        } catch (error) {
          if (error instanceof OutOfTimeError) this.fail([one], error);
          else if (error instanceof StoreError) {
            const left = await this.handleError(one, error, readAtMs);
            if (left !== undefined) again.push(left);
          } else throw error;
        }
      },
      { concurrency: 8 },
    );
    return again;
  }

  /** Notes a count that an item named by mistake, and that it has left by now. */
  private noteOtherCount({ open: { touch }, was, count }: Planned): void {
    const name = stringOf(was?.[COUNTED]);
    if (this.options.isScan !== true || touch.kind !== 'item' || name === undefined || name === count) return;
    this.after.counts.set(textOfKey({ source: touch.source, target: name }), { touch, name, holding: count });
  }

  /**
   * Reconciles the entries of edges whose joined items are about to come back. An item that is empty says that there may be an entry: once
   * the item is written, nobody would know. Returns the items that may be written.
   */
  private async clearEntries(planned: readonly Planned[], bases: BaseItems): Promise<readonly Planned[]> {
    const entries = new Map<string, EntryTouch>();
    for (const one of planned) {
      const joint = this.jointEntry(one, bases);
      if (joint?.isBefore === true) noteEntry(entries, joint.entry);
    }
    if (entries.size === 0) return planned;
    const isScan = this.options.isScan ?? false;
    const step = new Step(this.context, { isScan }, this.isFirst, this.after);
    const failures = await step.run([...entries.values()]);
    this.failures.push(...failures);
    const failed = new Set(failures.map(({ touch }) => textOfKey(keyOfTouch(touch))));
    return planned.filter(({ open: { touch } }) => {
      return touch.kind !== 'item' || !failed.has(textOfKey(keyOfTouch(entryTouch(touch.base))));
    });
  }

  /**
   * The entry of an edge that may have to be written, or removed. A fault that only an edge and its source node have together is in no
   * record of one of them. So the entry follows the joined item: where the item fails, the entry is written afterwards; where an item that
   * was empty, as a failing one is, comes back, the entry goes before.
   */
  private jointEntry(
    { open: { touch }, was, expected }: Planned,
    bases: BaseItems,
  ): { entry: EntryTouch; isBefore: boolean } | undefined {
    if (touch.kind !== 'item' || touch.source !== touch.base.source) return undefined;
    if (!isJoinedKey(this.context.graph, touch.base.target, touch.sortKey)) return undefined;
    const { joint = [] } = bases.derivedOf(touch.base);
    const entry = { ...entryTouch(touch.base), records: touch.records };
    if (joint.length > 0) return { entry, isBefore: false };
    // rule: joint-fault-has-an-entry
    const wasEmpty = was !== undefined && hasExpectedFields(was, undefined);
    // TTL deletes an empty item. A scan finds the entry by itself.
    // rule: absent-item-may-have-failed
    const mayHaveFailed = was === undefined && this.options.isScan !== true && !isOfNewEdge(touch);
    if (!wasEmpty && !mayHaveFailed) return undefined;
    // Who writes an entry with older reads writes the empty item first, which fails where the item was absent and is written now.
    const mayStay = expected === undefined || was === undefined;
    // rule: entry-goes-before-its-item-comes-back
    const isBefore = expected !== undefined;
    return { entry: mayStay ? { ...entry, isLook: true } : entry, isBefore };
  }
}

/** Tells whether all records of a touch put its edge where none was: so the edge had no fault before. */
function isOfNewEdge({ base, records }: ItemTouch): boolean {
  return (
    records.length > 0 &&
    records.every(
      ({ source, target, oldImage, isPartial }) =>
        source === base.source && target === base.target && oldImage === undefined && isPartial !== true,
    )
  );
}

/** Notes an entry that has to be reconciled; to look at it is less than that. */
function noteEntry(entries: Map<string, EntryTouch>, entry: EntryTouch): void {
  const place = textOfKey(keyOfTouch(entry));
  if (entry.isLook !== true || !entries.has(place)) entries.set(place, entry);
}

/** Tells whether a touch may end without a write: no later read is overtaken by it. */
function isLook(touch: Reconcilable): boolean {
  return touch.kind === 'entry' && touch.isLook === true;
}

/** Cuts a list in two, for what the table has refused as a whole. */
export function halves<T>(all: readonly T[]): readonly (readonly T[])[] {
  const half = Math.ceil(all.length / 2);
  return [all.slice(0, half), all.slice(half)];
}

function keysOf(graph: ApplyContext['graph'], open: readonly Open[], seen: readonly (Item | undefined)[]): ItemKey[] {
  return open.flatMap(({ touch }, i) => decidingKeys(graph, touch, seen[i]));
}

function isEmptyUpdate({ set }: DerivedUpdate, ttl: string): boolean {
  return set[ttl] !== undefined;
}
