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
 * The vocabulary of a model file: `node`, `part`, `edge`, `rank`, `derive`, and the types of their options. `defineGraph`
 * (graph.ts) checks a model and compiles it.
 */

/** Options of one search attribute. */
export interface SearchOptions<A> {
  /** Attribute or order searched by. Default: the attribute that has the search's name. */
  attribute?: Order<A>;
  /** How the value is encoded so that text order is its order. Default `'string'`. */
  type?: ValueType;
  /**
   * Index partitions to spread over, 1 and up; 1 adds no suffix. `'value'`: the value itself is in the partition key,
   * which spreads best and answers equality only. Default 200.
   */
  shards?: number | 'value';
  /** The shard comes from the value (`equals` asks one shard) or from the source (spreads skewed values). Default `'value'`. */
  shardBy?: 'value' | 'source';
  /** Hash of the shard. Default `'fnv1a'`. */
  hash?: HashName;
  /** Case-insensitive, by Unicode's case folding and NFKD, for values and arguments; results show the original. Default false. */
  caseInsensitive?: boolean;
  /** One search item for each element of a list or set. Default false. */
  multiValue?: boolean;
  /** Attribute put into the index partition (a tenant, a country); searches then name its value. */
  partition?: NameOf<A>;
  /**
   * Attributes of type string that are joined in this order and searched by whole leading segments: a country, a state, a
   * city. It replaces `attribute`. A node is found by the segments up to the first attribute that it lacks; one that lacks
   * the first attribute is left out.
   */
  path?: readonly NameOf<A>[];
  /** Attributes copied into the search item. Default `'KEYS_ONLY'`. */
  project?: ProjectOption<NameOf<A>>;
  /**
   * DynamoDB keeps the search itself, by an index on the attribute of the nodes: no search item, 1 WCU less a write, no lag behind the
   * projector. It answers equality. DynamoDB then refuses every item that has the attribute with another type, or empty. Each takes one
   * of the table's 20 indexes. Default false.
   */
  native?: boolean;
}

/** A search attribute: its options, or an order in short. */
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

/** A part of a node type, as `part` makes it. */
export interface PartDefinition<T extends PartTypes = PartTypes> {
  readonly kind: 'part';
  /** As given to `part`; `defineGraph` checks them. */
  readonly options: object;
  /** The declared types; nothing at run time. */
  readonly types?: T;
}

/**
 * Declares a part of a node type: attributes that change more often than the rest, in an item of their own. A change of these
 * attributes costs by the size of the part, not by the size of the node.
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
   * Attributes copied into the view: `'KEYS_ONLY'`, names, or `'ALL'`. Default: none; reads then show all attributes, of the node itself,
   * and a type without edge sets and parts has no views, so that `getView` is refused.
   */
  view?: View;
  /**
   * Bytes that a view may have; beyond it its largest edge type leaves the set, and readers look at the base edges
   * instead: the same result, at the cost of a Query. Bounds what one more edge costs. Default 8,192.
   */
  viewBudgetBytes?: number;
  /**
   * How many entries a list, set or map may have, 1 and up, by attribute: a collection that is kept whole on its node, such
   * as the addresses of a customer, is rewritten with every change, so that it has to stay small. Writer and import refuse
   * a larger one; the projector takes what producers write without them. Default: no limit but DynamoDB's 400 KB.
   */
  maxEntries?: Readonly<Partial<Record<NoInfer<NameOf<AttributesOf<F>>>, number>>>;
  /**
   * A number attribute that turns on optimistic locking: every write of the writer counts it up. A put takes the version
   * that was read, and is refused where the node has another by now; without one the node has to be new. Updates count up
   * whatever they change. Producers without the writer are not held to it. Default: none.
   */
  versionAttribute?: Version;
  /**
   * An attribute that says that the node counts as deleted (soft delete): while it is there and neither null nor false, the node is in
   * no projection; reads of base items show it. Without the attribute all comes back. Its edges stay, as after a deletion: counts and
   * totals hold them, but orders by an attribute of the node do not. Default: none.
   */
  deletedWhen?: NoInfer<NameOf<AttributesOf<F>>>;
  /**
   * The attribute with the time at which the node ends, in epoch seconds. From then on no read shows it, and some days later DynamoDB
   * deletes it: the attribute is the table's `ttl`, except of a mirrored type. Its edges stay, as after a deletion. Refused
   * where an order of edges takes values of these nodes (`source`): each row would have to leave its place at that moment, and
   * nothing writes then. Default: none.
   */
  expires?: NoInfer<NameOf<AttributesOf<F>>>;
  /** Keep a list of all nodes of the type, by id: `reader.nodes('GOAL')`. One index item for each node. Default false. */
  list?: List;
  /** Attributes to search nodes by. */
  search?: Checked<
    Searches,
    CheckedSearches<AttributesOf<F>, NoInfer<Searches>, SearchOptions<AttributesOf<F>>>,
    SearchValues<AttributesOf<F>>
  >;
  /**
   * Parts of the node by how often they change, each an item of its own: `{ source: id, target: 'STATE', … }`. Names match
   * `[A-Z][A-Z0-9_]*`. Reads show a part's attributes under its name, while the node exists. Default: none.
   */
  parts?: Parts;
}

