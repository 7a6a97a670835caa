import type { Item } from '../../../../src/core/items/attribute-value.ts';
import type { ItemKey } from '../../../../src/core/store-port.ts';
import { definitionsOf } from '../../../../src/registry/definition.ts';
import { decodeRegistry, type Registry } from '../../../../src/registry/registry.ts';
import { isAnnounced } from '../../../../src/registry/transitions.ts';
import { sharedOrders } from '../../../support/inbound-option.ts';
import { fromItem, mapOf, nameOf, setOf, stableText, textOf } from '../../kernel/values.ts';
import type { State } from './history.ts';
import { hitsOf, labelsOf, orderValue, picked, STATE, withState } from './oracle.ts';
import { generationOf } from './owners.ts';
import {
  derivedPart,
  indexesOf,
  type ModelSpec,
  type OrderSpec,
  packedSearches,
  type SearchSpec,
  type TotalSpec,
} from './specs.ts';
import { addedUp, type Numbers, numbersOf, storedNumbers, textOfNumbers } from './totals.ts';
import type { World } from './world.ts';

/**
 * The derived items of everything that is ready, judged at any moment by the oracle. Left out: the items of owners and of plain lists of
 * nodes, fan-outs under way, the partitions of indexes, how numbers sort, and edge types that a view has evicted.
 */

/** A derived item, or a part of a view, that is not what the base items ask for. */
export interface WrongItem extends ItemKey {
  /** The items that decide about it, by name. */
  bases: string[];
  text: string;
}

/** The registry as it stands in the table; undefined if there is none, or one that is only announced. */
export function storedRegistry({ table }: World): Registry | undefined {
  const text = textOf(table.current({ source: '~edgeloom', target: 'head' })?.['state']);
  const registry = text === '' ? undefined : decodeRegistry(text);
  return registry === undefined || isAnnounced(registry) ? undefined : registry;
}

/** Finds the wrong items of all that is ready. */
export function wrongItems(world: World, registry: Registry): WrongItem[] {
  const moment = new Moment(world);
  for (const [name, { generations }] of registry.projections) {
    for (const { id, state, definition } of generations) {
      const spec = specOf(world, (index) => definitionsOf(world.graphs[index]!).get(name), definition);
      if (state !== 'ready' || spec === undefined) continue;
      const [, type] = /^view:(.+)$/.exec(name) ?? [];
      if (type === undefined) moment.judgeGeneration(name, id, spec);
      else moment.judgeViews(type, `@${id}`, spec);
    }
  }
  return moment.found;
}

/** The model that a definition of the registry is of: which of them, the registry's own fingerprints tell. */
function specOf(
  { specs }: World,
  find: (index: number) => { fingerprint: string } | undefined,
  definition: string,
): ModelSpec | undefined {
  return specs.find((_, index) => find(index)?.fingerprint === definition);
}

/** The content that an item should have. A sort that is `ANY` is not judged. */
interface ExpectedItem {
  key: ItemKey;
  bases: ItemKey[];
  value?: unknown;
  attributes?: Readonly<Record<string, unknown>>;
  gsi0?: string | undefined;
  /** The sorts in the further indexes, by their names. */
  further?: Readonly<Record<string, string>>;
  /** The values in the further indexes, by the names of these indexes. */
  furtherValues?: Readonly<Record<string, unknown>>;
  ledger?: Numbers | undefined;
  child?: string;
}

const ANY = '*';
const AC_ORDER: OrderSpec = { by: 'attribute', name: 'since' };
const NO_TOTALS: TotalSpec = { sums: {}, groups: [] };

class Moment {
  readonly found: WrongItem[] = [];
  private readonly bases = new Map<string, Map<string, State>>();
  private readonly derived = new Map<string, { key: ItemKey; item: Item }>();

  constructor(private readonly world: World) {
    for (const { key, item } of world.table.items()) {
      if (key.source === '~edgeloom') continue;
      if (key.target.startsWith('~')) this.derived.set(nameOf(key), { key, item });
      else this.bases.set(key.source, (this.bases.get(key.source) ?? new Map()).set(key.target, fromItem(item)));
    }
  }

  private stateOf(source: string, target: string): State {
    return this.bases.get(source)?.get(target);
  }

