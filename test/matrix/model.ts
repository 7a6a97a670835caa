import { type CompiledModel, defineGraph, edge, node, part } from '../../src/index.ts';
import { sharedOrders } from '../support/inbound-option.ts';

/** Options as a model file has them. */
export type Options = Record<string, unknown>;

/** A model as plain data, before it is compiled: the oracle reads the same options as the compiler. */
export interface ModelInput {
  table: Options;
  nodes: Record<string, Options>;
  edges: Record<string, Options>;
  /** The types that are made from another table. */
  mirrored?: string[];
}

/** Goals and the users that are their members: what every feature is added to. */
export function baseModel(): ModelInput {
  return {
    table: { name: 'records' },
    nodes: { GOAL: { view: ['title'] }, USER: { view: ['name'] } },
    edges: { MEMBER: { from: ['GOAL'], to: ['USER'] } },
  };
}

/** The orders of an edge type, by name. */
export function ordersOf(edgeOptions: Options): [string, unknown][] {
  const { orders = {} } = (edgeOptions['inbound'] ?? {}) as { orders?: Options };
  return Object.entries(orders).filter(([, order]) => order !== undefined);
}

/** The projection that keeps an order of an edge type, as the registry names it. */
export function projectionOfOrder(type: string, name: string, edgeOptions: Options): string {
  const names = ordersOf(edgeOptions).map(([own]) => own);
  return sharedOrders(names).includes(name) ? `inbound:${type}` : `order:${type}.${name}`;
}

/**
 * A model with features; what one feature needs of another is added last.
 *
 * @param givesKeys the orders get their keys from the compiler: none with the name of an index stands beside them.
 */
export function modelWith(changes: readonly ((model: ModelInput) => void)[], givesKeys = false): ModelInput {
  const model = baseModel();
  for (const change of changes) change(model);
  for (const options of givesKeys ? [] : Object.values(model.edges)) {
    // An order with a name of its own then has an item of its own.
    const orders = Object.fromEntries(ordersOf(options));
    if (options['inbound'] !== undefined && !('gsi0' in orders || 'gsi1' in orders))
      options['inbound'] = { ...(options['inbound'] as Options), orders: { ...orders, gsi0: 'since' } };
  }
  return model;
}

/** The parts of a node type, by name. */
export function partsOf(nodeOptions: Options): Record<string, Options> {
  return (nodeOptions['parts'] ?? {}) as Record<string, Options>;
}

/** The searches of a node type, by name; those of its parts have the part's name before their own. */
export function searchesOf(nodeOptions: Options): Map<string, unknown> {
  const searches = Object.entries((nodeOptions['search'] ?? {}) as Options);
  for (const [name, { search = {} }] of Object.entries(partsOf(nodeOptions)))
    searches.push(...Object.entries(search as Options).map(([own, of]): [string, unknown] => [`${name}.${own}`, of]));
  return new Map(searches);
}

/** The options of a node type as the product takes them. */
function nodeOptions(options: Options): Options {
  const parts = Object.entries(partsOf(options)).map(([name, own]) => [name, part(own as never)]);
  return parts.length === 0 ? options : { ...options, parts: Object.fromEntries(parts) };
}

/** Compiles a model; throws a `ModelError` where its options exclude each other. */
export function compiled({ table, nodes, edges, mirrored }: ModelInput): CompiledModel {
  const defined = (make: (options: never) => unknown, all: Record<string, Options>) =>
    Object.fromEntries(Object.entries(all).map(([type, options]) => [type, make(options as never)]));
  return defineGraph({
    table,
    nodes: defined((options) => node({ view: 'ALL', ...nodeOptions(options) } as never), nodes),
    edges: defined(edge, edges),
    ...(mirrored && { mirrored }),
  } as never) as CompiledModel;
}
