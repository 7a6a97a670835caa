import { negated, sumOf } from './numbers.ts';
import type { Comparator, Condition, Operand, Path, SetValue, Update } from './parse.ts';
import { invalid } from './refusal.ts';
import { compareValues, sameValue, textOf, typeOf, type Value, type Values, valueSize } from './values.ts';

export function valueAt(item: Values, [name, ...steps]: Path): Value | undefined {
  let value = item[name as string];
  for (const step of steps) {
    if (value === undefined) return undefined;
    value =
      typeof step === 'number' ? (value.L as Value[] | undefined)?.[step] : (value.M as Values | undefined)?.[step];
  }
  return value;
}

export function meets(item: Values, condition: Condition): boolean {
  switch (condition.kind) {
    case 'and':
      return condition.parts.every((part) => meets(item, part));
    case 'or':
      return condition.parts.some((part) => meets(item, part));
    case 'not':
      return !meets(item, condition.part);
    case 'exists':
      return (valueAt(item, condition.path) !== undefined) === condition.isAsked;
    case 'type': {
      const value = valueAt(item, condition.path);
      const asked = operandOf(item, condition.type);
      return value !== undefined && asked !== undefined && typeOf(value) === textOf(asked);
    }
    case 'begins':
      return beginsWith(operandOf(item, condition.left), operandOf(item, condition.right));
    case 'contains':
      return contains(operandOf(item, condition.left), operandOf(item, condition.right));
    case 'in': {
      const value = operandOf(item, condition.of);
      return value !== undefined && condition.list.some((one) => sameValue(value, operandOf(item, one)));
    }
    case 'between': {
      const value = operandOf(item, condition.of);
      const [from, to] = [operandOf(item, condition.from), operandOf(item, condition.to)];
      return meetsComparison({ operator: '>=' }, value, from) && meetsComparison({ operator: '<=' }, value, to);
    }
    case 'compare':
      return meetsComparison(condition, operandOf(item, condition.left), operandOf(item, condition.right));
  }
}

function operandOf(item: Values, operand: Operand): Value | undefined {
  if ('value' in operand) return operand.value;
  if ('path' in operand) return valueAt(item, operand.path);
  const value = valueAt(item, operand.size);
  return value === undefined ? undefined : sizeFunction(value);
}

function sizeFunction(value: Value): Value | undefined {
  const type = typeOf(value);
  const content = value[type];
  if (Array.isArray(content)) return { N: String(content.length) };
  if (type === 'M') return { N: String(Object.keys(content as Values).length) };
  return type === 'S' || type === 'B' ? { N: String(valueSize(value)) } : undefined;
}

const ORDERED: readonly string[] = ['S', 'N', 'B'];

function isOrdered(left: Value | undefined, right: Value | undefined): boolean {
  return left !== undefined && right !== undefined && typeOf(left) === typeOf(right) && ORDERED.includes(typeOf(left));
}

function meetsComparison(
  { operator }: { operator: Comparator },
  left: Value | undefined,
  right: Value | undefined,
): boolean {
  if (left === undefined || right === undefined) return operator === '<>' && left !== right;
  if (operator === '=') return sameValue(left, right);
  if (operator === '<>') return !sameValue(left, right);
  return isOrdered(left, right) && isInOrder(operator, compareValues(left, right));
}

export function isInOrder(operator: Comparator, order: number): boolean {
  if (operator === '=') return order === 0;
  if (operator === '<') return order < 0;
  if (operator === '<=') return order <= 0;
  return operator === '>' ? order > 0 : order >= 0;
}

function beginsWith(left: Value | undefined, right: Value | undefined): boolean {
  if (left === undefined || right === undefined || typeOf(left) !== typeOf(right)) return false;
  if (left.S !== undefined) return textOf(left).startsWith(textOf(right));
  if (left.B === undefined) return false;
  const [bytes, start] = [left, right].map((value) => Buffer.from(textOf(value), 'base64')) as [Buffer, Buffer];
  return bytes.subarray(0, start.length).equals(start);
}

function contains(left: Value | undefined, right: Value | undefined): boolean {
  if (left === undefined || right === undefined) return false;
  const [type, asked] = [typeOf(left), typeOf(right)];
  if (type === 'S' && asked === 'S') return textOf(left).includes(textOf(right));
  if (type === 'B' && asked === 'B')
    return Buffer.from(textOf(left), 'base64').includes(Buffer.from(textOf(right), 'base64'));
  if (type === 'L') return (left.L as Value[]).some((entry) => sameValue(entry, right));
  return type === `${asked}S` && (left[type] as string[]).includes(textOf(right));
}

/** Operands read the values from before the update. */
export function applyUpdate(item: Values, update: Update): Values {
  let next = item;
  const set = update.set.map(({ path, value }) => ({ path, value: setValueOf(item, value) }));
  for (const { path, value } of set) next = withValueAt(next, path, value);
  for (const { path, value } of update.add) next = withValueAt(next, path, addToValue(valueAt(item, path), value));
  for (const { path, value } of update.delete) {
    const stored = valueAt(item, path);
    if (stored !== undefined) next = withValueAt(next, path, withoutElements(stored, value));
  }
  // Removals come last, because their paths use list indexes from before the update.
  for (const path of inRemovalOrder(update.remove)) next = withValueAt(next, path, undefined);
  return next;
}

