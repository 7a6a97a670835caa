import { createHash } from 'node:crypto';
import type { FeedFollower } from '../support/feed-follower.ts';
import { type Bench, expectSame } from './bench.ts';
import { storedFacts } from './facts.ts';
import { type Options, ordersOf, searchesOf } from './model.ts';
import { comparedAs, compareText, hitsOf, inboundOf } from './oracle.ts';
import type { AnyPage, OpenReader } from './questions.ts';

/** Answers the questions of a model by what the feed has told. It reads only what the feed asks to read. */
export class FeedReader {
  constructor(
    private readonly bench: Bench,
    private readonly follower: FeedFollower,
  ) {}

  /** As the questions take a reader. */
  open(): OpenReader {
    const reader = {
      getViews: async (ids: readonly string[]) =>
        (await Promise.all(ids.map((id) => this.node(id)))).map(({ attributes, edgeSet, ...node }) =>
          attributes === null && edgeSet.length === 0 ? null : { ...node, attributes, edgeSet },
        ),
      nodes: async (type: string, { cursor }: Options) =>
        cursor === undefined ? await this.nodes(type) : { items: [] },
      search: (name: string) => this.search(name),
      inbound: async (target: string, type: string, options: Options) => this.inbound(target, type, options),
      degree: async (source: string, type: string) => await this.degree(source, type),
      total: async (id: string, type: string, { direction }: Options) => this.total(id, type, String(direction)),
    };
    return reader as unknown as OpenReader;
  }

  /** No list has rows that no question asks for: of a partition that is no more. */
  async expectNoMore(): Promise<void> {
    const { follower, bench } = this;
    const { nodes, edges } = bench.input;
    const facts = storedFacts(bench.input, await bench.facts());
    for (const [type, options] of Object.entries(nodes)) {
      for (const name of searchesOf(options).keys()) {
        const rows = follower.rows(({ list }) => 'search' in list && list.search === `${type}.${name}`);
        expectSame(rows.length, hitsOf(bench.input, facts, type, name).length, `the number of rows of ${type}.${name}`);
      }
    }
    for (const [type, options] of Object.entries(edges)) {
      for (const [order] of ordersOf(options)) {
        const rows = follower.rows(({ list }) => 'order' in list && list.inbound[1] === type && list.order === order);
        const targets = [...new Set(facts.edges.map(({ target }) => target))];
        const expected = targets.flatMap((target) => inboundOf(bench.input, facts, type, target, order));
        expectSame(rows.length, expected.length, `the number of rows of ${type} by ${order}`);
      }
    }
  }

  private async node(id: string): Promise<{ attributes: unknown; edgeSet: Options[] }> {
    const { edgeSet, ...node } = this.follower.node(id);
    // The events tell nothing of edges that the view has no room for, and ask to read the node.
    const outgrown = this.follower.outgrown(id);
    const read = outgrown.length === 0 ? [] : await this.readEdges(id);
    const missing = read.filter(({ type }) => outgrown.includes(String(type)));
    const sorted = [...edgeSet, ...missing].sort(
      (left, right) =>
        compareText(String(left['type']), String(right['type'])) ||
        compareText(String(left['target']), String(right['target'])),
    );
    return { ...node, edgeSet: sorted };
  }

  private async readEdges(id: string): Promise<Options[]> {
    const [node] = await this.bench.reader().getViews([id], { includeExpired: true });
    return (node?.['edgeSet'] ?? []) as Options[];
  }

  private async nodes(type: string): Promise<AnyPage> {
    const ids = this.follower.nodes(type).map(({ id }) => id);
    return { items: (await Promise.all(ids.map((id) => this.node(id)))) as AnyPage['items'] };
  }

  private search(search: string) {
    const [type = '', ...rest] = search.split('.');
    const entry = searchesOf(this.bench.input.nodes[type]!).get(rest.join('.'));
    const options = (typeof entry === 'object' ? entry : {}) as Options;
    const { type: as, path } = options;
    const compared = (value: unknown): unknown[] =>
      (path === undefined ? [value] : (value as unknown[])).map((one) => {
        return comparedAs(one, path === undefined ? as : 'string', options);
      });
    const page = ({ partition }: Options, asked: readonly unknown[] = []): AnyPage => {
      const hits = this.follower.hits(search, partition === undefined ? undefined : String(partition));
      const found = hits.filter(({ value }) => asked.every((one, i) => compared(value)[i] === one));
      return { items: found.map(({ id, value, attributes }) => ({ id, value, attributes })) };
    };
    return {
      all: async (options: Options) => page(options),
      latest: async (options: Options) => ({ items: page(options).items.reverse() }),
      equals: async (value: unknown, options: Options) => page(options, compared(value)),
      path: async (segments: readonly unknown[], options: Options) => page(options, compared(segments)),
    };
  }

  private inbound(target: string, type: string, { order, partition, reverse }: Options): AnyPage {
    const rows = this.follower.inbound(
      this.targetOf(type, target),
      type,
      String(order),
      partition === undefined ? undefined : String(partition),
    );
    const items = rows.map(({ id, attributes }) => ({ source: id, type, target, attributes }));
    return { items: reverse === true ? items.reverse() : items };
  }

  /** A target as lists of edges name it. */
  private targetOf(type: string, target: string): string {
    if (this.bench.input.edges[type]!['keys'] !== 'hashed') return target;
    return `#${createHash('sha256').update(target).digest('hex').slice(0, 32)}`;
  }

  private async degree(source: string, type: string): Promise<number> {
    const { degree } = this.bench.input.edges[type]!;
    if (degree === true) return Number(this.follower.count(type, source, 'outgoing')?.['count'] ?? 0);
    const { edgeSet } = (await this.node(source)) as { edgeSet: Options[] };
    return edgeSet.filter((edge) => edge['type'] === type).length;
  }

  private total(id: string, type: string, direction: string): object {
    const { total = {}, groupBy = [] } = (this.bench.input.edges[type]![direction] ?? {}) as {
      total?: Options;
      groupBy?: readonly string[];
    };
    const all = (names: readonly string[], value: unknown): Options =>
      Object.fromEntries(names.map((name) => [name, value]));
    const none = { count: 0, ...all(Object.keys(total), '0'), groups: all(groupBy, {}) };
    const told = this.follower.count(type, id, direction);
    return told === undefined ? none : { ...told, groups: told['groups'] ?? {} };
  }
}
