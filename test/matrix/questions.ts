import type { WhereComparison } from '../../src/client/read/request/where.ts';
import type { WatchEvent } from '../../src/feed.ts';
import type { Reader } from '../../src/index.ts';
import { type Attributes, type EdgeFact, type Facts, liveFacts, presentFacts } from './facts.ts';
import { type ModelInput, type Options, ordersOf, projectionOfOrder, searchesOf } from './model.ts';
import {
  comparedAs,
  compareRows,
  compareText,
  type EdgeRow,
  type HitRow,
  hitsOf,
  inboundOf,
  isBetween,
  shown,
  shownViewOf,
  typeOf,
  viewOf,
} from './oracle.ts';

/** Every question that a model answers, with the answer that the oracle has. */

/** What a question asks for. */
export type Kind =
  | 'view'
  | 'base'
  | 'search'
  | 'equal'
  | 'range'
  | 'count'
  | 'shards'
  | 'inbound'
  | 'owner'
  | 'degree'
  | 'total'
  | 'nodes'
  | 'pages'
  | 'page'
  | 'levels'
  | 'filter';

/** A question and its answer. */
export interface Question {
  kind: Kind;
  /** In words, for a message. */
  text: string;
  /** The projection that it needs, as the registry names it. */
  projection: string;
  ask: (reader: OpenReader) => Promise<unknown>;
  /** Of a native order: the list with equal values in the order of the answer expected, since nobody promises one. */
  settled?: (list: readonly unknown[]) => readonly unknown[];
  /** Of a list: one page of it. */
  page?: (reader: OpenReader, options: Options) => Promise<AnyPage>;
  expected: unknown;
  /** Of a list, or of nodes: how it is watched. */
  watch?: Watch | undefined;
}

/** The same question to `watch`. */
export interface Watch {
  /** The same for queries that ask for the same: a value may be written in several ways. */
  name: string;
  query: Options;
  expected: readonly unknown[];
  /** True if the list has equal values in an order that nobody promises. */
  isTied?: boolean;
  /** What of the events' list is compared. Default: all. */
  shown?: (list: readonly unknown[]) => unknown;
}

/** A page of a list. */
export interface AnyPage {
  items: Record<string, unknown>[];
  cursor?: string;
  target?: unknown;
}

type Ask = (options: Options) => Promise<AnyPage>;

/** A search of a model that the compiler does not know. */
interface OpenSearch {
  all: Ask;
  latest: Ask;
  equals(value: unknown, options: Options): Promise<AnyPage>;
  beginsWith(text: string, options: Options): Promise<AnyPage>;
  between(from: unknown, to: unknown, options: Options): Promise<AnyPage>;
  path(segments: readonly unknown[], options: Options): Promise<AnyPage>;
  count(predicate: Options, options: Options): Promise<{ count: number }>;
}

/** A reader of a model that the compiler does not know. */
export type OpenReader = Omit<
  Reader,
  | 'search'
  | 'inbound'
  | 'page'
  | 'nodes'
  | 'inDegree'
  | 'getViews'
  | 'degree'
  | 'total'
  | 'shards'
  | 'edges'
  | 'getNode'
  | 'getEdge'
  | 'has'
  | 'getCollection'
  | 'watch'
> & {
  search(name: string): OpenSearch;
  inbound(target: string, type: string, options: Options): Promise<AnyPage>;
  page(target: string, type: string, options: Options): Promise<AnyPage>;
  nodes(type: string, options: Options): Promise<AnyPage>;
  inDegree(target: string, type: string, options: Options): Promise<{ count: number }>;
  getViews(ids: readonly string[], options?: Options): Promise<(Record<string, unknown> | null)[]>;
  degree(source: string, type: string): Promise<number>;
  total(id: string, type: string, options: Options): Promise<unknown>;
  shards(name: string, options: Options): Promise<{ items: number }>;
  edges(source: string, type?: string): Promise<AnyPage>;
  getNode(id: string): Promise<unknown>;
  getEdge(source: string, type: string, target: string): Promise<unknown>;
  has(source: string, type: string, target: string): Promise<boolean>;
  getCollection(id: string): Promise<{ node?: unknown; items: unknown[] }>;
  watch(query: Options, options: { signal: AbortSignal }): AsyncIterable<WatchEvent>;
};

