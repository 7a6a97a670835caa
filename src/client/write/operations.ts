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

/** A put's attributes, optional if none is required. */
export type AttributesArgument<Input> = Partial<Input> extends Input ? [attributes?: Input] : [attributes: Input];

/** The arguments of a put. `attributes` is optional if no attribute is required. */
export type PutArguments<Input, Options> =
  Partial<Input> extends Input ? [attributes?: Input, options?: Options] : [attributes: Input, options?: Options];

/** The options of a node's delete. A node with versions requires `if` with the version that was read. */
export type DeleteArguments<G extends CompiledModel, T extends NodeType<G>, Options> = [
  VersionAttribute<G, T>,
] extends [never]
  ? [options?: Options]
  : [options: Options & { if: Readonly<Record<VersionAttribute<G, T>, unknown>> }];

/** A batch's puts and deletes. Nodes with versions are excluded, since a batch can't compare versions. */
export interface Operations<G extends CompiledModel, Result> {
  /** Puts a whole node. Attributes that aren't given are removed. */
  putNode<Id extends NodeId<G, UnversionedType<G>>>(
    id: Id,
    ...attributes: AttributesArgument<NodeInput<G, TypeOfId<G, Id>>>
  ): Result;
  /** Puts a whole part of a node. The node needn't exist. */
  putPart<Id extends NodeId<G>, P extends PartName<G, TypeOfId<G, Id>>>(
    id: Id,
    part: P,
    ...attributes: AttributesArgument<PartInput<G, TypeOfId<G, Id>, P>>
  ): Result;
  /** Deletes a part of a node, if it exists. */
  deletePart<Id extends NodeId<G>>(id: Id, part: PartName<G, TypeOfId<G, Id>>): Result;
  /** Puts a whole edge. Its nodes needn't exist. */
  putEdge<E extends EdgeType<G>>(
    source: EdgeSource<G, E>,
    edgeType: E,
    target: EdgeTarget<G, E>,
    ...attributes: AttributesArgument<EdgeInput<G, E>>
  ): Result;
  /** Deletes an edge, if it exists. */
  deleteEdge<E extends EdgeType<G>>(source: EdgeSource<G, E>, edgeType: E, target: EdgeTarget<G, E>): Result;
  /** Deletes a node, if it exists. Its edges and parts stay: see `deleteNodeWithEdges`. */
  deleteNode(id: NodeId<G, UnversionedType<G>>): Result;
}

/** An update that may create the item. */
export interface Upsert {
  /** Creates the item if it's missing. Default: false, so the transaction fails. */
  upsert?: boolean | undefined;
}

/** The operations of a transaction, which may name each item only once. */
export interface TransactionOperations<G extends CompiledModel> {
  /** Puts a whole node. Attributes that aren't given are removed. */
  putNode<Id extends NodeId<G>>(
    id: Id,
    ...attributes: PutArguments<NodeInput<G, TypeOfId<G, Id>>, WriteConditions<NodeAttributes<G, TypeOfId<G, Id>>>>
  ): void;
  /** Puts a whole part of a node. The node needn't exist. */
  putPart<Id extends NodeId<G>, P extends PartName<G, TypeOfId<G, Id>>>(
    id: Id,
    part: P,
    ...attributes: PutArguments<
      PartInput<G, TypeOfId<G, Id>, P>,
      WriteConditions<PartAttributes<G, TypeOfId<G, Id>, P>>
    >
  ): void;
  /** Updates a part of a node. If the part declares `fields`, it is read first. */
  updatePart<Id extends NodeId<G>, P extends PartName<G, TypeOfId<G, Id>>>(
    id: Id,
    part: P,
    change: AttributeChange<PartInput<G, TypeOfId<G, Id>, P>>,
    options?: WriteConditions<PartAttributes<G, TypeOfId<G, Id>, P>> & Upsert,
  ): void;
  /** Deletes a part of a node, if it exists. */
  deletePart<Id extends NodeId<G>, P extends PartName<G, TypeOfId<G, Id>>>(
    id: Id,
    part: P,
    options?: WriteConditions<PartAttributes<G, TypeOfId<G, Id>, P>>,
  ): void;
  /** Requires that a part exists, or that it meets the given conditions. */
  requirePart<Id extends NodeId<G>, P extends PartName<G, TypeOfId<G, Id>>>(
    id: Id,
    part: P,
    conditions?: WriteConditions<PartAttributes<G, TypeOfId<G, Id>, P>>,
  ): void;
  /** Puts a whole edge. Its nodes needn't exist. */
  putEdge<E extends EdgeType<G>>(
    source: EdgeSource<G, E>,
    edgeType: E,
    target: EdgeTarget<G, E>,
    ...attributes: PutArguments<EdgeInput<G, E>, WriteConditions<EdgeAttributes<G, E>>>
  ): void;
  /**
   * Updates a node. Reads it first if its type declares `fields`, if `addTo` names a set with `maxEntries`, or if the
   * update may replace an ended node.
   */
  updateNode<Id extends NodeId<G>>(
    id: Id,
    change: AttributeChange<NodeInput<G, TypeOfId<G, Id>>>,
    options?: WriteConditions<NodeAttributes<G, TypeOfId<G, Id>>> & Upsert,
  ): void;
  /** Updates an edge. Reads it first if its type declares `fields`, or if the update may replace an ended edge. */
  updateEdge<E extends EdgeType<G>>(
    source: EdgeSource<G, E>,
    edgeType: E,
    target: EdgeTarget<G, E>,
    change: AttributeChange<EdgeInput<G, E>>,
    options?: WriteConditions<EdgeAttributes<G, E>> & Upsert,
  ): void;
  /** Deletes a node, if it exists. Its edges and parts stay. */
  deleteNode<Id extends NodeId<G>>(
    id: Id,
    ...options: DeleteArguments<G, TypeOfId<G, Id>, WriteConditions<NodeAttributes<G, TypeOfId<G, Id>>>>
  ): void;
  /** Deletes an edge, if it exists. */
  deleteEdge<E extends EdgeType<G>>(
    source: EdgeSource<G, E>,
    edgeType: E,
    target: EdgeTarget<G, E>,
    options?: WriteConditions<EdgeAttributes<G, E>>,
  ): void;
  /** Requires that a node exists, or that it meets the given conditions. */
  requireNode<Id extends NodeId<G>>(id: Id, conditions?: WriteConditions<NodeAttributes<G, TypeOfId<G, Id>>>): void;
  /** Requires that an edge exists, or that it meets the given conditions. */
  requireEdge<E extends EdgeType<G>>(
    source: EdgeSource<G, E>,
    edgeType: E,
    target: EdgeTarget<G, E>,
    conditions?: WriteConditions<EdgeAttributes<G, E>>,
  ): void;
}
