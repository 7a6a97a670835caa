import { describe, expect, it } from 'vitest';
import { CallPace } from '../../../../src/deployment/lambda/call-pace.ts';
import { withReplacedCalls } from '../../../../src/store/wrapped.ts';
import { clearPlace, savedPlaces, savePlace } from '../../../../src/trust/check/run/places.ts';
import { planRun, rateOf } from '../../../../src/trust/check/run/plan.ts';
import { bookGraph } from '../../../support/book-graph.ts';
import { followGraph } from '../../../support/follow-graph.ts';
import { MemoryStore } from '../../../support/memory-store/memory-store.ts';

const GB = 1024 ** 3;
const request = { mode: 'check', hours: 6, workers: 0, maxRcu: 0, maxWcu: 200, repair: false } as const;
const graph = followGraph('records');

describe('workers and rate of a check', () => {
  it.each([
    [1, 1, 100],
    [50, 1, 380],
    [283, 5, 2147],
    [1_000, 8, 4_000],
    [20_000, 8, 4_000],
  ])('follow from the size of a table of %d GB: %d workers, %d units a second', (gigabytes, workers, rcu) => {
    expect(rateOf(gigabytes * GB, graph, request)).toEqual({ workers, rcu });
  });
  it('read a table within the hours that the check has, or go on the next night', () => {
    for (const gigabytes of [10, 100, 283, 500]) {
      const { rcu } = rateOf(gigabytes * GB, graph, request);
      expect((gigabytes * GB) / 8192 / rcu).toBeLessThan(6 * 3600);
    }
  });
  it('read about twice as much where copies are looked up', () => {
    expect(rateOf(100 * GB, bookGraph('records'), request).rcu).toBe(1518);
    expect(rateOf(100 * GB, graph, request).rcu).toBe(759);
  });
  it('are what the stage says, where it says', () => {
    expect(rateOf(GB, graph, { ...request, workers: 3, maxRcu: 50 })).toEqual({ workers: 3, rcu: 50 });
  });
});

describe('a plan', () => {
  const at = { tableBytes: 283 * GB, nowMs: 1_000 };

  it('deals every part of the table out to one worker, and notes it before any begins', async () => {
    const store = new MemoryStore(graph.table);
    const { shares } = await planRun(graph, store, request, at);
    const places = await savedPlaces(store, 'check');
    const { segments } = places[0]!;
    expect(places.flatMap(({ onlySegments }) => onlySegments).sort((a, b) => a - b)).toEqual(
      Array.from({ length: segments }, (_, i) => i),
    );
    expect(shares.map(({ worker }) => worker)).toEqual(places.map(({ worker }) => worker));
    expect(shares.reduce((sum, { maxRcu }) => sum + maxRcu, 0)).toBeCloseTo(2147);
    expect(shares[0]).toMatchObject({ mode: 'check', repair: false, untilMs: 1_000 + 6 * 3_600_000 });
  });
  it('is what the run before left, at the whole rate, and never mixes check and rebuild', async () => {
    const store = new MemoryStore(graph.table);
    await planRun(graph, store, { ...request, mode: 'rebuild' }, at);
    const place = { worker: 2, segments: 40, onlySegments: [2], model: graph.fingerprint, cursor: null };
    await savePlace(store, graph.table, 'check', place);
    const { shares } = await planRun(graph, store, request, at);
    expect(shares).toMatchObject([{ worker: 2, maxRcu: 2147, maxWcu: 200 }]);
    expect(await savedPlaces(store, 'rebuild')).toHaveLength(5);
  });
});

describe('a rebuild that failed', () => {
  it.each([
    [23, 1],
    [25, 5],
  ])('%d hours ago leaves the next one %d shares', async (hours, count) => {
    const store = new MemoryStore(graph.table);
    const rebuild = { ...request, mode: 'rebuild' as const };
    const at = { tableBytes: 283 * GB, nowMs: Date.parse('2026-01-01T00:00:00Z') };
    await planRun(graph, store, rebuild, at);
    for (const worker of [0, 1, 2, 3]) await clearPlace(store, 'rebuild', worker);
    const later = { ...at, nowMs: at.nowMs + hours * 3_600_000 };
    expect((await planRun(graph, store, rebuild, later)).shares).toHaveLength(count);
  });
});

describe('the mode of a plan', () => {
  it.each(['Rebuild', 'migrated', 7])('is refused where there is none such: %s', async (mode) => {
    const store = new MemoryStore(graph.table);
    const wrong = { ...request, mode: mode as 'check' };
    await expect(planRun(graph, store, wrong, { tableBytes: GB, nowMs: 1_000 })).rejects.toMatchObject({
      code: 'invalid-argument',
      hint: expect.stringContaining('check, rebuild or migrate'),
    });
    expect(await savedPlaces(store, 'check')).toEqual([]);
  });
});

describe('the pace of a call', () => {
  it('is paid for by the pause after it, however fast the call was', async () => {
    let nowMs = 0;
    const pace = new CallPace({ maxRcu: 100, now: () => nowMs });
    const store = new MemoryStore(graph.table);
    const reading = withReplacedCalls(store, { query: async () => ({ items: [], count: 0, scanned: 0, rcu: 10_000 }) });
    const counted = pace.countingStore(Object.assign(reading, { scan: async () => ({ items: [], rcu: 10_000 }) }));
    expect(pace.isSpent).toBe(false);
    for (let i = 0; i < 3; i++) await counted.scan({ segment: 0, segments: 1 });
    nowMs = 30_000;
    expect(pace.isSpent).toBe(true);
    // 30,000 units at 100 a second are 300 seconds, of which the call took 30.
    expect(pace.pauseSeconds).toBe(270);
    await counted.query({ partition: 'p', consistent: true });
    expect(pace.pauseSeconds).toBe(370);
  });
});
