import { type AttributeValue, canonicalText, type Item } from '../../../core/items/attribute-value.ts';
import type { Filter, FilterTerm } from '../../../core/items/filter.ts';
import { TARGET_ID } from '../../../core/items/hashed-key.ts';
import { describe } from '../../../core/items/keys.ts';
import type { ExactNumber } from '../../../core/items/plain.ts';
import type { CompiledModel, Projection } from '../../../core/model/compiled.ts';
import { nearest } from '../../../core/model/options/nearest.ts';
import { EdgeloomError } from '../../../foundation/errors.ts';
import { AttributeError } from '../../write/checks/problem.ts';
import { checkAttributes } from '../../write/checks/value.ts';
import { isPlainObject, toWireItem } from '../../write/checks/values.ts';

/** A value to filter a list by. */
export type WhereValue = string | number | bigint | boolean | null | ExactNumber | Uint8Array;

type WhereValueOf<Value> = unknown extends Value
  ? WhereValue
  : Value extends number | bigint | ExactNumber
    ? number | bigint | ExactNumber
    : Extract<Value, string | boolean | null | Uint8Array>;

type BeginningOf<Value> = Value extends string ? string : Extract<Value, Uint8Array>;

/** Comparisons of one attribute, all of which must hold. An absent value passes only `exists: false`. */
export interface WhereOperators<Value = WhereValue> {
  readonly equals?: Value;
  /** Equal to one of 1 to 100 values. */
  readonly in?: readonly Value[];
  /** Less than. Strings and binary values compare by bytes, numbers exactly. */
  readonly lt?: Exclude<Value, boolean | null>;
  readonly lte?: Exclude<Value, boolean | null>;
  readonly gt?: Exclude<Value, boolean | null>;
  readonly gte?: Exclude<Value, boolean | null>;
  /** Both ends are inclusive. */
  readonly between?: readonly [from: Exclude<Value, boolean | null>, to: Exclude<Value, boolean | null>];
  readonly beginsWith?: BeginningOf<Value>;
  /** True requires a value, which may be null; false requires that the attribute is absent. */
  readonly exists?: boolean;
}

/** The comparisons of `WhereOperators`, and their negation. */
export interface WhereComparison<Value = WhereValue> extends WhereOperators<Value> {
  /** Negates a value or comparisons. An absent value passes, except with `{ exists: false }`. */
  readonly not?: Value | WhereOperators<Value>;
}

/** Required values or comparisons by attribute, all of which must hold. */
export type Where<Attributes = Record<string, unknown>> = [NameIn<Attributes>] extends [never]
  ? Record<string, never>
  : {
      readonly [Name in NameIn<Attributes>]?:
        | WhereValueOf<ValueIn<Attributes, Name>>
        | WhereComparison<WhereValueOf<ValueIn<Attributes, Name>>>;
    };

type NameIn<Attributes> = Attributes extends unknown ? keyof Attributes : never;
type ValueIn<Attributes, Name> = Attributes extends unknown
  ? Name extends keyof Attributes
    ? Attributes[Name]
    : never
  : never;

export interface WhereSubject {
  name: string;
  projection: Projection;
  /** The list's path in the model, such as `edges.MEMBER.inbound`. */
  path: string;
  /** Attributes that rows hold besides the projected ones. */
  kept?: readonly string[];
}

/** DynamoDB's limit for the operator IN. */
export const MAX_FILTER_VALUES = 100;

const COMPARISONS = { equals: '=', lt: '<', lte: '<=', gt: '>', gte: '>=', beginsWith: 'begins_with' } as const;
const OPERATORS = [...Object.keys(COMPARISONS), 'between', 'in', 'exists'];

export function encodeWhere(graph: CompiledModel, where: Where | undefined, subject: WhereSubject): Filter | undefined {
  if (where === undefined) return undefined;
  if (!isPlainObject(where)) {
    throw new EdgeloomError(
      'invalid-argument',
      `where should be an object, but is ${describe(where)}.`,
      'Give { status: "OPEN" } or { points: { gte: 3 } }.',
    );
  }
  const filter = Object.entries(where).flatMap(([name, asked]) => {
    checkHeld(graph, name, subject);
    return isPlainObject(asked)
      ? termsOf(name, asked)
      : [{ attribute: name, compare: '=', value: scalar(name, asked) } as const];
  });
  const values = sizeOf(filter);
  if (values > MAX_FILTER_VALUES) {
    const hint = 'Ask for the values in several lists, or give them an attribute of their own.';
    throw new EdgeloomError(
      'invalid-argument',
      `where compares with ${values} values; ${MAX_FILTER_VALUES} is the most.`,
      hint,
    );
  }
  return filter.length === 0 ? undefined : filter;
}

function sizeOf(filter: Filter): number {
  const size = (term: FilterTerm): number => ('values' in term ? term.values.length : 1);
  return filter.reduce((sum, term) => sum + (term.compare === 'not' ? sizeOf(term.terms) : size(term)), 0);
}

