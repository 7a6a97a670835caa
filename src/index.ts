/**
 * Edgeloom: write edges, read projections.
 *
 * Most users need a dozen names: `defineGraph`, `node`, `edge`, `rank` and `derive` for the model; `createClient`,
 * `DynamoDBStore`, `createWriter` and `createReader` to write and read; `newId`; `check`; `migrate`; `EdgeloomError`. The types next to them
 * are those of their options and results. `edgeloom/lambda` makes Lambda handlers, `edgeloom/local` runs everything on this
 * machine, `edgeloom/tools` has what tools are built with.
 */

export {
  type BatchOptions,
  type BatchResult,
  createProjector,
  type Projector,
  type ProjectorOptions,
} from './apply/projector.ts';
export { type CheckOptions, type CheckResult, check } from './check/check.ts';
export { type CheckCursor, type CheckTotals, parseCursor } from './check/cursor.ts';
export type { Finding, Verdict } from './check/finding.ts';
export type { Mistake, StoreErrorKind } from './errors.ts';
export { type ExplainOptions, type Explanation, explain } from './explain/explain.ts';
export { type Status, type StatusOptions, status } from './explain/status.ts';
export type { ValueType } from './items/encoding.ts';
export type { NumberReader } from './items/plain.ts';
export type { HashName } from './items/shard.ts';
export type { MigrateAction } from './migrate/action.ts';
export { migrate } from './migrate/migrate.ts';
export type { MigrateOptions, MigrateResult, MigrateStep } from './migrate/migrate-types.ts';
export type { CompiledModel, IndexName } from './model/compiled.ts';
export type * from './model/declared.ts';
export type { Graph, GraphInput } from './model/graph.ts';
export type * from './model/inference.ts';
export type { EdgeKeyOption, NodeKeyOption } from './model/keys/key-option.ts';
export type * from './model/order.ts';
export type { DeriveContext, DeriveOptions } from './model/projection/derive-options.ts';
export type {
  EdgeDefinition,
  EdgeOptions,
  InboundEntries,
  InboundOptions,
  NodeDefinition,
  NodeOptions,
  PartDefinition,
  PartOptions,
  SearchOptions,
} from './model/schema.ts';
export type { TableOptions } from './model/table-options.ts';
export { createLowMark, type LowMarkOptions } from './progress/low-mark.ts';
export type { LabelValue, WithEdges, WithLevel } from './read/levels/level.ts';
export type { Truncated } from './read/levels/level-walk.ts';
export type { NodesOptions } from './read/list-nodes.ts';
export type { CountResult, InDegreeOptions, ShardsResult } from './read/lists/count.ts';
export type { FilterOptions } from './read/lists/filter.ts';
export type { InboundQuery } from './read/lists/inbound.ts';
export type { SearchPredicate, SearchQuery, SearchScope } from './read/lists/search.ts';
export type { Collection, CollectionOptions, NodeReadOptions } from './read/nodes/base.ts';
export type { DegreeOptions } from './read/nodes/degree.ts';
export type { EdgesOptions, HasOptions } from './read/nodes/edges.ts';
export type { TotalReadOptions, TotalResult } from './read/nodes/total.ts';
export type { AttributeSelection, GetOptions } from './read/nodes/views.ts';
export type { PageOptions, PageResult } from './read/page.ts';
export { createReader, type Reader } from './read/reader.ts';
export type { ReaderOptions } from './read/reader-options.ts';
export type { CursorKey } from './read/request/cursor.ts';
export type { OrderValue } from './read/request/order-argument.ts';
export type {
  BareNodeResult,
  BaseNode,
  EdgeResult,
  EdgeSetEntry,
  InboundPage,
  ListPage,
  NodeResult,
  OwnerResult,
  Page,
  SearchResult,
} from './read/request/result.ts';
export type { Where, WhereValue } from './read/request/where.ts';
export type * from './read/search.ts';
export type {
  EdgeFilter,
  EdgeOwner,
  Hit,
  InboundEdge,
  NodeOfBase,
  NodeOfId,
  PageEdge,
  PageEdgeSets,
  PageLevel,
  PageNode,
  PageNodes,
  StoredEdge,
} from './read/types.ts';
export type { WaitOptions } from './read/wait.ts';
export type { TableIdentity } from './registry/registry.ts';
export { type RedriveOptions, type RedriveResult, redrive } from './repair/redrive.ts';
export type { Abortable, RuntimeOptions } from './runtime.ts';
export { createSession, Session, type SessionOptions } from './session/session.ts';
export type { SessionKey } from './session/token.ts';
export { type ClientOptions, createClient, createStreamsClient } from './store/client.ts';
export { DynamoDBStore } from './store/dynamodb.ts';
export type { TableClient, WithClient } from './store/given.ts';
export type { Store, WriteResult } from './store/port.ts';
export { createTable, deleteTable, describeTable, serverTime, type TableStatus, tableIdentity } from './store/table.ts';
export type { TablePlan, TableStep } from './store/table-update/plan.ts';
export { planTableUpdate } from './store/table-update/plan.ts';
export { type UpdateTableOptions, updateTable } from './store/table-update/update.ts';
export * from './vocabulary.ts';
export { InvalidBatchError, type WriteBatchResult } from './write/batch.ts';
export type { DeletedNode } from './write/cascade.ts';
export { type ImportFormat, type ImportOptions, type ImportResult, importFile } from './write/import.ts';
export { ConditionFailedError, type WriteConditions } from './write/item/conditions.ts';
export type { WriteOptions } from './write/item/single.ts';
export type { AttributesArgument, Operations, TransactionOperations } from './write/operations.ts';
export type { PutManyEntry, PutManyOptions, PutManyResult } from './write/put-many.ts';
export { TransactionFailedError, type TransactionResult, type TransactOptions } from './write/transaction.ts';
export type { AttributeChange, Change } from './write/update/attribute-change.ts';
export type { UpdatedItem, UpdateOptions } from './write/update/update.ts';
export { createWriter, type Writer, type WriterOptions } from './write/writer.ts';
