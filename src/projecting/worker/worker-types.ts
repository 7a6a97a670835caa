import type { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import type { ChangeRecord } from '../../core/items/change-record.ts';
import type { Store } from '../../core/store-port.ts';
import type { TelemetryOption } from '../../core/telemetry.ts';
import type { Logger } from '../../foundation/logger.ts';
import type { ApplyStats } from '../../reconcile/apply-context.ts';
import type { CheckpointStore } from '../../stream/checkpoint.ts';
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
  /** The stream to project. */
  source: StreamSource;
}

/** Settings of a worker, without the stream. */
export interface WorkerSettings extends TelemetryOption {
  /** The table. */
  store: Store;
  /** The projector to use. Default: `createProjector(graph, { store, telemetry })`. */
  projector?: Projector | undefined;
  /**
   * Where to store the worker's progress, such as `fileCheckpoint(path)`. Default: in memory, so each worker starts
   * with the oldest record.
   */
  checkpoint?: CheckpointStore | undefined;
  /** Maximum number of records of base items and fan-outs in one batch. Larger batches are cheaper. Default: 10,000. */
  maxBatchRecords?: number | undefined;
  /** A batch stops reading pages after this many bytes of records. Default: 6,000,000. */
  maxBatchBytes?: number | undefined;
  /** Milliseconds between two polls of a shard without new records. Default: 200. */
  pollIntervalMs?: number | undefined;
  /** Milliseconds between two listings of shards, at least 250. Default: 5,000. */
  shardIntervalMs?: number | undefined;
  /** Shards to read and project at once. Default: 4. */
  shardConcurrency?: number | undefined;
  /** Milliseconds that a batch may take before the rest is retried in smaller batches. Default: 120,000. */
  batchTimeoutMs?: number | undefined;
  /** Milliseconds between two calls of `deleteEnded`. With `untilIdle`, the worker doesn't call it. Default: 60,000. */
  endedIntervalMs?: number | undefined;
  /** Milliseconds that the current batch may still take after `stop()`. Default: 10,000. */
  stopGraceMs?: number | undefined;
  /** Called after each batch. Must not throw. */
  onBatch?: ((report: BatchReport) => void) | undefined;
  /** Called for each shard whose records left the stream unread. */
  onTrimmed?: ((trimmed: TrimmedShard) => void) | undefined;
  /**
   * Whether to save the worker's progress in the table. Every ten seconds, this costs one write unit, plus one per 36
   * shards, rounded up. Default: true.
   */
  progress?: boolean | undefined;
  /** A logger such as pino's. Default: errors and warnings become process warnings; the rest is dropped. */
  logger?: Logger | undefined;
}

/** Sums over a worker's batches. */
export interface WorkerStats extends ApplyStats {
  /** Applied records of base items and fan-outs, each counted once. */
  records: number;
  /** Derived items that the records touch, summed over the batches. */
  touches: number;
  /** Projected batches, including retries. */
  batches: number;
}

/** A projected batch. */
export interface BatchReport {
  shardId: string;
  /** The batch's records, oldest first. */
  records: readonly ChangeRecord[];
  /** `failedFrom` is set if the batch isn't applied in full. */
  result: BatchResult;
  /**
   * The newest record's age in milliseconds, absent if the record has no time. Up to a second too high (DynamoDB Local:
   * a minute), because streams round times down.
   */
  newestRecordAgeMs?: number;
  milliseconds: number;
  /** Sums over all batches so far, including this one. */
  totals: Readonly<WorkerStats>;
}

/** A shard whose records left the stream unread, after 24 hours, so that derived items may lack their changes. */
export interface TrimmedShard {
  shardId: string;
  /** Says which records were lost and what to do, in one or two sentences. */
  message: string;
}

/** The result of a worker's run. */
export interface WorkerResult extends WorkerStats {
  endedBy: 'stop' | 'idle';
  /**
   * Shards whose records were lost unread. If there are any, run `edgeloom migrate`, or `edgeloom rebuild` if the table
   * has no registry.
   */
  trimmed: readonly TrimmedShard[];
}

/** Reads a stream and projects it. */
export interface Worker {
  /**
   * Runs until `stop()`. With `untilIdle`, runs until the records that the stream held at the start are projected and
   * two polls in a row find nothing new, not even the worker's own writes. If producers continue writing, it ends past
   * each shard's first later record of a base item. Retries temporary failures without a limit. Rejects if retrying
   * can't help: for a fatal `StoreError`, a stream that is gone (`no-stream`, `stream-ended`), an invalid record
   * (`invalid-record`, `missing-images`), or a checkpoint that can't be read or written. A worker runs only once.
   */
  run(options?: { untilIdle?: boolean }): Promise<WorkerResult>;
  /**
   * Resolves when every record now in the stream is projected, by the rule of `untilIdle`. While producers continue
   * writing, later pages of a fan-out may still follow. Rejects if the worker ends first.
   */
  idle(): Promise<void>;
  /** Finishes the current batch, saves the checkpoint, and resolves when `run` has ended. */
  stop(): Promise<void>;
}
