import type { Verdict } from '../core/verdicts.ts';

export const NAMESPACE = 'Edgeloom';

export type VerdictMetric = `Check${Capitalize<Verdict>}`;

export function metricOfVerdict(verdict: Verdict): VerdictMetric {
  return `Check${verdict[0]!.toUpperCase()}${verdict.slice(1)}` as VerdictMetric;
}

/** `npm run reference` generates docs/reference/metrics.md from the comments of these metrics. */
export const STACK_METRICS = {
  /** Records in a batch. */
  Records: 'Count',
  /** Derived items that a batch's records touch. */
  Touches: 'Count',
  /** Updates of derived items and new quarantine entries in a batch. */
  Writes: 'Count',
  /** Write units that a batch used. */
  WriteCapacityUnits: 'Count',
  /** Read units that a batch used. */
  ReadCapacityUnits: 'Count',
  /** Writes of a batch that were repeated because another writer changed the item. */
  Conflicts: 'Count',
  /** Entries that a batch put into quarantine. With the dimension `version`: per function version. */
  Quarantined: 'Count',
  /** Batches that were not applied in full and are retried. With the dimension `version`: those that the version caused. */
  RetriedBatches: 'Count',
  /** Records per derived item that a batch touches; a higher ratio saves writes. */
  CoalescingRatio: 'None',
  /** Age of a batch's oldest record after the batch was projected. */
  LagSeconds: 'Seconds',
  /** Quarantine entries and records of failed batches that a redrive handled. */
  RedriveEntries: 'Count',
  /** Entries and records that a redrive reconciled. */
  RedriveRepaired: 'Count',
  /** Entries and records that a redrive could not reconcile. */
  RedriveLeft: 'Count',
  /** Entries that a redrive put into quarantine for records of a failed batch. */
  RedriveQuarantined: 'Count',
  /** Time since the end of the last check of the whole table; emitted by scheduled redrives. */
  CheckAgeSeconds: 'Seconds',
  /** 1 while the table has no registry. */
  Unmanaged: 'Count',
  /** Projections that an open migration builds or removes. */
  MigrationOpen: 'Count',
  /** 1 while the stack doesn't read the table's current stream, or the table has no stream. */
  StreamReplaced: 'Count',
  /** Partitions that a call of a check or rebuild compared. */
  CheckPartitions: 'Count',
  /** Base items that a call read. */
  CheckBaseItems: 'Count',
  /** Derived items that a call read. */
  CheckDerivedItems: 'Count',
  /** Derived items that are missing, stale or orphan. */
  CheckDrift: 'Count',
  /** Derived items that a call repaired. */
  CheckRepaired: 'Count',
  /** Read units that a call used. */
  CheckReadCapacityUnits: 'Count',
  /** Write units that a call used. */
  CheckWriteCapacityUnits: 'Count',
} as const;

export const OBSERVER_METRICS = {
  /** Age of the observer's verified time; all changes before that time are verified. */
  VerifiedAgeSeconds: 'Seconds',
  /** Differences that the observer found and that still exist. */
  ObservedDrift: 'Count',
  /** Records that a call of the observer checked. */
  ObservedRecords: 'Count',
  /** Sampled index items that have differed from the table for 22 minutes. */
  IndexDifferences: 'Count',
} as const;

export const MIRROR_METRICS = {
  /** Records in a batch of a source's stream. */
  MirrorRecords: 'Count',
  /** Batches of a source that were not mirrored in full and are retried. */
  MirrorRetriedBatches: 'Count',
  /** Age of the oldest record of a source's batch after it was mirrored. */
  MirrorLagSeconds: 'Seconds',
  /** Source items that the mapping refuses; emitted every five minutes. */
  MirrorRefused: 'Count',
  /** Base items that several source items map to; emitted every five minutes. */
  MirrorConflicts: 'Count',
  /** 1 while the stack doesn't read a source table's current stream, or the table has no stream. */
  SourceStreamReplaced: 'Count',
} as const;

export type MetricName =
  | keyof typeof STACK_METRICS
  | keyof typeof OBSERVER_METRICS
  | keyof typeof MIRROR_METRICS
  | VerdictMetric;
