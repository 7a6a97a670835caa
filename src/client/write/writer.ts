import type { Item } from '../../core/items/attribute-value.ts';
import type { CompiledModel } from '../../core/model/compiled.ts';
import type {
  EdgeAttributes,
  EdgeInput,
  EdgeSource,
  EdgeTarget,
  EdgeType,
  NodeAttributes,
  NodeId,
  NodeInput,
  PartAttributes,
  PartInput,
  PartName,
  TypeOfId,
} from '../../core/model/inference.ts';
import type { ItemKey, Store } from '../../core/store-port.ts';
import type { TelemetryOption } from '../../core/telemetry.ts';
import { EdgeloomError } from '../../foundation/errors.ts';
import { checkOptions, checkStoreOptions } from '../../foundation/options.ts';
import { type Runtime, type RuntimeOptions, runtimeOf } from '../../foundation/runtime.ts';
import { type ReaderLeases, registryLeases } from '../../registry/reader-lease.ts';
import { type WithClient, withStore } from '../../store/given.ts';
import { hasRate, RATE_OPTIONS } from '../../store/metered.ts';
import { type CallOptions, type CallResult, type CallStores, callStores, withCapacity } from '../call/capacity.ts';
import { notingStore } from '../session/noting-store.ts';
import { type Session, sessionOf } from '../session/session.ts';
import { BatchBuilder, type WriteBatchResult } from './batch.ts';
import { type DeletedNode, type DeleteOptions, deleteNodeWithEdges } from './cascade.ts';
import { edgeItem, edgeKey, nodeItem, nodeKey, partItem, partKey } from './item/prepare.ts';
import type { WriteContext } from './item/send.ts';
import { deleteSingle, putChange, putSingle, type WriteOptions } from './item/single.ts';
import { type OnWrite, withOnWrite } from './on-write.ts';
import type { DeleteArguments, Operations, PutArguments, TransactionOperations } from './operations.ts';
import { type PutManyItem, type PutManyOptions, type PutManyResult, putMany } from './put-many.ts';
import { checkToken, TransactionBuilder, type TransactionResult, type TransactOptions } from './transaction.ts';
import type { Change } from './update/attribute-change.ts';
import { edgeSubject, nodeSubject, partSubject, type UpdateSubject } from './update/subject.ts';
import { type UpdatedItem, type UpdateOptions, updateBaseItem } from './update/update.ts';

/**
 * Writes base items. Checks every put in full before sending it: ids, types, `fields` (whose output is written),
 * DynamoDB's rules, and problems for which the projector would quarantine the item. Throws `ConditionFailedError` if a
 * condition fails.
 */
