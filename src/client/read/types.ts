import type { TypeMistake } from '../../core/model/checked.ts';
import type { CompiledModel } from '../../core/model/compiled.ts';
import type {
  AttributeInKey,
  EdgeAttributes,
  EdgeCopy,
  EdgeLabel,
  EdgeOrder,
  EdgeSource,
  EdgeSourceType,
  EdgeTarget,
  EdgeTargetType,
  EdgeType,
  EdgeTypeInSet,
  HasPartition,
  InboundAttribute,
  IncludesTarget,
  IndexedEdgeType,
  LabelArgument,
  LabelsOf,
  NodeAttributes,
  NodeType,
  PartAttributes,
  PartName,
  PartViewAttribute,
  SearchOfName,
  SourceAttribute,
  TypeOfId,
  ViewAttribute,
} from '../../core/model/inference.ts';
import type { WithLevel } from './levels/level.ts';
import type { AnyPageNode, Entering, Leaving, Neighbor, PageNode } from './levels/page-tree.ts';
import type { AttributeSelection } from './nodes/views.ts';
import type { EdgeResult, EdgeSetElement, SearchResult, StoredNode, TargetView, View } from './request/result.ts';
import type { InPartition, NoPartition } from './search-calls.ts';

/**
 * Projected attributes are optional, because types don't tell whether an item has them. Type aliases are conditional,
 * because editors would expand others to the whole model.
 */

type AttributesOfId<G extends CompiledModel, Id extends string> = [TypeOfId<G, Id>] extends [never]
  ? Record<string, unknown>
  : NodeAttributes<G, TypeOfId<G, Id>>;

/** Adds the names of a union's other members as undefined, so that any name can be read without narrowing. */
type OfAnyType<Attributes, Names = NameIn<Attributes>> = Attributes extends unknown
  ? [Exclude<Names, keyof Attributes>] extends [never]
    ? Attributes
    : string extends Names
      ? Attributes & Partial<Record<string, unknown>>
      : Attributes & { [Name in Exclude<Names, keyof Attributes> & string]?: undefined }
  : never;

/** Unlike `keyof`, has the names of all members of a union. */
type NameIn<Attributes> = Attributes extends unknown ? keyof Attributes : never;

type Shown<Attributes, Name> = Attributes extends unknown
  ? string extends keyof Attributes
    ? string extends Name
      ? Partial<Record<string, unknown>>
      : { [N in Extract<Name, string>]?: unknown }
    : { [N in keyof Attributes as N extends Name ? N : never]?: Attributes[N] }
  : never;

type Selected<Attributes, Selection, InView> = Selection extends 'ALL'
  ? Attributes
  : Shown<Attributes, Selection extends readonly (infer Name)[] ? Name : InView>;

type InViewOfId<G extends CompiledModel, Id extends string> = [TypeOfId<G, Id>] extends [never]
  ? string
  : ViewAttribute<G, TypeOfId<G, Id>>;

type PartsShown<G extends CompiledModel, T extends NodeType<G>, Selection> = [PartName<G, T>] extends [never]
  ? unknown
  : string extends PartName<G, T>
    ? unknown
    : {
        [P in PartName<G, T> as Selection extends readonly (infer Name)[] ? Extract<P, Name> : P]?: Selection extends
          | 'ALL'
          | readonly unknown[]
          ? PartAttributes<G, T, P>
          : Shown<PartAttributes<G, T, P>, PartViewAttribute<G, T, P>>;
      };

type Labels<G extends CompiledModel, E extends EdgeType<G>> = E extends string
  ? { [Label in keyof LabelsOf<G, E>]?: LabelsOf<G, E>[Label] }
  : never;

type OtherLabel<G extends CompiledModel, E extends EdgeType<G>> = Exclude<EdgeLabel<G, EdgeType<G>>, EdgeLabel<G, E>>;

/** Undefined if the edge type copies nothing, so that `copy` can be read from any element. */
type Copy<G extends CompiledModel, E extends EdgeType<G>> = [EdgeCopy<G, E>] extends [never]
  ? undefined
  : OfAnyType<Shown<AttributesOfId<G, EdgeTarget<G, E>>, EdgeCopy<G, E>>>;

/** The elements of each edge type, evaluated once for all node types. */
type Elements<G extends CompiledModel> = {
  [E in EdgeTypeInSet<G>]: EdgeSetElement<E, EdgeTarget<G, E>, Labels<G, E>, Copy<G, E>, OtherLabel<G, E>>;
};

