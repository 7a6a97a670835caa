import type { StandardSchemaV1 } from '@standard-schema/spec';
import {
  either,
  exactObject,
  listOf,
  oneOf,
  optional,
  type Shape,
  type Shapes,
  shapeThatPasses,
  wholeNumberBetween,
} from './shape.ts';

/** The checks of values that options of a model file take. */

const MAX_SHARDS = 100_000;

/** The name of an attribute. */
export const attributeName: Shape<string> = shapeThatPasses(
  (input) => typeof input === 'string' && input.length > 0,
  'should be a string that is not empty',
);
/** A hash of shards. */
export const hash = oneOf('fnv1a', 'codepoint-product');
/** The type of an attribute that orders. */
export const valueType = oneOf('string', 'number', 'date');
/** The text that a shard comes from. */
export const shardBy = oneOf('value', 'source');
/** A whole number of 1 or more. */
export const positive = wholeNumberBetween(1);
/** A number of shards. */
export const shardCount = wholeNumberBetween(1, MAX_SHARDS);
/** Which attributes are copied. */
export const projection = either(
  [oneOf('KEYS_ONLY', 'ALL'), listOf(attributeName)],
  "should be 'KEYS_ONLY', 'ALL' or a list of attribute names",
);
/** An attribute of an edge's source node. */
export const sourceSchema = exactObject({ kind: oneOf('source'), attribute: attributeName });
/** The name of an attribute, or that of one of the source node. */
export const attributeOfEither = either([attributeName, sourceSchema], 'should be an attribute name or source(name)');
/** A validator of attributes. */
export const standardSchema = shapeThatPasses<StandardSchemaV1>(
  (input) => (typeof input === 'object' || typeof input === 'function') && input !== null && '~standard' in input,
  'should be a Standard Schema validator (zod, valibot, arktype)',
);

/** Attribute names, of which there is one at least. */
export function nonEmptyAttributeNames(noName: string): Shape<string[]> {
  return listOf(attributeName, 'should be a list of attribute names', noName);
}

const unshaping = new Set<Shape<unknown>>();

/** The check of an option that shapes no derived item. The fingerprint of a model leaves such options out. */
export function unshapingOption<T>(check: Shape<T>): Shape<T | undefined> {
  const marked = optional(check);
  unshaping.add(marked);
  return marked;
}

/** The names of the options with such a check, of all of these definitions. */
export function unshapingOptions(...definitions: readonly { readonly of: Shapes }[]): ReadonlySet<string> {
  const options = definitions.flatMap(({ of }) => Object.entries(of));
  return new Set(options.filter(([, check]) => unshaping.has(check)).map(([name]) => name));
}
