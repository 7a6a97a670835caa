import type { TotalPart, TotalSettings } from '../compiled.ts';
import { sourceSchema } from '../options/checks.ts';
import { anything, exactObject, hasShape, oneOf, recordOf, type Shape, shapeThatPasses } from '../options/shape.ts';
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
/** An attribute of the edge itself: a total has no way to follow the edge's source. */
const ownAttribute: Shape<string> = (input, note) => {
  if (!hasShape(sourceSchema, input)) return attributeName(input, note);
  const { attribute } = input;
  note(
    [],
    `is fromSource('${attribute}'): a total is of the edge's own attributes, so write ${attribute} on the edge too`,
  );
};
const sums = recordOf(partName, exactObject({ kind: oneOf('sum'), attribute: ownAttribute }));
const groups = recordOf(partName, exactObject({ kind: oneOf('count'), attribute: ownAttribute }));
const outgoingSchema = exactObject({ total: anything, by: anything });

/** Compiles the option `outgoing` of an edge type; undefined if it is not given, or has neither sums nor groups. */
export function compileOutgoing(input: unknown, path: string, mistakes: MistakeLog): TotalSettings | undefined {
  return compileTotals(checkShape(outgoingSchema, input, path, mistakes) ?? {}, path, mistakes);
}

/** Compiles `total` and `by`; undefined if neither is given. */
export function compileTotals(
  { total, by }: { total?: unknown; by?: unknown },
  path: string,
  mistakes: MistakeLog,
): TotalSettings | undefined {
  if (total === undefined && by === undefined) return undefined;
  return {
    sums: compileParts(sums, total, MOST_SUMS, `${path}.total`, mistakes),
    groups: compileParts(groups, by, MOST_GROUPS, `${path}.by`, mistakes),
  };
}

function compileParts(
  shape: Shape<Readonly<Record<string, { attribute: string }>>>,
  input: unknown,
  most: number,
  path: string,
  mistakes: MistakeLog,
): TotalPart[] {
  const names = Object.keys(Object(input)).length;
  if (names > most) mistakes.push({ path, message: `has ${names} names; there may be ${most}` });
  return Object.entries(checkShape(shape, input, path, mistakes) ?? {})
    .map(([name, { attribute }]) => ({ name, attribute }))
    .sort((left, right) => (left.name < right.name ? -1 : 1));
}
