import { LabelError, labelEncoder } from '../../items/element.ts';
import { isWellFormed } from '../../items/encoding.ts';
import type { CompiledModel, EdgeModel, LabelModel, NodeModel } from '../../model/compiled.ts';
import { joinedEdgeTypes } from '../../model/joined.ts';
import type { EdgeItemPlaces } from '../../model/projection/places.ts';
import { type InboundItemPlan, inboundItemPlans, type SearchPlan, searchPlan } from './index-items.ts';
import { type JoinedItemPlan, joinedItemPlans } from './joined-items.ts';
import { PartError, type Subject } from './subject.ts';

/**
 * The plans of each node and edge type of a model, made once and not for each image. A batch of ten thousand records has up to
 * twenty thousand images, and a handful of types.
 */

/** Returns a label in the form of the element; empty if the edge has none. */
export type LabelWriter = (subject: Subject) => string;

/** The plan for images of an edge type. */
export interface EdgePlan {
  /** Writers of the element's labels; undefined if the edge set does not list the type. */
  labels: readonly LabelWriter[] | undefined;
  /** Index items that the edge alone decides. */
  indexItems: readonly InboundItemPlan[];
  /** Joined index items, which the edge and its source node decide. */
  joinedItems: readonly JoinedItemPlan[];
  /** The places of the index items that the edge alone decides. */
  places: readonly EdgeItemPlaces[];
  /**
   * The place, among these items, of the item that the count counts, which exists even if no order applies; -1 if the edge is not
   * counted.
   */
  countedPlace: number;
  /** The times as in `DerivedImage`, and after them that of the item that exists only for the count; undefined if there are none. */
  settleBefore: readonly (number | undefined)[] | undefined;
}

/** The plan for images of a node type. */
export interface NodePlan {
  /** Searches by the node's own attributes. */
  searches: readonly SearchPlan[];
  /** Searches by the attributes of its parts, by the name of the part. */
  partSearches: ReadonlyMap<string, readonly SearchPlan[]>;
  /** Joined index items of edges that leave such nodes. */
  joinedItems: readonly JoinedItemPlan[];
}

interface ModelPlan {
  /** Whether the table has views for some of the node types only. */
  hasViewlessTypes: boolean;
  /** The latest time before which the base items decide about any view; 0: they never do. */
  settleViewsBefore: number;
  /** Whether a change of any node is brought to other items. */
  hasFanOuts: boolean;
  edges: Map<EdgeModel, EdgePlan>;
  nodes: Map<NodeModel, NodePlan>;
}

const plans = new WeakMap<CompiledModel, ModelPlan>();

/** Returns the plan of an edge type. */
export function edgePlan(graph: CompiledModel, edge: EdgeModel): EdgePlan {
  const { edges } = modelPlan(graph);
  let plan = edges.get(edge);
  if (plan === undefined) {
    const indexItems = inboundItemPlans(edge);
    const joinedItems = joinedItemPlans(edge);
    const places = indexItems.map(({ item }) => item.inForce.places);
    const settleBefore = [...indexItems.map(({ item }) => item.inForce.settleBefore), edge.count?.settleBefore];
    // A counted joined item counts for itself, so no other item is needed for the count.
    const isCounted = joinedItems.every(({ count }) => count === undefined);
    const counted = isCounted ? edge.count?.places.items : undefined;
    const countedAt = counted === undefined ? -1 : places.findIndex(({ prefix }) => prefix === counted.prefix);
    if (counted !== undefined && countedAt < 0) places.push(counted);
    plan = {
      labels: edge.labels?.map(labelWriter),
      indexItems,
      joinedItems,
      places,
      countedPlace: counted !== undefined && countedAt < 0 ? places.length - 1 : countedAt,
      settleBefore: settleBefore.every((before) => before === undefined) ? undefined : settleBefore,
    };
    edges.set(edge, plan);
  }
  return plan;
}

/** Returns the plan of a node type. */
export function nodePlan(graph: CompiledModel, node: NodeModel): NodePlan {
  const { nodes } = modelPlan(graph);
  let plan = nodes.get(node);
  if (plan === undefined) {
    const leaving = [...graph.edges.values()].filter(({ from }) => from.has(node.type));
    const searchesOf = (part: string | undefined): SearchPlan[] =>
      [...node.searches.values()].filter((search) => search.part === part).map(searchPlan);
    plan = {
      searches: searchesOf(undefined),
      partSearches: new Map([...node.parts.keys()].map((part) => [part, searchesOf(part)])),
      joinedItems: leaving.flatMap((edge) => edgePlan(graph, edge).joinedItems),
    };
    nodes.set(node, plan);
  }
  return plan;
}

/** Whether there are node types whose views were dropped while other projections of their nodes remain. */
export function hasViewlessTypes(graph: CompiledModel): boolean {
  return graph.shapes !== undefined && modelPlan(graph).hasViewlessTypes;
}

/**
 * Returns the latest time, in milliseconds since 1970, before which base items resolve the records of some view type. Returns 0 if there
 * is no such time.
 */
export function reconcileViewsBefore(graph: CompiledModel): number {
  return graph.shapes === undefined ? 0 : modelPlan(graph).settleViewsBefore;
}

/** Whether a change of any node is brought to other items: to views with copies, or to joined index items. */
export function hasFanOuts(graph: CompiledModel): boolean {
  return modelPlan(graph).hasFanOuts;
}

function modelPlan(graph: CompiledModel): ModelPlan {
  let plan = plans.get(graph);
  if (plan === undefined) {
    const { nodes, shapes } = graph;
    plan = {
      hasFanOuts: joinedEdgeTypes(graph).size > 0 || [...graph.edges.values()].some(({ copy }) => copy !== undefined),
      edges: new Map(),
      nodes: new Map(),
      hasViewlessTypes: [...nodes.keys()].some((type) => shapes?.has(type) === false),
      settleViewsBefore: Math.max(0, ...[...(shapes?.values() ?? [])].map(({ settleBefore }) => settleBefore)),
    };
    plans.set(graph, plan);
  }
  return plan;
}

function labelWriter({ name, from }: LabelModel): LabelWriter {
  const purpose = `label ${name} of the edge set`;
  const encodeLabel = labelEncoder(name);
  if (from.kind === 'derive') {
    return (subject) => {
      const text = subject.computeText(from.compute, purpose);
      if (text === undefined) return '';
      // A lone surrogate would be stored as another text, and differ from the expected one for ever.
      if (!isWellFormed(text)) throw new PartError('derive-failed', `derive for ${purpose} gave a lone surrogate`);
      return encodeLabel({ S: text });
    };
  }
  const { attribute } = from;
  return (subject) => {
    const value = subject.attribute(attribute);
    if (value === undefined) return '';
    try {
      return encodeLabel(value);
    } catch (error) {
      if (!(error instanceof LabelError)) throw error;
      throw new PartError('wrong-type', `attribute ${attribute}, needed for ${purpose}, ${error.message}`, attribute);
    }
  };
}