  private *edges(type: string): Generator<{ key: ItemKey; own: State; node: State; to: string }> {
    for (const [source, partition] of this.bases) {
      const node = withState(this.stateOf(source, source), this.stateOf(source, STATE));
      for (const [target, own] of partition) {
        if (target.startsWith(`${type}-`)) yield { key: { source, target }, own, node, to: target.slice(3) };
      }
    }
  }

  /** Judges the items of a generation that is ready. */
  judgeGeneration(name: string, id: number, whole: ModelSpec): void {
    const spec = derivedPart(whole);
    const mark = id === 1 ? '' : `@${id}/`;
    const [kind = '', of = ''] = name.split(':');
    if (kind === 'list') return;
    const expected = [...this.expectedOf(kind, of, mark, spec)];
    const names = new Set<string>();
    for (const one of expected) {
      names.add(nameOf(one.key));
      this.compare(one, this.derived.get(nameOf(one.key))?.item);
    }
    for (const { key, item } of this.derived.values()) {
      const owner = generationOf(key);
      if (owner?.name !== name || owner.id !== id || names.has(nameOf(key))) continue;
      if (isCount(key) || key.target.includes('#includeTarget')) continue;
      if (isLive(item)) this.add(key, basesOfKey(key), `${stableText(contentOf(item))} instead of nothing`);
    }
    if (kind === 'inbound') this.judgeCounts(of, mark, spec);
  }

  private expectedOf(kind: string, of: string, mark: string, spec: ModelSpec): Iterable<ExpectedItem> {
    const [type = '', name = '', ofPart] = of.split('.');
    if (kind === 'part') return this.expectedPartViews(mark, spec);
    if (kind === 'search') {
      if (ofPart !== undefined)
        return this.expectedHits(
          STATE,
          `#${STATE}/${ofPart}`,
          mark,
          packedSearches(spec.state?.searches ?? {}, indexesOf(spec)).get(ofPart),
        );
      const plain: SearchSpec = { order: { by: 'attribute', name }, shards: 1, project: [] };
      const searches = type === 'A' ? spec.searches : { [name]: plain };
      return this.expectedHits(type, name, mark, packedSearches(searches, indexesOf(spec)).get(name));
    }
    return kind === 'order' ? this.expectedOrder(type, name, mark, spec) : this.expectedInbound(type, mark, spec);
  }

  private *expectedPartViews(mark: string, { state: of }: ModelSpec): Generator<ExpectedItem> {
    for (const [source, partition] of this.bases) {
      const state = partition.get(STATE);
      if (of === undefined || state === undefined) continue;
      const key = { source, target: `~view/${mark}${STATE}` };
      yield { key, bases: [{ source, target: STATE }], attributes: picked(state, of.view) };
    }
  }

  private *expectedHits(
    type: string,
    place: string,
    mark: string,
    searches: readonly SearchSpec[] | undefined,
  ): Generator<ExpectedItem> {
    for (const [source, partition] of searches === undefined ? [] : this.bases) {
      const target = type === STATE ? STATE : source;
      if (type !== STATE && !source.startsWith(`${type}-`)) continue;
      const hits = searches!.map((search) =>
        hitsOf(search, source, partition.get(target)).map(({ sort, text }) => {
          const { value, attributes } = JSON.parse(text) as { value: unknown; attributes: Record<string, unknown> };
          return { value, attributes, sort: search.order.by === 'number' ? ANY : sort.slice(0, -1).join('-') };
        }),
      );
      const bases = [{ source, target }];
      if (searches![0]!.multiValue === true) {
        for (const { value, attributes, sort } of hits[0]!)
          yield { key: { source, target: `~ix/${mark}${place}/${value}` }, bases, value, attributes, gsi0: sort };
        continue;
      }
      const [first, ...others] = hits.map(([hit]) => hit);
      const shown = [first, ...others].find((hit) => hit !== undefined);
      if (shown === undefined) continue;
      const further = furtherSorts((i) => others[i]?.sort);
      yield {
        ...{ key: { source, target: `~ix/${mark}${place}` }, bases, attributes: shown.attributes, gsi0: first?.sort },
        ...(first && { value: first.value }),
        ...(further && { further, furtherValues: byIndex((i) => others[i]?.value) }),
      };
    }
  }

