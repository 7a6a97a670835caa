import pMap from 'p-map';
import type { Item } from '../core/items/attribute-value.ts';
import { textOfKey } from '../core/items/keys.ts';
import { isKeptCount } from '../core/kinds/count.ts';
import { isReverseKey } from '../core/kinds/reverse-item.ts';
import type { CompiledModel } from '../core/model/compiled.ts';
import { countKeyOf } from '../core/model/projection/places.ts';
import { type EntryTouch, entryTouch, keyOfTouch, type Reconcilable, type ViewTouch } from '../core/plan/touch.ts';
import type { ItemKey, UpdateOutcome } from '../core/store-port.ts';
import { type EdgeloomError, isRetryableStoreError, StoreError } from '../foundation/errors.ts';
import { backoffMs } from '../foundation/retry.ts';
import { type ApplyContext, OutOfTimeError, RECONCILE_CALLS_AT_ONCE, sendingWithin } from './apply-context.ts';
import { BaseItems } from './base-items.ts';
import { writeCounted } from './counted.ts';
import { countTask } from './counts.ts';
import { addEntry, type JointEntry, jointEntry, putEntry, putRefusal, type SeenItem } from './quarantine.ts';
import { type PlannedWrite, type Work, wayOf } from './ways.ts';

/** Small, so that even a call with hardly any time makes progress. */
const FIRST_SET = 100;
/** Limits the memory for a large batch. */
const SET = 2_000;
/** Each of these may read a whole partition. */
const ALONE_AT_ONCE = 8;

export interface Failure {
  touch: Work;
  error: EdgeloomError;
}

export interface ReconcileOptions {
  /**
   * True for a scan, which has no records. It reads consistently and doesn't write correct items: if a base item
   * changes later, the record of that change corrects the derived item.
   */
  isScan?: boolean;
  ahead?: ReadAhead | undefined;
}

type ReadItems = ReadonlyMap<Work, Item | undefined>;

export interface ReadAhead {
  was: ReadItems | Promise<ReadItems>;
  bases?: BaseItems;
  readAtMs: number;
}

/**
 * Reads a derived item, then the base items that determine it, then writes under the revision that was read. If the
 * derived item has changed in the meantime, the write is refused, and the base items are read again. So records may
 * arrive in any order, in any batches and repeatedly.
 *
 * Returns the items that failed. Items that the table refuses are quarantined instead, except tasks.
 */
export async function reconcile(
  context: ApplyContext,
  work: readonly Work[],
  options: ReconcileOptions = {},
): Promise<Failure[]> {
  const failures: Failure[] = [];
  for (const group of inOrder(work)) failures.push(...(await reconcileInSets(context, group, options)));
  return failures;
}

export async function reconcileOrThrow(
  context: ApplyContext,
  work: readonly Work[],
  options?: ReconcileOptions,
): Promise<void> {
  const [failure] = await reconcile(context, work, options);
  if (failure !== undefined) throw failure.error;
}

/**
 * Starts reading before the model is confirmed. The error is caught here, because nobody handles it if the result isn't
 * used.
 */
export function readAhead(context: ApplyContext, touches: readonly Reconcilable[]): ReadAhead {
  const readAtMs = context.now();
  const first = inOrder(touches)[0]?.slice(0, FIRST_SET) ?? [];
  const consistent = first.some(mayBeLeft);
  const was = readDerived(context, first, { consistent, remainingMs: () => Math.max(1, context.remainingMs()) });
  was.catch(() => undefined);
  return { was, readAtMs };
}

function inOrder(work: readonly Work[]): Work[][] {
  // A parent is read only after its reverse items are written: otherwise the fan-out of its next change could miss the
  // child. If a reverse item couldn't be written, its record is retried and touches the view again.
  // rule: reverse-items-before-views
  const isReverse = (touch: Work): boolean => touch.kind === 'item' && isReverseKey(touch.sortKey);
  const groups = [work.filter(isReverse), work.filter((touch) => !isReverse(touch))];
  return groups.filter((group) => group.length > 0);
}

async function reconcileInSets(
  context: ApplyContext,
  work: readonly Work[],
  options: ReconcileOptions,
): Promise<Failure[]> {
  const failures: Failure[] = [];
  const after: After = { entries: new Map(), counts: new Map() };
  for (let start = 0, size = FIRST_SET; start < work.length; start += size, size = SET) {
    const isFirst = start === 0 && context.hasBegun !== true;
    failures.push(...(await new SetOfWork(context, options, isFirst, after).run(work.slice(start, start + size))));
    const fatal = failures.find(({ error }) => error instanceof StoreError && error.kind === 'fatal');
    if (fatal === undefined) continue;
    for (const touch of work.slice(start + size)) failures.push({ touch, error: fatal.error });
    break;
  }
  const counts = new Map([...after.counts.values()].map(({ key, touch }): [Work, Work] => [countTask(key), touch]));
  const last = new SetOfWork(context, { isScan: options.isScan ?? false }, false, after);
  for (const { touch, error } of await last.run([...after.entries.values(), ...counts.keys()]))
    failures.push({ touch: counts.get(touch) ?? touch, error });
  return failures;
}

