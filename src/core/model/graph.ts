import type { TenantSeparator } from '../items/keys.ts';
import type { Checked, Mistake, SourceMistake } from './checked.ts';
import type { CompiledModel } from './compiled.ts';
import type { EdgeTypes, NodeTypes } from './declared.ts';
import type { FeedNames } from './feed-names.ts';
import type { NameOf } from './order.ts';
import type { EdgeDefinition, NodeDefinition } from './schema.ts';
import type { TableOptions } from './table-options.ts';

/** The node types of a model, by name. */
export type NodeDefinitions = Record<string, NodeDefinition>;
/** The edge types of a model, by name; they join node types of the same model. */
export type EdgeDefinitions<NodeType extends string = string> = Record<
  string,
  EdgeDefinition<EdgeTypes & { from: NodeType; to: NodeType }>
>;

/** The attribute names of some node types: of each of them, so any name where one of them declares no `fields`. */
type AttributeOf<N, NodeType> = string extends keyof N
  ? string
  : {
      [T in keyof N]: T extends NodeType ? (N[T] extends NodeDefinition<infer Types> ? Names<Types> : never) : never;
    }[keyof N];

type Names<Types extends NodeTypes> = unknown extends Types['output']
  ? string
  : NameOf<Types['output']> | PartNames<Types['parts']>;

/** The attributes of parts, as `source` names them: `STATE.status`. */
type PartNames<Parts> = {
  [P in Extract<keyof Parts, string>]: Parts[P] extends { output: infer Output } ? `${P}.${NameOf<Output>}` : never;
}[Extract<keyof Parts, string>];

/**
 * The edge types as they are given. Only here both the edge's options and the nodes are known: one that names a node type or an
 * attribute which there is not has a type that says so.
 */
type CheckedEdges<N, E> = {
  readonly [T in keyof E]: E[T] extends EdgeDefinition<infer Types>
    ? FirstMistake<
        NoType<N, Types['from'] | Types['to']>,
        NoAttribute<N, Types['namedOfSource'] | Types['shownOfSource'], Types['from']>,
        SourceMistake<OutputOf<N, Types['from']>, Types['textsOfSource'], Types['numbersOfSource']>,
        E[T]
      >
    : EdgeDefinition;
};

/** The first of the mistakes; the definition itself if there are none. */
type FirstMistake<First, Second, Third, Given> = [First] extends [never]
  ? [Second] extends [never]
    ? [Third] extends [never]
      ? Given
      : Third
    : Second
  : First;

/** The attributes of some node types. */
type OutputOf<N, NodeType extends string> = string extends keyof N | NodeType
  ? unknown
  : N[NodeType & keyof N] extends NodeDefinition<infer Types>
    ? Types['output']
    : unknown;

/** The mistake of an edge type that joins a node type which there is not; never if it joins none, or they are not known. */
type NoType<N, Given extends string> = string extends Given | keyof N
  ? never
  : [Exclude<Given, keyof N>] extends [never]
    ? never
    : Mistake<`${Extract<Exclude<Given, keyof N>, string>} is no node type`, Extract<keyof N, string>>;

/** The same of one that names an attribute which none of some node types has. */
type NoAttribute<N, Name extends string, NodeType extends string> = [Name] extends [never]
  ? never
  : [WrongName<Name, N, NodeType>] extends [never]
    ? never
    : string extends WrongName<Name, N, NodeType>
      ? never
      : `${WrongName<Name, N, NodeType>} is no attribute of ${NodeType}`;

/** The names that are no attribute of some node types, nor of a part of theirs. */
type WrongName<Name extends string, N, NodeType extends string> =
  | Exclude<Name, AttributeOf<N, NodeType>>
  | (string extends keyof N ? never : NameOfNoPart<Name, PartOf<N[Extract<keyof N, NodeType>]>>);

/** The parts of a union of node types; any name where one of them is not known. */
type PartOf<Definition> =
  Definition extends NodeDefinition<infer Types>
    ? unknown extends Types['output']
      ? string
      : Extract<keyof Types['parts'], string>
    : never;

/** The names that read like an attribute of a part, `STATE.status`, but of none of these. Open attributes allow any other name. */
type NameOfNoPart<Name extends string, Part extends string> = Name extends `${infer Start}.${string}`
  ? Start extends Part | Lowercase<Start>
    ? never
    : Start extends Uppercase<Start>
      ? Name
      : never
  : never;

/** The input of `defineGraph`. */
export interface GraphInput<N extends NodeDefinitions, E> {
  /** The table's name, or its name and those of its attributes. */
  table: string | TableOptions;
  /** The node types by their names. */
  nodes: N;
  /** The edge types by their names. */
  edges?: Checked<E, CheckedEdges<N, NoInfer<E>>, never>;
  /**
   * Keeps tenants apart that share the table: the character that ends the tenant in each id. With `'.'` the tenant of `USER-acme.ada` is
   * `acme`. An edge joins nodes of one tenant alone; every other edge is refused, or quarantined. Default: there are no tenants.
   */
  tenantSeparator?: TenantSeparator;
  /**
   * The node and edge types that `sources` of the model file make from another table. Only the mirror writes them, and a mapping makes no
   * others. Default: none.
   */
  mirrored?: readonly NoInfer<Extract<keyof N | keyof E, string>>[];
  /** The things whose changes the feed tells. Default: all. */
  feed?: FeedNames<NoInfer<Extract<keyof N, string>>, NoInfer<Extract<keyof E, string>>>;
}

/** A checked, compiled model. `N` and `E` carry the declared types to writer and reader. */
export interface Graph<N extends NodeDefinitions = NodeDefinitions, E extends EdgeDefinitions = EdgeDefinitions>
  extends CompiledModel {
  /** The declared types; nothing at run time. */
  readonly definition?: { nodes: N; edges: E };
}
