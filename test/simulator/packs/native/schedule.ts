import { createReader, type Reader } from '../../../../src/client/read/reader.ts';
import { createSession, type Session } from '../../../../src/client/session/session.ts';
import { createWriter, type Writer } from '../../../../src/client/write/writer.ts';
import type { AttributeValue, Item } from '../../../../src/core/items/attribute-value.ts';
import { hashedEdgeKey } from '../../../../src/core/items/hashed-key.ts';
import { ExactNumber } from '../../../../src/core/items/plain.ts';
import { defineGraph } from '../../../../src/core/model/compile/define-graph.ts';
import type { CompiledModel } from '../../../../src/core/model/compiled.ts';
import { nativeIndexes } from '../../../../src/core/model/native-indexes.ts';
import { edge, node, number } from '../../../../src/core/model/schema.ts';
import { derivedOf } from '../../../../src/core/plan/derive.ts';
import type { ItemKey, NativeQueryRequest, Store } from '../../../../src/core/store-port.ts';
import { withoutRegistry } from '../../../../src/registry/reader-lease.ts';
import { withReplacedCalls } from '../../../../src/store/wrapped.ts';
import { MemoryStore } from '../../../support/memory-store/memory-store.ts';
import { nativePage } from '../../kernel/native-page.ts';
import { packOfTexts } from '../../kernel/pack.ts';
import { Random } from '../../kernel/random.ts';
import { type Asked, compareTexts, isAsked, isBackwards, isVoid, textOf } from './truth.ts';

/**
 * One schedule of questions to native orders and searches of a drawn model, while an index lags behind the table, item by item. Producers
 * write what DynamoDB takes; a session writes beside them. While others are at rest each walk gives exactly the items that are expected,
 * each once, in the order of their values, in full pages. Own writes show at once, whatever the index shows.
 */

const BOOKS = ['1', 'a', 'A-', '#1', '%23', '\u0000', '\u{1F600}', '\u{10FFFF}', '~view', 'x'.repeat(900), '-1', '10'];
const READERS = ['R', '#', '\u{1F600}-2'];
const FLAGS = ['up', 'down'];

const TEXTS = [
  ...['a', 'a', 'a\u0000', 'a\u0000\u0000', 'aa', 'b', 'b', '\u0000', ' ', 'é', 'e\u0301', '\uFFFD', '\u{1F600}'],
  ...['\u{10FFFF}', '\u{10FFFF}\u{10FFFF}', 'b\u{10FFFF}', '\uD7FF', '\uE000', 'x'.repeat(1000), 'x'.repeat(1024)],
  ...[`${'x'.repeat(1020)}\u{10FFFF}`, '\u{10FFFF}'.repeat(256), `${'x'.repeat(1019)}~aaaa`, 'é'.repeat(512)],
] as const;
/** Times and days; those of one day are no beginnings of each other. */
const TIMES = ['2026-01-02', '2026-01-02T07:05:29Z', '2026-01-02T07:05:29.017Z', '2026-01-03', '2026-01-03T00:00:00Z'];
const ASKED_TEXTS = [
  ...TIMES,
  ...['', 'a\u0001', 'c', 'x'.repeat(1025), `${'x'.repeat(1024)}a`, `${'x'.repeat(1020)}\u{10FFFF}\u{10FFFF}`],
  ...['x', 'x'.repeat(1020), 'x'.repeat(3000), '\u{10FFFF}'.repeat(257), '\u{1F600}'.repeat(300)],
];
const NUMBERS = [
  ...[
    '0',
    '1',
    '1',
    '-1',
    '10',
    '2',
    '0.5',
    '-0.5',
    '1e-130',
    '-1e-130',
    '9.9999999999999999999999999999999999999e125',
  ],
  ...['-9.9999999999999999999999999999999999999e125', '12345678901234567890123456789012345678'],
  ...['12345678901234567890123456789012345679', '-12345678901234567890123456789012345678', '1.5e20', '100'],
] as const;

/** The pack of native orders and searches. */
export const PACK = packOfTexts((seed) => new NativeSchedule(seed).run());

interface Order {
  name: string;
  attribute: string;
  type: 'S' | 'N';
}

interface Edges {
  type: string;
  from: readonly string[];
  orders: readonly Order[];
  deletedWhen?: string;
  isHashed: boolean;
  shown: readonly string[] | 'ALL';
}

