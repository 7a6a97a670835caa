import { EdgeloomError } from '../../../foundation/errors.ts';
import { USUAL_INDEXES } from '../../items/derived-item.ts';
import { hash128 } from '../../items/keys.ts';
import {
  type CompiledModel,
  type EdgeModel,
  indexesInUse,
  listedEdges,
  type NodeModel,
  type TableNames,
} from '../compiled.ts';
import type { EdgeDefinitions, Graph, GraphInput, NodeDefinitions } from '../graph.ts';
import { isJoinedEdge, partsOfEdge } from '../joined.ts';
import { unshapingOptions } from '../options/checks.ts';
import { SEARCH_OPTIONS, textFormVersions } from '../options/option-tables.ts';
import { isPlainObject } from '../options/shape.ts';
import { checkAgainstFields } from './against-fields.ts';
import { checkFeed } from './check-feed.ts';
import { checkNativeIndexes, checkNativeTenants } from './check-native.ts';
import { compileEdge, compileNode, compileTable, ownNames } from './definitions.ts';
import { dueList } from './due-list.ts';
import { Mistakes } from './mistakes.ts';
import { edgeSchema, graphSchema, nodeSchema, partSchema, tableName } from './schemas.ts';

/**
 * Checks and compiles a model. Throws a `ModelError` that lists the mistakes with their paths.
 *
 * @example
 * const graph = defineGraph({
 *   table: 'records',
 *   nodes: { USER: node({ search: { name: { caseInsensitive: true } } }) },
 *   edges: { FOLLOWS: edge({ from: 'USER', to: 'USER', inbound: { orders: { gsi0: 'since' } } }) },
 * });
 */
export function defineGraph<const N extends NodeDefinitions, const E extends EdgeDefinitions = Record<never, never>>(
  input: GraphInput<N, E>,
): Graph<N, E> {
  const mistakes = new Mistakes();
  const table = compileTable(input?.table, mistakes.at('table'));
  if (isPlainObject(input)) {
    // A misspelled `tenantSeparator` would leave tenants unseparated.
    graphSchema(input, (path, message) => mistakes.at(path.join('.') || 'defineGraph').note(message));
  }
  const { tenantSeparator } = input ?? {};
  const nodeInput = recordOf(input?.nodes, mistakes.at('nodes'));
  const edgeInput = recordOf(input?.edges ?? {}, mistakes.at('edges'));
  const mirrored = new Set<unknown>(Array.isArray(input?.mirrored) ? input.mirrored : []);
  const nodes = compileTypes(nodeInput, (type, definition) =>
    compileNode(type, definition, table, mistakes.at(`nodes.${type}`)),
  );
  const nodeTypes = new Set(Object.keys(nodeInput));
  const edges = compileTypes(edgeInput, (type, definition): EdgeModel | undefined => {
    const compiled = compileEdge(type, definition, nodeTypes, table, mistakes.at(`edges.${type}`));
    // Only the mirror deletes mirrored edges, so they don't need a due-list.
    const due = compiled === undefined || mirrored.has(type) ? undefined : dueList(compiled);
    return compiled && { ...compiled, ...(due && { due }), ...(tenantSeparator !== undefined && { tenantSeparator }) };
  });
  if (nodeTypes.size === 0 && !mistakes.areAny) mistakes.at('nodes').note('declares no node type');
  for (const { type, to, copy = [] } of edges.values()) checkCopies(nodes, { type, to, copy }, mistakes);
  for (const edge of edges.values()) checkSourceParts(nodes, edge, mistakes);
  checkAgainstFields({ nodes, edges }, table, mistakes);
  for (const node of nodes.values())
    checkEnds(node, { table, edges: [...edges.values()], mirrored }, mistakes.at(`nodes.${node.type}.expires`));
  for (const edge of edges.values())
    checkEnds(edge, { table, edges: [], mirrored }, mistakes.at(`edges.${edge.type}.expires`));
  checkNativeIndexes({ table, nodes, edges }, mistakes);
  if (tenantSeparator !== undefined) checkNativeTenants({ table, nodes, edges }, mistakes);
  checkMirrored(input?.mirrored, [...nodes.keys(), ...edges.keys()], mistakes.at('mirrored'));
  // Types with mistakes are missing here, so a feed that names them would also seem mistaken.
  if (!mistakes.areAny) checkFeed(input?.feed, { nodes, edges }, mistakes.at('feed'));
  mistakes.throwAny();
  for (const [type, compiled] of nodes) nodes.set(type, withEdgesOfNode(compiled, edges));
  return {
    table,
    nodes,
    edges,
    indexes: indexesInUse(nodes.values(), edges.values()),
    fingerprint: fingerprintOf(nodeInput, edgeInput, tenantSeparator, table.indexes.length),
    ...(input.feed && { feed: input.feed }),
    ...(input.mirrored && { mirrored: new Set<string>(input.mirrored) }),
  };
}

function compileTypes<Model>(
  definitions: Readonly<Record<string, unknown>>,
  compile: (type: string, definition: unknown) => Model | undefined,
): Map<string, Model> {
  const models = new Map<string, Model>();
  for (const [type, definition] of Object.entries(definitions)) {
    const model = compile(type, definition);
    if (model !== undefined) models.set(type, model);
  }
  return models;
}

function withEdgesOfNode(node: NodeModel, edges: ReadonlyMap<string, EdgeModel>): NodeModel {
  const { type, isShownItself, hasView } = node;
  // If reads show the node itself, an index item of the node would have nothing to show.
  const includedBy = [...edges.values()].filter(
    ({ inbound, to }) => inbound?.includeTarget === true && to.has(type) && isShownItself !== true,
  );
  return { ...node, includedBy, hasView: hasView || listedEdges({ edges }, type).length > 0 };
}