/** How a list is watched; `sort`: the value of `more` as it is compared. */
function watchOf(expected: unknown, list: Options, more: Options | undefined, sort?: unknown): Watch | undefined {
  if (more === undefined) return undefined;
  const name = JSON.stringify([list, sort ?? more]);
  return { name, query: { ...list, ...more }, expected: expected as unknown[] };
}

/** Asks for one page that has everything. */
async function whole(ask: Ask): Promise<unknown[]> {
  const { items, cursor } = await ask({ limit: 1_000 });
  if (cursor !== undefined) throw new Error('a page of 1,000 has a cursor');
  return items;
}

/** Reads a list to its end, two items a page. */
export async function walk(ask: Ask): Promise<unknown[]> {
  const found: unknown[] = [];
  let cursor: string | undefined;
  do {
    const page = await ask({ limit: 2, ...(cursor !== undefined && { cursor }) });
    found.push(...page.items);
    cursor = page.cursor;
    if (found.length > 1_000) throw new Error('the pages do not end');
  } while (cursor !== undefined);
  return found;
}

/**
 * The questions of a model about nodes and what is known of them.
 *
 * @param ids nodes that are or were there.
 */
export function questionsOf(model: ModelInput, stored: Facts, ids: readonly string[]): Question[] {
  const { isSwept = false } = stored;
  const facts = liveFacts(model, stored);
  const present = presentFacts(model, stored);
  const questions: Question[] = [...viewQuestions(model, facts, ids), ...baseQuestions(present, ids)];
  for (const [type, options] of Object.entries(model.nodes)) {
    for (const name of searchesOf(options).keys()) questions.push(...searchQuestions(model, facts, type, name));
    if (options['list'] === true) questions.push(nodesQuestion(model, facts, type));
  }
  for (const [type, options] of Object.entries(model.edges)) {
    const targets = ids.filter((id) => (options['to'] as string[]).includes(typeOf(id)));
    const sources = ids.filter((id) => (options['from'] as string[]).includes(typeOf(id)));
    for (const [name] of ordersOf(options))
      for (const target of targets) questions.push(...orderQuestions(model, facts, type, target, name));
    for (const [direction, asked, ends] of [
      ['inbound', options['inbound'], targets],
      ['outgoing', options['outgoing'], sources],
    ] as const) {
      const { total, groupBy } = (asked ?? {}) as { total?: Options; groupBy?: readonly string[] };
      // Of edges that end, a count follows once they are deleted.
      if ((total === undefined && groupBy === undefined) || (options['expires'] !== undefined && !isSwept)) continue;
      for (const id of ends) {
        const end = direction === 'inbound' ? 'target' : 'source';
        const own = facts.edges.filter((edge) => edge[end] === id && edge.type === type);
        const of = own.filter(({ source, target }) => isBetween(options, source, target));
        questions.push({
          ...{ kind: 'total', text: `${direction} total of ${id}`, projection: `inbound:${type}` },
          ask: (reader) => reader.total(id, type, { direction }),
          expected: totalOf(of, total, groupBy),
        });
      }
    }
    const isLate =
      options['expires'] !== undefined && !isSwept && (options['degree'] === true || options['outgoing'] !== undefined);
    if ((options['degree'] === true || options['edgeSet'] !== false) && !isLate) {
      for (const source of sources) {
        const own = facts.edges.filter((edge) => edge.source === source && edge.type === type);
        const of = own.filter(({ target }) => isBetween(options, source, target));
        questions.push({
          ...{ kind: 'degree', text: `degree of ${source}`, expected: of.length },
          projection: options['degree'] === true ? `inbound:${type}` : `view:${typeOf(source)}`,
          ask: (reader) => reader.degree(source, type),
        });
      }
    }
  }
  return questions;
}

