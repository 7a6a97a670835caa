import { type Item, numberOf, stringOf, textsOf } from './attribute-value.ts';
import { COUNT, COUNTED, LEDGER, OTHER } from './derived-item.ts';
import { ONE, parseSumUnits, parseUnits, textOfUnits } from './units.ts';

/**
 * A counted item adds to its count a number per sum and a value per group. A count has its attributes at the top level,
 * since DynamoDB's ADD can't change nested ones: `count`, `problems`, `sum/hours`, `by/kind/Scode`, and `keys/kind`,
 * the set of a group's values.
 */

/** The number of values that can't be in a sum or group. */
export const PROBLEMS = 'problems';
/** The group of values that the count doesn't name. Named values begin with a type tag, so none of them is `~other`. */
export const OTHER_VALUES = '~other';
/** The maximum number of values that a count names per group. */
export const MOST_VALUES = 50;

export function sumAttribute(name: string): string {
  return `sum/${name}`;
}

export function groupAttribute(name: string): string {
  return `by/${name}`;
}

function keysAttribute(group: string): string {
  return `keys/${group}`;
}

/** Amounts by attribute of the count, in units of 10^-12. */
export type Amounts = Map<string, bigint>;

/** Other attributes of a ledger are ignored, because another program may have written them. */
const LEDGER_ATTRIBUTE = /^(?:problems|(?:sum|by)\/[A-Za-z_][A-Za-z0-9_.-]{0,63})$/;
const AMOUNT = /^(?:count|problems|sum\/|by\/)/;

export function amountsOf(item: Item | undefined, countName: string): Amounts {
  const amounts: Amounts = new Map();
  if (item === undefined || stringOf(item[COUNTED]) !== countName) return amounts;
  amounts.set(COUNT, ONE);
  const other = new Set(textsOf(item?.[OTHER]));
  for (const [attribute, value] of ledgerOf(item)) {
    if ('S' in value) amounts.set(`${attribute}/${other.has(attribute) ? OTHER_VALUES : value.S}`, ONE);
    else if ('N' in value) amounts.set(attribute, parseUnits(value.N) ?? 0n);
  }
  return amounts;
}

export const NO_AMOUNTS: Amounts = new Map();

export function addItemAmounts(counts: Map<string, Amounts>, item: Item): void {
  const name = stringOf(item[COUNTED]);
  if (name === undefined) return;
  const amounts = counts.get(name) ?? new Map();
  addAmounts(amounts, amountsOf(item, name));
  counts.set(name, amounts);
}

function ledgerOf(item: Item | undefined): [string, Item[string]][] {
  const ledger = item?.[LEDGER];
  if (ledger === undefined || !('M' in ledger)) return [];
  return Object.entries(ledger.M).filter(([attribute]) => LEDGER_ATTRIBUTE.test(attribute));
}

export function addAmounts(to: Amounts, amounts: Amounts, sign = 1n): void {
  for (const [attribute, units] of amounts) to.set(attribute, (to.get(attribute) ?? 0n) + sign * units);
}

export function isZeroAmounts(amounts: Amounts): boolean {
  return [...amounts.values()].every((units) => units === 0n);
}

/** Returns undefined for a malformed count. An absent count has no amounts. */
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

/**
 * Returns undefined unless the count is well-formed, the sets contain each value with a positive number, and each value
 * in a set has a number.
 */
export function soundAmounts(count: Item | undefined): Amounts | undefined {
  const amounts = storedAmounts(count);
  if (amounts === undefined) return undefined;
  const isListed = Object.entries(groupValuesByAttribute(amounts)).every(([attribute, values]) => {
    const listed = new Set(textsOf(count?.[attribute]));
    return values.every((value) => listed.has(value));
  });
  const hasNumbers = setsOfValues(count).every(({ attribute, values }) => {
    const group = groupAttribute(attribute.slice(keysAttribute('').length));
    return values.every((value) => amounts.has(`${group}/${value}`));
  });
  return isListed && hasNumbers ? amounts : undefined;
}

export function setsOfValues(count: Item | undefined): { attribute: string; values: string[] }[] {
  const names = Object.keys(count ?? {}).filter((attribute) => attribute.startsWith(keysAttribute('')));
  return names.sort().map((attribute) => ({ attribute, values: [...textsOf(count?.[attribute])].sort() }));
}

