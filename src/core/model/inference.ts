import type { INDEX_NAMES } from '../items/derived-item.ts';
import type { CompiledModel } from './compiled.ts';
import type { LabelValue, Leading, MembersOf, OpenSearch, SearchTypes, TotalNames } from './declared.ts';
import type { OpenAttributes, SourceValue } from './order.ts';
import type { EdgeDefinition, NodeDefinition } from './schema.ts';

/** An unknown graph (`CompiledModel`, as the command line loads it) accepts any string and open attributes. */

type NodesOf<G extends CompiledModel> = NonNullable<G['definition']>['nodes'];
type EdgesOf<G extends CompiledModel> = NonNullable<G['definition']>['edges'];

type IsAny<T> = 0 extends 1 & T ? true : false;

interface OpenTypes {
  input: OpenAttributes;
  output: OpenAttributes;
  searches: Record<string, OpenSearch>;
  view: string;
  viewed: true;
  parts: Record<string, { input: OpenAttributes; output: OpenAttributes; view: string }>;
  list: true;
  version: never;
  from: string;
  to: string;
  labels: Record<string, unknown>;
  labeled: LabelValue;
  orders: Record<string, SearchTypes['value']>;
  whole: Record<string, SearchTypes['value']>;
  inKeys: Record<string, string>;
  inKeysOfSource: Record<string, string>;
  shown: string;
  shownOfSource: string;
  includesTarget: true;
  partition: boolean;
  inSet: true;
  degree: true;
  totals: { sums: string; groups: Record<string, unknown> };
  totaled: string;
  copy: string;
}

type TypesOf<Definition> =
  IsAny<Definition> extends true
    ? OpenTypes
    : Definition extends NodeDefinition | EdgeDefinition
      ? NonNullable<Definition['types']>
      : never;

type TypeOf<Definition, Name extends keyof OpenTypes> = TypesOf<Definition> extends Record<Name, infer T> ? T : never;

type TextOf<Definition, Name extends keyof OpenTypes> = Extract<TypeOf<Definition, Name>, string>;

type Carrying<Definitions, Name extends keyof OpenTypes, Wanted> = {
  [T in keyof Definitions]: Wanted extends TypeOf<Definitions[T], Name> ? Extract<T, string> : never;
}[keyof Definitions];

type IdOf<T extends string> = string extends T ? string : `${T}-${string}`;

/** The names of a graph's node types. */
export type NodeType<G extends CompiledModel> = Extract<keyof NodesOf<G>, string>;

/** The names of a graph's edge types. */
export type EdgeType<G extends CompiledModel> = Extract<keyof EdgesOf<G>, string>;

/** Ids of a graph's nodes, or of one type's nodes: `` `GOAL-${string}` ``. */
export type NodeId<G extends CompiledModel, T extends NodeType<G> = NodeType<G>> = IdOf<T>;

/** The node type that an id names: `TypeOfId<G, 'GOAL-G1'>` is `'GOAL'`. */
export type TypeOfId<G extends CompiledModel, Id extends string> =
  string extends NodeType<G>
    ? NodeType<G>
    : { [T in NodeType<G>]: Id extends `${T}-${string}` ? T : never }[NodeType<G>];

/** A stored node's attributes. */
export type NodeAttributes<G extends CompiledModel, T extends NodeType<G>> = TypeOf<NodesOf<G>[T], 'output'>;

/** Attributes to write a node with. */
export type NodeInput<G extends CompiledModel, T extends NodeType<G>> = TypeOf<NodesOf<G>[T], 'input'>;

/** The types of a node type's parts, by name. */
export type PartsOf<G extends CompiledModel, T extends NodeType<G>> = TypeOf<NodesOf<G>[T], 'parts'>;

/** The names of a node type's parts; never if it has none. */
export type PartName<G extends CompiledModel, T extends NodeType<G>> = Extract<keyof PartsOf<G, T>, string>;

type PartType<Parts, P, Name extends string> = Parts[P & keyof Parts] extends Record<Name, infer Value> ? Value : never;

/** A stored part's attributes. */
export type PartAttributes<G extends CompiledModel, T extends NodeType<G>, P> = PartType<PartsOf<G, T>, P, 'output'>;