/** The numbers of edges, their sums and their numbers by the values of an attribute. Values are such as doubles add up exactly. */
function totalOf(edges: readonly EdgeFact[], total: Options = {}, groupBy: readonly string[] = []): Options {
  let problems = 0;
  const valuesOf = (attribute: string, types: readonly string[]): unknown[] =>
    edges.flatMap(({ attributes }) => {
      const value = attributes[attribute];
      if (value === undefined || types.includes(typeof value)) return value === undefined ? [] : [value];
      problems += 1;
      return [];
    });
  const sums = Object.entries(total).map(([name, part]) => {
    const values = valuesOf((part as { attribute: string }).attribute, ['number']) as number[];
    return [name, String(values.reduce((all, value) => all + value, 0))];
  });
  const groups = groupBy.map((name) => {
    const values = valuesOf(name, ['string', 'number', 'boolean']).map(String);
    return [name, Object.fromEntries(values.map((value) => [value, values.filter((one) => one === value).length]))];
  });
  const found = problems === 0 ? {} : { problems };
  return { count: edges.length, ...found, ...Object.fromEntries(sums), groups: Object.fromEntries(groups) };
}

function viewQuestions(model: ModelInput, facts: Facts, ids: readonly string[]): Question[] {
  return Object.keys(model.nodes).flatMap((type): Question[] => {
    const own = ids.filter((id) => typeOf(id) === type);
    const plain = (nodes: readonly unknown[]): unknown => comparableViews(model, type, nodes);
    return [
      {
        ...{ kind: 'view', text: `get every ${type}`, projection: `view:${type}` },
        ask: async (reader) => plain(await reader.getViews(own)),
        expected: plain(own.map((id) => shownViewOf(model, facts, id))),
        watch: {
          name: type,
          query: { views: own },
          expected: plain(own.map((id) => shownViewOf(model, facts, id))) as unknown[],
          shown: plain,
        },
      },
    ];
  });
}

/** Views of a type; what is evicted comes from the base edges, without copies. */
function comparableViews({ nodes: types }: ModelInput, type: string, nodes: readonly unknown[]): unknown {
  if (types[type]!['viewBudgetBytes'] === undefined) return nodes;
  return (nodes as ({ edgeSet: Options[] } | null)[]).map(
    (node) => node && { ...node, edgeSet: node.edgeSet.map(({ copy: _, ...rest }) => rest) },
  );
}

function plainEdge({ source, type, target, attributes }: EdgeFact): Options {
  return { source, type, target, attributes };
}

function baseQuestions(facts: Facts, ids: readonly string[]): Question[] {
  return ids.flatMap((id): Question[] => {
    const own = facts.edges.filter(({ source }) => source === id);
    own.sort((left, right) => compareText(left.key, right.key));
    const attributes = facts.nodes.get(id);
    const node = attributes === undefined ? null : { id, attributes };
    return [
      {
        ...{ kind: 'base', text: `edges, node and collection of ${id}`, projection: '' },
        ask: async (reader) => ({
          edges: (await reader.edges(id)).items,
          node: await reader.getNode(id),
          collection: await reader.getCollection(id).then(({ node = null, items }) => ({ node, items })),
          each: await Promise.all(own.map(({ type, target }) => reader.getEdge(id, type, target))),
          has: await Promise.all(own.map(({ type, target }) => reader.has(id, type, target))),
        }),
        expected: {
          ...{ edges: own.map(plainEdge), node, collection: { node, items: own.map(plainEdge) } },
          ...{ each: own.map(plainEdge), has: own.map(() => true) },
        },
      },
    ];
  });
}

function hit({ id, value, attributes }: HitRow): Options {
  return { id, value, attributes };
}

/** The beginnings of a row's path, the whole of it among them. */
function beginnings({ sort, value }: HitRow): Pick<HitRow, 'sort' | 'value'>[] {
  return sort.map((_, i) => ({ sort: sort.slice(0, i + 1), value: (value as unknown[]).slice(0, i + 1) }));
}

