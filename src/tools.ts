/**
 * `edgeloom/tools`: what tools are built with. The port to the table, stream records, item values, the checks of base items
 * without a writer, the hashes of the shards, the export and the erasure of one subject.
 */

export type { AttributeValue, Item } from './items/attribute-value.ts';
export type { ChangeRecord } from './items/change-record.ts';
export { codePointProduct, fnv1a, type HashName, shardOf } from './items/shard.ts';
export type { CompiledModel, IndexName } from './model/compiled.ts';
export type { ConsumerPosition } from './progress/consumer-position.ts';
export { isProjectedIn } from './progress/projected.ts';
export {
  notedUpToMs,
  type PositionContext,
  type StreamPosition,
  streamPosition,
} from './progress/stream-position.ts';
export { tableDefinition } from './store/definition/table-definition.ts';
export type * from './store/port.ts';
export { decodeRecords, type RawRecord } from './stream/decode.ts';
export {
  type ErasedBatches,
  type ErasedItems,
  eraseSubject,
  type SubjectEraseOptions,
  type SubjectErasure,
} from './subject/erase-subject.ts';
export {
  type ExportedSubjectItem,
  exportSubject,
  type SubjectExport,
  type SubjectExportOptions,
} from './subject/export-subject.ts';
export { type BatchPlaces, failedBatchEraser } from './subject/failed-batches.ts';
export type { Remainder } from './subject/remainders.ts';
export type { SubjectNames, SubjectRole } from './subject/subject-names.ts';
export { checkBaseItem, toBaseItem } from './write/checks/base-item.ts';
