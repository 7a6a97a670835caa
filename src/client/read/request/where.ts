import { canonicalText, type Item } from '../../../core/items/attribute-value.ts';
import { TARGET_ID } from '../../../core/items/hashed-key.ts';
import { describe } from '../../../core/items/keys.ts';
import type { ExactNumber } from '../../../core/items/plain.ts';
import type { CompiledModel, Projection } from '../../../core/model/compiled.ts';
import { EdgeloomError } from '../../../foundation/errors.ts';
import { AttributeError } from '../../write/checks/problem.ts';
import { checkAttributes } from '../../write/checks/value.ts';
import { isPlainObject, toWireItem } from '../../write/checks/values.ts';

/** A value that a list is filtered by. */
export type WhereValue = string | number | bigint | boolean | null | ExactNumber;

/** The values that an attribute of some type can be compared with: numbers in any form, of others those of the type. */
type WhereValueOf<Value> = unknown extends Value
  ? WhereValue
  : Value extends number | bigint | ExactNumber
    ? number | bigint | ExactNumber
    : Extract<Value, string | boolean | null>;

/** Attributes with the values that they have to have, all of them. */
export type Where<Attributes = Record<string, unknown>> = Attributes extends unknown
  ? [keyof Attributes] extends [never]
    ? Record<string, never>
    : { readonly [Name in keyof Attributes]?: WhereValueOf<Attributes[Name]> }
  : never;

/** The subject of a `where`. */
export interface WhereSubject {
  /** In messages: `order gsi0 of MEMBER`. */
  name: string;
  /** The attributes that the index items hold. */
  projection: Projection;
  /** Where the model says so: `edges.MEMBER.inbound`. */
  path: string;
}

/**
 * A `where` as DynamoDB compares it; undefined where it asks for nothing. Throws `not-projected` for an attribute that the index
 * items do not hold, and `invalid-argument` for a value that is no scalar.
 */
export function encodeWhere(graph: CompiledModel, where: Where | undefined, subject: WhereSubject): Item | undefined {
  if (where === undefined) return undefined;
  if (!isPlainObject(where)) {
    throw new EdgeloomError('invalid-argument', `where should be an object, but is ${describe(where)}.`);
  }
  for (const [name, value] of Object.entries(where)) {
    checkProjected(graph, name, subject);
    // Left out as an option would be, it would give items that the caller did not ask for.
    if (value === undefined) throw invalidValue(name, 'is undefined', 'Leave the attribute out of where.');
  }
  const item = wireItem(where);
  for (const [name, value] of Object.entries(item)) {
    if ('S' in value || 'N' in value || 'BOOL' in value || 'NULL' in value) continue;
    throw invalidValue(name, 'is neither text, number, boolean nor null', 'Compare with one of these.');
  }
  return Object.keys(item).length === 0 ? undefined : item;
}

/** The cursor's binding for a `where`: equal for equal values, in whatever order and form. */
export function whereBinding(where: Item | undefined): [] | [{ where: [string, string][] }] {
  if (where === undefined) return [];
  const names = Object.keys(where).sort();
  return [{ where: names.map((name) => [name, canonicalText(where[name]!)]) }];
}

function checkProjected({ table }: CompiledModel, name: string, { name: list, projection, path }: WhereSubject): void {
  const isKey = name === table.partitionKey || name === table.sortKey || name === TARGET_ID;
  const isProjected =
    projection.kind === 'ALL'
      ? !isKey && name !== ''
      : projection.kind === 'LIST' && projection.attributes.includes(name);
  if (isProjected) return;
  const held = projection.kind === 'LIST' ? projection.attributes.join(', ') : 'no attributes';
  throw new EdgeloomError(
    'not-projected',
    `The index items of ${list} do not hold ${describe(name)}, so they cannot be filtered by it.`,
    projection.kind === 'ALL'
      ? 'Keys are no attributes: ask by id.'
      : `They hold ${held}. Name the attribute in ${path}.project in the model, then migrate.`,
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
