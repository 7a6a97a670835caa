import type { ValueType } from '../items/encoding.ts';
import type { HashName } from '../items/shard.ts';
import type {
  Checked,
  CheckedEdgeSet,
  CheckedInbound,
  CheckedSearches,
  CheckedTotals,
  LabelName,
  VersionName,
} from './checked.ts';
import type { EdgeTypes, EdgeTypesOf, NodeTypes, NodeTypesOf, PartTypes, PartTypesOf } from './declared.ts';
import type {
  AttributesOf,
  Derive,
  EdgeOrderOption,
  Fields,
  NameOf,
  OpenFields,
  Order,
  ProjectOption,
  Rank,
  SourceValue,
  TotalOptions,
} from './order.ts';

export { date, derive, number, rank, source, sum } from './order.ts';

/** Options of a search attribute. */
export interface SearchOptions<A> {
  /** Attribute or order to search by. Default: the attribute with the search's name. */
  attribute?: Order<A>;
  /** How the value is encoded in keys, which sort as strings. Default: `'string'`. */
  type?: ValueType;
  /**
   * The number of index partitions to spread items over, from 1 to 100,000. `'value'` puts the value into the partition
   * key, which spreads best, but only supports equality. Default: 200.
   */
  shards?: number | 'value';
  /**
   * Whether the value or the source chooses the shard. With `'value'`, `equals` reads one shard; `'source'` spreads
   * skewed values. Default: `'value'`.
   */
  shardBy?: 'value' | 'source';
  /** The hash function that chooses the shard. Default: `'fnv1a'`. */
  hash?: HashName;
  /** Ignores case, by Unicode's case folding and NFKD; results show the original. Default: false. */
  caseInsensitive?: boolean;
  /** Makes a search item for each element of a list or set. Default: false. */
  multiValue?: boolean;
  /**
   * The attribute to put into the index partition, such as a tenant or a country; searches must then give its value.
   * Default: none.
   */
  partition?: NameOf<A>;
  /**
   * Text attributes that are searched by leading segments, such as country, state and city. Replaces `attribute`. A
   * node is found by the segments up to the first attribute that it lacks.
   */
  path?: readonly NameOf<A>[];
  /** Attributes copied into the search item. Default: `'KEYS_ONLY'`. */
  project?: ProjectOption<NameOf<A>>;
  /**
   * Lets DynamoDB maintain the search with an index on the attribute. This avoids search items, 1 WCU per write, and
   * lag, but only supports equality. DynamoDB then refuses items whose attribute is empty or has another type. Takes
   * one of the table's 20 indexes. Default: false.
   */
  native?: boolean;
}

/** A search attribute: its options, or an order as shorthand. */
export type SearchValue<A> = SearchOptions<A> | Rank<NameOf<A>> | Derive<A> | NameOf<A>;

/** The `search` option of a node type. */
export type SearchValues<A> = Readonly<Record<string, SearchValue<A> | Order<A>>>;

/** Options of a part of a node type. */
export interface PartOptions<Searches = unknown, View = unknown, F extends Fields = Fields> {
  /**
   * The validator of the attributes, which also gives the writer and the reader their types. Default: any attributes
   * are valid.
   */
  fields?: F;
  /** Attributes of the part that reads show with the node, under the part's name. Default: `'ALL'`. */
  view?: View;
  /** Attributes to search nodes by. Such a search is named `TYPE.PART.attribute`. */
  search?: Checked<
    Searches,
    CheckedSearches<AttributesOf<F>, NoInfer<Searches>, SearchOptions<AttributesOf<F>>>,
    SearchValues<AttributesOf<F>>
  >;
}

/** A part of a node type, made by `part`. */
export interface PartDefinition<T extends PartTypes = PartTypes> {
  readonly kind: 'part';
  readonly options: object;
  /** Only carries types; absent at run time. */
  readonly types?: T;
}

/**
 * Declares a part of a node type: attributes that change more often than the rest, stored in a separate item. Changing
 * them costs capacity for the part's size instead of the node's.
 *
 * @example
 * node({ view: ['name', 'about'], parts: { STATE: part({ view: ['status'], search: { status: {} } }) } });
 */
export function part<
  F extends Fields = OpenFields,
  const Searches extends object = Record<never, never>,
  const View extends ProjectOption<NoInfer<NameOf<AttributesOf<F>>>> = 'ALL',
>(options: PartOptions<Searches, View, F> = {}): PartDefinition<PartTypesOf<F, Searches, NoInfer<View>>> {
  return { kind: 'part', options };
}

/** The `parts` option of a node type. */
export type PartDefinitions = Readonly<Record<string, PartDefinition>>;

/** Options of a node type. */
export interface NodeOptions<
  Searches = unknown,
  View = unknown,
  List = boolean,
  Parts extends PartDefinitions = PartDefinitions,
  F extends Fields = Fields,
  Version extends string = string,