  private *expectedOrder(type: string, name: string, mark: string, { edge }: ModelSpec): Generator<ExpectedItem> {
    const order = edge.orders[name];
    if (order === undefined) return;
    for (const { key, own, node } of this.edges(type)) {
      const gsi0 = sortText(order, own, node);
      if (gsi0 === undefined) continue;
      const target = `~ix/${mark}#${name}/${key.target}`;
      yield { key: { ...key, target }, bases: basesOfEdge(key), attributes: shownOf(edge, own, node), gsi0 };
    }
  }

  private *expectedInbound(type: string, mark: string, spec: ModelSpec): Generator<ExpectedItem> {
    const { edge } = spec;
    const isAb = type === 'AB';
    const shown = isAb ? edge : { project: [], projectSource: [] };
    const orders: Readonly<Record<string, OrderSpec>> = isAb ? edge.orders : { gsi0: AC_ORDER };
    const outgoing = edge.outgoing ?? (edge.degree ? NO_TOTALS : undefined);
    const shared = sharedOrders(Object.keys(orders), indexesOf(spec)).map((name) => orders[name ?? '']);
    for (const { key, own, node, to } of this.edges(type)) {
      const [gsi0, ...sorts] = shared.map((order) => order && sortText(order, own, node));
      const further = furtherSorts((i) => sorts[i]);
      const ledger = isAb && outgoing ? numbersOf(outgoing, own) : undefined;
      const hasIndex = gsi0 !== undefined || further !== undefined;
      const bases = basesOfEdge(key);
      const attributes = hasIndex ? { attributes: shownOf(shown, own, node) } : {};
      if (hasIndex || ledger !== undefined) {
        const item = { key: { ...key, target: `~ix/${mark}${key.target}` }, bases, ...attributes, gsi0, ledger };
        yield { ...item, ...(further && { further }) };
      }
      if (!isAb || edge.incoming === undefined) continue;
      const entry = { source: to, target: `~in/${mark}${type}-${key.source}` };
      yield { key: entry, bases: [key], ledger: numbersOf(edge.incoming, own), child: key.source };
    }
  }

  /** A total is right if it adds up the entries that it has, whatever base items ask for: these are judged by themselves. */
  private judgeCounts(type: string, mark: string, { edge }: ModelSpec): void {
    const places = [
      ...(edge.incoming === undefined ? [] : [{ place: `~total/${mark}${type}`, entries: `~in/${mark}${type}-` }]),
      ...(edge.outgoing === undefined && !edge.degree
        ? []
        : [{ place: `~degree/${mark}${type}`, entries: `~ix/${mark}${type}-` }]),
    ];
    if (type !== 'AB') return;
    const sources = new Set([...this.derived.values()].map(({ key }) => key.source));
    for (const { place, entries } of places) {
      for (const source of sources) {
        const cells = this.world.table.partition(source).filter(({ key }) => key.target.startsWith(entries));
        const items = cells.map(({ key }) => this.derived.get(nameOf(key))?.item);
        const counted = items.filter((item) => item?.['counted'] !== undefined);
        const expected = textOfNumbers(addedUp(counted.map((item) => ledgerOf(item!))));
        const key = { source, target: place };
        const stored = textOfNumbers(storedNumbers(this.derived.get(nameOf(key))?.item ?? {}));
        if (stored !== expected)
          this.add(
            key,
            cells.map((cell) => cell.key),
            `${stored} instead of ${expected}`,
          );
      }
    }
  }

  /** Judges the views of a type, part by part. Readers do not use views with another stamp. */
  judgeViews(type: string, stamp: string, spec: ModelSpec): void {
    const sources = new Set([...this.bases.keys(), ...[...this.derived.values()].map(({ key }) => key.source)]);
    for (const source of sources) {
      if (!source.startsWith(`${type}-`)) continue;
      const view = this.derived.get(nameOf({ source, target: '~view' }))?.item;
      if (view !== undefined && textOf(view['model']) !== stamp) continue;
      this.judgeAttributes(source, view, spec);
      if (type === 'A') this.judgeEdgeSet(source, view, spec);
    }
    const isCopying = type === 'A' && spec.edge.set !== false && spec.edge.copy.length > 0;
    if (isCopying) this.judgeReverseItems();
  }

