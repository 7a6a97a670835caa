import type { LimitFunction } from 'p-limit';
import type { CompiledModel } from '../../core/model/compiled.ts';
import type { FollowRun } from '../../stream/follower.ts';
import type { ProgressRecorder } from '../../stream/progress/recorder.ts';
import type { BatchLimits } from '../../stream/shard-reader.ts';
import type { Projector } from '../apply/projector-types.ts';
import type { WorkerReport } from './report.ts';

export interface WorkerRun extends FollowRun {
  graph: CompiledModel;
  projector: Projector;
  limit: LimitFunction;
  report: WorkerReport;
  progress?: ProgressRecorder | undefined;
  limits: BatchLimits;
  pollIntervalMs: number;
  batchTimeoutMs: number;
}