interface Search {
  type: string;
  attribute: string;
  valueType: 'S' | 'N';
  deletedWhen?: string;
  shown: readonly string[] | 'ALL';
}

/** What a list has shown of an item. */
interface Shown {
  source: string;
  attributes: Record<string, unknown>;
}

class NativeSchedule {
  private readonly random: Random;
  private readonly failures: string[] = [];
  private readonly edges: readonly Edges[];
  private readonly searches: readonly Search[];
  private readonly graph: CompiledModel;
  /** The same lists, derived. */
  private readonly twin: CompiledModel;
  private readonly table: MemoryStore;
  private readonly keys: { partition: string; sort: string };
  /** What the indexes show, and what they do not show yet, in order for each item. */
  private readonly index = new Map<string, Item>();
  private readonly pending: { key: ItemKey; image: Item | undefined }[] = [];
  private readonly session: Session = createSession();
  private readonly store: Store;
  private readonly writer: Writer<CompiledModel>;
  private question = '';

  constructor(private readonly seed: number) {
    this.random = new Random(seed);
    const { random } = this;
    this.keys = random.chance(0.7) ? { partition: 'source', sort: 'target' } : { partition: 'pk', sort: 'sk' };
    const orders: Order[] = [
      { name: 'byDay', attribute: 'day', type: 'S' },
      { name: 'byFine', attribute: 'fine', type: 'N' },
      { name: 'byNote', attribute: 'note', type: 'S' },
    ];
    const edgesOf = (type: string, from: readonly string[]): Edges => ({
      ...{ type, from, isHashed: random.chance(0.25), shown: this.drawShown() },
      orders: random.chance(0.5) ? orders.slice(0, 1 + random.below(3)) : [random.pick(orders)],
      ...(random.chance(0.4) && { deletedWhen: 'void' }),
    });
    this.edges = [edgesOf('LOAN', ['BOOK']), edgesOf('VISIT', ['BOOK', 'READER'])];
    const searchOf = (type: string, attribute: string, valueType: 'S' | 'N'): Search => ({
      ...{ type, attribute, valueType, shown: this.drawShown() },
      ...(type === 'READER' && seed % 2 === 0 && { deletedWhen: 'void' }),
    });
    this.searches = [
      searchOf('READER', 'mail', 'S'),
      searchOf('BOOK', 'mail', 'S'),
      searchOf('BOOK', random.chance(0.5) ? 'fine' : 'card', 'N'),
    ];
    this.graph = this.modelOf(true);
    this.twin = this.modelOf(false);
    this.table = new MemoryStore(this.graph.table, {
      nativeIndexes: nativeIndexes(this.graph),
      onChange: ({ key, newImage }) => this.pending.push({ key, image: newImage }),
    });
    this.store = withReplacedCalls(this.table, { queryNative: async (request) => this.nativePage(request) });
    this.writer = createWriter(this.graph, { store: this.store });
  }

  private drawShown(): readonly string[] | 'ALL' {
    return this.random.oneOf([[], ['flag'], ['flag', 'day', 'count'], 'ALL']);
  }

  private modelOf(native: boolean): CompiledModel {
    const own = native ? { native: true as const } : {};
    const projectOf = (shown: readonly string[] | 'ALL') =>
      shown === 'ALL' ? { project: shown } : shown.length > 0 ? { project: shown } : {};
    const nodesOf = (type: string) => {
      const searches = this.searches.filter((search) => search.type === type);
      const search = searches.map(({ attribute, valueType, shown }) => [
        attribute,
        {
          ...own,
          ...(valueType === 'N' && { type: 'number' }),
          ...projectOf(shown),
          ...(!native && { shards: 'value' }),
        },
      ]);
      const { deletedWhen } = searches[0]!;
      return node({ view: 'ALL', search: Object.fromEntries(search), ...(deletedWhen && { deletedWhen }) } as never);
    };
    const edges = this.edges.map(({ type, from, orders, deletedWhen, isHashed, shown }) => {
      const named = orders.map(({ name, attribute, type: of }) => [name, of === 'N' ? number(attribute) : attribute]);
      const options = {
        ...{
          from,
          to: 'READER',
          edgeSet: false,
          inbound: { ...own, orders: Object.fromEntries(named), ...projectOf(shown) },
        },
        ...(isHashed && { keys: 'hashed' }),
        ...(deletedWhen && { deletedWhen }),
      };
      return [type, edge(options as never)];
    });
    return defineGraph({
      table: { name: 'records', partitionKey: this.keys.partition, sortKey: this.keys.sort },
      nodes: { BOOK: nodesOf('BOOK'), READER: nodesOf('READER') },
      edges: Object.fromEntries(edges),
    } as never) as CompiledModel;
  }

