import { describe, expect, it } from 'vitest';
import type { PackName } from '../simulator/kernel/packs.ts';
import { ENDED_MUTANTS } from '../simulator/packs/ended/planted.ts';
import { DIRECTED as LEVEL_DIRECTED } from '../simulator/packs/level/directed.ts';
import { LEVEL_MUTANTS } from '../simulator/packs/level/planted.ts';
import { NATIVE_MUTANTS } from '../simulator/packs/native/planted.ts';
import { VERIFY_MUTANTS } from '../simulator/packs/observer/planted.ts';
import { DIRECTED as SOURCES_DIRECTED } from '../simulator/packs/sources/directed.ts';
import { SOURCES_MUTANTS } from '../simulator/packs/sources/planted.ts';
import { UPDATE_MUTANTS, WALK_MUTANTS } from '../simulator/packs/updates/planted.ts';
import { WATCH_MUTANTS } from '../simulator/packs/watch/planted.ts';
import type { Mutant } from '../simulator/planted/mutant.ts';
import { isPart, plantedBugs, rare, seeds } from '../support/extent.ts';
import { rightSchedules } from '../support/right-schedules.ts';
import { isFound } from '../support/shown.ts';
import { SIZES } from '../support/sizes.ts';

/** Packs of schedules whose promise is tested in one way. `npm run simulate -- PACK --runs 20000` runs more of one. */

interface Promised {
  /** What holds in every schedule. */
  promise: string;
  /** What schedules have to be full of, or passing them says nothing. */
  happens?: readonly string[];
  /** The least share of the schedules in which each of it happens. Default: it happens. */
  share?: number;
  /** Schedules that are written down. */
  directed?: Readonly<Record<string, () => Promise<readonly string[]>>>;
  /** Bugs, each of which one of so many schedules shows. */
  bugs: readonly Mutant[];
  search?: number;
}

const PROMISED = {
  level: {
    promise: 'each derived item is as base items want it, whoever sleeps, dies or comes again',
    happens: ['~ix', '~view', '~view evicted', '~quarantine', '~total', '~rev', 'tombstones ~more', 'expiries'],
    directed: LEVEL_DIRECTED,
    ...{ bugs: LEVEL_MUTANTS, search: 4_000 },
  },
  verify: {
    promise:
      'what the observer of a plain table claims is so, what it calls drift is drift, and its time goes on when all is calm',
    happens: ['writes', 'damages', 'splits', 'restarts', 'bases', 'claims', 'alarms', 'last words with drift'],
    share: 0.05,
    ...{ bugs: VERIFY_MUTANTS, search: 400 },
  },
  sources: {
    promise: 'sources make in the end what the mapping makes, their check says so, and a walk mends what is broken',
    happens: [
      ...['map', 'back', 'failover', 'lost', 'touches again', 'sleepers', 'crashes', 'conflicts', 'damaged'],
      ...['lost answers', 'retired'],
    ],
    share: 0.1,
    directed: SOURCES_DIRECTED,
    ...{ bugs: SOURCES_MUTANTS, search: 3_000 },
  },
  watch: {
    promise: 'a list that has taken all events is, at rest, what a read of it gives',
    happens: [
      ...['lists with rows', 'watched: enter', 'watched: leave', 'watched: change', 'feeds'],
      'watchers that began anew',
    ],
    share: 0.025,
    ...{ bugs: WATCH_MUTANTS, search: 2_000 },
  },
  native: {
    promise: 'native lists give each item that is expected once, in the order of their values, and own writes at once',
    ...{ bugs: NATIVE_MUTANTS, search: 2_000 },
  },
  walks: {
    promise: 'walks over pages with a session show each own write once, in its place, while projector and index lag',
    ...{ bugs: WALK_MUTANTS, search: 4_000 },
  },
  updates: {
    promise: 'writers of every kind on the same items lose no value of another and make no change twice',
    ...{ bugs: UPDATE_MUTANTS, search: 4_000 },
  },
  ended: {
    promise: 'edges are deleted when they are over, and never before, and their counts follow',
    ...{ bugs: ENDED_MUTANTS, search: 1_000 },
  },
  rebuilds: {
    promise:
      'batches of two models and a rebuild without a registry leave every derived item as the new model wants it',
    bugs: [],
  },
} satisfies Partial<Record<PackName, Promised>>;

describe.each(Object.entries(PROMISED))('the pack %s', (name, promised) => {
  const pack = name as keyof typeof PROMISED;
  const { promise, happens = [], share, directed = {}, bugs, search = 0 }: Promised = promised;
  const drawn = seeds(SIZES[pack]);

  it(`shows in ${drawn.count} schedules that ${promise}`, async () => {
    const counters = await rightSchedules(pack, drawn);
    const missed =
      share === undefined ? happens.filter((one) => !counters[one]) : rare(happens, counters, drawn.count, share);
    expect(missed).toEqual([]);
  }, 3_600_000);

  it.each(Object.entries(directed))('shows it in a schedule that is written down: %s', async (_name, play) => {
    expect(await play()).toEqual([]);
  });

  it.skipIf(isPart).each(plantedBugs(bugs))('finds a planted bug: $name ($rule)', async (mutant) => {
    const hasWritten = Object.keys(directed).length > 0;
    expect(await isFound(mutant, { pack, schedules: search, hasWritten })).toBe(true);
  });
});
