import pino from 'pino';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { checkRunHandler, type RunResponse } from '../../src/deployment/lambda/check-run-handler.ts';
import { StoreError, WRONG_INPUT } from '../../src/foundation/errors.ts';
import { withReplacedCalls } from '../../src/store/wrapped.ts';
import { progressItem } from '../../src/stream/progress/consumers.ts';
import type { RunPlan } from '../../src/trust/check/run/plan.ts';
import { checkedTable } from '../support/checked-table.ts';

const GRACE_SECONDS = 600;
const CONTEXT = { awsRequestId: 'night-1', getRemainingTimeInMillis: () => 900_000 };
const LIMITS = { hours: 1, workers: 1, maxRcu: 0, maxWcu: 1_000 };

beforeEach(() => {
  vi.spyOn(process.stdout, 'write').mockImplementation(() => true);
});
afterEach(() => vi.restoreAllMocks());

interface RunOptions {
  repair?: boolean;
  /** What happens while the function waits for the stream. */
  meanwhile?: () => Promise<void>;
  /** Hours that the run may take. */
  hours?: number;
}

async function night(goals = 8, mostSuspects?: number, graceSeconds = GRACE_SECONDS) {
  const table = await checkedTable(goals);
  let nowMs = Date.now();
  let sleptMs = 0;
  let meanwhile = async () => undefined as unknown;
  const handler = checkRunHandler(table.graph, {
    store: table.store,
    graceMs: graceSeconds * 1000,
    now: () => nowMs,
    mostSuspects,
    wait: async (milliseconds) => {
      sleptMs += milliseconds;
      nowMs += milliseconds;
      await meanwhile();
    },
    logger: pino({ level: 'silent' }),
  });

  async function run({ repair = false, hours = 10_000, ...options }: RunOptions): Promise<RunResponse> {
    meanwhile = options.meanwhile ?? (async () => undefined);
    // Waits side by side add up on the clock of this test.
    const { shares } = (await handler({ plan: { mode: 'check', repair, ...LIMITS, hours } }, CONTEXT)) as RunPlan;
    let cursor: unknown;
    for (let calls = 1; ; calls++) {
      expect(calls).toBeLessThan(30);
      const answer = (await handler({ ...shares[0]!, cursor }, CONTEXT)) as RunResponse;
      if (answer.cursor === null) return answer;
      // What passes between calls is JSON.
      cursor = JSON.parse(JSON.stringify(answer.cursor));
      nowMs += answer.waitSeconds * 1000;
    }
  }
  const spoil = (goal: number) => table.corrupt(`GOAL-G${goal}`, '~view', ({ edgeSet: _, ...item }) => item);
  return { ...table, night: run, spoil, sleptSeconds: () => sleptMs / 1000 };
}

