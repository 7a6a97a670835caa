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
  /** Parallel calls for each kind of work, such as updates or fan-outs. Default: 32. */
  concurrency?: number | undefined;
  /**
   * Maximum number of children of a changed node, or of edges with an order that uses the node, to update at once. The
   * record of the fan-out's continuation triggers the next part. Default: 250.
   */
  fanOutPageSize?: number | undefined;
  /**
   * The model to maintain. Default: the registry's model, read for each batch; without a registry, the projector's own
   * model.
   */
  model?: WriterModel | undefined;
}

/** Options of one batch. */
export interface BatchOptions {
  /**
   * Returns the milliseconds left for the batch. Retryable failures are retried with full jitter until no time is left.
   * Default and maximum: 15 minutes.
   */
  remainingMs?: RuntimeOptions['remainingMs'];
}

/** A batch's quarantined items with the same code, and the reason for the first. */
export interface QuarantineKind {
  code: string;
  count: number;
  reason: string;
  /** Set if the table refused the quarantine entry in every form, so that only the log names the item. */
  isRefused?: true;
}

/** The result of a batch. */
export interface BatchResult extends ApplyStats {
  records: number;
  /** Derived items that the records touch, including fan-outs. */
  touches: number;
  /** Quarantine entries by code; absent if there are none. */
  quarantines?: readonly QuarantineKind[];
  /** The oldest record that isn't fully applied; absent if there is none. All older records are done. */
  failedFrom?: ChangeRecord;
  /**
   * Why the batch isn't fully applied: the first error other than a lack of time, if there is one. May concern a later
   * record than `failedFrom`.
   */
  error?: EdgeloomError;
}

/**
 * Projects batches of change records: brings each derived item that they touch to the content that follows from its
 * base items.
 */
export interface Projector {
  /**
   * Projects one batch. Returns problems of a record or of the table instead of throwing: `failedFrom` is the record to
   * retry from. Records may be projected again, in the same or in other batches.
   */
  project(records: readonly ChangeRecord[], options?: BatchOptions): Promise<BatchResult>;
}
