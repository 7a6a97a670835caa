import { describe, expect, it } from 'vitest';
import { keptFor } from '../simulator/kernel/kept.ts';
import { Runner } from '../simulator/kernel/runner.ts';
import { DIRECTED } from '../simulator/packs/evolution/directed.ts';
import { EVOLUTION_MUTANTS } from '../simulator/packs/evolution/planted.ts';
import { PACK, runEvolution } from '../simulator/packs/evolution/schedule.ts';
import { isOfRun, isPart, plantedBugs, rare, runs, seeds } from '../support/extent.ts';
import { rightSchedules } from '../support/right-schedules.ts';
import { isFound, type Search } from '../support/shown.ts';
import { SIZES } from '../support/sizes.ts';

/**
 * The promise of model changes: with consumers, tools and readers of three models side by side, and migrations that crash
 * and meet, each answer is the right one of the reader's own model, or says that it is not ready. Longer runs:
 * `npm run simulate -- evolution --runs N --seed S`.
 */

const SCHEDULES = seeds(SIZES.evolution);
/** Those of which no schedule is kept. */
const DRAWN = EVOLUTION_MUTANTS.filter(({ name }) => keptFor('evolution', name) === undefined);
const SEARCH: Search = { pack: 'evolution', schedules: 250, hasWritten: true };

/** What schedules have to be full of, or passing them says nothing; each in one of a hundred schedules or more. */
const HAPPENS = [
  'right answers',
  'answers that say not ready',
  'lists that two models have read',
  'totals that were read',
  'native lists that were read',
  'writes of parts',
  'readers that begin when something is ready',
  'quiet',
  'step add-index',
  'step delete of an index',
  'step backfill',
  'step replace-views',
  'step delete',
  'step retire',
  'step doubt',
  'migrate crashed',
  'batches given up',
  'batches redriven',
  'batches that come again',
  'batches that wait for code',
  'zombies',
  'faults',
  'checks that report ended',
  'checks that repair ended',
  'checks that rebuild ended',
  'retired items planted',
  'retired items that checks found',
  'evictions',
  'records of fan-outs',
  'accident: restore',
  'accident: new stream',
  'accident: registry deleted',
  'accident: two days',
  'observed: claims',
  'observed: claims while a model changes',
  'observed: wrong items under a claim',
  'observed: became ready',
  'observed: alarms',
  'observed: bases',
  'observed: restarts',
  'observed: lanes that stand still',
  'observed: strays of what is ready',
  'observed: strays of what is unknown',
  'observed: drift alarms of kind unregistered',
  'observed: drift alarms of kind retired',
  'observed: drift alarms of kind fields',
  'observed: damaged items',
  'observed: last words with drift',
];

/** A change of what schedules draw makes ordinary seeds of these. */
const RARE: readonly [seed: number, what: string][] = [
  [20_212, 'the check that is the base met a generation while it was built, and a stray behind the build'],
  [30_380, 'the same, with a build of many workers'],
  [31_205, 'one of two migrations side by side was done before a restore, the other ended by it'],
  [80_578, 'a stalled consumer wrote a view of the shape before'],
  [96_097, 'a type without a shape got one while the observer judged what it had seen of its views'],
];

describe('reads under changes of the model', () => {
  it(`are right or not ready in ${SCHEDULES.count} schedules, in which everything happens`, async () => {
    const counters = await rightSchedules('evolution', SCHEDULES);
    expect(rare(HAPPENS, counters, SCHEDULES.count, 0.01)).toEqual([]);
  }, 3_600_000);

  it.each(RARE.filter((_, place) => isOfRun(place, RARE.length)))(
    'are right or not ready in schedule %i: %s',
    async (seed) => {
      expect((await runEvolution(seed)).failures).toEqual([]);
    },
  );

  it('come out the same when their schedule is run again', async () => {
    // Calls fail in some of them, so that they are made again after a pause that is drawn.
    let faults = 0;
    // The first of them are short: two of the seeds 1 to 45 that take least time with faults.
    for (const seed of [13, 44, 41, 1, 2, 3, 4, 5].slice(0, runs(SIZES.repeated))) {
      const first = await tracedRun(seed);
      faults += first.counters['faults'] ?? 0;
      expect(await tracedRun(seed)).toEqual(first);
    }
    expect(faults).toBeGreaterThan(0);
  });

  it('can do without parts of what happens in them', async () => {
    const whole = await runEvolution(1);
    const without = whole.happened.filter((name) => name.startsWith('write ') || name.startsWith('step '));
    const rest = await runEvolution(1, { without });
    expect(without.length).toBeGreaterThan(3);
    expect(rest.happened.filter((name) => without.includes(name))).toEqual([]);
    expect(rest.failures).toEqual([]);
  });
});

describe.skipIf(isPart)('a schedule that fails', () => {
  it('is made shorter, and shows the same when it is kept and run again', async () => {
    const mutant = EVOLUTION_MUTANTS.find(({ name }) => name === 'evolution-ready-unbuilt')!;
    const runner = await Runner.load(mutant);
    const { seeds } = await runner.runSeeds({
      first: 1,
      count: SEARCH.schedules,
      mostFailures: 1,
      pack: 'evolution',
    });
    const short = await runner.shorten('evolution', seeds[0]!.seed);
    const kinds = new Set(seeds[0]!.failures.map(({ kind }) => kind));
    expect(short.failures.some(({ kind }) => kinds.has(kind))).toBe(true);
    expect(short.left.length).toBeLessThan(short.kept.without!.length);
    expect(short.trace.join('\n')).toContain('migrate');
    expect(await runner.play('evolution', short.kept)).toEqual(short.failures);
    expect((await PACK.play!(short.kept)).failures).toEqual([]);
  });
});

describe('schedules of model changes that are written down', () => {
  it.each(Object.entries(DIRECTED))('give no wrong answer: %s', async (_name, play) => {
    expect(await play()).toEqual([]);
  });
});

describe('bugs that are planted in the rules of model changes', () => {
  it.skipIf(isPart).each(plantedBugs(DRAWN))('$name is found: $rule', async (mutant) => {
    expect(await isFound(mutant, SEARCH)).toBe(true);
  });
});

async function tracedRun(seed: number): Promise<Awaited<ReturnType<typeof runEvolution>> & { trace: string[] }> {
  const trace: string[] = [];
  return { ...(await runEvolution(seed, { log: (line) => trace.push(line) })), trace };
}