function searchQuestions(model: ModelInput, facts: Facts, type: string, name: string): Question[] {
  const projection = `search:${type}.${name}`;
  const entry = searchesOf(model.nodes[type]!).get(name);
  const options = (
    typeof entry === 'object' && entry !== null && !('kind' in entry) ? entry : { attribute: entry }
  ) as Options;
  const all = hitsOf(model, facts, type, name);
  const scopes = options['partition'] === undefined ? [undefined] : [...new Set(all.map(({ within }) => within))];
  const questions: Question[] = [];
  for (const scope of scopes) {
    const rows = all.filter(({ within }) => within === scope);
    const scoped = scope === undefined ? {} : { partition: scope };
    const where = scope === undefined ? '' : ` in ${scope}`;
    const add = (
      kind: Kind,
      text: string,
      expected: unknown,
      ask: (search: OpenSearch) => Promise<unknown>,
      watched?: Options,
      sort?: unknown,
    ): void => {
      questions.push({
        kind,
        projection,
        watch: watchOf(expected, { search: `${type}.${name}`, ...scoped }, watched, sort),
        text: `${text} ${name}${where}`,
        expected,
        ask: (reader) => ask(reader.search(`${type}.${name}`)),
      });
    };
    const isPath = options['path'] !== undefined;
    // A path is asked for by each of its beginnings, so that one that no row ends with any more has an answer, too.
    const asked = isPath ? rows.flatMap(beginnings) : rows;
    const values = new Map(asked.map((row) => [JSON.stringify(row.sort), row]));
    for (const { sort, value } of values.values()) {
      const same = rows.filter((row) =>
        isPath
          ? row.sort.every((one, i) => i >= sort.length || one === sort[i]) && row.sort.length >= sort.length
          : JSON.stringify(row.sort) === JSON.stringify(sort),
      );
      add(
        'equal',
        `${isPath ? 'path ' : ''}${value}`,
        same.map(hit),
        (search) =>
          whole((page) => {
            const asked = { ...page, ...scoped };
            return isPath ? search.path(value as string[], asked) : search.equals(value, asked);
          }),
        isPath ? { path: value } : { equals: value },
        sort,
      );
    }
    if (options['shards'] === 'value' || options['native'] === true) {
      const [first] = values.values();
      if (first !== undefined)
        add(
          'count',
          `count of ${first.value}`,
          rows.filter(({ sort }) => sort[0] === first.sort[0]).length,
          async (search) => (await search.count({ equals: first.value }, scoped)).count,
        );
      continue;
    }
    add('search', 'all of', rows.map(hit), (search) => whole((page) => search.all({ ...page, ...scoped })), {});
    add(
      'search',
      'latest of',
      [...rows].reverse().map(hit),
      (search) => whole((page) => search.latest({ ...page, ...scoped })),
      { reverse: true },
    );
    questions.push({
      ...{ kind: 'pages', projection, text: `pages of ${name}${where}`, expected: rows.map(hit) },
      ask: (reader) => walk((page) => reader.search(`${type}.${name}`).all({ ...page, ...scoped })),
      page: (reader, page) => reader.search(`${type}.${name}`).all({ ...page, ...scoped }),
    });
    add('count', 'count of', rows.length, async (search) => (await search.count({}, scoped)).count);
    questions.push({
      ...{ kind: 'shards', projection, text: `shards of ${name}`, expected: rows.length },
      ask: async (reader) => (await reader.shards(`${type}.${name}`, scoped)).items,
    });
    const [low, high] = [[...values.values()].at(1), [...values.values()].at(-1)];
    if (!isPath && low !== undefined && high !== undefined) {
      const within = rows.filter((row) => compareRows({ sort: row.sort, id: '' }, { sort: low.sort, id: '' }) >= 0);
      add('range', `from ${low.value} to ${high.value} of`, within.map(hit), (search) =>
        whole((page) => search.between(low.value, high.value, { ...page, ...scoped })),
      );
    }
    const isText = !isPath && low !== undefined && typeof low.sort[0] === 'string' && low.sort.length === 1;
    if (isText) {
      const prefix = String(low.value).slice(0, 1);
      const as = String(comparedAs(prefix, 'string', options));
      add('range', `${prefix}… of`, rows.filter(({ sort }) => String(sort[0]).startsWith(as)).map(hit), (search) =>
        whole((page) => search.beginsWith(prefix, { ...page, ...scoped })),
      );
    }
    const filter = filterOf(rows.map(({ attributes }) => attributes));
    if (filter !== undefined)
      add(
        'filter',
        `${JSON.stringify(filter)} of`,
        rows.filter((row) => meets(row.attributes, filter)).map(hit),
        (search) => walk((page) => search.all({ ...page, ...scoped, where: comparing(filter) })),
      );
  }
  return questions;
}

