import type { StandardSchemaV1 } from '@standard-schema/spec';
import type * as z from 'zod';
import { compileOrder, type OrderModel } from './compile-order.ts';
import {
  type Compute,
  check,
  edgeSchema,
  inboundSchema,
  type MistakeLog,
  NODE_TYPES,
  nodeSchema,
  type projection,
  searchSchema,
  tableSchema,
} from './compile-schemas.ts';
import { DERIVED_ATTRIBUTES } from './derived-item.ts';
import type { IndexName } from './graph.ts';
import { TARGET_ID } from './hashed-key.ts';
import { isTypeName } from './keys.ts';
import type { HashName } from './shard.ts';

export type { OrderModel } from './compile-order.ts';
export type { Compute, MistakeLog } from './compile-schemas.ts';

/** The name is part of the sort keys of search items, escaped, and leaves room there for a hashed value. */
const MAX_SEARCH_NAME_BYTES = 255;

/**
 * Compiles the definitions of a model file into the form that the planner, writer and reader use, and collects every
 * mistake on the way. Model files are also written in plain JavaScript, so nothing is taken on trust.
 */

/** The table's name and those of its attributes and indexes. */
export interface TableNames {
  name: string;
  partitionKey: string;
  sortKey: string;
  ttl: string;
  indexNames: Readonly<Record<IndexName, string>>;
}

/** Which attributes of a base item are copied into a derived item. */
export type Projection = { kind: 'KEYS_ONLY' } | { kind: 'ALL' } | { kind: 'LIST'; attributes: readonly string[] };

/** One search attribute of a node type. */
export interface SearchModel {
  /** `USER.name`: the index partition without its suffixes. */
  indexPartition: string;
  name: string;
  order: OrderModel;
  each: boolean;
  fold: boolean;
  shards: number | 'value';
  shardBy: 'value' | 'source';
  hash: HashName;
  partition?: string;
  project: Projection;
}

/** A compiled node type. */
export interface NodeModel {
  type: string;
  fields?: StandardSchemaV1;
  view: Projection;
  /** Bytes that a view may have; undefined: the default. */
  viewBudgetBytes?: number;
  searches: ReadonlyMap<string, SearchModel>;
}

/** A label of an edge-set element. */
export interface LabelModel {
  name: string;
  from: { kind: 'attribute'; attribute: string } | { kind: 'derive'; compute: Compute };
}

/** How an edge type's index items are made. */
export interface InboundModel {
  orders: ReadonlyMap<IndexName, OrderModel>;
  shards: number;
  shardBy: 'value' | 'source';
  hash: HashName;
  project: Projection;
}

/** A compiled edge type. */
export interface EdgeModel {
  type: string;
  fields?: StandardSchemaV1;
  from: ReadonlySet<string>;
  to: ReadonlySet<string>;
  /** Labels of the set element; undefined where the type is left out of the set. */
  labels?: readonly LabelModel[];
  inbound?: InboundModel;
  /** Whether each node's edges of this type are counted. */
  degree: boolean;
  /** How sort keys are made. */
  keys: 'plain' | 'hashed';
}

/** Compiles the `table` entry. */
export function compileTable(input: unknown, mistakes: MistakeLog): TableNames {
  const options = check(tableSchema, typeof input === 'string' ? { name: input } : input, 'table', mistakes);
  const names = {
    partitionKey: options?.partitionKey ?? 'source',
    sortKey: options?.sortKey ?? 'target',
    ttl: options?.ttl ?? 'expiresAt',
  };
  const entries = Object.entries(names);
  for (const [option, name] of entries) {
    if (DERIVED_ATTRIBUTES.has(name)) {
      mistakes.push({ path: `table.${option}`, message: `${JSON.stringify(name)} is an attribute of derived items` });
    }
    if (entries.some(([other, otherName]) => other !== option && otherName === name)) {
      mistakes.push({ path: `table.${option}`, message: `${JSON.stringify(name)} is named twice` });
    }
  }
  const indexNames = { gsi0: options?.indexes?.gsi0 ?? 'gsi0', gsi1: options?.indexes?.gsi1 ?? 'gsi1' };
  if (indexNames.gsi0 === indexNames.gsi1)
    mistakes.push({ path: 'table.indexes', message: 'both indexes have one name' });
  return { name: options?.name ?? '', ...names, indexNames };
}

/** Compiles a node type; undefined where it has mistakes. */
export function compileNode(type: string, definition: unknown, mistakes: MistakeLog): NodeModel | undefined {
  const path = `nodes.${type}`;
  checkType(type, path, mistakes);
  const options = check(nodeSchema, definitionOptions(definition, 'node', path, mistakes), path, mistakes);
  if (options === undefined) return undefined;
  const searches = new Map<string, SearchModel>();
  for (const [name, entry] of Object.entries(options.search ?? {})) {
    const search = compileSearch(type, name, entry, `${path}.search.${name}`, mistakes);
    if (search) searches.set(name, search);
  }
  const { fields, view, viewBudgetBytes } = options;
  return { type, fields, view: compileProjection(view ?? 'ALL'), viewBudgetBytes, searches };
}

