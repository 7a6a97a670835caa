import { createReader, EdgeloomError, type Reader } from '../../../src/index.ts';
import { registryLeases } from '../../../src/registry/reader-lease.ts';
import type { Random } from '../../simulator/random.ts';
import { byOneClock } from '../../support/moments.ts';
import { type Given, judgeCount, judgeList } from './judge.ts';
import {
  edgeSetStates,
  inboundCandidates,
  inboundRowsOf,
  isNodeOf,
  type Row,
  type Span,
  searchCandidates,
  viewStates,
} from './oracle.ts';
import type { ModelSpec, OrderSpec, SearchSpec } from './specs.ts';
import { type Calls, storeOf } from './store.ts';
import { MOST_INDEX_LAG_MS, MOST_READ_LAG_MS } from './table.ts';
import { stableText } from './values.ts';
import type { World } from './world.ts';

/** What a reader got to hear. */
export interface Outcome {
  question: string;
  /** The code of an error that says what is not ready, or that the table was too busy. */
  refused?: string;
  problems: string[];
}

interface Asked {
  question: string;
  judge: (span: Span) => string[];
}

const REFUSALS = ['projection-not-ready', 'cursor-outdated', 'registry-gone', 'ThrottlingException'];
export const MOST_LAG_MS = MOST_INDEX_LAG_MS + MOST_READ_LAG_MS + 500;
const NODES = { A: 7, B: 3, C: 2 } as const;
type Type = keyof typeof NODES;

/** A process that reads by a model of its own, and its answers beside those of the oracle. */
export class ReadingProcess {
  private readonly reader: Reader;
  private readonly random: Random;
  readonly calls: Calls = { get: 0, getMany: 0, query: 0, write: 0 };
  private readonly spec: ModelSpec;
  /** Resolves when the process has ended. */
  readonly ended: Promise<void>;

  constructor(
    private readonly world: World,
    readonly version: number,
    isCalm = false,
  ) {
    const { random, timeline, table } = world;
    this.random = random;
    this.spec = world.specs[version]!;
    const process = world.process(isCalm ? { stall: 0, longestStallMs: 0, fault: 0 } : world.weather);
    this.ended = process.crashed;
    const store = storeOf(table, process, this.calls);
    const graph = world.graphs[version]!;
    const offsetMs = random.below(1_000_000);
    const leases = registryLeases(
      graph,
      store,
      byOneClock(() => timeline.nowMs + offsetMs),
    );
    this.reader = createReader(graph, { store, leases, concurrency: random.oneOf([1, 4, 32]) }) as Reader;
  }

  /** Asks one of the questions that the model answers. */
  async ask(): Promise<Outcome> {
    const { timeline, history } = this.world;
    const startMs = timeline.nowMs;
    const asking = this.chooseQuestion();
    try {
      const { question, judge } = await asking();
      const span = { fromMs: history.shownUpTo(startMs, MOST_LAG_MS), toMs: timeline.nowMs };
      return { question, problems: judge(span) };
    } catch (error) {
      const code = error instanceof EdgeloomError ? error.code : '';
      if (REFUSALS.includes(code)) return { question: asking.name, refused: code, problems: [] };
      return { question: asking.name, problems: [`it fails: ${(error as Error).stack}`] };
    }
  }

  /** Reads the views of all persons. */
  async getAll(): Promise<void> {
    await this.reader.get(Array.from({ length: NODES.A }, (_, i) => `A-${i + 1}`) as never);
  }

  private chooseQuestion(): () => Promise<Asked> {
    const { spec, random } = this;
    const searches = Object.entries(spec.searches);
    const orders = Object.entries(spec.edge.orders);
    const kinds: [() => Promise<Asked>, ...(() => Promise<Asked>)[]] = [() => this.askViews()];
    for (const [name, search] of searches) kinds.push(() => this.askSearch(name, search));
    for (const [name, order] of orders) kinds.push(() => this.askInbound(name, order));
    if (searches.length + orders.length > 0) kinds.push(() => this.askAcross());
    if (orders.length > 0) kinds.push(() => this.askPage(random.oneOf(orders as [[string, OrderSpec]])));
    if (spec.edge.degree || spec.edge.set !== false) kinds.push(() => this.askDegree());
    if (spec.groupSearch) kinds.push(() => this.askTitles());
    if (spec.extra) kinds.push(() => this.askExtra());
    if (spec.list) kinds.push(() => this.askNodes());
    return random.oneOf(kinds);
  }

  private oneId(type: Type): string {
    return `${type}-${1 + this.random.below(NODES[type])}`;
  }