export interface Writer<G extends CompiledModel> {
  /**
   * Puts a whole node. Attributes that aren't given are removed.
   *
   * @example
   * await writer.putNode('GOAL-G1', { title: 'Run a marathon' }, { ifAbsent: true });
   */
  putNode<Id extends NodeId<G>>(
    id: Id,
    ...attributes: PutArguments<NodeInput<G, TypeOfId<G, Id>>, WriteOptions<NodeAttributes<G, TypeOfId<G, Id>>>>
  ): Promise<CallResult>;
  /** Puts a whole part of a node. Attributes that aren't given are removed. Reads show a part only with its node. */
  putPart<Id extends NodeId<G>, P extends PartName<G, TypeOfId<G, Id>>>(
    id: Id,
    part: P,
    ...attributes: PutArguments<PartInput<G, TypeOfId<G, Id>, P>, WriteOptions<PartAttributes<G, TypeOfId<G, Id>, P>>>
  ): Promise<CallResult>;
  /** Changes some attributes of a part of a node, as `updateNode` does. */
  updatePart<Id extends NodeId<G>, P extends PartName<G, TypeOfId<G, Id>>>(
    id: Id,
    part: P,
    change: Change<PartAttributes<G, TypeOfId<G, Id>, P>, PartInput<G, TypeOfId<G, Id>, P>>,
    options?: UpdateOptions<PartAttributes<G, TypeOfId<G, Id>, P>>,
  ): Promise<UpdatedItem<PartAttributes<G, TypeOfId<G, Id>, P>>>;
  /** Deletes a part of a node, if it exists. */
  deletePart<Id extends NodeId<G>, P extends PartName<G, TypeOfId<G, Id>>>(
    id: Id,
    part: P,
    options?: WriteOptions<PartAttributes<G, TypeOfId<G, Id>, P>>,
  ): Promise<CallResult>;
  /** Puts a whole edge. Its nodes needn't exist. */
  putEdge<E extends EdgeType<G>>(
    source: EdgeSource<G, E>,
    edgeType: E,
    target: EdgeTarget<G, E>,
    ...attributes: PutArguments<EdgeInput<G, E>, WriteOptions<EdgeAttributes<G, E>>>
  ): Promise<CallResult>;
  /**
   * Changes some attributes of a node, without losing other writers' changes. `change` names attributes to `set` or
   * `remove`, numbers to `add`, and elements to `addTo` or `deleteFrom` sets. This takes one UpdateItem, and a read if
   * the type declares `fields` or `addTo` names a set with `maxEntries`. Or `change` is a function that returns the
   * next attributes from the current ones: the item is read first, and the function may run several times. Throws
   * `not-found` for a missing node (unless `upsert`), `condition-failed`, `too-much-contention`, `too-many-attributes`
   * beyond 150 (148 with `expires`), and `outcome-unknown` if the answer was lost (unless `idempotent`).
   *
   * @example
   * await writer.updateNode('GOAL-G1', { set: { status: 'DONE' }, add: { points: 3 }, addTo: { tags: ['sport'] } });
   * await writer.updateNode('GOAL-G1', ({ points, ...rest }) => ({ ...rest, points: points * 2 }));
   */
  updateNode<Id extends NodeId<G>>(
    id: Id,
    change: Change<NodeAttributes<G, TypeOfId<G, Id>>, NodeInput<G, TypeOfId<G, Id>>>,
    options?: UpdateOptions<NodeAttributes<G, TypeOfId<G, Id>>>,
  ): Promise<UpdatedItem<NodeAttributes<G, TypeOfId<G, Id>>>>;
  /** Changes some attributes of an edge, as `updateNode` does. */
  updateEdge<E extends EdgeType<G>>(
    source: EdgeSource<G, E>,
    edgeType: E,
    target: EdgeTarget<G, E>,
    change: Change<EdgeAttributes<G, E>, EdgeInput<G, E>>,
    options?: UpdateOptions<EdgeAttributes<G, E>>,
  ): Promise<UpdatedItem<EdgeAttributes<G, E>>>;
  /** Returns a writer that notes each key in the session, so that a reader with the session shows the write at once. */
  with(session: Session): Writer<G>;
  /** Deletes an edge, if it exists. */
  deleteEdge<E extends EdgeType<G>>(
    source: EdgeSource<G, E>,
    edgeType: E,
    target: EdgeTarget<G, E>,
    options?: WriteOptions<EdgeAttributes<G, E>>,
  ): Promise<CallResult>;
  /**
   * Deletes a node, if it exists. Its edges and parts stay: see `deleteNodeWithEdges`. A type with versions requires
   * `if` with the version that was read.
   */
  deleteNode<Id extends NodeId<G>>(
    id: Id,
    ...options: DeleteArguments<G, TypeOfId<G, Id>, WriteOptions<NodeAttributes<G, TypeOfId<G, Id>>>>
  ): Promise<CallResult>;
  /**
   * Writes many operations, 25 per call. If a key repeats, its last operation wins. If an operation is bad, nothing is
   * written (`InvalidBatchError`). If the store fails, a part may be written (`UnfinishedWriteError`); running the
   * batch again is safe.
   *
   * @example
   * await writer.batch((batch) => {
   *   batch.putNode('GOAL-G1', { title: 'Run' });
   *   batch.deleteEdge('GOAL-G1', 'GOALMEMBERSHIP', 'USER-U1');
   * });
   */
  batch(build: (batch: Operations<G, void>) => void | Promise<void>, options?: CallOptions): Promise<WriteBatchResult>;
  /**
   * Writes up to 100 operations, all or none, at twice the capacity. Throws `TransactionFailedError` if a condition
   * fails.
   *
   * @example
   * await writer.transact((transaction) => {
   *   transaction.requireNode('GOAL-G1');
   *   transaction.requireNode('USER-U1', { if: { status: 'ACTIVE' } });
   *   transaction.putEdge('GOAL-G1', 'GOALMEMBERSHIP', 'USER-U1', { memberRole: 'LEAD' }, { ifAbsent: true });
   * });
   */
  transact(
    build: (transaction: TransactionOperations<G>) => void | Promise<void>,
    options?: TransactOptions,
  ): Promise<TransactionResult>;
  /**
   * Puts nodes, parts and edges, 25 per call, and the items of each key in order. If an entry of an array is bad,
   * nothing is written (`InvalidBatchError`); in a stream, the entries before it are written. An `UnfinishedWriteError`
   * says how far the write got.
   *
   * @example
   * await writer.putMany(itemsOfFile(), { onProgress: (items) => console.log(items) });
   */
  putMany(items: Iterable<PutManyItem> | AsyncIterable<PutManyItem>, options?: PutManyOptions): Promise<PutManyResult>;
  /**
   * Deletes a node with its parts, its outgoing edges, and the incoming edges that can be found: all of an edge type
   * with `copy` or a total under `inbound`, or those in an order. Lists lag, so recently put edges may stay; the result
   * names edge types whose edges may remain. Run it again after a crash. Costs a Query of each partition, a delete per
   * item, and a read per incoming edge. `maxRcu` and `maxWcu` bound the units per second. Throws `projection-not-ready`,
   * and `condition-failed` for a node with versions that has changed; after the first deletion, as the code of an
   * `UnfinishedWriteError`.
   */
  deleteNodeWithEdges(id: NodeId<G>, options?: DeleteOptions): Promise<DeletedNode>;
}

