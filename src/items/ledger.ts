import { type Item, numberOf, stringOf } from './attribute-value.ts';
import { COUNT, COUNTED, LEDGER, OTHER } from './derived-item.ts';
import { ONE, parseSumUnits, parseUnits, textOfUnits } from './units.ts';

/**
 * The parts of counted items in their count. A count, or a total, has these attributes at its top level, since an update can add to
 * no other: `count`, `problems`, `sum/hours`, `by/kind/Scode` for each value of a group, and `keys/kind`, the set of these values. Their
 * numbers are exact: see items/units.ts.
 */

/** The attribute for the number of values that are in no sum or group, because they cannot be. */
export const PROBLEMS = 'problems';
/** The value of a group for all values that a count has no room for. The values of edges have a tag before them. */
export const OTHER_VALUES = '~other';
/** The most values of a group that a count holds. */
export const MOST_VALUES = 50;

/** The attribute of a sum. */
export function sumAttribute(name: string): string {
  return `sum/${name}`;
}

/** The attribute that the value of a group has in a ledger. */
export function groupAttribute(name: string): string {
  return `by/${name}`;
}

/** The attribute for the set of a group's values. */
export function keysAttribute(group: string): string {
  return `keys/${group}`;
}

/** Numbers to add to a count, or its numbers, in units of 10^-12 by attribute. */
export type Amounts = Map<string, bigint>;

/** Attributes of a ledger. An item that somebody else wrote must not add to other attributes of a count. */
const LEDGER_ATTRIBUTE = /^(?:problems|(?:sum|by)\/[A-Za-z_][A-Za-z0-9_]{0,63})$/;
/** Numbers among the attributes of a count. */
const AMOUNT = /^(?:count|problems|sum\/|by\/)/;

/** The numbers that an item adds to the count with a name, as the item has them. An item that names another count adds nothing. */
export function amountsOf(item: Item | undefined, countName: string): Amounts {
  const amounts: Amounts = new Map();
  if (item === undefined || stringOf(item[COUNTED]) !== countName) return amounts;
  amounts.set(COUNT, ONE);
  const other = new Set(textsOf(item, OTHER));
  for (const [attribute, value] of ledgerOf(item)) {
    if ('S' in value) amounts.set(`${attribute}/${other.has(attribute) ? OTHER_VALUES : value.S}`, ONE);
    else if ('N' in value) amounts.set(attribute, parseUnits(value.N) ?? 0n);
  }
  return amounts;
}

/** A count without any edge. */
export const NO_AMOUNTS: Amounts = new Map();

/** Adds an item to the count that it names, in a map of counts by their names. */
export function addItemAmounts(counts: Map<string, Amounts>, item: Item): void {
  const name = stringOf(item[COUNTED]);
  if (name === undefined) return;
  const amounts = counts.get(name) ?? new Map();
  addAmounts(amounts, amountsOf(item, name));
  counts.set(name, amounts);
}

/**
 * The ledger of a counted item: the values that it adds to the sums and groups of its count, as pairs of an attribute and a value. It is
 * empty if the item has none. Attributes that no ledger has are left out.
 */
function ledgerOf(item: Item | undefined): [string, Item[string]][] {
  const ledger = item?.[LEDGER];
  if (ledger === undefined || !('M' in ledger)) return [];
  return Object.entries(ledger.M).filter(([attribute]) => LEDGER_ATTRIBUTE.test(attribute));
}

/** The texts of a set; none if there is no set. */
export function textsOf(item: Item | undefined, attribute: string): readonly string[] {
  const set = item?.[attribute];
  return set !== undefined && 'SS' in set ? set.SS : [];
}

/** Adds amounts to others. */
export function addAmounts(to: Amounts, amounts: Amounts, sign = 1n): void {
  for (const [attribute, units] of amounts) to.set(attribute, (to.get(attribute) ?? 0n) + sign * units);
}

/** Whether some amounts change nothing. */
export function isZeroAmounts(amounts: Amounts): boolean {
  return [...amounts.values()].every((units) => units === 0n);
}

