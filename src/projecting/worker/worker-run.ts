import type { LimitFunction } from 'p-limit';
import type { CompiledModel } from '../../core/model/compiled.ts';
import type { FollowRun } from '../../stream/follower.ts';
import type { LeftoverFilter } from '../../stream/leftovers.ts';
import type { ClaimRecorder } from '../../stream/progress/claim-recorder.ts';
import type { ProgressRecorder } from '../../stream/progress/recorder.ts';
import type { BatchLimits } from '../../stream/shard-reader.ts';
import type { Projector } from '../apply/projector-types.ts';
import type { WorkerReport } from './report.ts';

/** State that the shard tasks of one run of the worker share. */
export interface WorkerRun extends FollowRun {
  graph: CompiledModel;
  projector: Projector;
  leftovers: LeftoverFilter;
  /** Bounds how many shards are read or projected at once. */
  limit: LimitFunction;
  report: WorkerReport;
  /** Leaves in the table how far the worker has come; absent where that is switched off. */
  progress?: ProgressRecorder | undefined;
  /** Writes the claims of the worker, the records that it has applied, to the table; absent where `progress` is absent. */
  claims?: ClaimRecorder | undefined;
  limits: BatchLimits;
  pollIntervalMs: number;
  batchTimeoutMs: number;
}
