import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createReader, type Reader } from '../src/client/read/reader.ts';
import { createWriter, type Writer } from '../src/client/write/writer.ts';
import { itemSizeBytes } from '../src/core/items/attribute-value.ts';
import { EVICTED } from '../src/core/items/derived-item.ts';
import { hashedEdgeKey } from '../src/core/items/hashed-key.ts';
import { edgeSortKey } from '../src/core/items/keys.ts';
import { defineGraph } from '../src/core/model/compile/define-graph.ts';
import type { CompiledModel } from '../src/core/model/compiled.ts';
import { edge, node } from '../src/core/model/schema.ts';
import type { DynamoDBStore } from '../src/store/dynamodb.ts';
import { MeteredStore } from '../src/store/metered.ts';
import type { BenchmarkOptions } from './support/command.ts';
import { derivedItems } from './support/derived.ts';
import { sizeOf } from './support/extent.ts';
import type { Item } from './support/images.ts';
import { projecting } from './support/projecting.ts';
import { atMost, type Figure, figure, type Report } from './support/report.ts';
import { growthExponent, spread } from './support/statistics.ts';
import { load, withFreshTable } from './support/table.ts';

/** Asks for, adds and removes one of a node's many edges, with plain and hashed keys. */

const DEGREES = sizeOf({ whole: [10, 100, 1_000, 10_000, 100_000], short: [10, 100] });
const OPERATIONS = 10;
const FRIEND = 'FRIEND';
/** Above the default, to show the cost of a large set. */
const VIEW_BUDGET_BYTES = 65_536;
const CONSTANT = atMost(0.02);

type Keys = 'plain' | 'hashed';
type Projection = 'unlisted' | 'counted' | 'listed';
const PROJECTIONS: readonly Projection[] = ['unlisted', 'counted', 'listed'];

function model(keys: Keys, projection: Projection): CompiledModel {
  const ends = { from: 'PERSON', to: 'PERSON', keys } as const;
  const edges = {
    unlisted: edge({ ...ends, edgeSet: false }),
    counted: edge({ ...ends, edgeSet: false, degree: true }),
    listed: edge(ends),
  };
  return defineGraph({
    table: 'bench',
    nodes: { PERSON: node({ viewBudgetBytes: VIEW_BUDGET_BYTES }) },
    edges: { FRIEND: edges[projection] },
  });
}

interface Person {
  id: string;
  degree: number;
  friends: string[];
}

interface Cost {
  wcu: number;
  rcu: number;
}

interface Measured {
  degree: number;
  has: Cost[];
  change: Cost[];
  isEvicted: boolean;
}

export async function has({ repetitions = OPERATIONS }: BenchmarkOptions): Promise<Report[]> {
  const reports: Report[] = [];
  for (const keys of ['plain', 'hashed'] as const) {
    const people = DEGREES.map(person);
    const bases = people.flatMap((one) => one.friends.map((friend) => friendItem(keys, one.id, friend)));
    await inMemory((dataDir) =>
      withFreshTable(
        model(keys, 'unlisted'),
        bases,
        async ({ store }) => {
          for (const projection of PROJECTIONS) {
            const runs: Measured[] = [];
            for (const one of people) {
              const trial = new Trial(model(keys, projection), store, one, projection);
              runs.push(await trial.measure(repetitions));
            }
            reports.push(report(keys, projection, runs));
          }
        },
        dataDir,
      ),
    );
  }
  return reports;
}