type Sources<G extends CompiledModel> = { [E in EdgeTypeInSet<G>]: EdgeSourceType<G, E> };

type LeavingIn<Ends, T> = { [E in keyof Ends]: [T & Ends[E]] extends [never] ? never : E }[keyof Ends];

/** An element of any edge type if the node type is unknown (never). */
type ElementOf<G extends CompiledModel, T extends string> = [T] extends [never]
  ? Elements<G>[keyof Elements<G>]
  : Elements<G>[LeavingIn<Sources<G>, T>];

/** The result of `getViews` for an id. */
export type ViewOfId<
  G extends CompiledModel,
  Id extends string,
  Selection extends AttributeSelection | undefined = undefined,
> = Id extends string ? View<Id, ShownOfType<G, TypeOfId<G, Id>, Selection>, ElementOf<G, TypeOfId<G, Id>>> : never;

type ShownOfType<G extends CompiledModel, T extends NodeType<G>, Selection> = [T] extends [never]
  ? Selected<Record<string, unknown>, Selection, string>
  : OfAnyType<ShownOfEach<G, T, Selection>>;

type ShownOfEach<G extends CompiledModel, T extends NodeType<G>, Selection> = T extends string
  ? Selected<NodeAttributes<G, T>, Selection, ViewAttribute<G, T>> & PartsShown<G, T, Selection>
  : never;

/** A node as its producers wrote it. */
export type StoredNodeOf<G extends CompiledModel, Id extends string> = Id extends string
  ? StoredNode<Id, AttributesOfId<G, Id>>
  : never;

/** A stored edge of one or several types. */
export type StoredEdge<G extends CompiledModel, E extends EdgeType<G>> = E extends string
  ? EdgeResult<EdgeSource<G, E>, E, EdgeTarget<G, E>, EdgeAttributes<G, E>>
  : never;

/** An incoming edge, with the attributes that the model projects. */
export type InboundEdge<G extends CompiledModel, E extends EdgeType<G>> = E extends string
  ? EdgeResult<
      EdgeSource<G, E>,
      E,
      EdgeTarget<G, E>,
      ShownWithSource<G, E, Shown<EdgeAttributes<G, E>, InboundAttribute<G, E>>>
    >
  : never;

type ShownWithSource<G extends CompiledModel, E extends EdgeType<G>, OfEdge> = [SourceAttribute<G, E>] extends [never]
  ? OfEdge
  : OfEdge & OfAnyType<Shown<AttributesOfId<G, EdgeSource<G, E>>, SourceAttribute<G, E>>>;

/** Attributes that incoming edges can be filtered by. */
export type EdgeFilter<G extends CompiledModel, E extends EdgeType<G>, Order extends string> = [
  SourceAttribute<G, E> | AttributeInKey<G, E, Order, 'inKeysOfSource'>,
] extends [never]
  ? FilterOfEdge<G, E, Order>
  : FilterOfEdge<G, E, Order> &
      OfAnyType<
        Shown<
          AttributesOfId<G, EdgeSource<G, E>>,
          SourceAttribute<G, E> | AttributeInKey<G, E, Order, 'inKeysOfSource'>
        >
      >;

type FilterOfEdge<G extends CompiledModel, E extends EdgeType<G>, Order extends string> = Shown<
  EdgeAttributes<G, E>,
  InboundAttribute<G, E> | AttributeInKey<G, E, Order, 'inKeys'>
>;

/** The target of a type's edges; never if the model doesn't declare `includeTarget`. */
export type EdgeTargetView<G extends CompiledModel, E extends EdgeType<G>> = [IncludesTarget<G, E>] extends [false]
  ? never
  : TargetViewOfId<G, EdgeTarget<G, E>>;

type TargetViewOfId<
  G extends CompiledModel,
  Id extends string,
  Names = NameIn<Shown<AttributesOfId<G, Id>, InViewOfId<G, Id>>>,
> = Id extends string ? TargetView<Id, OfAnyType<Shown<AttributesOfId<G, Id>, InViewOfId<G, Id>>, Names>> : never;

type SearchedType<G extends CompiledModel, Name extends string> =
  string extends NodeType<G> ? NodeType<G> : Extract<Name extends `${infer T}.${string}` ? T : never, NodeType<G>>;

