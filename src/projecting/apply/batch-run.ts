import type { Item } from '../../core/items/attribute-value.ts';
import { type ChangeRecord, isOlder } from '../../core/items/change-record.ts';
import { isReverseKey } from '../../core/kinds/reverse-item.ts';
import { splitUnit } from '../../core/plan/joint-units.ts';
import { rebuiltEntry, refusalEntry } from '../../core/plan/quarantine-entry.ts';
import type { IndexUnit, Unit } from '../../core/plan/unit.ts';
import { readItems } from '../../core/store-pages.ts';
import type { ItemKey } from '../../core/store-port.ts';
import { type EdgeloomError, StoreError } from '../../foundation/errors.ts';
import { forEachAtOnce } from '../../foundation/for-each.ts';
import { type ApplyContext, checkTime, OutOfTimeError, retryingWithin } from '../../reconcile/context.ts';
import { applyCountedUnit } from '../../reconcile/count.ts';
import { applyContinuationUnit, applyFanOutUnit } from '../../reconcile/fan-out.ts';
import { applyIndexUnit } from '../../reconcile/index-item.ts';
import { applyJoinedUnit } from '../../reconcile/joined.ts';
import { putEntry, quarantine } from '../../reconcile/quarantine.ts';
import { applyViewUnit, mustReadView } from '../../reconcile/view.ts';
import type { BatchResult } from './projector-types.ts';
import { QuarantineKinds } from './quarantine-kinds.ts';

/** Derived items that are read ahead in one call, for units that have to read them first. */
const PREFETCH = 100;

/** The units of one batch being written, and those that have failed. */
export class BatchRun {
  private readonly context: ApplyContext;
  private readonly concurrency: number;
  private readonly failures = new Failures();
  private readonly kinds = new QuarantineKinds();

  constructor(context: ApplyContext, concurrency: number) {
    this.context = { ...context, onQuarantine: (entry, isRefused) => this.kinds.add(entry, isRefused) };
    this.concurrency = concurrency;
  }

  /** Writes units, as many at once as allowed, but for those that others wait for. */
  async write(units: readonly Unit[]): Promise<void> {
    const { context, concurrency, failures } = this;
    let begun = 0;
    // A call with hardly any time gets on all the same: its first unit is tried, though it waits for nothing.
    const remainingMs = (): number => Math.max(context.stats.writes === 0 ? 1 : 0, context.remainingMs());
    const run = async ({ unit, ahead }: Work): Promise<void> => {
      const within = begun++ === 0 ? { ...context, remainingMs } : context;
      const seen = ahead && (await ahead);
      const error = failures.ofReverseItem(unit) ?? (await runUnit(within, unit, seen, failures));
      // rule: unit-without-time-is-reported
      if (error !== undefined) failures.add(unit, error);
    };
    // A parent is read only after its reverse items are written: else the fan-out of its next change could miss the child.
    const reverse = units.filter(isReverseItemUnit);
    // rule: reverse-items-before-views, first
    await forEachAtOnce(reverse, (unit) => run({ unit }), { concurrency });
    // A fan-out skips the items that are reconciled here, since its record was in hand before.
    // rule: edge-reconciles-its-joined-items
    const joined = units.filter(({ kind }) => kind === 'joined');
    await forEachAtOnce(joined, (unit) => run({ unit }), { concurrency });
    const others = units.filter((unit) => !isReverseItemUnit(unit) && unit.kind !== 'joined');
    // rule: reverse-items-before-views, then
    await forEachAtOnce(withPrefetch(context, others), run, { concurrency });
  }

  /** Puts an entry for each item that the batch has written during a rebuild by another model. */
  async quarantineWritten(records: readonly ChangeRecord[], units: readonly Unit[]): Promise<void> {
    const { context, failures, concurrency } = this;
    const quarantineOrFail = async (key: ItemKey): Promise<void> => {
      const entry = rebuiltEntry(context.graph, key, records, context.now());
      const error = await tryWithRetries(context, failures, () => putEntry(context, entry));
      if (error !== undefined) this.fail(units, error);
    };
    await forEachAtOnce(context.written?.values() ?? [], quarantineOrFail, { concurrency });
  }

  /** Counts units as failed. */
  fail(units: readonly Unit[], error: EdgeloomError): void {
    for (const unit of units) this.failures.add(unit, error);
  }

  /** The entries that were put, and the lowest record that is not applied in full. */
  result(): Pick<BatchResult, 'quarantines' | 'failedFrom' | 'error'> {
    return { ...this.kinds.asBatchResult(), ...this.failures.lowest() };
  }
}

/**
 * The units of a batch that have failed. A call that has no time left fails all of its units: each question that a unit asks takes one
 * look, however many others have failed.
 */
class Failures {
  /** The first failure that ends the batch. */
  fatal: StoreError | undefined;
  private readonly errors: { unit: Unit; error: EdgeloomError }[] = [];
  /** The errors of reverse items, by the sort keys of their edges, by the sources of these. */
  private readonly ofReverseItems = new Map<string, Map<string, EdgeloomError>>();

  add(unit: Unit, error: EdgeloomError): void {
    this.errors.push({ unit, error });
    if (error instanceof StoreError && error.kind === 'fatal') this.fatal ??= error;
    if (!isReverseItemUnit(unit)) return;
    const { source, target } = unit.base;
    const ofSource = this.ofReverseItems.get(source) ?? new Map<string, EdgeloomError>();
    this.ofReverseItems.set(source, ofSource.set(target, error));
  }

