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
  /** How the value is encoded in keys, which sort as strings. Default `'string'`. */
  type?: ValueType;
  /**
   * The number of index partitions to spread items over, at least 1. `'value'` puts the value into the partition key,
   * which spreads best, but only supports equality. Default 200.
   */
  shards?: number | 'value';
  /**
   * Choose the shard by the value (`equals` reads one shard) or by the source (spreads skewed values). Default
   * `'value'`.
   */
  shardBy?: 'value' | 'source';
  /** Hash function that chooses the shard. Default `'fnv1a'`. */
  hash?: HashName;
  /** Ignore case, by Unicode's case folding and NFKD; results show the original. Default false. */
  caseInsensitive?: boolean;
  /** One search item per element of a list or set. Default false. */
  multiValue?: boolean;
  /**
   * Attribute that is put into the index partition, such as a tenant or a country; searches then have to name its
   * value.
   */
  partition?: NameOf<A>;
  /**
   * Text attributes that are searched by leading segments, such as country, state and city. Replaces `attribute`. A
   * node is found by the segments up to the first attribute that it lacks.
   */
  path?: readonly NameOf<A>[];
  /** Attributes copied into the search item. Default `'KEYS_ONLY'`. */
  project?: ProjectOption<NameOf<A>>;
  /**
   * Let DynamoDB maintain the search with an index on the attribute: no search items, 1 WCU less per write and no lag,
   * but only equality. DynamoDB then refuses items whose attribute is empty or has another type. Takes one of the
   * table's 20 indexes. Default false.
   */
  native?: boolean;
}

/** A search attribute: its options, or an order as shorthand. */
export type SearchValue<A> = SearchOptions<A> | Rank<NameOf<A>> | Derive<A> | NameOf<A>;

/** The `search` option of a node type. */
export type SearchValues<A> = Readonly<Record<string, SearchValue<A> | Order<A>>>;

