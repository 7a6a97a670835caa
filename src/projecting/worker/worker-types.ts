import type { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import type { ChangeRecord } from '../../core/items/change-record.ts';
import type { Store } from '../../core/store-port.ts';
import type { TelemetryOption } from '../../core/telemetry.ts';
import type { Logger } from '../../foundation/logger.ts';
import type { ApplyStats } from '../../reconcile/apply-context.ts';
import type { CheckpointStore } from '../../stream/checkpoint.ts';
import type { SetAside } from '../../stream/checkpoint-journal.ts';
import type { StreamSource } from '../../stream/source.ts';
import type { BatchResult, Projector } from '../apply/projector-types.ts';

/** Options of `createWorker`. */
export interface WorkerOptions extends WorkerSettings {
  /** The client that reads the stream. */
  streams: DynamoDBStreamsClient;
  /** ARN of the table's stream. */
  streamArn: string;
}

/** Options of `createSourceWorker`. */
export interface SourceWorkerOptions extends WorkerSettings {
  /** The stream. */
  source: StreamSource;
}

/** Settings of a worker, without the stream. */
export interface WorkerSettings extends TelemetryOption {
  /** The table. */
  store: Store;
  /** The projector of the batches, which brings its own telemetry. Default: `createProjector(graph, { store, telemetry })`. */
  projector?: Projector | undefined;
  /** Where it keeps how far it came: `fileCheckpoint(path)`. Default: in memory, so each worker starts with the oldest record. */
  checkpoint?: CheckpointStore | undefined;
  /** Base items' records folded into one batch, where as many are waiting. More is cheaper. Default 10,000. */
  maxBatchRecords?: number | undefined;
  /** Bytes of these records' images. Default 6,000,000. */
  maxBatchBytes?: number | undefined;
  /** Milliseconds between two polls of a shard that has nothing new. Default 200. */
  pollIntervalMs?: number | undefined;
  /** Milliseconds between two looks for new shards, where no shard ends; never less than 250. Default 5,000. */
  shardIntervalMs?: number | undefined;
  /** Shards read and projected at once; more of them take turns. Default 4. */
  shardConcurrency?: number | undefined;
  /** Milliseconds that a batch may take; what is left then is tried again in smaller batches. Default 120,000. */
  batchTimeoutMs?: number | undefined;
  /** Milliseconds between two calls of `deleteEnded`, of a worker without `untilIdle`. Default 60,000. */
  endedIntervalMs?: number | undefined;
  /** Milliseconds that the batch in hand may still take after `stop()`. Default 10,000. */
  stopGraceMs?: number | undefined;
  /** Called after each batch. It must not throw. */
  onBatch?: ((report: BatchReport) => void) | undefined;
  /** Called when records have left the stream unread. */
  onTrimmed?: ((trimmed: TrimmedShard) => void) | undefined;
  /** True if it leaves in the table how far it has come: one write of one unit in ten seconds at most. Default true. */
  progress?: boolean | undefined;
  /** A pino logger, or anything like it. Default: errors and warnings become process warnings, the rest is dropped. */
  logger?: Logger | undefined;
}

/** Sums over batches. */
export interface WorkerStats extends ApplyStats {
  /** Records of base items that are applied; each counts once, however often it was tried. */
  records: number;
  /** Derived items that the records of each batch touch. */
  touches: number;
  /** Batches projected, tries of the same records included. */
  batches: number;
}

/** One batch that was projected. */
export interface BatchReport {
  shardId: string;
  /** Its records, oldest first. */
  records: readonly ChangeRecord[];
  /** The result; `failedFrom` where not all of the batch is applied. */
  result: BatchResult;
  /**
   * Milliseconds since the newest record was made. Streams tell whole seconds (DynamoDB Local: whole minutes), rounded
   * down, so it is too much by up to that. Absent where the stream does not tell.
   */
  newestRecordAgeMs?: number;
  /** How long it took, in milliseconds. */
  milliseconds: number;
  /** All batches so far, this one included. */
  totals: Readonly<WorkerStats>;
}

/** Records have left the stream (after 24 hours) before they were read: the derived items may lack their changes. */
export interface TrimmedShard {
  shardId: string;
  /** One or two sentences, with what to do. */
  message: string;
}

/** The result of a run of the worker. */
export interface WorkerResult extends WorkerStats {
  /** Why it ended. */
  endedBy: 'stop' | 'idle';
  /** Where records were lost unread. Not empty: a rebuild is due. */
  trimmed: readonly TrimmedShard[];
  /** The checkpoint was of another stream, as after the table was re-created; this one was read from its oldest record. */
  setAside?: SetAside;
  /** Records of an earlier table of the same name that were dropped; only the embedded engine has such. */
  leftovers: number;
}

/** Reads a stream and projects it. */
export interface Worker {
  /**
   * Runs until `stop()`, or with `untilIdle` until the records that the stream held at the start are projected: until two polls in a row
   * find nothing new, the worker's own writes included, or, while producers write on, until it is past each shard's first later record
   * of a base item. Calls that the table or the stream refuse for
   * the moment are retried without a limit. Rejects where trying again cannot help: a fatal `StoreError`, a stream that
   * is gone (`no-stream`, `stream-ended`), a record that is none (`invalid-record`, `missing-images`), a checkpoint
   * that cannot be read or written. A worker runs once.
   */
  run(options?: { untilIdle?: boolean }): Promise<WorkerResult>;
  /**
   * Resolves when every record that is in the stream now is projected, as `untilIdle` does: while producers write on, the later pages of
   * a fan-out may still come. Rejects where the worker ends before.
   */
  idle(): Promise<void>;
  /** Finishes the batch in hand, keeps the checkpoint, and resolves when `run` has ended. Calling it again is fine. */
  stop(): Promise<void>;
}
