import type { AttributeValue, Item } from '../../../../src/core/items/attribute-value.ts';
import type {
  BaseChange,
  BaseCondition,
  ChangeResult,
  ItemKey,
  QueryRequest,
} from '../../../../src/core/store-port.ts';
import { sameText } from '../../kernel/values.ts';

const PAGE = 3;

/** A table of the attack, by its two key attributes. Who reads a page may see each item as it was a moment ago. */
export class AttackTable {
  private readonly versions = new Map<string, { at: number; item: Item | undefined }[]>();

  constructor(
    private readonly now: () => number,
    private readonly names: readonly [string, string],
  ) {}

  get(key: ItemKey): Item | undefined {
    return this.versions.get(textOf(key))?.at(-1)?.item;
  }

  /** Every item, or every item as it was at a time. */
  *all(at = Number.POSITIVE_INFINITY): Generator<Item> {
    for (const name of [...this.versions.keys()].sort()) {
      const item = this.versions.get(name)!.findLast((version) => version.at <= at)?.item;
      if (item !== undefined) yield item;
    }
  }

  /** What a key held before. */
  past(key: ItemKey): (Item | undefined)[] {
    return (this.versions.get(textOf(key)) ?? []).map(({ item }) => item);
  }

  keyOf(item: Item): ItemKey {
    const [source, target] = this.names.map((name) => (item[name] as { S: string }).S);
    return { source: source!, target: target! };
  }

  set(key: ItemKey, item: Item | undefined): void {
    const name = textOf(key);
    if (!this.versions.has(name)) this.versions.set(name, []);
    this.versions.get(name)!.push({ at: this.now(), item });
  }

  change(change: BaseChange): ChangeResult {
    const current = this.get(change.key);
    if (!meets(current, change.condition)) return { applied: false, wcu: 1, ...(current && { current }) };
    if (change.kind === 'put') {
      if (!sameText(this.keyOf(change.item), change.key)) throw new Error('An item is put under a key of another one.');
      this.set(change.key, change.item);
      return { applied: true, wcu: 1, item: change.item };
    }
    if (change.kind !== 'delete') throw new Error(`The attack's table knows no ${change.kind}.`);
    this.set(change.key, undefined);
    return { applied: true, wcu: 1 };
  }

  /** A page as it was at a time; everything is in the first segment. */
  page(startKey: Item | undefined, segment: number, at: number): { items: Item[]; lastKey?: Item } {
    const after = startKey === undefined ? '' : textOf(this.keyOf(startKey));
    const rest = segment > 0 ? [] : [...this.all(at)].filter((item) => textOf(this.keyOf(item)) > after);
    const items = rest.slice(0, PAGE);
    return { items, ...(rest.length > PAGE && { lastKey: this.keyIn(items.at(-1)!) }) };
  }

  query({ partition, sortKey, index }: QueryRequest): Item[] {
    if (index !== undefined) throw new Error("The attack's table has no index.");
    const fits = (target: string): boolean => {
      if (sortKey === undefined) return true;
      if ('beginsWith' in sortKey) return target.startsWith(sortKey.beginsWith);
      return target >= (sortKey.from ?? '') && (sortKey.to === undefined || target <= sortKey.to);
    };
    return [...this.all()].filter((item) => {
      const { source, target } = this.keyOf(item);
      return source === partition && fits(target);
    });
  }

  private keyIn(item: Item): Item {
    return Object.fromEntries(this.names.map((name) => [name, item[name]!]));
  }
}

function textOf({ source, target }: ItemKey): string {
  return `${source}\n${target}`;
}

function meets(
  item: Item | undefined,
  { present, equal = {}, absent = [], mirroredBefore }: BaseCondition = {},
): boolean {
  const has = (wanted: Item): boolean =>
    Object.entries(wanted).every(([name, value]) => item?.[name] !== undefined && sameText(item[name], value));
  if (present !== undefined && present !== (item !== undefined)) return false;
  if (!has(equal) || absent.some((name) => item?.[name] !== undefined)) return false;
  if (item === undefined) return true;
  if (mirroredBefore === undefined) return true;
  const makers = mapIn(mapIn(item, '~mirror'), 'makers');
  const own = mapIn(makers, mirroredBefore.maker)['p'];
  const isEarlier = own !== undefined && 'S' in own && own.S < mirroredBefore.position;
  return Object.keys(makers).length === 1 && isEarlier;
}

function mapIn(item: Item, name: string): Item {
  const value: AttributeValue | undefined = item[name];
  return value !== undefined && 'M' in value ? value.M : {};
}
