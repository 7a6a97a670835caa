import { describe, expect, it } from 'vitest';
import { defineGraph } from '../../../src/core/model/compile/define-graph.ts';
import { edge, node } from '../../../src/core/model/schema.ts';
import type { ScanSource, Store } from '../../../src/core/store-port.ts';
import { type DividedOptions, decideMigration, walkShare } from '../../../src/migrate/divided/divided.ts';
import { migrate } from '../../../src/migrate/migrate.ts';
import { check } from '../../../src/trust/check/check.ts';
import { throughCalls } from '../../support/calls.ts';
import { runs } from '../../support/extent.ts';
import { StreamedStore } from '../../support/streamed-store.ts';

/** A migration in shares: it is done when every worker is, whoever crashes, comes late or is there twice. */

function model(shards: number, project: string[] = []) {
  return defineGraph({
    table: 'records',
    nodes: {
      USER: node({ view: shards > 2 ? ['email'] : [], search: { name: { shards, project } } }),
      TEAM: node({ view: 'ALL' }),
    },
    edges: { MEMBER: edge({ from: 'USER', to: 'TEAM', degree: shards > 2 }) },
  });
}

const [before, after, other] = [model(2), model(3), model(3, ['email'])];
const USERS = 30;

class Crash extends Error {}

/** A table of users that has the model `before`, and a clock that waits move. */
async function table() {
  const clock = { ms: Date.parse('2026-01-01T00:00:00Z') };
  const store = new StreamedStore(before, () => clock.ms);
  const now = (): number => clock.ms;
  for (let i = 0; i < USERS; i++) {
    const id = `USER-${i}`;
    await store.put({ source: { S: id }, target: { S: id }, name: { S: `name ${i}` }, email: { S: `${i}@x.org` } });
    await store.put({ source: { S: id }, target: { S: `MEMBER-TEAM-${i % 3}` } });
  }
  const wait = async (ms: number): Promise<void> => {
    clock.ms += ms;
  };
  await migrate(before, { store, now, wait });
  let seed = 1;
  const options = (graph = after, through: Store & ScanSource = store): DividedOptions => ({
    ...{ graph, store: through, now, wait },
    random: () => {
      seed = (seed * 16_807) % 2_147_483_647;
      return seed / 2_147_483_647;
    },
  });
  const drift = async (graph = after) => {
    const found = await check(graph, { store, graceMs: 0, now, wait });
    return found.drift.missing + found.drift.stale + found.drift.orphan;
  };
  return { store, clock, options, drift };
}

/** The store of a process that is gone with its nth call: before the call is made, or before its answer is there. */
function crashingAt(store: Store & ScanSource, call: number, isMade: boolean): Store & ScanSource {
  let calls = 0;
  return throughCalls(store, async (_method, _parameters, run) => {
    calls += 1;
    if (calls > call || (calls === call && !isMade)) throw new Crash('the process is gone');
    const answer = await run();
    if (calls === call) throw new Crash('the process is gone');
    return answer;
  });
}

const DIVISION = { shares: 3, segmentsOfShare: 2 };

/** An execution of the state machine; it fails where a call does. `storeOf` gives each call its way to the table. */
async function execution(
  { options, clock, store }: Awaited<ReturnType<typeof table>>,
  graph = after,
  through: Store & ScanSource = store,
): Promise<void> {
  for (let calls = 0; ; calls++) {
    expect(calls).toBeLessThan(60);
    const { done, shares, waitSeconds } = await decideMigration(options(graph, through), DIVISION);
    if (done) return;
    for (const share of shares) {
      // Each call of a worker has time for some pages.
      for (;;) {
        let asked = 0;
        const remainingMs = (): number => (asked++ < 6 ? 1_000 : 0);
        if ((await walkShare({ ...options(graph, through), remainingMs }, share)).isDone) break;
      }
    }
    clock.ms += waitSeconds * 1_000;
  }
}

async function isDone(store: Store & ScanSource, graph = after): Promise<boolean> {
  return (await migrate(graph, { store, mostSteps: 0 })).done;
}

describe('a divided migration', () => {
  it('comes to the same where each execution is gone with one of its calls, whichever it is', async () => {
    for (const isMade of [false, true]) {
      const world = await table();
      const every = runs({ part: 13, whole: 3 });
      let ended = false;
      // Each execution gets a little further than the one before.
      for (let last = every; !ended; last += every) {
        const through = crashingAt(world.store, last, isMade);
        ended = await execution(world, after, through).then(
          () => true,
          (error: unknown) => {
            if (!(error instanceof Crash)) throw error;
            return false;
          },
        );
        expect(last).toBeLessThan(20_000);
      }
      expect(await isDone(world.store)).toBe(true);
      expect(await world.drift()).toBe(0);
    }
  });

  it('goes on from its places: a walk that was done is not made again', async () => {
    const world = await table();
    const { options } = world;
    const first = await decideMigration(options(), DIVISION);
    expect(first.shares).toHaveLength(3);
    expect(await walkShare(options(), first.shares[0]!)).toEqual({ isDone: true });
    // The execution has failed; the next one has other limits.
    const again = await decideMigration(options(), { shares: 7, segmentsOfShare: 1 });
    expect(again.shares).toEqual(first.shares.slice(1));
    for (const share of again.shares) await walkShare(options(), share);
    const next = await decideMigration(options(), { shares: 7, segmentsOfShare: 1 });
    expect(next.shares).toHaveLength(7);
    expect(next.next).toBe(first.next);
    expect(next.shares[0]!.plan).not.toBe(first.shares[0]!.plan);
    await execution(world);
    expect(await world.drift()).toBe(0);
  });

  it('is made by two executions at once, which share the work and leave no place behind', async () => {
    const world = await table();
    await Promise.all([execution(world), execution(world)]);
    expect(await isDone(world.store)).toBe(true);
    expect(await world.drift()).toBe(0);
    const keys = [...world.store.items()].map(({ target }) => (target as { S: string }).S);
    expect(keys.filter((key) => /migrate/.test(key))).toEqual([]);
  });

  it('begins again for another model, and while another run has moved the registry on', async () => {
    const world = await table();
    const { options, store, clock } = world;
    const { shares } = await decideMigration(options(), DIVISION);
    await walkShare(options(), shares[0]!);
    await execution(world, other);
    expect(await isDone(store, other)).toBe(true);
    const [share] = (await decideMigration(options(after), DIVISION)).shares;
    await migrate(after, {
      ...{ store, now: () => clock.ms },
      wait: async (ms) => {
        clock.ms += ms;
      },
    });
    if (share !== undefined) expect(await walkShare(options(after), share)).toEqual({ isDone: true });
    await execution(world, after);
    expect(await isDone(store)).toBe(true);
    expect(await world.drift()).toBe(0);
  });
});