/** The same filter by every comparison. */
function comparing(filter: Record<string, unknown>): Record<string, WhereComparison> {
  const comparisons = Object.entries(filter).map(([name, asked]): [string, WhereComparison] => {
    const value = asked as string | number;
    const range: WhereComparison = { gte: value, lte: value, between: [value, value], not: { lt: value } };
    const beginning = typeof value === 'string' ? { beginsWith: value } : {};
    return [name, { equals: value, in: [value], exists: true, ...range, ...beginning }];
  });
  return Object.fromEntries(comparisons);
}

function filterOf(all: readonly Attributes[]): Options | undefined {
  for (const attributes of all) {
    const found = Object.entries(attributes).find(
      ([, value]) => typeof value === 'string' || typeof value === 'number',
    );
    if (found !== undefined) return Object.fromEntries([found]);
  }
  return undefined;
}

function meets(attributes: Attributes, filter: Options): boolean {
  return Object.entries(filter).every(([name, value]) => attributes[name] === value);
}

function nodesQuestion(model: ModelInput, facts: Facts, type: string): Question {
  const ids = [...facts.nodes.keys()].filter((id) => typeOf(id) === type).sort(compareText);
  return {
    ...{ kind: 'nodes', text: `nodes ${type}`, projection: `list:${type}` },
    ask: async (reader) => comparableViews(model, type, await walk((page) => reader.nodes(type, page))),
    page: (reader, page) => reader.nodes(type, page),
    expected: comparableViews(
      model,
      type,
      ids.map((id) => viewOf(model, facts, id)),
    ),
  };
}

function edgeRow({ edge: { source, type, target }, attributes }: EdgeRow): Options {
  return { source, type, target, attributes };
}

function orderQuestions(model: ModelInput, facts: Facts, type: string, target: string, name: string): Question[] {
  const questions = derivedOrderQuestions(model, facts, type, target, name);
  if ((model.edges[type]!['inbound'] as Options)['native'] !== true) return questions;
  // DynamoDB promises no order of equal values: answers are compared with those in the order of ids.
  const settled = settledBy((id) => inboundOf(model, facts, type, id, name), target);
  const { isTied } = settled;
  return questions.map(({ watch, ...question }) => ({
    ...question,
    ask: async (reader) => settled.of(await question.ask(reader)),
    expected: settled.of(question.expected),
    settled: (list) => settled.of(list) as readonly unknown[],
    watch: watch && { ...watch, isTied },
  }));
}

/** Puts equal values of a list of edges, and of those within its nodes, into the order of their ids. */
function settledBy(rowsOf: (target: string) => readonly EdgeRow[], target: string) {
  const sortsOf = (id: string) =>
    new Map(rowsOf(id).map(({ edge: { source }, sort }) => [source, JSON.stringify(sort)]));
  const settle = (list: readonly unknown[], id: string, idOf: (row: unknown) => string): unknown[] => {
    const sorts = sortsOf(id);
    const runs: unknown[][] = [];
    for (const row of list) {
      const [last] = runs.at(-1) ?? [];
      const isSame = last !== undefined && sorts.get(idOf(last)) === sorts.get(idOf(row));
      if (isSame) runs.at(-1)!.push(row);
      else runs.push([row]);
    }
    return runs.flatMap((run) => run.sort((left, right) => compareText(idOf(left), idOf(right))));
  };
  const nodeId = (row: unknown): string => (row as { node: { id: string } }).node.id;
  const inNode = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(inNode);
    if (typeof value !== 'object' || value === null) return value;
    const all = Object.entries(value).map(([key, own]): [string, unknown] => [key, inNode(own)]);
    const { id, inbound, ...rest } = Object.fromEntries(all) as { id?: string; inbound?: Record<string, unknown[]> };
    if (inbound === undefined || id === undefined) return Object.fromEntries(all);
    const lists = Object.entries(inbound).map(([type, list]) => [type, settle(list, id, nodeId)]);
    return { ...rest, id, inbound: Object.fromEntries(lists) };
  };
  const ofRow = (row: unknown): string => {
    const { source, id } = row as { source?: string; id?: string };
    return source ?? id ?? '';
  };
  const sorts = [...sortsOf(target).values()];
  return {
    isTied: new Set(sorts).size < sorts.length,
    of: (value: unknown): unknown => (Array.isArray(value) ? settle(inNode(value) as unknown[], target, ofRow) : value),
  };
}

