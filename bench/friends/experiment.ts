import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { startEngine } from '../../packages/local/engine/engine.ts';
import type { Item } from '../../src/core/items/attribute-value.ts';
import { createClient } from '../../src/store/client.ts';
import { type Random, seededRandom } from '../support/random.ts';
import { LAYOUTS } from './layouts/index.ts';
import { type Layout, OPERATIONS, type Operation } from './layouts/layout.ts';
import { drawn, type Network, randomNetwork } from './network.ts';
import { type Step, stepsOf } from './steps.ts';
import { type Cost, MeteredTable } from './table.ts';

export interface ExperimentOptions {
  sizes: readonly number[];
  operations: number;
  seed: number;
}

export interface Sample extends Cost {
  layout: string;
  operation: Operation;
  size: number;
  friends: number;
}

/** Unmeasured, to warm up the compiler and the connections. */
const WARM_UP_SIZE = 20;
const WARM_UP_OPERATIONS = 100;
const BYSTANDER = 'USER-bystander';
const BYSTANDERS_FRIEND = 'USER-bystanders-friend';

interface Trial {
  network: Network;
  steps: Readonly<Record<Operation, readonly Step[]>>;
  subjects: readonly Subject[];
}

/**
 * Runs the same operations on the same random networks with every layout, on the embedded engine. Throws if an answer
 * is wrong. Layouts take turns and users come in random order, so that a machine that slows down doesn't look like
 * growth.
 */
export async function runExperiment({ sizes, operations, seed }: ExperimentOptions): Promise<Sample[]> {
  const random = seededRandom(seed);
  await runNetworks(random, [WARM_UP_SIZE], Math.min(operations, WARM_UP_OPERATIONS));
  return runNetworks(random, sizes, operations);
}

async function runNetworks(random: Random, sizes: readonly number[], operations: number): Promise<Sample[]> {
  const engine = await startEngine();
  const client = createClient({ endpoint: engine.endpoint });
  try {
    const trials = sizes.map((size) => trial(random, client, size, operations));
    for (const { subjects } of trials) for (const { table } of subjects) await table.create();
    const samples: Sample[] = [];
    for (const operation of OPERATIONS) {
      const visits = trials.flatMap(({ network, ...rest }) =>
        [...network.friends.keys()].map((user) => ({ network, ...rest, user })),
      );
      for (const { network, subjects, steps, user } of drawn(random, visits, visits.length)) {
        for (const step of steps[operation].filter((each) => each.user === user)) {
          samples.push(...(await timed(operation, network, subjects, step, samples.length)));
        }
        // Complete the list, because checks need the full network.
        if (operation === 'add') {
          await Promise.all(subjects.map((subject) => subject.prepare(user, network.friends.get(user)!)));
        }
      }
    }
    return samples;
  } finally {
    client.destroy();
    await engine.stop();
  }
}

function trial(random: Random, client: DynamoDBClient, size: number, operations: number): Trial {
  const network = randomNetwork(random, size);
  const [add, check, list, remove] = OPERATIONS.map((operation) => stepsOf(operation, random, network, operations));
  const subjects = LAYOUTS.map(
    (layout) => new Subject(layout, new MeteredTable(client, `friends-${layout.name}-${size}`, layout.key)),
  );
  return { network, steps: { add: add!, check: check!, list: list!, remove: remove! }, subjects };
}

/** `turn` decides which layout goes first. */
async function timed(
  operation: Operation,
  { size }: Network,
  subjects: readonly Subject[],
  step: Step,
  turn: number,
): Promise<Sample[]> {
  const wrote = await Promise.all(subjects.map((subject) => subject.prepare(step.user, step.before)));
  if (wrote.includes(true)) await Promise.all(subjects.map(({ layout, table }) => settle(layout, table)));
  const samples: Sample[] = [];
  for (const subject of rotated(subjects, turn / subjects.length)) {
    const cost = await subject.run(operation, step);
    samples.push({ layout: subject.layout.name, operation, size, friends: step.before.length, ...cost });
  }
  return samples;
}

class Subject {
  private readonly stored = new Map<string, readonly string[]>();

  constructor(
    readonly layout: Layout,
    readonly table: MeteredTable,
  ) {}

  async prepare(user: string, list: readonly string[]): Promise<boolean> {
    const stored = this.stored.get(user) ?? [];
    if (stored === list) return false;
    this.stored.set(user, list);
    const expected = new Set(list);
    const present = new Set(stored);
    const added = list.filter((friend) => !present.has(friend));
    const dropped = stored.filter((friend) => !expected.has(friend));
    if (added.length === 0 && dropped.length === 0) return false;
    const { layout, table } = this;
    const itemsOf = (friends: readonly string[]): Item[] => (friends.length === 0 ? [] : layout.items(user, friends));
    const [puts, deletes] = layout.itemPer === 'friend' ? [added, dropped] : [list, list.length === 0 ? stored : []];
    await table.writeMany(
      itemsOf(puts),
      itemsOf(deletes).map((item) => table.keyOf(item)),
    );
    return true;
  }

  async run(operation: Operation, { user, friend, before, isFriend }: Step): Promise<Cost> {
    const { layout, table } = this;
    if (operation === 'check') {
      const { value, cost } = await table.measure(() => layout.has(table, user, friend));
      if (value !== isFriend)
        throw new Error(`The layout ${layout.name} says ${value} where it should be ${isFriend}.`);
      return cost;
    }
    if (operation === 'list') {
      const { value, cost } = await table.measure(() => layout.list(table, user));
      if (!isSameList(value, before))
        throw new Error(`The layout ${layout.name} lists other friends than it was given.`);
      return cost;
    }
    const { cost } = await table.measure(() => layout[operation](table, user, friend));
    this.stored.set(user, operation === 'add' ? [...before, friend] : before.filter((other) => other !== friend));
    return cost;
  }
}

/**
 * Runs untimed operations on an empty list. Otherwise, the first timed operation would pay for the aftereffects of the
 * preparing writes, and seem to grow with the list.
 */
async function settle(layout: Layout, table: MeteredTable): Promise<void> {
  await layout.add(table, BYSTANDER, BYSTANDERS_FRIEND);
  await layout.has(table, BYSTANDER, BYSTANDERS_FRIEND);
  await layout.remove(table, BYSTANDER, BYSTANDERS_FRIEND);
}

function isSameList(found: readonly string[], expected: readonly string[]): boolean {
  const known = new Set(expected);
  return found.length === expected.length && new Set(found).size === found.length && found.every((id) => known.has(id));
}

/** The layout that goes first in one step goes last in the next. */
function rotated<T>(values: readonly T[], by: number): T[] {
  const start = by % values.length;
  return [...values.slice(start), ...values.slice(0, start)];
}