export function isAmountAttribute(attribute: string): boolean {
  return AMOUNT.test(attribute) || attribute.startsWith('keys/');
}

export function groupsAtZero(count: Item): { set: Item; unset: string[] } | undefined {
  const amounts = storedAmounts(count);
  if (amounts === undefined) return undefined;
  const isZero = (name: string): boolean => (amounts.get(name) ?? 0n) === 0n;
  const unset = [...amounts.keys()].filter((name) => name.startsWith(groupAttribute('')) && isZero(name));
  const set: Item = {};
  for (const keys of Object.keys(count).filter((name) => name.startsWith(keysAttribute('')))) {
    const group = groupAttribute(keys.slice(keysAttribute('').length));
    const values = textsOf(count[keys]);
    const left = values.filter((value) => !isZero(`${group}/${value}`));
    if (left.length === 0) unset.push(keys);
    else if (left.length < values.length) set[keys] = { SS: left };
  }
  return unset.length === 0 && Object.keys(set).length === 0 ? undefined : { set, unset };
}

export function valuesNamedBy(attribute: string, value: Item[string]): string[] {
  const named = groupValueOf(attribute);
  const texts = attribute.startsWith(keysAttribute('')) ? textsOf(value) : [];
  return [...(named === undefined ? [] : [named.value]), ...texts].map((text) => text.slice(1));
}

export function sameAmounts(left: Amounts, right: Amounts): boolean {
  const difference: Amounts = new Map(left);
  addAmounts(difference, right, -1n);
  return isZeroAmounts(difference);
}

export function hasRoomForOthers(amounts: Amounts): boolean {
  return [...amounts].some(([attribute, units]) => {
    const { group, value } = groupValueOf(attribute) ?? {};
    if (group === undefined || value !== OTHER_VALUES || units <= 0n) return false;
    return namedValues(amounts, `${groupAttribute(group)}/`).length < MOST_VALUES;
  });
}

/** Parses an attribute such as `by/kind/Sa/b`. A value may contain slashes, but a group's name can't. */
function groupValueOf(attribute: string): { group: string; value: string } | undefined {
  const [, group, value] = /^by\/([^/]{1,64})\/(.*)$/s.exec(attribute) ?? [];
  return group === undefined || value === undefined ? undefined : { group, value };
}

/** Tells, item by item, whether a count has room for values that it doesn't name yet. */
export class RoomForOthers {
  private readonly values = new Map<string, Set<string>>();

  constructor(private readonly amounts: Amounts) {}

  takes(item: Item): boolean {
    const ledger = new Map(ledgerOf(item));
    return textsOf(item?.[OTHER]).filter((group) => this.hasRoom(group, stringOf(ledger.get(group)))).length > 0;
  }

  private hasRoom(group: string, value: string | undefined): boolean {
    if (value === undefined) return false;
    const values = this.values.get(group) ?? new Set(namedValues(this.amounts, `${group}/`));
    this.values.set(group, values);
    if (!values.has(value) && values.size >= MOST_VALUES) return false;
    values.add(value);
    return true;
  }
}

function namedValues(amounts: Amounts, prefix: string): string[] {
  return [...amounts].flatMap(([attribute, units]) => {
    const value = attribute.slice(prefix.length);
    return attribute.startsWith(prefix) && units > 0n && value !== OTHER_VALUES ? [value] : [];
  });
}

export function textOfAmounts(amounts: Amounts): string {
  const numbers = [...amounts].filter(([attribute, units]) => attribute !== COUNT && units !== 0n).sort();
  const rest = numbers.map(([attribute, units]) => `, ${attribute} ${textOfUnits(units)}`);
  return textOfUnits(amounts.get(COUNT) ?? 0n) + rest.join('');
}

export interface CountedChange {
  current: Item | undefined;
  expected: Item | undefined;
}

function groupValues({ current, expected }: CountedChange, readmits: boolean) {
  const before = new Map(ledgerOf(current));
  const other = new Set(textsOf(current?.[OTHER]));
  const isSameCount = stringOf(current?.[COUNTED]) === stringOf(expected?.[COUNTED]);
  return ledgerOf(expected).flatMap(([attribute, stored]) => {
    const value = stringOf(stored);
    if (value === undefined) return [];
    const isSame = isSameCount && stringOf(before.get(attribute)) === value;
    const isNamed = !other.has(attribute);
    return [{ attribute, value, stays: isSame && (isNamed || !readmits), isNamed }];
  });
}

