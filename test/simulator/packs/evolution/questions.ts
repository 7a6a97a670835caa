import type { ItemKey } from '../../../../src/core/store-port.ts';
import type { Reader } from '../../../../src/index.ts';
import { entriesOf, neighborsOf } from '../../../support/page-nodes.ts';
import type { Random } from '../../kernel/random.ts';
import { stableText } from '../../kernel/values.ts';
import type { History } from './history.ts';
import { type Given, judgeCount, judgeList } from './judge.ts';
import {
  type Candidate,
  edgeSetStates,
  inboundCandidates,
  inboundRowsOf,
  isNodeOf,
  isState,
  type Row,
  type Span,
  searchCandidates,
  viewStates,
} from './oracle.ts';
import type { ModelSpec, OrderSpec, SearchSpec } from './specs.ts';
import { isEdgeAt, judgeTotal, type TotalGiven } from './totals.ts';

/** What was asked, and how to judge what came: by the states that items had in a span of time. */
export interface Asked {
  question: string;
  judge: (span: Span) => string[];
  /** DynamoDB keeps the list: nothing has to be applied for it. */
  isNative?: boolean;
}

/** A question, of any reader. */
export type Question = (questions: Questions) => Promise<Asked>;

/** What an answer is judged by. */
export interface Truth {
  readonly history: History;
  /** Whether views may leave out edge types, and so copies with them. */
  readonly mayEvict: boolean;
  /** Whether a batch was given up. */
  readonly gaveUp: boolean;
}

/** How lists are read. */
export interface Paging {
  /** Items of a page. */
  limit: () => number;
  /** Waits between two pages. */
  pause: () => Promise<void>;
}

const NODES = { A: 7, B: 3, C: 2 } as const;
type Type = keyof typeof NODES;
const MOST_PAGES = 500;
/** Values that a search is asked for. */
const VALUES: Readonly<Record<string, readonly [string | number, ...(string | number)[]]>> = {
  name: ['Ann', 'ann', 'Bob', 'Cid'],
  status: ['open', 'busy', 'done'],
  num: [1, 2, 10],
  tags: ['x', 'y'],
  tag: ['p', 'P', 'q'],
  'STATE.mood': ['calm', 'Calm', 'sad'],
  'STATE.level': [1, 2],
};
const COMPUTED: readonly (readonly [string, string])[] = [
  ['', ''],
  ['a', 'b'],
  ['two-An', 'two-Bo'],
];
const TITLES: SearchSpec = { order: { by: 'attribute', name: 'title' }, shards: 1, project: [] };
const LABELS: SearchSpec = { order: { by: 'attribute', name: 'label' }, shards: 1, project: [] };
const SINCE: OrderSpec = { by: 'attribute', name: 'since' };
const BARE = { project: [], projectSource: [] } as const;

/** The questions that a reader of a model answers, and its answers beside those of the oracle. */
export class Questions {
  readonly reader: AnyReader;

  constructor(
    readonly spec: ModelSpec,
    reader: Reader,
    private readonly truth: Truth,
    private readonly paging: Paging,
  ) {
    this.reader = reader as unknown as AnyReader;
  }

  /** Every question, once. */
  all(): Question[] {
    const { spec } = this;
    const all: Question[] = [(ask) => ask.views()];
    for (const id of totaled(spec)) all.push((ask) => ask.total(id));
    for (const [name, { shards }] of Object.entries(searchesOf(spec))) {
      for (const value of valuesOf(spec, name)) all.push((ask) => ask.search(name, { value }));
      if (shards !== 'value') all.push((ask) => ask.search(name));
    }
    for (const target of idsOf('B'))
      for (const name of Object.keys(spec.edge.orders)) all.push((ask) => ask.inbound(name, target));
    if (hasDegree(spec)) for (const id of idsOf('A')) all.push((ask) => ask.degree(id));
    if (spec.groupSearch) all.push((ask) => ask.titles());
    if (spec.list) all.push((ask) => ask.nodes());
    if (!spec.extra) return all;
    return [
      ...all,
      (ask) => ask.labels(),
      ...idsOf('C').map(
        (id): Question =>
          (ask) =>
            ask.members(id),
      ),
    ];
  }