/** A node type of a model, as `node` makes it. */
export interface NodeDefinition<T extends NodeTypes = NodeTypes> {
  readonly kind: 'node';
  /** As given to `node`; `defineGraph` checks them. */
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

/** Labels kept in each edge-set element: attribute names, or names for attributes and computed texts. */
export type EdgeSetOption<A> = false | readonly LabelName<A>[] | Readonly<Record<string, LabelName<A> | Derive<A>>>;

/** How an edge type is found from its target: its orders, and what applies to all of them. */
export interface InboundOptions<A> extends TotalOptions<A> {
  /**
   * Orders by names of your own, which `inbound(..., { order: 'byPriority' })` chooses; the first is the default, and one of a raw name comes before all others. Names match
   * `[a-z][A-Za-z0-9_]*` and have at most 64 characters. The first share one index item of each edge, as many as `table.indexes` says (2), and each needs
   * an index. Each further order costs an index item of its own for each edge, with its own copy of the projected attributes. An order
   * that is named `gsi0`, `gsi1` and so on has the keys of that index; then orders with other names have items of their own.
   */
  orders?: Readonly<Record<string, EdgeOrderOption<A> | undefined>>;
  /** Index partitions to spread one target's edges over. Default 1. */
  shards?: number;
  /** The shard comes from the value or from the source. Default `'source'`. */
  shardBy?: 'value' | 'source';
  /** Hash of the shard. Default `'fnv1a'`. */
  hash?: HashName;
  /** Attributes of the edge copied into the index item. Default `'KEYS_ONLY'`. */
  project?: ProjectOption<NameOf<A>>;
  /**
   * Attributes of the source node copied into the index item, in addition to those of `project`: a list with titles is one Query. A
   * change of one costs a write for each edge that leaves the node. A name is in one of the two lists. Default: none.
   */
  projectSource?: readonly string[];
  /**
   * Attribute of the edge, or of its source node, put into the index partition (a tenant): queries then name its value. An
   * edge without it is left out. Not with `includeTarget`. Default: none.
   */
  partition?: NameOf<A> | SourceValue;
  /**
   * The target node, too, is in the index partitions of its incoming edges, behind all of them, with the attributes that its
   * `view` shows: `inbound(..., { reverse: true, includeTarget: true })` gives it and the newest edges in one Query. It costs an
   * index item of the node for the first two orders together and one for each further order, written when what the view shows
   * changes. A node of a type that declares no `view` has none, and is read itself. Needs `shards: 1`. Default false.
   */
  includeTarget?: boolean;
  /**
   * DynamoDB keeps the orders itself, by an index for each attribute: no index item, 1 WCU less a write, no lag behind the projector. Each
   * order is an attribute of the edge, or `number(...)` of one; edges with one value come in no promised order. DynamoDB then refuses
   * every item that has the attribute with another type, or empty. Each takes one of the table's 20 indexes. Default false.
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
  /** Labels kept in each set element; `false` leaves the type out of the set. Default `[]`: the target only. */
  edgeSet?: Checked<EdgeSet, CheckedEdgeSet<AttributesOf<F>, NoInfer<EdgeSet>>, EdgeSetOption<AttributesOf<F>>>;
  /** Orders in which the target's incoming edges are found. Default: not indexed. */
  inbound?: Checked<
    Inbound,
    CheckedInbound<AttributesOf<F>, NoInfer<Inbound>, InboundOptions<AttributesOf<F>>>,
    InboundOptions<AttributesOf<F>>
  >;
  /**
   * Keep an exact count of each node's edges of this type, so that `degree` is one read however many they are and whether
   * or not the edge set lists them. An edge that comes or goes then costs a read and a transaction, twice the capacity.
   * Default false.
   */
  degree?: Degree;
  /**
   * Sums and numbers by group over the edges of this type that leave a node, in one read: `reader.total`. It includes the count
   * of `degree`. The same under `inbound` is over the edges that enter a node. Default: none.
   */
  outgoing?: Checked<Outgoing, CheckedTotals<AttributesOf<F>, NoInfer<Outgoing>>, TotalOptions<AttributesOf<F>>>;
  /**
   * How the sort keys of the edges are made. `'plain'`: the edge type, `-`, the target's id. `'hashed'`: keys of one
   * length however long the ids are, made of a hash of the target's id, with the id in the attribute `targetId`,
   * which then belongs to the library; `hashedEdgeKey` makes them for producers without the writer. Edges come in the
   * order of the hashes, and those written with the other option have to be written again. Default `'plain'`.
   */
  keys?: 'plain' | 'hashed';
  /** An attribute that says that the edge counts as deleted, as that of a node. Default: none. */
  deletedWhen?: NoInfer<NameOf<AttributesOf<F>>>;
  /** The attribute with the time at which the edge ends, as that of a node. Counts and totals follow within minutes: see `deleteEnded`. Default: none. */
  expires?: NoInfer<NameOf<AttributesOf<F>>>;
  /**
   * Attributes of the target node that the source's view holds a copy of, under the edge. A change of the target reaches
   * every source: one write for each. Needs `edgeSet` and plain keys. Default: none.
   */
  copy?: readonly Copy[];
}

/** Options that are left out: an edge type without them has no orders and no totals. */
// biome-ignore lint/suspicious/noEmptyInterface: an interface has a short name in messages of the compiler
export interface None {}

/** An edge type of a model, as `edge` makes it. */
export interface EdgeDefinition<T extends EdgeTypes = EdgeTypes> {
  readonly kind: 'edge';
  /** As given to `edge`; `defineGraph` checks them. */
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
