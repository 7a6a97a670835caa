/**
 * `edgeloom/local`: an embedded engine for tests and development, and the worker that projects a table's stream
 * without Lambda, or with a function of your own as Lambda would.
 */
export {
  type Checkpoint,
  type CheckpointStore,
  fileCheckpoint,
  memoryCheckpoint,
  type ShardCheckpoint,
} from './checkpoint.ts';
export { type Engine, type EngineName, type EngineOptions, startEngine } from './engine.ts';
export { createEventSourceMapping } from './event-source-mapping.ts';
export { folderDestination } from './failure-destination.ts';
export type { FilterPattern, FilterRule } from './filter-pattern.ts';
export type { FunctionCommand } from './function-process.ts';
export type { SetAside } from './journal.ts';
export type { LambdaRecord, LambdaStreamEvent } from './lambda-record.ts';
export { type Local, type LocalOptions, startLocal } from './local.ts';
export { type FunctionOptions, type LocalFunction, startFunction } from './local-function.ts';
export { type LocalLambda, type LocalLambdaOptions, startLocalLambda } from './local-lambda.ts';
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
} from './mapping-types.ts';
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
