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

/**
 * The vocabulary of a model file: `node`, `part`, `edge`, `rank`, `derive`, and their options. `defineGraph` (graph.ts)
 * checks and compiles a model.
 */

/** Options of a search attribute. */
export interface SearchOptions<A> {
  /** Attribute or order to search by. Default: the attribute with the search's name. */
  attribute?: Order<A>;
  /** How the value is encoded, so that text order is its order. Default `'string'`. */
  type?: ValueType;
  /**
   * Index partitions to spread over, at least 1; 1 adds no suffix. `'value'` puts the value into the partition key,
   * which spreads best and only supports equality. Default 200.
   */
  shards?: number | 'value';
  /**
   * Whether the shard comes from the value (`equals` asks one shard) or from the source (spreads skewed values).
   * Default `'value'`.
   */
  shardBy?: 'value' | 'source';
  /** Hash function for the shard. Default `'fnv1a'`. */
  hash?: HashName;
  /**
   * Ignore case, by Unicode's case folding and NFKD, in values and arguments; results show the original. Default false.
   */
  caseInsensitive?: boolean;
  /** One search item per element of a list or set. Default false. */
  multiValue?: boolean;
  /** Attribute put into the index partition (a tenant, a country); searches then name its value. */
  partition?: NameOf<A>;
  /**
   * Text attributes joined in this order and searched by whole leading segments: a country, a state, a city. Replaces
   * `attribute`. A node is found by the segments up to the first attribute it lacks, and not at all if it lacks the
   * first.
   */
  path?: readonly NameOf<A>[];
  /** Attributes copied into the search item. Default `'KEYS_ONLY'`. */
  project?: ProjectOption<NameOf<A>>;
  /**
   * Let DynamoDB maintain the search, by an index on the nodes' attribute: no search items, 1 WCU less per write, no
   * lag behind the projector. Only supports equality. DynamoDB then refuses items whose attribute is empty or has
   * another type. Each native search takes one of the table's 20 indexes. Default false.
   */
  native?: boolean;
}

/** A search attribute: its options, or an order as shorthand. */
export type SearchValue<A> = SearchOptions<A> | Rank<NameOf<A>> | Derive<A> | NameOf<A>;

/** The `search` option of a node type. */
export type SearchValues<A> = Readonly<Record<string, SearchValue<A> | Order<A>>>;

/** Options of a part of a node type. */
export interface PartOptions<Searches = unknown, View = unknown, F extends Fields = Fields> {
  /** Validator of the attributes; its types flow to writer and reader. Default: open attributes. */
  fields?: F;
  /** Attributes that reads show next to the node's, under the part's name. Default `'ALL'`. */
  view?: View;
  /** Attributes to search nodes by; such a search is named `TYPE.PART.attribute`. */
  search?: Checked<
    Searches,
    CheckedSearches<AttributesOf<F>, NoInfer<Searches>, SearchOptions<AttributesOf<F>>>,
    SearchValues<AttributesOf<F>>
  >;
}

/** A part of a node type, made by `part`. */
export interface PartDefinition<T extends PartTypes = PartTypes> {
  readonly kind: 'part';
  /** As passed to `part`; `defineGraph` checks them. */
  readonly options: object;
  /** The declared types; nothing at run time. */
  readonly types?: T;
}

