import {
  type AttributeValue,
  type Item,
  numberOf,
  sameValue,
  setOwn,
  stringOf,
} from '../../../src/core/items/attribute-value.ts';
import { EDGE_SET, REVISION } from '../../../src/core/items/derived-item.ts';
import type { DerivedUpdate, UpdateCondition } from '../../../src/core/store-port.ts';
import { checkSet, copyIn, normalNumber, refused, sumOf } from './item.ts';

/** An update as DynamoDB runs it: input is checked first, then the condition, then operands against the item's types. */

/** A checked copy of an update, so that nothing of the caller's is kept. Throws for what DynamoDB refuses unseen. */
export function checkedUpdate(update: DerivedUpdate): DerivedUpdate {
  const set = copyIn(update.set);
  const paths = [...Object.keys(set), ...update.unset, REVISION];
  for (const [name, addend] of Object.entries(update.add ?? {})) {
    normalNumber(addend);
    paths.push(name);
  }
  for (const [name, texts] of Object.entries(update.addTo ?? {})) {
    checkSet(texts);
    paths.push(name);
  }
  for (const elements of [update.addElements, update.deleteElements, update.setElements]) {
    if (elements === undefined || elements.length === 0) continue;
    checkSet(elements);
    paths.push(EDGE_SET);
  }
  if (new Set(paths).size !== paths.length) throw refused('an attribute is changed in two ways');
  const { condition } = update;
  if (condition.kind === 'revision' && condition.revision !== undefined) normalNumber(condition.revision);
  return { ...update, set };
}

/** Whether an item, or its absence, meets an update's condition. */
export function meets(item: Item | undefined, condition: UpdateCondition): boolean {
  if (condition.kind === 'none') return true;
  if (condition.kind === 'absent') return item === undefined;
  if (condition.kind === 'revision') {
    const revision = item?.[REVISION];
    const { expiry } = condition;
    if (expiry !== undefined && !sameValue(item?.[expiry.attribute], expiry.value)) return false;
    if (condition.malformed !== undefined) return sameValue(revision, condition.malformed);
    if (condition.revision === undefined) return revision === undefined;
    return sameValue(revision, { N: condition.revision });
  }
  return Object.entries(condition.texts).every(([name, texts]) => {
    const set = item?.[name];
    return set !== undefined && texts.every((text) => contains(set, text));
  });
}

/** DynamoDB's `contains` of a text: in a string set, in a list, or as a part of a string. */
function contains(value: AttributeValue, text: string): boolean {
  if ('SS' in value) return value.SS.includes(text);
  if ('L' in value) return value.L.some((entry) => stringOf(entry) === text);
  return 'S' in value && value.S.includes(text);
}

/** The item after an update that was checked and whose condition is met. It shares unchanged values with `item`. */
export function updatedItem(item: Item, update: DerivedUpdate): Item {
  const next: Item = {};
  for (const name of Object.keys(item)) setOwn(next, name, item[name]!);
  for (const name of Object.keys(update.set)) setOwn(next, name, update.set[name]!);
  for (const name of update.unset) delete next[name];
  const elements = updatedElements(item[EDGE_SET], update);
  if (elements === 'none') delete next[EDGE_SET];
  else if (elements !== 'unchanged') next[EDGE_SET] = { SS: elements };
  addInto(next, update);
  const { condition } = update;
  const isMalformed = condition.kind === 'revision' && condition.malformed !== undefined;
  // rule: every-write-raises-the-revision
  next[REVISION] = { N: isMalformed ? '1' : sum(REVISION, item[REVISION], '1') };
  return next;
}

/** Adds an update's numbers, and its texts of sets, to an item. */
export function addInto(item: Item, { add = {}, addTo = {} }: Pick<DerivedUpdate, 'add' | 'addTo'>): void {
  for (const [name, addend] of Object.entries(add)) {
    setOwn<Item[string]>(item, name, { N: sum(name, item[name], normalNumber(addend)) });
  }
  for (const [name, texts] of Object.entries(addTo)) {
    const set = item[name];
    if (set !== undefined && !('SS' in set)) throw wrongOperand(name);
    setOwn<Item[string]>(item, name, { SS: [...new Set([...(set?.SS ?? []), ...texts])] });
  }
}

/** Removing the last element removes the attribute: DynamoDB has no empty sets. */
function updatedElements(
  stored: AttributeValue | undefined,
  { addElements = [], deleteElements = [], setElements = [] }: DerivedUpdate,
): string[] | 'none' | 'unchanged' {
  if (setElements.length > 0) return [...setElements];
  if (addElements.length === 0 && deleteElements.length === 0) return 'unchanged';
  if (stored !== undefined && !('SS' in stored)) throw wrongOperand(EDGE_SET);
  const elements = new Set(stored?.SS);
  for (const element of addElements) elements.add(element);
  for (const element of deleteElements) elements.delete(element);
  return elements.size === 0 ? 'none' : [...elements];
}

function sum(name: string, stored: AttributeValue | undefined, addend: string): string {
  if (stored === undefined) return addend;
  const text = numberOf(stored);
  if (text === undefined) throw wrongOperand(name);
  return sumOf(text, addend);
}

function wrongOperand(attribute: string): Error {
  return refused(`the attribute ${attribute} has a type that the update cannot be applied to`);
}