  private async askViews(): Promise<Asked> {
    const count = 1 + this.random.below(4);
    const types: [Type, ...Type[]] = ['A', 'A', 'B', ...(this.spec.extra ? (['C'] as const) : [])];
    const ids = [...new Set(Array.from({ length: count }, () => this.oneId(this.random.oneOf(types))))];
    const nodes = await this.reader.get(ids as never);
    return {
      question: `get ${ids.join(' ')}`,
      judge: (span) => nodes.flatMap((node) => this.judgeView(span, node as never)),
    };
  }

  private judgeView(
    span: Span,
    node: { id: string; attributes: unknown; edgeSet: Record<string, unknown>[] },
  ): string[] {
    const { world, spec } = this;
    const problems: string[] = [];
    const texts = viewStates(world.history, span, spec, node.id);
    const text = stableText(node.attributes);
    if (!texts.has(text)) problems.push(`${node.id} is ${text} instead of ${[...texts].join(' or ')}`);
    const edges = edgeSetStates(world.history, span, spec, node.id, world.mayEvict);
    const seen = new Set<string>();
    for (const entry of node.edgeSet) {
      const key = `${entry['type']} ${entry['target']}`;
      const states = edges.get(key);
      // The record that took the edge away was given up, and one that brought it back was not: both are there until a redrive.
      const mayBeTwice = world.gaveUp && states?.has('') === true && states.size > 2;
      if (states === undefined || !states.has(stableText(entry)) || (seen.has(key) && !mayBeTwice))
        problems.push(`${node.id} has ${stableText(entry)} instead of ${[...(states ?? [])].join(' or ')}`);
      seen.add(key);
    }
    for (const [key, states] of edges)
      if (!seen.has(key) && !states.has('')) problems.push(`${node.id} lacks ${[...states].join(' or ')}`);
    return problems;
  }

  private async askSearch(name: string, search: SearchSpec): Promise<Asked> {
    const { random, reader } = this;
    const { history } = this.world;
    const asked = reader.search(`A.${name}` as never) as unknown as AnySearch;
    const isRank = search.order.by === 'rank';
    const equals: Readonly<Record<string, readonly (string | number)[]>> = {
      name: ['Ann', 'ann', 'Bob', 'Cid'],
      status: ['open', 'busy', 'done'],
      num: [1, 2, 10],
      tags: ['x', 'y'],
      initial: search.order.by === 'derive' && search.order.version === 2 ? ['two-An', 'two-Bo'] : ['a', 'b'],
    };
    if (search.shards === 'value' || random.chance(0.35)) {
      const value = random.oneOf(equals[name] as [string]);
      const { items, question } = await this.walk(`${name} = ${value}`, (options) => asked.eq(value, options));
      return { question, judge: (span) => judgeList(searchCandidates(history, span, 'A', search, value), items) };
    }
    if (random.chance(0.2)) {
      const { count } = await asked.count();
      return {
        question: `count ${name}`,
        judge: (span) => judgeCount(searchCandidates(history, span, 'A', search), count),
      };
    }
    const reverse = random.chance(0.3);
    const all = (options: object): Promise<ListOf<Hit>> => asked.all({ ...options, reverse });
    const { items, question } = await this.walk(`all ${name}${isRank ? ' by rank' : ''}`, all);
    return { question, judge: (span) => judgeList(searchCandidates(history, span, 'A', search), items, reverse) };
  }

  private async askInbound(name: string, order: OrderSpec): Promise<Asked> {
    const { random, reader, spec } = this;
    const { history } = this.world;
    const target = this.oneId('B');
    const equal = order.by === 'rank' && random.chance(0.4) ? random.oneOf(['LEAD', 'MEMBER']) : undefined;
    const candidates = (span: Span) =>
      inboundCandidates(history, span, 'AB', target, (key, own, node) =>
        inboundRowsOf(order, spec.edge, key, own, node, equal),
      );
    const asked = { order: name, ...(equal !== undefined && { equals: equal }) };
    if (random.chance(0.15)) {
      const { count } = await (reader as AnyReader).inDegree(target, 'AB', asked);
      return { question: `inDegree ${target} ${name}`, judge: (span) => judgeCount(candidates(span), count) };
    }
    const reverse = random.chance(0.4);
    const withOwner = spec.edge.owner && random.chance(0.5);
    let owner: { attributes: unknown } | null | undefined;
    const { items, question } = await this.walk(`inbound ${target} ${name} ${equal ?? ''}`, async (options) => {
      const all = { ...options, ...asked, reverse, ...(withOwner && { owner: true }) };
      const page = await (reader as AnyReader).inbound('AB', target, all);
      if (page.owner !== undefined) owner = page.owner;
      return page;
    });
    return {
      question,
      judge: (span) => {
        const problems = judgeList(candidates(span), items, reverse);
        const owners = viewStates(history, span, spec, target);
        const text = stableText(owner === undefined || owner === null ? null : owner.attributes);
        if (withOwner && !owners.has(text))
          problems.push(`the owner is ${text} instead of ${[...owners].join(' or ')}`);
        return problems;
      },
    };
  }

