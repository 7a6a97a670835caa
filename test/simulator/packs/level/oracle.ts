import type { AttributeValue, Item } from '../../../../src/core/items/attribute-value.ts';
import type { ItemKey } from '../../../../src/core/store-port.ts';
import { textOf as decimalText, type Exact, exactOf, plus } from '../../kernel/decimal.ts';
import { nameOf, text, textOf } from '../../kernel/values.ts';
import type { Features } from './models.ts';

/**
 * What the base items ask for, worked out of the pages for users alone (`docs/reference/stored-items.md`). Nothing here is the product's, not
 * even a key.
 */

/** The derived items that have to be there, each with what it has to hold; and the entries. */
export interface Expected {
  /** Index items, reverse items, entries of totals: by name, with the attributes that mean something. */
  items: Map<string, Item>;
  /** Views by name. */
  views: Map<string, ExpectedView>;
  /** Counts and totals by name. Numbers in decimal texts; none of them is 0. */
  totals: Map<string, Record<string, string>>;
  /** Base items that cannot be projected in full. */
  faulty: Set<string>;
}

/** A view. The types that are evicted take their elements and copies along. */
export interface ExpectedView {
  attributes: Item | undefined;
  /** Elements by edge type. */
  elements: Map<string, Set<string>>;
  /** Copies by edge type, and by the edge's sort key. */
  copies: Map<string, Map<string, Item>>;
}

/** The most bytes of a sort key of an index. */
const MOST_KEY_BYTES = 1_024;

const RANKS: Readonly<Record<string, string>> = { LEAD: '2-LEAD', HELP: '1-HELP' };

/** Works out what has to be derived from base items. */
export function expectedOf(features: Features, base: readonly { key: ItemKey; item: Item }[]): Expected {
  return new Derivation(features, base).work();
}

class Derivation {
  private readonly expected: Expected = { items: new Map(), views: new Map(), totals: new Map(), faulty: new Set() };
  private readonly live = new Map<string, Item>();

  constructor(
    private readonly features: Features,
    private readonly base: readonly { key: ItemKey; item: Item }[],
  ) {}

  work(): Expected {
    for (const { key, item } of this.base) if (!this.isDeleted(key, item)) this.live.set(nameOf(key), item);
    for (const { key, item } of this.base) {
      // An edge that fits no type of the model is a fault whatever its attributes say.
      if (key.target.startsWith('A') && key.source !== key.target && this.isMisfit(key))
        this.expected.faulty.add(nameOf(key));
      else if (this.isDeleted(key, item)) continue;
      else if (key.source === key.target) this.node(key.source, item);
      else if (key.target === 'STATE') this.part(key.source, item);
      else this.edge(key, item);
    }
    return this.expected;
  }

  private isDeleted({ source, target }: ItemKey, item: Item): boolean {
    const mayBe = this.features.soft && target !== 'STATE' && !source.startsWith('B-');
    const gone = item['gone'];
    return mayBe && gone !== undefined && !('NULL' in gone) && !('BOOL' in gone && !gone.BOOL);
  }

  private item(source: string, target: string, item: Item): void {
    this.expected.items.set(nameOf({ source, target }), item);
  }

  private view(source: string): ExpectedView {
    const name = nameOf({ source, target: '~view' });
    const view = this.expected.views.get(name) ?? { attributes: undefined, elements: new Map(), copies: new Map() };
    this.expected.views.set(name, view);
    return view;
  }

  private hasView(source: string): boolean {
    // A node type with neither shown attributes nor edge sets has no views; AA is always in the set of A.
    return source.startsWith('A-') || source.startsWith('B-');
  }

  private shownOf(source: string, item: Item): Item {
    if (source.startsWith('B-')) return only(item, 'name');
    const { view } = this.features;
    if (view === 'all') return without(item, 'source', 'target', 'expiresAt');
    return view === 'name' ? only(item, 'name') : {};
  }

  private node(source: string, item: Item): void {
    if (this.hasView(source)) this.view(source).attributes = this.shownOf(source, item);
    if (source.startsWith('B-')) this.target(source, item);
    else this.searches(source, item);
    if (source.startsWith('A-') && this.features.orders === 'joined') this.usable(source, source, item['x']);
  }

  private searches(source: string, item: Item): void {
    const { search, tags, list } = this.features;
    if (list) this.item(source, '~ix/', { value: { S: '' }, gsi0sk: { S: `\u0000${source}` } });
    const name = search === 'none' ? undefined : this.usable(source, source, item['name']);
    const title = search === 'packed' ? this.usable(source, source, item['title']) : undefined;
    const found: Item = {
      ...(name !== undefined && found0('A.name', name, source)),
      ...(title !== undefined && {
        gsi1pk: { S: 'A.title' },
        gsi1sk: { S: `${title}\u0000${source}` },
        gsi1value: { S: title },
      }),
    };
    if (Object.keys(found).length > 0) this.item(source, '~ix/name', found);
    for (const tag of tags ? this.tagsOf(source, item['tags']) : [])
      this.item(source, `~ix/tags/${tag}`, found0('A.tags', tag, source));
  }

