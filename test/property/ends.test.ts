import { expect, it } from 'vitest';
import { createProjector, migrate } from '../../src/admin.ts';
import { createReader } from '../../src/client/read/reader.ts';
import type { Item } from '../../src/core/items/attribute-value.ts';
import { hashedEdgeKey } from '../../src/core/items/hashed-key.ts';
import type { CompiledModel } from '../../src/core/model/compiled.ts';
import { date, number, part, rank, source, sum } from '../../src/core/model/schema.ts';
import { EdgeloomError } from '../../src/foundation/errors.ts';
import { deleteEnded } from '../../src/projecting/ended/delete-ended.ts';
import { check } from '../../src/trust/check/check.ts';
import { Random } from '../simulator/kernel/random.ts';
import { runs } from '../support/extent.ts';
import { anyEdge, anyNode, define } from '../support/model.ts';
import { SIZES } from '../support/sizes.ts';
import { StreamedStore } from '../support/streamed-store.ts';

/**
 * Random models and histories with items that end, and changes of the model that add or remove ends and views. Each answer of a reader is
 * that of a second table, in which what is over was never written; with `includeExpired` that of a third one, in which nothing is over.
 */

const START = 1_900_000_000;
/** A moment before every end. */
const LONG_AGO = -1e13;
const NODES = ['A', 'B'] as const;
const ids = (type: string): string[] => [1, 2, 3].map((i) => `${type}-${i}`);

interface Row {
  source: string;
  target: string;
  item: Item;
}
interface EdgeFacts {
  from: string;
  to: string;
  hashed: boolean;
  counted: boolean;
  orders: string[];
  owned: boolean;
}
type Options = Record<string, unknown>;

/** The options of a random model, and what questions need to know of it. */
function randomModel(random: Random) {
  const nodes: Record<string, Options> = {};
  const edges: Record<string, Options> = {};
  const facts: Record<string, EdgeFacts> = {};
  const searches: string[] = [];
  for (const type of NODES) {
    const search: Options = {
      ...(random.chance(0.5) && {
        title: { shards: random.oneOf([1, 2]), project: random.oneOf(['KEYS_ONLY', 'ALL']) },
      }),
      ...(random.chance(0.4) && { tags: { multiValue: true, shards: 2 } }),
      ...(random.chance(0.4) && { score: { type: 'number', shards: 3, shardBy: 'source' } }),
    };
    searches.push(...Object.keys(search).map((name) => `${type}.${name}`));
    nodes[type] = {
      ...(random.chance(0.6) && { expires: 'expiresAt' }),
      ...(random.chance(0.2) && { deletedWhen: 'gone' }),
      ...(random.chance(0.7) && { view: random.oneOf<unknown>(['KEYS_ONLY', 'ALL', ['title']]) }),
      ...(random.chance(0.3) && { viewBudgetBytes: 1024 }),
      ...(random.chance(0.3) && { parts: { STATE: part({ view: ['title'] }) } }),
      ...{ list: random.chance(0.5), search },
    };
  }
  for (const type of ['E', 'F'].slice(0, random.between(1, 2))) {
    const [from, to] = [random.pick(NODES), random.pick(NODES)];
    const joins = nodes[from]!['expires'] === undefined && random.chance(0.5);
    const values: unknown[] = ['role', rank('role', { LEAD: 5, TEAM: 3 }), date('due'), ['role', number('score')]];
    if (joins) values.push(source('title'), [source('role'), 'title']);
    const orders = ['one', 'two', 'three'].slice(0, random.below(4));
    const hasOrders = orders.length > 0;
    const owned = hasOrders && random.chance(0.3);
    const [hashed, counted, inSet] = [random.chance(0.2), random.chance(0.3), random.chance(0.7)];
    const total = random.chance(0.3) && { total: { score: sum('score') } };
    edges[type] = {
      ...{ from, to, degree: counted, keys: hashed ? 'hashed' : 'plain' },
      ...{ edgeSet: inSet && random.oneOf<unknown>([[], ['role', 'title']]) },
      ...(random.chance(0.7) && { expires: 'expiresAt' }),
      ...(random.chance(0.2) && { deletedWhen: 'gone' }),
      // Elements that are over fill a view until they are deleted, and what a view has no room for has no copies.
      ...(inSet &&
        !hashed &&
        nodes[from]!['viewBudgetBytes'] === undefined &&
        random.chance(0.4) && { copy: ['title'] }),
      ...((hasOrders || total !== false) && {
        inbound: {
          ...(hasOrders && { orders: Object.fromEntries(orders.map((name) => [name, random.pick(values)])) }),
          ...(hasOrders && !owned && { shards: random.oneOf([1, 2]) }),
          ...(hasOrders && random.chance(0.5) && { project: ['role'] }),
          ...(hasOrders && joins && random.chance(0.6) && { projectSource: ['title'] }),
          ...(owned && { includeTarget: true }),
          ...total,
        },
      }),
    };
    facts[type] = { from, to, hashed, counted, orders, owned };
  }
  const compiled = (): CompiledModel =>
    define({
      table: 'records',
      nodes: Object.fromEntries(Object.entries(nodes).map(([name, options]) => [name, anyNode(options)])),
      edges: Object.fromEntries(Object.entries(edges).map(([name, options]) => [name, anyEdge(options)])),
    });
  return { nodes, edges, facts, searches, compiled };
}
type Model = ReturnType<typeof randomModel>;

