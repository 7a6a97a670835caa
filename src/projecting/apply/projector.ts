import { type ChangeRecord, isOlder } from '../../core/items/change-record.ts';
import type { CompiledModel } from '../../core/model/compiled.ts';
import { isBefore, reconcilingUnit } from '../../core/plan/by-base.ts';
import { foldBatch } from '../../core/plan/fold.ts';
import { withUnitPerCount } from '../../core/plan/joint-units.ts';
import type { Unit } from '../../core/plan/unit.ts';
import { planBatch } from '../../core/plan/units.ts';
import type { ItemKey } from '../../core/store-port.ts';
import { observedStore } from '../../core/telemetry.ts';
import { EdgeloomError } from '../../foundation/errors.ts';
import { checkOptions, checkStoreOptions } from '../../foundation/options.ts';
import { runtimeOf } from '../../foundation/runtime.ts';
import type { ApplyContext, ApplyStats } from '../../reconcile/context.ts';
import { EvictedViews } from '../../reconcile/evicted-views.ts';
import { registeredModel, type WriterModel } from '../../registry/writer-model.ts';
import { BatchRun } from './batch-run.ts';
import type { BatchOptions, BatchResult, Projector, ProjectorOptions } from './projector-types.ts';
import { readModel, readNewRebuild } from './read-model.ts';

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
  return observed(graph, options, (unit) => unit);
}

/**
 * Makes a projector that takes from records only the keys of the items that they are about. The base items as they are now decide
 * what is written, so that records of any age may be given. Apart from that it works like any projector: it folds a batch, does not
 * write what the same records wrote before, and quarantines a record that cannot be derived or written.
 */
export function createReconciler(graph: CompiledModel, options: ProjectorOptions): Projector {
  return observed(graph, options, reconcilingUnit);
}

function observed(graph: CompiledModel, options: ProjectorOptions, decided: (unit: Unit) => Unit): Projector {
  const { telemetry } = options;
  const projector = new TableProjector(graph, { ...options, store: observedStore(options, graph) }, decided);
  if (telemetry === undefined) return projector;
  return {
    project: (records, options) =>
      telemetry.run({ kind: 'batch', table: graph.table.name, records: records.length }, () =>
        projector.project(records, options),
      ),
  };
}

/** The way of a batch through the projector: decoded records are folded, derived from, planned as units, and written. */
class TableProjector implements Projector {
  private readonly model: WriterModel;
  private readonly evicted: EvictedViews;

  /** @param decided what becomes of a planned unit: whether its records or the base item decide. */
  constructor(
    private readonly graph: CompiledModel,
    private readonly options: ProjectorOptions,
    private readonly decided: (unit: Unit) => Unit,
  ) {
    this.model = options.model ?? registeredModel(graph, options.store);
    this.evicted = options.evicted ?? new EvictedViews();
  }

  async project(records: readonly ChangeRecord[], batch: BatchOptions = {}): Promise<BatchResult> {
    checkOptions('project', batch, { remainingMs: true });
    const { store, concurrency = 32, fanOutPageSize } = this.options;
    const stats: ApplyStats = { writes: 0, wcu: 0, rcu: 0, stale: 0, contradictions: 0, quarantined: 0 };
    const runtime = { ...runtimeOf({ ...this.options, ...batch }), stats };

    // The model is read after the records are in hand. So every projection that was maintained when they were made is known.
    const read = await readModel(runtime, this.model, records[0]?.position);
    if (read instanceof EdgeloomError)
      return { records: records.length, units: 0, ...stats, failedFrom: lowestRecord(records), error: read };
    const { graph = this.graph, rebuild } = read;

    const histories = foldBatch(records);
    const derived = planBatch(graph, histories);
    // Where nothing is, a rebuild leaves no watermark: the image of a record from before it could bring something back.
    const isOld = records.some((record) => isBefore(record, rebuild?.reconcileBeforeMs ?? 0));
    const units = withUnitPerCount(derived.map(isOld ? reconcilingUnit : this.decided));

    // rule: only-this-batch-counts-as-reconciled
    const settled = new Set<string>();
    const written = graph.shapes === undefined ? new Map<string, ItemKey>() : undefined;
    const context: ApplyContext = { ...runtime, graph, store, fanOutPageSize, evicted: this.evicted, settled, written };
    const run = new BatchRun(context, concurrency);
    await run.write(units);

    // rule: batch-looks-for-a-rebuild-after-it
    const newer = units.length > 0 ? await readNewRebuild(runtime, this.model, rebuild) : undefined;
    // A batch that comes again finds the rebuild at its start: its first attempt may have written during it.
    const begun = newer ?? (isOld && rebuild?.model !== graph.fingerprint ? rebuild : undefined);
    if (begun instanceof EdgeloomError) {
      run.fail(units, begun);
    } else if (begun !== undefined) {
      const isOfModel = begun.model === graph.fingerprint;
      // rule: batch-during-a-rebuild-is-applied-again
      if (isOfModel) await run.write(withUnitPerCount(derived.map(reconcilingUnit)));
      // A redrive by the model of the rebuild reconciles the items that this one has written.
      // rule: writes-during-a-rebuild-by-another-model-are-quarantined
      if (!isOfModel) await run.quarantineWritten(records, units);
    }
    return { records: records.length, units: units.length, ...stats, ...run.result() };
  }
}

function lowestRecord(records: readonly ChangeRecord[]): ChangeRecord {
  return records.reduce((low, record) => (isOlder(record, low) ? record : low));
}