/** Capacity doesn't depend on the disk, so avoid its flushes. */
async function inMemory(run: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'edgeloom-bench-'));
  try {
    await run(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function person(degree: number): Person {
  return {
    id: `PERSON-${randomUUID()}`,
    degree,
    friends: Array.from({ length: degree }, () => `PERSON-${randomUUID()}`),
  };
}

function friendItem(keys: Keys, source: string, friend: string): Item {
  const target = keys === 'hashed' ? hashedEdgeKey(FRIEND, friend) : edgeSortKey(FRIEND, friend);
  const item: Item = { source: { S: source }, target: { S: target }, since: { S: '2026-01-01' } };
  return keys === 'hashed' ? { ...item, targetId: { S: friend } } : item;
}

function projectedBefore(graph: CompiledModel, { id, degree, friends }: Person): Item[] {
  const { labels, count, keys } = graph.edges.get(FRIEND)!;
  const stamp: Item = { source: { S: id }, r: { N: '1' }, model: { S: graph.fingerprint } };
  if (count !== undefined) return [{ ...stamp, target: { S: count.places.key }, count: { N: String(degree) } }];
  if (labels === undefined) return [];
  const views = derivedItems(
    graph,
    friends.map((friend) => friendItem(keys, id, friend)),
  );
  const fits = itemSizeBytes(views[0]!) <= VIEW_BUDGET_BYTES;
  return fits ? views : [{ ...stamp, target: { S: '~view' }, [EVICTED]: { SS: [FRIEND] } }];
}

class Trial {
  private readonly metered: MeteredStore;
  private readonly reader: Reader;
  private readonly writer: Writer<CompiledModel>;
  private position = 0;

  constructor(
    private readonly graph: CompiledModel,
    private readonly store: DynamoDBStore,
    private readonly person: Person,
    private readonly projection: Projection,
  ) {
    this.metered = new MeteredStore(store);
    this.reader = createReader(graph, { store: this.metered }) as Reader;
    this.writer = createWriter(graph, { store: this.metered }) as Writer<CompiledModel>;
  }

  async measure(operations: number): Promise<Measured> {
    const { graph, store, person, projection } = this;
    const { degree, friends } = person;
    const before = projectedBefore(graph, person);
    await load(store, before);
    const measured: Measured = { degree, has: [], change: [], isEvicted: before[0]?.[EVICTED] !== undefined };
    await this.expectDegree(degree);
    for (let i = 0; i < operations; i++) {
      const known = friends[Math.floor((i * friends.length) / operations)]!;
      const stranger = `PERSON-${randomUUID()}`;
      measured.change.push(await this.change(stranger, true));
      // Only once, because it queries all edges if they are evicted.
      if (i === 0) await this.expectDegree(degree + 1);
      measured.change.push(await this.change(stranger, false));
      if (projection === 'unlisted') measured.has.push(await this.has(known, true), await this.has(stranger, false));
    }
    await this.expectDegree(degree);
    return measured;
  }

  private has(friend: string, expected: boolean): Promise<Cost> {
    return this.cost(async () => {
      const answer = await this.reader.has(this.person.id, FRIEND, friend);
      if (answer !== expected) throw new Error(`has(${friend}) among ${this.person.degree} friends is ${answer}`);
    });
  }

  private async change(friend: string, isAdded: boolean): Promise<Cost> {
    const { graph, store, person } = this;
    const { keys } = graph.edges.get(FRIEND)!;
    const image = friendItem(keys, person.id, friend);
    const key = { source: person.id, target: (image['target'] as { S: string }).S };
    const cost = await this.cost(async () => {
      if (isAdded) await this.writer.putEdge(person.id, FRIEND, friend, { since: '2026-01-01' });
      else await this.writer.deleteEdge(person.id, FRIEND, friend);
      const sequenceNumber = String(++this.position);
      const stream = `bench-${this.projection}`;
      const images = isAdded ? { newImage: image } : { oldImage: image };
      await projecting(graph, { store: this.metered })([{ ...key, ...images, stream, sequenceNumber }]);
    });
    // Verify the change with reads that aren't counted.
    const reader = createReader(graph, { store }) as Reader;
    await reader.waitForProjection(person.id, FRIEND, friend, { timeoutMs: 0 });
    if ((await reader.has(person.id, FRIEND, friend)) !== isAdded) throw new Error(`${friend} was not changed`);
    return cost;
  }

  private async cost(run: () => Promise<void>): Promise<Cost> {
    const { wcu, rcu } = this.metered;
    await run();
    return { wcu: this.metered.wcu - wcu, rcu: this.metered.rcu - rcu };
  }

  private async expectDegree(expected: number): Promise<void> {
    const { graph, store, person, projection } = this;
    if (projection === 'unlisted' && expected !== person.degree) return;
    const degree =
      projection === 'unlisted'
        ? await countEdges(store, person.id)
        : await (createReader(graph, { store }) as Reader).degree(person.id, FRIEND);
    if (degree !== expected) throw new Error(`${person.id} has ${degree} friends, not ${expected}`);
  }
}

async function countEdges(store: DynamoDBStore, partition: string): Promise<number> {
  const request = { partition, sortKey: { beginsWith: `${FRIEND}-` }, consistent: true, countOnly: true };
  let page = await store.query(request);
  let total = page.count;
  for (; page.lastKey !== undefined; total += page.count)
    page = await store.query({ ...request, startKey: page.lastKey });
  return total;
}

const TITLES: Readonly<Record<Projection, string>> = {
  unlisted: 'edgeSet: false, so that nothing is projected',
  counted: 'edgeSet: false and degree: true, the projection included',
  listed: `in the edge set, the projection included; beyond ${VIEW_BUDGET_BYTES / 1024} KB of view the type is evicted`,
};

function report(keys: Keys, projection: Projection, runs: readonly Measured[]): Report {
  const figures: Figure[] = [];
  const add = (what: string, unit: string, costsOf: (one: Measured) => number[]): void => {
    for (const one of runs) {
      const name = `${what} among ${count(one.degree)}${one.isEvicted ? ', evicted' : ''}`;
      figures.push(figure(name, spread(costsOf(one)), unit));
    }
    // Eviction ends the growth: an exponent across it would hide both parts.
    const points = runs
      .filter(({ isEvicted }) => !isEvicted)
      .map((one) => ({ size: one.degree, value: mean(costsOf(one)) }));
    const target = projection === 'listed' ? undefined : CONSTANT;
    const name = `${what}: growth exponent, to ${count(points.at(-1)?.size ?? 0)}`;
    figures.push(figure(name, growthExponent(points), '', target));
  };
  if (projection === 'unlisted') add('has', 'RCU', (one) => one.has.map(({ rcu }) => rcu));
  add('add or remove', 'WCU', ({ change }) => change.map(({ wcu }) => wcu));
  const reads = runs.flatMap(({ change }) => change.map(({ rcu }) => rcu));
  figures.push(figure('reads of an add or remove', spread(reads), 'RCU'));
  return {
    name: `has, ${keys} keys`,
    title: `one friend of a person with up to ${count(DEGREES.at(-1)!)}; ${TITLES[projection]}`,
    figures,
  };
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function count(number: number): string {
  return number.toLocaleString('en-US');
}