  private judgeAttributes(source: string, view: Item | undefined, spec: ModelSpec): void {
    const node = this.stateOf(source, source);
    const names = source.startsWith('A-') ? spec.view : source.startsWith('B-') ? spec.groupView : ['label'];
    const expected = stableText(node === undefined ? {} : picked(node, names));
    const stored = stableText(fromItem(mapOf(view?.['attributes'])));
    const key = { source, target: '~view' };
    if (expected !== stored) this.add(key, [{ source, target: source }], `attributes ${stored} instead of ${expected}`);
  }

  private judgeEdgeSet(source: string, view: Item | undefined, spec: ModelSpec): void {
    const types = [...(spec.edge.set === false ? [] : ['AB']), ...(spec.extra ? ['AC'] : [])];
    const evicted = setOf(view?.['evicted']);
    const expected = new Map<string, string>();
    for (const [target, own] of this.bases.get(source) ?? []) {
      const edgeType = target.slice(0, 2);
      if (own === undefined || target === source || target === STATE || !types.includes(edgeType)) continue;
      const labels = edgeType === 'AB' ? Object.entries(labelsOf(spec, own)) : [];
      expected.set(target, partsText([target, ...labels.map(([name, value]) => `${name}=${value}`)]));
    }
    const stored = new Map<string, string>();
    for (const element of setOf(view?.['edgeSet'])) {
      const parts = element.split('|');
      stored.set(parts[0]!, (stored.get(parts[0]!) ?? '') + partsText(parts));
    }
    const copies = mapOf(view?.['copies']);
    for (const target of new Set([...expected.keys(), ...stored.keys(), ...Object.keys(copies)])) {
      if (evicted.includes(target.slice(0, 2))) continue;
      const [is, should] = [stored.get(target), expected.get(target)];
      const key = { source, target: '~view' };
      if (is !== should) this.add(key, [{ source, target }], `element ${is} instead of ${should}`);
      const node = this.stateOf(target.slice(3), target.slice(3));
      const isCopied = should !== undefined && target.startsWith('AB-') && spec.edge.copy.length > 0;
      const copy = stableText(isCopied && node !== undefined ? picked(node, spec.edge.copy) : null);
      const has = stableText(copies[target] === undefined ? null : fromItem(mapOf(copies[target])));
      if (copy === has) continue;
      const reverse = { source: target.slice(3), target: `~rev/AB-${source}` };
      const bases = [{ source, target }, { source: target.slice(3), target: target.slice(3) }, reverse];
      this.add(key, bases, `copy along ${target} is ${has} instead of ${copy}`);
    }
  }

  private judgeReverseItems(): void {
    const expected = new Set<string>();
    for (const { key, to } of this.edges('AB')) {
      const reverse = { source: to, target: `~rev/AB-${key.source}` };
      expected.add(nameOf(reverse));
      this.compare({ key: reverse, bases: [key], child: key.source }, this.derived.get(nameOf(reverse))?.item);
    }
    for (const { key, item } of this.derived.values()) {
      const isOver = key.target.startsWith('~rev/AB-') && !expected.has(nameOf(key)) && isLive(item);
      if (isOver) this.add(key, basesOfKey(key), 'no edge wants it');
    }
  }

  private compare(expected: ExpectedItem, item: Item | undefined): void {
    const { key, bases, ledger, ...rest } = expected;
    const should = { attributes: {}, ...rest, ...(ledger && { ledger: textOfNumbers(ledger) }) };
    const is: ReturnType<typeof contentOf> = isLive(item) ? contentOf(item!) : undefined;
    if (is !== undefined && should.gsi0 === ANY && is.gsi0 !== undefined) is.gsi0 = ANY;
    for (const [index, sort] of Object.entries(should.further ?? {}))
      if (sort === ANY && is?.further?.[index] !== undefined) is.further = { ...is.further, [index]: ANY };
    if (stableText(is) !== stableText(should)) {
      this.add(key, bases, `${stableText(is) || 'nothing'} instead of ${stableText(should)}`);
    }
  }