  private async askPage([name, order]: [string, OrderSpec]): Promise<Asked> {
    const { reader, spec } = this;
    const { history } = this.world;
    const target = this.oneId('B');
    const nodes: { id: string }[] = [];
    const neighbours: [string, unknown][] = [];
    const { question } = await this.walk(`page ${target} ${name}`, async (options) => {
      const page = await (reader as AnyReader).page('AB', target, { ...options, order: name });
      nodes.push(...page.items);
      neighbours.push(...Object.entries(page.nodes));
      return page;
    });
    return {
      question,
      judge: (span) => {
        const candidates = inboundCandidates(history, span, 'AB', target, (key, own, node) =>
          inboundRowsOf(order, { project: [], projectSource: [] }, key, own, node).map((row) => ({
            ...row,
            text: key.source,
          })),
        );
        const problems = judgeList(
          candidates,
          nodes.map(({ id }) => ({ key: id, text: id })),
        );
        for (const node of nodes) problems.push(...this.judgeView(span, node as never));
        for (const [id, attributes] of neighbours) {
          const texts = viewStates(history, span, spec, id);
          const copied = viewStates(history, span, { ...spec, groupView: spec.edge.copy }, id);
          const text = stableText(attributes);
          if (!texts.has(text) && !(id.startsWith('B-') && spec.edge.copy.length > 0 && copied.has(text)))
            problems.push(`the neighbour ${id} is ${text} instead of ${[...texts].join(' or ')}`);
        }
        return problems;
      },
    };
  }

  /** The first page of a list by this model, the rest by another one, as behind one address while versions change. */
  private async askAcross(): Promise<Asked> {
    const { world, random, spec } = this;
    const { history } = world;
    const version = random.below(world.specs.length);
    const others = world.specs[version]!;
    const other = new ReadingProcess(world, version);
    const limit = 1 + random.below(3);
    const name = random.oneOf(['name', 'gsi0', 'byStatus', 'bySince']);
    const [search, order, target] = [spec.searches[name], spec.edge.orders[name], this.oneId('B')];
    const isAnswered = search === undefined ? order !== undefined : search.shards !== 'value';
    const isKnown = search === undefined ? others.edge.orders[name] : others.searches[name];
    if (!isAnswered || isKnown === undefined || others.searches[name]?.shards === 'value') return await this.askViews();
    const read = (by: ReadingProcess, options: object): Promise<ListOf<Hit>> =>
      search === undefined
        ? (by.reader as AnyReader).inbound('AB', target, { ...options, order: name })
        : (by.reader.search('A.name' as never) as unknown as AnySearch).all(options);
    const first = await read(this, { limit });
    const hits = [...first.items];
    for (let { cursor } = first, pages = 0; cursor !== undefined && pages < 500; pages++) {
      // The other may not be ready, or say that the cursor is of another order: then this walk ends.
      const page = await read(other, { limit, cursor }).catch((error: unknown) => {
        const code = error instanceof EdgeloomError ? error.code : '';
        if (!REFUSALS.includes(code) && code !== 'invalid-cursor') throw error;
        world.count(`across: ${code}`);
        return undefined;
      });
      if (page === undefined) return { question: `${name}, refused to go on`, judge: () => [] };
      hits.push(...page.items);
      cursor = page.cursor;
    }
    world.count('across: answered');
    const given = hits.map(({ id, source }) => ({ key: id ?? source ?? '', text: id ?? source ?? '' }));
    const named = (rows: readonly Row[], text: string): Row[] => rows.map((row) => ({ ...row, text }));
    return {
      question: `${name} ${target}, the rest by model ${version}`,
      judge: (span) => {
        const candidates =
          search === undefined
            ? inboundCandidates(history, span, 'AB', target, (key, own, node) =>
                inboundRowsOf(order!, { project: [], projectSource: [] }, key, own, node),
              )
            : searchCandidates(history, span, 'A', { ...search, project: [] });
        const plain = candidates.map(({ key, states }) => ({ key, states: states.map((rows) => named(rows, key)) }));
        return judgeList(plain, given);
      },
    };
  }

