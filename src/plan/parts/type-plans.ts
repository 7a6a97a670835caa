import { LabelError, labelEncoder } from '../../items/element.ts';
import { isWellFormed } from '../../items/encoding.ts';
import { edgeIndexPrefix } from '../../items/keys.ts';
import type { CompiledModel, EdgeModel, LabelModel, NodeModel } from '../../model/compiled.ts';
import { type InboundItemPlan, inboundItemPlans, type SearchPlan, searchPlan } from './index-items.ts';
import { type JoinedItemPlan, joinedItemPlans } from './joined-items.ts';
import { PartError, type Subject } from './subject.ts';

/**
 * The planner of each node and edge type of a model: what the model says, worked out once and not for each image. A batch
 * of ten thousand records has up to twenty thousand images, and a handful of types.
 */

/** A label as it stands in the element; empty where the edge has none. */
export type LabelWriter = (subject: Subject) => string;

/** How images of an edge type are derived. */
export interface EdgePlan {
  /** Writers of the element's labels; undefined where the type is left out of the set. */
  labels: readonly LabelWriter[] | undefined;
  /** Index items that the edge alone decides. */
  indexItems: readonly InboundItemPlan[];
  /** Those that its source node decides with it. */
  joinedItems: readonly JoinedItemPlan[];
  /** What the sort keys of index items that the edge alone decides begin with, each followed by the edge's. */
  prefixes: readonly string[];
  /** The place among them of a counted edge's item that the count stands for, which is there also where no order applies; else -1. */
  countedPlace: number;
  /** As in `DerivedImage`, and behind it that of the item that stands for the count alone; undefined where all are. */
  settleBefore: readonly (number | undefined)[] | undefined;
}

/** How images of a node type are derived. */
export interface NodePlan {
  searches: readonly SearchPlan[];
  /** Index items of edges that leave such nodes, and that the nodes decide with them. */
  joinedItems: readonly JoinedItemPlan[];
}

interface ModelPlan {
  /** Whether the table has views of some of the node types only. */
  hasViewlessTypes: boolean;
  /** The latest moment before which the base items decide about any view; 0: they never do. */
  settleViewsBefore: number;
  edges: Map<EdgeModel, EdgePlan>;
  nodes: Map<NodeModel, NodePlan>;
}

const plans = new WeakMap<CompiledModel, ModelPlan>();

/** The plan of an edge type. */
export function edgePlan(graph: CompiledModel, edge: EdgeModel): EdgePlan {
  const { edges } = modelPlan(graph);
  let plan = edges.get(edge);
  if (plan === undefined) {
    const indexItems = inboundItemPlans(edge);
    const joinedItems = joinedItemPlans(edge);
    const prefixes = indexItems.map(({ item }) => edgeIndexPrefix(item.orderName, item.generation));
    const settleBefore = [...indexItems.map(({ item }) => item.settleBefore), edge.settleBefore];
    // A joined item that is counted is in its count by itself.
    const isCounted = edge.degree && joinedItems.every(({ countName }) => countName === undefined);
    const counted = edgeIndexPrefix(undefined, edge.generation);
    if (isCounted && !prefixes.includes(counted)) prefixes.push(counted);
    plan = {
      labels: edge.labels?.map(labelWriter),
      indexItems,
      joinedItems,
      prefixes,
      countedPlace: isCounted ? prefixes.indexOf(counted) : -1,
      settleBefore: settleBefore.every((before) => before === undefined) ? undefined : settleBefore,
    };
    edges.set(edge, plan);
  }
  return plan;
}

/** The plan of a node type. */
export function nodePlan(graph: CompiledModel, node: NodeModel): NodePlan {
  const { nodes } = modelPlan(graph);
  let plan = nodes.get(node);
  if (plan === undefined) {
    const leaving = [...graph.edges.values()].filter(({ from }) => from.has(node.type));
    plan = {
      searches: [...node.searches.values()].map(searchPlan),
      joinedItems: leaving.flatMap((edge) => edgePlan(graph, edge).joinedItems),
    };
    nodes.set(node, plan);
  }
  return plan;
}

/** Whether there are node types whose views were dropped, while their nodes are still found in other ways. */
export function hasViewlessTypes(graph: CompiledModel): boolean {
  return graph.shapes !== undefined && modelPlan(graph).hasViewlessTypes;
}

/** No view of any type is settled by the base items for a record that was made at this moment or later; 0: none is at all. */
export function settleViewsBefore(graph: CompiledModel): number {
  return graph.shapes === undefined ? 0 : modelPlan(graph).settleViewsBefore;
}

function modelPlan(graph: CompiledModel): ModelPlan {
  let plan = plans.get(graph);
  if (plan === undefined) {
    const { nodes, shapes } = graph;
    plan = {
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
      const text = subject.compute(from.compute, purpose);
      if (text === undefined) return '';
      // It would be stored as another text and differ from what is wanted forever.
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
