import type { StandardJSONSchemaV1, StandardSchemaV1 } from '@standard-schema/spec';
import { isPlainObject } from './options/shape.ts';

/**
 * The attributes that `fields` allows, read from the validator's JSON Schema (Zod from 4.2, ArkType). For other
 * validators, only TypeScript checks a model.
 */

export interface ValueForm {
  kind: 'text' | 'number' | 'boolean' | 'null' | 'list' | 'map' | 'Date';
  /** Only set if no other string is possible. */
  text?: string;
  /** The entries of a list or set; undefined if unknown. */
  entries?: readonly ValueForm[];
}

export interface KnownFields {
  forms: ReadonlyMap<string, readonly ValueForm[] | undefined>;
  isOpen: boolean;
  required: ReadonlySet<string>;
}

type Schema = Readonly<Record<string, unknown>>;

/** Schemas by Zod's type, for values that JSON lacks. Zod's own schema would accept any value. */
const BEYOND_JSON: Readonly<Record<string, Schema>> = {
  bigint: { type: 'integer' },
  date: { type: 'Date' },
  set: { type: 'array' },
  map: { type: 'object' },
};
const KINDS: Readonly<Record<string, ValueForm['kind']>> = {
  string: 'text',
  number: 'number',
  integer: 'number',
  boolean: 'boolean',
  null: 'null',
  array: 'list',
  object: 'map',
  Date: 'Date',
};
/** Limited because a schema may refer to itself. */
const MOST_REFERENCES = 16;

const found = new WeakMap<StandardSchemaV1, KnownFields | undefined>();

export function knownFields(fields: StandardSchemaV1 | undefined): KnownFields | undefined {
  if (fields === undefined) return undefined;
  if (!found.has(fields)) found.set(fields, fieldsOf(fields));
  return found.get(fields);
}

function fieldsOf(fields: StandardSchemaV1): KnownFields | undefined {
  const output = jsonSchemaOf(fields, 'output');
  const shapes = output && shapesOf(output, output);
  if (shapes === undefined || shapes.length === 0) return undefined;
  const forms = new Map<string, ValueForm[] | undefined>();
  for (const { properties } of shapes) {
    for (const [name, schema] of Object.entries(properties)) {
      const own = formsOfSchema(schema, output!);
      const others = forms.get(name);
      forms.set(name, own && (!forms.has(name) || others !== undefined) ? [...(others ?? []), ...own] : undefined);
    }
  }
  const isOpen = shapes.some(({ additionalProperties }) => additionalProperties !== false);
  return { forms, isOpen, required: requiredOf(jsonSchemaOf(fields, 'input')) };
}

function jsonSchemaOf(fields: StandardSchemaV1 | undefined, direction: 'input' | 'output'): Schema | undefined {
  const standard = fields?.['~standard'] as Partial<StandardJSONSchemaV1.Props> | undefined;
  try {
    const schema = standard?.jsonSchema?.[direction]({
      target: 'draft-2020-12',
      libraryOptions: { unrepresentable: 'any', override: nameBeyondJson },
    });
    return isPlainObject(schema) ? schema : undefined;
  } catch {
    // ArkType throws for a transform, which has no JSON Schema.
    return undefined;
  }
}

/** Zod calls this for each part of a schema. */
function nameBeyondJson({ zodSchema, jsonSchema }: { zodSchema: unknown; jsonSchema: unknown }): void {
  const { type, valueType } = (zodSchema as { _zod?: { def?: ZodDefinition } })._zod?.def ?? {};
  if (typeof type !== 'string' || !Object.hasOwn(BEYOND_JSON, type)) return;
  Object.assign(jsonSchema as object, BEYOND_JSON[type]);
  const items = type === 'set' ? jsonSchemaOf(valueType, 'output') : undefined;
  // References in `items` point into the schema of the set's entries, not into this schema.
  if (items !== undefined && !('$defs' in items)) Object.assign(jsonSchema as object, { items });
}

interface ZodDefinition {
  type?: unknown;
  valueType?: StandardSchemaV1;
}

function shapesOf(
  schema: unknown,
  root: Schema,
  depth = 0,
): { properties: Schema; additionalProperties: unknown }[] | undefined {
  if (!isPlainObject(schema) || depth > MOST_REFERENCES) return undefined;
  const { $ref, properties, additionalProperties } = schema;
  if (typeof $ref === 'string') return shapesOf(referred($ref, root), root, depth + 1);
  const either = schema['anyOf'] ?? schema['oneOf'];
  if (Array.isArray(either)) return allKnown(either.map((one) => shapesOf(one, root, depth + 1)));
  return isPlainObject(properties) && !('allOf' in schema) ? [{ properties, additionalProperties }] : undefined;
}

function requiredOf(schema: Schema | undefined): Set<string> {
  const required = schema?.['required'];
  return new Set(Array.isArray(required) ? required.map(String) : []);
}

function formsOfSchema(schema: unknown, root: Schema, depth = 0): ValueForm[] | undefined {
  if (!isPlainObject(schema) || depth > MOST_REFERENCES) return undefined;
  const { $ref, type } = schema;
  if (typeof $ref === 'string') return formsOfSchema(referred($ref, root), root, depth + 1);
  const values = 'const' in schema ? [schema['const']] : schema['enum'];
  if (Array.isArray(values)) return allKnown(values.map(formsOfValue));
  const either = schema['anyOf'] ?? schema['oneOf'];
  if (Array.isArray(either)) return allKnown(either.map((one) => formsOfSchema(one, root, depth + 1)));
  const types: unknown[] = Array.isArray(type) ? type : [type];
  return allKnown(
    types.map((name): ValueForm[] | undefined => {
      const kind = typeof name === 'string' && Object.hasOwn(KINDS, name) ? KINDS[name] : undefined;
      if (kind !== 'list') return kind && [{ kind }];
      const entries = formsOfSchema(schema['items'], root, depth + 1);
      return [{ kind, ...(entries && { entries }) }];
    }),
  );
}

function formsOfValue(value: unknown): ValueForm[] | undefined {
  if (typeof value === 'string') return [{ kind: 'text', text: value }];
  if (value === null) return [{ kind: 'null' }];
  const kind = KINDS[typeof value];
  return kind && [{ kind }];
}

function referred(reference: string, root: Schema): unknown {
  if (reference === '#') return root;
  const name = /^#\/\$defs\/([^/]+)$/.exec(reference)?.[1];
  const definitions = root['$defs'];
  return name !== undefined && isPlainObject(definitions) ? definitions[name] : undefined;
}

function allKnown<T>(lists: readonly (readonly T[] | undefined)[]): T[] | undefined {
  return lists.some((list) => list === undefined) ? undefined : lists.flatMap((list) => list!);
}