/**
 * A mirrored type must not use the table's TTL attribute, because only the mirror may delete its items. Any other type
 * must use that attribute.
 */
function checkEnds(
  { type, expires }: NodeModel | EdgeModel,
  { table, edges, mirrored }: { table: TableNames; edges: readonly EdgeModel[]; mirrored: ReadonlySet<unknown> },
  mistakes: Mistakes,
): void {
  if (expires === undefined) return;
  const isMirrored = mirrored.has(type);
  if (isMirrored && ownNames(table).includes(expires)) {
    mistakes.note(
      `${expires} has a meaning of its own in the table: map the time of the source's item to another attribute`,
    );
  }
  if (!isMirrored && expires !== table.ttl) {
    mistakes.note(
      `names ${expires}, but the table deletes by ${table.ttl}: name that, or give the table the option ttl: '${expires}'`,
    );
  }
  const joined = edges.find((edge) => edge.from.has(type) && isJoinedEdge(edge));
  // These index items would have to change when the node ends, but nothing is written at that time.
  if (joined !== undefined) {
    mistakes.note(
      `cannot end these nodes, because edges.${joined.type}.inbound orders or shows edges by attributes of them: let it use attributes of the edge`,
    );
  }
}

function checkMirrored(given: unknown, types: readonly string[], mistakes: Mistakes): void {
  if (given === undefined) return;
  const names: readonly unknown[] = Array.isArray(given) ? given : [given];
  for (const name of names) {
    if (Array.isArray(given) && types.includes(name as string)) continue;
    mistakes.note(`names ${JSON.stringify(name)}; the types are ${types.join(', ')}`);
  }
}

function checkCopies(
  nodes: ReadonlyMap<string, NodeModel>,
  { type, to, copy }: { type: string; to: ReadonlySet<string>; copy: readonly string[] },
  mistakes: Mistakes,
): void {
  for (const name of copy) {
    const part = name.split('.')[0]!;
    const partOf = [...to].find((target) => nodes.get(target)?.parts.has(part));
    if (partOf === undefined) continue;
    const message = `names ${name}, of a part of ${partOf}: copies are of attributes of the node itself`;
    mistakes.at(`edges.${type}.copy`).note(message);
  }
}

function checkSourceParts(nodes: ReadonlyMap<string, NodeModel>, edge: EdgeModel, mistakes: Mistakes): void {
  const parts = new Set([...edge.from].flatMap((type) => [...(nodes.get(type)?.parts.keys() ?? [])]));
  for (const [part, [attribute]] of partsOfEdge(edge)) {
    if (parts.has(part)) continue;
    const known = parts.size === 0 ? 'which has none' : `whose parts are ${[...parts].join(', ')}`;
    const message = `uses ${part}.${attribute}, but ${part} is no part of ${[...edge.from].join(' or ')}, ${known}`;
    mistakes.at(`edges.${edge.type}.inbound`).note(message);
  }
}

export function withTableName<G extends CompiledModel>(graph: G, name: string): G {
  tableName(name, (_path, message) => {
    const hint = 'Name the table as DynamoDB does, such as records-prod.';
    throw new EdgeloomError('invalid-argument', `The table name ${JSON.stringify(name)} ${message}.`, hint);
  });
  return { ...graph, table: { ...graph.table, name } };
}

function recordOf(value: unknown, mistakes: Mistakes): Record<string, unknown> {
  if (isPlainObject(value)) return value;
  mistakes.note('should be an object of type names and definitions');
  return {};
}

const UNSHAPING = unshapingOptions(nodeSchema, partSchema, edgeSchema);

const FORM_VERSIONS = textFormVersions(SEARCH_OPTIONS);

/** Part of the fingerprint if a type omits `view`, because older versions had a different default. */
const VIEWS_BY_NEED = 'views by need';

/**
 * Returns 8 hex digits that change with nodes, edges, tenants and the number of indexes, but not with the code of
 * functions, which bundlers change. A search may have the name of an ignored option, so options are recognized by their
 * place.
 */
function fingerprintOf(
  nodes: Record<string, unknown>,
  edges: Record<string, unknown>,
  tenantSeparator: string | undefined,
  indexes: number,
): string {
  const isByNeed = Object.values(nodes).some((definition) => optionsOf(definition)['view'] === undefined);
  const ofTypes = [...Object.values(nodes), ...Object.values(edges)].map(optionsOf);
  const ofParts = ofTypes.flatMap(({ parts }) => (isPlainObject(parts) ? Object.values(parts).map(optionsOf) : []));
  const declared = new Set<unknown>([...ofTypes, ...ofParts]);
  const text = JSON.stringify(
    [
      ...[nodes, edges, ...(tenantSeparator === undefined ? [] : [tenantSeparator])],
      ...[...(isByNeed ? [VIEWS_BY_NEED] : []), ...(indexes === USUAL_INDEXES.length ? [] : [indexes])],
    ],
    function (this: unknown, key, value: unknown) {
      const isLeftOut =
        (UNSHAPING.has(key) && declared.has(this)) ||
        (key === 'others' && isPlainObject(this) && this['kind'] === 'derive') ||
        typeof value === 'function';
      if (isLeftOut) return undefined;
      return value === true ? (FORM_VERSIONS.get(key) ?? true) : value;
    },
  );
  return hash128(text).slice(0, 8);
}

function optionsOf(definition: unknown): Record<string, unknown> {
  const options = isPlainObject(definition) ? definition['options'] : undefined;
  return isPlainObject(options) ? options : {};
}