  async run(): Promise<string[]> {
    try {
      await this.runRounds();
    } catch (error) {
      this.failures.push(`${this.question} throws ${error instanceof Error ? (error.stack ?? error.message) : error}`);
    }
    return this.failures.map((failure) => `seed ${this.seed}: ${failure}`);
  }

  private async runRounds(): Promise<void> {
    const { random } = this;
    for (let i = random.below(30); i > 0; i--) await this.write(false);
    const rounds = 1 + random.below(4);
    for (let round = 0; round < rounds; round++) {
      this.show(random.next());
      for (let i = random.below(6); i > 0; i--) await this.write(true);
      for (let i = random.below(4); i > 0; i--) await this.write(false);
      this.show(random.next());
      for (let i = 0; i < 3; i++) await this.ask();
      if (this.failures.length > 0) return;
    }
    this.show(1);
    await this.compareWithTwin();
    await this.deleteReader();
  }

  // What is written, and what indexes show of it.

  private async write(isOwn: boolean): Promise<void> {
    const { random } = this;
    const [source, target, targetId] = this.drawKey();
    const key = { source, target };
    const isBookOrReader = source === target || random.chance(0.8);
    const over = isOwn ? this.session.note([key]) : () => undefined;
    const { item: before } = await this.table.get(key, { consistent: true });
    if (random.chance(0.15)) await this.table.delete(key);
    else if (before !== undefined && random.chance(0.3) && targetId !== undefined) {
      await this.update(isOwn, before, source, target, targetId);
    } else {
      const item = {
        ...this.drawAttributes(isBookOrReader),
        ...(targetId?.isHashed && { targetId: { S: targetId.id } }),
      };
      await this.table.put({ [this.keys.partition]: { S: source }, [this.keys.sort]: { S: target }, ...item });
    }
    over();
  }

  /** An update by the writer, of one attribute. */
  private async update(
    isOwn: boolean,
    before: Item,
    source: string,
    target: string,
    { id, type }: { id: string; type: string | undefined },
  ): Promise<void> {
    const { random } = this;
    const writer = (isOwn ? this.writer.with(this.session) : this.writer) as Writer<CompiledModel>;
    const set = random.oneOf<Record<string, unknown>>([
      { day: random.oneOf(TEXTS) },
      { fine: new ExactNumber(random.oneOf(NUMBERS)) },
      { flag: random.pick(FLAGS) },
      { void: random.chance(0.5) },
    ]);
    if (type === undefined || !source.startsWith('BOOK-') || before === undefined) {
      await this.table.delete({ source, target });
      return;
    }
    await writer.updateEdge(source as never, type as never, id as never, { set } as never);
  }

  /** A key of an item that the model knows, or of one with a sort key like those, which it does not know. */
  private drawKey(): [source: string, target: string, edge?: { id: string; isHashed: boolean; type: string }] {
    const { random } = this;
    const book = `BOOK-${random.pick(BOOKS)}`;
    const reader = `READER-${this.drawReader()}`;
    if (random.chance(0.3)) {
      const id = random.chance(0.7) ? reader : book;
      return [id, id];
    }
    const { type, isHashed } = random.pick(this.edges);
    const target = isHashed ? hashedEdgeKey(type, reader) : `${type}-${reader}`;
    const source = random.chance(0.1) ? random.oneOf(['SHELF-1', 'BOOKS-1', reader]) : book;
    return [source, target, { id: reader, isHashed, type }];
  }

  /** One of them has most of the edges. */
  private drawReader(): string {
    return this.random.chance(0.7) ? READERS[0]! : this.random.pick(READERS);
  }