> {
  /**
   * The validator of the attributes, which also gives the writer and the reader their types. Default: any attributes
   * are valid.
   */
  fields?: F;
  /**
   * Attributes copied into the view. Default: none; reads then show the node itself. A type without `view`, edge sets
   * or parts has no views, so `getView` is refused.
   */
  view?: View;
  /**
   * The size limit of a view in bytes. Beyond it, the largest edge type leaves the edge set, and readers query the base
   * edges instead. Default: 8,192.
   */
  viewBudgetBytes?: number;
  /**
   * The most entries that a list, set or map may have, by attribute. Writer and import refuse larger ones; the
   * projector accepts them. Default: DynamoDB's 400 KB.
   */
  maxEntries?: Readonly<Partial<Record<NoInfer<NameOf<AttributesOf<F>>>, number>>>;
  /**
   * A number attribute for optimistic locking: every write through the writer increments it, and a put is refused if
   * the node has another version. A put without a version requires a new node. Other producers aren't checked. Default:
   * none.
   */
  versionAttribute?: Version;
  /**
   * An attribute that marks the node as deleted: while it is present and neither null nor false, no projection contains
   * the node. The node's edges stay, as after a deletion. Default: none.
   */
  deletedWhen?: NoInfer<NameOf<AttributesOf<F>>>;
  /**
   * The attribute with the time at which the node ends, in epoch seconds. From then on, reads hide the node, and
   * DynamoDB deletes it within days. Must be the table's `ttl` or, for a mirrored type, which only the mirror deletes,
   * another attribute. Refused if an `inbound` uses values of these nodes (`source`, `projectSource`). Default: none.
   */
  expires?: NoInfer<NameOf<AttributesOf<F>>>;
  /**
   * Keeps a list of all nodes of the type, by id: `reader.nodes('GOAL')`. Costs an index item per node. Default: false.
   */
  list?: List;
  /** Attributes to search nodes by. */
  search?: Checked<
    Searches,
    CheckedSearches<AttributesOf<F>, NoInfer<Searches>, SearchOptions<AttributesOf<F>>>,
    SearchValues<AttributesOf<F>>
  >;
  /**
   * Parts of the node that change at different rates, each in a separate item: `{ source: id, target: 'STATE', … }`.
   * Names match `[A-Z][A-Z0-9_]*`. Default: none.
   */
  parts?: Parts;
}

/** A node type of a model, made by `node`. */
export interface NodeDefinition<T extends NodeTypes = NodeTypes> {
  readonly kind: 'node';
  readonly options: object;
  /** Only carries types; absent at run time. */
  readonly types?: T;
}

/** Declares a node type. */
export function node<
  F extends Fields = OpenFields,
  const Searches extends object = Record<never, never>,
  const View extends ProjectOption<NoInfer<NameOf<AttributesOf<F>>>> | undefined = undefined,
  const List extends boolean = false,
  const Parts extends PartDefinitions = Record<never, never>,
  const Version extends NoInfer<VersionName<F>> = never,
>(
  options: NodeOptions<Searches, View, List, Parts, F, Version> = {},
): NodeDefinition<NodeTypesOf<F, Searches, NoInfer<View>, NoInfer<List>, NoInfer<Parts>, NoInfer<Version>>> {
  return { kind: 'node', options };
}

/** Labels in each edge-set element: attribute names, or names for attributes and computed strings. */
export type EdgeSetOption<A> = false | readonly LabelName<A>[] | Readonly<Record<string, LabelName<A> | Derive<A>>>;

/** Options for finding edges by their target: the orders, and settings for all of them. */
export interface InboundOptions<A> extends TotalOptions<A> {
  /**
   * Orders by name, selected by `inbound(..., { order: 'byPriority' })`; the first is the default. Names match
   * `[a-z][A-Za-z0-9_]*` with at most 64 characters. The first orders, up to the number of `table.indexes` (2), share
   * one index item per edge; each further order costs another item. An order named `gsi0`, `gsi1` and so on has the
   * keys of that index, and comes before orders with other names, which then have their own items.
   */
  orders?: Readonly<Record<string, EdgeOrderOption<A> | undefined>>;
  /** The number of index partitions for one target's edges, from 1 to 100,000. Default: 1. */
  shards?: number;
  /** Whether the value or the source chooses the shard. Default: `'source'`. */
  shardBy?: 'value' | 'source';
  /** The hash function that chooses the shard. Default: `'fnv1a'`. */
  hash?: HashName;
  /** Edge attributes copied into the index item. Default: `'KEYS_ONLY'`. */
  project?: ProjectOption<NameOf<A>>;
  /**
   * Attributes of the source node that are also copied into the index item, so a list with titles needs no further
   * reads. Changing such an attribute rewrites the index item of each edge that leaves the node. Default: none.
   */
  projectSource?: readonly string[];
  /**
   * The attribute of the edge or its source node to put into the index partition, such as a tenant; queries must then
   * give its value. Excludes `includeTarget`. Default: none.
   */
  partition?: NameOf<A> | SourceValue;
  /**
   * Puts the target node after its incoming edges in their index partitions, with the attributes of its `view`:
   * `inbound(..., { reverse: true, includeTarget: true })` returns both in one Query. Costs an index item of the node
   * for the shared orders and one per further order. A node whose type has no `view` has no such items, and is read
   * separately. Requires `shards: 1`. Default: false.
   */
  includeTarget?: boolean;
  /**
   * Lets DynamoDB maintain the orders, with an index for each. This avoids index items, 1 WCU per write, and lag. Each
   * order must be by an attribute of the edge, or `number(...)` of one. DynamoDB then refuses items whose attribute is
   * empty or has another type. Each order takes one of the table's 20 indexes. Default: false.
   */
  native?: boolean;
}

