import type { INDEX_NAMES } from '../items/derived-item.ts';
import type { CompiledModel } from './compiled.ts';
import type { LabelValue, Leading, MembersOf, OpenSearch, SearchTypes, TotalNames } from './declared.ts';
import type { OpenAttributes, SourceValue } from './order.ts';
import type { EdgeDefinition, NodeDefinition } from './schema.ts';

/**
 * Types of a graph's writer and reader. A graph whose types are not known (`CompiledModel`, as the
 * command line loads it) takes any text for types and ids, and open attributes.
 */

type NodesOf<G extends CompiledModel> = NonNullable<G['definition']>['nodes'];
type EdgesOf<G extends CompiledModel> = NonNullable<G['definition']>['edges'];

type IsAny<T> = 0 extends 1 & T ? true : false;

/** Replaces the types of a definition that is not known. */
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
  labelled: LabelValue;
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
  totalled: string;
  copy: string;
}

/** The types that a node or edge definition carries. */
type TypesOf<Definition> =
  IsAny<Definition> extends true
    ? OpenTypes
    : Definition extends NodeDefinition | EdgeDefinition
      ? NonNullable<Definition['types']>
      : never;

/** One of the types that a definition carries; never where it carries none of that name. */
type TypeOf<Definition, Name extends keyof OpenTypes> = TypesOf<Definition> extends Record<Name, infer T> ? T : never;

/** A text where a definition carries one. */
type TextOf<Definition, Name extends keyof OpenTypes> = Extract<TypeOf<Definition, Name>, string>;

/** The names of the definitions that carry a type, or may do so. */
type Carrying<Definitions, Name extends keyof OpenTypes, Wanted> = {
  [T in keyof Definitions]: Wanted extends TypeOf<Definitions[T], Name> ? Extract<T, string> : never;
}[keyof Definitions];

/** Node ids of a type: `` `GOAL-${string}` ``; any text where the type is not known. */
type IdOf<T extends string> = string extends T ? string : `${T}-${string}`;

/** The names of a graph's node types. */
export type NodeType<G extends CompiledModel> = Extract<keyof NodesOf<G>, string>;

/** The names of a graph's edge types. */
export type EdgeType<G extends CompiledModel> = Extract<keyof EdgesOf<G>, string>;

/** Ids of a graph's nodes, or of those of one type: `` `GOAL-${string}` ``. */
export type NodeId<G extends CompiledModel, T extends NodeType<G> = NodeType<G>> = IdOf<T>;

/** The node type that an id names: `TypeOfId<G, 'GOAL-G1'>` is `'GOAL'`. */
export type TypeOfId<G extends CompiledModel, Id extends string> =
  string extends NodeType<G>
    ? NodeType<G>
    : { [T in NodeType<G>]: Id extends `${T}-${string}` ? T : never }[NodeType<G>];

/** The attributes of a stored node: what its validator gives. */
export type NodeAttributes<G extends CompiledModel, T extends NodeType<G>> = TypeOf<NodesOf<G>[T], 'output'>;

/** The attributes that a node is written with: what its validator takes. */
export type NodeInput<G extends CompiledModel, T extends NodeType<G>> = TypeOf<NodesOf<G>[T], 'input'>;

/** The types of a node type's parts, by name. */
export type PartsOf<G extends CompiledModel, T extends NodeType<G>> = TypeOf<NodesOf<G>[T], 'parts'>;

/** The names of a node type's parts; never where it has none. */
export type PartName<G extends CompiledModel, T extends NodeType<G>> = Extract<keyof PartsOf<G, T>, string>;

/** One of the types of a part: see `PartTypes`. */
type PartType<Parts, P, Name extends string> = Parts[P & keyof Parts] extends Record<Name, infer Value> ? Value : never;

/** The attributes of a stored part: what its validator gives. */
export type PartAttributes<G extends CompiledModel, T extends NodeType<G>, P> = PartType<PartsOf<G, T>, P, 'output'>;

/** The attributes that a part is written with: what its validator takes. */
export type PartInput<G extends CompiledModel, T extends NodeType<G>, P> = PartType<PartsOf<G, T>, P, 'input'>;

