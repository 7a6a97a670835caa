import type { ChangeRecord } from '../../core/items/change-record.ts';
import type { Store } from '../../core/store-port.ts';
import type { TelemetryOption } from '../../core/telemetry.ts';
import type { EdgeloomError } from '../../foundation/errors.ts';
import type { RuntimeOptions } from '../../foundation/runtime.ts';
import type { ApplyStats } from '../../reconcile/apply-context.ts';
import type { WriterModel } from '../../registry/writer-model.ts';

/** Options of a projector. */
export interface ProjectorOptions extends TelemetryOption {
  /** @internal */
  now?: RuntimeOptions['now'];
  /** @internal */
  wait?: RuntimeOptions['wait'];
  /** @internal */
  random?: RuntimeOptions['random'];
  /** The table. */
  store: Store;
  /** Calls in flight at once. Default 32. */
  concurrency?: number | undefined;
  /**
   * Children that a change of a copied node reaches before the continuation's own record drives the rest. Default 250.
   */
  fanOutPageSize?: number | undefined;
  /** The model to maintain. Default: the registry's, read for each batch; without a registry the model itself. */
  model?: WriterModel | undefined;
}

/** Options of one batch. */
export interface BatchOptions {
  /**
   * Milliseconds left for the batch. Retryable failures are retried with full jitter until no time is left. Default: no
   * end.
   */
  remainingMs?: RuntimeOptions['remainingMs'];
}

/** Quarantined items of a batch that have the same code, with the first reason. */
export interface QuarantineKind {
  code: string;
  count: number;
  reason: string;
  /** The table has refused the entry in every form: only the log tells of its item. */
  isRefused?: true;
}

/** The result of a batch. */
export interface BatchResult extends ApplyStats {
  records: number;
  /** Derived items that the records touch, fan-outs included. */
  touches: number;
  /** The quarantine entries by code; absent if there are none. */
  quarantines?: readonly QuarantineKind[];
  /** The lowest record that isn't applied in full; absent if all are. Records before it are done. */
  failedFrom?: ChangeRecord;
  /** The cause of `failedFrom`. */
  error?: EdgeloomError;
}

/** Projects batches of change records: makes each derived item that they touch what the base items ask for now. */
export interface Projector {
  /**
   * Projects one batch. Problems of a record or of the table don't throw: the result says from which record the batch
   * has to be retried. Any batch may be given again, whole or cut differently.
   */
  project(records: readonly ChangeRecord[], options?: BatchOptions): Promise<BatchResult>;
}
