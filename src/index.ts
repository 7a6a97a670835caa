/**
 * Edgeloom: write edges, read projections.
 *
 * Most users need a dozen names: `defineGraph`, `node`, `edge`, `rank` and `derive` for the model; `createClient`,
 * `DynamoDBStore`, `createWriter` and `createReader` to write and read; `newId`; `check`; `migrate`; `EdgeloomError`. The types next to them
 * are those of their options and results. `edgeloom/lambda` makes Lambda handlers, `edgeloom/local` runs everything on this
 * machine, `edgeloom/tools` has what tools are built with.
 */

export { changesOf, type FeedModel } from './client/feed/changes-of.ts';
export type { FeedOptions } from './client/feed/feed.ts';
export type {
  CountChange,
  FeedChange,
  ItemChange,
  ListChange,
  ListedPlace,
  RowChange,
  SearchChange,
  ViewChange,
} from './client/feed/feed-change.ts';
export { createFeedModels, type FeedModels, type FeedModelsOptions } from './client/feed/feed-models.ts';
export { type RunningFeed, type StartFeedOptions, startFeed } from './client/feed/start-feed.ts';
export {
  applyWatchEvent,
  type PageEvent,
  type ResyncEvent,
  type StepEvent,
  type WatchEvent,
} from './client/feed/watch-types.ts';
export type { WatchableFeed } from './client/feed/watchable-feed.ts';
export type { WatchFailure } from './client/http/event-stream.ts';
export { answerNodeRequest } from './client/http/node.ts';
export {
  type WatchHandlerOptions,
  type WatchQueryOf,
  watchHandler,
} from './client/http/watch-handler.ts';
export {
  type AttributeFailure,
  type ConditionFailure,
  EdgeloomError,
  type EdgeloomErrorClass,
  type KnownError,
  type OtherError,
} from './client/known-error.ts';
export type { EnteringLevel, LabelValue, LeavingLevel, WithEdges, WithLevel } from './client/read/levels/level.ts';
export type { Truncated } from './client/read/levels/level-walk.ts';
export type { AnyPageNode, Entering, Leaving, Neighbour, PageNode } from './client/read/levels/page-tree.ts';
export type { NodesOptions } from './client/read/list-nodes.ts';
export type { CountResult, InDegreeOptions, ShardsResult } from './client/read/lists/count.ts';
export type { FilterOptions } from './client/read/lists/filter.ts';
export type { InboundQuery } from './client/read/lists/inbound.ts';
export type { SearchPredicate, SearchQuery, SearchScope } from './client/read/lists/search.ts';
export type { Collection, CollectionOptions, NodeReadOptions } from './client/read/nodes/base.ts';
export type { DegreeOptions } from './client/read/nodes/degree.ts';
export type { EdgesOptions, HasOptions } from './client/read/nodes/edges.ts';
export type { TotalReadOptions, TotalResult } from './client/read/nodes/total.ts';
export type { AttributeSelection, GetOptions } from './client/read/nodes/views.ts';
export type { PageLevels, PageOptions, PageResult } from './client/read/page.ts';
export { createReader, type Reader } from './client/read/reader.ts';
export type { ReaderOptions } from './client/read/reader-options.ts';
export type { CursorKey } from './client/read/request/cursor.ts';
export type { OrderValue } from './client/read/request/order-argument.ts';
export type {
  BaseNode,
  EdgeResult,
  EdgeSetEntry,
  InboundPage,
  ListPage,
  NodeResult,
  Page,
  SearchResult,
  TargetResult,
} from './client/read/request/result.ts';
export type { Where, WhereComparison, WhereValue } from './client/read/request/where.ts';
export { type ScanNodesOptions, type ScannedNodes, scanNodes } from './client/read/scan-nodes.ts';
export type * from './client/read/search.ts';
export type {
  EdgeFilter,
  EdgeTargetView,
  Hit,
  InboundEdge,
  NodeOfBase,
  NodeOfId,
  NodeOfPage,
  StoredEdge,
} from './client/read/types.ts';
export type { WaitOptions } from './client/read/wait.ts';
export { createSession, Session, type SessionOptions } from './client/session/session.ts';
export type { SessionKey } from './client/session/token.ts';
export { InvalidBatchError, type WriteBatchResult } from './client/write/batch.ts';
export type { DeletedNode } from './client/write/cascade.ts';
export { type ImportFormat, type ImportOptions, type ImportResult, importFile } from './client/write/import.ts';
export { ConditionFailedError, type WriteConditions } from './client/write/item/conditions.ts';
export type { WriteOptions } from './client/write/item/single.ts';
export type { OnWrite, WrittenItem } from './client/write/on-write.ts';
export type { AttributesArgument, Operations, TransactionOperations } from './client/write/operations.ts';
export type { PutManyEntry, PutManyOptions, PutManyResult } from './client/write/put-many.ts';
export { TransactionFailedError, type TransactionResult, type TransactOptions } from './client/write/transaction.ts';
export type { AttributeChange, Change } from './client/write/update/attribute-change.ts';
export type { UpdatedItem, UpdateOptions } from './client/write/update/update.ts';
export { createWriter, type Writer, type WriterOptions } from './client/write/writer.ts';
export type { ValueType } from './core/items/encoding.ts';
export type { NumberReader } from './core/items/plain.ts';
export type { HashName } from './core/items/shard.ts';
export type { CompiledModel, IndexName } from './core/model/compiled.ts';
export type * from './core/model/declared.ts';
export type { FeedNames } from './core/model/feed-names.ts';
export type { Graph, GraphInput } from './core/model/graph.ts';
export type * from './core/model/inference.ts';
export type { EdgeKeyOption, NodeKeyOption } from './core/model/keys/key-option.ts';
export type { DeriveContext, DeriveOptions } from './core/model/options/derive-options.ts';
export type * from './core/model/order.ts';
export type {
  EdgeDefinition,
  EdgeOptions,
  InboundEntries,
  InboundOptions,
  NodeDefinition,
  NodeOptions,
  None,
  PartDefinition,
  PartOptions,
  SearchOptions,
} from './core/model/schema.ts';
export type { TableOptions } from './core/model/table-options.ts';
export type { Store, WriteResult } from './core/store-port.ts';
export type { ObservedWork, Telemetry, TelemetryOption } from './core/telemetry.ts';
export type { ErrorCode } from './foundation/error-code.ts';
export type { Mistake, StoreErrorKind } from './foundation/errors.ts';
export type { Abortable, RuntimeOptions } from './foundation/runtime.ts';
export type { MigrateAction } from './migrate/action.ts';
export { migrate } from './migrate/migrate.ts';
export type { MigrateOptions, MigrateResult, MigrateStep } from './migrate/migrate-types.ts';
export type { ApplyOptions, ApplyResult } from './mirror/apply.ts';
export type { CheckSourceOptions, SourceCheck, SourceDifference } from './mirror/check.ts';
export { edgeItem, type MappedItem, nodeItem } from './mirror/items.ts';
export {
  type ElectroDBEntity,
  type ElectroDBOptions,
  type ElectroDBSchema,
  fromElectroDB,
} from './mirror/layouts/electrodb.ts';
export type { EntityEdge, EntityOptions, Layout, NodeReference, SourceItem } from './mirror/layouts/layout.ts';
export {
  fromOneTable,
  type OneTableModel,
  type OneTableOptions,
  type OneTableSchema,
} from './mirror/layouts/onetable.ts';
export { fromToolbox, type ToolboxEntity, type ToolboxOptions } from './mirror/layouts/toolbox.ts';
export { mapped } from './mirror/mapped.ts';
export { createMirror, type Mirror, type MirrorOptions } from './mirror/mirror.ts';
export type { Poisoned } from './mirror/poison.ts';
export { type Source, type SourceKeys, type SourceOptions, source } from './mirror/source.ts';
export type { SourcePage, SourceStore } from './mirror/source-store.ts';
export type { WalkOptions, WalkResult } from './mirror/walks.ts';
export { createProjector } from './projecting/apply/projector.ts';
export type { BatchOptions, BatchResult, Projector, ProjectorOptions } from './projecting/apply/projector-types.ts';
export type { TableIdentity } from './registry/registry.ts';
export { type ClientOptions, createClient, createStreamsClient } from './store/client.ts';
export { DynamoDBStore } from './store/dynamodb.ts';
export type { TableClient, WithClient } from './store/given.ts';
export { DynamoDBSourceStore } from './store/source-table.ts';
export { createTable, deleteTable, describeTable, serverTime, type TableStatus, tableIdentity } from './store/table.ts';
export type { TablePlan, TableStep } from './store/table-update/plan.ts';
export { planTableUpdate } from './store/table-update/plan.ts';
export { type UpdateTableOptions, updateTable } from './store/table-update/update.ts';
export { createLowWatermark, type LowWatermarkOptions } from './stream/progress/low-watermark.ts';
export { type CheckOptions, type CheckResult, check } from './trust/check/check.ts';
export { type CheckCursor, type CheckTotals, parseCursor } from './trust/check/cursor.ts';
export type { Finding, Verdict } from './trust/check/finding.ts';
export { type ExplainOptions, type Explanation, explain } from './trust/explain/explain.ts';
export { type Status, type StatusOptions, status } from './trust/explain/status.ts';
export { type RedriveOptions, type RedriveResult, redrive } from './trust/repair/redrive.ts';
export * from './vocabulary.ts';
