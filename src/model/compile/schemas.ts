import type { StandardSchemaV1 } from '@standard-schema/spec';
import * as z from 'zod/mini';
import type { Mistake } from '../../errors.ts';
import type { Compute, Projection } from '../compiled.ts';
import { PARSING } from '../parsing.ts';

/** The shapes of a model file's definitions, and how their mistakes are noted. */

/** Mistakes found so far. */
export type MistakeLog = Mistake[];

const MAX_SHARDS = 100_000;
/** An item has 400 KB at most; a batch may add to a view that is just within its budget. */
const MAX_VIEW_BUDGET_BYTES = 380 * 1024;
/** The name of an attribute. */
export const attributeName = z.string().check(z.minLength(1));
const hash = z.enum(['fnv1a', 'codepoint-product']);
const valueType = z.enum(['string', 'number', 'date']);
const shardBy = z.enum(['value', 'source']);
const ENTRY_COUNT = 'should be a whole number of 1 or more';
const SHARD_COUNT = `should be a whole number from 1 to ${MAX_SHARDS}`;
const shardCount = z.int(SHARD_COUNT).check(z.gte(1, SHARD_COUNT), z.lte(MAX_SHARDS, SHARD_COUNT));
/** Which attributes are copied. */
export const projection = z.union([z.enum(['KEYS_ONLY', 'ALL']), z.array(attributeName)], {
  error: "should be 'KEYS_ONLY', 'ALL' or a list of attribute names",
});
/** An attribute of an edge's source node. */
export const sourceSchema = z.strictObject({ kind: z.literal('source'), attribute: attributeName });
/** The name of an attribute, or that of one of the source node. */
const attributeOfEither = z.union([attributeName, sourceSchema], {
  error: 'should be an attribute name or fromSource(name)',
});
/** An order by rank. */
export const rankSchema = z.strictObject({
  kind: z.literal('rank'),
  attribute: attributeOfEither,
  weights: z.record(attributeName, z.int().check(z.gte(0))),
});
const VERSION = 'should be a whole number of 1 or more';
const compute = z.custom<Compute>((value) => typeof value === 'function', { error: 'should be a function' });
/** An order or label that is computed. */
export const deriveSchema = z.strictObject({
  kind: z.literal('derive'),
  compute,
  version: z._default(z.int(VERSION).check(z.gte(1, VERSION)), 1),
  others: z.optional(z.record(z.string().check(z.regex(/^[1-9]\d*$/, VERSION)), compute)),
});
/** An order with its value type. */
export const typedOrder = z.strictObject({ from: attributeOfEither, type: z.optional(valueType) });
/** Which of the four forms an order has is told first, so that the mistake named is the one inside that form. */
const order = z.unknown();
const standardSchema = z.custom<StandardSchemaV1>(
  (value) => (typeof value === 'object' || typeof value === 'function') && value !== null && '~standard' in value,
  { error: 'should be a Standard Schema validator (zod, valibot, arktype)' },
);
/** Attribute names, of which there is one at least. */
function namesOf(noList: string | undefined, noName: string) {
  return z.array(attributeName, noList).check(z.minLength(1, noName));
}
/** Options of a search. */
export const searchSchema = z.strictObject({
  from: z.optional(order),
  type: z.optional(valueType),
  shards: z.optional(z.union([shardCount, z.literal('value')], { error: `${SHARD_COUNT}, or 'value'` })),
  shardBy: z.optional(shardBy),
  hash: z.optional(hash),
  fold: z.optional(z.boolean()),
  each: z.optional(z.boolean()),
  partition: z.optional(attributeName),
  path: z.optional(namesOf('should be a list of attribute names', 'should name at least one attribute')),
  project: z.optional(projection),
});
/** Options of a node type. */
export const nodeSchema = z.strictObject({
  fields: z.optional(standardSchema),
  view: z.optional(projection),
  viewBudgetBytes: z.optional(z.int().check(z.gte(1024), z.lte(MAX_VIEW_BUDGET_BYTES))),
  maxEntries: z.optional(
    z.record(
      attributeName,
      z.int(ENTRY_COUNT).check(z.gte(1, ENTRY_COUNT)),
      'should be an object of attribute names and limits',
    ),
  ),
  versionAttribute: z.optional(attributeName),
  list: z.optional(z.boolean()),
  search: z.optional(z.record(attributeName, z.unknown())),
});
/** What `from` and `to` of an edge type should be. */
export const NODE_TYPES = 'should be a node type or a list of them';
const typeNames = z.union([z.string(), z.array(z.string()).check(z.minLength(1, NODE_TYPES))], { error: NODE_TYPES });
/** Options of an edge type; its orders have a schema of their own. */
export const edgeSchema = z.strictObject({
  fields: z.optional(standardSchema),
  // Needed, but told apart from the rest: see checkNodeTypes.
  from: z.optional(typeNames),
  to: z.optional(typeNames),
  edgeSet: z.optional(
    z.union(
      [z.literal(false), z.array(attributeName), z.record(attributeName, z.union([attributeName, deriveSchema]))],
      { error: 'should be false, a list of attribute names, or an object of labels' },
    ),
  ),
  inbound: z.optional(z.unknown()),
  degree: z.optional(z.boolean()),
  keys: z.optional(z.enum(['plain', 'hashed'], { error: "should be 'plain' or 'hashed'" })),
  copy: z.optional(namesOf(undefined, 'names no attribute: give those of the target node to copy')),
});
/** What stands beside the orders of an edge type. */
export const inboundSchema = z.strictObject({
  shards: z.optional(shardCount),
  shardBy: z.optional(shardBy),
  hash: z.optional(hash),
  project: z.optional(projection),
  projectSource: z.optional(
    namesOf(
      "should be a list of the source node's attribute names",
      'names no attribute: give those of the source node to project',
    ),
  ),
  partition: z.optional(attributeOfEither),
  includeOwner: z.optional(z.boolean()),
});
/** What DynamoDB takes as the name of a table or an index. */
const TABLE_NAME = /^[A-Za-z0-9_.-]{3,255}$/;
const TABLE_NAME_RULE = 'should be 3 to 255 of the characters A-Z, a-z, 0-9, _, - and .';
/** The name of a table or of an index. */
export const tableName = z.string(TABLE_NAME_RULE).check(z.regex(TABLE_NAME, TABLE_NAME_RULE));
/** Options of the table. */
export const tableSchema = z.strictObject({
  name: tableName,
  partitionKey: z.optional(attributeName),
  sortKey: z.optional(attributeName),
  ttl: z.optional(attributeName),
  indexes: z.optional(z.strictObject({ gsi0: z.optional(tableName), gsi1: z.optional(tableName) })),
});