  /** One of the questions, and how it is put. */
  one(random: Random): Question {
    const { spec } = this;
    const searches = searchesOf(spec);
    const orders = Object.keys(spec.edge.orders);
    const target = oneId('B', random);
    const kinds: [Question, ...Question[]] = [(ask) => ask.views(someIds(spec, random))];
    for (const [name, { shards }] of Object.entries(searches)) {
      const isByValue = shards === 'value' || random.chance(0.35);
      if (isByValue) kinds.push((ask) => ask.search(name, { value: random.oneOf(valuesOf(spec, name)) }));
      else if (random.chance(0.2)) kinds.push((ask) => ask.countOf(name));
      else kinds.push((ask) => ask.search(name, { reverse: random.chance(0.3) }));
    }
    for (const name of orders) {
      const isRank = spec.edge.orders[name]!.by === 'rank';
      const equal = isRank && random.chance(0.4) ? random.oneOf(['LEAD', 'MEMBER']) : undefined;
      if (random.chance(0.15)) kinds.push((ask) => ask.inDegree(name, target, equal));
      else {
        const withTarget = spec.edge.owner && random.chance(0.5);
        kinds.push((ask) => ask.inbound(name, target, { equal, withTarget, reverse: random.chance(0.4) }));
      }
    }
    if (orders.length > 0) kinds.push((ask) => ask.page(random.oneOf(orders as [string]), target));
    if (hasDegree(spec)) kinds.push((ask) => ask.degree(oneId('A', random)));
    if (spec.groupSearch) kinds.push((ask) => ask.titles());
    if (spec.extra) kinds.push((ask) => (random.chance(0.5) ? ask.labels() : ask.members(oneId('C', random))));
    if (spec.list) kinds.push((ask) => ask.nodes());
    const [first, ...others] = totaled(spec);
    if (first !== undefined) {
      const id = random.oneOf([first, ...others]);
      kinds.push(
        (ask) => ask.total(id),
        (ask) => ask.total(id, random.chance(0.5)),
      );
    }
    return random.oneOf(kinds);
  }

  /** The views of nodes. Default: of all. */
  async views(ids: readonly string[] = everyId(this.spec)): Promise<Asked> {
    const views = await this.reader.getViews(ids);
    const nodes = views.map((view, i) => view ?? { id: ids[i]!, attributes: null, edgeSet: [] });
    return {
      question: `get ${ids.join(' ')}`,
      judge: (span) => nodes.flatMap((node) => this.judgeView(span, node)),
    };
  }

  async search(name: string, { value, reverse = false }: { value?: string | number; reverse?: boolean } = {}) {
    const search = searchesOf(this.spec)[name]!;
    const asked = this.reader.search(`A.${name}`);
    const { items, question } =
      value === undefined
        ? await this.walk(`all ${name}`, (options) => asked.all({ ...options, reverse }))
        : await this.walk(`${name} = ${value}`, (options) => asked.equals(value, options));
    return {
      question,
      isNative: search.native ?? false,
      judge: (span: Span) =>
        judgeList(searchCandidates(this.truth.history, span, isOfSearch(name), search, value), items, reverse),
    };
  }

  async countOf(name: string): Promise<Asked> {
    const { count } = await this.reader.search(`A.${name}`).count();
    return {
      question: `count ${name}`,
      judge: (span) =>
        judgeCount(searchCandidates(this.truth.history, span, isOfSearch(name), searchesOf(this.spec)[name]!), count),
    };
  }

  async inDegree(name: string, target: string, equals?: string): Promise<Asked> {
    const { count } = await this.reader.inDegree(target, 'AB', {
      order: name,
      ...(equals !== undefined && { equals }),
    });
    return {
      question: `inDegree ${target} ${name}`,
      isNative: this.isNative,
      judge: (span) => judgeCount(this.inboundOf(span, name, target, equals), count),
    };
  }