/** Whether an item is over, by the documentation. */
function isOver({ nodes, edges }: Model, { source: from, target, item }: Row, nowMs: number): boolean {
  const options = from === target ? nodes[from.charAt(0)] : edges[target.charAt(0)];
  const end = target !== 'STATE' && options?.['expires'] !== undefined ? item['expiresAt'] : undefined;
  return end !== undefined && 'N' in end && Number(end.N) * 1000 <= nowMs;
}

/** All that a reader answers; the code of a refusal where it refuses. */
async function answers(
  { facts, searches }: Model,
  graph: CompiledModel,
  reading: Options,
  options: Options,
  limit: number,
) {
  const reader = createReader(graph, reading as never);
  const found: Record<string, unknown> = {};
  const ask = async (name: string, answer: () => Promise<unknown>): Promise<void> => {
    found[name] = await answer().catch((error: unknown) => {
      if (!(error instanceof EdgeloomError)) throw error;
      return error.code;
    });
  };
  const list = (name: string, read: (query: never) => Promise<object>): Promise<void> =>
    ask(name, async () => {
      const pages: object[] = [];
      for await (const page of reader.pages((cursor) => read({ ...options, cursor, limit } as never))) {
        // The number of calls tells how many rows were over.
        const { cursor: _, calls: __, ...shown } = page as { cursor?: string; calls?: number };
        pages.push(shown);
      }
      return pages;
    });
  for (const type of NODES) {
    await ask(`views ${type}`, () => reader.getViews(ids(type), options));
    await ask(`views whole ${type}`, () => reader.getViews(ids(type), { ...options, attributes: 'ALL' }));
    await list(`nodes ${type}`, (query) => reader.nodes(type, query));
    for (const id of ids(type)) {
      await ask(`view ${id}`, () => reader.getView(id, options));
      await ask(`node ${id}`, () => reader.getNode(id, options));
      await list(`collection ${id}`, (query) => reader.getCollection(id, query));
    }
  }
  for (const name of searches) {
    await list(`search ${name}`, (query) => reader.search(name).all(query));
    await ask(`count ${name}`, () => reader.search(name).count(undefined, options));
  }
  for (const [type, { from, to, orders, owned }] of Object.entries(facts)) {
    for (const id of ids(from)) {
      await ask(`degree ${type} ${id}`, () => reader.degree(id, type, options));
      for (const target of ids(to))
        await ask(`has ${id} ${type} ${target}`, () => reader.has(id, type, target, options));
    }
    for (const id of ids(to)) {
      await ask(`total ${type} ${id}`, () => reader.total(id, type, options));
      for (const order of orders) {
        const at = (query: object, more: object = {}) => ({ ...query, ...more, order }) as never;
        const reverse = { reverse: true, includeTarget: owned };
        await list(`inbound ${order} ${id}`, (query) => reader.inbound(id, type, at(query)));
        await list(`reverse ${order} ${id}`, (query) => reader.inbound(id, type, at(query, reverse)));
        await list(`page ${order} ${id}`, (query) => reader.page(id, type, at(query)));
        await list(`alone ${order} ${id}`, (query) =>
          reader.page(id, type, at(query, { with: [], attributes: ['title'] })),
        );
        await ask(`inDegree ${order} ${id}`, () => reader.inDegree(id, type, at(options)));
      }
    }
  }
  return found;
}

/** Projects the records that a table has had since the last call. */
function projecting(graph: CompiledModel, store: StreamedStore, from = 0): () => Promise<void> {
  const projector = createProjector(graph, { store });
  let done = from;
  return async () => {
    while (done < store.records.length) {
      const batch = store.records.slice(done);
      done += batch.length;
      await projector.project(batch);
    }
  };
}

async function tableOf(graph: CompiledModel, rows: readonly Row[]): Promise<StreamedStore> {
  const store = new StreamedStore(graph);
  for (const { source: from, target, item } of rows) await store.producer(from, target, item);
  await projecting(graph, store)();
  return store;
}

