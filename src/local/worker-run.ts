import type { Projector } from '../apply/projector.ts';
import type { AnyGraph } from '../model/graph.ts';
import type { Gate } from './concurrency.ts';
import type { Journal } from './journal.ts';
import type { LeftoverFilter } from './leftovers.ts';
import type { QuietWatch } from './quiet.ts';
import type { Report } from './report.ts';
import type { BatchLimits } from './shard-reader.ts';
import type { StreamSource } from './stream-source.ts';

/** What the shard tasks of one run share. */
export interface WorkerRun {
  graph: AnyGraph;
  source: StreamSource;
  projector: Projector;
  journal: Journal;
  leftovers: LeftoverFilter;
  /** Bounds how many shards are read or projected at once. */
  gate: Gate;
  quiet: QuietWatch;
  report: Report;
  limits: BatchLimits;
  pollIntervalMs: number;
  batchTimeoutMs: number;
  /** Ends the run: no further batch is started. */
  stopping: AbortSignal;
  /** Milliseconds left for the batch in hand; infinite until the run is stopped. */
  graceMs(): number;
  /** The shards have to be listed again. */
  onLineageChange(): void;
  /** A shard was polled in vain. */
  onEmptyPoll(shardId: string): void;
}
