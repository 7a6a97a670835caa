/**
 * `edgeloom/local`: an embedded engine for tests and development, and the worker that projects a table's stream
 * without Lambda, or with a function of your own as Lambda would.
 */

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
export type { SetAside } from '../../src/stream/checkpoint-journal.ts';
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
export type { ObservedDrift } from '../../src/trust/observe/obligation.ts';
export {
  type FunctionCommand,
  type FunctionOptions,
  type LocalFunction,
  startFunction,
} from './emulator/function/local-function.ts';
export { createEventSourceMapping } from './emulator/mapping/event-source-mapping.ts';
export { folderDestination } from './emulator/mapping/failure-destination.ts';
export type { FilterPattern, FilterRule } from './emulator/mapping/filter-pattern.ts';
export type { LambdaRecord, LambdaStreamEvent } from './emulator/mapping/lambda-record.ts';
export type {
  EventSourceMapping,
  FailureDestination,
  GivenUpReport,
  GiveUpCondition,
  InvocationRecord,
  InvocationReport,
  InvokeResult,
  LambdaFunction,
  MappingOptions,
  MappingResult,
  MappingSettings,
} from './emulator/mapping/mapping-types.ts';
export { type Engine, type EngineName, type EngineOptions, startEngine } from './engine/engine.ts';
export { type Local, type LocalOptions, startLocal } from './local.ts';
export { type LocalLambda, type LocalLambdaOptions, startLocalLambda } from './local-lambda.ts';
export type { LocalObserver, LocalObserverSettings } from './local-observer.ts';
export type { LocalMirrors, LocalSourcesOptions } from './local-sources.ts';
