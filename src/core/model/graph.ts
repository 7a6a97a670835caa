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
/** A model's edge types by name; they join its node types. */
export type EdgeDefinitions<NodeType extends string = string> = Record<
  string,
  EdgeDefinition<EdgeTypes & { from: NodeType; to: NodeType }>
>;

/** Attribute names of some node types; any name if one of them declares no `fields`. */
type AttributeOf<N, NodeType> = string extends keyof N
  ? string
  : {
      [T in keyof N]: T extends NodeType ? (N[T] extends NodeDefinition<infer Types> ? Names<Types> : never) : never;
    }[keyof N];

type Names<Types extends NodeTypes> = unknown extends Types['output']
  ? string
  : NameOf<Types['output']> | PartNames<Types['parts']>;

/** Attributes of parts as `source` names them: `STATE.status`. */
type PartNames<Parts> = {
  [P in Extract<keyof Parts, string>]: Parts[P] extends { output: infer Output } ? `${P}.${NameOf<Output>}` : never;
}[Extract<keyof Parts, string>];

/**
 * Edge types as written. Only here are both the edge's options and the nodes known: an edge type that names an unknown
 * node type or attribute gets a type that says so.
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

/** The first mistake, or the definition itself if there is none. */
type FirstMistake<First, Second, Third, Given> = [First] extends [never]
  ? [Second] extends [never]
    ? [Third] extends [never]
      ? Given
      : Third
    : Second
  : First;

type OutputOf<N, NodeType extends string> = string extends keyof N | NodeType
  ? unknown
  : N[NodeType & keyof N] extends NodeDefinition<infer Types>
    ? Types['output']
    : unknown;

/** The mistake of joining an unknown node type; never if there is none, or types are unknown. */
type NoType<N, Given extends string> = string extends Given | keyof N
  ? never
  : [Exclude<Given, keyof N>] extends [never]
    ? never
    : Mistake<`${Extract<Exclude<Given, keyof N>, string>} is no node type`, Extract<keyof N, string>>;

/** The same for an attribute that no node type has. */
type NoAttribute<N, Name extends string, NodeType extends string> = [Name] extends [never]
  ? never
  : [WrongName<Name, N, NodeType>] extends [never]
    ? never
    : string extends WrongName<Name, N, NodeType>
      ? never
      : `${WrongName<Name, N, NodeType>} is no attribute of ${NodeType}`;

/** Names that aren't attributes of the node types or their parts. */
type WrongName<Name extends string, N, NodeType extends string> =
  | Exclude<Name, AttributeOf<N, NodeType>>
  | (string extends keyof N ? never : NameOfNoPart<Name, PartOf<N[Extract<keyof N, NodeType>]>>);

/** The parts of a union of node types; any name if one is unknown. */
type PartOf<Definition> =
  Definition extends NodeDefinition<infer Types>
    ? unknown extends Types['output']
      ? string
      : Extract<keyof Types['parts'], string>
    : never;

/** Names like a part's attribute, `STATE.status`, that no part has. Open attributes allow any other name. */
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
  /** The node types by name. */
  nodes: N;
  /** The edge types by name. */
  edges?: Checked<E, CheckedEdges<N, NoInfer<E>>, never>;
  /**
   * Separates tenants that share the table: the character that ends the tenant in each id. With `'.'` the tenant of
   * `USER-acme.ada` is `acme`. Edges may only join nodes of one tenant; others are refused or quarantined. Default: no
   * tenants.
   */
  tenantSeparator?: TenantSeparator;
  /**
   * Node and edge types that the model file's `sources` make from another table. Only the mirror writes them, and a
   * mapping makes no others. Default: none.
   */
  mirrored?: readonly NoInfer<Extract<keyof N | keyof E, string>>[];
  /** What the feed reports. Default: everything. */
  feed?: FeedNames<NoInfer<Extract<keyof N, string>>, NoInfer<Extract<keyof E, string>>>;
}

/** A checked, compiled model. `N` and `E` carry the declared types to writer and reader. */
export interface Graph<N extends NodeDefinitions = NodeDefinitions, E extends EdgeDefinitions = EdgeDefinitions>
  extends CompiledModel {
  /** The declared types; nothing at run time. */
  readonly definition?: { nodes: N; edges: E };
}
