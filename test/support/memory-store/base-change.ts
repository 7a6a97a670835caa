import {
  type AttributeValue,
  attributeOf,
  canonicalText,
  type Item,
  numberOf,
  sameValue,
  setOwn,
} from '../../../src/core/items/attribute-value.ts';
import type { TableNames } from '../../../src/core/model/compiled.ts';
import { CLAIM_TOKEN, MIRROR } from '../../../src/core/model/mirrored.ts';
import type { AttributeChanges, BaseChange, BaseCondition } from '../../../src/core/store-port.ts';
import { copyIn, normalNumber, refused, sumOf } from './item.ts';

/** Changes of base items as DynamoDB makes them. */

/** A checked copy of a change. Throws for what DynamoDB refuses unseen. */
export function checkedChange(change: BaseChange, { partitionKey, sortKey }: TableNames): BaseChange {
  const { condition } = change;
  if (condition?.equal !== undefined) copyIn(condition.equal);
  if (change.kind === 'look' && JSON.stringify(condition ?? {}) === '{}') throw refused('a look has no condition');
  if (change.kind !== 'update') return change;
  const { set = {}, remove = [], add = {}, addTo = {}, deleteFrom = {} } = change.changes;
  const names = [set, add, addTo, deleteFrom].flatMap((part) => Object.keys(part)).concat(remove);
  if (new Set(names).size !== names.length) throw refused('an attribute is changed in two ways');
  if (names.includes(partitionKey) || names.includes(sortKey)) throw refused('an attribute is part of the key');
  const added = Object.fromEntries(Object.entries(add).map(([name, number]) => [name, normalNumber(number)]));
  return {
    ...change,
    changes: { set: copyIn(set), remove, add: added, addTo: copyIn(addTo), deleteFrom: copyIn(deleteFrom) },
  };
}

/** Whether a change of an item, or of its absence, may be made. */
export function mayChange(stored: Item | undefined, { kind, condition = {} }: BaseChange): boolean {
  const { over } = condition;
  const end = over && stored && attributeOf(stored, over.attribute);
  const isOver = end !== undefined && 'N' in end && Number(end.N) <= Number(over?.atSeconds);
  return isOver ? kind !== 'update' && meets(undefined, condition) : meets(stored, condition);
}

function meets(item: Item | undefined, { present, equal = {}, absent = [], claimedBefore }: BaseCondition): boolean {
  if (present !== undefined && present !== (item !== undefined)) return false;
  const has = (name: string): AttributeValue | undefined => item && attributeOf(item, name);
  return (
    Object.keys(equal).every((name) => has(name) !== undefined && sameValue(has(name), equal[name])) &&
    absent.every((name) => has(name) === undefined) &&
    (claimedBefore === undefined || item === undefined || isClaimedBefore(item, claimedBefore))
  );
}

function isClaimedBefore(item: Item, { maker, token }: NonNullable<BaseCondition['claimedBefore']>): boolean {
  const makers = mapAt(mapAt(item, MIRROR), 'makers');
  const own = numberOf(attributeOf(mapAt(makers, maker), CLAIM_TOKEN));
  return Object.keys(makers).length === 1 && own !== undefined && Number(own) < token;
}

function mapAt(item: Item, name: string): Item {
  const value = attributeOf(item, name);
  return value !== undefined && 'M' in value ? value.M : {};
}

/** The item after changes that were checked. */
export function changedItem(item: Item, changes: AttributeChanges): Item {
  const next: Item = {};
  for (const name of Object.keys(item)) setOwn(next, name, item[name]!);
  const { set = {}, remove = [], add = {}, addTo = {}, deleteFrom = {} } = changes;
  for (const name of Object.keys(set)) setOwn(next, name, set[name]!);
  for (const name of remove) delete next[name];
  for (const [name, number] of Object.entries(add)) {
    const stored = attributeOf(item, name);
    if (stored !== undefined && !('N' in stored)) throw refused(`${name} is no number`);
    next[name] = { N: sumOf(stored?.N ?? '0', number) };
  }
  for (const name of Object.keys(addTo)) next[name] = merged(attributeOf(item, name), addTo[name]!, 'add');
  for (const name of Object.keys(deleteFrom)) {
    const stored = attributeOf(item, name);
    if (stored === undefined) continue;
    const rest = merged(stored, deleteFrom[name]!, 'delete');
    if (Object.values(rest)[0].length === 0) delete next[name];
    else next[name] = rest;
  }
  return next;
}

type SetValue = { SS: string[] } | { NS: string[] } | { BS: Uint8Array[] };

function merged(stored: AttributeValue | undefined, given: AttributeValue, how: 'add' | 'delete'): AttributeValue {
  const type = Object.keys(given)[0] as 'SS' | 'NS' | 'BS';
  if (!['SS', 'NS', 'BS'].includes(type)) throw refused('the elements are no set');
  if (stored !== undefined && !(type in stored)) throw refused('the attribute is a set of another type');
  const elements = (value: AttributeValue | undefined): (string | Uint8Array)[] =>
    value === undefined ? [] : (value as unknown as Record<string, (string | Uint8Array)[]>)[type]!;
  const text = (element: string | Uint8Array): string =>
    typeof element === 'string' ? element : canonicalText({ B: element });
  const result = new Map(elements(stored).map((element) => [text(element), element]));
  for (const element of elements(given)) {
    if (how === 'add') result.set(text(element), element);
    else result.delete(text(element));
  }
  return { [type]: [...result.values()] } as unknown as SetValue;
}