async function run(seed: number): Promise<void> {
  const random = new Random(seed);
  const model = randomModel(random);
  let graph = model.compiled();
  let nowMs = START * 1000;
  const now = (): number => nowMs;
  const store = new StreamedStore(graph, now);
  const rows = new Map<string, Row>();
  const bring = (): Promise<unknown> =>
    migrate(graph, {
      ...{ store, now, clock: now, segments: 1 },
      wait: async (milliseconds) => {
        nowMs += milliseconds;
      },
    });
  await bring();
  let project = projecting(graph, store);
  const text = (...values: string[]): Item[string] => ({ S: random.pick(values) });
  const attributes = (): Item => {
    const seconds = Math.floor(nowMs / 1000);
    const ends = [seconds + random.between(1, 9), seconds + random.between(1, 30), seconds - 1, seconds + 1.5, 0, -5];
    return {
      ...{
        title: text('a', 'b', 'a'.repeat(400)),
        role: text('LEAD', 'TEAM'),
        tags: { SS: ['a', random.oneOf(['b', 'c'])] },
      },
      ...(random.chance(0.8) && { due: text('2026-01-01', '2026-02-01'), score: { N: String(random.below(3)) } }),
      ...(random.chance(0.1) && { gone: { BOOL: true } }),
      ...(random.chance(0.6) && { expiresAt: random.chance(0.1) ? { S: '5' } : { N: String(random.pick(ends)) } }),
    };
  };
  const write = async (from: string, target: string, item: Item | undefined): Promise<void> => {
    if (item === undefined) rows.delete(`${from}/${target}`);
    else rows.set(`${from}/${target}`, { source: from, target, item });
    await store.producer(from, target, item);
  };
  const step = async (): Promise<void> => {
    const item = random.chance(0.15) ? undefined : attributes();
    const id = random.pick(ids(random.pick(NODES)));
    if (random.chance(0.1) && model.nodes[id.charAt(0)]!['parts'] !== undefined) return await write(id, 'STATE', item);
    if (random.chance(0.35)) return await write(id, id, item);
    const [type, { from, to, hashed }] = random.pick(Object.entries(model.facts));
    const target = random.pick(ids(to));
    const key = hashed ? hashedEdgeKey(type, target) : `${type}-${target}`;
    await write(random.pick(ids(from)), key, item && { ...item, ...(hashed && { targetId: { S: target } }) });
  };
  /** Whether a count or a total holds an edge of a type until it is deleted. */
  const isCounted = (type: string): boolean =>
    model.facts[type]!.counted || (Object(model.edges[type]?.['inbound']) as Options)['total'] !== undefined;
  /** Deletes what is over and counted; then counts and totals are right, too. */
  const sweep = async (): Promise<void> => {
    const over = [...rows].filter(
      ([, row]) => row.target.charAt(1) === '-' && row.target !== row.source && isOver(model, row, nowMs),
    );
    const due = over.filter(([, { target, item }]) => {
      const gone = model.edges[target.charAt(0)]?.['deletedWhen'] !== undefined && item['gone'] !== undefined;
      return isCounted(target.charAt(0)) && !gone;
    });
    const { deleted } = await deleteEnded(graph, { store, serverTime: async () => now() });
    expect(deleted).toBe(due.length);
    for (const [key] of due) rows.delete(key);
    await project();
    await judge(true);
  };
  const judge = async (isSwept = false): Promise<void> => {
    const all = [...rows.values()];
    const limit = random.oneOf([1, 2, 50]);
    const ask = (reading: Options, options: Options = {}) => answers(model, graph, reading, options, limit);
    const living = await tableOf(
      graph,
      all.filter((row) => !isOver(model, row, nowMs)),
    );
    const expected = await ask({ store: living, now: () => LONG_AGO });
    const whole = await ask({ store: await tableOf(graph, all), now: () => LONG_AGO });
    // Counts follow the deletion.
    for (const name of isSwept ? [] : Object.keys(whole)) {
      const [kind, type] = name.split(' ');
      if (kind === 'total' || (kind === 'degree' && model.facts[type!]!.counted)) expected[name] = whole[name];
    }
    expect(await ask({ store, now })).toEqual(expected);
    expect(await ask({ store, now }, { includeExpired: true })).toEqual(whole);
    const { drift } = await check(graph, { store, graceMs: 0 });
    expect(drift).toEqual({ missing: 0, stale: 0, orphan: 0 });
  };
  for (let round = 0; round < 2; round++) {
    for (let i = random.between(10, 30); i > 0; i--) {
      await step();
      if (random.chance(0.3)) nowMs += random.oneOf([1, 499, 1000, 3000]);
      if (random.chance(0.2)) await project();
    }
    await project();
    await judge();
    nowMs += random.oneOf([500, 5000, 10_000]);
    await judge();
    if (random.chance(0.7)) await sweep();
    const [name, options] = random.pick(Object.entries({ ...model.nodes, ...model.edges }));
    const before = { ...options };
    if (name in model.nodes && random.chance(0.5))
      options['view'] = options['view'] === undefined ? ['title'] : undefined;
    else options['expires'] = options['expires'] === undefined ? 'expiresAt' : undefined;
    try {
      graph = model.compiled();
    } catch {
      // Of nodes whose values orders take.
      Object.assign(options, { expires: undefined }, before);
      continue;
    }
    await bring();
    await project();
    project = projecting(graph, store, store.records.length);
    await judge();
    if (random.chance(0.7)) await sweep();
  }
}

it('shows what ends, in any model, as if it were deleted from that moment on', async () => {
  for (let seed = 1; seed <= runs(SIZES.ends); seed++) {
    await run(seed).catch((error: unknown) => {
      throw new Error(`seed ${seed}: ${(error as Error).message}`, { cause: error });
    });
  }
});
