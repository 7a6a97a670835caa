import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { ValueType } from '../items/encoding.ts';
import type { HashName } from '../items/shard.ts';
import type { DeriveContext, DeriveOptions } from './derive-options.ts';

/**
 * What a model file is written with: `node`, `edge`, `rank`, `derive`, and the types of their options. `defineGraph`
 * (graph.ts) checks a model and compiles it.
 */

/** Attributes of a type without `fields`: any name, any value. */
export type OpenAttributes = Record<string, unknown>;
/** A Standard Schema validator (zod, valibot, arktype) of attributes. */
export type Fields = StandardSchemaV1<unknown, object>;
/** The validator type of a node or edge that declares none. */
export type OpenFields = StandardSchemaV1<OpenAttributes, OpenAttributes>;
/** The attributes that a validator takes. */
export type InputOf<F extends Fields> = StandardSchemaV1.InferInput<F>;
/** The attributes that a validator gives: what is stored. */
export type AttributesOf<F extends Fields> = StandardSchemaV1.InferOutput<F>;
/** The names of attributes; of a union of shapes, those of each. */
export type NameOf<A> = A extends unknown ? Extract<keyof A, string> : never;

/** A computed text: see `derive`. */
export interface Derive<A> {
  readonly kind: 'derive';
  readonly compute: (attributes: A, context: DeriveContext) => string | undefined;
  readonly version: number;
  readonly others?: DeriveOptions<A>['others'];
}

/** A ranked label: see `rank`. */
export interface Rank<Name extends string = string> {
  readonly kind: 'rank';
  readonly attribute: Name;
  readonly weights: Readonly<Record<string, number>>;
}

/**
 * Orders by a label's weight: `rank('memberRole', { LEAD: 500, CONTRIBUTOR: 400 })` sorts as `500-LEAD`,
 * `400-CONTRIBUTOR`, so "at least CONTRIBUTOR" is one range. Weights are whole numbers of equal width.
 */
export function rank<const Name extends string>(attribute: Name, weights: Record<string, number>): Rank<Name> {
  return { kind: 'rank', attribute, weights };
}

/**
 * Orders or labels by a text computed from the attributes. It must be pure: the same attributes, the same text. An
 * undefined result leaves the item out of the order; a throw quarantines the record.
 *
 * @example
 * // Naming the attributes that it reads has them checked against `fields`; else they are of type unknown.
 * derive((goal: { title: string }) => goal.title.charAt(0));
 */
export function derive<A = OpenAttributes>(
  compute: (attributes: A, context: DeriveContext) => string | undefined,
  { version = 1, others }: DeriveOptions<A> = {},
): Derive<A> {
  return { kind: 'derive', compute, version, ...(others && { others }) };
}

/** An order with its value type: `{ from: 'date', type: 'date' }`. */
export interface TypedOrder<Name extends string = string> {
  from: Name;
  /** How the value is encoded so that text order is its order. Default `'string'`. */
  type?: ValueType;
}

/** What index items are sorted by. An item without the attribute is left out of that order, as in any DynamoDB index. */
export type Order<A> = NameOf<A> | TypedOrder<NameOf<A>> | Rank<NameOf<A>> | Derive<A>;

/** Which attributes are copied: keys only, a list, or all of them. */
export type ProjectOption<Name extends string> = 'KEYS_ONLY' | 'ALL' | readonly Name[];

/** Options of one search attribute. */
export interface SearchOptions<A> {
  /** Attribute or order searched by. Default: the attribute that has the search's name. */
  from?: Order<A>;
  /** How the value is encoded so that text order is its order. Default `'string'`. */
  type?: ValueType;
  /**
   * Index partitions to spread over, 1 and up; 1 adds no suffix. `'value'`: the value itself is in the partition key,
   * which spreads best and answers equality only. Default 200.
   */
  shards?: number | 'value';
  /** What the shard is taken from: the value (`eq` asks one shard) or the source (spreads skewed values). Default `'value'`. */
  shardBy?: 'value' | 'source';
  /** Hash of the shard. Default `'fnv1a'`. */
  hash?: HashName;
  /** Case-insensitive: NFKC, then lower case, for values and arguments; results show the original. Default false. */
  fold?: boolean;
  /** One search item for each element of a list or set. Default false. */
  each?: boolean;
  /** Attribute put into the index partition (a tenant, a country); searches then name its value. */
  partition?: NameOf<A>;
  /**
   * Attributes of type string that are joined in this order and searched by whole leading segments: a country, a state, a
   * city. In the place of `from`. A node is found by the segments up to the first attribute that it lacks; one that lacks
   * the first attribute is left out.
   */
  path?: readonly NameOf<A>[];
  /** Attributes copied into the search item. Default `'KEYS_ONLY'`. */
  project?: ProjectOption<NameOf<A>>;
}

