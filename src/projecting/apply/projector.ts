import { type Item, stringOf } from '../../core/items/attribute-value.ts';
import { type ChangeRecord, isOlder } from '../../core/items/change-record.ts';
import { QUARANTINE_FIELDS } from '../../core/items/derived-item.ts';
import { textOfKey } from '../../core/items/keys.ts';
import type { CompiledModel } from '../../core/model/compiled.ts';
import {
  type ContinuationTouch,
  type FanOutTouch,
  isReconcilable,
  keyOfTouch,
  type Reconcilable,
  type Touch,
} from '../../core/plan/touch.ts';
import { touched } from '../../core/plan/touched.ts';
import { observedStore } from '../../core/telemetry.ts';
import { EdgeloomError, isRetryableStoreError, StoreError } from '../../foundation/errors.ts';
import { forEachAtOnce } from '../../foundation/for-each.ts';
import { SEND_WITHIN_MS } from '../../foundation/late-writes.ts';
import { checkOptions, checkStoreOptions } from '../../foundation/options.ts';
import { runtimeOf } from '../../foundation/runtime.ts';
import {
  type ApplyContext,
  checkTime,
  noStats,
  OutOfTimeError,
  RECONCILE_CALLS_AT_ONCE,
  retryingWithin,
} from '../../reconcile/apply-context.ts';
import { beginFanOut, continueFanOut } from '../../reconcile/fan-out.ts';
import { putRefusal, type SeenItem } from '../../reconcile/quarantine.ts';
import { type ReadAhead, readAhead, reconcile } from '../../reconcile/reconcile.ts';
import { registeredModel, type WriterModel } from '../../registry/writer-model.ts';
import type { BatchOptions, BatchResult, Projector, ProjectorOptions, QuarantineKind } from './projector-types.ts';

/** Creates a projector for a model. */
export function createProjector(graph: CompiledModel, options: ProjectorOptions): Projector {
  checkStoreOptions('createProjector', options, {
    store: true,
    concurrency: 'count',
    fanOutPageSize: 'count',
    now: 'internal',
    wait: 'internal',
    random: 'internal',
    model: true,
    telemetry: true,
  });
  const { telemetry } = options;
  const projector = new TableProjector(graph, { ...options, store: observedStore(options, graph) });
  if (telemetry === undefined) return projector;
  return {
    project: (records, options) =>
      telemetry.run({ kind: 'batch', table: graph.table.name, records: records.length }, () =>
        projector.project(records, options),
      ),
  };
}

class TableProjector implements Projector {
  private readonly model: WriterModel;
  private last: CompiledModel | undefined;

  constructor(
    private readonly graph: CompiledModel,
    private readonly options: ProjectorOptions,
  ) {
    this.model = options.model ?? registeredModel(graph, options.store);
  }

  async project(records: readonly ChangeRecord[], batch: BatchOptions = {}): Promise<BatchResult> {
    checkOptions('project', batch, { remainingMs: 'function' });
    const { store, concurrency = RECONCILE_CALLS_AT_ONCE, fanOutPageSize } = this.options;
    const stats = noStats();
    const kinds = new QuarantineKinds();
    const runtime = runtimeOf({ ...this.options, ...batch });
    const modelReadAtMs = runtime.now();
    const within: Omit<ApplyContext, 'graph'> = {
      ...runtime,
      // A process that was suspended has to retry the batch with a fresh model.
      remainingMs: () => Math.min(runtime.remainingMs(), modelReadAtMs + SEND_WITHIN_MS - runtime.now()),
      modelReadAtMs,
      stats,
      store,
      concurrency,
      ...(fanOutPageSize !== undefined && { fanOutPageSize }),
      onQuarantine: (entry, isRefused) => kinds.add(entry, isRefused),
    };
    const guessed = this.last && begin({ ...within, graph: this.last }, records);
    // Reads the model after the records were received, so that it has every projection that existed when they were
    // written.
    // rule: head-is-read-after-the-records
    const graph = await readModel(within, this.model, records[0]?.stream);
    if (graph instanceof EdgeloomError)
      return { records: records.length, touches: 0, ...stats, ...failedFrom(records, graph) };
    this.last = graph ?? this.last;
    const context = { ...within, graph: graph ?? this.graph };
    // rule: read-ahead-counts-under-the-same-model
    const { touches, ahead }: Pick<Begun, 'touches' | 'ahead'> =
      guessed?.graph === context.graph ? guessed : { touches: touched(context.graph, records) };
    const failures = await reconcileBatch(context, touches, ahead);
    return {
      records: records.length,
      touches: touches.length,
      ...stats,
      ...kinds.asBatchResult(),
      ...lowest(failures),
    };
  }
}