  async inbound(
    name: string,
    target: string,
    {
      equal,
      reverse = false,
      withTarget = false,
    }: { equal?: string | undefined; reverse?: boolean; withTarget?: boolean } = {},
  ): Promise<Asked> {
    const { reader, spec, truth } = this;
    const asked = {
      order: name,
      reverse,
      ...(equal !== undefined && { equals: equal }),
      ...(withTarget && { includeTarget: true }),
    };
    let owner: { attributes: unknown } | null | undefined;
    const { items, question } = await this.walk(`inbound ${target} ${name} ${equal ?? ''}`, async (options) => {
      const page = await reader.inbound(target, 'AB', { ...options, ...asked });
      if (page.target !== undefined) owner = page.target;
      return page;
    });
    return {
      question,
      isNative: this.isNative,
      judge: (span) => {
        const problems = judgeList(this.inboundOf(span, name, target, equal), items, reverse, this.isNative);
        const owners = viewStates(truth.history, span, spec, target);
        const text = stableText(owner?.attributes ?? null);
        if (withTarget && !owners.has(text))
          problems.push(`the owner is ${text} instead of ${[...owners].join(' or ')}`);
        return problems;
      },
    };
  }

  /** Tells whether DynamoDB keeps the orders of the edges. */
  private get isNative(): boolean {
    return this.spec.edge.native ?? false;
  }

  private inboundOf(span: Span, name: string, target: string, equal?: string): Candidate[] {
    const { edge } = this.spec;
    return inboundCandidates(this.truth.history, span, 'AB', target, (key, own, node) =>
      inboundRowsOf(edge.orders[name]!, edge, key, own, node, equal),
    );
  }

  async page(name: string, target: string): Promise<Asked> {
    const { reader, spec, truth } = this;
    const nodes: Node[] = [];
    const neighbors: [string, unknown][] = [];
    const { question } = await this.walk(`page ${target} ${name}`, async (options) => {
      const page = await reader.page(target, 'AB', { ...options, order: name });
      nodes.push(...page.items.map((node) => ({ ...node, edgeSet: entriesOf(node) })));
      neighbors.push(...Object.entries(neighborsOf(page)));
      return page;
    });
    return {
      question,
      judge: (span) => {
        const problems = judgeList(
          namedByKey(
            inboundCandidates(truth.history, span, 'AB', target, (key, own, node) =>
              inboundRowsOf(spec.edge.orders[name]!, BARE, key, own, node),
            ),
          ),
          nodes.map(({ id }) => ({ key: id, text: id })),
          false,
          this.isNative,
        );
        // What edges copy of their targets is the neighbors' attributes.
        const withoutCopies = { ...spec, edge: { ...spec.edge, copy: [] } };
        for (const node of nodes) problems.push(...this.judgeView(span, node, withoutCopies));
        for (const [id, attributes] of neighbors) {
          const texts = viewStates(truth.history, span, spec, id);
          const copied = viewStates(truth.history, span, { ...spec, groupView: spec.edge.copy }, id);
          const text = stableText(attributes);
          if (!texts.has(text) && !(id.startsWith('B-') && spec.edge.copy.length > 0 && copied.has(text)))
            problems.push(`the neighbor ${id} is ${text} instead of ${[...texts].join(' or ')}`);
        }
        return problems;
      },
    };
  }

  async degree(source: string): Promise<Asked> {
    const count = await this.reader.degree(source, 'AB');
    const { history } = this.truth;
    return {
      question: `degree ${source} of ${this.spec.edge.degree || this.spec.edge.outgoing ? 'a count' : 'the set'}`,
      judge: (span) => {
        const keys = [...history.keys((key) => key.source === source && key.target.startsWith('AB-'))];
        const candidates = keys.map((key) => ({
          key: key.target,
          states: [...new Set(history.statesOf(key, span.fromMs, span.toMs).map((own) => own !== undefined))].map(
            (is) => (is ? [{ sort: [], text: '' }] : []),
          ),
        }));
        return judgeCount(candidates, count);
      },
    };
  }

  /** The total of a person's edges, or of those that enter a group. */
  async total(id: string, consistent = false): Promise<Asked> {
    const isInbound = id.startsWith('B-');
    const given = await this.reader.total(id, 'AB', { consistent });
    const { history } = this.truth;
    const { incoming, outgoing } = this.spec.edge;
    return {
      question: `total ${id}`,
      judge: (span) =>
        judgeTotal(history, span, isInbound ? incoming! : outgoing!, isEdgeAt('AB', id, isInbound), given),
    };
  }

  titles(): Promise<Asked> {
    return this.plainSearch('B', 'title', TITLES);
  }