/** Quarantine entries and counts to reconcile after all other items. */
interface After {
  entries: Map<string, EntryTouch>;
  /** Each with the item that wrongly named the count. */
  counts: Map<string, { key: ItemKey; touch: Work }>;
}

interface Open {
  touch: Work;
  /** The derived item as returned by a refused write. */
  seen?: SeenItem;
  /** The quarantine entry, if it has changed since it was read. */
  entry?: SeenItem;
}

interface Planned extends PlannedWrite {
  open: Open;
  was: Item | undefined;
}

class SetOfWork {
  private readonly failures: Failure[] = [];
  private cause: EdgeloomError | undefined;
  private readonly refusedViews: ViewTouch[] = [];

  constructor(
    private readonly context: ApplyContext,
    private readonly options: ReconcileOptions,
    private readonly isFirst: boolean,
    private readonly after: After,
  ) {}

  async run(work: readonly Work[]): Promise<readonly Failure[]> {
    let open: Open[] = work.map((touch) => ({ touch }));
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
        await this.failOrHalve(open, error);
        break;
      }
    }
    for (const view of this.refusedViews)
      for (const targets of halves(view.targets)) await this.runPart([{ ...view, targets }]);
    return this.failures;
  }

  private async failOrHalve(open: readonly Open[], error: unknown): Promise<void> {
    if (!(error instanceof StoreError || error instanceof OutOfTimeError)) throw error;
    if (error instanceof OutOfTimeError || error.kind === 'fatal' || open.length === 1) this.fail(open, error);
    // DynamoDB may refuse the whole call for one key, so each half is tried by itself.
    else for (const half of halves(open.map(({ touch }) => touch))) await this.runPart(half);
  }

  private get isScan(): boolean {
    return this.options.isScan === true;
  }

  /** Never 0 for the first set of a batch, so that each call makes progress. */
  private readonly remainingMs = (): number => Math.max(this.isFirst ? 1 : 0, this.context.remainingMs());

  private async runPart(work: readonly Work[]): Promise<readonly Failure[]> {
    const part = new SetOfWork(this.context, { isScan: this.isScan }, this.isFirst, this.after);
    const failures = await part.run(work);
    this.failures.push(...failures);
    return failures;
  }

  private async mayTry(attempt: number): Promise<boolean> {
    const { context } = this;
    if (attempt === 1) return this.isFirst || context.remainingMs() > 0;
    if (context.remainingMs() <= 0) return false;
    // The first conflict is retried at once; a busy table or a second conflict needs a pause.
    if (attempt === 2 && this.cause === undefined) return true;
    const pauseMs = backoffMs(attempt - 1, context.random);
    if (pauseMs >= context.remainingMs()) return false;
    await context.wait(pauseMs);
    return true;
  }

  private fail(open: readonly Open[], error: EdgeloomError): void {
    for (const { touch } of open) this.failures.push({ touch, error });
  }

  private async tryOnce(open: readonly Open[], attempt: number): Promise<Open[]> {
    const { context, options, isScan } = this;
    const { graph } = context;
    const ahead = attempt === 1 ? options.ahead : undefined;
    // An item returned by a refused write is as old as that write.
    const readAtMs = open.reduce(
      (oldest, { seen: known, entry }) => Math.min(oldest, known?.readAtMs ?? oldest, entry?.readAtMs ?? oldest),
      Math.min(context.now(), ahead?.readAtMs ?? Number.POSITIVE_INFINITY),
    );
    // rule: derived-item-is-read-before-what-decides, first
    const seen = await this.readDerived(open, attempt, await ahead?.was);
    // rule: derived-item-is-read-before-what-decides, then
    // rule: conflict-repeats-every-read
    const bases = ahead?.bases ?? (await BaseItems.read(context, keysOf(graph, open, seen)));
    const planning = { context, isScan, reconcileItems: reconcileOrThrow };
    const planned: Planned[] = [];
    const alone: { open: Open; was: Item | undefined }[] = [];
    for (const [i, one] of open.entries()) {
      const { touch } = one;
      const was = seen[i];
      if (isAlone(graph, touch, was)) alone.push({ open: one, was });
      else {
        const write = wayOf(touch).plan(planning, touch, was, bases);
        if (write !== undefined) planned.push({ ...write, open: one, was });
      }
    }
    const joints = this.jointEntries(planned, bases);
    const cleared = await this.clearEntries(planned, joints);
    const [again, left] = await Promise.all([
      this.writePlanned(cleared, joints, readAtMs),
      pMap(alone, (one) => this.reconcileAlone(one.open, one.was, readAtMs), { concurrency: ALONE_AT_ONCE }),
    ]);
    return [...again, ...left.flat()];
  }

  private async writePlanned(
    planned: readonly Planned[],
    joints: ReadonlyMap<Planned, JointEntry>,
    readAtMs: number,
  ): Promise<Open[]> {
    const again = await this.write(planned, readAtMs);
    const repeated = new Set(again.map(({ touch }) => touch));
    for (const one of planned) {
      if (repeated.has(one.open.touch)) continue;
      this.noteOtherCount(one);
      const joint = joints.get(one);
      if (joint?.isBefore === false) addEntry(this.after.entries, joint.entry);
    }
    return again;
  }

  /** A stale read costs at most a conflict. Only items that may stay unwritten need a consistent read. */
  private async readDerived(
    open: readonly Open[],
    attempt: number,
    ahead: ReadItems = new Map(),
  ): Promise<(Item | undefined)[]> {
    const { context, isScan, remainingMs } = this;
    const unread = open.filter(({ touch, seen }) => seen === undefined && !ahead.has(touch)).map(({ touch }) => touch);
    // rule: item-that-may-be-left-is-read-consistently
    const consistent = isScan || attempt > 1 || unread.some(mayBeLeft);
    const found = await readDerived(context, unread, { consistent, remainingMs });
    return open.map(({ touch, seen }) => (seen === undefined ? (found.get(touch) ?? ahead.get(touch)) : seen.was));
  }

  private async write(planned: readonly Planned[], readAtMs: number): Promise<Open[]> {
    const alone: Planned[] = [];
    const byCount = new Map<string, Planned[]>();
    for (const one of planned) {
      const { open, count } = one;
      const place = count === undefined ? undefined : textOfKey({ source: open.touch.source, target: count });
      const same = place === undefined ? alone : byCount.get(place);
      if (same === undefined) byCount.set(place!, [one]);
      else same.push(one);
    }
    const { concurrency = RECONCILE_CALLS_AT_ONCE } = this.context;
    const [again, counted] = await Promise.all([
      this.send(alone, readAtMs),
      pMap(byCount.values(), (same) => this.send(same, readAtMs), { concurrency }),
    ]);
    return [...again, ...counted.flat()];
  }

  /** @param planned items that all change the same count, or no count. */
  private async send(planned: readonly Planned[], readAtMs: number): Promise<Open[]> {
    if (planned.length === 0) return [];
    const { count } = planned[0]!;
    const sentAtMs = this.context.now();
    const outcomes = await this.outcomesOf(planned, count, readAtMs);
    const again: Open[] = [];
    for (const [i, outcome] of outcomes.entries()) {
      const left = await this.handleOutcome(planned[i]!, outcome, { sentAtMs, readAtMs });
      if (left !== undefined) again.push(left);
    }
    return again;
  }

  private async outcomesOf(
    planned: readonly Planned[],
    count: string | undefined,
    readAtMs: number,
  ): Promise<readonly UpdateOutcome[]> {
    const { context, isFirst, isScan } = this;
    const { store, stats, concurrency = RECONCILE_CALLS_AT_ONCE } = context;
    const remainingMs = sendingWithin(context, { readAtMs, isFirst });
    if (count !== undefined) {
      const changes = planned.map(({ was, expected, update }) => ({ current: was, expected, update }));
      return await writeCounted(context, count, changes, { remainingMs, readmits: isScan });
    }
    stats.writes += planned.length;
    return await store.updateMany(
      planned.map(({ update }) => update),
      { concurrency, remainingMs },
    );
  }

  private async handleOutcome(
    planned: Planned,
    outcome: UpdateOutcome,
    { sentAtMs, readAtMs }: { sentAtMs: number; readAtMs: number },
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

  private async handleError(
    open: Open,
    error: StoreError,
    readAtMs: number,
    planned: Partial<Planned> = {},
  ): Promise<Open | undefined> {
    const { context } = this;
    const { touch } = open;
    if (error.kind === 'retryable') {
      if (error.code !== 'no-time') this.cause = error;
      return { touch };
    }
    if (error.kind === 'fatal' || touch.kind === 'task') {
      this.fail([open], error);
      return undefined;
    }
    // It's unknown which share the table refuses, and no other record writes the rest, so the view is written in parts.
    // rule: refused-view-is-written-in-parts
    if (touch.kind === 'view' && touch.targets.length > 1) {
      this.refusedViews.push(touch);
      return undefined;
    }
    if (sendingWithin(context, { readAtMs, isFirst: this.isFirst })() <= 0) return { touch };
    try {
      return await this.quarantine({ ...open, touch }, error, planned);
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

  private async quarantine(
    { touch, entry: known }: Open & { touch: Reconcilable },
    error: StoreError,
    { was, content }: Partial<Planned>,
  ): Promise<Open | undefined> {
    if (content === undefined) {
      const entry = await putRefusal(this.context, touch, error, known);
      return entry && { touch, entry };
    }
    const seen = await putEntry(this.context, keyOfTouch(touch), was, content);
    return seen && { touch, seen };
  }

  private async reconcileAlone(open: Open, was: Item | undefined, readAtMs: number): Promise<Open[]> {
    const { context, isScan } = this;
    const { touch } = open;
    try {
      const write = await wayOf(touch).planAlone!({ context, isScan, reconcileItems: reconcileOrThrow }, touch, was);
      if (write === undefined) return [];
      if (write.write !== undefined) return (await write.write(readAtMs)) ? [] : [{ touch }];
      const planned = { ...write, open, was };
      const left = await this.write([planned], readAtMs);
      if (left.length === 0) this.noteOtherCount(planned);
      return left;
    } catch (error) {
      if (error instanceof OutOfTimeError) {
        this.fail([open], error);
        return [];
      }
      if (!(error instanceof StoreError)) throw error;
      const left = await this.handleError(open, error, readAtMs);
      return left === undefined ? [] : [left];
    }
  }

  private jointEntries(planned: readonly Planned[], bases: BaseItems): ReadonlyMap<Planned, JointEntry> {
    const joints = new Map<Planned, JointEntry>();
    for (const one of planned) {
      const { touch } = one.open;
      const joint = touch.kind === 'item' && jointEntry(this.context.graph, touch, one, bases, this.isScan);
      if (joint) joints.set(one, joint);
    }
    return joints;
  }

  /**
   * Removes entries before their items are written, because only the empty item, which the write replaces, shows that
   * there is an entry. Returns the items that may be written.
   */
  private async clearEntries(
    planned: readonly Planned[],
    joints: ReadonlyMap<Planned, JointEntry>,
  ): Promise<readonly Planned[]> {
    const entries = new Map<string, EntryTouch>();
    for (const { entry, isBefore } of joints.values()) if (isBefore) addEntry(entries, entry);
    if (entries.size === 0) return planned;
    const failures = await this.runPart([...entries.values()]);
    const failed = new Set(failures.map(({ touch }) => textOfKey(keyOfTouch(touch))));
    return planned.filter(({ open: { touch } }) => {
      return touch.kind !== 'item' || !failed.has(textOfKey(keyOfTouch(entryTouch(touch.base))));
    });
  }

  private noteOtherCount({ open: { touch }, otherCount }: Planned): void {
    if (!this.isScan || otherCount === undefined) return;
    const key = { source: touch.source, target: countKeyOf(otherCount) };
    if (isKeptCount(this.context.graph, key.target)) this.after.counts.set(textOfKey(key), { key, touch });
  }
}

async function readDerived(
  { store, stats, wait, random }: ApplyContext,
  work: readonly Work[],
  { consistent, remainingMs }: { consistent: boolean; remainingMs: () => number },
): Promise<Map<Work, Item | undefined>> {
  if (work.length === 0) return new Map();
  const { items, rcu } = await store.getMany(work.map(keyOfTouch), { consistent, wait, random, remainingMs });
  stats.rcu += rcu;
  return new Map(work.map((touch, i) => [touch, items[i]]));
}

function mayBeLeft(touch: Work): boolean {
  return wayOf(touch).mayBeLeft?.(touch) === true;
}

function isAlone(graph: CompiledModel, touch: Work, was: Item | undefined): boolean {
  return wayOf(touch).isAlone?.(graph, touch, was) === true;
}

function keysOf(graph: CompiledModel, open: readonly Open[], seen: readonly (Item | undefined)[]): ItemKey[] {
  return open.flatMap(({ touch }, i) =>
    isAlone(graph, touch, seen[i]) ? [] : wayOf(touch).decidingKeys(graph, touch, seen[i]),
  );
}

export function halves<T>(all: readonly T[]): readonly (readonly T[])[] {
  const half = Math.ceil(all.length / 2);
  return [all.slice(0, half), all.slice(half)];
}