  /** The text by which an item is found; any other value is a fault. */
  private usable(source: string, target: string, value: AttributeValue | undefined): string | undefined {
    if (value !== undefined && !('S' in value)) this.expected.faulty.add(nameOf({ source, target }));
    return text(value);
  }

  private tagsOf(source: string, value: AttributeValue | undefined): readonly string[] {
    if (value === undefined) return [];
    if ('SS' in value) return value.SS;
    if ('L' in value && value.L.every((entry) => 'S' in entry)) return value.L.map(textOf);
    this.expected.faulty.add(nameOf({ source, target: source }));
    return [];
  }

  private part(source: string, item: Item): void {
    if (!this.features.part) return;
    this.item(source, '~view/STATE', { attributes: { M: only(item, 'status') } });
    const status = this.usable(source, 'STATE', item['status']);
    if (status !== undefined) this.item(source, '~ix/#STATE/status', found0('A.STATE.status', status, source));
  }

  /** The node behind the edges that enter it. */
  private target(source: string, item: Item): void {
    const { includeTarget, orders, third } = this.features;
    if (!includeTarget) return;
    const behind = (partition: string): Item => ({
      gsi0pk: { S: partition },
      gsi0sk: { S: '\u{10ffff}\u0002' },
      attributes: { M: only(item, 'name') },
    });
    const isPacked = orders === 'ranked-dated';
    if (orders !== 'none') {
      const second: Item = isPacked ? { gsi1pk: { S: `AB-${source}` }, gsi1sk: { S: '\u{10ffff}\u0002' } } : {};
      this.item(source, '~ix/#includeTarget/AB', { ...behind(`AB-${source}`), ...second });
    }
    if (third) this.item(source, '~ix/#includeTarget/AB/third', behind(`third/AB-${source}`));
  }

  private isMisfit({ source, target: edge }: ItemKey): boolean {
    const { type, target } = partsOf(edge);
    const isWithin = !this.features.tenants || tenantOf(source) === tenantOf(target);
    return !isWithin || !target.startsWith(type === 'AB' ? 'B-' : 'A-');
  }

  private edge(key: ItemKey, item: Item): void {
    const { source, target: edge } = key;
    const { type, target } = partsOf(edge);
    this.element(source, type, edge, target, item);
    if (type === 'AA') return;
    this.orders(key, target, item);
    this.ledgers(key, target, item);
  }

  private element(source: string, type: string, edge: string, target: string, item: Item): void {
    const { elements, copy } = this.features;
    if (type === 'AB' && elements === 'none') return;
    const view = this.view(source);
    const label = type === 'AB' && elements === 'role' ? text(item['role']) : undefined;
    const escaped = edge.replaceAll('%', '%25').replaceAll('|', '%7C');
    addTo(view.elements, type, label === undefined ? escaped : `${escaped}|role=${label}`);
    if (type !== 'AB' || !copy) return;
    this.item(target, `~rev/AB-${source}`, { child: { S: source } });
    const parent = this.live.get(nameOf({ source: target, target }));
    if (parent === undefined) return;
    const ofType = view.copies.get(type) ?? new Map<string, Item>();
    view.copies.set(type, ofType.set(edge, only(parent, 'name')));
  }

  private orders(key: ItemKey, target: string, item: Item): void {
    const { source, target: edge } = key;
    const { orders, third, project, degree } = this.features;
    const node = this.live.get(nameOf({ source, target: source }));
    const shown: Item =
      project === 'none'
        ? {}
        : { attributes: { M: { ...only(item, 'role'), ...(project === 'both' && only(node ?? {}, 'title')) } } };
    const role = orders === 'rank' || orders === 'ranked-dated' ? text(item['role']) : undefined;
    const ranked = role === undefined ? undefined : RANKS[role];
    if (role !== undefined && ranked === undefined) this.expected.faulty.add(nameOf(key));
    const usesDate = orders === 'date' || orders === 'ranked-dated' || third;
    const date = usesDate ? this.usable(source, edge, item['date']) : undefined;
    const first = { none: undefined, date, rank: ranked, 'ranked-dated': ranked, joined: text(node?.['x']) }[orders];
    const second = orders === 'ranked-dated' ? date : undefined;
    const keys: Item = {
      ...(first !== undefined && { gsi0pk: { S: `AB-${target}` }, gsi0sk: { S: `${first}\u0000${source}` } }),
      ...(second !== undefined && { gsi1pk: { S: `AB-${target}` }, gsi1sk: { S: `${second}\u0000${source}` } }),
    };
    const isFound = Object.keys(keys).length > 0;
    const counted: Item = degree ? { counted: { S: 'AB' }, ...this.ledgerOf(key, item, this.features.outgoing) } : {};
    if (isFound || degree) this.item(source, `~ix/${edge}`, { ...keys, ...(isFound && shown), ...counted });
    if (third && orders === 'joined') this.third(key, target, item, shown);
    else if (third && date !== undefined) {
      const own = { gsi0pk: { S: `third/AB-${target}` }, gsi0sk: { S: `${date}\u0000${source}` } };
      this.item(source, `~ix/#third/${edge}`, { ...own, ...shown });
    }
  }

