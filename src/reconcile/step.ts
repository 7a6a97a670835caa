import pMap from 'p-map';
import { type Item, stringOf } from '../core/items/attribute-value.ts';
import { COUNTED } from '../core/items/derived-item.ts';
import { textOfKey } from '../core/items/keys.ts';
import { isOfOtherShape } from '../core/kinds/view.ts';
import { type EntryTouch, entryTouch, keyOfTouch, type Reconcilable, type ViewTouch } from '../core/plan/touch.ts';
import type { ItemKey, UpdateOutcome } from '../core/store-port.ts';
import { type EdgeloomError, isRetryableStoreError, StoreError } from '../foundation/errors.ts';
import { backoffMs } from '../foundation/retry.ts';
import { type ApplyContext, CALLS_AT_ONCE, OutOfTimeError, sendingWithin, waitWithin } from './apply-context.ts';
import { BaseItems, decidingKeys } from './base-items.ts';
import { writeCounted } from './counted.ts';
import { type JointEntry, jointEntry, noteEntry } from './joint-entry.ts';
import { isLook, type Open, type Planned, planWrite } from './plan-write.ts';
import { putEntry, putRefusal } from './quarantine.ts';

export interface Failure {
  touch: Reconcilable;
  error: EdgeloomError;
}

export interface ReconcileOptions {
  /**
   * Asked by a scan, not by a record. Items are then read consistently, and right ones aren't written: the record of a
   * later change overtakes whoever read before it.
   */
  isScan?: boolean;
  ahead?: ReadAhead | undefined;
}

type ReadItems = ReadonlyMap<Reconcilable, Item | undefined>;

export interface ReadAhead {
  was: ReadItems | Promise<ReadItems>;
  /** Absent: the base items are read now. */
  bases?: BaseItems;
  readAtMs: number;
}

/** Each reads a whole partition. */
const WHOLE_VIEWS_AT_ONCE = 8;

export interface Steps {
  makeWhole(source: string): Promise<boolean>;
  entries: Map<string, EntryTouch>;
  counts: Map<string, { touch: Reconcilable; name: string; holding: string | undefined }>;
}

interface Times {
  sentAtMs: number;
  readAtMs: number;
}

export class Step {
  private readonly failures: Failure[] = [];
  private cause: EdgeloomError | undefined;
  private readonly refusedViews: ViewTouch[] = [];