function compileSearch(
  type: string,
  name: string,
  entry: unknown,
  path: string,
  mistakes: MistakeLog,
): SearchModel | undefined {
  const isShort = typeof entry === 'string' || (typeof entry === 'object' && entry !== null && 'kind' in entry);
  const options = check(searchSchema, isShort ? { from: entry } : entry, path, mistakes);
  if (options === undefined) return undefined;
  const order = compileOrder(options.from ?? name, options.type, path, mistakes);
  const fold = options.fold ?? false;
  const each = options.each ?? false;
  const shards = options.shards ?? 200;
  const add = (message: string): unknown => mistakes.push({ path, message });
  if (Buffer.byteLength(name) > MAX_SEARCH_NAME_BYTES) add(`has a name of more than ${MAX_SEARCH_NAME_BYTES} bytes`);
  if (fold && (order.kind !== 'attribute' || order.type !== 'string'))
    add('fold applies to attributes of type string only');
  if (each && order.kind !== 'attribute') add('each applies to an attribute, not to rank or derive');
  if (shards === 'value' && options.shardBy !== undefined) add("shardBy has no meaning with shards: 'value'");
  if (shards === 'value' && options.hash !== undefined) add("hash has no meaning with shards: 'value'");
  return {
    indexPartition: `${type}.${name}`,
    name,
    order,
    each,
    fold,
    shards,
    shardBy: options.shardBy ?? 'value',
    hash: options.hash ?? 'fnv1a',
    partition: options.partition,
    project: compileProjection(options.project ?? 'KEYS_ONLY'),
  };
}

/** Compiles an edge type; undefined where it has mistakes. */
export function compileEdge(
  type: string,
  definition: unknown,
  nodeTypes: ReadonlySet<string>,
  table: TableNames,
  mistakes: MistakeLog,
): EdgeModel | undefined {
  const path = `edges.${type}`;
  checkType(type, path, mistakes);
  const options = check(edgeSchema, definitionOptions(definition, 'edge', path, mistakes), path, mistakes);
  if (options === undefined) return undefined;
  const from = checkNodeTypes(options.from, `${path}.from`, nodeTypes, mistakes);
  const to = checkNodeTypes(options.to, `${path}.to`, nodeTypes, mistakes);
  // The edge `GOAL` from `GOAL-USER-U1` to `USER-U1` would have the key of the node `GOAL-USER-U1`.
  if (from.has(type)) {
    mistakes.push({
      path,
      message: `has the name of a node type that it leaves; its keys would collide with that node's`,
    });
  }
  return {
    type,
    fields: options.fields,
    from,
    to,
    labels: compileLabels(options.edgeSet, path, mistakes),
    inbound: compileInbound(options.inbound, `${path}.inbound`, mistakes),
    degree: options.degree ?? false,
    keys: compileKeys(options.keys, table, `${path}.keys`, mistakes),
  };
}

function compileKeys(
  option: EdgeModel['keys'] = 'plain',
  { partitionKey, sortKey, ttl }: TableNames,
  path: string,
  mistakes: MistakeLog,
): EdgeModel['keys'] {
  if (option === 'hashed' && [partitionKey, sortKey, ttl].includes(TARGET_ID)) {
    mistakes.push({ path, message: `hashed keys need the attribute ${TARGET_ID}, which the table option names` });
  }
  return option;
}

function compileLabels(
  option: z.infer<typeof edgeSchema>['edgeSet'],
  path: string,
  mistakes: MistakeLog,
): LabelModel[] | undefined {
  if (option === false) return undefined;
  const entries = Array.isArray(option) ? option.map((name) => [name, name] as const) : Object.entries(option ?? {});
  const seen = new Set<string>();
  return entries.map(([name, from]): LabelModel => {
    const labelPath = `${path}.edgeSet.${name}`;
    if (name === 'type' || name === 'target') {
      mistakes.push({ path: labelPath, message: `${name} is part of every element; name the label otherwise` });
    }
    if (seen.has(name)) mistakes.push({ path: labelPath, message: 'is listed twice' });
    seen.add(name);
    return typeof from === 'string'
      ? { name, from: { kind: 'attribute', attribute: from } }
      : { name, from: { kind: 'derive', compute: from.compute } };
  });
}

function compileInbound(input: unknown, path: string, mistakes: MistakeLog): InboundModel | undefined {
  const option = check(inboundSchema, input, path, mistakes);
  if (option === undefined) return undefined;
  const orders = new Map<IndexName, OrderModel>();
  for (const index of ['gsi0', 'gsi1'] as const) {
    const entry = option[index];
    if (entry !== undefined) orders.set(index, compileOrder(entry, undefined, `${path}.${index}`, mistakes));
  }
  if (orders.size === 0) mistakes.push({ path, message: 'names no order: give gsi0, gsi1 or both' });
  return {
    orders,
    shards: option.shards ?? 1,
    shardBy: option.shardBy ?? 'source',
    hash: option.hash ?? 'fnv1a',
    project: compileProjection(option.project ?? 'KEYS_ONLY'),
  };
}

function compileProjection(input: z.infer<typeof projection>): Projection {
  return typeof input === 'string' ? { kind: input } : { kind: 'LIST', attributes: [...new Set(input)] };
}

function checkType(type: string, path: string, mistakes: MistakeLog): void {
  if (!isTypeName(type)) mistakes.push({ path, message: 'is not a type name: types match [A-Z][A-Z0-9_]*' });
}

function checkNodeTypes(
  input: string | string[] | undefined,
  path: string,
  nodeTypes: ReadonlySet<string>,
  mistakes: MistakeLog,
): Set<string> {
  if (input === undefined && !mistakes.some((mistake) => mistake.path.startsWith(path))) {
    mistakes.push({ path, message: NODE_TYPES });
  }
  const types = new Set(typeof input === 'string' ? [input] : input);
  for (const type of types) {
    if (!nodeTypes.has(type))
      mistakes.push({ path, message: `${JSON.stringify(type)} is not a node type of the model` });
  }
  return types;
}

function definitionOptions(definition: unknown, kind: 'node' | 'edge', path: string, mistakes: MistakeLog): unknown {
  if (typeof definition === 'object' && definition !== null && 'kind' in definition && 'options' in definition) {
    if (definition.kind === kind) return definition.options;
  }
  mistakes.push({ path, message: `should be made with ${kind}({ ... })` });
  return undefined;
}
