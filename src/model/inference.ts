import type { CompiledModel } from './compiled.ts';
import type { EdgeDefinition, NodeDefinition, OpenAttributes } from './schema.ts';

/**
 * What a graph's declared types mean to its writer and reader. A graph whose types are not known (`CompiledModel`, as the
 * command line loads it) takes any text for types and ids, and open attributes.
 */

type NodesOf<G extends CompiledModel> = NonNullable<G['definition']>['nodes'];
type EdgesOf<G extends CompiledModel> = NonNullable<G['definition']>['edges'];

type IsAny<T> = 0 extends 1 & T ? true : false;

/** What stands in for the types of a definition that is not known. */
interface OpenTypes {
  input: OpenAttributes;
  output: OpenAttributes;
  search: string;
  from: string;
  to: string;
  label: string;
  order: string;
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

/** The attributes of a stored edge: what its validator gives. */
export type EdgeAttributes<G extends CompiledModel, E extends EdgeType<G>> = TypeOf<EdgesOf<G>[E], 'output'>;

/** The attributes that an edge is written with: what its validator takes. */
export type EdgeInput<G extends CompiledModel, E extends EdgeType<G>> = TypeOf<EdgesOf<G>[E], 'input'>;

/** Ids of the nodes that an edge type may leave. */
export type EdgeSource<G extends CompiledModel, E extends EdgeType<G>> = IdOf<TextOf<EdgesOf<G>[E], 'from'>>;

/** Ids of the nodes that an edge type may enter. */
export type EdgeTarget<G extends CompiledModel, E extends EdgeType<G>> = IdOf<TextOf<EdgesOf<G>[E], 'to'>>;

/** Names of the labels in the edge-set elements of an edge type; never where it is left out of the set. */
export type EdgeLabel<G extends CompiledModel, E extends EdgeType<G>> = TextOf<EdgesOf<G>[E], 'label'>;

/** Names of the orders in which the edges of a type are found from their targets; never where it has none. */
export type EdgeOrder<G extends CompiledModel, E extends EdgeType<G>> = TextOf<EdgesOf<G>[E], 'order'>;

/** Names of the target's attributes that an edge type copies into its source's view; never where it copies none. */
export type EdgeCopy<G extends CompiledModel, E extends EdgeType<G>> = TextOf<EdgesOf<G>[E], 'copy'>;

/** The searches of a graph: `'USER.name' | 'GOAL.status'`. */
export type SearchName<G extends CompiledModel> =
  string extends NodeType<G> ? string : { [T in NodeType<G>]: `${T}.${TextOf<NodesOf<G>[T], 'search'>}` }[NodeType<G>];

/** The edge types that are found from their targets: those with at least one order. */
export type IndexedEdgeType<G extends CompiledModel> =
  string extends EdgeType<G>
    ? EdgeType<G>
    : { [E in EdgeType<G>]: [EdgeOrder<G, E>] extends [never] ? never : E }[EdgeType<G>];

/** A target of an edge type: an id of a type that it enters, or any text, such as one from a URL. */
export type TargetOf<G extends CompiledModel, E extends EdgeType<G>, Id extends string> = string extends Id
  ? Id
  : EdgeTarget<G, E>;

/** A source of an edge type: an id of a type that it leaves, or any text, such as one from a URL. */
export type SourceOf<G extends CompiledModel, E extends EdgeType<G>, Id extends string> = string extends Id
  ? Id
  : EdgeSource<G, E>;