function termsOf(attribute: string, asked: object, operators: readonly string[] = [...OPERATORS, 'not']): FilterTerm[] {
  const terms = Object.entries(asked).flatMap(([name, value]): FilterTerm[] => {
    if (!operators.includes(name)) {
      const near = nearest(name, operators);
      const hint = `${near === undefined ? '' : `Did you mean ${near}? `}There are ${operators.join(', ')}.`;
      throw invalidValue(attribute, `has no comparison ${describe(name)}`, hint);
    }
    if (name === 'not') {
      return isPlainObject(value)
        ? [{ compare: 'not', terms: termsOf(attribute, value, OPERATORS) }]
        : [{ attribute, compare: '<>', value: scalar(attribute, value, name) }];
    }
    if (name === 'exists') {
      if (typeof value !== 'boolean')
        throw invalidValue(attribute, `has exists: ${describe(value)}`, 'Give true or false.');
      return [{ attribute, compare: value ? 'exists' : 'not_exists' }];
    }
    if (name === 'between') {
      if (!Array.isArray(value) || value.length !== 2)
        throw invalidValue(attribute, `has between: ${describe(value)}`, 'Give a list of two values, from and to.');
      const [from, to] = value.map((bound) => scalar(attribute, bound, name, 'ordered'));
      return [
        { attribute, compare: '>=', value: from! },
        { attribute, compare: '<=', value: to! },
      ];
    }
    if (name === 'in') {
      if (!Array.isArray(value) || value.length === 0)
        throw invalidValue(attribute, `has in: ${describe(value)}`, 'Give a list of one value or more.');
      return [{ attribute, compare: 'in', values: value.map((one) => scalar(attribute, one, name)) }];
    }
    const compare = COMPARISONS[name as keyof typeof COMPARISONS];
    const expected = compare === 'begins_with' ? 'beginning' : compare === '=' ? undefined : 'ordered';
    return [{ attribute, compare, value: scalar(attribute, value, name, expected) }];
  });
  if (terms.length === 0) throw invalidValue(attribute, 'has no comparison', `There are ${operators.join(', ')}.`);
  return terms;
}

function scalar(
  attribute: string,
  value: unknown,
  comparison?: string,
  expected?: 'beginning' | 'ordered',
): AttributeValue {
  // Ignoring an undefined value would return items that the caller didn't ask for.
  if (value === undefined)
    throw invalidValue(attribute, reasonOf(comparison, 'is undefined'), 'Leave it out of where.');
  const stored = wireItem({ [attribute]: value })[attribute]!;
  if ('S' in stored || 'B' in stored) return stored;
  const hint = 'Compare with one of these.';
  if (expected === 'beginning') throw invalidValue(attribute, reasonOf(comparison, 'is neither text nor binary'), hint);
  if ('N' in stored) return stored;
  if (expected === 'ordered')
    throw invalidValue(attribute, reasonOf(comparison, 'is neither text, number nor binary'), hint);
  if ('BOOL' in stored || 'NULL' in stored) return stored;
  throw invalidValue(attribute, reasonOf(comparison, 'is neither text, number, boolean, binary nor null'), hint);
}

export function whereBinding(where: Filter = [], ofKept: Filter = []): string[] | undefined {
  const terms = [...where, ...ofKept];
  return terms.length === 0 ? undefined : canonicalTexts(terms);
}

function canonicalTexts(filter: Filter): string[] {
  const texts = filter.map((term) => {
    if (term.compare === 'not') return JSON.stringify([term.compare, canonicalTexts(term.terms)]);
    const values = 'values' in term ? term.values : 'value' in term ? [term.value] : [];
    return JSON.stringify([term.attribute, term.compare, values.map(canonicalText).sort()]);
  });
  return [...new Set(texts)].sort();
}

export function isProjected({ table }: CompiledModel, name: string, projection: Projection): boolean {
  if (projection.kind !== 'ALL') return projection.kind === 'LIST' && projection.attributes.includes(name);
  return name !== '' && name !== table.partitionKey && name !== table.sortKey && name !== TARGET_ID;
}

function checkHeld(
  graph: CompiledModel,
  name: string,
  { name: list, projection, path, kept = [] }: WhereSubject,
): void {
  if (kept.includes(name) || isProjected(graph, name, projection)) return;
  const attributes = [...new Set([...(projection.kind === 'LIST' ? projection.attributes : []), ...kept])];
  const near = nearest(name, attributes);
  const held = attributes.length === 0 ? 'no attributes' : attributes.join(', ');
  const meant = near === undefined ? '' : `Did you mean ${near}? `;
  throw new EdgeloomError(
    'not-declared',
    `The index items of ${list} do not hold ${describe(name)}, so they cannot be filtered by it.`,
    projection.kind === 'ALL'
      ? 'Keys are no attributes: ask by id.'
      : `${meant}They hold ${held}. Name the attribute in ${path}.project in the model, then migrate.`,
  );
}

function wireItem(where: object): Item {
  try {
    const item = toWireItem(where);
    checkAttributes(item);
    return item;
  } catch (error) {
    if (!(error instanceof AttributeError)) throw error;
    throw invalidValue(error.path, error.reason, error.hint);
  }
}

function invalidValue(name: string, reason: string, hint: string): EdgeloomError {
  return new EdgeloomError('invalid-argument', `Attribute ${name} of where ${reason}.`, hint);
}

function reasonOf(comparison: string | undefined, reason: string): string {
  return comparison === undefined ? reason : `has ${comparison}, which ${reason}`;
}
