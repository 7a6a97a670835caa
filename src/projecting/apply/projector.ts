import { type Item, stringOf } from '../../core/items/attribute-value.ts';
import { type ChangeRecord, isOlder } from '../../core/items/change-record.ts';
import { QUARANTINE_FIELDS } from '../../core/items/derived-item.ts';
import { isReverseKey } from '../../core/kinds/reverse-item.ts';
import type { CompiledModel } from '../../core/model/compiled.ts';
import { isBefore, reconcilingUnit } from '../../core/plan/by-base.ts';
import { derivedOf } from '../../core/plan/derive.ts';
import { foldBatch } from '../../core/plan/fold.ts';
import { derivationEntry, rebuiltEntry, refusalEntry } from '../../core/plan/quarantine-entry.ts';
import { type IndexUnit, type QuarantineUnit, splitUnit, type Unit, withUnitPerCount } from '../../core/plan/unit.ts';
import { planBatch } from '../../core/plan/units.ts';
import { readItem, readItems } from '../../core/store-pages.ts';
import type { ItemKey, Store } from '../../core/store-port.ts';
import { observedStore, type TelemetryOption } from '../../core/telemetry.ts';
import { EdgeloomError, StoreError } from '../../foundation/errors.ts';
import { forEachAtOnce } from '../../foundation/for-each.ts';
import { checkOptions, checkStoreOptions } from '../../foundation/options.ts';
import { type RuntimeOptions, runtimeOf } from '../../foundation/runtime.ts';
import { registeredModel, type WriterModel } from '../../registry/writer-model.ts';
import { type ApplyContext, type ApplyStats, checkTime, OutOfTimeError, putEntry, retryingWithin } from './context.ts';
import { applyCountedUnit } from './counted.ts';
import { EvictedViews } from './evicted-views.ts';
import { applyContinuationUnit, applyFanOutUnit } from './fan-out.ts';
import { applyIndexUnit } from './index-item.ts';
import { applyJoinedUnit } from './joined.ts';
import { readModelIntoContext, readNewRebuild } from './read-model.ts';
import { applyViewUnit, mustReadView } from './view.ts';

/** Options of a projector. */
export interface ProjectorOptions extends Pick<RuntimeOptions, 'now' | 'wait' | 'random'>, TelemetryOption {
  /** The table. */
  store: Store;
  /** Units in flight at once. Default 32. */
  concurrency?: number | undefined;
  /** Children that a change of a copied node reaches before the continuation's own record drives the rest. Default 250. */
  fanOutPageSize?: number | undefined;
  /** The edge types that views were last seen without. Default: a memory of its own; projectors of one process may share one. */
  evicted?: EvictedViews | undefined;
  /** The model to maintain. Default: the registry's, read for each batch; without a registry the model itself. */
  model?: WriterModel | undefined;
}

/** Options of one batch. */
export interface BatchOptions {
  /**
   * Milliseconds left for the batch; called many times. Retryable failures are retried with full jitter until no time is left.
   * Default: no end.
   */
  remainingMs?: RuntimeOptions['remainingMs'];
}

/** Quarantine entries with one code that a batch has put. */
export interface QuarantineKind {
  code: string;
  count: number;
  /** The reason of the first entry, with the keys of its item. */
  reason: string;
  /** The table has refused the one entry in every form, so that the log alone tells of its item. */
  isRefused?: true;
}

/** The result of a batch. */
export interface BatchResult extends ApplyStats {
  records: number;
  /** Number of planned units: derived items to write, and quarantine entries. */
  units: number;
  /** The quarantine entries by code; absent if there are none. */
  quarantines?: readonly QuarantineKind[];
  /** The lowest record that is not applied in full; absent if all are. Records before it are done. */
  failedFrom?: ChangeRecord;
  /** The cause of `failedFrom`. */
  error?: EdgeloomError;
}

/** Projects batches of change records: fold, plan, apply. */
export interface Projector {
  /**
   * Projects one batch. Problems of a record or of the table make no exception: the result says from which record the batch has to
   * be retried. Any batch may be given again, whole or cut at other borders.
   */
  project(records: readonly ChangeRecord[], options?: BatchOptions): Promise<BatchResult>;
}

/** Derived items that are read ahead in one call, for units that have to read them first. */
const PREFETCH = 100;

/** Makes a projector for a model. */
export function createProjector(graph: CompiledModel, options: ProjectorOptions): Projector {
  checkStoreOptions('createProjector', options, {
    store: true,
    concurrency: true,
    fanOutPageSize: true,
    now: true,
    wait: true,
    random: true,
    evicted: true,
    model: true,
    telemetry: true,
  });
  return makeObserved(graph, options, (unit) => unit);
}