const WRITE_OPTIONS = {
  ifAbsent: 'boolean',
  ifPresent: 'boolean',
  if: true,
  signal: true,
  capacity: 'boolean',
} as const;
const DELETE_OPTIONS = { signal: true, replica: true, capacity: 'boolean', ...RATE_OPTIONS } as const;
const UPDATE_OPTIONS = { ...WRITE_OPTIONS, upsert: 'boolean', idempotent: 'boolean' } as const;

/** Options of `createWriter`. */
export interface WriterOptions extends TelemetryOption {
  /** @internal */
  wait?: RuntimeOptions['wait'];
  /**
   * Returns the current time in milliseconds since 1970, which decides whether an item has ended. Default: the system
   * clock.
   */
  now?: (() => number) | undefined;
  /** The table's store. */
  store: Store;
  /**
   * Returns attributes, such as a time, that each put and update also writes; not called for deletions or `importFile`.
   * `fields` must declare them or leave attributes open.
   *
   * @example
   * createWriter(graph, { store, onWrite: () => ({ updatedAt: new Date().toISOString() }) });
   */
  onWrite?: OnWrite | undefined;
}

/**
 * Creates a graph's writer from a store or an AWS SDK client, such as a `DynamoDBDocumentClient`.
 *
 * @example
 * const writer = createWriter(graph, { store: new DynamoDBStore(client, graph.table) });
 * await writer.putNode('GOAL-G1', { title: 'Run a marathon' });
 * await writer.putEdge('GOAL-G1', 'GOALMEMBERSHIP', 'USER-U1', { memberRole: 'LEAD' });
 */
export function createWriter<G extends CompiledModel>(
  graph: G,
  given: WriterOptions | WithClient<WriterOptions>,
): Writer<G> {
  const options = withStore('createWriter', graph, given);
  checkStoreOptions('createWriter', options, {
    store: 'or client',
    now: 'function',
    wait: 'internal',
    telemetry: true,
    onWrite: 'function',
  });
  const runtime = runtimeOf(options);
  const { onWrite } = options;
  const stores = callStores(graph, options);
  const writer = writerOf(graph, stores, runtime, onWrite, leasesByReplica(graph, stores.plain));
  // Attribute types are only known at compile time; validators check at run time.
  return (options.telemetry?.client(writer, graph) ?? writer) as unknown as Writer<G>;
}