  private drawAttributes(hasValues: boolean): Item {
    const { random } = this;
    const item: Item = { flag: { S: random.pick(FLAGS) }, count: { N: String(random.below(100)) } };
    const set = (name: string, value: AttributeValue): void => {
      if (hasValues && random.chance(0.85)) item[name] = value;
    };
    // Few values, so that many are alike.
    const text = (): string =>
      random.chance(0.5) ? random.oneOf(['a', 'b', 'aa']) : random.pick(random.chance(0.5) ? TIMES : TEXTS);
    set('day', { S: text() });
    set('note', { S: text() });
    set('fine', { N: random.oneOf(NUMBERS) });
    set('card', { N: random.oneOf(NUMBERS) });
    set('mail', { S: text() });
    if (random.chance(0.2))
      item['void'] = random.oneOf<AttributeValue>([{ BOOL: true }, { BOOL: false }, { S: 'x' }, { NULL: true }]);
    return item;
  }

  /** The indexes take over some of what they do not show yet. */
  private show(share: number, isWanted: (key: ItemKey) => boolean = () => true): void {
    const held = new Set<string>();
    const rest = this.pending.splice(0);
    for (const one of rest) {
      const text = nameOf(one.key);
      // Versions of one item come in their order.
      if (held.has(text) || !isWanted(one.key) || !this.random.chance(share)) {
        held.add(text);
        this.pending.push(one);
      } else if (one.image === undefined) this.index.delete(text);
      else this.index.set(text, one.image);
    }
  }

  private nativePage(request: NativeQueryRequest) {
    const { limit = 1_000 } = request;
    // Now and then a page ends early, as it does at one MB.
    const most = this.random.chance(0.15) ? 1 + this.random.below(3) : limit;
    const need = nativeIndexes(this.graph).find(({ name }) => name === request.index.name);
    return nativePage(
      this.graph.table,
      { ...request, ...((request.limit !== undefined || most < limit) && { limit: Math.min(limit, most) }) },
      this.index.values(),
      need,
    );
  }

  // What is asked.

  private async ask(): Promise<void> {
    const isOwn = this.random.chance(0.6);
    const reader = createReader(this.graph, { store: this.store, leases: withoutRegistry(this.graph) });
    const asking = (isOwn ? reader.with(this.session) : reader) as Reader<CompiledModel>;
    const known = await this.known(isOwn);
    if (this.random.chance(0.3)) await this.askSearch(asking, known, isOwn);
    else await this.askOrder(asking, known, isOwn);
  }

  /** The base items as they are known to a reader: its own as they are, others as indexes show them. */
  private async known(isOwn: boolean): Promise<Item[]> {
    const items = new Map(this.index);
    if (!isOwn) return [...items.values()];
    for (const key of this.session.keys()) {
      const { item } = await this.table.get(key, { consistent: true });
      if (item === undefined) items.delete(nameOf(key));
      else items.set(nameOf(key), item);
    }
    return [...items.values()];
  }

  private async askOrder(reader: Reader<CompiledModel>, known: readonly Item[], isOwn: boolean): Promise<void> {
    const { random } = this;
    const edges = random.pick(this.edges);
    const order = random.pick(edges.orders);
    const target = `READER-${this.drawReader()}`;
    const asked = this.drawAsked(order.type);
    const flag = this.drawFlag(edges.shown);
    const all = this.edgesTo(edges, order, target, known).filter(({ value }) => isAsked(order.type, asked, value));
    const expected = all.filter(({ item }) => flag === undefined || textOf('S', item['flag']) === flag);
    const maxRcu = random.chance(0.25) ? random.oneOf([0.5, 0.5, 1, 2, 5]) : undefined;
    const options = {
      ...{ order: order.name, reverse: random.chance(0.5), ...this.asArguments(order.type, asked) },
      ...(flag !== undefined && { where: { flag } }),
    };
    this.question = `${isOwn ? 'own ' : ''}${edges.type} ${target} ${JSON.stringify({ ...options, ...asked })}`;
    const isPage = random.chance(0.2);
    const ask = async (page: object) => {
      const given = { ...options, ...page } as never;
      if (!isPage) return (await reader.inbound(target as never, edges.type as never, given)) as Page<Shown>;
      const { items, cursor } = await reader.page(
        target as never,
        edges.type as never,
        { ...(given as object), with: [] } as never,
      );
      const shown = items.map(({ id }) => ({ source: id, attributes: {} }));
      return { items: shown, ...(cursor !== undefined && { cursor }) } as Page<Shown>;
    };
    const isEmpty = 'between' in asked && isBackwards(order.type, asked.between!);
    if (isEmpty) return await this.refuses(() => ask({}), 'invalid-argument');
    const values = new Map(expected.map(({ source, value }) => [source, value]));
    const shown = await this.walk(ask, { isOwn, maxRcu, isFiltered: flag !== undefined });
    this.compareSets(shown, expected, isPage ? undefined : edges.shown);
    this.compareOrder(shown, values, order.type, options.reverse);
    if (flag === undefined && !isOwn) {
      const { reverse: _, ...counted } = options;
      const { count } = await reader.inDegree(target as never, edges.type as never, counted as never);
      if (count !== expected.length) this.fail(`inDegree is ${count}, not ${expected.length}`);
    }
  }

