import { describe, expect, it } from 'vitest';
import { SCOPE_MUTANTS } from '../simulator/exhaustive/planted.ts';
import { ProjectingPlay, type ProjectingScope } from '../simulator/exhaustive/projecting.ts';
import { SCOPES, scopeOf } from '../simulator/exhaustive/scopes.ts';
import { rowOf, statedRows } from '../simulator/exhaustive/table.ts';
import { type Exhausted, type Play, walkAll } from '../simulator/exhaustive/walk.ts';
import { Runner } from '../simulator/kernel/runner.ts';
import { isOfRun, isPart, isWhole, plantedBugs } from '../support/extent.ts';

/**
 * Every schedule of a small scope, not a draw of them: whatever order the steps come in, derived items are in the end what the base
 * items say. `test/simulator/SCOPES.md` states how many schedules there are.
 */

const EDGE = { source: 'GOAL-1', target: 'MEMBER-USER-1' };

/** Scopes that `npm test` walks; `npm run test:rest` walks a quarter of the others, too. */
const SMALL: readonly string[] = ['counted', 'total-repaired'];
/** Scopes of more than 50,000 states, which `npm run test:all` alone walks. */
const LARGE: readonly string[] = ['two-writes', 'three-writes', 'two-shards', 'search-added', 'search-resharded'];

const WALKED = SCOPES.filter(
  ({ name }, place) => SMALL.includes(name) || isWhole || (!isPart && !LARGE.includes(name) && isOfRun(place, 1)),
);

describe('all schedules of a small scope', () => {
  it.each(WALKED)('$name: each ends right, and there are as many as stated', async (scope) => {
    const exhausted = await walkAll(scope.begin);
    expect(exhausted.first).toBeUndefined();
    expect(exhausted.wrong).toBe(0n);
    // `npm run simulate -- projecting --exhaustive all` writes the rows.
    expect(statedRows()).toContain(rowOf(scope, exhausted));
  });

  it('are stated of each scope, and of no other', () => {
    const names = statedRows().map((row) => row.split('`')[1]);
    expect(names).toEqual(SCOPES.map(({ name }) => name));
  });

  it.skipIf(isPart).each(plantedBugs(SCOPE_MUTANTS))('find $name', async (mutant) => {
    const runner = await Runner.load(mutant);
    const { first } = await runner.walkScope(mutant.scope, { stopsAtWrong: true });
    expect(first?.differences.length).toBeGreaterThan(0);
  });
});

describe.skipIf(isPart)('what is left out', () => {
  const scope: ProjectingScope = {
    producers: [[{ ...EDGE, put: { role: 'LEAD' } }]],
    accidents: { duplicates: 1, crashes: 1 },
  };

  it('are schedules alone: every end is met', async () => {
    const whole = await ends(scope);
    const pruned = await ends({ ...scope, isPruned: true });
    expect([...pruned.states].sort()).toEqual([...whole.states].sort());
    expect(pruned.exhausted.schedules).toBeLessThan(whole.exhausted.schedules);
  });
});

describe('the walk', () => {
  it('counts each order of steps once, and each state once', async () => {
    // Two producers with three and two steps: 5! / (3! 2!) orders, 4 x 3 states.
    const exhausted = await walkAll(async () => grid(3, 2));
    expect(exhausted).toMatchObject({ schedules: 10n, wrong: 0n, states: 12, ends: 1, longest: 5 });
  });

  it('counts the schedules that end wrong, and gives the first', async () => {
    const exhausted = await walkAll(async () => grid(2, 2, true));
    expect(exhausted).toMatchObject({ schedules: 6n, wrong: 4n, first: { differences: ['crossed'] } });
    expect(exhausted.first?.steps).toHaveLength(4);
  });

  it('stops at the first that ends wrong, if asked', async () => {
    const { runs } = await walkAll(async () => grid(2, 2, true), { stopsAtWrong: true });
    expect(runs).toBeLessThan((await walkAll(async () => grid(2, 2, true))).runs);
  });

  it('names a scope that there is not', () => {
    expect(() => scopeOf('none')).toThrow('There is no scope none. There are: two-writes, ');
  });
});

/** Walks a scope; gives the states at the ends of its schedules. */
async function ends(scope: ProjectingScope): Promise<{ states: Set<string>; exhausted: Exhausted }> {
  const states = new Set<string>();
  const exhausted = await walkAll(async (numbering) => {
    const play = await ProjectingPlay.begin(scope, numbering);
    const judge = () => {
      states.add(play.items().join('\n'));
      return play.judge();
    };
    return { steps: () => play.steps(), state: () => play.state(), judge };
  });
  return { states, exhausted };
}

/** Two counters that rise in any order; `crossed` is wrong: both were 1 at the same time. */
function grid(width: number, height: number, isCrossingWrong = false): Play {
  const most = [width, height];
  const at = [0, 0];
  let isCrossed = false;
  return {
    steps: () =>
      [0, 1]
        .filter((i) => at[i]! < most[i]!)
        .map((i) => ({
          name: `step of ${i}`,
          take: async () => {
            at[i]! += 1;
            isCrossed ||= isCrossingWrong && at.join() === '1,1';
          },
        })),
    state: () => `${at.join()} ${isCrossed}`,
    judge: () => (isCrossed ? ['crossed'] : []),
  };
}
