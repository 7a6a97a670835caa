import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import { countOf, driftIn, VERDICT_NAMES } from '../../core/verdicts.ts';
import { isRetryableStoreError } from '../../foundation/errors.ts';
import type { BatchResult } from '../../projecting/apply/projector-types.ts';
import type { RegistryState } from '../../registry/state.ts';
import type { CheckCounts } from '../../trust/check/cursor.ts';
import type { RedriveResult } from '../../trust/repair/redrive.ts';
import { type MetricsIn, metricOfVerdict, type VerdictMetric } from '../metric-units.ts';

function addCounts(metrics: Metrics, counts: Partial<MetricsIn<'Count'>>): void {
  for (const [name, count] of Object.entries(counts)) metrics.addMetric(name, MetricUnit.Count, count);
}

function addSeconds(metrics: Metrics, seconds: Partial<MetricsIn<'Seconds'>>): void {
  for (const [name, value] of Object.entries(seconds)) metrics.addMetric(name, MetricUnit.Seconds, value);
}

function addRatio(metrics: Metrics, ratio: Partial<MetricsIn<'None'>>): void {
  for (const [name, value] of Object.entries(ratio)) metrics.addMetric(name, MetricUnit.NoUnit, value);
}

/** Puts the metrics of a batch out as one EMF document on stdout, from which CloudWatch makes metrics. */
export interface BatchMetrics {
  /** @param version the version of the function that has run, where its caller calls versions: what fails is counted by it too. */
  emit(result: BatchResult, lagMs: number | undefined, version?: string): void;
}

/** Metrics in a namespace, with the table as their dimension. */
export function createBatchMetrics(namespace: string, table: string): BatchMetrics {
  const metrics = new Metrics({ namespace, serviceName: 'edgeloom', defaultDimensions: { table } });
  return {
    emit(result, lagMs, version) {
      const { records, touches, writes, wcu, rcu, conflicts, quarantined, failedFrom, error } = result;
      addCounts(metrics, {
        ...{ Records: records, Touches: touches, Writes: writes, WriteCapacityUnits: wcu, ReadCapacityUnits: rcu },
        ...{ Conflicts: conflicts, Quarantined: quarantined },
        RetriedBatches: failedFrom === undefined ? 0 : 1,
      });
      // Records per touched derived item: the saving of batches.
      if (touches > 0) addRatio(metrics, { CoalescingRatio: records / touches });
      if (lagMs !== undefined) addSeconds(metrics, { LagSeconds: lagMs / 1000 });
      metrics.publishStoredMetrics();
      // `$LATEST` is no version: without gradual deployments nothing asks for it.
      if (version === undefined || !/^\d+$/.test(version)) return;
      metrics.addDimension('version', version);
      // Throttled calls and a lack of time are of the table and its load, not of a version.
      const isFault = failedFrom !== undefined && error?.code !== 'out-of-time' && !isRetryableStoreError(error);
      addCounts(metrics, { RetriedBatches: isFault ? 1 : 0, Quarantined: quarantined });
      metrics.publishStoredMetrics();
    },
  };
}

/** Puts the metrics of a redrive out in the same way. */
export interface RedriveMetrics {
  emit(counts: Omit<RedriveResult, 'reasons'>): void;
  /** Only calls of the schedule emit it, so that it stops with the schedule. */
  emitCheckAge(seconds: number): void;
  /** Only calls of the schedule emit it, too. */
  emitRegistry(state: RegistryState): void;
  /** Calls that watch the table emit it. @param isReplaced whether the table has another stream than the stack reads, or none. */
  emitStream(isReplaced: boolean): void;
}

/** Metrics in a namespace, with the table as their dimension. */
export function createRedriveMetrics(namespace: string, table: string): RedriveMetrics {
  const metrics = new Metrics({ namespace, serviceName: 'edgeloom', defaultDimensions: { table } });
  return {
    emit({ entries, repaired, left, quarantined }) {
      addCounts(metrics, {
        ...{ RedriveEntries: entries, RedriveRepaired: repaired, RedriveLeft: left, RedriveQuarantined: quarantined },
      });
      metrics.publishStoredMetrics();
    },
    emitCheckAge(seconds) {
      addSeconds(metrics, { CheckAgeSeconds: seconds });
      metrics.publishStoredMetrics();
    },
    emitRegistry({ isManaged, open }) {
      addCounts(metrics, { Unmanaged: isManaged ? 0 : 1, MigrationOpen: open });
      metrics.publishStoredMetrics();
    },
    emitStream(isReplaced) {
      addCounts(metrics, { StreamReplaced: isReplaced ? 1 : 0 });
      metrics.publishStoredMetrics();
    },
  };
}

