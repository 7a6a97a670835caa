/**
 * Edgeloom: write edges, read projections.
 *
 * The names that programs and model files need: `defineGraph` and its vocabulary, `createClient` and `DynamoDBStore`,
 * `createWriter` and `createReader`, `newId`, `nodeItem` and `edgeItem`, and the errors. Some other entry points:
 * `edgeloom/admin` for operations on a whole table, `edgeloom/feed` for live lists, `edgeloom/lambda` for handlers,
 * `edgeloom/local` to run everything on one machine, and `edgeloom/types` for all further types.
 */

export { EdgeloomError } from './client/known-error.ts';
export { createReader, type Reader } from './client/read/reader.ts';
export type { ReaderOptions } from './client/read/reader-options.ts';
export type {
  EdgeResult,
  InboundPage,
  Page,
  SearchResult,
  StoredNode,
  TargetView,
  View,
} from './client/read/request/result.ts';
export { type ScanNodesOptions, type ScannedNodes, scanNodes } from './client/read/scan-nodes.ts';
export { createSession, Session, type SessionOptions } from './client/session/session.ts';
export { InvalidBatchError } from './client/write/batch.ts';
export { ConditionFailedError } from './client/write/item/conditions.ts';
export type { WriteOptions } from './client/write/item/single.ts';
export { edgeItem, nodeItem, type PlainItem } from './client/write/plain-item.ts';
export type { PutManyItem } from './client/write/put-many.ts';
export { TransactionFailedError } from './client/write/transaction.ts';
export { UnfinishedWriteError, type WriteProgress } from './client/write/unfinished.ts';
export type { UpdateOptions } from './client/write/update/update.ts';
export { createWriter, type Writer, type WriterOptions } from './client/write/writer.ts';
export type { AttributeValue, Item } from './core/items/attribute-value.ts';
export type { CompiledModel } from './core/model/compiled.ts';
export type { Graph } from './core/model/graph.ts';
export type {
  EdgeAttributes,
  EdgeInput,
  EdgeType,
  NodeAttributes,
  NodeId,
  NodeInput,
  NodeType,
} from './core/model/inference.ts';
export type { DeriveContext } from './core/model/options/settings.ts';
export type { Store } from './core/store-port.ts';
export type { ErrorCode } from './foundation/error-code.ts';
export { type ClientOptions, createClient, createStreamsClient } from './store/client.ts';
export { DynamoDBStore } from './store/dynamodb.ts';
// Lets the compiler find the types of `edgeloom/types` that a program's emitted declarations name.
export type {} from './types.ts';
export * from './vocabulary.ts';