/** Attributes to write a part with. */
export type PartInput<G extends CompiledModel, T extends NodeType<G>, P> = PartType<PartsOf<G, T>, P, 'input'>;

/** Names of a part's attributes that reads show. */
export type PartViewAttribute<G extends CompiledModel, T extends NodeType<G>, P> = PartType<PartsOf<G, T>, P, 'view'>;

/** A stored edge's attributes. */
export type EdgeAttributes<G extends CompiledModel, E extends EdgeType<G>> = TypeOf<EdgesOf<G>[E], 'output'>;

/** Attributes to write an edge with. */
export type EdgeInput<G extends CompiledModel, E extends EdgeType<G>> = TypeOf<EdgesOf<G>[E], 'input'>;

/** Ids of the nodes that an edge type may leave. */
export type EdgeSource<G extends CompiledModel, E extends EdgeType<G>> = IdOf<EdgeSourceType<G, E>>;

/** The node types that an edge type may leave. */
export type EdgeSourceType<G extends CompiledModel, E extends EdgeType<G>> = TextOf<EdgesOf<G>[E], 'from'>;

/** Ids of the nodes that an edge type may enter. */
export type EdgeTarget<G extends CompiledModel, E extends EdgeType<G>> = IdOf<EdgeTargetType<G, E>>;

/** The node types that an edge type may enter. */
export type EdgeTargetType<G extends CompiledModel, E extends EdgeType<G>> = TextOf<EdgesOf<G>[E], 'to'>;

/** The labels in an edge type's edge sets, with their values. */
export type LabelsOf<G extends CompiledModel, E extends EdgeType<G>> = TypeOf<EdgesOf<G>[E], 'labels'>;

/** Names of the labels in an edge type's edge sets; never if it isn't in edge sets. */
export type EdgeLabel<G extends CompiledModel, E extends EdgeType<G>> = E extends unknown
  ? Extract<keyof LabelsOf<G, E>, string>
  : never;

/** Values of an edge type's labels, as arguments. */
export type LabelArgument<G extends CompiledModel, E extends EdgeType<G>> = TypeOf<EdgesOf<G>[E], 'labeled'>;

/** Names of an edge type's orders; never if it has none. */
export type EdgeOrder<G extends CompiledModel, E extends EdgeType<G>> = Extract<
  keyof TypeOf<EdgesOf<G>[E], 'orders'>,
  string
>;

/** Names of target attributes that an edge type copies into its source's view; never if none. */
export type EdgeCopy<G extends CompiledModel, E extends EdgeType<G>> = TextOf<EdgesOf<G>[E], 'copy'>;

/** The names of a graph's searches, such as `'USER.name' | 'GOAL.status'`. */
export type SearchName<G extends CompiledModel> =
  string extends NodeType<G>
    ? string
    : { [T in NodeType<G>]: `${T}.${Extract<keyof TypeOf<NodesOf<G>[T], 'searches'>, string>}` }[NodeType<G>];

/** The types of a search's arguments and results. */
export type SearchOfName<G extends CompiledModel, Name extends string> =
  string extends NodeType<G>
    ? OpenSearch
    : Name extends `${infer T}.${infer N}`
      ? Extract<TypeOf<NodesOf<G>[T], 'searches'>[N & keyof TypeOf<NodesOf<G>[T], 'searches'>], SearchTypes>
      : never;

/** Searches that are spread over numbered shards: all but native ones and those with `shards: 'value'`. */
export type SpreadSearchName<G extends CompiledModel> =
  string extends NodeType<G>
    ? string
    : { [Name in SearchName<G>]: SearchOfName<G, Name>['kind'] extends 'equality' ? never : Name }[SearchName<G>];

/** Edge types with at least one order. */
export type IndexedEdgeType<G extends CompiledModel> =
  string extends EdgeType<G>
    ? EdgeType<G>
    : { [E in EdgeType<G>]: [EdgeOrder<G, E>] extends [never] ? never : E }[EdgeType<G>];

/** Edge types whose edges are in edge sets. */
export type EdgeTypeInSet<G extends CompiledModel> =
  string extends EdgeType<G> ? EdgeType<G> : Carrying<EdgesOf<G>, 'inSet', true>;

