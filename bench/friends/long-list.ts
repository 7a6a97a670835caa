import { startEngine } from '../../packages/local/engine/engine.ts';
import { ITEM_BYTES } from '../../src/client/write/checks/base-item.ts';
import { itemSizeBytes } from '../../src/core/items/attribute-value.ts';
import { createClient } from '../../src/store/client.ts';
import { type Random, seededRandom } from '../support/random.ts';
import { isSameList, type Sample } from './experiment.ts';
import type { KeyHash } from './layouts/hash.ts';
import { layoutsWith } from './layouts/index.ts';
import type { Layout, Operation } from './layouts/layout.ts';
import { randomId } from './network.ts';
import { type Cost, MeteredTable } from './table.ts';

/** What the run on one list is to do. */
export interface LongListOptions {
  /** Friends of the longest list. */
  longest: number;
  /** Timed operations of each length, layout and kind. */
  operations: number;
  seed: number;
  /** The hash of the layout `hash`. */
  hash: KeyHash;
  /** Told after each length. */
  onProgress?: (done: number, total: number) => void;
}

/** The samples, and which layouts stopped at which length, because an item ends at 400 KB. */
export interface LongListRun {
  samples: Sample[];
  stopped: { layout: string; friends: number }[];
}

/** Listings of one length: a long list takes seconds. */
const LISTINGS = 3;
/** This length warms up compiler and connections; nothing of it is kept. */
const WARM_UP_FRIENDS = 10;
/** Friends handed to the table at once. */
const CHUNK = 5_000;

/**
 * The same operations on one user's list that grows, 10, 30, 100, 300 and so on, up to `longest`. Between two timed operations nothing
 * is written: a friend is added, checked and removed again, so that the list stays as long as it is. A layout whose item
 * would pass 400 KB stops, the others go on. Throws where a layout gives a wrong answer.
 */
export async function runLongList(options: LongListOptions): Promise<LongListRun> {
  const { longest, seed, hash, onProgress } = options;
  const random = seededRandom(seed);
  const engine = await startEngine();
  const client = createClient({ endpoint: engine.endpoint });
  try {
    const user = randomId(random);
    let subjects = layoutsWith(hash).map((layout) => ({
      layout,
      table: new MeteredTable(client, `long-${layout.name}`, layout.key),
    }));
    for (const { table } of subjects) await table.create();
    const run: LongListRun = { samples: [], stopped: [] };
    const friends: string[] = [];
    const lengths = lengthsUpTo(longest);
    for (const [place, length] of [WARM_UP_FRIENDS, ...lengths].entries()) {
      const added = Array.from({ length: length - friends.length }, () => randomId(random));
      for (const friend of added) friends.push(friend);
      const full = subjects.filter(({ layout }) => !fits(layout, user, friends));
      run.stopped.push(...full.map(({ layout }) => ({ layout: layout.name, friends: length })));
      subjects = subjects.filter((subject) => !full.includes(subject));
      for (const { layout, table } of subjects) await extend(layout, table, user, friends, added);
      const samples = await atLength(random, subjects, user, friends, options.operations);
      if (place > 0) for (const sample of samples) run.samples.push(sample);
      onProgress?.(place, lengths.length);
    }
    return run;
  } finally {
    client.destroy();
    await engine.stop();
  }
}

/** 10, 30, 100, 300 and so on below `longest`, and `longest`. */
export function lengthsUpTo(longest: number): number[] {
  const lengths: number[] = [];
  for (let power = 10; power < longest; power *= 10) lengths.push(power, 3 * power);
  return [...lengths.filter((length) => length < longest), longest];
}

/** A layout with its table. */
interface Subject {
  layout: Layout;
  table: MeteredTable;
}

/** Whether a list with one friend more can be stored. */
function fits(layout: Layout, user: string, friends: readonly string[]): boolean {
  if (layout.itemPer === 'friend') return true;
  return itemSizeBytes(layout.items(user, [...friends, user])[0]!) <= ITEM_BYTES;
}

async function extend(
  layout: Layout,
  table: MeteredTable,
  user: string,
  friends: readonly string[],
  added: readonly string[],
): Promise<void> {
  if (layout.itemPer === 'user') return table.writeMany(layout.items(user, friends), []);
  for (let start = 0; start < added.length; start += CHUNK)
    await table.writeMany(layout.items(user, added.slice(start, start + CHUNK)), []);
}

/** All operations on a list of one length; layouts take turns, and the first of a turn is another each time. */
async function atLength(
  random: Random,
  subjects: readonly Subject[],
  user: string,
  friends: readonly string[],
  operations: number,
): Promise<Sample[]> {
  const samples: Sample[] = [];
  for (let turn = 0; turn < operations; turn++) {
    const stranger = randomId(random);
    const friend = friends[random.below(friends.length)]!;
    for (const place of subjects.keys()) {
      const { layout, table } = subjects[(place + turn) % subjects.length]!;
      const keep = (operation: Operation, cost: Cost, more: number): void => {
        samples.push({ layout: layout.name, operation, size: friends.length, friends: friends.length + more, ...cost });
      };
      // Every second check asks for a friend, the others for somebody else.
      const isFriend = turn % 2 === 0;
      const check = await table.measure(() => layout.has(table, user, isFriend ? friend : stranger));
      if (check.value !== isFriend) throw new Error(`The layout ${layout.name} says ${check.value} of a friend.`);
      keep('check', check.cost, 0);
      keep('add', (await table.measure(() => layout.add(table, user, stranger))).cost, 0);
      keep('remove', (await table.measure(() => layout.remove(table, user, stranger))).cost, 1);
      if (turn >= LISTINGS) continue;
      const list = await table.measure(() => layout.list(table, user));
      if (!isSameList(list.value, friends)) throw new Error(`The layout ${layout.name} lists other friends.`);
      keep('list', list.cost, 0);
    }
  }
  return samples;
}
