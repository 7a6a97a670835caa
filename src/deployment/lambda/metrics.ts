import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import { isRetryableStoreError } from '../../foundation/errors.ts';
import type { BatchResult } from '../../projecting/apply/projector-types.ts';
import type { RegistryState } from '../../registry/state.ts';
import type { CheckTotals } from '../../trust/check/cursor.ts';
import type { RedriveResult } from '../../trust/repair/redrive.ts';

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
      const { records, units, writes, wcu, rcu, stale, contradictions, quarantined, failedFrom, error } = result;
      const counts = { records, units, writes, wcu, rcu, stale, contradictions, quarantined };
      for (const [name, value] of Object.entries(counts)) metrics.addMetric(name, MetricUnit.Count, value);
      const failedBatches = failedFrom === undefined ? 0 : 1;
      metrics.addMetric('failedBatches', MetricUnit.Count, failedBatches);
      // Records per write of a derived item: the saving of batches.
      if (units > 0) metrics.addMetric('coalescingRatio', MetricUnit.NoUnit, records / units);
      if (lagMs !== undefined) metrics.addMetric('lagMs', MetricUnit.Milliseconds, lagMs);
      metrics.publishStoredMetrics();
      // `$LATEST` is no version: without gradual deployments nothing asks for it.
      if (version === undefined || !/^\d+$/.test(version)) return;
      metrics.addDimension('version', version);
      // Throttled calls and a lack of time are of the table and its load, not of a version.
      const isFault = failedFrom !== undefined && error?.code !== 'out-of-time' && !isRetryableStoreError(error);
      metrics.addMetric('failedBatches', MetricUnit.Count, isFault ? 1 : 0);
      metrics.addMetric('quarantined', MetricUnit.Count, quarantined);
      metrics.publishStoredMetrics();
    },
  };
}

/** Puts the metrics of a redrive out in the same way. */
export interface RedriveMetrics {
  emit(counts: Omit<RedriveResult, 'reasons'>): void;
  /** Only calls of the schedule emit it, so that it stops with the schedule. */
  emitCheckAge(hours: number): void;
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
      metrics.addMetric('redriveEntries', MetricUnit.Count, entries);
      metrics.addMetric('redriveRepaired', MetricUnit.Count, repaired);
      metrics.addMetric('redriveLeft', MetricUnit.Count, left);
      metrics.addMetric('redriveQuarantined', MetricUnit.Count, quarantined);
      metrics.publishStoredMetrics();
    },
    emitCheckAge(hours) {
      metrics.addMetric('checkAgeHours', MetricUnit.NoUnit, hours);
      metrics.publishStoredMetrics();
    },
    emitRegistry({ isManaged, open }) {
      metrics.addMetric('Unmanaged', MetricUnit.Count, isManaged ? 0 : 1);
      metrics.addMetric('MigrationOpen', MetricUnit.Count, open);
      metrics.publishStoredMetrics();
    },
    emitStream(isReplaced) {
      metrics.addMetric('StreamReplaced', MetricUnit.Count, isReplaced ? 1 : 0);
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
      metrics.addMetric('VerifiedAgeSeconds', MetricUnit.Seconds, ageMs / 1000);
      metrics.addMetric('observedDrift', MetricUnit.Count, drift);
      metrics.addMetric('observedRecords', MetricUnit.Count, records);
      metrics.addMetric('indexDifferences', MetricUnit.Count, indexDifferences);
      metrics.publishStoredMetrics();
    },
  };
}

/** Puts the metrics of a mirror out in the same way. */
export interface MirrorMetrics {
  /** @param batch `lagSeconds`: the age of its oldest record. */
  emitBatch(batch: { records: number; isFailed: boolean; lagSeconds: number | undefined }): void;
  /** Only calls of the schedule emit it. */
  emitWatch(counts: { poisoned: number; conflicts: number }): void;
  /** @param isReplaced whether a source table has another stream than the stack reads, or none. */
  emitStream(isReplaced: boolean): void;
}

/** Metrics in a namespace, with our table as their dimension. */
export function createMirrorMetrics(namespace: string, table: string): MirrorMetrics {
  const metrics = new Metrics({ namespace, serviceName: 'edgeloom', defaultDimensions: { table } });
  return {
    emitBatch({ records, isFailed, lagSeconds }) {
      metrics.addMetric('MirrorRecords', MetricUnit.Count, records);
      metrics.addMetric('MirrorFailedBatches', MetricUnit.Count, isFailed ? 1 : 0);
      if (lagSeconds !== undefined) metrics.addMetric('MirrorLagSeconds', MetricUnit.Seconds, lagSeconds);
      metrics.publishStoredMetrics();
    },
    emitWatch({ poisoned, conflicts }) {
      metrics.addMetric('MirrorPoisoned', MetricUnit.Count, poisoned);
      metrics.addMetric('MirrorConflicts', MetricUnit.Count, conflicts);
      metrics.publishStoredMetrics();
    },
    emitStream(isReplaced) {
      metrics.addMetric('SourceStreamReplaced', MetricUnit.Count, isReplaced ? 1 : 0);
      metrics.publishStoredMetrics();
    },
  };
}

/** Puts the metrics of a check out in the same way; those of one call, not of the calls before it. */
export function createCheckMetrics(
  namespace: string,
  table: string,
): { emit(before: CheckTotals | undefined, after: CheckTotals): void } {
  const metrics = new Metrics({ namespace, serviceName: 'edgeloom', defaultDimensions: { table } });
  return {
    emit(before, after) {
      const counts = flatCounts(after);
      const earlier = before && flatCounts(before);
      for (const [name, count] of Object.entries(counts)) {
        const done = earlier?.[name as keyof typeof counts] ?? 0;
        metrics.addMetric(`check${name[0]!.toUpperCase()}${name.slice(1)}`, MetricUnit.Count, count - done);
      }
      metrics.publishStoredMetrics();
    },
  };
}

function flatCounts({ drift, unknownTypes: _types, changing: _changing, ...counts }: CheckTotals) {
  return { ...counts, drift: drift.missing + drift.stale + drift.orphan, ...drift };
}
