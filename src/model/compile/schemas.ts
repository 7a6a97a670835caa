import type { StandardSchemaV1 } from '@standard-schema/spec';
import * as z from 'zod';
import type { Mistake } from '../../errors.ts';
import type { Compute, Projection } from '../compiled.ts';

/** The shapes of a model file's definitions, and how their mistakes are noted. */

/** Mistakes found so far. */
export type MistakeLog = Mistake[];

const MAX_SHARDS = 100_000;
/** An item has 400 KB at most; a batch may add to a view that is just within its budget. */
const MAX_VIEW_BUDGET_BYTES = 380 * 1024;
/** The name of an attribute. */
export const attributeName = z.string().min(1);
const hash = z.enum(['fnv1a', 'codepoint-product']);
const valueType = z.enum(['string', 'number', 'date']);
const shardBy = z.enum(['value', 'source']);
const ENTRY_COUNT = 'should be a whole number of 1 or more';
const SHARD_COUNT = `should be a whole number from 1 to ${MAX_SHARDS}`;
const shardCount = z.int(SHARD_COUNT).min(1, SHARD_COUNT).max(MAX_SHARDS, SHARD_COUNT);
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
  weights: z.record(z.string().min(1), z.int().min(0)),
});
const VERSION = 'should be a whole number of 1 or more';
const compute = z.custom<Compute>((value) => typeof value === 'function', { error: 'should be a function' });
/** An order or label that is computed. */
export const deriveSchema = z.strictObject({
  kind: z.literal('derive'),
  compute,
  version: z.int(VERSION).min(1, VERSION).default(1),
  others: z.record(z.string().regex(/^[1-9]\d*$/, VERSION), compute).optional(),
});
/** An order with its value type. */
export const typedOrder = z.strictObject({ from: attributeOfEither, type: valueType.optional() });
/** Which of the four forms an order has is told first, so that the mistake named is the one inside that form. */
const order = z.unknown();
const standardSchema = z.custom<StandardSchemaV1>(
  (value) => (typeof value === 'object' || typeof value === 'function') && value !== null && '~standard' in value,
  { error: 'should be a Standard Schema validator (zod, valibot, arktype)' },
);
/** Options of a search. */
export const searchSchema = z.strictObject({
  from: order.optional(),
  type: valueType.optional(),
  shards: z.union([shardCount, z.literal('value')], { error: `${SHARD_COUNT}, or 'value'` }).optional(),
  shardBy: shardBy.optional(),
  hash: hash.optional(),
  fold: z.boolean().optional(),
  each: z.boolean().optional(),
  partition: attributeName.optional(),
  path: z
    .array(attributeName, 'should be a list of attribute names')
    .min(1, 'should name at least one attribute')
    .optional(),
  project: projection.optional(),
});
/** Options of a node type. */
export const nodeSchema = z.strictObject({
  fields: standardSchema.optional(),
  view: projection.optional(),
  viewBudgetBytes: z.int().min(1024).max(MAX_VIEW_BUDGET_BYTES).optional(),
  maxEntries: z
    .record(attributeName, z.int(ENTRY_COUNT).min(1, ENTRY_COUNT), 'should be an object of attribute names and limits')
    .optional(),
  versionAttribute: attributeName.optional(),
  list: z.boolean().optional(),
  search: z.record(attributeName, z.unknown()).optional(),
});
/** What `from` and `to` of an edge type should be. */
export const NODE_TYPES = 'should be a node type or a list of them';
const typeNames = z.union([z.string(), z.array(z.string()).min(1, NODE_TYPES)], { error: NODE_TYPES });
/** Options of an edge type; its orders have a schema of their own. */
export const edgeSchema = z.strictObject({
  fields: standardSchema.optional(),
  // Needed, but told apart from the rest: see checkNodeTypes.
  from: typeNames.optional(),
  to: typeNames.optional(),
  edgeSet: z
    .union(
      [z.literal(false), z.array(attributeName), z.record(attributeName, z.union([attributeName, deriveSchema]))],
      {
        error: 'should be false, a list of attribute names, or an object of labels',
      },
    )
    .optional(),
  inbound: z.unknown().optional(),
  degree: z.boolean().optional(),
  keys: z.enum(['plain', 'hashed'], { error: "should be 'plain' or 'hashed'" }).optional(),
  copy: z.array(attributeName).min(1, 'names no attribute: give those of the target node to copy').optional(),
});
/** What stands beside the orders of an edge type. */
export const inboundSchema = z.strictObject({
  shards: shardCount.optional(),
  shardBy: shardBy.optional(),
  hash: hash.optional(),
  project: projection.optional(),
  projectSource: z
    .array(attributeName, "should be a list of the source node's attribute names")
    .min(1, 'names no attribute: give those of the source node to project')
    .optional(),
  partition: attributeOfEither.optional(),
  includeOwner: z.boolean().optional(),
});
/** What DynamoDB takes as the name of a table or an index. */
const TABLE_NAME = /^[A-Za-z0-9_.-]{3,255}$/;
const TABLE_NAME_RULE = 'should be 3 to 255 of the characters A-Z, a-z, 0-9, _, - and .';
/** The name of a table or of an index. */
export const tableName = z.string(TABLE_NAME_RULE).regex(TABLE_NAME, TABLE_NAME_RULE);
/** Options of the table. */
export const tableSchema = z.strictObject({
  name: tableName,
  partitionKey: attributeName.optional(),
  sortKey: attributeName.optional(),
  ttl: attributeName.optional(),
  indexes: z.strictObject({ gsi0: tableName.optional(), gsi1: tableName.optional() }).optional(),
});

/** Compiles a projection. */
export function compileProjection(input: z.infer<typeof projection>): Projection {
  return typeof input === 'string' ? { kind: input } : { kind: 'LIST', attributes: [...new Set(input)] };
}

/**
 * Parses one part of a model and notes every issue under its path. What is not mistaken comes back, so that compiling
 * goes on and finds the mistakes in the rest.
 */
export function parsedPart<Schema extends z.ZodType>(
  schema: Schema,
  input: unknown,
  path: string,
  mistakes: MistakeLog,
): z.infer<Schema> | undefined {
  if (input === undefined && path !== 'table') return undefined;
  const result = schema.safeParse(input);
  if (result.success) return result.data;
  for (const issue of result.error.issues) {
    mistakes.push({ path: [path, ...issue.path.map(String)].join('.'), message: issueText(issue) });
  }
  return restOf(schema, input, result.error.issues);
}

/** An object without its options that are mistaken, so that mistakes in its other options are told at once as well. */
function restOf<Schema extends z.ZodType>(
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
  return schema.safeParse(Object.fromEntries(Object.entries(input).filter(([name]) => !mistaken.has(name)))).data;
}

function issueText(issue: z.core.$ZodIssue): string {
  if (issue.code === 'unrecognized_keys')
    return `has no option ${issue.keys.map((key) => JSON.stringify(key)).join(', ')}`;
  return issue.message.charAt(0).toLowerCase() + issue.message.slice(1);
}