/**
 * Makes a projector that takes from records only the keys of the items that they are about. The base items as they are now decide
 * what is written, so that records of any age may be given. Apart from that it works like any projector: it folds a batch, does not
 * write what the same records wrote before, and quarantines a record that cannot be derived or written.
 */
export function createReconciler(graph: CompiledModel, options: ProjectorOptions): Projector {
  return makeObserved(graph, options, reconcilingUnit);
}

function makeObserved(graph: CompiledModel, options: ProjectorOptions, decided: (unit: Unit) => Unit): Projector {
  const { telemetry } = options;
  const projector = makeProjector(graph, { ...options, store: observedStore(options, graph) }, decided);
  if (telemetry === undefined) return projector;
  return {
    project: (records, options) =>
      telemetry.run({ kind: 'batch', table: graph.table.name, records: records.length }, () =>
        projector.project(records, options),
      ),
  };
}

function makeProjector(graph: CompiledModel, options: ProjectorOptions, decided: (unit: Unit) => Unit): Projector {
  const { store, concurrency = 32, fanOutPageSize, now, wait, random } = options;
  const { evicted = new EvictedViews(), model = registeredModel(graph, store) } = options;
  return {
    async project(records, options = {}) {
      checkOptions('project', options, { remainingMs: true });
      const { remainingMs } = options;
      const stats: ApplyStats = { writes: 0, wcu: 0, rcu: 0, stale: 0, contradictions: 0, quarantined: 0 };
      const runtime = runtimeOf({ now, wait, random, remainingMs });
      const context: ApplyContext = { graph, store, ...runtime, fanOutPageSize, evicted, stats };
      // rule: only-this-batch-counts-as-reconciled
      context.settled = new Set();
      const kinds = new QuarantineKinds();
      context.onQuarantine = (entry, isRefused) => kinds.add(entry, isRefused);
      // The model is read after the records are in hand. So every projection that was maintained when they were made is known.
      const [record] = records;
      const error = record && (await readModelIntoContext(context, model, record.position));
      if (error !== undefined)
        return { records: records.length, units: 0, ...stats, failedFrom: lowestRecord(records), error };
      if (context.graph.shapes === undefined) context.written = new Map();
      const planned = planBatch(context.graph, foldBatch(records));
      // Where nothing is, a rebuild leaves no watermark: the image of a record from before it could bring something back.
      const isOld = records.some((record) => isBefore(record, context.rebuild?.reconcileBeforeMs ?? 0));
      const units = withUnitPerCount(planned.map(isOld ? reconcilingUnit : decided));
      const failures: Failure[] = [];
      // A call with hardly any time gets on all the same: its first unit is tried, though it waits for nothing.
      const isUntried = (): boolean => stats.writes === 0;
      const first: ApplyContext = {
        ...context,
        remainingMs: () => Math.max(isUntried() ? 1 : 0, runtime.remainingMs()),
      };
      /** @param place the number of units of the batch that began before. */
      const run = async ({ unit, ahead }: Work, place: number): Promise<void> => {
        const within = place === 0 ? first : context;
        const seen = ahead && (await ahead);
        const error = failureOfReverseItem(unit, failures) ?? (await runUnit(within, unit, seen, failures));
        // rule: unit-without-time-is-reported
        if (error !== undefined) failures.push({ unit, error });
      };
      const quarantineOrFail = async (key: ItemKey): Promise<void> => {
        const entry = rebuiltEntry(context.graph, key, records, context.now());
        const error = await tryWithRetries(context, failures, () => putEntry(context, entry));
        if (error !== undefined) failures.push(...units.map((unit) => ({ unit, error })));
      };
      const apply = async (units: readonly Unit[]): Promise<void> => {
        // A parent is read only after its reverse items are written: else the fan-out of its next change could miss the child.
        const reverse = units.filter(isReverseItemUnit);
        // rule: reverse-items-before-views, first
        await forEachAtOnce(reverse, (unit, place) => run({ unit }, place), { concurrency });
        // A fan-out skips the items that are reconciled here, since its record was in hand before.
        // rule: edge-reconciles-its-joined-items
        const joined = units.filter(({ kind }) => kind === 'joined');
        await forEachAtOnce(joined, (unit, place) => run({ unit }, reverse.length + place), { concurrency });
        const others = units.filter((unit) => !isReverseItemUnit(unit) && unit.kind !== 'joined');
        const before = reverse.length + joined.length;
        // rule: reverse-items-before-views, then
        await forEachAtOnce(withPrefetch(context, others), (work, place) => run(work, before + place), { concurrency });
      };
      await apply(units);
      // rule: batch-looks-for-a-rebuild-after-it
      const isRebuilt = units.length > 0 && (await readNewRebuild(context, model));
      if (isRebuilt instanceof EdgeloomError) {
        failures.push(...units.map((unit) => ({ unit, error: isRebuilt })));
      } else if (isRebuilt) {
        const isOfModel = context.rebuild?.model === context.graph.fingerprint;
        // rule: batch-during-a-rebuild-is-applied-again
        if (isOfModel) await apply(withUnitPerCount(planned.map(reconcilingUnit)));
        // A redrive by the model of the rebuild reconciles the items that this one has written.
        // rule: writes-during-a-rebuild-by-another-model-are-quarantined
        if (!isOfModel) await forEachAtOnce(context.written?.values() ?? [], quarantineOrFail, { concurrency });
      }
      return {
        records: records.length,
        units: units.length,
        ...stats,
        ...kinds.asBatchResult(),
        ...lowestFailure(failures),
      };
    },
  };
}