  private async askSearch(reader: Reader<CompiledModel>, known: readonly Item[], isOwn: boolean): Promise<void> {
    const { random } = this;
    const search = random.pick(this.searches);
    const { type, attribute, valueType } = search;
    const equals =
      valueType === 'N'
        ? random.oneOf(NUMBERS)
        : random.pick(random.chance(0.5) ? ['a', 'b', 'aa'] : [...TEXTS, ...ASKED_TEXTS]);
    const flag = this.drawFlag(search.shown);
    const found = this.nodesOf(search, known).filter(({ value }) => compareTexts(valueType, value, equals) === 0);
    const expected = found.filter(({ item }) => flag === undefined || textOf('S', item['flag']) === flag);
    const name = `${type}.${attribute}` as never;
    const options = { reverse: random.chance(0.5), ...(flag !== undefined && { where: { flag } }) };
    this.question = `${isOwn ? 'own ' : ''}search ${name} ${JSON.stringify({ equals, ...options })}`;
    const argument = (valueType === 'N' ? new ExactNumber(equals) : equals) as never;
    const searching = reader.search(name) as never as {
      equals: (value: never, options: object) => Promise<Page<{ id: string; attributes: Shown['attributes'] }>>;
      count: (predicate: object) => Promise<{ count: number }>;
    };
    const shown = await this.walk(
      async (page) => {
        const { items, cursor } = await searching.equals(argument, { ...options, ...page });
        const rows = items.map(({ id, attributes }) => ({ source: id, attributes }));
        return { items: rows, ...(cursor !== undefined && { cursor }) };
      },
      { isOwn, maxRcu: random.chance(0.2) ? random.oneOf([0.5, 1, 2]) : undefined, isFiltered: flag !== undefined },
    );
    this.compareSets(shown, expected, search.shown);
    this.compareOrder(shown, new Map(expected.map(({ source }) => [source, source])), 'S', options.reverse);
    if (flag === undefined && !isOwn) {
      const { count } = await searching.count({ equals: argument });
      if (count !== expected.length) this.fail(`count is ${count}, not ${expected.length}`);
    }
  }

  /** Walks a list from its first page to its last; meanwhile the indexes take over own writes, which changes nothing. */
  private async walk(
    ask: (page: object) => Promise<Page<Shown>>,
    { isOwn, maxRcu, isFiltered }: { isOwn: boolean; maxRcu: number | undefined; isFiltered: boolean },
  ): Promise<Shown[]> {
    const { random } = this;
    const limit = random.chance(0.1) ? 2 ** 40 : random.chance(0.2) ? 12 : 1 + random.below(5);
    const own = new Set(this.session.keys().map(nameOf));
    const shown: Shown[] = [];
    let cursor: string | undefined;
    for (let pages = 0; pages === 0 || cursor !== undefined; pages++) {
      const page = await ask({
        limit,
        ...(cursor !== undefined && { cursor }),
        ...(maxRcu !== undefined && { maxRcu }),
      });
      shown.push(...page.items);
      cursor = page.cursor;
      if (page.items.length > limit) this.fail(`a page has ${page.items.length} items, more than ${limit}`);
      if (cursor !== undefined && page.items.length < limit && maxRcu === undefined && !isFiltered)
        this.fail(`a page before the last has ${page.items.length} items, not ${limit}`);
      if (cursor === undefined && page.items.length === 0 && pages > 0 && maxRcu === undefined && !isFiltered)
        this.fail('the last page is empty');
      if (pages > 300) throw new Error('the walk does not end');
      if (isOwn && random.chance(0.3)) this.show(0.5, (key) => own.has(nameOf(key)));
    }
    return shown;
  }

  private async refuses(ask: () => Promise<unknown>, code: string): Promise<void> {
    const refusal = await ask().then(
      () => 'an answer',
      (error: unknown) => (error as { code?: string }).code,
    );
    if (refusal !== code) this.fail(`gives ${refusal}, not ${code}`);
  }