  /** Returns why the reverse item of an edge in a view unit could not be written. */
  ofReverseItem(unit: Unit): EdgeloomError | undefined {
    // rule: no-view-without-its-reverse-items
    if (unit.kind !== 'view') return undefined;
    const ofSource = this.ofReverseItems.get(unit.source);
    const failed = ofSource && unit.changes.find(({ target }) => ofSource.has(target));
    return failed && ofSource.get(failed.target);
  }

  /** The lowest record that is not applied in full, and the cause. */
  lowest(): Pick<BatchResult, 'failedFrom' | 'error'> {
    let failedFrom: ChangeRecord | undefined;
    for (const { unit } of this.errors) {
      for (const record of unit.records) {
        // rule: batch-fails-from-its-lowest-record
        if (failedFrom === undefined || isOlder(record, failedFrom)) failedFrom = record;
      }
    }
    // The first real cause is returned, not the time-outs that it caused for other units.
    const causes = this.errors.map(({ error }) => error);
    return { failedFrom, error: causes.find((error) => !(error instanceof OutOfTimeError)) ?? causes[0] };
  }
}

interface Work {
  unit: Unit;
  /** The derived item, if it is read ahead. */
  ahead?: Promise<Ahead | undefined>;
}

/** A derived item that was read ahead; its `item` is undefined if there is none. */
interface Ahead {
  item: Item | undefined;
}

function isReverseItemUnit(unit: Unit): unit is IndexUnit {
  return unit.kind === 'index' && isReverseKey(unit.sortKey);
}

/** Yields units. Derived items that have to be read first are read ahead, 100 in a call, just before their units run. */
function* withPrefetch(context: ApplyContext, units: readonly Unit[]): Generator<Work> {
  const toSee: Unit[] = [];
  for (const unit of units) {
    const isToSee = unit.kind === 'view' ? mustReadView(context, unit) : unit.kind === 'index' && unit.byBase === true;
    if (isToSee) toSee.push(unit);
    else yield { unit };
  }
  for (let start = 0; start < toSee.length; start += PREFETCH) {
    const chunk = toSee.slice(start, start + PREFETCH);
    const items = prefetch(context, chunk);
    for (const [i, unit] of chunk.entries()) yield { unit, ahead: items.then((found) => found && { item: found[i] }) };
  }
}

/** Reads derived items ahead. If that fails, each unit reads its own item, with the retries of units. */
async function prefetch(context: ApplyContext, units: readonly Unit[]): Promise<(Item | undefined)[] | undefined> {
  try {
    const keys = units.map(({ source, sortKey }) => ({ source, target: sortKey }));
    return await readItems(context, keys);
  } catch (error) {
    if (error instanceof StoreError) return undefined;
    throw error;
  }
}

/** Applies one unit, with retries while there is time; returns the error that it failed with. */
async function runUnit(
  context: ApplyContext,
  unit: Unit,
  ahead: Ahead | undefined,
  failures: Failures,
): Promise<EdgeloomError | undefined> {
  const failure = await tryWithRetries(context, failures, (attempt) =>
    applyUnit(context, unit, attempt === 1 ? ahead : undefined),
  );
  if (!(failure instanceof StoreError) || failure.kind !== 'terminal') return failure;
  // Its base item cannot be read.
  if (unit.kind === 'quarantine') return failure;
  if ('items' in unit && unit.items.length > 1) return await runOneByOne(context, splitUnit(unit), failures);
  const entry = refusalEntry(context.graph, unit, failure, context.now());
  return await tryWithRetries(context, failures, () => putEntry(context, entry));
}

/** Runs an action, with retries while there is time and no unit has failed fatally; returns the error that it failed with. */
async function tryWithRetries(
  context: ApplyContext,
  failures: Failures,
  action: (attempt: number) => Promise<void>,
): Promise<EdgeloomError | undefined> {
  try {
    await retryingWithin(context, (attempt) => {
      if (failures.fatal !== undefined) throw failures.fatal;
      checkTime(context);
      return action(attempt);
    });
    return undefined;
  } catch (error) {
    if (error instanceof StoreError || error instanceof OutOfTimeError) return error;
    throw error;
  }
}

function applyUnit(context: ApplyContext, unit: Unit, ahead: Ahead | undefined): Promise<void> {
  if (unit.kind === 'view') return applyViewUnit(context, unit, ahead);
  if (unit.kind === 'index') return applyIndexUnit(context, unit, ahead);
  if (unit.kind === 'counted') return applyCountedUnit(context, unit);
  if (unit.kind === 'joined') return applyJoinedUnit(context, unit);
  if (unit.kind === 'fan-out') return applyFanOutUnit(context, unit);
  if (unit.kind === 'continuation') return applyContinuationUnit(context, unit);
  return quarantine(context, unit);
}

/** Applies the items of a refused unit one by one, so that only the item that DynamoDB refuses is quarantined. */
async function runOneByOne(
  context: ApplyContext,
  units: readonly Unit[],
  failures: Failures,
): Promise<EdgeloomError | undefined> {
  for (const alone of units) {
    const error = await runUnit(context, alone, undefined, failures);
    if (error !== undefined) return error;
  }
  return undefined;
}