  private add(key: ItemKey, bases: readonly ItemKey[], text: string): void {
    this.found.push({ ...key, bases: bases.map(nameOf), text });
  }
}

function isCount({ target }: ItemKey): boolean {
  return target.startsWith('~total/') || target.startsWith('~degree/');
}

/** Whether an item has content: without it is a tombstone. */
function isLive(item: Item | undefined): boolean {
  const sorts = [0, 1, 2, 3].flatMap((i) => [`gsi${i}sk`, `gsi${i}value`]);
  return ['value', 'attributes', ...sorts, 'counted', 'child'].some((name) => item?.[name] !== undefined);
}

function contentOf(item: Item): (Omit<ExpectedItem, 'key' | 'bases' | 'ledger'> & { ledger?: string }) | undefined {
  const sortOf = (index: string): string | undefined => {
    const text = item[`${index}sk`] && textOf(item[`${index}sk`]);
    return text?.slice(0, text.lastIndexOf('\u0000'));
  };
  const further = furtherSorts((i) => sortOf(`gsi${i + 1}`));
  const furtherValues = byIndex((i) => {
    const value = item[`gsi${i + 1}value`];
    return value && fromItem({ value })['value'];
  });
  return {
    ...(item['value'] && fromItem({ value: item['value'] })),
    attributes: fromItem(mapOf(item['attributes'])),
    gsi0: sortOf('gsi0'),
    ...(further && { further }),
    ...(Object.keys(furtherValues).length > 0 && { furtherValues }),
    ...(item['counted'] && { ledger: textOfNumbers(ledgerOf(item)) }),
    ...(item['child'] && { child: textOf(item['child']) }),
  };
}

/** The sorts of gsi1 to gsi3 that there are. */
function furtherSorts(sortOf: (i: number) => string | undefined): ExpectedItem['further'] {
  const sorts = byIndex(sortOf);
  return Object.keys(sorts).length === 0 ? undefined : sorts;
}

/** The entries of gsi1 to gsi3 that there are, by the names of these indexes. */
function byIndex<T>(of: (i: number) => T | undefined): Readonly<Record<string, T>> {
  const found = [0, 1, 2].flatMap((i) => {
    const one = of(i);
    return one === undefined ? [] : [[`gsi${i + 1}`, one] as const];
  });
  return Object.fromEntries(found);
}

/** The numbers that an entry says it adds to a total. */
function ledgerOf(item: Item): Numbers {
  const entries = Object.entries(mapOf(item['ledger'])).map(([name, value]): Item => {
    return 'S' in value ? { [`${name}/${value.S}`]: { N: '1' } } : { [name]: value };
  });
  return storedNumbers(Object.assign({ count: { N: '1' } }, ...entries) as Item);
}

function basesOfEdge(key: ItemKey): ItemKey[] {
  const { source } = key;
  return [key, { source, target: source }, { source, target: STATE }];
}

/** The base items of an item that none of them wants. */
function basesOfKey({ source, target }: ItemKey): ItemKey[] {
  const edge = /(A[BC])-(A-\d+)$/.exec(target);
  if (/^~(in|rev)\//.test(target) && edge !== null) return [{ source: edge[2]!, target: `${edge[1]}-${source}` }];
  const own = /A[BC]-[BC]-\d+$/.exec(target)?.[0];
  return basesOfEdge({ source, target: own ?? source });
}

function partsText(parts: readonly string[]): string {
  return [...parts].sort().join('|');
}

function shownOf(
  { project, projectSource }: Pick<ModelSpec['edge'], 'project' | 'projectSource'>,
  own: State,
  node: State,
): Readonly<Record<string, unknown>> {
  return { ...picked(own!, project), ...picked(node ?? {}, projectSource) };
}

/** The text that an edge sorts by in an order; undefined: it is not in the order. */
function sortText(order: OrderSpec, own: State, node: State): string | undefined {
  const value = own && orderValue(order, own, node);
  if (value === undefined) return undefined;
  if (order.by === 'number') return ANY;
  if (order.by !== 'pair') return value.sort.join('-');
  return value.sort.map((text) => (text === '' ? '' : `${text}\u0001`)).join('');
}
