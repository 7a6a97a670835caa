import { loadAwsServiceSpecSync } from '@aws-cdk/aws-service-spec';
import type { Property, PropertyType } from '@aws-cdk/service-spec-types';
import type { Template } from './template.ts';

const database = loadAwsServiceSpecSync();
const CUSTOM = 'AWS::CloudFormation::CustomResource';

/**
 * What a template says against CloudFormation's own specification: unknown resource types, unknown and missing properties,
 * values of another type or outside an enumeration. The template has its intrinsic functions resolved.
 */
export function specificationProblems({ Resources }: Pick<Template, 'Resources'>): string[] {
  return Object.entries(Resources).flatMap(([id, { Type, Properties }]) => {
    const [resource] = database.lookup('resource', 'cloudFormationType', 'equals', Type);
    if (resource === undefined) return [`${id}: there is no ${Type}`];
    // A custom resource has properties of its own.
    if (Type === CUSTOM) return 'ServiceToken' in Properties ? [] : [`${id}.ServiceToken: is missing`];
    return objectProblems(id, Properties ?? {}, resource.properties);
  });
}

/** The attributes that a resource of a type has for `Fn::GetAtt`. */
export function attributesOf(type: string): string[] {
  const [resource] = database.lookup('resource', 'cloudFormationType', 'equals', type);
  return Object.keys(resource?.attributes ?? {});
}

/** The resource types that take tags. */
export function taggableTypes(): Set<string> {
  return new Set(
    database
      .all('resource')
      .filter(({ tagInformation }) => tagInformation !== undefined)
      .map(({ cloudFormationType }) => cloudFormationType),
  );
}

function objectProblems(path: string, value: object, properties: Readonly<Record<string, Property>>): string[] {
  const problems: string[] = [];
  for (const [name, { required }] of Object.entries(properties)) {
    if (required === true && !(name in value)) problems.push(`${path}.${name}: is missing`);
  }
  for (const [name, one] of Object.entries(value)) {
    const property = properties[name];
    if (property === undefined) problems.push(`${path}.${name}: there is no such property`);
    else problems.push(...anyOf(`${path}.${name}`, one, [property.type, ...(property.previousTypes ?? [])]));
  }
  return problems;
}

/** A value has to be of one of the types; the problems are those with the first. "Any JSON" says nothing beside a shape. */
function anyOf(path: string, value: unknown, types: readonly PropertyType[]): string[] {
  const flat = types.flatMap((type) => (type.type === 'union' ? type.types : type));
  const hasShape = flat.some(({ type }) => type === 'ref' || type === 'array');
  const telling = hasShape ? flat.filter(({ type }) => type !== 'json') : flat;
  const tried = telling.map((type) => problemsWith(path, value, type));
  return tried.some((problems) => problems.length === 0) ? [] : tried[0]!;
}

function problemsWith(path: string, value: unknown, type: PropertyType): string[] {
  const isNot = (what: string): string[] => [`${path}: ${JSON.stringify(value)} is not ${what}`];
  switch (type.type) {
    case 'string':
      if (typeof value !== 'string') return isNot('a string');
      return type.allowedValues?.includes(value) === false ? isNot(`one of ${type.allowedValues.join(', ')}`) : [];
    case 'integer':
      return Number.isInteger(value) ? [] : isNot('an integer');
    case 'number':
      return typeof value === 'number' ? [] : isNot('a number');
    case 'boolean':
      return typeof value === 'boolean' ? [] : isNot('a boolean');
    case 'date-time':
      return typeof value === 'string' ? [] : isNot('a date');
    case 'json':
      return [];
    case 'tag':
      return isObject(value) && 'Key' in value && 'Value' in value ? [] : isNot('a tag');
    case 'array':
      if (!Array.isArray(value)) return isNot('an array');
      return value.flatMap((one, i) => problemsWith(`${path}[${i}]`, one, type.element));
    case 'map':
      if (!isObject(value)) return isNot('a map');
      return Object.entries(value).flatMap(([name, one]) => problemsWith(`${path}.${name}`, one, type.element));
    case 'ref':
      if (!isObject(value)) return isNot('an object');
      return objectProblems(path, value, database.get('typeDefinition', type.reference.$ref).properties);
    case 'union':
      return anyOf(path, value, type.types);
    case 'null':
      return isNot('null');
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