export function hasNewGroupValue(change: CountedChange, readmits = false): boolean {
  return groupValues(change, readmits).some(({ stays }) => !stays);
}

interface Group {
  values: Set<string>;
  used: Set<string>;
  freed: Set<string>;
}

/** Tracks a count's room for group values during one write. */
export class Room {
  /** True if the write is only valid while the count is unchanged. */
  isTaken = false;
  /** Values that the count already has and the write adds to, by the attribute of their set. */
  readonly held: Record<string, string[]> = {};
  private readonly groups = new Map<string, Group>();
  /** The count's amounts without those of values that the write's items give up. */
  private readonly rest: Amounts;

  constructor(
    private readonly count: Item | undefined,
    countName: string,
    changes: readonly CountedChange[],
    private readonly readmits = false,
  ) {
    this.rest = new Map(storedAmounts(count));
    for (const change of changes) {
      addAmounts(this.rest, amountsOf(change.current, countName), -1n);
      for (const { attribute, value, stays, isNamed } of groupValues(change, readmits)) {
        if (stays) addAmounts(this.rest, new Map([[`${attribute}/${isNamed ? value : OTHER_VALUES}`, ONE]]));
      }
    }
  }

  /**
   * Returns the groups in which the count won't name the item's value. A value that the item already has stays named or
   * unnamed, except that `readmits` names it if there is room.
   */
  groupsWithoutRoom(change: CountedChange): string[] {
    return groupValues(change, this.readmits)
      .filter(({ attribute, value, stays, isNamed }) => (stays ? !isNamed : !this.takes(attribute, value)))
      .map(({ attribute }) => attribute);
  }

  get freed(): { set: Item; unset: string[] } {
    const freed: { set: Item; unset: string[] } = { set: {}, unset: [] };
    for (const [attribute, { values, freed: gone }] of this.groups) {
      const left = [...gone].filter((value) => !values.has(value));
      if (left.length === 0) continue;
      freed.set[keysAttributeOfGroup(attribute)] = { SS: [...values] };
      freed.unset.push(...left.map((value) => `${attribute}/${value}`));
    }
    return freed;
  }

  private takes(attribute: string, value: string): boolean {
    const group = this.groupOf(attribute);
    const { values, used } = group;
    const isFull = values.size >= MOST_VALUES;
    // The write depends on the count: a new value takes room, and in a full group, another write may free the value.
    if (isFull || !values.has(value)) this.isTaken = true;
    const isFirst = !used.has(value);
    used.add(value);
    if (values.has(value)) {
      const keys = keysAttributeOfGroup(attribute);
      if (isFirst) this.held[keys] = [...(this.held[keys] ?? []), value];
      return true;
    }
    if (isFull) this.freeUnusedValues(attribute, group);
    if (values.size >= MOST_VALUES) return false;
    values.add(value);
    return true;
  }

  private groupOf(attribute: string): Group {
    let group = this.groups.get(attribute);
    if (group === undefined) {
      const values = new Set(textsOf(this.count?.[keysAttributeOfGroup(attribute)]));
      group = { values, used: new Set(), freed: new Set() };
      this.groups.set(attribute, group);
    }
    return group;
  }

  private freeUnusedValues(attribute: string, { values, used, freed }: Group): void {
    for (const value of values) {
      // rule: value-that-an-item-gets-keeps-its-room
      if (used.has(value)) continue;
      if ((this.rest.get(`${attribute}/${value}`) ?? 0n) !== 0n) continue;
      values.delete(value);
      freed.add(value);
    }
  }
}

function keysAttributeOfGroup(group: string): string {
  return keysAttribute(group.slice(groupAttribute('').length));
}

export function withGroupsWithoutRoom(item: Item | undefined, others: readonly string[]): Item | undefined {
  return item === undefined || others.length === 0 ? item : { ...item, [OTHER]: { SS: [...others] } };
}

export function groupValuesByAttribute(amounts: Amounts): Record<string, string[]> {
  const keys: Record<string, string[]> = {};
  for (const [attribute, units] of amounts) {
    const { group, value } = groupValueOf(attribute) ?? {};
    if (group === undefined || value === undefined || value === OTHER_VALUES || units <= 0n) continue;
    const attributeOfKeys = keysAttribute(group);
    keys[attributeOfKeys] = [...(keys[attributeOfKeys] ?? []), value];
  }
  return keys;
}