/** The names of the attributes that reads show of a part. */
export type PartViewAttribute<G extends CompiledModel, T extends NodeType<G>, P> = PartType<PartsOf<G, T>, P, 'view'>;

/** The attributes of a stored edge: what its validator gives. */
export type EdgeAttributes<G extends CompiledModel, E extends EdgeType<G>> = TypeOf<EdgesOf<G>[E], 'output'>;

/** The attributes that an edge is written with: what its validator takes. */
export type EdgeInput<G extends CompiledModel, E extends EdgeType<G>> = TypeOf<EdgesOf<G>[E], 'input'>;

/** Ids of the nodes that an edge type may leave. */
export type EdgeSource<G extends CompiledModel, E extends EdgeType<G>> = IdOf<EdgeSourceType<G, E>>;

/** The node types that an edge type may leave. */
export type EdgeSourceType<G extends CompiledModel, E extends EdgeType<G>> = TextOf<EdgesOf<G>[E], 'from'>;

/** Ids of the nodes that an edge type may enter. */
export type EdgeTarget<G extends CompiledModel, E extends EdgeType<G>> = IdOf<EdgeTargetType<G, E>>;

/** The node types that an edge type may enter. */
export type EdgeTargetType<G extends CompiledModel, E extends EdgeType<G>> = TextOf<EdgesOf<G>[E], 'to'>;

/** The labels in the edge-set elements of an edge type, by their names, with their values. */
export type LabelsOf<G extends CompiledModel, E extends EdgeType<G>> = TypeOf<EdgesOf<G>[E], 'labels'>;

/** Names of the labels in the edge-set elements of an edge type; never where it is left out of the set. */
export type EdgeLabel<G extends CompiledModel, E extends EdgeType<G>> = E extends unknown
  ? Extract<keyof LabelsOf<G, E>, string>
  : never;

/** The values of the labels of an edge type, as arguments. */
export type LabelArgument<G extends CompiledModel, E extends EdgeType<G>> = TypeOf<EdgesOf<G>[E], 'labelled'>;

/** Names of the orders in which the edges of a type are found from their targets; never where it has none. */
export type EdgeOrder<G extends CompiledModel, E extends EdgeType<G>> = Extract<
  keyof TypeOf<EdgesOf<G>[E], 'orders'>,
  string
>;

/** Names of the target's attributes that an edge type copies into its source's view; never where it copies none. */
export type EdgeCopy<G extends CompiledModel, E extends EdgeType<G>> = TextOf<EdgesOf<G>[E], 'copy'>;

/** The searches of a graph: `'USER.name' | 'GOAL.status'`. */
export type SearchName<G extends CompiledModel> =
  string extends NodeType<G>
    ? string
    : { [T in NodeType<G>]: `${T}.${Extract<keyof TypeOf<NodesOf<G>[T], 'searches'>, string>}` }[NodeType<G>];

/** The arguments and results of a search. */
export type SearchOfName<G extends CompiledModel, Name extends string> =
  string extends NodeType<G>
    ? OpenSearch
    : Name extends `${infer T}.${infer N}`
      ? Extract<TypeOf<NodesOf<G>[T], 'searches'>[N & keyof TypeOf<NodesOf<G>[T], 'searches'>], SearchTypes>
      : never;

/** The searches that are spread over numbered shards: all but those with `shards: 'value'`. */
export type SpreadSearchName<G extends CompiledModel> =
  string extends NodeType<G>
    ? string
    : { [Name in SearchName<G>]: SearchOfName<G, Name>['kind'] extends 'equality' ? never : Name }[SearchName<G>];

/** The edge types that are found from their targets: those with at least one order. */
export type IndexedEdgeType<G extends CompiledModel> =
  string extends EdgeType<G>
    ? EdgeType<G>
    : { [E in EdgeType<G>]: [EdgeOrder<G, E>] extends [never] ? never : E }[EdgeType<G>];

/** The edge types that edge sets have. */
export type EdgeTypeInSet<G extends CompiledModel> =
  string extends EdgeType<G> ? EdgeType<G> : Carrying<EdgesOf<G>, 'inSet', true>;