/** Compiles a projection. */
export function compileProjection(input: z.infer<typeof projection>): Projection {
  return typeof input === 'string' ? { kind: input } : { kind: 'LIST', attributes: [...new Set(input)] };
}

/**
 * Parses one part of a model and notes every issue under its path. What is not mistaken comes back, so that compiling
 * goes on and finds the mistakes in the rest.
 */
export function parsedPart<Schema extends z.ZodMiniType>(
  schema: Schema,
  input: unknown,
  path: string,
  mistakes: MistakeLog,
): z.infer<Schema> | undefined {
  if (input === undefined && path !== 'table') return undefined;
  const result = schema.safeParse(input, PARSING);
  if (result.success) return result.data;
  for (const issue of result.error.issues) {
    mistakes.push({ path: [path, ...issue.path.map(String)].join('.'), message: issueText(issue) });
  }
  return restOf(schema, input, result.error.issues);
}

/** An object without its options that are mistaken, so that mistakes in its other options are told at once as well. */
function restOf<Schema extends z.ZodMiniType>(
  schema: Schema,
  input: unknown,
  issues: readonly z.core.$ZodIssue[],
): z.infer<Schema> | undefined {
  if (typeof input !== 'object' || input === null) return undefined;
  const mistaken = new Set<unknown>();
  for (const issue of issues) {
    if (issue.code === 'unrecognized_keys' && issue.path.length === 0) for (const key of issue.keys) mistaken.add(key);
    else mistaken.add(issue.path[0]);
  }
  return schema.safeParse(Object.fromEntries(Object.entries(input).filter(([name]) => !mistaken.has(name))), PARSING)
    .data;
}

function issueText(issue: z.core.$ZodIssue): string {
  if (issue.code === 'unrecognized_keys')
    return `has no option ${issue.keys.map((key) => JSON.stringify(key)).join(', ')}`;
  return issue.message.charAt(0).toLowerCase() + issue.message.slice(1);
}