  labels(): Promise<Asked> {
    return this.plainSearch('C', 'label', LABELS);
  }

  private async plainSearch(type: Type, name: string, search: SearchSpec): Promise<Asked> {
    const asked = this.reader.search(`${type}.${name}`);
    const { items, question } = await this.walk(`all ${name}`, (options) => asked.all(options));
    return {
      question,
      judge: (span) => judgeList(searchCandidates(this.truth.history, span, isNodeOf(type), search), items),
    };
  }

  /** The edges that enter a node of the type that comes and goes. */
  async members(target: string): Promise<Asked> {
    const { items, question } = await this.walk(`inbound ${target}`, (options) =>
      this.reader.inbound(target, 'AC', options),
    );
    return {
      question,
      judge: (span) =>
        judgeList(
          inboundCandidates(this.truth.history, span, 'AC', target, (key, own, node) =>
            inboundRowsOf(SINCE, BARE, key, own, node),
          ),
          items,
        ),
    };
  }

  async nodes(): Promise<Asked> {
    const nodes: Node[] = [];
    const { question } = await this.walk('nodes A', async (options) => {
      const page = await this.reader.nodes('A', options);
      nodes.push(...page.items);
      return page;
    });
    const { history } = this.truth;
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
        for (const node of nodes) problems.push(...this.judgeView(span, node));
        return problems;
      },
    };
  }

  /**
   * The first page of a list by this model, the rest by another one, as behind one address while versions change. Where the other
   * one refuses to go on, `onRefused` gives whether it may.
   */
  async across(
    name: string,
    target: string,
    limit: number,
    others: Questions,
    mayRefuse: (error: unknown) => boolean,
  ): Promise<Asked> {
    const search = this.spec.searches[name];
    const order = this.spec.edge.orders[name];
    const read = ({ reader }: Questions, options: object): Promise<ListOf<Hit>> =>
      search === undefined
        ? reader.inbound(target, 'AB', { ...options, order: name })
        : reader.search(`A.${name}`).all(options);
    const first = await read(this, { limit });
    const hits = [...first.items];
    for (let { cursor } = first, pages = 0; cursor !== undefined && pages < MOST_PAGES; pages++) {
      const page = await read(others, { limit, cursor }).catch((error: unknown) => {
        if (mayRefuse(error)) return undefined;
        throw error;
      });
      // It may not be ready, or say that the cursor is of another order: then this walk ends.
      if (page === undefined) return { question: `${name}, refused to go on`, judge: () => [] };
      hits.push(...page.items);
      cursor = page.cursor;
    }
    const given = hits.map((hit) => ({ key: keyOf(hit), text: keyOf(hit) }));
    return {
      question: `${name} ${target}, the rest by another model`,
      judge: (span) => {
        const { history } = this.truth;
        const candidates =
          search === undefined
            ? inboundCandidates(history, span, 'AB', target, (key, own, node) =>
                inboundRowsOf(order!, BARE, key, own, node),
              )
            : searchCandidates(history, span, isNodeOf('A'), { ...search, project: [] });
        return judgeList(namedByKey(candidates), given, false, search === undefined && this.isNative);
      },
    };
  }

  private judgeView(span: Span, node: Node, spec = this.spec): string[] {
    const { truth } = this;
    const problems: string[] = [];
    const texts = viewStates(truth.history, span, spec, node.id);
    const text = stableText(node.attributes);
    if (!texts.has(text)) problems.push(`${node.id} is ${text} instead of ${[...texts].join(' or ')}`);
    const edges = edgeSetStates(truth.history, span, spec, node.id, truth.mayEvict);
    const seen = new Set<string>();
    for (const entry of node.edgeSet) {
      const key = `${entry['type']} ${entry['target']}`;
      const states = edges.get(key);
      // The record that took the edge away was given up, and one that brought it back was not: both are there until a redrive.
      const mayBeTwice = truth.gaveUp && states?.has('') === true && states.size > 2;
      if (states === undefined || !states.has(stableText(entry)) || (seen.has(key) && !mayBeTwice))
        problems.push(`${node.id} has ${stableText(entry)} instead of ${[...(states ?? [])].join(' or ')}`);
      seen.add(key);
    }
    for (const [key, states] of edges)
      if (!seen.has(key) && !states.has('')) problems.push(`${node.id} lacks ${[...states].join(' or ')}`);
    return problems;
  }

  /** Reads a list to its end. */
  private async walk(
    name: string,
    read: (options: object) => Promise<ListOf<Hit>>,
  ): Promise<{ items: Given[]; question: string }> {
    const { paging } = this;
    const limit = paging.limit();
    const items: Given[] = [];
    let cursor: string | undefined;
    let pages = 0;
    do {
      const page = await read({ limit, ...(cursor !== undefined && { cursor }) });
      for (const item of page.items) items.push({ key: keyOf(item), text: stableText(item) });
      cursor = page.cursor;
      pages += 1;
      if (pages > MOST_PAGES) throw new Error('The list does not end.');
      if (cursor !== undefined) await paging.pause();
    } while (cursor !== undefined);
    return { items, question: `${name}, ${pages} pages` };
  }
}