/**
 * Declares a part of a node type: attributes that change more often than the rest, in an item of their own. Changing
 * them costs by the part's size instead of the node's.
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
  /** Validator of the attributes; its types flow to writer and reader. Default: open attributes. */
  fields?: F;
  /**
   * Attributes copied into the view: `'KEYS_ONLY'`, names, or `'ALL'`. Default: none. Reads then show all attributes of
   * the node itself, and a type without edge sets and parts has no views, so `getView` is refused.
   */
  view?: View;
  /**
   * Limit of a view in bytes. Beyond it, the largest edge type leaves the edge set, and readers query the base edges
   * instead: same result, at the cost of a Query. Bounds the cost of another edge. Default 8,192.
   */
  viewBudgetBytes?: number;
  /**
   * The most entries of a list, set or map, at least 1, by attribute: a collection kept on its node, such as a
   * customer's addresses, is rewritten with every change, so it should stay small. Writer and import refuse larger
   * ones; the projector accepts what other producers write. Default: only DynamoDB's 400 KB.
   */
  maxEntries?: Readonly<Partial<Record<NoInfer<NameOf<AttributesOf<F>>>, number>>>;
  /**
   * A number attribute that turns on optimistic locking: every write through the writer increments it. A put takes the
   * version that was read, and is refused if the node has another one now; without a version the node has to be new.
   * Updates always increment it. Other producers aren't checked. Default: none.
   */
  versionAttribute?: Version;
  /**
   * An attribute that marks the node as deleted (soft delete): while it is present and neither null nor false, the node
   * isn't in any projection; reads of base items show it. Removing the attribute brings everything back. Its edges
   * stay, as after a deletion: counts and totals include them, but orders by an attribute of the node don't. Default:
   * none.
   */
  deletedWhen?: NoInfer<NameOf<AttributesOf<F>>>;
  /**
   * The attribute with the time at which the node ends, in epoch seconds. From then on no read shows it, and some days
   * later DynamoDB deletes it: the attribute must be the table's `ttl`, except for a mirrored type. Its edges stay, as
   * after a deletion. Refused if an order of edges uses values of these nodes (`source`): rows would have to move at
   * that moment, when nothing writes. Default: none.
   */
  expires?: NoInfer<NameOf<AttributesOf<F>>>;
  /**
   * Keep a list of all nodes of the type, by id: `reader.nodes('GOAL')`. Costs one index item per node. Default false.
   */
  list?: List;
  /** Attributes to search nodes by. */
  search?: Checked<
    Searches,
    CheckedSearches<AttributesOf<F>, NoInfer<Searches>, SearchOptions<AttributesOf<F>>>,
    SearchValues<AttributesOf<F>>
  >;
  /**
   * Parts of the node by how often they change, each a separate item: `{ source: id, target: 'STATE', … }`. Names match
   * `[A-Z][A-Z0-9_]*`. Reads show a part's attributes under its name while the node exists. Default: none.
   */
  parts?: Parts;
}

