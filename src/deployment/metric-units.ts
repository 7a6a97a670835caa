import type { Verdict } from '../core/verdicts.ts';

/** The namespace of the functions' metrics. */
export const NAMESPACE = 'Edgeloom';

/** The metric of a check's findings of a verdict. */
export type VerdictMetric = `Check${Capitalize<Verdict>}`;

/** The name of a verdict's metric. */
export function metricOfVerdict(verdict: Verdict): VerdictMetric {
  return `Check${verdict[0]!.toUpperCase()}${verdict.slice(1)}` as VerdictMetric;
}

/**
 * The metrics that the functions of the stack emit, in CloudWatch's namespace `Edgeloom`, each with its unit, besides those of verdicts.
 * Times are in seconds. docs/reference/metrics.md is made of these comments.
 */
interface OtherMetricUnits {
  /** Records of the stream that a batch held. */
  Records: 'Count';
  /** Derived items that the records of a batch touch. */
  Touches: 'Count';
  /** Updates of derived items, and puts of quarantine entries, of a batch. */
  Writes: 'Count';
  /** Write units that a batch has consumed. */
  WriteCapacityUnits: 'Count';
  /** Read units that a batch has consumed. */
  ReadCapacityUnits: 'Count';
  /** Writes of a batch that were repeated because another writer had changed the derived item meanwhile. */
  Conflicts: 'Count';
  /** Entries that a batch has put into the quarantine. With the dimension `version`: by a version of the function. */
  Quarantined: 'Count';
  /** Batches that were not applied in full, so that the mapping gives the rest again. With the dimension `version`: by a fault of that version. */
  RetriedBatches: 'Count';
  /** Records for each derived item that a batch touches: the writes that batches save. */
  CoalescingRatio: 'None';
  /** Age of the oldest record of a batch after the batch was projected. */
  LagSeconds: 'Seconds';
  /** Entries of the quarantine, and records of failed batches, that a redrive has looked at. */
  RedriveEntries: 'Count';
  /** Entries and records that a redrive has reconciled. */
  RedriveRepaired: 'Count';
  /** Entries and records that a redrive could not reconcile. */
  RedriveLeft: 'Count';
  /** Entries that a redrive has put into the quarantine for records of a failed batch. */
  RedriveQuarantined: 'Count';
  /** Time since a check of the whole table has ended; emitted by each redrive of the schedule. */
  CheckAgeSeconds: 'Seconds';
  /** 1 while the table has items and no registry. */
  Unmanaged: 'Count';
  /** Projections that a migration builds or removes, and that no reader uses. */
  MigrationOpen: 'Count';
  /** 1 while the table has another stream than the stack reads, or none. */
  StreamReplaced: 'Count';
  /** Time since which not everything is verified by the observer. */
  VerifiedAgeSeconds: 'Seconds';
  /** Differences that the observer knows. */
  ObservedDrift: 'Count';
  /** Records that a call of the observer has judged. */
  ObservedRecords: 'Count';
  /** Items of an index that differ from their table for 22 minutes, by the observer's sample. */
  IndexDifferences: 'Count';
  /** Partitions that a call of a check or rebuild has compared. */
  CheckPartitions: 'Count';
  /** Base items that it has read. */
  CheckBaseItems: 'Count';
  /** Derived items that it has read. */
  CheckDerivedItems: 'Count';
  /** Derived items that differ: missing, stale and orphan ones together. */
  CheckDrift: 'Count';
  /** Derived items that it has repaired. */
  CheckRepaired: 'Count';
  /** Read units that it has consumed. */
  CheckReadCapacityUnits: 'Count';
  /** Write units that it has consumed. */
  CheckWriteCapacityUnits: 'Count';
  /** Records of a source's stream that a batch of the mirror held. */
  MirrorRecords: 'Count';
  /** Batches of a source that were not mirrored in full, so that the mapping gives the rest again. */
  MirrorRetriedBatches: 'Count';
  /** Age of the oldest record of a batch of a source after the batch was mirrored. */
  MirrorLagSeconds: 'Seconds';
  /** Source items that the mapping does not take; emitted every five minutes. */
  MirrorRefused: 'Count';
  /** Base items that several source items make; emitted every five minutes. */
  MirrorConflicts: 'Count';
  /** 1 while a source table has another stream than the stack reads, or none. */
  SourceStreamReplaced: 'Count';
}

/** The unit of each metric. */
export interface MetricUnits extends OtherMetricUnits, Record<VerdictMetric, 'Count'> {}

/** The name of a metric. */
export type MetricName = keyof MetricUnits;
