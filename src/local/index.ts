/**
 * `edgeloom/local`: an embedded engine for tests and development, and the worker that projects a table's stream
 * without Lambda.
 */
export {
  type Checkpoint,
  type CheckpointStore,
  fileCheckpoint,
  memoryCheckpoint,
  type ShardCheckpoint,
} from './checkpoint.ts';
export { type Engine, type EngineName, type EngineOptions, startEngine } from './engine.ts';
export type { SetAside } from './journal.ts';
export { type Local, type LocalOptions, startLocal } from './local.ts';
export type {
  Shard,
  StreamDescription,
  StreamErrorKind,
  StreamPage,
  StreamRecord,
  StreamSource,
} from './stream-source.ts';
export { DynamoDBStreamSource, StreamError } from './stream-source.ts';
export { createSourceWorker, createWorker } from './worker.ts';
export type {
  BatchReport,
  TrimmedShard,
  Worker,
  WorkerLogger,
  WorkerOptions,
  WorkerResult,
  WorkerSettings,
  WorkerStats,
} from './worker-types.ts';
