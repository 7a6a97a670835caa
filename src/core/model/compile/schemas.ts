import { INDEX_NAMES, type IndexName } from '../../items/derived-item.ts';
import { TENANT_SEPARATORS } from '../../items/keys.ts';
import type { Compute } from '../compiled.ts';
import {
  attributeName,
  attributeOfEither,
  nonEmptyAttributeNames,
  positive,
  projection,
  standardSchema,
  unshapingOption,
} from '../options/checks.ts';
import { checksOf, INBOUND_OPTIONS, PART_OPTIONS, SEARCH_OPTIONS } from '../options/option-tables.ts';
import {
  anything,
  either,
  exactObject,
  flag,
  hasShape,
  listOf,
  oneOf,
  optional,
  recordOf,
  type Shape,
  type Shaped,
  type Shapes,
  shapeThatPasses,
  text,
  wholeNumberBetween,
} from '../options/shape.ts';
import type { InboundOptions, SearchOptions } from '../schema.ts';
import type { Mistakes } from './mistakes.ts';

/** An item has at most 400 KB, and a batch may still add to a view that is just within its budget. */
const MAX_VIEW_BUDGET_BYTES = 380 * 1024;
export const rankSchema = exactObject({
  kind: oneOf('rank'),
  attribute: attributeOfEither,
  weights: recordOf(attributeName, wholeNumberBetween(0)),
});
const compute = shapeThatPasses<Compute>((input) => typeof input === 'function', 'should be a function');
export const deriveSchema = exactObject({
  kind: oneOf('derive'),
  compute,
  version: optional(positive),
  others: optional(
    recordOf(
      shapeThatPasses((name) => /^[1-9]\d*$/.test(String(name)), positive.message),
      compute,
    ),
  ),
});
export const typedOrder = exactObject({ kind: oneOf('date', 'number'), attribute: attributeOfEither });
const attributeNames = listOf(attributeName, 'should be a list of attribute names');
export const searchSchema = exactObject(
  checksOf(SEARCH_OPTIONS) satisfies Record<keyof SearchOptions<unknown>, Shape<unknown>>,
);
export const partSchema = exactObject(checksOf(PART_OPTIONS));
export const nodeSchema = exactObject({
  fields: unshapingOption(standardSchema),
  view: optional(projection),
  viewBudgetBytes: optional(wholeNumberBetween(1024, MAX_VIEW_BUDGET_BYTES)),
  maxEntries: optional(recordOf(attributeName, positive, 'should be an object of attribute names and limits')),
  versionAttribute: unshapingOption(attributeName),
  deletedWhen: optional(attributeName),
  expires: optional(attributeName),
  list: optional(flag),
  search: optional(recordOf(attributeName, anything)),
  parts: optional(recordOf(text, anything, 'should be an object of names and parts')),
});
export const NODE_TYPES = 'should be a node type or a list of them';
const typeNames = either([text, listOf(text, NODE_TYPES, NODE_TYPES)], NODE_TYPES);
export const edgeSchema = exactObject({
  fields: unshapingOption(standardSchema),
  // `from` and `to` are required, which `checkNodeTypes` checks.
  from: optional(typeNames),
  to: optional(typeNames),
  edgeSet: optional(
    either(
      [
        oneOf(false),
        attributeNames,
        recordOf(attributeName, either([attributeName, deriveSchema], 'should be an attribute name or derive(...)')),
      ],
      'should be false, a list of attribute names, or an object of labels',
    ),
  ),
  inbound: anything,
  outgoing: anything,
  degree: optional(flag),
  deletedWhen: optional(attributeName),
  expires: optional(attributeName),
  keys: optional(oneOf('plain', 'hashed')),
  copy: optional(nonEmptyAttributeNames('names no attribute: give those of the target node to copy')),
});
export const inboundSchema = exactObject(
  checksOf(INBOUND_OPTIONS) satisfies Record<keyof InboundOptions<unknown>, Shape<unknown>>,
);
export const graphSchema = exactObject({
  table: anything,
  nodes: anything,
  edges: anything,
  mirrored: anything,
  feed: anything,
  tenantSeparator: optional(oneOf(...TENANT_SEPARATORS)),
});
const NAME_OF_TABLE = 'should be 3 to 255 of the characters A-Z, a-z, 0-9, _, - and .';
export const tableName: Shape<string> = shapeThatPasses(
  (input) => typeof input === 'string' && /^[A-Za-z0-9_.-]{3,255}$/.test(input),
  NAME_OF_TABLE,
);
export const indexSchema = exactObject({
  name: optional(tableName),
  partitionKey: optional(attributeName),
  sortKey: optional(attributeName),
});
const index = either([tableName, indexSchema], `${NAME_OF_TABLE}, or { name, partitionKey, sortKey }`);
const namesOfIndexes = exactObject(
  Object.fromEntries(INDEX_NAMES.map((name) => [name, optional(index)])) as Record<
    IndexName,
    Shape<Shaped<typeof index> | undefined>
  >,
);
const numberOfIndexes = wholeNumberBetween(1, INDEX_NAMES.length);
const indexes: Shape<number | Shaped<typeof namesOfIndexes>> = (input, note) =>
  (typeof input === 'number' ? numberOfIndexes : namesOfIndexes)(input, note);
export const tableSchema = exactObject({
  name: tableName,
  partitionKey: optional(attributeName),
  sortKey: optional(attributeName),
  ttl: optional(attributeName),
  indexes: optional(indexes),
  nativeIndexes: optional(
    recordOf(
      tableName,
      exactObject({ partitionKey: attributeName, sortKey: attributeName }),
      'should be an object of index names, each with { partitionKey, sortKey }',
    ),
  ),
});

/** Notes mistakes and returns the valid options, so that compiling them finds further mistakes. */
export function checkShape<T>(
  shape: Shape<T> & { readonly of?: Shapes },
  input: unknown,
  mistakes: Mistakes,
): T | undefined {
  if (input === undefined) return undefined;
  let isMistaken = false;
  shape(input, (inner, message) => {
    isMistaken = true;
    (inner.length === 0 ? mistakes : mistakes.at(inner.join('.'))).note(message);
  });
  if (!isMistaken) return input as T;
  if (shape.of === undefined || typeof input !== 'object' || input === null) return undefined;
  const { of } = shape;
  const rest = Object.entries(input).filter(([name, value]) => Object.hasOwn(of, name) && hasShape(of[name]!, value));
  const part: unknown = Object.fromEntries(rest);
  return hasShape(shape, part) ? part : undefined;
}
