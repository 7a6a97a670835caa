import type { AttributeValue, Item } from '../../../../src/core/items/attribute-value.ts';
import type { ItemKey } from '../../../../src/core/store-port.ts';
import { textOf as decimalText, exactOf } from '../../kernel/decimal.ts';
import { mapOf, nameOf, setOf, stableText, textOf } from '../../kernel/values.ts';
import { type Features, SMALL_BUDGET } from './models.ts';
import { type Expected, type ExpectedView, expectedOf } from './oracle.ts';
import { MOST_BYTES } from './table.ts';

/** What is compared of index items, reverse items and entries of totals: all that the pages say of them but the bookkeeping. */
const MEANT = [
  'gsi0pk',
  'gsi0sk',
  'value',
  'gsi1pk',
  'gsi1sk',
  'gsi1value',
  'attributes',
  'counted',
  'ledger',
  'child',
];

/** What a tombstone may not have. */
const LIVE = [...MEANT, 'edgeSet', 'copies', 'count', 'after', 'of'];

/** Derived items that may be there whatever the base items say: they say how far something has come. */
const isBookkeeping = ({ source }: ItemKey): boolean => source === '~edgeloom';

/** Says what is wrong in a table where everything is applied. */
export function judged(features: Features, items: readonly { key: ItemKey; item: Item }[]): string[] {
  const base = items.filter(({ key }) => !key.target.startsWith('~'));
  const derived = items.filter(({ key }) => key.target.startsWith('~') && !isBookkeeping(key));
  return new Verdict(features, expectedOf(features, base), derived).work();
}

class Verdict {
  private readonly wrong: string[] = [];
  private readonly stored: ReadonlyMap<string, Item>;
  /** Items that the table has refused: an entry stands for each. */
  private readonly refused = new Set<string>();
  /** What entries say is not right. */
  private readonly held = new Set<string>();

  constructor(
    private readonly features: Features,
    private readonly expected: Expected,
    private readonly derived: readonly { key: ItemKey; item: Item }[],
  ) {
    this.stored = new Map(derived.map(({ key, item }) => [nameOf(key), item]));
  }

  work(): string[] {
    const { items, views, totals } = this.expected;
    for (const { key, item } of this.derived) {
      if (!key.target.startsWith('~quarantine/') || item['expiresAt'] !== undefined) continue;
      this.held.add(nameOf({ source: key.source, target: textOf(item['of']) }));
    }
    for (const [name, item] of items) this.item(name, item, this.stored.get(name));
    for (const [name, view] of views) this.view(name, view, this.stored.get(name));
    for (const [name, total] of totals) this.total(name, total, this.stored.get(name));
    for (const { key, item } of this.derived) this.unasked(key, item);
    this.entries();
    return this.wrong;
  }

  private say(name: string, what: string): void {
    this.wrong.push(`${name.replace('\n', ' ').replaceAll(/p{20,}/g, 'p…')}: ${what}`);
  }

  private compare(name: string, what: string, expected: unknown, actual: unknown): void {
    const [left, right] = [stableText(expected ?? null), stableText(actual ?? null)];
    if (left !== right) this.say(name, `${what} should be ${left}, but is ${right}`);
  }

  private item(name: string, expected: Item, stored: Item | undefined): void {
    if (this.isRefused(name, expected)) return;
    if (stored?.['expiresAt'] !== undefined) this.say(name, 'it is a tombstone');
    // Of a list of nodes the page gives no partition.
    const names = MEANT.filter((one) => (name.endsWith('\n~ix/') ? one === 'value' || one === 'gsi0sk' : true));
    this.compare(name, 'the item', meant(expected, names), stored && meant(stored, names));
  }

  /**
   * The table refuses an item that is too large; what is stored then is not judged, but has to have an entry. The entry may outlive the
   * fault until a redrive, and as long as it says that the item is not right, the item need not be.
   */
  private isRefused(name: string, expected: unknown): boolean {
    if (stableText(expected).length >= MOST_BYTES - 300) this.refused.add(name);
    return this.refused.has(name) || this.held.has(name);
  }

  private view(name: string, { attributes, elements, copies }: ExpectedView, stored: Item = {}): void {
    // Only attributes are ever too large: what else is in the view has to be right all the same.
    const isRefused = this.isRefused(name, attributes ?? {});
    if (attributes === undefined && elements.size === 0 && !isRefused) return;
    const evicted = setOf(stored['evicted']);
    if (!isRefused) this.compare(name, 'attributes', attributes && { M: attributes }, stored['attributes']);
    const listed = [...elements].filter(([type]) => !evicted.includes(type)).flatMap(([, set]) => [...set]);
    this.compare(name, 'edgeSet', listed.sort(), [...setOf(stored['edgeSet'])].sort());
    const copied = [...copies].filter(([type]) => !evicted.includes(type)).flatMap(([, map]) => [...map]);
    const expected = Object.fromEntries(copied.map(([edge, item]): [string, AttributeValue] => [edge, { M: item }]));
    this.compare(name, 'copies', expected, mapOf(stored['copies']));
    if (stored['expiresAt'] !== undefined && !isRefused) this.say(name, 'it is a tombstone');
    const isSmall = this.features.small && name.startsWith('A-');
    if (evicted.length > 0 && !isSmall) this.say(name, `${evicted.join()} is evicted from a view with room`);
    const bytes = [...setOf(stored['edgeSet'])].join('').length;
    if (isSmall && bytes > 1.2 * SMALL_BUDGET) this.say(name, `its ${bytes} bytes are beyond the budget`);
  }

  private total(name: string, expected: Record<string, string>, stored: Item = {}): void {
    const actual: Record<string, string> = {};
    for (const [attribute, value] of Object.entries(stored)) {
      if (!/^(count|problems|sum\/|by\/)/.test(attribute) || !('N' in value)) continue;
      const number = decimalText(exactOf(value.N)!);
      if (number !== '0') actual[attribute] = number;
    }
    this.compare(name, 'the total', expected, actual);
  }

  /** A live item that nothing asks for. */
  private unasked(key: ItemKey, item: Item): void {
    const name = nameOf(key);
    const { items, views, totals } = this.expected;
    if (items.has(name) || totals.has(name) || key.target.startsWith('~quarantine/')) return;
    if (/^~(degree|total)\//.test(key.target)) {
      this.total(name, {}, item);
      return;
    }
    const view = views.get(name);
    if (view !== undefined && (view.attributes !== undefined || view.elements.size > 0)) return;
    const left = Object.keys(item).filter((attribute) => LIVE.includes(attribute));
    const evicted = setOf(item['evicted']);
    // An empty view may keep the marks of types that it was without.
    const isMarked = key.target === '~view' && evicted.length > 0;
    if (left.length > 0) this.say(name, `nothing asks for it, but it has ${left.join()}: ${stableText(item)}`);
    else if (item['expiresAt'] === undefined && !isMarked)
      this.say(name, `nothing asks for it, but it has no expiry: ${stableText(item)}`);
  }

  private entries(): void {
    const late = [...this.held].filter((name) => name.includes('\n~'));
    const entries = [...new Set([...this.expected.faulty, ...this.refused, ...late])].sort();
    this.compare('quarantine', 'the entries', entries, [...this.held].sort());
  }
}

function meant(item: Item, names: readonly string[]): Item {
  return Object.fromEntries(Object.entries(item).filter(([name]) => names.includes(name)));
}