  private compareSets(
    shown: readonly Shown[],
    expected: readonly { source: string; item: Item }[],
    attributes: readonly string[] | 'ALL' | undefined,
  ): void {
    const sources = shown.map(({ source }) => source);
    for (const { source, item } of expected) {
      const rows = shown.filter((row) => row.source === source);
      if (rows.length !== 1) this.fail(`${cut(source)} comes ${rows.length} times`);
      else if (attributes !== undefined) this.compareAttributes(rows[0]!, item, attributes);
    }
    const extra = sources.filter((source) => expected.every((one) => one.source !== source));
    if (extra.length > 0) this.fail(`${extra.map(cut).join(', ')} come without being expected`);
  }

  private compareAttributes({ source, attributes }: Shown, item: Item, names: readonly string[] | 'ALL'): void {
    const isFlag = textOf('S', item['flag']);
    const knowsFlag = names === 'ALL' || names.includes('flag');
    if (knowsFlag ? attributes['flag'] !== isFlag : Object.keys(attributes).length > 0)
      this.fail(`${cut(source)} comes with ${cut(JSON.stringify(attributes))}, not with the flag ${isFlag}`);
    const wantsCount = names === 'ALL' || names.includes('count');
    if (wantsCount && String(attributes['count']) !== textOf('N', item['count']))
      this.fail(`${cut(source)} comes with the count ${attributes['count']}`);
  }

  private compareOrder(
    shown: readonly Shown[],
    values: ReadonlyMap<string, string>,
    type: 'S' | 'N',
    reverse: boolean,
  ): void {
    const texts = shown.map(({ source }) => values.get(source)).filter((text) => text !== undefined);
    for (const [i, text] of texts.entries()) {
      if (i > 0 && compareTexts(type, texts[i - 1]!, text) * (reverse ? -1 : 1) > 0)
        this.fail(`${cut(text)} comes after ${cut(texts[i - 1]!)}`);
    }
  }

  private drawFlag(shown: readonly string[] | 'ALL'): string | undefined {
    const isShown = shown === 'ALL' || shown.includes('flag');
    return isShown && this.random.chance(0.3) ? this.random.pick(FLAGS) : undefined;
  }

  private drawAsked(type: 'S' | 'N'): Asked {
    const { random } = this;
    const value = (): string =>
      type === 'N'
        ? random.oneOf(NUMBERS)
        : random.pick(random.chance(0.5) ? ['a', 'b', 'aa', ...TIMES] : [...TEXTS, ...ASKED_TEXTS]);
    const kind = random.oneOf(['all', 'equals', 'atLeast', 'between', 'between', 'beginsWith']);
    if (kind === 'equals') return { equals: value() };
    if (kind === 'atLeast') return { atLeast: value() };
    if (kind === 'beginsWith' && type === 'S') return { beginsWith: value() };
    if (kind !== 'between') return {};
    const ends: [string | undefined, string | undefined] = [value(), value()];
    if (random.chance(0.9) && isBackwards(type, ends)) ends.reverse();
    if (random.chance(0.2)) ends[random.below(2)] = undefined;
    return { between: ends };
  }

  private asArguments(type: 'S' | 'N', asked: Asked): object {
    const argument = (text: string | undefined) => (text === undefined || type === 'S' ? text : new ExactNumber(text));
    return Object.fromEntries(
      Object.entries(asked).map(([name, value]) => [
        name,
        Array.isArray(value) ? value.map((end) => argument(end)) : argument(value as string),
      ]),
    );
  }

  private edgesTo({ type, from, deletedWhen, isHashed }: Edges, order: Order, target: string, known: readonly Item[]) {
    const sortKey = isHashed ? hashedEdgeKey(type, target) : `${type}-${target}`;
    return known.flatMap((item) => {
      const [source, sort] = [textOf('S', item[this.keys.partition])!, textOf('S', item[this.keys.sort])!];
      const value = textOf(order.type, item[order.attribute]);
      if (sort !== sortKey || value === undefined || isVoid(deletedWhen, item)) return [];
      return from.some((node) => source.startsWith(`${node}-`)) ? [{ source, item, value }] : [];
    });
  }

