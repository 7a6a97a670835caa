/**
 * `edgeloom/types`: the types that public signatures use and that no other entry point exports. It has no code at run time.
 * `npm run api` writes this file.
 */

export type { CallOptions, CallResult, Capacity, ValueOf } from './client/call/capacity.ts';
export type { FeedEvent, FeedResync } from './client/feed/feed-change.ts';
export type { TakeEvents } from './client/feed/feeder.ts';
export type { Subscriptions } from './client/feed/subscriptions.ts';
export type { InboundOfWatch, OfPages, SearchOfWatch, ViewsWatch } from './client/feed/watch.ts';
export type {
  AttributeFailure,
  BatchFailure,
  ConditionFailure,
  DetailedError,
  EdgeloomErrorClass,
  KnownError,
  OtherError,
} from './client/known-error.ts';
export type { EnteringLevel, LeavingLevel, WithEdges, WithLevel } from './client/read/levels/level.ts';
export type { Truncated } from './client/read/levels/level-walk.ts';
export type { AnyPageNode, Entering, Leaving, Neighbor, PageNode } from './client/read/levels/page-tree.ts';
export type { NodesOptions } from './client/read/list-nodes.ts';
export type {
  CountBound,
  CountResult,
  CountScope,
  InDegreeOptions,
  ShardsResult,
} from './client/read/lists/count-search.ts';
export type { FilterOptions } from './client/read/lists/filter.ts';
export type { InboundQuery, OneQuestion } from './client/read/lists/inbound-query.ts';
export type {
  PathPredicate,
  SearchPredicate,
  SearchQuery,
  SearchScope,
  ValuesBetween,
  Without,
} from './client/read/lists/search-query.ts';
export type { Collection, CollectionOptions } from './client/read/nodes/base.ts';
export type { EdgesOptions } from './client/read/nodes/edges.ts';
export type { TotalReadOptions, TotalResult } from './client/read/nodes/total.ts';
export type { AttributeSelection, GetOptions } from './client/read/nodes/views.ts';
export type { PageLevels, PageOptions, PageResult } from './client/read/page.ts';
export type { CursorKey } from './client/read/request/cursor.ts';
export type { Between, OrderValue } from './client/read/request/order-argument.ts';
export type { EveryReadOptions, ItemReadOptions } from './client/read/request/read-context.ts';
export type { EdgeSetElement } from './client/read/request/result.ts';
export type { Where, WhereComparison, WhereOperators, WhereValue } from './client/read/request/where.ts';
export type {
  AnySearch,
  BeginningWith,
  CommonSearch,
  EqualitySearch,
  InPartition,
  ListedSearch,
  NoPartition,
  Optional,
  OptionsWithin,
  OrderedSearch,
  PathSearch,
  Predicate,
  QueryOf,
  RangeEnd,
  Scoped,
  Search,
  TextSearch,
} from './client/read/search-calls.ts';
export type {
  Checked,
  CheckedLevels,
  EdgeFilter,
  EdgeTargetView,
  Hit,
  InboundEdge,
  NodeOfPage,
  StoredEdge,
  StoredNodeOf,
  ViewOfId,
} from './client/read/types.ts';
export type { WaitOptions } from './client/read/wait.ts';
export type { SessionKey } from './client/session/token.ts';
export type { BadOperation, WriteBatchResult } from './client/write/batch.ts';
export type { DeletedNode, DeleteOptions } from './client/write/cascade.ts';
export type { WriteConditions } from './client/write/item/conditions.ts';
export type { OnWrite, WrittenItem } from './client/write/on-write.ts';
export type {
  AttributesArgument,
  DeleteArguments,
  Operations,
  PutArguments,
  TransactionOperations,
  Upsert,
} from './client/write/operations.ts';
export type { PutManyOptions, PutManyResult } from './client/write/put-many.ts';
export type { TransactionResult, TransactOptions } from './client/write/transaction.ts';
export type { AttributeChange, Change } from './client/write/update/attribute-change.ts';
export type { UpdatedItem } from './client/write/update/update.ts';
export type { ChangeRecord } from './core/items/change-record.ts';
export type { IndexName } from './core/items/derived-item.ts';
export type { ValueType } from './core/items/encoding.ts';
export type { Comparison, Filter, FilterTerm } from './core/items/filter.ts';
export type { ItemKey, TenantSeparator } from './core/items/keys.ts';
export type { NumberReader } from './core/items/plain.ts';
export type { HashName } from './core/items/shard.ts';
export type { DifferenceKind, Suspect } from './core/kinds/difference.ts';
export type {
  CheckedEdgeSet,
  CheckedInbound,
  CheckedSearches,
  CheckedTotals,
  TypeMistake,
  VersionName,
} from './core/model/checked.ts';
export type { FeedNames, IndexKeys, TableNames } from './core/model/compiled.ts';
export type {
  EdgeTypes,
  EdgeTypesOf,
  LabelValue,
  NodeTypes,
  NodeTypesOf,
  NumberValue,
  OpenSearch,
  PartTypes,
  PartTypesOf,
  SearchTypes,
  TotalNames,
} from './core/model/declared.ts';
export type { EdgeDefinitions, GraphInput, NodeDefinitions } from './core/model/graph.ts';
export type {
  CountedEdgeType,
  DefaultOrder,
  EdgeOrder,
  EdgeSource,
  EdgeTarget,
  HasPartition,
  IdArgument,
  IncludesTarget,
  IndexedEdgeType,
  ListedNodeType,
  OrderArgument,
  PartArgument,
  PartAttributes,
  PartInput,
  PartName,
  PathArgument,
  SearchName,
  SearchOfName,
  SourceOf,
  SpreadSearchName,
  SumName,
  TargetOf,
  TotaledEdgeType,
  TotaledId,
  TotalGroups,
  TypeOfId,
  UnversionedType,
  ViewIdArgument,
  WholeArgument,
} from './core/model/inference.ts';
export type { NativeIndex, NativeKeys, NativeType } from './core/model/native-indexes.ts';
export type { NativeGap } from './core/model/native-misfits.ts';
export type { DeriveOptions } from './core/model/options/settings.ts';
export type {
  AttributesOf,
  Derive,
  EdgeOrderOption,
  Fields,
  InputOf,
  NameOf,
  OpenAttributes,
  OpenFields,
  Order,
  ProjectOption,
  Rank,
  SourceValue,
  Sum,
  TotalOptions,
  TypedOrder,
} from './core/model/order.ts';
export type { ItemKeys } from './core/model/projection/index-places.ts';
export type {
  EdgeDefinition,
  EdgeOptions,
  EdgeSetOption,
  InboundOptions,
  NodeDefinition,
  NodeOptions,
  None,
  PartDefinition,
  PartDefinitions,
  PartOptions,
  SearchOptions,
  SearchValues,
} from './core/model/schema.ts';
export type { IndexOptions, TableOptions } from './core/model/table-options.ts';
export type { ReadStats } from './core/store-pages.ts';
export type {
  AttributeChanges,
  BaseChange,
  BaseCondition,
  BatchWaits,
  BatchWrite,
  ChangeAllResult,
  ChangeResult,
  DeleteResult,
  DerivedUpdate,
  GetManyResult,
  GetResult,
  NativeQueryRequest,
  NumberRange,
  QueryRequest,
  QueryResult,
  ReadManyOptions,
  ReadOptions,
  RevisionCondition,
  ScanPage,
  ScanRequest,
  ScanSource,
  SortKeyRange,
  TransactResult,
  UpdateCondition,
  UpdateManyOptions,
  UpdateOutcome,
  UpdateResult,
  WayOfWriting,
  WriteManyResult,
  WriteResult,
} from './core/store-port.ts';
export type { DriftVerdict, VerdictCounts } from './core/verdicts.ts';
export type { MigrateRequest, MigrateResponse, WalkRequest, WalkResponse } from './deployment/lambda/migrate-call.ts';
export type { ParameterOptions } from './deployment/stack/base/parameters.ts';
export type { Resource, Resources, Value } from './deployment/stack/base/template.ts';
export type { ServerlessOptions } from './deployment/stack/serverless.ts';
export type { TemplateOptions } from './deployment/stack/stack.ts';
export type { EdgeloomError, Mistake, StoreErrorKind } from './foundation/errors.ts';
export type { Abortable, RuntimeOptions } from './foundation/runtime.ts';
export type { DividedResult } from './migrate/divided/divided.ts';
export type { MigratePlace } from './migrate/walks/place.ts';
export type { QuarantineKind } from './projecting/apply/projector-types.ts';
export type { SourceWorkerOptions } from './projecting/worker/worker-types.ts';
export type { ApplyStats } from './reconcile/apply-context.ts';
export type { TableRegions } from './registry/identity.ts';
export type { WriterModel } from './registry/writer-model.ts';
export type { Refusal } from './sources/ledger.ts';
export type { Conflict } from './sources/notes.ts';
export type { SourceStatus } from './sources/status.ts';
export type { TableClient, WithClient } from './store/given.ts';
export type { TableCalls } from './store/lean/calls.ts';
export type { RateOptions } from './store/metered.ts';
export type { DescribedIdentity, TableAccess } from './store/table-description.ts';
export type { LookedForGaps, TablePlanOptions } from './store/table-update/plan.ts';
export type { WalkedItem, WalkedKey, WalkPlace } from './store/table-walk.ts';
export type { Agreement } from './stream/progress/agreement.ts';
export type { ConsumerKind, ConsumerProgress, ShardProgress } from './stream/progress/consumers.ts';
export type { ShardPosition } from './stream/progress/stream-position.ts';
export type { TailLimits } from './stream/stream-tail.ts';
export type { LastCheck } from './trust/check/last-check.ts';
export type { RunLimits } from './trust/check/run/limits.ts';
export type { RunMode } from './trust/check/run/places.ts';
export type { ExplainedPart, LagKnowledge, PartState } from './trust/explain/base-item.ts';
export type { IndexSampleStatus } from './trust/explain/index-sample.ts';
export type {
  ConsumerStatus,
  ErasureStatus,
  ExceptionStatus,
  ProjectionStatus,
  ShardStatus,
} from './trust/explain/status.ts';
export type { OpenStreams } from './trust/failures/failed-batch.ts';
export type {
  BucketAccess,
  DeleteObject,
  FailureBuckets,
  ReadObject,
  SendMessage,
} from './trust/failures/failure-message.ts';
export type { FailureSources } from './trust/failures/failure-queue.ts';
export type { ObserverProgress } from './trust/observe/observe.ts';
export type { ObserverLimits } from './trust/observe/observer.ts';
export type { Naming } from './trust/subject/subject-names.ts';