function writerOf(
  graph: CompiledModel,
  stores: CallStores,
  { now, wait }: Pick<Runtime, 'now' | 'wait'>,
  onWrite: OnWrite | undefined,
  leasesOf: (replica: string | undefined) => ReaderLeases,
): Writer<CompiledModel> {
  const write = <T>(options: CallOptions | undefined, run: (context: WriteContext) => Promise<T>): Promise<T> =>
    withCapacity(stores, options, (store) => run({ graph, store, now, wait }));
  // Check the options first, so that their errors precede those of the item.
  const put = async (method: string, make: () => Promise<Item>, options: WriteOptions): Promise<CallResult> => {
    checkOptions(method, options, WRITE_OPTIONS);
    const change = putChange(graph, await make(), options);
    return write(options, (context) => putSingle(context, change, options));
  };
  const update = async (
    method: string,
    subjectOf: () => UpdateSubject,
    change: Change,
    options: UpdateOptions,
  ): Promise<UpdatedItem> => {
    checkOptions(method, options, UPDATE_OPTIONS);
    return write(options, (context) => updateBaseItem(context, subjectOf(), change, options));
  };
  const remove = async (method: string, keyOf: () => ItemKey, options: WriteOptions): Promise<CallResult> => {
    checkOptions(method, options, WRITE_OPTIONS);
    return write(options, (context) => deleteSingle(context, keyOf(), options));
  };
  const writer: Writer<CompiledModel> = {
    with: (session) => {
      const noting = (store: Store) => notingStore(store, graph.table, sessionOf(session, graph.table.name));
      const noted = { counting: noting(stores.counting), plain: noting(stores.plain) };
      return writerOf(graph, noted, { now, wait }, onWrite, leasesOf);
    },
    putNode: (id, attributes = {}, options = {}) => put('putNode', () => nodeItem(graph, id, attributes), options),
    putEdge: (source, edgeType, target, attributes = {}, options = {}) =>
      put('putEdge', () => edgeItem(graph, source, edgeType, target, attributes), options),
    putPart: (id, part, attributes = {}, options = {}) =>
      put('putPart', () => partItem(graph, id, part, attributes), options),
    updateNode: (id, change, options = {}) => update('updateNode', () => nodeSubject(graph, id), change, options),
    updateEdge: (source, edgeType, target, change, options = {}) =>
      update('updateEdge', () => edgeSubject(graph, source, edgeType, target), change, options),
    updatePart: (id, part, change, options = {}) =>
      update('updatePart', () => partSubject(graph, id, part), change, options),
    deleteNode: (id, options = {}) => remove('deleteNode', () => nodeKey(graph, id), options),
    deleteEdge: (source, edgeType, target, options = {}) =>
      remove('deleteEdge', () => edgeKey(graph, source, edgeType, target), options),
    deletePart: (id, part, options = {}) => remove('deletePart', () => partKey(graph, id, part), options),
    async batch(build, options = {}) {
      checkOptions('batch', options, { signal: true, capacity: 'boolean' });
      checkBuild('batch', build);
      const builder = new BatchBuilder(graph);
      await build(builder);
      return write(options, ({ store }) => builder.run(store, options));
    },
    async transact(build, options = {}) {
      checkOptions('transact', options, { idempotencyToken: true, signal: true, capacity: 'boolean' });
      checkToken(options.idempotencyToken);
      checkBuild('transact', build);
      return write(options, async (context) => {
        const builder = new TransactionBuilder(context);
        await build(builder);
        return builder.run(options);
      });
    },
    async putMany(items, options) {
      checkOptions('putMany', options, {
        concurrency: 'count',
        onProgress: 'function',
        signal: true,
        capacity: 'boolean',
      });
      return write(options, ({ store }) => putMany(graph, store, items, options));
    },
    async deleteNodeWithEdges(id, options = {}) {
      checkOptions('deleteNodeWithEdges', options, DELETE_OPTIONS);
      const { signal, replica, capacity, maxRcu, maxWcu } = options;
      const ofRate = hasRate(options) ? { ...stores, plain: stores.counting } : stores;
      return withCapacity(ofRate, { capacity }, (store) =>
        deleteNodeWithEdges(graph, store, id, { signal, wait, maxRcu, maxWcu, leases: leasesOf(replica) }),
      );
    },
  };
  return onWrite === undefined ? writer : withOnWrite(writer, onWrite);
}

/** Keeps the leases, so that deletions read the registry at most once every 30 seconds. */
function leasesByReplica(graph: CompiledModel, store: Store): (replica: string | undefined) => ReaderLeases {
  const leases = new Map<string | undefined, ReaderLeases>();
  return (replica) => {
    const known = leases.get(replica) ?? registryLeases(graph, store, undefined, replica);
    leases.set(replica, known);
    return known;
  };
}

function checkBuild(what: string, build: unknown): void {
  if (typeof build === 'function') return;
  throw new EdgeloomError(
    'invalid-argument',
    `${what} takes a function that names the operations.`,
    `Give (operations) => { operations.putNode("USER-U1", {}) }.`,
  );
}
