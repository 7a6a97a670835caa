import type { LimitFunction } from 'p-limit';
import type { CompiledModel } from '../../core/model/compiled.ts';
import type { FollowRun } from '../../stream/follower.ts';
import type { LeftoverFilter } from '../../stream/leftovers.ts';
import type { ClaimRecorder } from '../../stream/progress/claim-recorder.ts';
import type { ProgressRecorder } from '../../stream/progress/recorder.ts';
import type { BatchLimits } from '../../stream/shard-reader.ts';
import type { Projector } from '../apply/projector-types.ts';
import type { WorkerReport } from './report.ts';

export interface WorkerRun extends FollowRun {
  graph: CompiledModel;
  projector: Projector;
  leftovers: LeftoverFilter;
  limit: LimitFunction;
  report: WorkerReport;
  progress?: ProgressRecorder | undefined;
  claims?: ClaimRecorder | undefined;
  limits: BatchLimits;
  pollIntervalMs: number;
  batchTimeoutMs: number;
}