/** Edge types whose edges can be counted: those in edge sets, and those with a count. */
export type CountedEdgeType<G extends CompiledModel> =
  string extends EdgeType<G> ? EdgeType<G> : EdgeTypeInSet<G> | Carrying<EdgesOf<G>, 'degree', true>;

/** The edge types that have a total. */
export type TotaledEdgeType<G extends CompiledModel> =
  string extends EdgeType<G>
    ? EdgeType<G>
    : { [E in EdgeType<G>]: [TypeOf<EdgesOf<G>[E], 'totals'>] extends [never] ? never : E }[EdgeType<G>];

/** An id of a node whose edges have a total, or any plain string. */
export type TotaledId<G extends CompiledModel, E extends EdgeType<G>, Id extends string> = string extends Id
  ? Id
  : IdOf<TextOf<EdgesOf<G>[E], 'totaled'>>;

/** The names of an edge type's sums. */
export type SumName<G extends CompiledModel, E extends EdgeType<G>> = Extract<
  TypeOf<EdgesOf<G>[E], 'totals'>,
  TotalNames
>['sums'];

/** An edge type's groups by name, each with its attribute's values. */
export type TotalGroups<G extends CompiledModel, E extends EdgeType<G>> = Extract<
  TypeOf<EdgesOf<G>[E], 'totals'>,
  TotalNames
>['groups'];

/** The node types that have a list. */
export type ListedNodeType<G extends CompiledModel> =
  string extends NodeType<G> ? NodeType<G> : Carrying<NodesOf<G>, 'list', true>;

/** Attributes that reads show of a node type: those that its `view` names, or all if it declares none. */
export type ViewAttribute<G extends CompiledModel, T extends NodeType<G>> = TextOf<NodesOf<G>[T], 'view'>;

/** Attributes that an edge type's index items show. */
export type InboundAttribute<G extends CompiledModel, E extends EdgeType<G>> = TextOf<EdgesOf<G>[E], 'shown'>;

/** Source attributes that an edge type's index items show. */
export type SourceAttribute<G extends CompiledModel, E extends EdgeType<G>> = TextOf<EdgesOf<G>[E], 'shownOfSource'>;

/** True if lists of an edge type include the target node. */
export type IncludesTarget<G extends CompiledModel, E extends EdgeType<G>> = TypeOf<EdgesOf<G>[E], 'includesTarget'>;

/** True if queries of an edge type have to name a partition value. */
export type HasPartition<G extends CompiledModel, E extends EdgeType<G>> = TypeOf<EdgesOf<G>[E], 'partition'>;

/** The order that `inbound` uses by default; all orders if the types don't determine it. */
export type DefaultOrder<G extends CompiledModel, E extends EdgeType<G>> = FirstOrder<
  typeof INDEX_NAMES,
  EdgeOrder<G, E>
>;

type FirstOrder<Indexes extends readonly string[], Order extends string> = Indexes extends readonly [
  infer First extends string,
  ...infer Rest extends readonly string[],
]
  ? First extends Order
    ? First & Order
    : FirstOrder<Rest, Order>
  : Order;

export type AttributeInKey<
  G extends CompiledModel,
  E extends EdgeType<G>,
  Order extends string,
  Whose extends 'inKeys' | 'inKeysOfSource',
> = Order extends keyof TypeOf<EdgesOf<G>[E], Whose> ? Extract<TypeOf<EdgesOf<G>[E], Whose>[Order], string> : never;

/** An order's complete value as an argument, limited to declared values. */
export type WholeArgument<
  G extends CompiledModel,
  E extends EdgeType<G>,
  Order extends string,
> = Order extends keyof TypeOf<EdgesOf<G>[E], 'whole'>
  ? Extract<WithSource<G, E, TypeOf<EdgesOf<G>[E], 'whole'>[Order]>, SearchTypes['value']>
  : never;

type WithSource<G extends CompiledModel, E extends EdgeType<G>, Value> =
  Value extends SourceValue<infer Name> ? MembersOf<ValueOfSource<G, EdgeSourceType<G, E>, Name>> : Value;