/** A node type of a model, made by `node`. */
export interface NodeDefinition<T extends NodeTypes = NodeTypes> {
  readonly kind: 'node';
  /** As passed to `node`; `defineGraph` checks them. */
  readonly options: object;
  /** The declared types; nothing at run time. */
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

/** Labels in each edge-set element: attribute names, or names for attributes and computed texts. */
export type EdgeSetOption<A> = false | readonly LabelName<A>[] | Readonly<Record<string, LabelName<A> | Derive<A>>>;

/** How an edge type is found from its target: its orders, and what applies to all of them. */
export interface InboundOptions<A> extends TotalOptions<A> {
  /**
   * Orders by names of your choice, selected by `inbound(..., { order: 'byPriority' })`; the first is the default, and
   * a raw name comes before all others. Names match `[a-z][A-Za-z0-9_]*` with at most 64 characters. The first orders,
   * as many as `table.indexes` says (2), share an index item of each edge, and each needs an index. Each further order
   * costs another index item per edge, with its own copy of the projected attributes. An order named `gsi0`, `gsi1` and
   * so on has the keys of that index; orders with other names then have their own items.
   */
  orders?: Readonly<Record<string, EdgeOrderOption<A> | undefined>>;
  /** Index partitions over which one target's edges are spread. Default 1. */
  shards?: number;
  /** Whether the shard comes from the value or the source. Default `'source'`. */
  shardBy?: 'value' | 'source';
  /** Hash function for the shard. Default `'fnv1a'`. */
  hash?: HashName;
  /** Edge attributes copied into the index item. Default `'KEYS_ONLY'`. */
  project?: ProjectOption<NameOf<A>>;
  /**
   * Source attributes copied into the index item, in addition to `project`: a list with titles takes one Query.
   * Changing one costs a write per edge that leaves the node. A name may only be in one of the two lists. Default:
   * none.
   */
  projectSource?: readonly string[];
  /**
   * Attribute of the edge, or of its source node, put into the index partition (a tenant); queries then name its value.
   * An edge without it isn't in the orders. Not with `includeTarget`. Default: none.
   */
  partition?: NameOf<A> | SourceValue;
  /**
   * Put the target node into the index partitions of its incoming edges, behind all of them, with the attributes that
   * its `view` shows: `inbound(..., { reverse: true, includeTarget: true })` returns it with the newest edges in one
   * Query. Costs an index item of the node for the first two orders together and one per further order, written when
   * what the view shows changes. A node whose type declares no `view` has none, and is read itself. Requires `shards:
   * 1`. Default false.
   */
  includeTarget?: boolean;
  /**
   * Let DynamoDB maintain the orders, by an index for each attribute: no index items, 1 WCU less per write, no lag
   * behind the projector. Each order is an attribute of the edge, or `number(...)` of one; edges with the same value
   * have no defined order. DynamoDB then refuses items whose attribute is empty or has another type. Each order takes
   * one of the table's 20 indexes. Default false.
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
  /** Validator of the attributes; its types flow to writer and reader. Default: open attributes. */
  fields?: F;
  /** Node types that the edge may leave. */
  from: From | readonly From[];
  /** Node types that the edge may enter. */
  to: To | readonly To[];
  /**
   * Labels in each element of the edge set; `false` leaves the type out of edge sets. Default `[]`: only the target.
   */
  edgeSet?: Checked<EdgeSet, CheckedEdgeSet<AttributesOf<F>, NoInfer<EdgeSet>>, EdgeSetOption<AttributesOf<F>>>;
  /** Orders in which the target's incoming edges are found. Default: not indexed. */
  inbound?: Checked<
    Inbound,
    CheckedInbound<AttributesOf<F>, NoInfer<Inbound>, InboundOptions<AttributesOf<F>>>,
    InboundOptions<AttributesOf<F>>
  >;
  /**
   * Keep an exact count of each node's edges of this type, so that `degree` is one read however many there are, whether
   * or not the edge set has them. Adding or removing an edge then costs a read and a transaction, twice the capacity.
   * Default false.
   */
  degree?: Degree;
  /**
   * Sums, and numbers by group, over each node's outgoing edges of this type, in one read: `reader.total`. Includes the
   * count of `degree`. For incoming edges, declare them under `inbound`. Default: none.
   */
  outgoing?: Checked<Outgoing, CheckedTotals<AttributesOf<F>, NoInfer<Outgoing>>, TotalOptions<AttributesOf<F>>>;
  /**
   * How the edges' sort keys are made. `'plain'`: the edge type, `-`, the target's id. `'hashed'`: keys of the same
   * length however long ids are, from a hash of the target's id, with the id in the attribute `targetId`, which then
   * belongs to the library; use `hashedEdgeKey` in producers without the writer. Edges then come in the order of the
   * hashes. To switch, write the edges again. Default `'plain'`.
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
   * Target attributes of which the source's view holds a copy, under the edge. A change of the target is written to
   * every source. Needs `edgeSet` and plain keys. Default: none.
   */
  copy?: readonly Copy[];
}

/** For omitted options: an edge type without orders and totals. */
// biome-ignore lint/suspicious/noEmptyInterface: an interface has a short name in messages of the compiler
export interface None {}

/** An edge type of a model, made by `edge`. */
export interface EdgeDefinition<T extends EdgeTypes = EdgeTypes> {
  readonly kind: 'edge';
  /** As passed to `edge`; `defineGraph` checks them. */
  readonly options: object;
  /** The declared types; nothing at run time. */
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
