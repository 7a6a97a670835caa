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

const MAX_SHARDS = 100_000;

export const attributeName: Shape<string> = shapeThatPasses(
  (input) => typeof input === 'string' && input.length > 0,
  'should be a string that is not empty',
);
export const hash = oneOf('fnv1a', 'codepoint-product');
export const valueType = oneOf('string', 'number', 'date');
export const shardBy = oneOf('value', 'source');
export const positive = wholeNumberBetween(1);
export const shardCount = wholeNumberBetween(1, MAX_SHARDS);
export const projection = either(
  [oneOf('KEYS_ONLY', 'ALL'), listOf(attributeName)],
  "should be 'KEYS_ONLY', 'ALL' or a list of attribute names",
);
export const sourceSchema = exactObject({ kind: oneOf('source'), attribute: attributeName });
export const attributeOfEither = either([attributeName, sourceSchema], 'should be an attribute name or source(name)');
export const standardSchema = shapeThatPasses<StandardSchemaV1>(
  (input) => (typeof input === 'object' || typeof input === 'function') && input !== null && '~standard' in input,
  'should be a Standard Schema validator (zod, valibot, arktype)',
);

export function nonEmptyAttributeNames(noName: string): Shape<string[]> {
  return listOf(attributeName, 'should be a list of attribute names', noName);
}

const unshaping = new Set<Shape<unknown>>();

/** Marks an option that a model's fingerprint ignores. */
export function unshapingOption<T>(check: Shape<T>): Shape<T | undefined> {
  const marked = optional(check);
  unshaping.add(marked);
  return marked;
}

export function unshapingOptions(...definitions: readonly { readonly of: Shapes }[]): ReadonlySet<string> {
  const options = definitions.flatMap(({ of }) => Object.entries(of));
  return new Set(options.filter(([, check]) => unshaping.has(check)).map(([name]) => name));
}
