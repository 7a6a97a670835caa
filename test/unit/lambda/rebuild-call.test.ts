import pino from 'pino';
import { describe, expect, it, vi } from 'vitest';
import { check } from '../../../src/check/check.ts';
import type { RunPlan } from '../../../src/lambda/check-plan.ts';
import { checkRunHandler, type RunResponse } from '../../../src/lambda/check-run-handler.ts';
import { defineGraph } from '../../../src/model/compile/define-graph.ts';
import { node } from '../../../src/model/schema.ts';
import { savedPlaces } from '../../../src/progress/check-places.ts';
import { StreamedStore } from '../../support/streamed-store.ts';

const graph = defineGraph({ table: 'records', nodes: { USER: node({ search: { name: {} } }) }, edges: {} });
const USERS = 600;
/** Time of a call; all of the writes take longer at this rate. */
const CALL_MS = 120_000;
const UNITS = 10;

describe('a call of a rebuild', () => {
  it('ends within the time of its function where the rate is low, and the next ones go on from its place', async () => {
    vi.spyOn(process.stdout, 'write').mockImplementation(() => true);
    const store = new StreamedStore(graph);
    for (let i = 0; i < USERS; i++) {
      await store.put({ source: { S: `USER-${i}` }, target: { S: `USER-${i}` }, name: { S: `name ${i}` } });
    }
    let nowMs = Date.parse('2026-01-01T00:00:00Z');
    const now = (): number => nowMs;
    const handler = checkRunHandler(graph, {
      ...{ store, now, logger: pino({ level: 'silent' }) },
      // Waits side by side pass together.
      wait: async (milliseconds) => {
        const untilMs = nowMs + milliseconds;
        await new Promise(setImmediate);
        nowMs = Math.max(nowMs, untilMs);
      },
    });
    let begunMs = nowMs;
    const context = { awsRequestId: 'rebuild-1', getRemainingTimeInMillis: () => begunMs + CALL_MS - nowMs };
    const limits = { hours: 6, workers: 1, maxRcu: 1_000, maxWcu: UNITS };
    const { shares } = (await handler({ plan: { mode: 'rebuild', repair: false, ...limits } }, context)) as RunPlan;
    let calls = 0;
    for (let cursor: unknown; cursor !== null; ) {
      calls += 1;
      begunMs = nowMs;
      ({ cursor } = (await handler({ ...shares[0]!, cursor }, context)) as RunResponse);
      expect(nowMs - begunMs).toBeLessThan(CALL_MS);
      expect(await savedPlaces(store, 'rebuild')).toHaveLength(cursor === null ? 0 : 1);
    }
    expect(calls).toBeGreaterThan(1);
    expect((await check({ graph, store, settleMs: 0, now })).drift).toEqual({ missing: 0, stale: 0, orphan: 0 });
  });
});
