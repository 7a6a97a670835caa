import { describe, expect, it } from 'vitest';
import { defineGraph } from '../../../src/core/model/compile/define-graph.ts';
import { node } from '../../../src/core/model/schema.ts';
import { migrate } from '../../../src/migrate/migrate.ts';
import type { MigrateOptions } from '../../../src/migrate/migrate-types.ts';
import type { MigratePlace } from '../../../src/migrate/walks/place.ts';
import { pageItemsAt } from '../../../src/trust/check/run/limits.ts';
import { StreamedStore } from '../../support/streamed-store.ts';

const NODES = 800;

function model(search: object) {
  return defineGraph({ table: 'records', nodes: { USER: node({ view: 'ALL', search }) }, edges: {} });
}

const [before, after] = [model({}), model({ name: { shards: 2 } })];

/** A table whose new search is to be built, on a clock that only waits move: the calls themselves take no time. */
async function opened() {
  const clock = { nowMs: Date.parse('2026-01-01T00:00:00Z') };
  const store = new StreamedStore(before, () => clock.nowMs);
  for (let i = 0; i < NODES; i++)
    await store.put({ source: { S: `USER-${i}` }, target: { S: `USER-${i}` }, name: { S: `name ${i}` } });
  await migrate(before, { store, now: () => clock.nowMs, wait: async () => undefined });
  const run = (options: Partial<MigrateOptions>) =>
    migrate(after, {
      store,
      now: () => clock.nowMs,
      clock: () => clock.nowMs,
      wait: async (milliseconds) => {
        clock.nowMs += milliseconds;
      },
      ...options,
    });
  return { clock, run };
}

describe('a migration at a rate', () => {
  it.each([
    ['reads', { maxRcu: 20 }, 'rcu'],
    ['writes', { maxWcu: 20 }, 'wcu'],
  ] as const)('takes as long as its %s do', async (_, rates, units) => {
    const { run } = await opened();
    const { steps, done } = await run(rates);
    expect(done).toBe(true);
    const backfill = steps.find(({ step }) => step === 'backfill')!;
    expect(backfill[units]).toBeGreaterThan(NODES);
    // A second's units may be saved up, and what the last calls owe is not waited for.
    expect(backfill.seconds).toBeGreaterThan(backfill[units] / 20 - 60);
    expect(backfill.seconds).toBeLessThan(backfill[units] / 20 + 1);
  });

  it('stops in time within a walk, and goes on from there', async () => {
    const { clock, run } = await opened();
    const rates = { maxRcu: 20, maxWcu: 20 };
    const [callMs, drainMs] = [20_000, 30_000];
    const pageItems = pageItemsAt(rates.maxRcu, drainMs / 1_000);
    let resume: MigratePlace | undefined;
    let calls = 0;
    for (let done = false; !done; calls++) {
      const startedMs = clock.nowMs;
      const remainingMs = (): number => startedMs + callMs - clock.nowMs;
      const result = await run({ ...rates, pageItems, segments: 8, resume, remainingMs, waitsBetweenCalls: true });
      // What a call owes when its time is over is waited for, and then the pages that have begun are finished.
      expect(clock.nowMs - startedMs).toBeLessThanOrEqual(callMs + 2 * drainMs);
      ({ done, place: resume } = result);
      clock.nowMs += (result.waitSeconds ?? 0) * 1_000;
    }
    expect(calls).toBeGreaterThan(3);
    expect((await run({ mostSteps: 0 })).done).toBe(true);
  });
});