/** Sorts a list's last element first: removing it leaves the others' indexes unchanged. */
function inRemovalOrder(paths: readonly Path[]): Path[] {
  return [...paths].sort((left, right) => {
    const at = left.findIndex((step, i) => step !== right[i]);
    const [a, b] = [left[at], right[at]];
    if (typeof a === 'number' && typeof b === 'number') return b - a;
    return String(a) < String(b) ? -1 : 1;
  });
}

function setValueOf(item: Values, value: SetValue): Value {
  if ('ifNotExists' in value) return valueAt(item, value.ifNotExists) ?? setValueOf(item, value.or);
  if ('append' in value) {
    const [first, second] = value.append.map((one) => setValueOf(item, one)) as [Value, Value];
    if (first.L === undefined || second.L === undefined) throw wrongOperand('list_append');
    return { L: [...(first.L as Value[]), ...(second.L as Value[])] };
  }
  if ('sum' in value) {
    const [left, right] = value.sum.map((one) => setValueOf(item, one)) as [Value, Value];
    if (left.N === undefined || right.N === undefined) throw wrongOperand(value.sign);
    return { N: sumOf(textOf(left), value.sign === '-' ? negated(textOf(right)) : textOf(right)) };
  }
  const found = operandOf(item, value);
  if (found === undefined)
    throw invalid('The provided expression refers to an attribute that does not exist in the item');
  return found;
}

function wrongOperand(operator: string): Error {
  return invalid(`An operand in the update expression has an incorrect data type; operator or function: ${operator}`);
}

function addToValue(stored: Value | undefined, value: Value): Value {
  const type = typeOf(value);
  if (type === 'N') {
    if (stored !== undefined && stored.N === undefined) throw wrongOperand('ADD');
    return stored === undefined ? value : { N: sumOf(textOf(stored), textOf(value)) };
  }
  const elements = setOf(value, 'ADD');
  if (stored === undefined) return value;
  if (typeOf(stored) !== type) throw wrongOperand('ADD');
  return { [type]: [...new Set([...(stored[type] as string[]), ...elements])] };
}

function withoutElements(stored: Value, value: Value): Value | undefined {
  const taken = new Set(setOf(value, 'DELETE'));
  const type = typeOf(value);
  if (typeOf(stored) !== type) throw wrongOperand('DELETE');
  const left = (stored[type] as string[]).filter((element) => !taken.has(element));
  return left.length === 0 ? undefined : { [type]: left };
}

function setOf(value: Value, operator: string): string[] {
  const type = typeOf(value);
  if (type !== 'SS' && type !== 'NS' && type !== 'BS') throw wrongOperand(operator);
  return value[type] as string[];
}

function withValueAt(item: Values, path: Path, value: Value | undefined): Values {
  const [name, ...steps] = path as [string, ...(string | number)[]];
  const changed = steps.length === 0 ? value : withValueWithin(item[name], steps, value);
  const next: Record<string, Value> = Object.assign(Object.create(null) as object, item);
  if (changed === undefined) delete next[name];
  else next[name] = changed;
  return next;
}

function withValueWithin(stored: Value | undefined, [step, ...rest]: Path, value: Value | undefined): Value {
  if (typeof step === 'number' && stored?.L !== undefined) {
    const list = [...(stored.L as Value[])];
    const changed = rest.length === 0 ? value : withValueWithin(list[step], rest, value);
    if (changed === undefined) list.splice(step, 1);
    else if (step < list.length) list[step] = changed;
    else list.push(changed);
    return { L: list };
  }
  if (typeof step === 'string' && stored?.M !== undefined) {
    return { M: withValueAt(stored.M as Values, [step, ...rest], value) };
  }
  throw invalid('The document path provided in the update expression is invalid for update');
}

export function projectItem(item: Values, paths: readonly Path[]): Values {
  const picked: Record<string, Value> = Object.create(null) as Record<string, Value>;
  // Projected list elements keep their order, without gaps.
  for (const path of [...paths].sort(comparePathIndexes)) {
    const value = valueAt(item, path);
    if (value !== undefined)
      picked[path[0] as string] = mergeProjected(picked[path[0] as string], path.slice(1), value);
  }
  return picked;
}

function comparePathIndexes(left: Path, right: Path): number {
  const [a, b] = [left, right].map((path) => path.find((step) => typeof step === 'number') as number | undefined);
  return (a ?? 0) - (b ?? 0);
}

function mergeProjected(stored: Value | undefined, [step, ...rest]: Path, value: Value): Value {
  if (step === undefined) return value;
  if (typeof step === 'number') {
    return { L: [...((stored?.L as Value[] | undefined) ?? []), mergeProjected(undefined, rest, value)] };
  }
  const map = (stored?.M ?? {}) as Values;
  return { M: { ...map, [step]: mergeProjected(map[step], rest, value) } };
}
