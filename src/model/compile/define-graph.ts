import { EdgeloomError, ModelError } from '../../errors.ts';
import { hash128 } from '../../items/keys.ts';
import type { CompiledModel, EdgeModel, NodeModel } from '../compiled.ts';
import type { EdgeDefinitions, Graph, GraphInput, NodeDefinitions } from '../graph.ts';
import { compileEdge, compileNode, compileTable } from './definitions.ts';
import { type MistakeLog, tableName } from './schemas.ts';

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
    const compiled = compileNode(type, definition, table, mistakes);
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

/** The same model for a table of another name; throws `invalid-option` for what is no name of a table. */
export function withTableName<G extends CompiledModel>(graph: G, name: string): G {
  const { error } = tableName.safeParse(name);
  if (error !== undefined) {
    throw new EdgeloomError('invalid-option', `The table name ${JSON.stringify(name)} ${error.issues[0]!.message}.`);
  }
  return { ...graph, table: { ...graph.table, name } };
}

function recordOf(value: unknown, path: string, mistakes: MistakeLog): Record<string, unknown> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  mistakes.push({ path, message: 'should be an object of type names and definitions' });
  return {};
}

/** Neither validators nor version attributes shape derived items. Of a `derive` its version counts: a bundler changes its text. */
const UNSHAPING: ReadonlySet<string> = new Set(['fields', 'versionAttribute', 'others']);

function fingerprintValue(key: string, value: unknown): unknown {
  return UNSHAPING.has(key) || typeof value === 'function' ? undefined : value;
}
