import pino from 'pino';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import { node } from '../../src/core/model/schema.ts';
import { checkRunHandler, type RunResponse } from '../../src/deployment/lambda/check-run-handler.ts';
import { check } from '../../src/trust/check/check.ts';
import { savedPlaces } from '../../src/trust/check/run/places.ts';
import type { RunPlan } from '../../src/trust/check/run/plan.ts';
import { StreamedStore } from '../support/streamed-store.ts';

const graph = defineGraph({
  table: 'records',
  nodes: { USER: node({ view: 'ALL', search: { name: {} } }) },
  edges: {},
});
const USERS = 600;
/** Time of a call; all of the writes take longer at this rate. */
const CALL_MS = 120_000;
const UNITS = 10;

/** A table, and a run over it by calls that a function's time ends, each of which has to give its cursor before. */
async function table() {
  const store = new StreamedStore(graph);
  let nowMs = Date.parse('2026-01-01T00:00:00Z');
  const now = (): number => nowMs;
  const handler = checkRunHandler(graph, {
    ...{ store, now, graceMs: 30_000, logger: pino({ level: 'silent' }) },
    // Waits side by side pass together.
    wait: async (milliseconds) => {
      const untilMs = nowMs + milliseconds;
      await new Promise(setImmediate);
      nowMs = Math.max(nowMs, untilMs);
    },
  });
  const run = async (mode: 'check' | 'rebuild') => {
    let begunMs = nowMs;
    const context = { awsRequestId: 'run-1', getRemainingTimeInMillis: () => begunMs + CALL_MS - nowMs };
    const limits = { hours: 600, workers: 1, maxRcu: 1_000, maxWcu: UNITS };
    const { shares } = (await handler({ plan: { mode, repair: mode === 'check', ...limits } }, context)) as RunPlan;
    let calls = 0;
    for (let cursor: unknown; cursor !== null; ) {
      calls += 1;
      begunMs = nowMs;
      const response = (await handler({ ...shares[0]!, cursor }, context)) as RunResponse;
      expect(nowMs - begunMs).toBeLessThan(CALL_MS);
      nowMs += response.waitSeconds * 1000;
      ({ cursor } = response);
      expect(await savedPlaces(store, mode)).toHaveLength(cursor === null ? 0 : 1);
    }
    return { calls };
  };
  return { store, now, run };
}

beforeEach(() => {
  vi.spyOn(process.stdout, 'write').mockImplementation(() => true);
});
afterEach(() => vi.restoreAllMocks());

describe.each([
  ['rebuild', 'rebuild'],
  ['check that repairs', 'check'],
] as const)('a call of a %s', (_, mode) => {
  it('ends within the time of its function where the rate is low, and the next ones go on from its place', async () => {
    const { store, now, run } = await table();
    for (let i = 0; i < USERS; i++) {
      await store.put({ source: { S: `USER-${i}` }, target: { S: `USER-${i}` }, name: { S: `name ${i}` } });
    }
    expect((await run(mode)).calls).toBeGreaterThan(1);
    expect((await check(graph, { store, graceMs: 0, now })).drift).toEqual({ missing: 0, stale: 0, orphan: 0 });
  });
});