/** Counts quarantine entries by their code. Each that the table has refused stands alone, since nothing else names it. */
class QuarantineKinds {
  private readonly kinds = new Map<string, QuarantineKind>();

  add(entry: Item, isRefused: boolean): void {
    const code = stringOf(entry[QUARANTINE_FIELDS.code]) ?? '';
    const reason = stringOf(entry[QUARANTINE_FIELDS.reason]) ?? '';
    const kind = this.kinds.get(code);
    if (isRefused) this.kinds.set(`${code} ${this.kinds.size}`, { code, count: 1, reason, isRefused });
    else if (kind !== undefined) kind.count += 1;
    else this.kinds.set(code, { code, count: 1, reason });
  }

  asBatchResult(): Pick<BatchResult, 'quarantines'> {
    return this.kinds.size === 0 ? {} : { quarantines: [...this.kinds.values()] };
  }
}

function lowestRecord(records: readonly ChangeRecord[]): ChangeRecord {
  return records.reduce((low, record) => (isOlder(record, low) ? record : low));
}

interface Failure {
  unit: Unit;
  error: EdgeloomError;
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

/** Returns why the reverse item of an edge in a view unit could not be written. */
function failureOfReverseItem(unit: Unit, failures: readonly Failure[]): EdgeloomError | undefined {
  // rule: no-view-without-its-reverse-items
  if (unit.kind !== 'view') return undefined;
  return failures.find(
    ({ unit: failed }) =>
      isReverseItemUnit(failed) &&
      failed.base.source === unit.source &&
      unit.changes.some(({ target }) => target === failed.base.target),
  )?.error;
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
  failures: readonly Failure[],
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
  failures: readonly Failure[],
  action: (attempt: number) => Promise<void>,
): Promise<EdgeloomError | undefined> {
  try {
    await retryingWithin(context, (attempt) => {
      const fatal = failures.find(({ error }) => error instanceof StoreError && error.kind === 'fatal');
      if (fatal !== undefined) throw fatal.error;
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

/** Puts an entry for problems of the records, or, if the base item decides, of the base item as it is now. */
async function quarantine(context: ApplyContext, unit: QuarantineUnit): Promise<void> {
  const { graph } = context;
  const { source, target } = unit;
  let { problems } = unit;
  if (unit.byBase === true) {
    ({ problems } = derivedOf(graph, source, target, await readItem(context, { source, target })));
    if (problems.length === 0) return;
  }
  await putEntry(context, derivationEntry(graph, { ...unit, problems }, context.now()));
}

/** Applies the items of a refused unit one by one, so that only the item that DynamoDB refuses is quarantined. */
async function runOneByOne(
  context: ApplyContext,
  units: readonly Unit[],
  failures: readonly Failure[],
): Promise<EdgeloomError | undefined> {
  for (const alone of units) {
    const error = await runUnit(context, alone, undefined, failures);
    if (error !== undefined) return error;
  }
  return undefined;
}

function lowestFailure(failures: readonly Failure[]): Pick<BatchResult, 'failedFrom' | 'error'> {
  let failedFrom: ChangeRecord | undefined;
  for (const { unit } of failures) {
    for (const record of unit.records) {
      // rule: batch-fails-from-its-lowest-record
      if (failedFrom === undefined || isOlder(record, failedFrom)) failedFrom = record;
    }
  }
  // The first real cause is returned, not the time-outs that it caused for other units.
  const causes = failures.map(({ error }) => error);
  return { failedFrom, error: causes.find((error) => !(error instanceof OutOfTimeError)) ?? causes[0] };
}
