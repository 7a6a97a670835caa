import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import { countOf, driftIn, VERDICT_NAMES } from '../../core/verdicts.ts';
import { isRetryableStoreError } from '../../foundation/errors.ts';
import type { BatchResult } from '../../projecting/apply/projector-types.ts';
import type { CheckCounts } from '../../trust/check/cursor.ts';
import { type MetricName, metricOfVerdict, NAMESPACE } from '../metric-units.ts';

export type MetricValues = Partial<Record<MetricName, number | undefined>>;

/** Writes metrics as one EMF document to stdout. `version` adds a dimension. */
export type EmitMetrics = (values: MetricValues, version?: string) => void;

export function metricsOf(table: string): EmitMetrics {
  const metrics = new Metrics({ namespace: NAMESPACE, serviceName: 'edgeloom', defaultDimensions: { table } });
  return (values, version) => {
    if (version !== undefined) metrics.addDimension('version', version);
    for (const [name, value] of Object.entries(values))
      if (value !== undefined) metrics.addMetric(name, unitOf(name), value);
    metrics.publishStoredMetrics();
  };
}

function unitOf(name: string): (typeof MetricUnit)[keyof typeof MetricUnit] {
  if (name.endsWith('Seconds')) return MetricUnit.Seconds;
  return name.endsWith('Ratio') ? MetricUnit.NoUnit : MetricUnit.Count;
}

export function emitBatch(emit: EmitMetrics, result: BatchResult, lagMs: number | undefined, version?: string): void {
  const { records, touches, writes, wcu, rcu, conflicts, quarantined, failedFrom, error } = result;
  emit({
    ...{ Records: records, Touches: touches, Writes: writes, WriteCapacityUnits: wcu, ReadCapacityUnits: rcu },
    ...{ Conflicts: conflicts, Quarantined: quarantined, RetriedBatches: failedFrom === undefined ? 0 : 1 },
    CoalescingRatio: touches > 0 ? records / touches : undefined,
    LagSeconds: lagMs && lagMs / 1000,
  });
  // Without gradual deployments the version is `$LATEST`, which no alarm watches.
  if (version === undefined || !/^\d+$/.test(version)) return;
  // Throttling and lack of time are not the version's fault.
  const isFault = failedFrom !== undefined && error?.code !== 'out-of-time' && !isRetryableStoreError(error);
  emit({ RetriedBatches: isFault ? 1 : 0, Quarantined: quarantined }, version);
}

export function metricsOfCheck(before: CheckCounts | undefined, after: CheckCounts): MetricValues {
  const earlier = before && countsOf(before);
  const done = Object.entries(countsOf(after)).map(([name, count]) => [name, count - (earlier?.[name] ?? 0)]);
  return Object.fromEntries(done);
}

function countsOf(counts: CheckCounts): Record<string, number> {
  const named = VERDICT_NAMES.map((verdict) => [metricOfVerdict(verdict), countOf(counts, verdict)]);
  return {
    ...Object.fromEntries(named),
    ...({
      ...{ CheckPartitions: counts.partitions, CheckBaseItems: counts.baseItems },
      ...{ CheckDerivedItems: counts.derivedItems, CheckDrift: driftIn(counts) },
      ...{ CheckRepaired: counts.repaired },
      ...{ CheckReadCapacityUnits: counts.rcu, CheckWriteCapacityUnits: counts.wcu },
    } satisfies MetricValues),
  };
}
