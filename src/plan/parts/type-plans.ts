import { encodeLabelValue, LabelError, labelStart } from '../../items/element.ts';
import { isWellFormed } from '../../items/encoding.ts';
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
}

/** How images of a node type are derived. */
export interface NodePlan {
  searches: readonly SearchPlan[];
  /** Index items of edges that leave such nodes, and that the nodes decide with them. */
  joinedItems: readonly JoinedItemPlan[];
}

interface ModelPlan {
  edges: Map<EdgeModel, EdgePlan>;
  nodes: Map<NodeModel, NodePlan>;
}

const plans = new WeakMap<CompiledModel, ModelPlan>();

/** The plan of an edge type. */
export function edgePlan(graph: CompiledModel, edge: EdgeModel): EdgePlan {
  const { edges } = modelPlan(graph);
  let plan = edges.get(edge);
  if (plan === undefined) {
    plan = {
      labels: edge.labels?.map(labelWriter),
      indexItems: inboundItemPlans(edge),
      joinedItems: joinedItemPlans(edge),
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

function modelPlan(graph: CompiledModel): ModelPlan {
  let plan = plans.get(graph);
  if (plan === undefined) {
    plan = { edges: new Map(), nodes: new Map() };
    plans.set(graph, plan);
  }
  return plan;
}

function labelWriter({ name, from }: LabelModel): LabelWriter {
  const purpose = `label ${name} of the edge set`;
  const start = labelStart(name);
  if (from.kind === 'derive') {
    return (subject) => {
      const text = subject.compute(from.compute, purpose);
      if (text === undefined) return '';
      // It would be stored as another text and differ from what is wanted forever.
      if (!isWellFormed(text)) throw new PartError('derive-failed', `derive for ${purpose} gave a lone surrogate`);
      return start + encodeLabelValue({ S: text });
    };
  }
  const { attribute } = from;
  return (subject) => {
    const value = subject.attribute(attribute);
    if (value === undefined) return '';
    try {
      return start + encodeLabelValue(value);
    } catch (error) {
      if (!(error instanceof LabelError)) throw error;
      throw new PartError('wrong-type', `attribute ${attribute}, needed for ${purpose}, ${error.message}`, attribute);
    }
  };
}
