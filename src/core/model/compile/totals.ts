import type { TotalPart, TotalSettings } from '../compiled.ts';
import { attributeName, sourceSchema } from '../options/checks.ts';
import {
  anything,
  exactObject,
  hasShape,
  isPlainObject,
  listOf,
  oneOf,
  recordOf,
  type Shape,
  type Shaped,
  shapeThatPasses,
} from '../options/shape.ts';
import type { Mistakes } from './mistakes.ts';
import { checkShape } from './schemas.ts';

/** A sum's name is part of the total's attribute names. */
const NAME = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/;
const GROUP_NAME = /^[A-Za-z_][A-Za-z0-9_.-]{0,63}$/;
/** Names that the results of totals already use. */
const RESERVED: ReadonlySet<string> = new Set(['count', 'groups', 'problems', 'exact', 'capacity']);
/** Limited because one update names all sums and groups, and DynamoDB allows 300 operators and 4 KB per expression. */
const MOST_SUMS = 8;
const MOST_GROUPS = 3;

const partName: Shape<string> = shapeThatPasses(
  (input) => typeof input === 'string' && NAME.test(input) && !RESERVED.has(input),
  `should have a name that matches ${NAME.source} and is none of ${[...RESERVED].join(', ')}`,
);
/** Refuses `source(...)`, because a total isn't updated when the edge's source node changes. */
const ownAttribute: Shape<string> = (input, note) => {
  if (!hasShape(sourceSchema, input)) return attributeName(input, note);
  const { attribute } = input;
  note([], `is source('${attribute}'): a total is of the edge's own attributes, so write ${attribute} on the edge too`);
};
const sumSchema = exactObject({ kind: oneOf('sum'), attribute: ownAttribute });
const givenSum: Shape<Shaped<typeof sumSchema>> = (input, note) => {
  if (typeof input === 'object' && input !== null) return sumSchema(input, note);
  note([], `should be a sum of an attribute: write sum('${typeof input === 'string' ? input : 'attribute'}')`);
};
const sums = recordOf(partName, givenSum);
/** In the total's attribute names, a slash follows the group's name, so the name can't contain a slash. */
const groupedAttribute: Shape<string> = (input, note) => {
  ownAttribute(input, note);
  if (typeof input === 'string' && !GROUP_NAME.test(input)) {
    note([], `should be an attribute with a name that matches ${GROUP_NAME.source}`);
  }
};
const groups = listOf(groupedAttribute, 'should be a list of attribute names');
const outgoingSchema = exactObject({ total: anything, groupBy: anything });

export function compileOutgoing(input: unknown, mistakes: Mistakes): TotalSettings | undefined {
  return compileTotals(checkShape(outgoingSchema, input, mistakes) ?? {}, mistakes);
}

export function compileTotals(
  { total, groupBy }: { total?: unknown; groupBy?: unknown },
  mistakes: Mistakes,
): TotalSettings | undefined {
  if (total === undefined && groupBy === undefined) return undefined;
  return {
    sums: compileSums(total, mistakes.at('total')),
    groups: compileGroups(groupBy, mistakes.at('groupBy')),
  };
}

function compileGroups(input: unknown, mistakes: Mistakes): TotalPart[] {
  if (input === undefined) return [];
  const names = [...new Set(checkShape(groups, input, mistakes))];
  if (names.length > MOST_GROUPS) {
    mistakes.note(`has ${names.length} names; there may be ${MOST_GROUPS}`);
  }
  return names.sort().map((name) => ({ name, attribute: name }));
}

function compileSums(input: unknown, mistakes: Mistakes): TotalPart[] {
  const names = isPlainObject(input) ? Object.keys(input).length : 0;
  if (names > MOST_SUMS) mistakes.note(`has ${names} names; there may be ${MOST_SUMS}`);
  return Object.entries(checkShape(sums, input, mistakes) ?? {})
    .map(([name, { attribute }]) => ({ name, attribute }))
    .sort((left, right) => (left.name < right.name ? -1 : 1));
}