/** The edge types whose edges a reader can tell the number of: those that edge sets have, or that are counted. */
export type CountedEdgeType<G extends CompiledModel> =
  string extends EdgeType<G> ? EdgeType<G> : EdgeTypeInSet<G> | Carrying<EdgesOf<G>, 'degree', true>;

/** The edge types that have a total. */
export type TotalledEdgeType<G extends CompiledModel> =
  string extends EdgeType<G>
    ? EdgeType<G>
    : { [E in EdgeType<G>]: [TypeOf<EdgesOf<G>[E], 'totals'>] extends [never] ? never : E }[EdgeType<G>];

/** An id of a node whose edges of a type have a total, or any text. */
export type TotalledId<G extends CompiledModel, E extends EdgeType<G>, Id extends string> = string extends Id
  ? Id
  : IdOf<TextOf<EdgesOf<G>[E], 'totalled'>>;

/** The names of the sums of an edge type. */
export type SumName<G extends CompiledModel, E extends EdgeType<G>> = Extract<
  TypeOf<EdgesOf<G>[E], 'totals'>,
  TotalNames
>['sums'];

/** The groups of an edge type by their names, each with the values that its attribute may have. */
export type TotalGroups<G extends CompiledModel, E extends EdgeType<G>> = Extract<
  TypeOf<EdgesOf<G>[E], 'totals'>,
  TotalNames
>['groups'];

/** The node types that have a list. */
export type ListedNodeType<G extends CompiledModel> =
  string extends NodeType<G> ? NodeType<G> : Carrying<NodesOf<G>, 'list', true>;

/** The names of the attributes that reads show of nodes of a type: those that its `view` names, or all of a type that declares none. */
export type ViewAttribute<G extends CompiledModel, T extends NodeType<G>> = TextOf<NodesOf<G>[T], 'view'>;

/** The names of the attributes that the index items of an edge type show. */
export type InboundAttribute<G extends CompiledModel, E extends EdgeType<G>> = TextOf<EdgesOf<G>[E], 'shown'>;

/** The names of the source node's attributes that the index items of an edge type show. */
export type SourceAttribute<G extends CompiledModel, E extends EdgeType<G>> = TextOf<EdgesOf<G>[E], 'shownOfSource'>;

/** True if the target of an edge type is in the index partitions of its incoming edges. */
export type IncludesTarget<G extends CompiledModel, E extends EdgeType<G>> = TypeOf<EdgesOf<G>[E], 'includesTarget'>;

/** True if the index items of an edge type have a partition attribute: queries then name its value. */
export type HasPartition<G extends CompiledModel, E extends EdgeType<G>> = TypeOf<EdgesOf<G>[E], 'partition'>;

/** The order that `inbound` takes where none is named: that of the first index, or the first; types do not tell which of several names is first. */
export type DefaultOrder<G extends CompiledModel, E extends EdgeType<G>> = FirstOrder<
  typeof INDEX_NAMES,
  EdgeOrder<G, E>
>;

/** The first of the indexes that an order is named after; all orders where none is. */
type FirstOrder<Indexes extends readonly string[], Order extends string> = Indexes extends readonly [
  infer First extends string,
  ...infer Rest extends readonly string[],
]
  ? First extends Order
    ? First & Order
    : FirstOrder<Rest, Order>
  : Order;

/** The attributes that the keys of an order hold: those of the edge, or with `inKeysOfSource` those of the edge's source. */
export type AttributeInKey<
  G extends CompiledModel,
  E extends EdgeType<G>,
  Order extends string,
  Whose extends 'inKeys' | 'inKeysOfSource',
> = Order extends keyof TypeOf<EdgesOf<G>[E], Whose> ? Extract<TypeOf<EdgesOf<G>[E], Whose>[Order], string> : never;

/** The whole values of an order of an edge type, as arguments: as `OrderArgument`, but of declared values exactly these. */
export type WholeArgument<
  G extends CompiledModel,
  E extends EdgeType<G>,
  Order extends string,
> = Order extends keyof TypeOf<EdgesOf<G>[E], 'whole'>
  ? Extract<WithSource<G, E, TypeOf<EdgesOf<G>[E], 'whole'>[Order]>, SearchTypes['value']>
  : never;

