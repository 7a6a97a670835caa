/**
 * `edgeloom/tools`: what tools are built with. The port to the table, stream records, item values, the checks of base items
 * without a writer, the hashes of the shards, the export and the erasure of one subject.
 */

export { checkBaseItem, toBaseItem } from './client/write/checks/base-item.ts';
export type { AttributeValue, Item } from './core/items/attribute-value.ts';
export type { ChangeRecord } from './core/items/change-record.ts';
export { codePointProduct, fnv1a, type HashName, shardOf } from './core/items/shard.ts';
export type { CompiledModel, IndexName } from './core/model/compiled.ts';
export type * from './core/store-port.ts';
export { tableDefinition } from './store/definition/table-definition.ts';
export { decodeRecords, type RawRecord } from './stream/decode.ts';
export type { ConsumerPosition } from './stream/progress/consumer-position.ts';
export { isProjectedIn } from './stream/progress/projected.ts';
export {
  notedUpToMs,
  type PositionContext,
  type StreamPosition,
  streamPosition,
} from './stream/progress/stream-position.ts';
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
