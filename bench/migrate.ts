import { createReader } from '../src/client/read/reader.ts';
import { EdgeloomError } from '../src/foundation/errors.ts';
import { sleep } from '../src/foundation/runtime.ts';
import { migrate as migrateTable } from '../src/migrate/migrate.ts';
import type { MigrateStep } from '../src/migrate/migrate-types.ts';
import { registryLeases } from '../src/registry/reader-lease.ts';
import type { DynamoDBStore } from '../src/store/dynamodb.ts';
import { MeteredStore } from '../src/store/metered.ts';
import { serverTime } from '../src/store/table-description.ts';
import { decodeRecords } from '../src/stream/decode.ts';
import { writeUnits } from './support/bound.ts';
import type { BenchmarkOptions } from './support/command.ts';
import { derivedItems } from './support/derived.ts';
import { sizeOf } from './support/extent.ts';
import type { Item } from './support/images.ts';
import { type ManagedState, managed } from './support/managed.ts';
import { type Person, peopleModel, personId, personImage, personRecord } from './support/people.ts';
import { memoryTable, projecting } from './support/projecting.ts';
import { atMost, type Figure, figure, type Report, varying } from './support/report.ts';
import { scanTable, withFreshTable } from './support/table.ts';

/**
 * Doubles the shards of a search during writes and reads. Measures the capacity against the bound (each new index item
 * is written once, each old one deleted once), and counts wrong answers. Leases last as long as those of a deployed
 * table.
 */

const NODES = sizeOf({ whole: 2_000, short: 100 });
/** Factor for each wait. The short run judges no answers, so its leases may end early. */
const WAITED = sizeOf({ whole: 1, short: 0.05 });
const WRITES_PER_SECOND = 30;
const READ_PAUSE_MS = 10;
const MOST_OVER_BOUND = 1.1;
/** Share by which the migration's writes vary, because producers write some of its items. */
const BY_TRAFFIC = 0.1;
const CHANGES = 500;

const before = peopleModel(4);
const after = peopleModel(8);

export async function migrate({ nodes = NODES }: BenchmarkOptions): Promise<Report[]> {
  return [await whileMigrating(nodes), await whileTwoAreKept()];
}

interface Answers {
  right: number;
  notReady: number;
  wrong: number;
}

async function whileMigrating(nodes: number): Promise<Report> {
  const people = Array.from(
    { length: nodes },
    (_, i): Person => ({ name: `name ${i}`, city: `city ${i % 50}`, change: 1 }),
  );
  const base = people.map((person, i) => personImage(i, person));
  const { graph, store: registry } = await managed(before, 'registered');
  const items = [...registry.items(), ...base, ...derivedItems(graph, base)];
  return await withFreshTable(before, items, async ({ client, store }) => {
    const traffic = new Traffic(store, people);
    const steps: MigrateStep[] = [];
    const old = await scanTable(client, before);
    const running = traffic.run();
    const { done } = await migrateTable(after, {
      ...{ store: new MeteredStore(store, {}), serverTime: () => serverTime(after, { client }) },
      // The consumers run in this process, so no write is late.
      lateWritesMs: 0,
      wait: (milliseconds) => sleep(milliseconds * WAITED),
      onStep: (step) => steps.push(step),
    });
    traffic.isOver = true;
    await running;
    if (!done) throw new Error('the migration did not come to its end');
    const bound = boundOf(old, await scanTable(client, after));
    return migrationReport(nodes, steps, bound, traffic);
  });
}

function boundOf(old: ReadonlyMap<string, Item>, current: ReadonlyMap<string, Item>): number {
  let units = 0;
  for (const [key, item] of current)
    if (isIndexItem(key) && !old.has(key)) units += writeUnits(undefined, item, ['gsi0']);
  for (const [key, item] of old)
    if (isIndexItem(key) && !current.has(key)) units += writeUnits(item, undefined, ['gsi0']);
  return units;
}

function isIndexItem(key: string): boolean {
  return key.includes(' ~ix/');
}

function migrationReport(nodes: number, steps: readonly MigrateStep[], bound: number, traffic: Traffic): Report {
  const sum = (value: (step: MigrateStep) => number, isMeant = (_: MigrateStep) => true): number =>
    steps.filter(isMeant).reduce((total, step) => total + value(step), 0);
  const wcu = sum((step) => step.wcu);
  const secondsOf = (...kinds: string[]): number =>
    sum(
      ({ seconds }) => seconds,
      ({ step }) => kinds.includes(step),
    );
  const { right, notReady, wrong } = traffic.answers;
  const seconds = sum((step) => step.seconds);
  const figures: Figure[] = [
    figure('write capacity, lower bound', bound, 'WCU'),
    varying(BY_TRAFFIC, figure('write capacity', wcu, 'WCU')),
    varying(BY_TRAFFIC, figure('write capacity over the lower bound', wcu / bound, 'x', atMost(MOST_OVER_BOUND))),
    varying(
      BY_TRAFFIC,
      figure(
        'read capacity',
        sum((step) => step.rcu),
        'RCU',
      ),
    ),
    figure('all of it', seconds, 's'),
    figure('backfill and verification', secondsOf('backfill'), 's'),
    figure('the wait for readers', secondsOf('wait'), 's'),
    figure('deleting the old items', secondsOf('delete'), 's'),
    varying(true, figure('writes of producers meanwhile', traffic.writes, 'writes')),
    figure('writes of producers a second', traffic.writes / traffic.seconds, 'writes/s'),
    varying(true, figure('answers of the old and the new model, right', right, 'answers')),
    figure('answers, not ready', notReady, 'answers', atMost(0)),
    figure('answers, wrong', wrong, 'answers', atMost(0)),
  ];
  const title = `4 shards of a search become 8: ${nodes.toLocaleString('en-US')} nodes, on the embedded engine, under traffic`;
  return { name: 'migrate', title, figures };
}

