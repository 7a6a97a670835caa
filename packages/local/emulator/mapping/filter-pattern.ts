import { EdgeloomError } from '../../../../src/foundation/errors.ts';

/**
 * A filter pattern of an event source mapping: an object in the shape of a record whose leaves are lists of what is
 * let in. All fields have to match, and of each list one entry.
 *
 * @example { dynamodb: { Keys: { target: { S: [{ prefix: 'GOAL' }, 'USER-U1'] } } } }
 */
export interface FilterPattern {
  [field: string]: FilterPattern | readonly FilterRule[];
}

/** A leaf of a pattern: a value, or an operator. Strings compare exactly, case included. */
export type FilterRule =
  | string
  | number
  | boolean
  | null
  | { prefix: string }
  | { suffix: string }
  | { exists: boolean }
  | { 'anything-but': string | number | readonly (string | number)[] };

/** Tells whether a record passes. */
export type RecordFilter = (record: object) => boolean;

/** Most filters of a mapping. */
const MAX_FILTERS = 5;
/** Most characters of a pattern as JSON. */
const MAX_PATTERN_CHARACTERS = 4096;

/**
 * Compiles the filters of a mapping; a record passes that matches one of them, and every record where there are none.
 * Throws an `EdgeloomError` (`invalid-filter`) that names the place for what Lambda would refuse, and for operators
 * that it documents for other sources only: a filter that is taken here means the same there.
 */
export function compileFilters(patterns: readonly FilterPattern[]): RecordFilter {
  if (patterns.length > MAX_FILTERS) {
    throw invalidFilter('filters', `are ${patterns.length}, and a mapping takes ${MAX_FILTERS} at most`);
  }
  const filters = patterns.map((pattern, i) => {
    const place = `filters[${i}]`;
    if (JSON.stringify(pattern).length > MAX_PATTERN_CHARACTERS) {
      throw invalidFilter(place, `has more than ${MAX_PATTERN_CHARACTERS} characters as JSON`);
    }
    return compileObject(pattern, place);
  });
  if (filters.length === 0) return () => true;
  return (record) => filters.some((matches) => matches(record));
}

/** Takes the value of a field, undefined where the field is absent. */
type Matcher = (value: unknown) => boolean;

function compileObject(pattern: unknown, place: string): Matcher {
  if (!isObject(pattern) || Object.keys(pattern).length === 0) {
    throw invalidFilter(place, 'should be an object with at least one field');
  }
  const fields = Object.entries(pattern).map(([name, inner]) => {
    const path = `${place}.${name}`;
    const matches = Array.isArray(inner) ? compileRules(inner, path) : compileObject(inner, path);
    return { name, matches };
  });
  const matchesOne = (value: unknown): boolean =>
    fields.every(({ name, matches }) =>
      matches(isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined),
    );
  // A list of maps matches where one of its maps does.
  return (value) => (Array.isArray(value) ? value.some(matchesOne) : matchesOne(value));
}

/**
 * Compiles the rules of one field: a value matches if it matches one of them. The operators are those of `FilterRule`; `numeric` and
 * others are refused.
 */
function compileRules(rules: readonly unknown[], place: string): Matcher {
  if (rules.length === 0) throw invalidFilter(place, 'should name at least one value');
  const matchers = rules.map((rule, i) => compileRule(rule, `${place}[${i}]`));
  return (value) => matchers.some((matches) => matches(value));
}

function compileRule(rule: unknown, place: string): Matcher {
  if (rule === null || ['string', 'number', 'boolean'].includes(typeof rule))
    return matchLeaves((leaf) => leaf === rule);
  const [operator, ...others] = isObject(rule) ? Object.keys(rule) : [];
  if (!isObject(rule) || operator === undefined || others.length > 0) {
    throw invalidFilter(place, 'should be a value, or an object with one operator');
  }
  const argument = rule[operator];
  switch (operator) {
    case 'prefix':
    case 'suffix': {
      if (typeof argument !== 'string') throw invalidFilter(place, `should give ${operator} a string`);
      return matchLeaves(
        (leaf) =>
          typeof leaf === 'string' && (operator === 'prefix' ? leaf.startsWith(argument) : leaf.endsWith(argument)),
      );
    }
    case 'exists': {
      if (typeof argument !== 'boolean') throw invalidFilter(place, 'should give exists true or false');
      // Leaves only: an object in that place is no match for either.
      return argument ? matchLeaves(() => true) : (value) => value === undefined;
    }
    case 'anything-but': {
      const refused = Array.isArray(argument) ? argument : [argument];
      if (refused.length === 0 || !refused.every((one) => ['string', 'number'].includes(typeof one))) {
        throw invalidFilter(
          place,
          'should give anything-but a string, a number or a list of these; prefixes are not promised',
        );
      }
      return matchLeaves((leaf) => !refused.includes(leaf));
    }
    default:
      throw invalidFilter(
        place,
        `has the operator ${JSON.stringify(operator)}, which mappings of DynamoDB streams do not have`,
      );
  }
}

/** Matches where a leaf does: the value itself, or one of a list's elements. Absent fields and objects have none. */
function matchLeaves(matches: (leaf: unknown) => boolean): Matcher {
  return (value) => {
    const leaves = Array.isArray(value) ? value : [value];
    return leaves.some((leaf) => leaf !== undefined && !isObject(leaf) && matches(leaf));
  };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function invalidFilter(place: string, what: string): EdgeloomError {
  return new EdgeloomError(
    'invalid-filter',
    `The filter pattern ${place} ${what}.`,
    'Known are exact values, null, prefix, suffix, anything-but and exists.',
  );
}