/** Puts the metrics of an observer out in the same way. */
export interface ObserverMetrics {
  emit(figures: { ageMs: number; drift: number; records: number; indexDifferences: number }): void;
}

/** Metrics in a namespace, with the table as their dimension. */
export function createObserverMetrics(namespace: string, table: string): ObserverMetrics {
  const metrics = new Metrics({ namespace, serviceName: 'edgeloom', defaultDimensions: { table } });
  return {
    emit({ ageMs, drift, records, indexDifferences }) {
      addSeconds(metrics, { VerifiedAgeSeconds: ageMs / 1000 });
      addCounts(metrics, {
        ...{ ObservedDrift: drift, ObservedRecords: records, IndexDifferences: indexDifferences },
      });
      metrics.publishStoredMetrics();
    },
  };
}

/** Puts the metrics of sources out in the same way. */
export interface MirrorMetrics {
  /** @param batch `lagSeconds`: the age of its oldest record. */
  emitBatch(batch: { records: number; isFailed: boolean; lagSeconds: number | undefined }): void;
  /** Only calls of the schedule emit it. */
  emitWatch(counts: { refused: number; conflicts: number }): void;
  /** @param isReplaced whether a source table has another stream than the stack reads, or none. */
  emitStream(isReplaced: boolean): void;
}

/** Metrics in a namespace, with our table as their dimension. */
export function createMirrorMetrics(namespace: string, table: string): MirrorMetrics {
  const metrics = new Metrics({ namespace, serviceName: 'edgeloom', defaultDimensions: { table } });
  return {
    emitBatch({ records, isFailed, lagSeconds }) {
      addCounts(metrics, { MirrorRecords: records, MirrorRetriedBatches: isFailed ? 1 : 0 });
      if (lagSeconds !== undefined) addSeconds(metrics, { MirrorLagSeconds: lagSeconds });
      metrics.publishStoredMetrics();
    },
    emitWatch({ refused, conflicts }) {
      addCounts(metrics, { MirrorRefused: refused, MirrorConflicts: conflicts });
      metrics.publishStoredMetrics();
    },
    emitStream(isReplaced) {
      addCounts(metrics, { SourceStreamReplaced: isReplaced ? 1 : 0 });
      metrics.publishStoredMetrics();
    },
  };
}

/** Puts the metrics of a check out in the same way; those of one call, not of the calls before it. */
export function createCheckMetrics(
  namespace: string,
  table: string,
): { emit(before: CheckCounts | undefined, after: CheckCounts): void } {
  const metrics = new Metrics({ namespace, serviceName: 'edgeloom', defaultDimensions: { table } });
  return {
    emit(before, after) {
      const earlier = before && countsOf(before);
      const done = Object.entries(countsOf(after)).map(([name, count]) => [
        name,
        count - (earlier?.[name as keyof typeof earlier] ?? 0),
      ]);
      addCounts(metrics, Object.fromEntries(done));
      metrics.publishStoredMetrics();
    },
  };
}

/** The counts of a check that are metrics. */
function countsOf({ unknownTypes: _types, changing: _changing, rcu, wcu, ...counts }: CheckCounts) {
  const named = VERDICT_NAMES.map((verdict) => [metricOfVerdict(verdict), countOf(counts, verdict)]);
  return {
    ...(Object.fromEntries(named) as Record<VerdictMetric, number>),
    ...{ CheckPartitions: counts.partitions, CheckBaseItems: counts.baseItems, CheckDerivedItems: counts.derivedItems },
    ...{ CheckDrift: driftIn(counts), CheckRepaired: counts.repaired, CheckTidied: counts.tidied },
    ...{ CheckReadCapacityUnits: rcu, CheckWriteCapacityUnits: wcu },
  } satisfies Partial<MetricsIn<'Count'>>;
}