/** A search attribute: its options, or an order in short. */
export type SearchEntry<A> = SearchOptions<A> | Rank<NameOf<A>> | Derive<A> | NameOf<A>;

/** Options of a search that is not named after an attribute: it has to say where its value comes from. */
export type NamedSearchOptions<A> = SearchOptions<A> & ({ from: Order<A> } | { path: readonly NameOf<A>[] });

/** Options of a node type. */
export interface NodeOptions<F extends Fields, Search extends string> {
  /** Validator of the attributes; its types flow to writer and reader. Default: open attributes. */
  fields?: F;
  /** Attributes copied into the view. Default `'ALL'`. */
  view?: ProjectOption<NoInfer<NameOf<AttributesOf<F>>>>;
  /**
   * Bytes that a view may have; beyond it its largest edge type leaves the set, and readers look at the base edges
   * instead: the same result, at the cost of a Query. Bounds what one more edge costs. Default 65,536.
   */
  viewBudgetBytes?: number;
  /**
   * How many entries a list, set or map may have, 1 and up, by attribute: a collection that is kept whole on its node, such
   * as the addresses of a customer, is rewritten with every change, so that it has to stay small. Writer and import refuse
   * a larger one; the projector takes what producers write without them. Default: no limit but DynamoDB's 400 KB.
   */
  maxEntries?: { readonly [Name in NoInfer<NameOf<AttributesOf<F>>>]?: number };
  /**
   * A number attribute that turns on optimistic locking: every write of the writer counts it up. A put takes the version
   * that was read, and is refused where the node has another by now; without one the node has to be new. Updates count up
   * whatever they change. Producers without the writer are not held to it. Default: none.
   */
  versionAttribute?: NoInfer<NameOf<AttributesOf<F>>>;
  /** Keep a list of all nodes of the type, by id: `reader.nodes('GOAL')`. One index item for each node. Default false. */
  list?: boolean;
  /** Attributes to search nodes by. */
  search?: {
    [Name in Search]?: Name extends NameOf<AttributesOf<F>>
      ? SearchEntry<AttributesOf<F>>
      : NamedSearchOptions<AttributesOf<F>> | Order<AttributesOf<F>>;
  };
}

/** A node type of a model, as `node` makes it: attributes written, attributes stored, names of its searches. */
export interface NodeDefinition<Input = unknown, Output = unknown, Search extends string = string> {
  readonly kind: 'node';
  /** As given to `node`; `defineGraph` checks them. */
  readonly options: object;
  /** The declared types; nothing at run time. */
  readonly types?: { input: Input; output: Output; search: Search };
}

/** Declares a node type. */
export function node<F extends Fields = OpenFields, const Search extends string = never>(
  options: NodeOptions<F, Search> = {},
): NodeDefinition<InputOf<F>, AttributesOf<F>, NoInfer<Search>> {
  return { kind: 'node', options };
}

/** Labels kept in each edge-set element: attribute names, or names for attributes and computed texts. */
export type EdgeSetOption<A> = false | readonly NameOf<A>[] | Readonly<Record<string, NameOf<A> | Derive<A>>>;

/** How an edge type is found from its target: its orders, and what applies to all of them. */
export interface InboundOptions<A> {
  /** The first order. */
  gsi0?: Order<A>;
  /** The second order; it needs the second index. */
  gsi1?: Order<A>;
  // Further orders have names of their own: see InboundEntries.
  /** Index partitions to spread one target's edges over. Default 1. */
  shards?: number;
  /** What the shard is taken from. Default `'source'`. */
  shardBy?: 'value' | 'source';
  /** Hash of the shard. Default `'fnv1a'`. */
  hash?: HashName;
  /** Attributes of the edge copied into the index item. Default `'KEYS_ONLY'`. */
  project?: ProjectOption<NameOf<A>>;
  /**
   * The target node, too, is in the index partitions of its incoming edges, behind all of them, with the attributes that its
   * `view` shows: `inbound(..., { reverse: true, owner: true })` gives it and the newest edges in one Query. It costs an
   * index item of the node for gsi0 and gsi1 together and one for each named order, written when what the view shows
   * changes. Needs `shards: 1`. Default false.
   */
  includeOwner?: boolean;
}

