import type { BatchResult } from '../apply/projector.ts';
import type { ChangeRecord } from '../items/change-record.ts';
import type { Logger } from '../logger.ts';
import type { SetAside } from '../stream/checkpoint-journal.ts';
import type { TrimmedShard, WorkerResult, WorkerSettings, WorkerStats } from './worker-types.ts';

const REBUILD_DUE = 'A rebuild is due (edgeloom rebuild): derived items may lack these changes.';

/** Sums up a run and tells its events to whoever listens. */
export class Report {
  readonly logger: Logger;
  private readonly totals: WorkerStats = {
    records: 0,
    units: 0,
    writes: 0,
    wcu: 0,
    rcu: 0,
    stale: 0,
    contradictions: 0,
    quarantined: 0,
    batches: 0,
  };
  private readonly trimmed: TrimmedShard[] = [];
  private setAside: SetAside | undefined;
  private leftovers = 0;

  constructor(private readonly listeners: Pick<WorkerSettings, 'onBatch' | 'onTrimmed' | 'logger'>) {
    this.logger = listeners.logger ?? WARNINGS;
  }

  /** A batch was projected; `applied` of its records are done. */
  onBatch(shardId: string, records: readonly ChangeRecord[], applied: number, result: BatchResult): void {
    const { totals } = this;
    totals.batches += 1;
    totals.records += applied;
    for (const name of ['units', 'writes', 'wcu', 'rcu', 'stale', 'contradictions', 'quarantined'] as const) {
      totals[name] += result[name];
    }
    const madeAtSeconds = records.at(-1)?.createdAtSeconds;
    const newestRecordAgeMs = madeAtSeconds === undefined ? undefined : Date.now() - madeAtSeconds * 1000;
    const { units, writes, wcu } = result;
    this.logger.debug({ shardId, applied, units, writes, wcu, newestRecordAgeMs }, 'Batch projected.');
    this.listeners.onBatch?.({ shardId, records, result, newestRecordAgeMs, totals: { ...totals } });
  }

  /** Records of an earlier table were dropped, at the cost of some reads. */
  onLeftovers(dropped: number, rcu: number): void {
    this.totals.rcu += rcu;
    if (dropped > 0 && this.leftovers === 0) {
      this.logger.warn({}, 'The stream begins with records of an earlier table of this name; they are left out.');
    }
    this.leftovers += dropped;
  }

  /** Records have left the stream unread. */
  onTrimmed(shardId: string, message: string): void {
    const trimmed = { shardId, message: `${message} ${REBUILD_DUE}` };
    this.trimmed.push(trimmed);
    this.logger.error({ shardId }, trimmed.message);
    this.listeners.onTrimmed?.(trimmed);
  }

  /** The checkpoint was of another stream. */
  onSetAside(setAside: SetAside): void {
    this.setAside = setAside;
    const { streamArn, keptAt } = setAside;
    this.logger.warn(
      { streamArn, keptAt },
      `The checkpoint is of another stream, ${streamArn}${keptAt === undefined ? '' : ` (now in ${keptAt})`}; this one ` +
        'is read from its oldest record. If the table is the same, and only its stream was switched, a rebuild is due.',
    );
  }

  /** The whole run. */
  result(endedBy: WorkerResult['endedBy']): WorkerResult {
    const { totals, trimmed, leftovers, setAside } = this;
    return { ...totals, endedBy, trimmed: [...trimmed], leftovers, ...(setAside !== undefined && { setAside }) };
  }
}

/** A logger for where none is given: what must not go unheard becomes a process warning. */
export const WARNINGS: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: (_details, message) => process.emitWarning(message, 'EdgeloomWarning'),
  error: (_details, message) => process.emitWarning(message, 'EdgeloomWarning'),
};