  /** The order by an attribute of the edge and one of its source: of the two together the key may be too long. */
  private third({ source, target: edge }: ItemKey, target: string, item: Item, shown: Item): void {
    const x = this.live.get(nameOf({ source, target: source }))?.['x'];
    const date = text(item['date']);
    if (date === undefined || (x !== undefined && text(x) === undefined)) return;
    const value = `${date}\u0001${x === undefined ? '' : `${text(x)}\u0001`}`;
    if (`${value}\u0000${source}`.length > MOST_KEY_BYTES) {
      this.expected.faulty.add(nameOf({ source, target: edge }));
      return;
    }
    const keys = { gsi0pk: { S: `third/AB-${target}` }, gsi0sk: { S: `${value}\u0000${source}` } };
    this.item(source, `~ix/#third/${edge}`, { ...keys, ...shown });
  }

  private ledgers(key: ItemKey, target: string, item: Item): void {
    const { source } = key;
    const { degree, outgoing, inbound } = this.features;
    if (degree) this.count(nameOf({ source, target: '~degree/AB' }), outgoing ? item : {});
    if (!inbound) return;
    const ledger = this.ledgerOf(key, item, true);
    this.item(target, `~in/AB-${source}`, { counted: { S: '~total/AB' }, child: { S: source }, ...ledger });
    this.count(nameOf({ source: target, target: '~total/AB' }), item);
  }

  /** What an edge adds to its totals, as its item says; faults are counted there, and make an entry. */
  private ledgerOf(key: ItemKey, item: Item, isSummed: boolean): Item {
    if (!isSummed) return {};
    const { hours, kind, problems } = contributionOf(item);
    if (problems > 0) this.expected.faulty.add(nameOf(key));
    const ledger: Item = {
      ...(hours !== undefined && { 'sum/hours': { N: hours } }),
      ...(kind !== undefined && { 'by/kind': { S: kind } }),
      ...(problems > 0 && { problems: { N: String(problems) } }),
    };
    return Object.keys(ledger).length > 0 ? { ledger: { M: ledger } } : {};
  }

  private count(name: string, item: Item): void {
    const total = this.expected.totals.get(name) ?? {};
    this.expected.totals.set(name, total);
    const add = (attribute: string, number: string): void => {
      const sum = decimalText(plus(exact(total[attribute] ?? '0'), exact(number)));
      if (sum === '0') delete total[attribute];
      else total[attribute] = sum;
    };
    const { hours, kind, problems } = contributionOf(item);
    add('count', '1');
    if (hours !== undefined) add('sum/hours', hours);
    if (kind !== undefined) add(`by/kind/${kind}`, '1');
    if (problems > 0) add('problems', String(problems));
  }
}

function exact(number: string): Exact {
  return exactOf(number)!;
}

/** What an edge adds. */
function contributionOf({ hours, kind }: Item): { hours?: string; kind?: string; problems: number } {
  const badHours = hours !== undefined && !('N' in hours);
  const badKind = kind !== undefined && !('S' in kind) && !('N' in kind);
  return {
    ...(hours !== undefined && 'N' in hours && { hours: hours.N }),
    ...(kind !== undefined && !badKind && { kind: 'S' in kind ? `S${kind.S}` : `N${(kind as { N: string }).N}` }),
    problems: Number(badHours) + Number(badKind),
  };
}

function found0(partition: string, value: string, source: string): Item {
  return { gsi0pk: { S: partition }, gsi0sk: { S: `${value}\u0000${source}` }, value: { S: value } };
}

/** The type and the target of an edge. */
function partsOf(edge: string): { type: string; target: string } {
  const [type = '', ...rest] = edge.split('-');
  return { type, target: rest.join('-') };
}

function tenantOf(id: string): string {
  const [, rest = ''] = id.split('-');
  return rest.split('.')[0]!;
}

function addTo(sets: Map<string, Set<string>>, name: string, value: string): void {
  sets.set(name, (sets.get(name) ?? new Set()).add(value));
}

function only(item: Item, name: string): Item {
  return item[name] === undefined ? {} : { [name]: item[name] };
}

function without(item: Item, ...names: readonly string[]): Item {
  return Object.fromEntries(Object.entries(item).filter(([name]) => !names.includes(name)));
}