  private nodesOf({ type, attribute, valueType, deletedWhen }: Search, known: readonly Item[]) {
    return known.flatMap((item) => {
      const [source, sort] = [textOf('S', item[this.keys.partition])!, textOf('S', item[this.keys.sort])!];
      const value = textOf(valueType, item[attribute]);
      if (source !== sort || value === undefined || isVoid(deletedWhen, item) || !source.startsWith(`${type}-`))
        return [];
      return [{ source, item, value }];
    });
  }

  /** Derived lists answer the same, as far as their keys have room for the values. */
  private async compareWithTwin(): Promise<void> {
    const derived = new MemoryStore(this.twin.table);
    const { partition, sort } = this.keys;
    const all = [...this.index.values()].filter((item) =>
      ['day', 'note', 'mail'].every((name) => (textOf('S', item[name]) ?? '').length < 100),
    );
    const native = new MemoryStore(this.graph.table, { nativeIndexes: nativeIndexes(this.graph) });
    for (const item of all) {
      await native.put(item);
      const [source, target] = [textOf('S', item[partition])!, textOf('S', item[sort])!];
      for (const [key, fields] of derivedOf(this.twin, source, target, item).indexItems)
        await derived.put({ [partition]: { S: source }, [sort]: { S: key }, ...fields });
    }
    const readers = [
      createReader(this.graph, { store: native, leases: withoutRegistry(this.graph) }),
      createReader(this.twin, { store: derived, leases: withoutRegistry(this.twin) }),
    ] as const;
    for (const { type, orders } of this.edges) {
      for (const { name, type: valueType } of orders) {
        const target = `READER-${this.drawReader()}`;
        const asked = this.drawAsked(valueType);
        const options = { order: name, limit: 1000, ...this.asArguments(valueType, asked) };
        this.question = `twin ${type} ${target} ${JSON.stringify({ name, ...asked })}`;
        const [mine, theirs] = await Promise.all(
          readers.map(async (reader) => {
            const answer = reader.inbound(target as never, type as never, options as never) as Promise<Page<Shown>>;
            return await answer.then(
              ({ items }) => JSON.stringify([...items].sort((a, b) => (a.source < b.source ? -1 : 1))),
              (error: unknown) => String((error as { code?: string }).code),
            );
          }),
        );
        if (mine !== theirs) this.fail(`native: ${cut(mine!)}, derived: ${cut(theirs!)}`);
      }
    }
  }

  /** A node that is deleted takes its edges along, and nothing else. */
  private async deleteReader(): Promise<void> {
    const id = `READER-${this.drawReader()}`;
    this.question = `deletion of ${id}`;
    const before = [...this.table.items()];
    await this.writer.deleteNodeWithEdges(id as never);
    const left = new Set([...this.table.items()].map((item) => this.nameOfItem(item)));
    const entering = this.edges.flatMap((edges) =>
      edges.orders.flatMap((order) => this.edgesTo(edges, order, id, before)),
    );
    const mustGo = new Set(entering.map(({ item }) => this.nameOfItem(item)));
    for (const item of before) {
      const [source, sort] = [textOf('S', item[this.keys.partition])!, textOf('S', item[this.keys.sort])!];
      const name = this.nameOfItem(item);
      const isOfNode = source === id;
      if (mustGo.has(name) && left.has(name)) this.fail(`${cut(source)} ${cut(sort)} is left`);
      const mayGo = isOfNode || this.edges.some((edges) => this.isEdgeTo(edges, id, source, sort));
      if (!mayGo && !left.has(name)) this.fail(`${cut(source)} ${cut(sort)} is deleted`);
    }
  }

  private isEdgeTo({ type, from, isHashed }: Edges, target: string, source: string, sort: string): boolean {
    const sortKey = isHashed ? hashedEdgeKey(type, target) : `${type}-${target}`;
    return sort === sortKey && from.some((node) => source.startsWith(`${node}-`));
  }

  private nameOfItem(item: Item): string {
    return nameOf({ source: textOf('S', item[this.keys.partition])!, target: textOf('S', item[this.keys.sort])! });
  }

  private fail(message: string): void {
    this.failures.push(`${cut(this.question)}: ${message}`);
  }
}

interface Page<T> {
  items: readonly T[];
  cursor?: string;
}

function nameOf({ source, target }: ItemKey): string {
  return JSON.stringify([source, target]);
}

/** A text of at most 300 characters, for messages. */
function cut(text: string): string {
  return text.length > 300 ? `${text.slice(0, 300)}…` : text;
}