type SearchedAttributes<G extends CompiledModel, Name extends string> = Name extends `${string}.${infer P}.${string}`
  ? P extends PartName<G, SearchedType<G, Name>>
    ? PartAttributes<G, SearchedType<G, Name>, P>
    : NodeAttributes<G, SearchedType<G, Name>>
  : NodeAttributes<G, SearchedType<G, Name>>;

/** A hit of a search. */
export type Hit<G extends CompiledModel, Name extends string> = Name extends string
  ? SearchResult<
      string extends NodeType<G> ? string : `${SearchedType<G, Name>}-${string}`,
      Shown<SearchedAttributes<G, Name>, SearchOfName<G, Name>['shown']>,
      SearchOfName<G, Name>['found']
    >
  : never;

/** A node of a page, with the neighbors that `with` names. */
export type NodeOfPage<
  G extends CompiledModel,
  E extends EdgeType<G>,
  Selection extends AttributeSelection | undefined = undefined,
  With extends readonly unknown[] = readonly never[],
> =
  string extends EdgeType<G>
    ? AnyPageNode
    : PageNode<EdgeSource<G, E>, ShownOfType<G, EdgeSourceType<G, E> & NodeType<G>, Selection>> &
        ([With[number]] extends [never]
          ? With extends readonly []
            ? unknown
            : EverySet<G, EdgeSourceType<G, E>>
          : Below<G, With[number]>);

type EverySet<G extends CompiledModel, T extends string> = [T] extends [string]
  ? Leaving<{ [E in LeavingIn<Sources<G>, T>]: LeavingNeighbor<G, E, never>[] }>
  : never;

type Below<G extends CompiledModel, Level> = ([LeavingName<Level>] extends [never]
  ? unknown
  : Leaving<{ [E in LeavingName<Level> & EdgeType<G>]: LeavingNeighbor<G, E, NextLevel<Level, 'edge', E>>[] }>) &
  ([EnteringName<Level>] extends [never]
    ? unknown
    : Entering<{
        [E in EnteringName<Level> & EdgeType<G>]: EnteringNeighbor<G, E, NextLevel<Level, 'inbound', E>>[];
      }>);

type LeavingName<Level> = Level extends string
  ? TypeOfText<Level>
  : Level extends { readonly edge: infer E } | { readonly type: infer E }
    ? E
    : never;

type EnteringName<Level> = Level extends { readonly inbound: infer E } ? E : never;

type NextLevel<Level, End extends 'edge' | 'inbound', E> = Level extends { readonly with: readonly (infer Below)[] }
  ? Level extends { readonly [Name in End]: infer Named }
    ? E extends Named
      ? Below
      : never
    : never
  : never;

type LeavingNeighbor<G extends CompiledModel, E extends EdgeType<G>, Level> = E extends string
  ? Neighbor<
      E extends EdgeTypeInSet<G> ? Labels<G, E> : EdgeAttributes<G, E>,
      PageNode<EdgeTarget<G, E>, AttributesOfNeighbor<G, EdgeTargetType<G, E> & NodeType<G>, EdgeCopy<G, E>>> &
        Below<G, Level>
    >
  : never;

type EnteringNeighbor<G extends CompiledModel, E extends EdgeType<G>, Level> = E extends string
  ? Neighbor<
      InboundEdge<G, E>['attributes'],
      PageNode<EdgeSource<G, E>, AttributesOfNeighbor<G, EdgeSourceType<G, E> & NodeType<G>, never>> & Below<G, Level>
    >
  : never;

type AttributesOfNeighbor<G extends CompiledModel, T extends NodeType<G>, Copied> = OfAnyType<
  T extends string ? Shown<NodeAttributes<G, T>, ViewAttribute<G, T> | Copied> & PartsShown<G, T, undefined> : never
>;

/** The argument's type as written or, if it is invalid, the valid type, so that the compiler's message names it. */
export type Checked<Written, Right> = [Written] extends [Right] ? Written : Right;

/**
 * Levels as written, each checked against the nodes above. Only named edge types are evaluated, so that the compiler's
 * work grows with the query, not with the model.
 */
export type CheckedLevels<G extends CompiledModel, T extends string, With> =
  string extends NodeType<G> ? unknown : { readonly [Place in keyof With]: CheckedLevel<G, T, With[Place]> };

