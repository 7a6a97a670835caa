import type { Projector } from '../apply/projector.ts';
import type { AnyGraph } from '../model/graph.ts';
import type { Gate } from './concurrency.ts';
import type { LeftoverFilter } from './leftovers.ts';
import type { Report } from './report.ts';
import type { BatchLimits } from './shard-reader.ts';
import type { FollowRun } from './stream-follower.ts';

/** What the shard tasks of one run of the worker share. */
export interface WorkerRun extends FollowRun {
  graph: AnyGraph;
  projector: Projector;
  leftovers: LeftoverFilter;
  /** Bounds how many shards are read or projected at once. */
  gate: Gate;
  report: Report;
  limits: BatchLimits;
  pollIntervalMs: number;
  batchTimeoutMs: number;
}
