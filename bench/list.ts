import type { PageOptions } from '../src/client/read/page.ts';
import { createReader } from '../src/client/read/reader.ts';
import { toPlainItem } from '../src/core/items/plain.ts';
import { defineGraph } from '../src/core/model/compile/define-graph.ts';
import type { CompiledModel } from '../src/core/model/compiled.ts';
import { edge, node } from '../src/core/model/schema.ts';
import type { Store } from '../src/core/store-port.ts';
import { withReplacedCalls } from '../src/store/wrapped.ts';
import type { BenchmarkOptions } from './support/command.ts';
import type { Item } from './support/images.ts';
import { interleaved, type Timing, timed } from './support/paired.ts';
import { loadProjected } from './support/projecting.ts';
import { type Figure, figure, type Report } from './support/report.ts';
import { spread } from './support/statistics.ts';
import { type FreshTable, withFreshTable } from './support/table.ts';

/** Compares pages of 100 goals and their titles with hand-written edges that hold copies of the titles. */

const GOALS = 100;
const REPETITIONS = 15;
const USER = 'USER-U0';

const AIMS = { from: 'GOAL', to: 'USER', inbound: { orders: { gsi0: 'since' }, project: ['since'] } } as const;
const nodes = { GOAL: node({ view: ['title'] }), USER: node({ view: ['name'] }) };
const model = defineGraph({ table: 'bench', nodes, edges: { AIMS: edge(AIMS) } }) as CompiledModel;
const copying = defineGraph({
  table: 'bench',
  nodes,
  edges: { AIMS: edge({ ...AIMS, copy: ['name'] }) },
}) as CompiledModel;
const joined = defineGraph({
  table: 'bench',
  nodes,
  edges: { AIMS: edge({ ...AIMS, inbound: { ...AIMS.inbound, projectSource: ['title'] } }) },
}) as CompiledModel;

interface Way {
  name: string;
  calls: number;
  rcu: number;
  bytes: number;
  runs: Timing[];
}

export async function list({ repetitions = REPETITIONS }: BenchmarkOptions): Promise<Report[]> {
  const ways = [
    await byReader('page, with edge sets and neighbors', model, {}, repetitions),
    await byReader('page, neighbors copied under the edges', copying, {}, repetitions),
    await byReader('page without edge sets', model, { with: [] }, repetitions),
    await byReader('page without edge sets, titles projected', joined, { with: [] }, repetitions),
    await byHand(repetitions),
  ];
  const figures = ways.flatMap(({ name, calls, rcu, bytes, runs }): Figure[] => [
    figure(`${name}: calls`, calls, 'calls'),
    figure(`${name}: read capacity`, rcu, 'RCU'),
    figure(`${name}: items read`, bytes, 'bytes'),
    figure(name, spread(runs.map(({ seconds }) => seconds * 1000)), 'ms'),
  ]);
  return [{ name: 'list', title: `a list of ${GOALS} goals of a user with their titles`, figures }];
}

function goals(): Item[] {
  const items: Item[] = [{ source: { S: USER }, target: { S: USER }, name: { S: 'Ada' } }];
  for (let i = 0; i < GOALS; i++) {
    const source = { S: `GOAL-G${String(i).padStart(3, '0')}` };
    items.push(
      { source, target: source, title: { S: titleOf(i) } },
      { source, target: { S: `AIMS-${USER}` }, since: { S: sinceOf(i) } },
    );
  }
  return items;
}

function titleOf(i: number): string {
  return `Goal ${i}: publish what we learned in the last quarter`;
}

function sinceOf(i: number): string {
  return `2026-03-${String(1 + (i % 28)).padStart(2, '0')}`;
}

async function byReader(name: string, graph: CompiledModel, options: PageOptions, repetitions: number): Promise<Way> {
  return withFreshTable(graph, [], async ({ store }) => {
    await loadProjected(graph, store, goals());
    return await measured(name, store, repetitions, async (counted) => {
      const { items } = await createReader(graph, { store: counted }).page(USER, 'AIMS', { ...options, limit: GOALS });
      return items.map(({ attributes }) => attributes?.['title']);
    });
  });
}

async function byHand(repetitions: number): Promise<Way> {
  return withFreshTable(model, [], async ({ store }: FreshTable) => {
    const rows = Array.from({ length: GOALS }, (_, i) => ({
      source: { S: `GOAL-G${String(i).padStart(3, '0')}` },
      target: { S: `AIMS-${USER}` },
      gsi0pk: { S: USER },
      gsi0sk: { S: `${sinceOf(i)}#GOAL-G${String(i).padStart(3, '0')}` },
      // The indexes project this attribute.
      attributes: { M: { title: { S: titleOf(i) }, since: { S: sinceOf(i) } } },
    }));
    await store.writeMany(rows.map((put) => ({ put })));
    return await measured('by hand, titles duplicated', store, repetitions, async (counted) => {
      const { items } = await counted.query({ index: 'gsi0', partition: USER, limit: GOALS });
      return items.map(
        ({ attributes }) => attributes !== undefined && 'M' in attributes && toPlainItem(attributes.M)['title'],
      );
    });
  });
}

async function measured(
  name: string,
  store: Store,
  repetitions: number,
  read: (store: Store) => Promise<unknown[]>,
): Promise<Way> {
  const way: Way = { name, calls: 0, rcu: 0, bytes: 0, runs: [] };
  const count = (calls: number, rcu: number, items: readonly unknown[]): void => {
    way.calls += calls;
    way.rcu += rcu;
    way.bytes += Buffer.byteLength(JSON.stringify(items));
  };
  const counted = withReplacedCalls(store, {
    query: async (request) => {
      const result = await store.query(request);
      count(1, result.rcu, result.items);
      return result;
    },
    getMany: async (keys, options) => {
      const result = await store.getMany(keys, options);
      // The registry is read once in 30 s, however many queries run.
      if (keys.some(({ source }) => !source.startsWith('~'))) count(result.calls, result.rcu, result.items);
      return result;
    },
  });
  const titles = await read(counted);
  const isRight = titles.length === GOALS && titles.every((title) => String(title).startsWith('Goal '));
  if (!isRight) throw new Error(`${name} gave ${titles.length} titles, or others.`);
  ({ read: way.runs } = await interleaved(repetitions, { read: () => timed(async () => void (await read(store))) }));
  return way;
}