  private async askDegree(): Promise<Asked> {
    const { spec } = this;
    const source = this.oneId('A');
    const count = await (this.reader as AnyReader).degree(source, 'AB');
    const { history } = this.world;
    return {
      question: `degree ${source} of ${spec.edge.degree ? 'a count' : 'the set'}`,
      judge: (span) => {
        const candidates = [...history.keys((key) => key.source === source && key.target.startsWith('AB-'))].map(
          (key) => ({
            key: key.target,
            states: [...new Set(history.statesOf(key, span.fromMs, span.toMs).map((own) => own !== undefined))].map(
              (is) => (is ? [{ sort: [], text: '' }] : []),
            ),
          }),
        );
        return judgeCount(candidates, count);
      },
    };
  }

  private async askTitles(): Promise<Asked> {
    const search: SearchSpec = { order: { by: 'attribute', name: 'title' }, shards: 1, project: [] };
    const asked = this.reader.search('B.title' as never) as unknown as AnySearch;
    const { items, question } = await this.walk('titles', (options) => asked.all(options));
    return { question, judge: (span) => judgeList(searchCandidates(this.world.history, span, 'B', search), items) };
  }

  private async askExtra(): Promise<Asked> {
    const { random, reader } = this;
    const { history } = this.world;
    if (random.chance(0.5)) {
      const search: SearchSpec = { order: { by: 'attribute', name: 'label' }, shards: 1, project: [] };
      const asked = reader.search('C.label' as never) as unknown as AnySearch;
      const { items, question } = await this.walk('labels', (options) => asked.all(options));
      return { question, judge: (span) => judgeList(searchCandidates(history, span, 'C', search), items) };
    }
    const target = this.oneId('C');
    const order: OrderSpec = { by: 'attribute', name: 'since' };
    const { items, question } = await this.walk(`inbound ${target}`, (options) =>
      (reader as AnyReader).inbound('AC', target, options),
    );
    return {
      question,
      judge: (span) =>
        judgeList(
          inboundCandidates(history, span, 'AC', target, (key, own, node) =>
            inboundRowsOf(order, { project: [], projectSource: [] }, key, own, node),
          ),
          items,
        ),
    };
  }

  private async askNodes(): Promise<Asked> {
    const nodes: { id: string }[] = [];
    const { question } = await this.walk('nodes A', async (options) => {
      const page = await (this.reader as AnyReader).nodes('A', options);
      nodes.push(...page.items);
      return page;
    });
    const { history } = this.world;
    return {
      question,
      judge: (span) => {
        const candidates = [...history.keys(isNodeOf('A'))].map((key) => ({
          key: key.source,
          states: [...new Set(history.statesOf(key, span.fromMs, span.toMs).map((state) => state !== undefined))].map(
            (is) => (is ? [{ sort: [key.source], text: key.source }] : []),
          ),
        }));
        const problems = judgeList(
          candidates,
          nodes.map(({ id }) => ({ key: id, text: id })),
        );
        for (const node of nodes) problems.push(...this.judgeView(span, node as never));
        return problems;
      },
    };
  }

  /** Reads a list to its end: in one page, or by cursors, with pauses in which the world goes on. */
  private async walk(
    name: string,
    read: (options: object) => Promise<ListOf<Hit>>,
  ): Promise<{ items: Given[]; question: string }> {
    const { random, world } = this;
    const limit = random.chance(0.5) ? 100 : 1 + random.below(3);
    const pauses = random.chance(0.3);
    const items: Given[] = [];
    let cursor: string | undefined;
    let pages = 0;
    do {
      const page = await read({ limit, ...(cursor !== undefined && { cursor }) });
      for (const item of page.items) items.push({ key: item.id ?? item.source ?? '', text: stableText(item) });
      cursor = page.cursor;
      pages += 1;
      if (pages > 500) throw new Error('The list does not end.');
      if (cursor !== undefined && pauses) await world.timeline.sleep(random.below(random.chance(0.2) ? 90_000 : 3_000));
    } while (cursor !== undefined);
    return { items, question: `${name}, ${pages} pages` };
  }
}

interface Hit {
  id?: string;
  source?: string;
}

interface ListOf<T> {
  items: T[];
  cursor?: string;
}

/** A search and a reader of a model that the compiler does not know. */
interface AnySearch {
  eq(value: unknown, options: object): Promise<ListOf<Hit>>;
  all(options: object): Promise<ListOf<Hit>>;
  count(): Promise<{ count: number }>;
}

type AnyReader = {
  inDegree(target: string, type: string, options: object): Promise<{ count: number }>;
  inbound(
    type: string,
    target: string,
    options: object,
  ): Promise<ListOf<Hit> & { owner?: { attributes: unknown } | null }>;
  page(type: string, target: string, options: object): Promise<ListOf<{ id: string }> & { nodes: object }>;
  degree(source: string, type: string): Promise<number>;
  nodes(type: string, options: object): Promise<ListOf<{ id: string }>>;
};
