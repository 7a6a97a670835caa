/**
 * `edgeloom/admin`: operations on a whole table, and building blocks for tools: creating and updating tables, check,
 * redrive, migrate, status, explain, import, export and erasure of one subject, the projector, and sources (other
 * tables and databases).
 */

export { checkBaseItem, toBaseItem } from './client/write/checks/base-item.ts';
export { type ImportFormat, type ImportOptions, type ImportResult, importFile } from './client/write/import.ts';
export { codePointProduct, fnv1a, shardOf } from './core/items/shard.ts';
export type { Verdict } from './core/verdicts.ts';
export type { MigrateAction } from './migrate/action.ts';
export { migrate } from './migrate/migrate.ts';
export type { MigrateOptions, MigrateResult, MigrateStep } from './migrate/migrate-types.ts';
export { createProjector } from './projecting/apply/projector.ts';
export type { BatchOptions, BatchResult, Projector, ProjectorOptions } from './projecting/apply/projector-types.ts';
export { deleteEnded, type EndedOptions, type EndedResult } from './projecting/ended/delete-ended.ts';
export type { TableIdentity } from './registry/registry.ts';
export type { SourcePage, SourceStore } from './sources/access.ts';
export type { SourceComparison, SourceDifference } from './sources/compare-source.ts';
export {
  createSources,
  type Sources,
  type SourcesOptions,
  type SyncOptions,
  type SyncResult,
  type TouchOptions,
} from './sources/create-sources.ts';
export { type MappedItem, mappedEdge, mappedNode } from './sources/items.ts';
export {
  type ElectroDBEntity,
  type ElectroDBOptions,
  type ElectroDBSchema,
  fromElectroDB,
} from './sources/layouts/electrodb.ts';
export type { EntityEdge, EntityOptions, Layout, NodeReference } from './sources/layouts/layout.ts';
export {
  fromOneTable,
  type OneTableModel,
  type OneTableOptions,
  type OneTableSchema,
} from './sources/layouts/onetable.ts';
export { fromToolbox, type ToolboxEntity, type ToolboxOptions } from './sources/layouts/toolbox.ts';
export { mapped } from './sources/mapped.ts';
export type { Refused } from './sources/notes.ts';
export {
  type DefineSourceOptions,
  defineSource,
  type Source,
  type SourceItem,
  type SourceKey,
  type SourceKeys,
  type SourceOptions,
  type SourceTableOptions,
  sourceTable,
} from './sources/source.ts';
export type { SyncProgress, WalkOptions } from './sources/sync.ts';
export { tableDefinition } from './store/definition/table-definition.ts';
export { DynamoDBSourceStore } from './store/source-table.ts';
export {
  createTable,
  deleteTable,
  describeTable,
  serverTime,
  type TableStatus,
  tableIdentity,
} from './store/table-description.ts';
export { planTableUpdate, type TablePlan, type TableStep } from './store/table-update/plan.ts';
export { type UpdateTableOptions, updateTable } from './store/table-update/update.ts';
export { decodeRecords, type RawRecord } from './stream/decode.ts';
export { createLowWatermark, type LowWatermarkOptions } from './stream/progress/low-watermark.ts';
export { isProjectedIn } from './stream/progress/projected.ts';
export {
  notedUpToMs,
  type PositionContext,
  type StreamPosition,
  streamPosition,
} from './stream/progress/stream-position.ts';
export { type CheckOptions, type CheckResult, check } from './trust/check/check.ts';
export type { ConsumerPosition } from './trust/check/consumer-position.ts';
export { type CheckCounts, type CheckCursor, parseCursor } from './trust/check/cursor.ts';
export type { Finding } from './trust/check/finding.ts';
export { type ExplainOptions, type Explanation, explain } from './trust/explain/explain.ts';
export { type Status, type StatusOptions, status } from './trust/explain/status.ts';
export { type RedriveOptions, type RedriveResult, redrive } from './trust/repair/redrive.ts';
export {
  type ErasedBatches,
  type ErasedItems,
  eraseSubject,
  type SubjectEraseOptions,
  type SubjectErasure,
} from './trust/subject/erase-subject.ts';
export {
  type ExportedSubjectItem,
  exportSubject,
  type SubjectExport,
  type SubjectExportOptions,
} from './trust/subject/export-subject.ts';
export { type BatchPlaces, failedBatchEraser } from './trust/subject/failed-batches.ts';
export type { Remainder } from './trust/subject/remainders.ts';
export type { SubjectNames, SubjectRole } from './trust/subject/subject-names.ts';