/** Options of an edge type. */
export interface EdgeOptions<
  F extends Fields,
  From extends string,
  To extends string,
  EdgeSet = unknown,
  Inbound = unknown,
  Outgoing = unknown,
  Copy extends string = string,
  Degree = boolean,
> {
  /**
   * The validator of the attributes, which also gives the writer and the reader their types. Default: any attributes
   * are valid.
   */
  fields?: F;
  /** Node types that the edge may leave. */
  from: From | readonly From[];
  /** Node types that the edge may enter. */
  to: To | readonly To[];
  /** Labels in the edge set's elements; `false` leaves the type out of edge sets. Default: `[]`, only the target. */
  edgeSet?: Checked<EdgeSet, CheckedEdgeSet<AttributesOf<F>, NoInfer<EdgeSet>>, EdgeSetOption<AttributesOf<F>>>;
  /** Orders in which the target's incoming edges are found. Default: not indexed. */
  inbound?: Checked<
    Inbound,
    CheckedInbound<AttributesOf<F>, NoInfer<Inbound>, InboundOptions<AttributesOf<F>>>,
    InboundOptions<AttributesOf<F>>
  >;
  /**
   * Keeps an exact count of each node's edges of this type, so `degree` takes one read. Adding or removing an edge then
   * writes an index item and the count in a transaction, at twice the capacity. Default: false.
   */
  degree?: Degree;
  /**
   * Sums, and counts by group, over each node's outgoing edges: `reader.total`. Includes the count of `degree`.
   * Default: none.
   */
  outgoing?: Checked<Outgoing, CheckedTotals<AttributesOf<F>, NoInfer<Outgoing>>, TotalOptions<AttributesOf<F>>>;
  /**
   * The form of sort keys. `'plain'`: the edge type, `-` and the target's id. `'hashed'`: keys of a fixed length with a
   * hash of the target's id, which is in the attribute `targetId`; producers without the writer use `hashedEdgeKey`. To
   * switch, write the edges again. Default: `'plain'`.
   */
  keys?: 'plain' | 'hashed';
  /** An attribute that marks the edge as deleted, as for a node. Default: none. */
  deletedWhen?: NoInfer<NameOf<AttributesOf<F>>>;
  /**
   * The attribute with the time at which the edge ends, as for a node. Counts and totals follow within minutes: see
   * `deleteEnded`. Default: none.
   */
  expires?: NoInfer<NameOf<AttributesOf<F>>>;
  /**
   * Target attributes copied into the source's view, under the edge. Changing one writes the view of every source.
   * Needs `edgeSet` and plain keys. Default: none.
   */
  copy?: readonly Copy[];
}

/** The type of an omitted option: an edge type without orders and totals. */
// biome-ignore lint/suspicious/noEmptyInterface: an interface has a short name in messages of the compiler
export interface None {}

/** An edge type of a model, made by `edge`. */
export interface EdgeDefinition<T extends EdgeTypes = EdgeTypes> {
  readonly kind: 'edge';
  readonly options: object;
  /** Only carries types; absent at run time. */
  readonly types?: T;
}

/** Declares an edge type. */
export function edge<
  const From extends string,
  const To extends string,
  F extends Fields = OpenFields,
  const EdgeSet extends false | object = readonly [],
  const Inbound extends object = None,
  const Copy extends string = never,
  const Degree extends boolean = false,
  const Outgoing extends object = None,
>(
  options: EdgeOptions<F, From, To, EdgeSet, Inbound, Outgoing, Copy, Degree>,
): EdgeDefinition<
  EdgeTypesOf<From, To, NoInfer<EdgeSet>, Inbound, NoInfer<Copy>, NoInfer<Degree>, NoInfer<Outgoing>, F>
> {
  return { kind: 'edge', options };
}