type ValueOfSource<G extends CompiledModel, T extends string, Name> =
  T extends NodeType<G>
    ? Name extends `${infer P}.${infer Attribute}`
      ? P extends PartName<G, T>
        ? ValueOf<PartAttributes<G, T, P>, Attribute>
        : ValueOf<NodeAttributes<G, T>, Name>
      : ValueOf<NodeAttributes<G, T>, Name>
    : never;

type ValueOf<A, Name> = A extends unknown ? (Name extends keyof A ? Exclude<A[Name], undefined> : never) : never;

/** An order's values as arguments: a rank's labels, numbers, or strings. */
export type OrderArgument<
  G extends CompiledModel,
  E extends EdgeType<G>,
  Order extends string,
> = Order extends keyof TypeOf<EdgesOf<G>[E], 'orders'>
  ? Extract<TypeOf<EdgesOf<G>[E], 'orders'>[Order], SearchTypes['value']>
  : never;

/** The leading values of an order by several values, as far as known; never for an order by one value. */
export type PathArgument<
  G extends CompiledModel,
  E extends EdgeType<G>,
  Order extends string,
> = string extends keyof TypeOf<EdgesOf<G>[E], 'orders'>
  ? readonly SearchTypes['value'][]
  : Order extends keyof TypeOf<EdgesOf<G>[E], 'whole'>
    ? Leading<WithSources<G, E, Extract<TypeOf<EdgesOf<G>[E], 'whole'>[Order], readonly unknown[]>>>
    : never;

type WithSources<G extends CompiledModel, E extends EdgeType<G>, Values extends readonly unknown[]> = {
  readonly [Place in keyof Values]: WithSource<G, E, Values[Place]>;
};

/** One of the values of an order by several values, as the end of a range; never for an order by one value. */
export type PartArgument<
  G extends CompiledModel,
  E extends EdgeType<G>,
  Order extends string,
> = string extends keyof TypeOf<EdgesOf<G>[E], 'orders'>
  ? SearchTypes['value']
  : Order extends keyof TypeOf<EdgesOf<G>[E], 'orders'>
    ? Extract<TypeOf<EdgesOf<G>[E], 'orders'>[Order], readonly unknown[]>[number]
    : never;

/** The version attribute of a node type; never if one of several types has none. */
export type VersionAttribute<G extends CompiledModel, T extends NodeType<G>> = [UnversionedOf<G, T>] extends [never]
  ? TextOf<NodesOf<G>[T], 'version'>
  : never;

type UnversionedOf<G extends CompiledModel, T extends NodeType<G>> = T extends unknown
  ? [TextOf<NodesOf<G>[T], 'version'>] extends [never]
    ? T
    : never
  : never;

/** Node types without a version attribute. */
export type UnversionedType<G extends CompiledModel> =
  string extends NodeType<G> ? NodeType<G> : UnversionedOf<G, NodeType<G>>;

/** An id of one of the graph's node types, or any plain string. */
export type IdArgument<G extends CompiledModel, Id extends string> = string extends Id ? Id : NodeId<G>;

type ViewedType<G extends CompiledModel> =
  string extends NodeType<G>
    ? NodeType<G>
    : Carrying<NodesOf<G>, 'viewed', true> | Extract<TextOf<EdgesOf<G>[EdgeTypeInSet<G>], 'from'>, NodeType<G>>;

/** An id of a node type with views, or any plain string. For other types, TypeScript's message names the remedy. */
export type ViewIdArgument<G extends CompiledModel, Id extends string> = string extends Id
  ? Id
  : IdOf<ViewedType<G>> | ViewlessText<Exclude<TypeOfId<G, Id>, ViewedType<G>>>;

type ViewlessText<T extends string> = T extends string
  ? `${T} has no views: add view: ['name'] to nodes.${T} in the model, or read getNode`
  : never;

/** An id of a node type that the edge type enters, or any plain string. */
export type TargetOf<G extends CompiledModel, E extends EdgeType<G>, Id extends string> = string extends Id
  ? Id
  : EdgeTarget<G, E>;

/** An id of a node type that the edge type leaves, or any plain string. */
export type SourceOf<G extends CompiledModel, E extends EdgeType<G>, Id extends string> = string extends Id
  ? Id
  : EdgeSource<G, E>;