/** The numbers of a stored count; undefined if one of them is malformed. An absent count has none. */
export function storedAmounts(count: Item | undefined): Amounts | undefined {
  const amounts: Amounts = new Map();
  for (const [attribute, value] of Object.entries(count ?? {})) {
    if (attribute.startsWith('keys/') && !('SS' in value)) return undefined;
    if (!AMOUNT.test(attribute)) continue;
    const text = numberOf(value);
    const units = text === undefined ? undefined : parseSumUnits(text);
    const isWhole = units !== undefined && units % ONE === 0n;
    if (units === undefined || (!isWhole && !attribute.startsWith('sum/'))) return undefined;
    amounts.set(attribute, units);
  }
  return count !== undefined && !amounts.has(COUNT) ? undefined : amounts;
}

/** Whether an attribute of a count is one of its numbers, or the set of a group's values. */
export function isOfAmounts(attribute: string): boolean {
  return AMOUNT.test(attribute) || attribute.startsWith('keys/');
}

/** Whether two counts say the same: an absent number is 0. */
export function sameAmounts(left: Amounts, right: Amounts): boolean {
  const difference: Amounts = new Map(left);
  addAmounts(difference, right, -1n);
  return isZeroAmounts(difference);
}

/** The numbers of a count as a text, for messages and comparisons. */
export function textOfAmounts(amounts: Amounts): string {
  const numbers = [...amounts].filter(([attribute, units]) => attribute !== COUNT && units !== 0n).sort();
  const rest = numbers.map(([attribute, units]) => `, ${attribute} ${textOfUnits(units)}`);
  return textOfUnits(amounts.get(COUNT) ?? 0n) + rest.join('');
}

/** A value of a group in the ledger that an item is to have. */
interface GroupValue {
  /** The attribute of the group. */
  attribute: string;
  value: string;
  /** Whether the item has the value already. */
  stays: boolean;
}

function groupValues(current: Item | undefined, wanted: Item | undefined): GroupValue[] {
  const before = new Map(ledgerOf(current));
  const isSameCount = stringOf(current?.[COUNTED]) === stringOf(wanted?.[COUNTED]);
  return ledgerOf(wanted).flatMap(([attribute, stored]) => {
    const value = stringOf(stored);
    if (value === undefined) return [];
    return [{ attribute, value, stays: isSameCount && stringOf(before.get(attribute)) === value }];
  });
}

/** Whether an item is to have a value of a group that it does not have: whether there is room for it depends on the count. */
export function hasNewGroupValue(current: Item | undefined, wanted: Item | undefined): boolean {
  return groupValues(current, wanted).some(({ stays }) => !stays);
}

/** The room that a count has for values of groups. */
export class Room {
  /** Whether a value was added: then the write is right only if the count has not changed since it was read. */
  isTaken = false;
  private readonly keys = new Map<string, Set<string>>();

  constructor(private readonly count: Item | undefined) {}

  /** Returns the groups of an item to be written whose values have no room. A value that the item has already stays where it is. */
  otherGroups(current: Item | undefined, wanted: Item | undefined): string[] {
    const other = new Set(textsOf(current, OTHER));
    return groupValues(current, wanted)
      .filter(({ attribute, value, stays }) => (stays ? other.has(attribute) : !this.takes(attribute, value)))
      .map(({ attribute }) => attribute);
  }

  private takes(attribute: string, value: string): boolean {
    let keys = this.keys.get(attribute);
    if (keys === undefined) {
      keys = new Set(textsOf(this.count, keysAttribute(attribute.slice(groupAttribute('').length))));
      this.keys.set(attribute, keys);
    }
    if (keys.has(value)) return true;
    this.isTaken = true;
    // rule: group-has-a-bound
    if (keys.size >= MOST_VALUES) return false;
    keys.add(value);
    return true;
  }
}

/** An item with the groups whose values have no room. */
export function withGroupsWithoutRoom(item: Item | undefined, others: readonly string[]): Item | undefined {
  return item === undefined || others.length === 0 ? item : { ...item, [OTHER]: { SS: [...others] } };
}

/** The values of groups that amounts add to, by the attribute of the set that they are in. */
export function groupValuesByAttribute(amounts: Amounts): Record<string, string[]> {
  const keys: Record<string, string[]> = {};
  for (const [attribute, units] of amounts) {
    const [, group, value] = /^by\/([^/]{1,64})\/(.*)$/s.exec(attribute) ?? [];
    if (group === undefined || value === undefined || value === OTHER_VALUES || units <= 0n) continue;
    const attributeOfKeys = keysAttribute(group);
    keys[attributeOfKeys] = [...(keys[attributeOfKeys] ?? []), value];
  }
  return keys;
}
