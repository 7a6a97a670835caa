import type { CompiledModel } from '../model/compiled.ts';
import type { EdgeInput, EdgeSource, EdgeTarget, EdgeType, NodeId, NodeInput, TypeOfId } from '../model/inference.ts';
import { checkStoreOptions } from '../options.ts';
import type { Store, WriteResult } from '../store/port.ts';
import { BatchBuilder, type WriteBatchResult } from './batch.ts';
import { type DeletedNode, deleteNodeWithEdges } from './cascade.ts';
import { edgeItem, edgeKey, nodeItem, nodeKey } from './prepare.ts';

/** The attributes argument of a put: it may be left out where no attribute is required. */
export type AttributesArgument<Input> = Partial<Input> extends Input ? [attributes?: Input] : [attributes: Input];

/** Puts and deletes of single items, typed by the graph. */
export interface Operations<G extends CompiledModel, Result> {
  /** Puts a node whole: attributes that are not given are gone. */
  putNode<Id extends NodeId<G>>(id: Id, ...attributes: AttributesArgument<NodeInput<G, TypeOfId<G, Id>>>): Result;
  /** Puts an edge whole. Neither of its nodes has to exist. Where keys are hashed it makes the key and sets `targetId`. */
  putEdge<E extends EdgeType<G>>(
    source: EdgeSource<G, E>,
    edgeType: E,
    target: EdgeTarget<G, E>,
    ...attributes: AttributesArgument<EdgeInput<G, E>>
  ): Result;
  /** Deletes an edge; an absent one is fine. */
  deleteEdge<E extends EdgeType<G>>(source: EdgeSource<G, E>, edgeType: E, target: EdgeTarget<G, E>): Result;
  /** Deletes a node; an absent one is fine. Its edges stay: see `deleteNodeWithEdges`. */
  deleteNode(id: NodeId<G>): Result;
}

/**
 * Writes base items, and only those. Each operation is one PutItem or DeleteItem, checked in full before it is sent: ids,
 * types, what `fields` declares (its output is what is written), what DynamoDB would refuse, and what the projector
 * would have to quarantine. A refusal is an `EdgeloomError` that names item, attribute and remedy. Operations give the
 * write capacity units that they took.
 */
export interface Writer<G extends CompiledModel> extends Operations<G, Promise<WriteResult>> {
  /**
   * Makes many operations at once, 25 a call; where a key repeats, the last operation on it wins. All are checked first:
   * a bad one, and nothing is written, with an `InvalidBatchError` that lists every bad one. It is no transaction: where
   * the store fails, a part may be written; running the batch again is fine.
   *
   * @example
   * await writer.batch((batch) => {
   *   batch.putNode('GOAL-G1', { title: 'Run' });
   *   batch.deleteEdge('GOAL-G1', 'GOALMEMBERSHIP', 'USER-U1');
   * });
   */
  batch(build: (batch: Operations<G, void>) => void | Promise<void>): Promise<WriteBatchResult>;
  /**
   * Deletes a node with the edges that leave it, and with those that enter it as far as the node's side knows them: all of
   * an edge type with `copy`; of one with `inbound` those that have an attribute for at least one of its orders. The
   * projector makes what knows them, and it lags behind, so edges put in the last moments may stay. Types that declare
   * neither are named in the result. The node goes last and everything is looked up anew, so after a crash, or to catch
   * such latecomers, run it again. It costs a Query of the partition, one of each index partition of the node's incoming
   * edge types, and a read and a delete for each edge.
   */
  deleteNodeWithEdges(id: NodeId<G>): Promise<DeletedNode>;
}

/** Options of a writer. */
export interface WriterOptions {
  /** The table. */
  store: Store;
}

/**
 * Makes the writer of a graph.
 *
 * @example
 * const writer = createWriter(graph, { store: new DynamoDBStore(client, graph.table) });
 * await writer.putNode('GOAL-G1', { title: 'Run a marathon' });
 * await writer.putEdge('GOAL-G1', 'GOALMEMBERSHIP', 'USER-U1', { memberRole: 'LEAD' });
 */
export function createWriter<G extends CompiledModel>(graph: G, options: WriterOptions): Writer<G> {
  checkStoreOptions('createWriter', options, { store: true });
  const { store } = options;
  const writer = {
    async putNode(id: string, attributes: unknown = {}): Promise<WriteResult> {
      return store.put(await nodeItem(graph, id, attributes));
    },
    async putEdge(source: string, edgeType: string, target: string, attributes: unknown = {}): Promise<WriteResult> {
      return store.put(await edgeItem(graph, source, edgeType, target, attributes));
    },
    async deleteEdge(source: string, edgeType: string, target: string): Promise<WriteResult> {
      const { wcu } = await store.delete(edgeKey(graph, source, edgeType, target));
      return { wcu };
    },
    async deleteNode(id: string): Promise<WriteResult> {
      const { wcu } = await store.delete(nodeKey(graph, id));
      return { wcu };
    },
    async batch(build: (batch: BatchBuilder) => void | Promise<void>): Promise<WriteBatchResult> {
      const builder = new BatchBuilder(graph);
      await build(builder);
      return builder.run(store);
    },
    async deleteNodeWithEdges(id: string): Promise<DeletedNode> {
      return deleteNodeWithEdges(graph, store, id);
    },
  };
  return writer;
}