describe('the function of the nightly check', () => {
  it('logs keys and no contents; each call counts its own share in the metrics', async () => {
    const { graph, store, corrupt } = await checkedTable(4);
    for (const id of ['GOAL-G1', 'GOAL-G3']) await corrupt(id, '~view', ({ edgeSet: _, ...item }) => item);
    const lines: { msg?: string }[] = [];
    const logger = pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) });
    const handler = checkRunHandler(graph, { store, graceMs: 0, logger });
    let asked = 0;
    // A few looks at the clock fit into each call.
    const context = { ...CONTEXT, getRemainingTimeInMillis: () => (asked++ < 6 ? 60_000 : 0) };
    const { shares } = (await handler({ plan: { mode: 'check', repair: false, ...LIMITS } }, context)) as RunPlan;
    let cursor: unknown;
    let calls = 0;
    for (; cursor !== null; calls++) {
      asked = 0;
      ({ cursor } = (await handler({ ...shares[0]!, cursor }, context)) as RunResponse);
      expect(calls).toBeLessThan(50);
    }
    expect(calls).toBeGreaterThan(1);
    expect(lines.filter(({ msg }) => msg === 'found')).toHaveLength(2);
    expect(JSON.stringify(lines)).not.toContain('Goal 1');
    const emitted = vi.mocked(process.stdout.write).mock.calls.flatMap(([text]) => String(text).trim().split('\n'));
    const drift = emitted.map((line) => (JSON.parse(line) as { CheckDrift: number }).CheckDrift);
    expect(drift.reduce((sum, one) => sum + one, 0)).toBe(2);
  });

  it('logs which repair failed, and why', async () => {
    const { graph, store, corrupt } = await checkedTable(2);
    await corrupt('GOAL-G1', '~view', ({ edgeSet: _, ...item }) => item);
    const refuse = async (): Promise<never> => {
      throw new StoreError('terminal', 'ValidationException', 'The item is too large.');
    };
    const refusing = Object.assign(withReplacedCalls(store, { update: refuse }), { scan: store.scan.bind(store) });
    const lines: { msg?: string; reason?: string }[] = [];
    const logger = pino({ level: 'warn' }, { write: (line: string) => void lines.push(JSON.parse(line)) });
    const handler = checkRunHandler(graph, { store: refusing, graceMs: 0, logger });
    const { shares } = (await handler({ plan: { mode: 'check', repair: true, ...LIMITS } }, CONTEXT)) as RunPlan;
    await handler(shares[0]!, CONTEXT);
    const reasons = lines.flatMap(({ msg, reason }) => (msg === 'not repaired' ? [reason] : []));
    expect(reasons).toEqual(['cannot repair GOAL-G1 ~view: The item is too large.']);
  });

  it('waits for the stream, and reports what still differs', async () => {
    const { night: run, spoil, sleptSeconds } = await night();
    for (const goal of [1, 3, 8]) await spoil(goal);
    expect(await run({})).toMatchObject({ drift: { missing: 0, stale: 3, orphan: 0 }, repaired: 0, isClean: false });
    expect(sleptSeconds()).toBeGreaterThanOrEqual(GRACE_SECONDS);
  });

  it('does not wait where nothing differs', async () => {
    const { night: run, sleptSeconds } = await night();
    expect(await run({})).toMatchObject({ drift: { missing: 0, stale: 0, orphan: 0 }, isClean: true });
    expect(sleptSeconds()).toBe(0);
  });

  it('takes for lag what the projector brings while the function waits, and mends the rest', async () => {
    const { night: run, spoil, writer, projectAll, run: check } = await night();
    await spoil(3);
    await writer.putNode('GOAL-G1', { title: 'late', status: 'open', dueDate: '2026-01-01' });
    await writer.deleteEdge('GOAL-G2', 'GOALMEMBERSHIP', 'USER-U1');
    let projecting: Promise<unknown> | undefined;
    const meanwhile = async () => {
      projecting ??= projectAll();
      await projecting;
    };
    const result = await run({ repair: true, meanwhile });
    expect(result).toMatchObject({ drift: { missing: 0, stale: 1, orphan: 0 }, repaired: 1, isClean: true });
    expect((await check()).findings).toEqual([]);
  });

  it('looks anew at an item that is written while the function waits and is wrong still, and counts it once', async () => {
    const { night: run, spoil, corrupt } = await night();
    await spoil(3);
    await spoil(5);
    // The revision moves, as by a late record, and the item stays wrong.
    const meanwhile = () =>
      corrupt('GOAL-G3', '~view', (item) => ({
        ...item,
        r: { N: String(Number((item['r'] as { N: string }).N) + 1) },
      }));
    expect(await run({ meanwhile })).toMatchObject({ drift: { missing: 0, stale: 2, orphan: 0 } });
  });

  it('is not clean where the night is over before all is read', async () => {
    const { night: run } = await night();
    expect(await run({ hours: 0 })).toMatchObject({ isDone: false, isClean: false, cursor: null });
  });

  it('finds all of a table in which everything is wrong, with few suspects at a time', async () => {
    // Another suspect's wait moves the clock for a repair that is under way too, which has a minute.
    const { night: run, store, graph, run: check } = await night(40, 6, 1);
    const { partitionKey, sortKey } = graph.table;
    const { items } = await store.scan({ segment: 0, segments: 1, consistent: true });
    for (const item of items) {
      const key = (name: string): string => (item[name] as { S: string }).S;
      if (key(sortKey).startsWith('~')) await store.delete({ source: key(partitionKey), target: key(sortKey) });
    }
    const { drift } = await check({ graceMs: 0 });
    expect(drift.missing).toBeGreaterThan(200);
    expect((await run({ repair: true })).drift).toEqual(drift);
    expect((await check({ graceMs: 0 })).findings).toEqual([]);
  });
});

it('no rebuild is planned while a consumer of another model works on a table without a registry', async () => {
  const { graph, store } = await checkedTable(1);
  const nowMs = Date.now();
  const logger = pino({ level: 'silent' });
  const handler = checkRunHandler(graph, { store, logger, now: () => nowMs });
  const plan = (mode: 'check' | 'rebuild') => handler({ plan: { mode, ...LIMITS, repair: false } }, CONTEXT);
  const old = { id: 'old', kind: 'lambda', model: '00000000', seenAtMs: nowMs, isStopped: false } as const;
  await store.put(progressItem(graph.table, { ...old, records: 1, intervalMs: 10_000, shards: [] }, 0));
  // The state machine does not try such an error again.
  await expect(plan('rebuild')).rejects.toMatchObject({ code: 'old-consumers', name: WRONG_INPUT });
  expect(await plan('check')).toMatchObject({ shares: [expect.anything()] });
});

it('a plan that ended before all of its places were there is made anew: no run covers a part of the table as the whole', async () => {
  const { graph, store } = await checkedTable(1);
  let puts = 5;
  const failing = Object.assign(
    withReplacedCalls(store, {
      put: async (item) => {
        puts -= 1;
        if (puts < 0) throw new Error('the time is over');
        return await store.put(item);
      },
    }),
    { scan: store.scan.bind(store) },
  );
  const handler = checkRunHandler(graph, { store: failing, logger: pino({ level: 'silent' }) });
  const plan = { mode: 'check', hours: 6, repair: false, workers: 20, maxRcu: 0, maxWcu: 100 } as const;
  await expect(handler({ plan }, CONTEXT)).rejects.toThrow('the time is over');
  puts = Number.POSITIVE_INFINITY;
  expect(((await handler({ plan }, CONTEXT)) as RunPlan).shares).toHaveLength(20);
});