/** Producers rename people, while consumers and readers use both models. */
class Traffic {
  isOver = false;
  writes = 0;
  seconds = 0;
  readonly answers: Answers = { right: 0, notReady: 0, wrong: 0 };
  private readonly busy = new Set<number>();
  private readonly projectors: readonly ReturnType<typeof projecting>[];

  constructor(
    private readonly store: DynamoDBStore,
    private readonly people: Person[],
  ) {
    this.projectors = [before, after].map((graph) => projecting(graph, { store }));
  }

  async run(): Promise<void> {
    const start = performance.now();
    const reading = [before, after].map((graph) => this.read(graph));
    const writing: Promise<void>[] = [];
    for (let i = 0; !this.isOver; i++) {
      writing.push(this.rename(i));
      const dueMs = start + ((i + 1) * 1000) / WRITES_PER_SECOND;
      await sleep(Math.max(0, dueMs - performance.now()));
    }
    await Promise.all([...reading, ...writing]);
    this.seconds = (performance.now() - start) / 1000;
  }

  private async rename(turn: number): Promise<void> {
    const i = Math.floor(Math.random() * this.people.length);
    if (this.busy.has(i)) return;
    this.busy.add(i);
    const old = this.people[i]!;
    const person = { ...old, name: `name ${i} ${turn}`, change: old.change + 1 };
    await this.store.put(personImage(i, person));
    this.people[i] = person;
    const records = decodeRecords(before, [personRecord(i, old, person, Date.now())]);
    await this.projectors[turn % 2]!(records);
    this.writes += 1;
    this.busy.delete(i);
  }

  private async read(graph: typeof before): Promise<void> {
    const reader = createReader(graph, { store: this.store, leases: registryLeases(graph, this.store) });
    while (!this.isOver) {
      const i = Math.floor(Math.random() * this.people.length);
      const person = this.people[i]!;
      const wasBusy = this.busy.has(i);
      try {
        const { items } = await reader.search('PERSON.name').equals(person.name);
        const isTrue = items.every(({ id, value }) => id === personId(i) && value === person.name);
        // A search may miss a person whose name is changing, or find the person twice.
        const isSteady = !wasBusy && !this.busy.has(i) && this.people[i] === person;
        this.answers[isTrue && (!isSteady || items.length === 1) ? 'right' : 'wrong'] += 1;
      } catch (error) {
        if (!(error instanceof EdgeloomError) || error.code !== 'projection-not-ready') throw error;
        this.answers.notReady += 1;
      }
      await sleep(READ_PAUSE_MS);
    }
  }
}

async function whileTwoAreKept(): Promise<Report> {
  const figures: Figure[] = [];
  for (const [what, change] of [
    ['a name', (person: Person) => ({ ...person, name: `${person.name} b` })],
    ['a city', (person: Person) => ({ ...person, city: `${person.city} b` })],
  ] as const) {
    const one = await unitsOf('registered', change);
    const two = await unitsOf({ second: 'search:PERSON.name', sinceMs: 0 }, change);
    const young = await unitsOf({ second: 'search:PERSON.name', sinceMs: Date.now() }, change);
    figures.push(figure(`a change of ${what}, one generation`, one.wcu, 'WCU'));
    figures.push(figure(`a change of ${what}, two generations of the search by name`, two.wcu, 'WCU'));
    figures.push(figure(`a change of ${what}, two, in the first five minutes: reads`, young.rcu, 'RCU'));
  }
  figures.find(({ name }) => name.startsWith('a change of a city, two generations'))!.target = atMost(
    figures.find(({ name }) => name.startsWith('a change of a city, one'))!.value as number,
  );
  return { name: 'migrate-two', title: 'derived capacity of a change while two generations are kept', figures };
}

async function unitsOf(state: ManagedState, change: (person: Person) => Person): Promise<{ wcu: number; rcu: number }> {
  const { graph, store: registry } = await managed(before, state);
  const people = Array.from({ length: CHANGES }, (_, i): Person => ({ name: `name ${i}`, city: 'city', change: 1 }));
  const base = people.map((person, i) => personImage(i, person));
  const store = await memoryTable(
    { table: before.table, indexes: ['gsi0'] },
    registry.items(),
    derivedItems(graph, base),
  );
  const changed = people.map(change);
  for (const [i, person] of changed.entries()) await store.put(personImage(i, person));
  const raw = changed.map((person, i) => personRecord(i, people[i]!, person, Date.now()));
  const result = await projecting(before, { store })(decodeRecords(before, raw));
  return { wcu: result.wcu / CHANGES, rcu: (result.rcu - 1) / CHANGES };
}
