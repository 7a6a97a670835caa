import {
  checkKeyText,
  describe,
  notAnId,
  PARTITION_KEY_BYTES,
  parseNodeId,
  SORT_KEY_BYTES,
} from '../../../core/items/keys.ts';
import { sortKeyOfEdge } from '../../../core/model/base-item.ts';
import type {
  CompiledModel,
  EdgeModel,
  InboundModel,
  InboundOrder,
  NodeModel,
  SearchModel,
} from '../../../core/model/compiled.ts';
import { NODE_LIST } from '../../../core/model/node-list.ts';
import { nearest } from '../../../core/model/options/nearest.ts';
import { EdgeloomError } from '../../../foundation/errors.ts';
import { optionsMeantBy } from '../../../foundation/options.ts';

export function findEdge(graph: CompiledModel, edgeType: string): EdgeModel {
  const edge = graph.edges.get(edgeType);
  if (edge !== undefined) return edge;
  throw new EdgeloomError(
    'unknown-type',
    `The model has no edge type ${describe(edgeType)}.`,
    declaredSentence('edge types', graph.edges.keys(), edgeType),
  );
}

export function findSearch(graph: CompiledModel, name: string): SearchModel {
  const dot = typeof name === 'string' ? name.indexOf('.') : -1;
  const search = dot < 0 ? undefined : graph.nodes.get(name.slice(0, dot))?.searches.get(name.slice(dot + 1));
  if (search !== undefined) return search;
  const names = [...graph.nodes.values()].flatMap(({ searches }) =>
    [...searches.values()].filter(({ name }) => name !== NODE_LIST).map(({ indexPartition }) => indexPartition),
  );
  throw new EdgeloomError(
    'unknown-name',
    `The model has no search ${describe(name)}.`,
    declaredSentence('searches', names, name),
  );
}

export function findOrder(edge: EdgeModel, name: string | undefined): { inbound: InboundModel; order: InboundOrder } {
  const { inbound } = edge;
  if (inbound === undefined) {
    throw new EdgeloomError(
      'not-declared',
      `The edge type ${edge.type} declares no inbound order, so its edges are not found from their targets.`,
      `Give edges.${edge.type} an inbound option in the model, then migrate.`,
    );
  }
  for (const order of inbound.orders.values()) {
    if (name === undefined || name === order.name) return { inbound, order };
  }
  const orders = declaredSentence('orders', inbound.orders.keys(), name);
  const isDirection = typeof name === 'string' && optionsMeantBy(name)[0] === 'reverse';
  throw new EdgeloomError(
    'unknown-name',
    `The edge type ${edge.type} has no order ${describe(name)}.`,
    isDirection ? `A list ascends; \`reverse: true\` turns it round. ${orders}` : orders,
  );
}

export function checkSource(graph: CompiledModel, id: string): void {
  checkKeyText(id, 'The node id', PARTITION_KEY_BYTES);
  const type = parseNodeId(id)?.type;
  if (type === undefined) throw notAnId(describe(id));
  findNode(graph, type);
}

export function findNode(graph: CompiledModel, type: string): NodeModel {
  const node = graph.nodes.get(type);
  if (node !== undefined) return node;
  throw new EdgeloomError(
    'unknown-type',
    `The model has no node type ${describe(type)}.`,
    declaredSentence('node types', graph.nodes.keys(), type),
  );
}

export function checkedKeyTo(edge: EdgeModel, target: string): string {
  checkKeyText(target, 'The node id', PARTITION_KEY_BYTES);
  const sortKey = sortKeyOfEdge(edge, target);
  checkKeyText(sortKey, "The edge's sort key", SORT_KEY_BYTES);
  const type = parseNodeId(target)?.type;
  if (type === undefined) throw notAnId(describe(target));
  checkEdgeMeets(edge, 'enter', new Set([type]));
  return sortKey;
}

export function checkedEdgeKey(graph: CompiledModel, source: string, edgeType: string, target: string): string {
  checkSource(graph, source);
  return checkedKeyTo(edgeTypeFrom(graph, source, edgeType), target);
}

export function edgeTypeFrom(graph: CompiledModel, source: string, edgeType: string): EdgeModel {
  const edge = findEdge(graph, edgeType);
  checkEdgeMeets(edge, 'leave', new Set([parseNodeId(source)!.type]));
  return edge;
}

export function checkEdgeMeets(edge: EdgeModel, verb: 'enter' | 'leave', nodeTypes: ReadonlySet<string>): void {
  const types = [...(verb === 'enter' ? edge.to : edge.from)];
  if (types.some((type) => nodeTypes.has(type))) return;
  throw new EdgeloomError(
    'unknown-type',
    `Edges of type ${edge.type} do not ${verb} nodes of type ${[...nodeTypes].join(', ')}.`,
    `They ${verb} ${types.join(', ')}.`,
  );
}

function declaredSentence(what: string, names: Iterable<string>, mistaken: unknown): string {
  const list = [...names];
  const near = typeof mistaken === 'string' ? nearest(mistaken, list) : undefined;
  const meant = near === undefined ? '' : `Did you mean ${near}? `;
  return list.length === 0
    ? `The model declares no ${what}.`
    : `${meant}The model declares the ${what} ${list.join(', ')}.`;
}
