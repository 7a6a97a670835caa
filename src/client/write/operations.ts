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
  NodeType,
  PartAttributes,
  PartInput,
  PartName,
  TypeOfId,
  UnversionedType,
  VersionAttribute,
} from '../../core/model/inference.ts';
import type { WriteConditions } from './item/conditions.ts';
import type { AttributeChange } from './update/attribute-change.ts';

/** Operations on single base items, typed by the graph: those of a batch, and those of a transaction. */

/** The attributes argument of a put: it may be left out where no attribute is required. */
export type AttributesArgument<Input> = Partial<Input> extends Input ? [attributes?: Input] : [attributes: Input];

/** The attributes argument of a put, and options after it. */
export type PutArguments<Input, Options> =
  Partial<Input> extends Input ? [attributes?: Input, options?: Options] : [attributes: Input, options?: Options];

/** The options of a deletion: of a node with versions with the version that was read. */
export type DeleteArguments<G extends CompiledModel, T extends NodeType<G>, Options> = [
  VersionAttribute<G, T>,
] extends [never]
  ? [options?: Options]
  : [options: Options & { if: Readonly<Record<VersionAttribute<G, T>, unknown>> }];

/** Puts and deletes of single items, as a batch takes them: none of nodes with versions, which it cannot compare. */
export interface Operations<G extends CompiledModel, Result> {
  /** Puts a node whole: attributes that are not given are gone. */
  putNode<Id extends NodeId<G, UnversionedType<G>>>(
    id: Id,
    ...attributes: AttributesArgument<NodeInput<G, TypeOfId<G, Id>>>
  ): Result;
  /** Puts a part of a node whole. The node does not have to exist. */
  putPart<Id extends NodeId<G>, P extends PartName<G, TypeOfId<G, Id>>>(
    id: Id,
    part: P,
    ...attributes: AttributesArgument<PartInput<G, TypeOfId<G, Id>, P>>
  ): Result;
  /** Deletes a part of a node; an absent one is fine. */
  deletePart<Id extends NodeId<G>>(id: Id, part: PartName<G, TypeOfId<G, Id>>): Result;
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
  deleteNode(id: NodeId<G, UnversionedType<G>>): Result;
}

/** May make the item that it updates. */
export interface Upsert {
  /** Make an absent item. Default false: then the transaction fails. */
  upsert?: boolean | undefined;
}

/** The operations of a transaction: each operation may have conditions, and each item is named once. */
export interface TransactionOperations<G extends CompiledModel> {
  /** Puts a node whole. */
  putNode<Id extends NodeId<G>>(
    id: Id,
    ...attributes: PutArguments<NodeInput<G, TypeOfId<G, Id>>, WriteConditions<NodeAttributes<G, TypeOfId<G, Id>>>>
  ): void;
  /** Puts a part of a node whole. */
  putPart<Id extends NodeId<G>, P extends PartName<G, TypeOfId<G, Id>>>(
    id: Id,
    part: P,
    ...attributes: PutArguments<
      PartInput<G, TypeOfId<G, Id>, P>,
      WriteConditions<PartAttributes<G, TypeOfId<G, Id>, P>>
    >
  ): void;
  /** Updates a part of a node, as `updateNode` does. */
  updatePart<Id extends NodeId<G>, P extends PartName<G, TypeOfId<G, Id>>>(
    id: Id,
    part: P,
    change: AttributeChange<PartInput<G, TypeOfId<G, Id>, P>>,
    options?: WriteConditions<PartAttributes<G, TypeOfId<G, Id>, P>> & Upsert,
  ): void;
  /** Deletes a part of a node. */
  deletePart<Id extends NodeId<G>, P extends PartName<G, TypeOfId<G, Id>>>(
    id: Id,
    part: P,
    options?: WriteConditions<PartAttributes<G, TypeOfId<G, Id>, P>>,
  ): void;
  /** Requires that a part of a node is there, or meets conditions; it is not changed. */
  requirePart<Id extends NodeId<G>, P extends PartName<G, TypeOfId<G, Id>>>(
    id: Id,
    part: P,
    conditions?: WriteConditions<PartAttributes<G, TypeOfId<G, Id>, P>>,
  ): void;
  /** Puts an edge whole. */
  putEdge<E extends EdgeType<G>>(
    source: EdgeSource<G, E>,
    edgeType: E,
    target: EdgeTarget<G, E>,
    ...attributes: PutArguments<EdgeInput<G, E>, WriteConditions<EdgeAttributes<G, E>>>
  ): void;
  /** Updates a node; with `fields` it is read before. If others change it before the transaction is made, all is prepared again. */
  updateNode<Id extends NodeId<G>>(
    id: Id,
    change: AttributeChange<NodeInput<G, TypeOfId<G, Id>>>,
    options?: WriteConditions<NodeAttributes<G, TypeOfId<G, Id>>> & Upsert,
  ): void;
  /** Updates an edge, as `updateNode` does. */
  updateEdge<E extends EdgeType<G>>(
    source: EdgeSource<G, E>,
    edgeType: E,
    target: EdgeTarget<G, E>,
    change: AttributeChange<EdgeInput<G, E>>,
    options?: WriteConditions<EdgeAttributes<G, E>> & Upsert,
  ): void;
  /** Deletes a node. */
  deleteNode<Id extends NodeId<G>>(
    id: Id,
    ...options: DeleteArguments<G, TypeOfId<G, Id>, WriteConditions<NodeAttributes<G, TypeOfId<G, Id>>>>
  ): void;
  /** Deletes an edge. */
  deleteEdge<E extends EdgeType<G>>(
    source: EdgeSource<G, E>,
    edgeType: E,
    target: EdgeTarget<G, E>,
    options?: WriteConditions<EdgeAttributes<G, E>>,
  ): void;
  /** Requires that a node is there, or meets conditions; it is not changed. */
  requireNode<Id extends NodeId<G>>(id: Id, conditions?: WriteConditions<NodeAttributes<G, TypeOfId<G, Id>>>): void;
  /** Requires that an edge is there, or meets conditions; it is not changed. */
  requireEdge<E extends EdgeType<G>>(
    source: EdgeSource<G, E>,
    edgeType: E,
    target: EdgeTarget<G, E>,
    conditions?: WriteConditions<EdgeAttributes<G, E>>,
  ): void;
}