  constructor(
    private readonly context: ApplyContext,
    private readonly options: ReconcileOptions,
    private readonly isFirst: boolean,
    private readonly steps: Steps,
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
        // DynamoDB refuses a call for one of its keys, so the items are tried in halves.
        else for (const half of halves(open.map(({ touch }) => touch))) await this.runPart(half);
        break;
      }
    }
    for (const view of this.refusedViews)
      for (const targets of halves(view.targets)) await this.runPart([{ ...view, targets }]);
    return this.failures;
  }

  private get isScan(): boolean {
    return this.options.isScan === true;
  }

  /** The first step of a batch always has time, so that each call makes progress. */
  private readonly remainingMs = (): number => Math.max(this.isFirst ? 1 : 0, this.context.remainingMs());

  private async runPart(touches: readonly Reconcilable[]): Promise<void> {
    const step = new Step(this.context, { ...this.options, ahead: undefined }, this.isFirst, this.steps);
    this.failures.push(...(await step.run(touches)));
  }

  private async mayTry(attempt: number): Promise<boolean> {
    const { context } = this;
    if (attempt === 1) return this.isFirst || context.remainingMs() > 0;
    if (context.remainingMs() <= 0) return false;
    // Reads again at once after one lost race; waits after two, or if the table is busy.
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

  private async tryOnce(open: readonly Open[], attempt: number): Promise<Open[]> {
    const { context, options, isScan } = this;
    const { graph } = context;
    const ahead = attempt === 1 ? options.ahead : undefined;
    // What a refused write has shown is as old as that write.
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
        const made = planWrite({ graph, isScan, nowMs: context.now() }, one, seen[i], bases);
        if (made !== undefined) planned.push(made);
      }
    }
    const joints = new Map<Planned, JointEntry>();
    for (const one of planned) {
      const joint = jointEntry({ graph, isScan }, one, bases);
      if (joint !== undefined) joints.set(one, joint);
    }
    const cleared = await this.clearEntries(planned, joints);
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
      const joint = joints.get(one);
      if (joint?.isBefore === false) noteEntry(this.steps.entries, joint.entry);
    }
    return again;
  }

  /** A stale read costs at most a conflict: only a scan may end without a write. */
  private async readDerived(
    open: readonly Open[],
    attempt: number,
    ahead: ReadItems = new Map(),
  ): Promise<(Item | undefined)[]> {
    const { context, isScan, remainingMs } = this;
    const unread = open.filter(({ touch, seen }) => seen === undefined && !ahead.has(touch)).map(({ touch }) => touch);
    // rule: item-that-may-be-left-is-read-consistently
    const consistent = isScan || attempt > 1 || unread.some(isLook);
    const found = await readTouched(context, unread, { consistent, remainingMs });
    return open.map(({ touch, seen }) => (seen === undefined ? (found.get(touch) ?? ahead.get(touch)) : seen.was));
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
    // Which share the table refuses isn't known. All others are written: nobody else comes for them.
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
      readmits: this.isScan,
    });
    const again: Open[] = [];
    for (const [i, outcome] of outcomes.entries()) {
      const left = await this.handleOutcome(planned[i]!, outcome, { sentAtMs, readAtMs });
      if (left !== undefined) again.push(left);
    }
    return again;
  }

  private async makeWhole(open: readonly Open[], readAtMs: number): Promise<Open[]> {
    const again: Open[] = [];
    await pMap(
      open,
      async (one) => {
        try {
          if (!(await this.steps.makeWhole(one.touch.source))) again.push({ touch: one.touch });
        } catch (error) {
          if (error instanceof OutOfTimeError) this.fail([one], error);
          else if (error instanceof StoreError) {
            const left = await this.handleError(one, error, readAtMs);
            if (left !== undefined) again.push(left);
          } else throw error;
        }
      },
      { concurrency: WHOLE_VIEWS_AT_ONCE },
    );
    return again;
  }

  private noteOtherCount({ open: { touch }, was, count }: Planned): void {
    const name = stringOf(was?.[COUNTED]);
    if (!this.isScan || touch.kind !== 'item' || name === undefined || name === count) return;
    this.steps.counts.set(textOfKey({ source: touch.source, target: name }), { touch, name, holding: count });
  }

  /**
   * An empty item says that there may be an entry: once the item is written, nobody would know. Returns the items that
   * may be written.
   */
  private async clearEntries(
    planned: readonly Planned[],
    joints: ReadonlyMap<Planned, JointEntry>,
  ): Promise<readonly Planned[]> {
    const entries = new Map<string, EntryTouch>();
    for (const { entry, isBefore } of joints.values()) if (isBefore) noteEntry(entries, entry);
    if (entries.size === 0) return planned;
    const step = new Step(this.context, { isScan: this.isScan }, this.isFirst, this.steps);
    const failures = await step.run([...entries.values()]);
    this.failures.push(...failures);
    const failed = new Set(failures.map(({ touch }) => textOfKey(keyOfTouch(touch))));
    return planned.filter(({ open: { touch } }) => {
      return touch.kind !== 'item' || !failed.has(textOfKey(keyOfTouch(entryTouch(touch.base))));
    });
  }
}

export async function readTouched(
  { store, stats, wait, random }: ApplyContext,
  touches: readonly Reconcilable[],
  { consistent, remainingMs }: { consistent: boolean; remainingMs: () => number },
): Promise<Map<Reconcilable, Item | undefined>> {
  if (touches.length === 0) return new Map();
  const { items, rcu } = await store.getMany(touches.map(keyOfTouch), { consistent, wait, random, remainingMs });
  stats.rcu += rcu;
  return new Map(touches.map((touch, i) => [touch, items[i]]));
}

export function halves<T>(all: readonly T[]): readonly (readonly T[])[] {
  const half = Math.ceil(all.length / 2);
  return [all.slice(0, half), all.slice(half)];
}

function keysOf(graph: ApplyContext['graph'], open: readonly Open[], seen: readonly (Item | undefined)[]): ItemKey[] {
  return open.flatMap(({ touch }, i) => decidingKeys(graph, touch, seen[i]));
}
