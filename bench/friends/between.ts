import { startEngine } from '../../packages/local/engine/engine.ts';
import { createClient } from '../../src/store/client.ts';
import type { Random } from '../support/random.ts';
import { median } from '../support/statistics.ts';
import { settle } from './experiment.ts';
import { LAYOUTS } from './layouts/index.ts';
import type { Layout } from './layouts/layout.ts';
import { randomId } from './network.ts';
import { MeteredTable } from './table.ts';

/** What lies between two timed removals. */
export const BETWEEN = ['nothing', 'writes', 'writes, then untimed operations'] as const;

/** The median times of removing a friend from lists of one length. */
export interface BetweenCost {
  layout: string;
  friends: number;
  /** As multiples of the unit, by what lies between. */
  times: Readonly<Record<(typeof BETWEEN)[number], number>>;
}

const LENGTHS = [1, 40, 160];
/** The first rounds warm up the compiler and the connections. Their times are not kept. */
const WARM_UP_ROUNDS = 5;

/**
 * Shows whether writes between timed removals slow the removals down, in layouts with an item for each friend. It times the same
 * removals from the same lists in three ways, in turn: with nothing between two removals; after writes of as many items as the list
 * has friends; and after such writes and untimed operations. The writes go to another list, so the list itself stays as it is.
 *
 * @param unit the milliseconds that count as 1 in the results.
 */
export async function compareBetween(random: Random, rounds: number, unit: number): Promise<BetweenCost[]> {
  const engine = await startEngine();
  const client = createClient({ endpoint: engine.endpoint });
  try {
    const costs: BetweenCost[] = [];
    for (const layout of LAYOUTS.filter(({ itemPer }) => itemPer === 'friend')) {
      const table = new MeteredTable(client, `between-${layout.name}`, layout.key);
      await table.create();
      costs.push(...(await removals(random, rounds, layout, table, unit)));
    }
    return costs;
  } finally {
    client.destroy();
    await engine.stop();
  }
}

async function removals(
  random: Random,
  rounds: number,
  layout: Layout,
  table: MeteredTable,
  unit: number,
): Promise<BetweenCost[]> {
  const other = randomId(random);
  const lists = LENGTHS.map((length) => ({
    user: randomId(random),
    friends: Array.from({ length }, () => randomId(random)),
    times: BETWEEN.map((): number[] => []),
  }));
  for (const { user, friends } of lists) await table.writeMany(layout.items(user, friends), []);
  for (let round = 0; round < rounds + WARM_UP_ROUNDS; round++) {
    for (const { user, friends, times } of lists) {
      for (const [place, between] of BETWEEN.entries()) {
        if (between !== 'nothing') await table.writeMany(layout.items(other, friends), []);
        if (between === 'writes, then untimed operations') await settle(layout, table);
        const friend = friends[round % friends.length]!;
        const { cost } = await table.measure(() => layout.remove(table, user, friend));
        if (round >= WARM_UP_ROUNDS) times[place]!.push(cost.milliseconds);
        await layout.add(table, user, friend);
      }
    }
  }
  return lists.map(({ friends, times }) => ({
    layout: layout.name,
    friends: friends.length,
    times: Object.fromEntries(
      BETWEEN.map((between, place) => [between, median(times[place]!) / unit]),
    ) as BetweenCost['times'],
  }));
}