/** A value that is not of the source, or the values that the sources of an edge type may have. */
type WithSource<G extends CompiledModel, E extends EdgeType<G>, Value> =
  Value extends SourceValue<infer Name> ? MembersOf<ValueOfSource<G, EdgeSourceType<G, E>, Name>> : Value;

/** The values of an attribute of some node types, or of a part of theirs: `STATE.status`. */
type ValueOfSource<G extends CompiledModel, T extends string, Name> =
  T extends NodeType<G>
    ? Name extends `${infer P}.${infer Attribute}`
      ? P extends PartName<G, T>
        ? ValueOf<PartAttributes<G, T, P>, Attribute>
        : ValueOf<NodeAttributes<G, T>, Name>
      : ValueOf<NodeAttributes<G, T>, Name>
    : never;

type ValueOf<A, Name> = A extends unknown ? (Name extends keyof A ? Exclude<A[Name], undefined> : never) : never;

/** The values of an order of an edge type, as arguments: the labels of a rank, numbers, or texts. */
export type OrderArgument<
  G extends CompiledModel,
  E extends EdgeType<G>,
  Order extends string,
> = Order extends keyof TypeOf<EdgesOf<G>[E], 'orders'>
  ? Extract<TypeOf<EdgesOf<G>[E], 'orders'>[Order], SearchTypes['value']>
  : never;

/** The leading values of an order by several values, as many as are known; never for an order by one. */
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

/** The values of an order by several, each as the end of a range; never for an order by one. */
export type PartArgument<
  G extends CompiledModel,
  E extends EdgeType<G>,
  Order extends string,
> = string extends keyof TypeOf<EdgesOf<G>[E], 'orders'>
  ? SearchTypes['value']
  : Order extends keyof TypeOf<EdgesOf<G>[E], 'orders'>
    ? Extract<TypeOf<EdgesOf<G>[E], 'orders'>[Order], readonly unknown[]>[number]
    : never;

/** The attribute with the version of a node type; never where one of them may have none. */
export type VersionAttribute<G extends CompiledModel, T extends NodeType<G>> = [UnversionedOf<G, T>] extends [never]
  ? TextOf<NodesOf<G>[T], 'version'>
  : never;

type UnversionedOf<G extends CompiledModel, T extends NodeType<G>> = T extends unknown
  ? [TextOf<NodesOf<G>[T], 'version'>] extends [never]
    ? T
    : never
  : never;

/** The node types without versions. */
export type UnversionedType<G extends CompiledModel> =
  string extends NodeType<G> ? NodeType<G> : UnversionedOf<G, NodeType<G>>;

/** An id of a node type of the graph, or any text, such as one from a URL. */
export type IdArgument<G extends CompiledModel, Id extends string> = string extends Id ? Id : NodeId<G>;

/** The names of the node types that have views: by their own `view` or parts, or by the edge sets of edges that leave them. */
type ViewedType<G extends CompiledModel> =
  string extends NodeType<G>
    ? NodeType<G>
    : Carrying<NodesOf<G>, 'viewed', true> | Extract<TextOf<EdgesOf<G>[EdgeTypeInSet<G>], 'from'>, NodeType<G>>;

/** An id of a node type that has views, or any text, such as one from a URL. The compiler's message names the remedy for another type. */
export type ViewIdArgument<G extends CompiledModel, Id extends string> = string extends Id
  ? Id
  : IdOf<ViewedType<G>> | ViewlessText<Exclude<TypeOfId<G, Id>, ViewedType<G>>>;

/** A sentence that the compiler shows where a node of a type without views is asked for by its view. */
type ViewlessText<T extends string> = T extends string
  ? `${T} has no views: add view: ['name'] to nodes.${T} in the model, or read getNode`
  : never;

/** A target of an edge type: an id of a type that it enters, or any text, such as one from a URL. */
export type TargetOf<G extends CompiledModel, E extends EdgeType<G>, Id extends string> = string extends Id
  ? Id
  : EdgeTarget<G, E>;

/** A source of an edge type: an id of a type that it leaves, or any text, such as one from a URL. */
export type SourceOf<G extends CompiledModel, E extends EdgeType<G>, Id extends string> = string extends Id
  ? Id
  : EdgeSource<G, E>;
