/**
 * `edgeloom/tools`: what tools are built with. The port to the table, stream records, item values, the checks of base items
 * without a writer, the hashes of the shards.
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
export { checkBaseItem, toBaseItem } from './write/checks/base-item.ts';
