import type { AttributeValue, Item } from '../../../../src/core/items/attribute-value.ts';
import type { DerivedUpdate, ItemKey, UpdateCondition } from '../../../../src/core/store-port.ts';
import { textOf as decimalText, exactOf, plus } from '../../kernel/decimal.ts';
import type { TableChange } from '../../kernel/shown-stream.ts';
import { nameOf, numberOf, setOf, stableText } from '../../kernel/values.ts';

/** A state that an item had, until another took its place. */
interface Past {
  item: Item | undefined;
  untilMs: number;
}

/** How many earlier states of an item are kept for reads that lag. */
const KEPT_STATES = 4;

/** The bytes from which on the table refuses a derived item: DynamoDB's bound, made small. */
export const MOST_BYTES = 3_000;

/** A table as DynamoDB promises it: each item changes at one moment, under its condition. It knows nothing of what items mean. */
export class LevelTable {
  private readonly items = new Map<string, { key: ItemKey; item: Item }>();
  private readonly past = new Map<string, Past[]>();

  constructor(
    private readonly nowMs: () => number,
    private readonly onChange: (change: TableChange) => void,
  ) {}

  /** The item as it is. */
  at(key: ItemKey): Item | undefined {
    return this.items.get(nameOf(key))?.item;
  }

  /** All items of now. */
  all(): readonly { key: ItemKey; item: Item }[] {
    return [...this.items.values()];
  }

  /** The states that a read which lags so long may still find, the newest first; the present one is none of them. */
  before(key: ItemKey, lagMs: number): readonly (Item | undefined)[] {
    const from = this.nowMs() - lagMs;
    return (this.past.get(nameOf(key)) ?? []).filter(({ untilMs }) => untilMs >= from).map(({ item }) => item);
  }

  /** The keys of a partition, in order; with those that a read which lags so long may still find. */
  keysOf(partition: string, lagMs: number): ItemKey[] {
    const keys = new Map<string, ItemKey>();
    for (const { key } of this.items.values()) if (key.source === partition) keys.set(key.target, key);
    if (lagMs > 0)
      for (const name of this.past.keys()) {
        const [source = '', target = ''] = name.split('\n');
        if (source === partition) keys.set(target, { source, target });
      }
    return [...keys.values()].sort((left, right) => (left.target < right.target ? -1 : 1));
  }

  /** Puts an item whole, or takes it away. */
  put(key: ItemKey, after: Item | undefined): void {
    const name = nameOf(key);
    const before = this.items.get(name)?.item;
    if (before === undefined && after === undefined) return;
    const states = this.past.get(name) ?? [];
    this.past.set(name, [{ item: before, untilMs: this.nowMs() }, ...states].slice(0, KEPT_STATES));
    if (after === undefined) this.items.delete(name);
    else this.items.set(name, { key, item: after });
    // DynamoDB has no record of a write that changes nothing.
    if (stableText(before) !== stableText(after)) this.onChange({ key, before, after });
  }

  /** Makes an update if its condition holds; gives whether it was made. */
  update(update: DerivedUpdate): boolean {
    const current = this.at(update.key);
    if (!holds(update.condition, current)) return false;
    this.put(update.key, changed(current, update));
    return true;
  }

  /** Whether an update would make an item that the table refuses. */
  isTooLarge(update: DerivedUpdate): boolean {
    return stableText(changed(this.at(update.key), update)).length > MOST_BYTES;
  }
}

/** Whether a condition holds for an item. */
export function holds(condition: UpdateCondition, current: Item | undefined): boolean {
  if (condition.kind === 'none') return true;
  if (condition.kind === 'absent') return current === undefined;
  if (condition.kind === 'holding') {
    return Object.entries(condition.texts).every(([name, texts]) =>
      texts.every((text) => setOf(current?.[name]).includes(text)),
    );
  }
  const { revision, malformed, expiry } = condition;
  if (expiry !== undefined && stableText(current?.[expiry.attribute]) !== stableText(expiry.value)) return false;
  if (malformed !== undefined) return stableText(current?.['r']) === stableText(malformed);
  return revision === undefined ? current?.['r'] === undefined : isNumber(current?.['r'], revision);
}

function isNumber(value: AttributeValue | undefined, number: string): boolean {
  return value !== undefined && 'N' in value && value.N === number;
}

/** The item after an update. */
function changed(current: Item | undefined, update: DerivedUpdate): Item {
  const { key, set, unset, condition } = update;
  const next: Item = { ...current, source: { S: key.source }, target: { S: key.target }, ...set };
  for (const name of unset) delete next[name];
  const begins = condition.kind === 'revision' && condition.malformed !== undefined;
  if (set['r'] === undefined) next['r'] = { N: String((begins ? 0 : Number(numberOf(current?.['r']))) + 1) };
  const { setElements, addElements = [], deleteElements = [] } = update;
  const elements = new Set(setElements ?? setOf(current?.['edgeSet']));
  for (const element of addElements) elements.add(element);
  for (const element of deleteElements) elements.delete(element);
  if (!update.unset.includes('edgeSet') || setElements !== undefined) replaceSet(next, 'edgeSet', elements);
  for (const [name, number] of Object.entries(update.add ?? {})) {
    const sum = plus(exactOf(numberOf(next[name]))!, exactOf(number)!);
    next[name] = { N: decimalText(sum) };
  }
  for (const [name, texts] of Object.entries(update.addTo ?? {})) {
    replaceSet(next, name, new Set([...setOf(next[name]), ...texts]));
  }
  return next;
}

function replaceSet(item: Item, name: string, elements: ReadonlySet<string>): void {
  if (elements.size === 0) delete item[name];
  else item[name] = { SS: [...elements] };
}