/** Rows that say no more than whose they are. */
function namedByKey(candidates: readonly Candidate[]): Candidate[] {
  const named = (rows: readonly Row[], text: string): Row[] => rows.map((row) => ({ ...row, text }));
  return candidates.map(({ key, states }) => ({ key, states: states.map((rows) => named(rows, key)) }));
}

function keyOf({ id, source }: Hit): string {
  return id ?? source ?? '';
}

function hasDegree({ edge }: ModelSpec): boolean {
  return edge.degree || edge.outgoing !== undefined || edge.set !== false;
}

/** The nodes that have totals. */
function totaled({ edge }: ModelSpec): string[] {
  return [...(edge.incoming ? idsOf('B') : []), ...(edge.outgoing ? idsOf('A') : [])];
}

/** The searches of persons by name, with those of their part. */
function searchesOf({ searches, state }: ModelSpec): Readonly<Record<string, SearchSpec>> {
  const ofPart = Object.entries(state?.searches ?? {}).map(([name, search]) => [`STATE.${name}`, search]);
  return { ...searches, ...Object.fromEntries(ofPart) };
}

/** The items that a search of persons finds. */
function isOfSearch(name: string): (key: ItemKey) => boolean {
  return name.startsWith('STATE.') ? isState : isNodeOf('A');
}

function valuesOf({ searches }: ModelSpec, name: string): readonly [string | number, ...(string | number)[]] {
  const order = searches[name]?.order;
  return order?.by === 'derive' ? COMPUTED[order.version]! : VALUES[name]!;
}

function idsOf(type: Type): string[] {
  return Array.from({ length: NODES[type] }, (_, i) => `${type}-${i + 1}`);
}

function everyId({ extra }: ModelSpec): string[] {
  return [...idsOf('A'), ...idsOf('B'), ...(extra ? idsOf('C') : [])];
}

function oneId(type: Type, random: Random): string {
  return `${type}-${1 + random.below(NODES[type])}`;
}

function someIds({ extra }: ModelSpec, random: Random): string[] {
  const types: [Type, ...Type[]] = ['A', 'A', 'B', ...(extra ? (['C'] as const) : [])];
  return [...new Set(Array.from({ length: 1 + random.below(4) }, () => oneId(random.oneOf(types), random)))];
}

interface Node {
  id: string;
  attributes: unknown;
  edgeSet: Record<string, unknown>[];
}

interface Hit {
  id?: string;
  source?: string;
}

interface ListOf<T> {
  items: T[];
  cursor?: string;
}

/** A reader of a model that the compiler does not know. */
interface AnyReader {
  getViews(ids: readonly string[]): Promise<(Node | null)[]>;
  search(name: string): {
    equals(value: unknown, options: object): Promise<ListOf<Hit>>;
    all(options: object): Promise<ListOf<Hit>>;
    count(): Promise<{ count: number }>;
  };
  inDegree(target: string, type: string, options: object): Promise<{ count: number }>;
  inbound(
    target: string,
    type: string,
    options: object,
  ): Promise<ListOf<Hit> & { target?: { attributes: unknown } | null }>;
  page(target: string, type: string, options: object): Promise<ListOf<Node> & { nodes: object }>;
  degree(source: string, type: string): Promise<number>;
  total(id: string, type: string, options: object): Promise<TotalGiven>;
  nodes(type: string, options: object): Promise<ListOf<Node>>;
}
