import type { TenantSeparator } from '../items/keys.ts';
import type { Checked, SourceMistake, TypeMistake } from './checked.ts';
import type { CompiledModel, FeedNames } from './compiled.ts';
import type { EdgeTypes, NodeTypes } from './declared.ts';
import type { NameOf } from './order.ts';
import type { EdgeDefinition, NodeDefinition } from './schema.ts';
import type { TableOptions } from './table-options.ts';

/** The node types of a model, by name. */
export type NodeDefinitions = Record<string, NodeDefinition>;
/** The edge types of a model, by name. */
export type EdgeDefinitions<NodeType extends string = string> = Record<
  string,
  EdgeDefinition<EdgeTypes & { from: NodeType; to: NodeType }>
>;

/** Any name if one of the types declares no `fields`. */
type AttributeOf<N, NodeType> = string extends keyof N
  ? string
  : {
      [T in keyof N]: T extends NodeType ? (N[T] extends NodeDefinition<infer Types> ? Names<Types> : never) : never;
    }[keyof N];

type Names<Types extends NodeTypes> = unknown extends Types['output']
  ? string
  : NameOf<Types['output']> | PartNames<Types['parts']>;

type PartNames<Parts> = {
  [P in Extract<keyof Parts, string>]: Parts[P] extends { output: infer Output } ? `${P}.${NameOf<Output>}` : never;
}[Extract<keyof Parts, string>];

/** Checks the node types and attributes that edges name. Only here, both the edges and the nodes are known. */
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

type NoType<N, Given extends string> = string extends Given | keyof N
  ? never
  : [Exclude<Given, keyof N>] extends [never]
    ? never
    : TypeMistake<`${Extract<Exclude<Given, keyof N>, string>} is no node type`, Extract<keyof N, string>>;

type NoAttribute<N, Name extends string, NodeType extends string> = [Name] extends [never]
  ? never
  : [WrongName<Name, N, NodeType>] extends [never]
    ? never
    : string extends WrongName<Name, N, NodeType>
      ? never
      : `${WrongName<Name, N, NodeType>} is no attribute of ${NodeType}`;

type WrongName<Name extends string, N, NodeType extends string> =
  | Exclude<Name, AttributeOf<N, NodeType>>
  | (string extends keyof N ? never : NameOfNoPart<Name, PartOf<N[Extract<keyof N, NodeType>]>>);

type PartOf<Definition> =
  Definition extends NodeDefinition<infer Types>
    ? unknown extends Types['output']
      ? string
      : Extract<keyof Types['parts'], string>
    : never;

/** A name such as `STATE.status` if there is no part `STATE`. Any other name may be that of an open attribute. */
type NameOfNoPart<Name extends string, Part extends string> = Name extends `${infer Start}.${string}`
  ? Start extends Part | Lowercase<Start>
    ? never
    : Start extends Uppercase<Start>
      ? Name
      : never
  : never;

/** The input of `defineGraph`. */
export interface GraphInput<N extends NodeDefinitions, E> {
  /** The table's name, or the names of the table, its attributes and its indexes. */
  table: string | TableOptions;
  nodes: N;
  edges?: Checked<E, CheckedEdges<N, NoInfer<E>>, never>;
  /**
   * The character that ends the tenant in each id: with `'.'`, the tenant of `USER-acme.ada` is `acme`. Edges between
   * tenants are refused or quarantined. Default: no tenants.
   */
  tenantSeparator?: TenantSeparator;
  /** Types whose items only the model file's `sources` make. Default: none. */
  mirrored?: readonly NoInfer<Extract<keyof N | keyof E, string>>[];
  /** The changes that the feed reports; a kind that is left out reports none. Default: all changes. */
  feed?: FeedNames<NoInfer<Extract<keyof N, string>>, NoInfer<Extract<keyof E, string>>>;
}

/** A checked and compiled model. `N` and `E` carry the declared types. */
export interface Graph<N extends NodeDefinitions = NodeDefinitions, E extends EdgeDefinitions = EdgeDefinitions>
  extends CompiledModel {
  /** Only carries types; absent at run time. */
  readonly definition?: { nodes: N; edges: E };
}
