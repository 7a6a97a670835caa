/** `edgeloom/types`: the types that signatures name, besides those of the entry points themselves. Nothing of it is there at run time. */

export type {
  AttributeFailure,
  ConditionFailure,
  EdgeloomErrorClass,
  KnownError,
  OtherError,
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
export type { CursorKey } from './client/read/request/cursor.ts';
export type { OrderValue } from './client/read/request/order-argument.ts';
export type { EdgeSetEntry, OwnerResult } from './client/read/request/result.ts';
export type { Where, WhereComparison, WhereValue } from './client/read/request/where.ts';
export type {
  AnySearch,
  BeginningWith,
  CommonSearch,
  EqualitySearch,
  EqualTo,
  InPartition,
  ListedSearch,
  NoPartition,
  Optional,
  OptionsWithin,
  OrderedSearch,
  PathSearch,
  Predicate,
  Predicates,
  QueryOf,
  RangeEnd,
  Reading,
  Scoped,
  Search,
  SearchesOfKinds,
  TextSearch,
  ValueRange,
} from './client/read/search.ts';
export type {
  EdgeFilter,
  EdgeOwner,
  Hit,
  InboundEdge,
  NodeOfBase,
  NodeOfId,
  NodeOfPage,
  StoredEdge,
} from './client/read/types.ts';
export type { WaitOptions } from './client/read/wait.ts';
export type { SessionKey } from './client/session/token.ts';
export type { WriteBatchResult } from './client/write/batch.ts';
export type { DeletedNode } from './client/write/cascade.ts';
export type { WriteConditions } from './client/write/item/conditions.ts';
export type { OnWrite, WrittenItem } from './client/write/on-write.ts';
export type { AttributesArgument, Operations, TransactionOperations } from './client/write/operations.ts';
export type { PutManyOptions, PutManyResult } from './client/write/put-many.ts';
export type { TransactionResult, TransactOptions } from './client/write/transaction.ts';
export type { AttributeChange, Change } from './client/write/update/attribute-change.ts';
export type { UpdatedItem } from './client/write/update/update.ts';
export type { ChangeRecord } from './core/items/change-record.ts';
export type { ValueType } from './core/items/encoding.ts';
export type { NumberReader } from './core/items/plain.ts';
export type { HashName } from './core/items/shard.ts';
export type { IndexName } from './core/model/compiled.ts';
export type {
  EdgeTypes,
  EdgeTypesOf,
  InboundSetting,
  LabelOf,
  NodeTypes,
  NodeTypesOf,
  OpenSearch,
  PartTypes,
  PartTypesOf,
  SearchTypes,
  TotalNames,
} from './core/model/declared.ts';
export type { FeedNames } from './core/model/feed-names.ts';
export type { GraphInput } from './core/model/graph.ts';
export type {
  CountedEdgeType,
  DefaultOrder,
  EdgeCopy,
  EdgeLabel,
  EdgeOrder,
  EdgeSource,
  EdgeSourceType,
  EdgeTarget,
  EdgeTargetType,
  EdgeTypeInSet,
  HasOwner,
  HasPartition,
  IdArgument,
  InboundAttribute,
  IndexedEdgeType,
  ListedNodeType,
  OrderArgument,
  PartAttributes,
  PartInput,
  PartName,
  PartsOf,
  PartViewAttribute,
  PathArgument,
  SearchName,
  SearchOfName,
  SourceAttribute,
  SourceOf,
  SpreadSearchName,
  SumName,
  TargetOf,
  TotalGroups,
  TotalledEdgeType,
  TotalledId,
  TypeOfId,
  ViewAttribute,
} from './core/model/inference.ts';
export type { DeriveOptions } from './core/model/options/derive-options.ts';
export type {
  AttributesOf,
  Derive,
  EdgeOrderOption,
  EdgeOrderPart,
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
  ItemKey,
  KeyTypes,
  QueryRequest,
  QueryResult,
  ReadManyOptions,
  ReadOptions,
  RevisionCondition,
  ScanPage,
  ScanRequest,
  ScanSource,
  ShapeCondition,
  SortKeyRange,
  TransactResult,
  UpdateCondition,
  UpdateResult,
  WriteManyResult,
  WriteResult,
} from './core/store-port.ts';
export type { ObservedWork, Telemetry, TelemetryOption } from './core/telemetry.ts';
export type { Mistake, StoreErrorKind } from './foundation/errors.ts';
export type { Abortable, RuntimeOptions } from './foundation/runtime.ts';
export type { TableClient, WithClient } from './store/given.ts';