/** Replaces an invalid level with the valid ones, so that the compiler's message names them. */
type CheckedLevel<G extends CompiledModel, T extends string, Level> = Level extends string
  ? Level extends ListedText<FittingType<G, T, 'from', TypeOfText<Level>, EdgeTypeInSet<G>>>
    ? Level extends `${infer E}:${string}`
      ? LabeledLevel<G, E, Level>
      : Level
    : ListedText<FittingType<G, T, 'from', never, EdgeTypeInSet<G>>>
  : Level extends { readonly inbound: infer E }
    ? EnteringLevel<G, FittingType<G, T, 'to', E, IndexedEdgeType<G>>, Level>
    : Level extends { readonly edge: infer E }
      ? LeavingLevel<G, FittingType<G, T, 'from', E, EdgeType<G>>, Level>
      : ListedLevel<
          G,
          FittingType<G, T, 'from', Level extends { readonly type: infer E } ? E : never, EdgeTypeInSet<G>>,
          Level
        >;

type LabeledLevel<G extends CompiledModel, E extends string, Level> =
  E extends EdgeType<G>
    ? Level extends LabeledText<E, LabelArgument<G, E>>
      ? Level
      : E | LabeledText<E, LabelArgument<G, E>>
    : never;

/** The label's type or, if elements have no labels, a sentence for the compiler's message. */
type LabelOption<G extends CompiledModel, E extends EdgeType<G>> = [LabelArgument<G, E>] extends [never]
  ? `edges of ${E} have no labels`
  : LabelArgument<G, E>;

type LabeledText<E extends string, Label> = `${E}:${Extract<Label, string | number | bigint | boolean>}`;

type TypeOfText<Text extends string> = Text extends `${infer E}:${string}` ? E : Text;

type ListedText<E extends string> = E extends string ? E | `${E}:${string}` : never;

/** Each named edge type that fits. A type that doesn't fit is replaced by all that do. */
type FittingType<G extends CompiledModel, T extends string, End extends 'from' | 'to', E, Of extends EdgeType<G>> = [
  E,
] extends [never]
  ? AllFitting<G, T, End, Of>
  : E extends Of
    ? [T & EndOf<G, E, End>] extends [never]
      ? AllFitting<G, T, End, Of>
      : E
    : AllFitting<G, T, End, Of>;

type AllFitting<
  G extends CompiledModel,
  T extends string,
  End extends 'from' | 'to',
  E extends EdgeType<G>,
> = E extends string ? ([T & EndOf<G, E, End>] extends [never] ? never : E) : never;

type EndOf<G extends CompiledModel, E extends EdgeType<G>, End> = End extends 'from'
  ? EdgeSourceType<G, E>
  : EdgeTargetType<G, E>;

type NoOther<Known extends string, Level> = {
  readonly [Name in Exclude<keyof Level, Known>]: TypeMistake<`${Name & string} is no option`, Known>;
};

type ListedLevel<G extends CompiledModel, E extends EdgeType<G>, Level> = {
  type: E;
  label?: LabelOption<G, E>;
} & NoOther<'type' | 'label', Level>;

type LeavingLevel<G extends CompiledModel, E extends EdgeType<G>, Level> = [E] extends [never]
  ? 'no edge leaves the nodes above'
  : Level extends unknown
    ? { edge: E; label?: LabelOption<G, E>; with?: LevelsBelow<G, EdgeTargetType<G, E>, Level> } & NoOther<
        'edge' | 'label' | 'with',
        Level
      >
    : never;

type EnteringLevel<G extends CompiledModel, E extends EdgeType<G>, Level> = [E] extends [never]
  ? 'no edge that has an order enters the nodes above'
  : E extends string
    ? LacksPartition<HasPartition<G, E>, Level> extends true
      ? `name the partition: edges of ${E} are listed by partition`
      : { inbound: E; order?: EdgeOrder<G, E>; with?: LevelsBelow<G, EdgeSourceType<G, E>, Level> } & PartitionOption<
          HasPartition<G, E>
        > &
          NoOther<'inbound' | 'order' | 'partition' | 'with', Level>
    : never;

type LacksPartition<Declared, Level> = [Declared] extends [true]
  ? Level extends { readonly partition: unknown }
    ? false
    : true
  : false;

type LevelsBelow<G extends CompiledModel, T extends string, Level> = Level extends { readonly with: infer With }
  ? CheckedLevels<G, T, With>
  : readonly WithLevel[];

/** `partition` is required if the model declares one, and forbidden otherwise. */
export type PartitionOption<Declared> = [Declared] extends [true]
  ? InPartition
  : [Declared] extends [false]
    ? NoPartition
    : { partition?: string };