/** Options of a part of a node type. */
export interface PartOptions<Searches = unknown, View = unknown, F extends Fields = Fields> {
  /** Validator of the attributes, from which writer and reader also take their types. Default: any attributes. */
  fields?: F;
  /** Attributes of the part that reads show with the node, under the part's name. Default `'ALL'`. */
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
 * Declares a part of a node type: attributes that change more often than the rest, in an item of their own. Changing
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
  /** Validator of the attributes, from which writer and reader also take their types. Default: any attributes. */
  fields?: F;
  /**
   * Attributes copied into the view. Default: none. Reads then show the node itself, and a type without edge sets and
   * parts has no views, so `getView` is refused.
   */
  view?: View;
  /**
   * Size limit of a view in bytes. Beyond it, the largest edge type leaves the edge set, and readers query the base
   * edges instead. Default 8,192.
   */
  viewBudgetBytes?: number;
  /**
   * The most entries that a list, set or map may have, by attribute. Writer and import refuse larger ones; the
   * projector accepts them. Default: DynamoDB's 400 KB.
   */
  maxEntries?: Readonly<Partial<Record<NoInfer<NameOf<AttributesOf<F>>>, number>>>;
  /**
   * An attribute with a number for optimistic locking: every write through the writer increments it, and a put is
   * refused if the node has another version. A put without a version requires a new node. Other producers aren't
   * checked. Default: none.
   */
  versionAttribute?: Version;
  /**
   * An attribute that marks the node as deleted: while it is present and neither null nor false, no projection contains
   * the node. The node's edges stay, as after a deletion. Default: none.
   */
  deletedWhen?: NoInfer<NameOf<AttributesOf<F>>>;
  /**
   * The attribute with the time at which the node ends, in epoch seconds. From then on, reads hide the node, and
   * DynamoDB deletes it days later. It must be the table's `ttl`; for a mirrored type, which only the mirror deletes,
   * another attribute. Refused if an `inbound` uses values of these nodes (`source`, `projectSource`). Default: none.
   */
  expires?: NoInfer<NameOf<AttributesOf<F>>>;
  /**
   * Keep a list of all nodes of the type, by id: `reader.nodes('GOAL')`. Costs an index item per node. Default false.
   */
  list?: List;
  /** Attributes to search nodes by. */
  search?: Checked<
    Searches,
    CheckedSearches<AttributesOf<F>, NoInfer<Searches>, SearchOptions<AttributesOf<F>>>,
    SearchValues<AttributesOf<F>>
  >;
  /**
   * Parts of the node that change at different rates, each in an item of its own: `{ source: id, target: 'STATE', … }`.
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

/** How edges are found from their target: the orders, and what applies to all of them. */
export interface InboundOptions<A> extends TotalOptions<A> {
  /**
   * Orders by name, selected by `inbound(..., { order: 'byPriority' })`; the first is the default. Names match
   * `[a-z][A-Za-z0-9_]*` with at most 64 characters. The first orders, up to the number of `table.indexes` (2), share
   * one index item per edge; each further order costs another item. An order named `gsi0`, `gsi1` and so on has the
   * keys of that index, and comes before orders with other names, which then have their own items.
   */
  orders?: Readonly<Record<string, EdgeOrderOption<A> | undefined>>;
  /** The number of index partitions for one target's edges. Default 1. */
  shards?: number;
  /** Choose the shard by the value or by the source. Default `'source'`. */
  shardBy?: 'value' | 'source';
  /** Hash function that chooses the shard. Default `'fnv1a'`. */
  hash?: HashName;
  /** Edge attributes copied into the index item. Default `'KEYS_ONLY'`. */
  project?: ProjectOption<NameOf<A>>;
  /**
   * Attributes of the source node copied into the index item as well, so that a list with titles takes one Query.
   * Changing such an attribute costs a write per edge that leaves the node. Default: none.
   */
  projectSource?: readonly string[];
  /**
   * Attribute of the edge, or of its source node, that is put into the index partition, such as a tenant; queries then
   * have to name its value. Not with `includeTarget`. Default: none.
   */
  partition?: NameOf<A> | SourceValue;
  /**
   * Put the target node after its incoming edges in their index partitions, with the attributes of its `view`:
   * `inbound(..., { reverse: true, includeTarget: true })` returns both in one Query. Costs an index item of the node
   * for the shared orders and one per further order. A node whose type has no `view` has no such items, and is read by
   * itself. Requires `shards: 1`. Default false.
   */
  includeTarget?: boolean;
  /**
   * Let DynamoDB maintain the orders, with an index for each: no index items, 1 WCU less per write, no lag. Each order
   * has to be by an attribute of the edge, or `number(...)` of one. DynamoDB then refuses items whose attribute is
   * empty or has another type. Each order takes one of the table's 20 indexes. Default false.
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
  /** Validator of the attributes, from which writer and reader also take their types. Default: any attributes. */
  fields?: F;
  /** Node types that the edge may leave. */
  from: From | readonly From[];
  /** Node types that the edge may enter. */
  to: To | readonly To[];
  /** Labels in the edge set's elements; `false` leaves the type out of edge sets. Default `[]`: only the target. */
  edgeSet?: Checked<EdgeSet, CheckedEdgeSet<AttributesOf<F>, NoInfer<EdgeSet>>, EdgeSetOption<AttributesOf<F>>>;
  /** Orders in which the target's incoming edges are found. Default: not indexed. */
  inbound?: Checked<
    Inbound,
    CheckedInbound<AttributesOf<F>, NoInfer<Inbound>, InboundOptions<AttributesOf<F>>>,
    InboundOptions<AttributesOf<F>>
  >;
  /**
   * Keep an exact count of each node's edges of this type, so that `degree` takes one read. Adding or removing an edge
   * then writes an index item and the count in a transaction, at twice the capacity. Default false.
   */
  degree?: Degree;
  /**
   * Sums, and counts by group, over each node's outgoing edges: `reader.total`. Includes the count of `degree`.
   * Default: none.
   */
  outgoing?: Checked<Outgoing, CheckedTotals<AttributesOf<F>, NoInfer<Outgoing>>, TotalOptions<AttributesOf<F>>>;
  /**
   * `'plain'`: the edge type, `-`, the target's id. `'hashed'`: keys of one length, from a hash of the target's id,
   * which is in the attribute `targetId`; use `hashedEdgeKey` in producers without the writer. To switch, write the
   * edges again. Default `'plain'`.
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
