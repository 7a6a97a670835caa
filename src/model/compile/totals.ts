import type { TotalPart, TotalSettings } from '../compiled.ts';
import { oneOf, optional, options, recordOf, type Shape, shapeThatPasses } from '../shape.ts';
import { attributeName, checkShape, type MistakeLog } from './schemas.ts';

/** Compiles a total of edges: sums of attributes, and numbers by the values of an attribute. */

/** The names are part of attributes of the total. */
const NAME = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/;
/** Results have these names themselves. */
const RESERVED: ReadonlySet<string> = new Set(['count', 'by', 'problems', 'exact']);
/** One update of a total names all of its attributes; DynamoDB takes 300 operands and 4 KB in an expression. */
const MOST_SUMS = 8;
const MOST_GROUPS = 3;

const partName: Shape<string> = shapeThatPasses(
  (input) => typeof input === 'string' && NAME.test(input) && !RESERVED.has(input),
  `should have a name that matches ${NAME.source} and is none of ${[...RESERVED].join(', ')}`,
);
const sums = recordOf(partName, options({ kind: oneOf('sum'), attribute: attributeName }));
const groups = recordOf(partName, options({ kind: oneOf('count'), attribute: attributeName }));
const totals = options({ total: optional(sums), by: optional(groups) });

/** Compiles `total` and `by`; undefined if neither is given. */
export function compileTotals(
  { total, by }: { total?: unknown; by?: unknown },
  path: string,
  mistakes: MistakeLog,
): TotalSettings | undefined {
  if (total === undefined && by === undefined) return undefined;
  const parsed = checkShape(totals, { total, by }, path, mistakes);
  return {
    sums: compileParts(parsed?.total, MOST_SUMS, `${path}.total`, mistakes),
    groups: compileParts(parsed?.by, MOST_GROUPS, `${path}.by`, mistakes),
  };
}

function compileParts(
  parts: Readonly<Record<string, { attribute: string }>> = {},
  most: number,
  path: string,
  mistakes: MistakeLog,
): TotalPart[] {
  const entries = Object.entries(parts);
  if (entries.length > most) mistakes.push({ path, message: `has ${entries.length} names; there may be ${most}` });
  return entries
    .map(([name, { attribute }]) => ({ name, attribute }))
    .sort((left, right) => (left.name < right.name ? -1 : 1));
}