/** The questions of an order whose equal values come in the order of ids. */
function derivedOrderQuestions(
  model: ModelInput,
  facts: Facts,
  type: string,
  target: string,
  name: string,
): Question[] {
  const options = model.edges[type]!;
  const projection = projectionOfOrder(type, name, options);
  const inbound = options['inbound'] as Options;
  const order = ordersOf(options).find(([known]) => known === name)![1];
  const all = inboundOf(model, facts, type, target, name);
  const scopes = inbound['partition'] === undefined ? [undefined] : [...new Set(all.map(({ within }) => within))];
  const questions: Question[] = [];
  for (const scope of scopes) {
    const rows = all.filter(({ within }) => within === scope);
    const own = { order: name, ...(scope !== undefined && { partition: scope }) };
    const where = ` ${target} by ${name}${scope === undefined ? '' : ` in ${scope}`}`;
    const ask = (more: Options) => (reader: OpenReader) =>
      whole((page) => reader.inbound(target, type, { ...own, ...page, ...more }));
    const add = (
      kind: Kind,
      text: string,
      expected: unknown,
      how: Question['ask'],
      watched?: Options,
      sort?: unknown,
    ): void => {
      const watch = watchOf(expected, { inbound: [target, type], ...own }, watched, sort);
      questions.push({ kind, projection, text: `${text}${where}`, expected, ask: how, watch });
    };
    add('inbound', 'inbound', rows.map(edgeRow), ask({}), {});
    add('inbound', 'inbound, reversed,', [...rows].reverse().map(edgeRow), ask({ reverse: true }), { reverse: true });
    questions.push({
      ...{ kind: 'pages', projection, text: `pages of inbound${where}`, expected: rows.map(edgeRow) },
      ask: (reader) => walk((page) => reader.inbound(target, type, { ...own, ...page })),
      page: (reader, page) => reader.inbound(target, type, { ...own, ...page }),
    });
    add('count', 'degree of', rows.length, async (reader) => (await reader.inDegree(target, type, own)).count);
    const distinct = [...new Map(rows.map((row) => [JSON.stringify(row.sort), row])).values()];
    for (const { sort, value } of distinct) {
      const same = rows.filter((row) => sort.every((one, i) => row.sort[i] === one));
      const how = Array.isArray(order) ? { path: value } : { equals: value };
      add('equal', `inbound of ${value}`, same.map(edgeRow), ask(how), how, sort);
    }
    const low = distinct.at(1);
    if (low !== undefined && !Array.isArray(order)) {
      const isRank = (order as { kind?: string }).kind === 'rank';
      const above = rows.filter((row) =>
        isRank
          ? (row.sort[0] as number) >= (low.sort[0] as number)
          : compareRows({ sort: row.sort, id: '' }, { sort: low.sort, id: '' }) >= 0,
      );
      add('range', `inbound at least ${low.value}`, above.map(edgeRow), ask({ atLeast: low.value }));
    }
    const filter = filterOf(rows.map(({ attributes }) => attributes));
    if (filter !== undefined)
      add(
        'filter',
        `inbound with ${JSON.stringify(filter)}`,
        rows.filter((row) => meets(row.attributes, filter)).map(edgeRow),
        (reader) => walk((page) => reader.inbound(target, type, { ...own, ...page, where: comparing(filter) })),
      );
    add('page', 'page of', pageOf(model, facts, type, rows), async (reader) =>
      comparableNodes(model, (await reader.page(target, type, { ...own, limit: 1_000 })).items),
    );
    // Up to the members, and down again to all that they are members of.
    const levels = [{ edge: type, with: [{ inbound: type, ...own }] }];
    add('levels', 'levels of', levelsOf(model, facts, type, rows, { name, scope }), async (reader) => {
      const page = await reader.page(target, type, { ...own, with: levels, limit: 1_000 });
      return comparableNodes(model, page.items);
    });
    if (inbound['includeTarget'] === true) {
      const attributes = facts.nodes.get(target);
      const owner =
        attributes === undefined
          ? null
          : { id: target, attributes: shown(attributes, model.nodes[typeOf(target)]!['view'] ?? 'ALL') };
      add('owner', 'owner of', { owner, items: [...rows].reverse().map(edgeRow) }, async (reader) => {
        const { target: found = null, items } = await reader.inbound(target, type, {
          ...own,
          reverse: true,
          includeTarget: true,
        });
        return { owner: found, items };
      });
    }
  }
  return questions;
}