interface Begun extends Pick<ApplyContext, 'graph'> {
  touches: Touch[];
  ahead?: ReadAhead;
}

function begin(context: ApplyContext, records: readonly ChangeRecord[]): Begun {
  const { graph } = context;
  const touches = touched(graph, records);
  return { graph, touches, ahead: readAhead(context, touches.filter(isReconcilable)) };
}

interface Failed {
  touch: Pick<Touch, 'records'>;
  error: EdgeloomError;
}

/** Fan-outs come last, because they skip items that the batch itself has reconciled. */
async function reconcileBatch(
  context: ApplyContext,
  touches: readonly Touch[],
  ahead: ReadAhead | undefined,
): Promise<Failed[]> {
  const items = touches.filter(isReconcilable);
  const failures: Failed[] = await reconcile(context, items, { ahead });
  const fanOuts = touches.filter((touch) => !isReconcilable(touch));
  if (fanOuts.length === 0) return failures;
  const failed = new Set(failures.map(({ touch }) => touch));
  const done = items.filter((touch) => !failed.has(touch));
  // rule: only-this-batch-counts-as-reconciled
  const reconciled = new Set(done.flatMap(reconciledTexts));
  const within = { ...context, reconciled };
  const visit = async (touch: FanOutTouch | ContinuationTouch, entry?: SeenItem): Promise<void> => {
    try {
      // The first work of a batch is done even with hardly any time left, so that every call makes progress.
      const visiting = { ...within, hasBegun: items.length > 0 || touch !== fanOuts[0] };
      await retryingWithin(visiting, () => {
        if (visiting.hasBegun) checkTime(visiting);
        return touch.kind === 'fan-out' ? beginFanOut(visiting, touch) : continueFanOut(visiting, touch);
      });
    } catch (error) {
      if (!(error instanceof StoreError) || error.kind !== 'terminal') throw error;
      const changed = await retryingWithin(within, () => putRefusal(within, touch, error, entry));
      if (changed !== undefined) await visit(touch, changed);
    }
  };
  const visitOrFail = async (touch: FanOutTouch | ContinuationTouch): Promise<void> => {
    try {
      await visit(touch);
    } catch (error) {
      if (!(error instanceof StoreError || error instanceof OutOfTimeError)) throw error;
      failures.push({ touch, error });
    }
  };
  await forEachAtOnce(fanOuts, visitOrFail, { concurrency: context.concurrency ?? RECONCILE_CALLS_AT_ONCE });
  return failures;
}

function reconciledTexts(touch: Reconcilable): string[] {
  if (touch.kind === 'view') return touch.targets.map((target) => textOfKey({ source: touch.source, target }));
  return [textOfKey(keyOfTouch(touch))];
}

function lowest(failures: readonly Failed[]): Pick<BatchResult, 'failedFrom' | 'error'> {
  if (failures.length === 0) return { failedFrom: undefined, error: undefined };
  const causes = failures.map(({ error }) => error);
  const error = causes.find((cause) => !(cause instanceof OutOfTimeError)) ?? causes[0]!;
  // rule: batch-fails-from-its-lowest-record
  return failedFrom(
    failures.flatMap(({ touch }) => touch.records),
    error,
  );
}

function failedFrom(records: readonly ChangeRecord[], error: EdgeloomError): Pick<BatchResult, 'failedFrom' | 'error'> {
  return { failedFrom: records.reduce((low, record) => (isOlder(record, low) ? record : low)), error };
}

export function appliedCount(records: readonly ChangeRecord[], { failedFrom }: BatchResult): number {
  const failed = failedFrom === undefined ? -1 : records.findIndex((record) => !isOlder(record, failedFrom));
  return failed < 0 ? records.length : failed;
}

/** Errors that waiting doesn't resolve. */
const LASTING: ReadonlySet<string> = new Set(['projection-code-missing', 'registry-gone', 'not-home-region']);

/**
 * Retries while there is time. If an error is returned, no record of the batch may be applied or skipped. Returns
 * undefined if the batch has no records.
 */
async function readModel(
  reading: Omit<ApplyContext, 'graph'>,
  model: WriterModel,
  stream: string | undefined,
): Promise<CompiledModel | EdgeloomError | undefined> {
  if (stream === undefined) return undefined;
  const isTransient = (error: unknown): boolean => isRetryableStoreError(error) && !LASTING.has(error.code);
  try {
    return await retryingWithin(reading, () => model.current(reading.stats, stream), isTransient);
  } catch (error) {
    if (!(error instanceof EdgeloomError)) throw error;
    return error;
  }
}

/** Lists refused entries separately, because nothing else names their items. */
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
