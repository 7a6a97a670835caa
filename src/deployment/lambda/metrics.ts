import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import { countOf, driftIn, VERDICT_NAMES } from '../../core/verdicts.ts';
import { isRetryableStoreError } from '../../foundation/errors.ts';
import type { BatchResult } from '../../projecting/apply/projector-types.ts';
import type { CheckCounts } from '../../trust/check/cursor.ts';
import { type MetricName, metricOfVerdict, NAMESPACE } from '../metric-units.ts';

/** Values of metrics; undefined: not emitted. */
export type MetricValues = Partial<Record<MetricName, number | undefined>>;

/** Puts metrics out as one EMF document on stdout, from which CloudWatch makes metrics. `version`: a dimension besides the table. */
export type EmitMetrics = (values: MetricValues, version?: string) => void;

/** Returns what emits metrics of a table. The end of a metric's name is its unit. */
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

/** Emits the metrics of a batch. What fails is counted by the version of the function too, where its caller calls versions. */
export function emitBatch(emit: EmitMetrics, result: BatchResult, lagMs: number | undefined, version?: string): void {
  const { records, touches, writes, wcu, rcu, conflicts, quarantined, failedFrom, error } = result;
  emit({
    ...{ Records: records, Touches: touches, Writes: writes, WriteCapacityUnits: wcu, ReadCapacityUnits: rcu },
    ...{ Conflicts: conflicts, Quarantined: quarantined, RetriedBatches: failedFrom === undefined ? 0 : 1 },
    // Records per touched derived item: the saving of batches.
    CoalescingRatio: touches > 0 ? records / touches : undefined,
    LagSeconds: lagMs && lagMs / 1000,
  });
  // `$LATEST` is no version: without gradual deployments nothing asks for it.
  if (version === undefined || !/^\d+$/.test(version)) return;
  // Throttled calls and a lack of time are of the table and its load, not of a version.
  const isFault = failedFrom !== undefined && error?.code !== 'out-of-time' && !isRetryableStoreError(error);
  emit({ RetriedBatches: isFault ? 1 : 0, Quarantined: quarantined }, version);
}

/** The metrics of one call of a check, of the totals before it and after it. */
export function metricsOfCheck(before: CheckCounts | undefined, after: CheckCounts): MetricValues {
  const earlier = before && countsOf(before);
  const done = Object.entries(countsOf(after)).map(([name, count]) => [name, count - (earlier?.[name] ?? 0)]);
  return Object.fromEntries(done);
}

/** The counts of a check that are metrics. */
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