/** A page's nodes with the neighbors that their edge sets name. */
function pageOf(model: ModelInput, facts: Facts, type: string, rows: readonly EdgeRow[]): unknown {
  const from = model.edges[type]!['from'] as string[];
  const types = Object.entries(model.edges)
    .filter(([, { edgeSet, from: of }]) => edgeSet !== false && (of as string[]).some((one) => from.includes(one)))
    .map(([name]) => name);
  const nodes = rows.map(({ edge: { source: id } }) => {
    const edges = types.map((name) => [
      name,
      listedOf(model, facts, id, name).map(({ edge, id }) => {
        return { edge, node: nodeOf(model, facts, id) };
      }),
    ]);
    return { ...nodeOf(model, facts, id), edges: Object.fromEntries(edges) };
  });
  return comparableNodes(model, nodes);
}

/** A page with the targets of its nodes' edges, and the sources of all edges that enter those. */
function levelsOf(
  model: ModelInput,
  facts: Facts,
  type: string,
  rows: readonly EdgeRow[],
  { name, scope }: { name: string; scope: unknown },
): unknown {
  const options = model.edges[type]!;
  const memberOf = (id: string): object => {
    const entering = inboundOf(model, facts, type, id, name).filter(({ within }) => within === scope);
    const inbound = entering.map(({ edge: { source }, attributes }) => {
      return { edge: attributes, node: nodeOf(model, facts, source) };
    });
    return { ...nodeOf(model, facts, id), inbound: { [type]: inbound } };
  };
  const nodes = rows.map(({ edge: { source: id } }) => {
    const leaving = options['edgeSet'] === false ? storedOf(model, facts, id, type) : listedOf(model, facts, id, type);
    const members = leaving.map(({ edge, id }) => ({ edge, node: memberOf(id) }));
    return { ...nodeOf(model, facts, id), edges: { [type]: members } };
  });
  return comparableNodes(model, nodes);
}

function nodeOf(model: ModelInput, facts: Facts, id: string): { id: string; attributes: Attributes | null } {
  return { id, attributes: viewOf(model, facts, id).attributes };
}

/** The edges of a type in the set of a node, with what the set has of them. */
function listedOf(model: ModelInput, facts: Facts, source: string, type: string): { edge: Options; id: string }[] {
  return viewOf(model, facts, source)
    .edgeSet.filter((entry) => entry['type'] === type)
    .map(({ type: _, target, copy: _copy, ...edge }) => ({ edge, id: String(target) }));
}

/** The edges of a type that leave a node, with all their attributes. */
function storedOf(model: ModelInput, facts: Facts, source: string, type: string): { edge: Options; id: string }[] {
  return facts.edges
    .filter((edge) => edge.type === type && edge.source === source)
    .filter(({ target }) => isBetween(model.edges[type]!, source, target))
    .sort((left, right) => compareText(left.key, right.key))
    .map((edge) => ({ edge: plainEdge(edge).attributes as Options, id: edge.target }));
}

/** Nodes of a page; what is shown of a neighbor that is copied depends on the copies. */
function comparableNodes(model: ModelInput, nodes: readonly unknown[]): unknown {
  const hasCopies = Object.values(model.edges).some(({ copy }) => copy !== undefined);
  if (!hasCopies) return nodes;
  const without = (value: unknown, key: string): unknown =>
    key === 'node' ? { ...Object(value), attributes: undefined } : value;
  return JSON.parse(JSON.stringify(nodes, (key, value) => without(value, key)));
}
