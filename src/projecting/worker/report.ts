import { countText } from '../../foundation/figure.ts';
import { type Consequences, RunReport } from '../../stream/run-report.ts';
import type { QuarantineKind } from '../apply/projector-types.ts';
import type { BatchReport, TrimmedShard, WorkerResult, WorkerSettings, WorkerStats } from './worker-types.ts';

const CONSEQUENCES: Consequences = {
  trimmed:
    'Derived items may lack these changes: run edgeloom migrate, or edgeloom rebuild where the table is not managed.',
  otherStream:
    'This one is read from its oldest record. If only its stream was switched, run edgeloom migrate, or edgeloom rebuild where the table is not managed.',
};

interface AppliedBatch extends Pick<BatchReport, 'shardId' | 'records' | 'result' | 'milliseconds'> {
  applied: number;
}

export class WorkerReport extends RunReport {
  private readonly totals: WorkerStats = {
    records: 0,
    touches: 0,
    writes: 0,
    wcu: 0,
    rcu: 0,
    conflicts: 0,
    quarantined: 0,
    batches: 0,
  };
  private readonly trimmed: TrimmedShard[] = [];
  private readonly quarantines = new Map<string, number>();

  constructor(private readonly listeners: Pick<WorkerSettings, 'onBatch' | 'onTrimmed' | 'logger'>) {
    super(listeners.logger, CONSEQUENCES);
  }

  onBatch({ shardId, records, applied, result, milliseconds }: AppliedBatch): void {
    const { totals } = this;
    totals.batches += 1;
    totals.records += applied;
    for (const name of ['touches', 'writes', 'wcu', 'rcu', 'conflicts', 'quarantined'] as const) {
      totals[name] += result[name];
    }
    const madeAtSeconds = records.at(-1)?.createdAtSeconds;
    const newestRecordAgeMs = madeAtSeconds === undefined ? undefined : Date.now() - madeAtSeconds * 1000;
    const { touches, writes, wcu, rcu, conflicts, quarantined } = result;
    for (const kind of result.quarantines ?? []) this.onQuarantines(kind);
    const counts = { records: records.length, applied, touches, writes, wcu, rcu, conflicts, quarantined };
    this.logger.info({ shardId, ...counts, milliseconds, newestRecordAgeMs }, 'Batch projected.');
    this.listeners.onBatch?.({ shardId, records, result, newestRecordAgeMs, milliseconds, totals: { ...totals } });
  }

  private onQuarantines({ code, count, reason, isRefused }: QuarantineKind): void {
    if (isRefused) {
      this.logger.warn({ code, reason }, `An item is not in quarantine, as its entry was refused (${code}): ${reason}`);
      return;
    }
    const before = this.quarantines.get(code) ?? 0;
    this.quarantines.set(code, before + count);
    if (before === 0) this.logger.warn({ code, reason }, `Records go into quarantine (${code}): ${reason}`);
  }

  onEnd(): void {
    for (const [code, count] of this.quarantines) {
      this.logger.warn(
        { code, count },
        `${countText(count, 'quarantine entry', 'quarantine entries')} ${count === 1 ? 'was' : 'were'} put (${code}); once the base items are corrected, edgeloom redrive clears them.`,
      );
    }
  }

  override onTrimmed(shardId: string, message: string): string {
    const trimmed = { shardId, message: super.onTrimmed(shardId, message) };
    this.trimmed.push(trimmed);
    this.listeners.onTrimmed?.(trimmed);
    return trimmed.message;
  }

  result(endedBy: WorkerResult['endedBy']): WorkerResult {
    return { ...this.totals, endedBy, trimmed: [...this.trimmed] };
  }
}