/** What stands beside the orders. */
export type InboundSetting = 'shards' | 'shardBy' | 'hash' | 'project' | 'includeOwner';

/**
 * The entries of an `inbound` option: those of `InboundOptions`, and any number of further orders by name, which
 * `inbound(..., { order: 'byPriority' })` chooses. Each named order costs an index item of its own for each edge, with its
 * own copy of the projected attributes. Names match `[a-z][A-Za-z0-9_]*`, have at most 64 characters and are not `gsi` with
 * a number.
 */
export type InboundEntries<A, Name extends string> = {
  [N in Name]?: N extends keyof InboundOptions<A> ? InboundOptions<A>[N] : N extends `gsi${number}` ? never : Order<A>;
};

/** Options of an edge type. */
export interface EdgeOptions<
  F extends Fields,
  From extends string,
  To extends string,
  EdgeSet,
  InboundName extends string = string,
  Copy extends string = string,
> {
  /** Validator of the attributes; its types flow to writer and reader. Default: open attributes. */
  fields?: F;
  /** Node types that the edge may leave. */
  from: From | readonly From[];
  /** Node types that the edge may enter. */
  to: To | readonly To[];
  /** Labels kept in each set element; `false` leaves the type out of the set. Default `[]`: the target only. */
  edgeSet?: EdgeSet;
  /** Orders in which the target's incoming edges are found. Default: not indexed. */
  inbound?: InboundEntries<NoInfer<AttributesOf<F>>, InboundName>;
  /**
   * Keep an exact count of each node's edges of this type, so that `degree` is one read however many they are and whether
   * or not the edge set lists them. An edge that comes or goes then costs a read and a transaction, twice the capacity.
   * Default false.
   */
  degree?: boolean;
  /**
   * How the sort keys of the edges are made. `'plain'`: the edge type, `-`, the target's id. `'hashed'`: keys of one
   * length however long the ids are, made of a hash of the target's id, with the id beside it in the attribute `targetId`,
   * which then belongs to the library; `hashedEdgeKey` makes them for producers without the writer. Edges come in the
   * order of the hashes, and those written with the other option have to be written anew. Default `'plain'`.
   */
  keys?: 'plain' | 'hashed';
  /**
   * Attributes of the target node that the source's view holds a copy of, under the edge. A change of the target reaches
   * every source: one write for each. Needs `edgeSet` and plain keys. Default: none.
   */
  copy?: readonly Copy[];
}

/** An edge type of a model, as `edge` makes it: attributes written and stored, node types joined, labels, orders. */
export interface EdgeDefinition<
  Input = unknown,
  Output = unknown,
  From extends string = string,
  To extends string = string,
  Label extends string = string,
  OrderName extends string = string,
  Copy extends string = string,
> {
  readonly kind: 'edge';
  /** As given to `edge`; `defineGraph` checks them. */
  readonly options: object;
  /** The declared types; nothing at run time. */
  readonly types?: { input: Input; output: Output; from: From; to: To; label: Label; order: OrderName; copy: Copy };
}

/** The label names of an `edgeSet` option. */
export type LabelOf<EdgeSet> = EdgeSet extends false
  ? never
  : EdgeSet extends readonly (infer Name)[]
    ? Extract<Name, string>
    : Extract<keyof EdgeSet, string>;

/** Declares an edge type. */
export function edge<
  const From extends string,
  const To extends string,
  F extends Fields = OpenFields,
  const EdgeSet extends EdgeSetOption<NoInfer<AttributesOf<F>>> = readonly [],
  const InboundName extends string = never,
  const Copy extends string = never,
>(
  options: EdgeOptions<F, From, To, EdgeSet, InboundName, Copy>,
): EdgeDefinition<
  InputOf<F>,
  AttributesOf<F>,
  From,
  To,
  LabelOf<NoInfer<EdgeSet>>,
  Exclude<NoInfer<InboundName>, InboundSetting>,
  NoInfer<Copy>
> {
  return { kind: 'edge', options };
}
