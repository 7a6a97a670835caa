import { isDeepStrictEqual } from 'node:util';
import type { StandardSchemaV1 } from '@standard-schema/spec';
import { parseDecimal } from '../../../core/items/attribute-value.ts';
import { ExactNumber, numberTextOf } from '../../../core/items/plain.ts';
import { isPlainObject } from './values.ts';

/** Validators expect different types for a number, such as a bigint for `z.bigint()`. */

type Form = (text: string) => number | bigint | ExactNumber | undefined;

const FORMS: readonly Form[] = [Number, bigintOf, (text) => new ExactNumber(text)];

/** DynamoDB's limit for digits before the decimal point. */
const MOST_WHOLE_DIGITS = 126;

type Result = StandardSchemaV1.Result<unknown>;

/**
 * Yields the attributes to validate, and takes the validator's result. If the validator refuses numbers, yields them
 * again in other forms. Numbers that the validator returns unchanged are returned as given, with all their digits.
 */
export function* eachForm(attributes: unknown): Generator<unknown, Result, Result> {
  const first = yield attributes;
  if (first.issues === undefined || !isPlainObject(attributes)) return first;
  const offered = new Map<string, unknown>();
  let result: Result = first;
  for (const form of FORMS) {
    const isChanged = offerInForm(attributes, offered, result.issues ?? [], form);
    if (!isChanged) continue;
    result = yield withOffered(attributes, offered);
    if (result.issues === undefined) return { value: asGiven(result.value, attributes, offered) };
  }
  // Take the messages from the first validation, because later ones describe forms of numbers that the caller didn't
  // give.
  const refused = new Set(result.issues?.map(pathText));
  const issues = first.issues.filter((issue) => refused.has(pathText(issue)));
  return { issues: issues.length > 0 ? issues : first.issues };
}

export function keysOfIssue({ path = [] }: StandardSchemaV1.Issue): PropertyKey[] {
  return path.map((segment) => (typeof segment === 'object' ? segment.key : segment));
}

function pathText(issue: StandardSchemaV1.Issue): string {
  return JSON.stringify(keysOfIssue(issue).map(String));
}

function offerInForm(
  attributes: object,
  offered: Map<string, unknown>,
  issues: readonly StandardSchemaV1.Issue[],
  form: Form,
): boolean {
  let isChanged = false;
  for (const issue of issues) {
    const [name, ...path] = keysOfIssue(issue);
    if (typeof name !== 'string') continue;
    const before = offered.has(name) ? offered.get(name) : ownValue(attributes, name);
    const after = inFormAt(before, path, form);
    if (isDeepStrictEqual(before, after)) continue;
    offered.set(name, after);
    isChanged = true;
  }
  return isChanged;
}

function ownValue(attributes: object, name: string): unknown {
  return Object.hasOwn(attributes, name) ? (attributes as Record<string, unknown>)[name] : undefined;
}

function inFormAt(value: unknown, [key, ...rest]: readonly PropertyKey[], form: Form): unknown {
  if (key === undefined) return inForm(value, form);
  if (Array.isArray(value)) return value.map((entry, i) => (i === key ? inFormAt(entry, rest, form) : entry));
  if (!isPlainObject(value)) return inForm(value, form);
  return typeof key === 'string' ? { ...value, [key]: inFormAt(ownValue(value, key), rest, form) } : value;
}

function inForm(value: unknown, form: Form): unknown {
  if (Array.isArray(value)) return value.map((entry) => inForm(entry, form));
  if (value instanceof Set) return new Set([...value].map((entry) => inForm(entry, form)));
  if (isPlainObject(value)) {
    return Object.fromEntries(Object.entries(value).map(([name, entry]) => [name, inForm(entry, form)]));
  }
  const text = typeof value === 'number' ? String(value) : numberTextOf(value);
  return text === undefined || Number.isNaN(Number(text)) ? value : (form(text) ?? value);
}

/**
 * A proxy rather than a copy, because `attributes` may itself be a proxy that notes what the validator reads. A frozen
 * object is copied, because its proxy can't return other values.
 */
function withOffered(attributes: object, offered: ReadonlyMap<string, unknown>): object {
  return new Proxy(Object.isFrozen(attributes) ? { ...attributes } : attributes, {
    get: (target, name) =>
      typeof name === 'string' && offered.has(name) ? offered.get(name) : Reflect.get(target, name),
  });
}

function asGiven(output: unknown, attributes: object, offered: ReadonlyMap<string, unknown>): unknown {
  if (!isPlainObject(output)) return output;
  const same = [...offered].filter(([name, value]) => isDeepStrictEqual(ownValue(output, name), value));
  return { ...output, ...Object.fromEntries(same.map(([name]) => [name, ownValue(attributes, name)])) };
}

function bigintOf(text: string): bigint | undefined {
  const decimal = parseDecimal(text);
  if (decimal === undefined || decimal.exponent > MOST_WHOLE_DIGITS) return undefined;
  const { negative, digits, exponent } = decimal;
  if (digits.length > Math.max(0, exponent)) return undefined;
  const whole = BigInt(digits.padEnd(exponent, '0') || '0');
  return negative ? -whole : whole;
}
