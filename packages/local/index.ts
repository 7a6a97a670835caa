/** `edgeloom/local`: an embedded engine, and a worker that projects a table's stream without Lambda. */

export type { Logger } from '../../src/foundation/logger.ts';
export { createSourceWorker, createWorker } from '../../src/projecting/worker/worker.ts';
export type {
  BatchReport,
  TrimmedShard,
  Worker,
  WorkerOptions,
  WorkerResult,
  WorkerSettings,
  WorkerStats,
} from '../../src/projecting/worker/worker-types.ts';
export {
  type Checkpoint,
  type CheckpointStore,
  fileCheckpoint,
  memoryCheckpoint,
  type ShardCheckpoint,
} from '../../src/stream/checkpoint.ts';
export { DynamoDBStreamSource } from '../../src/stream/dynamodb-source.ts';
export {
  type Shard,
  type StreamDescription,
  StreamError,
  type StreamErrorKind,
  type StreamPage,
  type StreamRecord,
  type StreamSource,
} from '../../src/stream/source.ts';
export type { ObservedDrift } from '../../src/trust/observe/drift.ts';
export { type Engine, type EngineName, type EngineOptions, startEngine } from './engine/engine.ts';
export { type Local, type LocalOptions, startLocal } from './local.ts';
export type { LocalObserver, LocalObserverSettings } from './local-observer.ts';
export type { LocalMirrors, LocalSourcesOptions } from './local-sources.ts';
