import { ModelError } from '../errors.ts';
import {
  compileEdge,
  compileNode,
  compileTable,
  type EdgeModel,
  type MistakeLog,
  type NodeModel,
  type TableNames,
} from './compile.ts';
import { hash128 } from './keys.ts';
import type { EdgeDefinition, NodeDefinition, TableOptions } from './schema.ts';

/** The node types of a model, by name. */
export type NodeDefinitions = Record<string, NodeDefinition>;
/** The edge types of a model, by name; they join node types of the same model. */
export type EdgeDefinitions<NodeType extends string = string> = Record<
  string,
  EdgeDefinition<unknown, unknown, NodeType, NodeType>
>;

/** What `defineGraph` takes. */
export interface GraphInput<N extends NodeDefinitions, E> {
  /** The table's name, or its name and those of its attributes. */
  table: string | TableOptions;
  nodes: N;
  edges?: E;
}

/** The two indexes that a model can use. */
export type IndexName = 'gsi0' | 'gsi1';

/** A checked, compiled model. `N` and `E` carry the declared types to writer and reader. */
export interface Graph<N extends NodeDefinitions = NodeDefinitions, E extends EdgeDefinitions = EdgeDefinitions> {
  readonly table: TableNames;
  readonly nodes: ReadonlyMap<string, NodeModel>;
  readonly edges: ReadonlyMap<string, EdgeModel>;
  /** The indexes that the model needs. */
  readonly indexes: readonly IndexName[];
  /** Eight hex digits that change when the model does; stamped on derived items, for information. */
  readonly fingerprint: string;
  /** The declared types; nothing at run time. */
  readonly definition?: { nodes: N; edges: E };
}

/** Any graph, where the declared types do not matter. */
// biome-ignore lint/suspicious/noExplicitAny: a graph of any declared types; validators are invariant in theirs
export type AnyGraph = Graph<any, any>;

/**
 * Checks and compiles a model. Throws a `ModelError` that names every mistake with its path.
 *
 * @example
 * const graph = defineGraph({
 *   table: 'records',
 *   nodes: { USER: node({ search: { name: { fold: true } } }) },
 *   edges: { FOLLOWS: edge({ from: 'USER', to: 'USER', inbound: { gsi0: 'since' } }) },
 * });
 */
export function defineGraph<
  const N extends NodeDefinitions,
  const E extends EdgeDefinitions<Extract<keyof N, string>> = Record<never, never>,
>(input: GraphInput<N, E>): Graph<N, E> {
  const mistakes: MistakeLog = [];
  const table = compileTable(input?.table, mistakes);
  const nodeInput = recordOf(input?.nodes, 'nodes', mistakes);
  const edgeInput = recordOf(input?.edges ?? {}, 'edges', mistakes);
  const nodes = new Map<string, NodeModel>();
  for (const [type, definition] of Object.entries(nodeInput)) {
    const compiled = compileNode(type, definition, mistakes);
    if (compiled) nodes.set(type, compiled);
  }
  const edges = new Map<string, EdgeModel>();
  for (const [type, definition] of Object.entries(edgeInput)) {
    const compiled = compileEdge(type, definition, new Set(Object.keys(nodeInput)), table, mistakes);
    if (compiled) edges.set(type, compiled);
  }
  if (Object.keys(nodeInput).length === 0 && mistakes.length === 0) {
    mistakes.push({ path: 'nodes', message: 'declares no node type' });
  }
  if (mistakes.length > 0) throw new ModelError(mistakes);
  for (const [type, compiled] of nodes) {
    const ownerOf = [...edges.values()].filter(({ inbound, to }) => inbound?.includeOwner === true && to.has(type));
    if (ownerOf.length > 0) nodes.set(type, { ...compiled, ownerOf });
  }
  const usesGsi1 = [...edges.values()].some((edge) => edge.inbound?.orders.has('gsi1'));
  return {
    table,
    nodes,
    edges,
    indexes: usesGsi1 ? ['gsi0', 'gsi1'] : ['gsi0'],
    fingerprint: hash128(JSON.stringify([nodeInput, edgeInput], fingerprintValue)).slice(0, 8),
  };
}

/** The same model for a table of another name. */
export function withTableName<G extends AnyGraph>(graph: G, name: string): G {
  return { ...graph, table: { ...graph.table, name } };
}

function recordOf(value: unknown, path: string, mistakes: MistakeLog): Record<string, unknown> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  mistakes.push({ path, message: 'should be an object of type names and definitions' });
  return {};
}

/** Validators do not shape derived items; the source text of a `derive` does. */
function fingerprintValue(key: string, value: unknown): unknown {
  if (key === 'fields') return undefined;
  return typeof value === 'function' ? value.toString() : value;
}
