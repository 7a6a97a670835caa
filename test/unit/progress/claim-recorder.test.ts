import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Item } from '../../../src/core/items/attribute-value.ts';
import { defineGraph } from '../../../src/core/model/compile/define-graph.ts';
import { node } from '../../../src/core/model/schema.ts';
import { ClaimRecorder } from '../../../src/stream/progress/claim-recorder.ts';
import { readClaims } from '../../../src/stream/progress/claims-item.ts';
import { MemoryStore } from '../../support/memory-store/memory-store.ts';

const { table } = defineGraph({ table: 'records', nodes: { USER: node({ view: 'ALL' }) } });
const START = 1_000_000_000_000;
const stream = '2026-01-01T00:00:00.000';
const records = (...numbers: number[]) =>
  numbers.map((number) => ({ sequenceNumber: `${10n ** 21n + BigInt(number)}`, stream }));
const claim = (first: number, last: number, count: number) => ({
  ...{ first: records(first)[0]!.sequenceNumber, last: records(last)[0]!.sequenceNumber, records: count },
});

function recorder(joins = false) {
  const store = new MemoryStore(table);
  const state = { failing: false, wcu: 0, writes: 0 };
  const put = async (item: Item) => {
    if (state.failing) throw new Error('throttled');
    const result = await store.put(item);
    state.wcu += result.wcu;
    state.writes += 1;
    return result;
  };
  const failures: unknown[] = [];
  const claims = new ClaimRecorder({ table, store: { put }, joins, onError: (error) => failures.push(error) });
  const written = async () => [...(await readClaims(store, table, stream, 0)).values()].flat();
  return { claims, state, written, failures, store };
}

describe('a recorder of claims', () => {
  beforeEach(() => {
    vi.useFakeTimers({ now: START });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('appends exact claims, of one unit in ten seconds for four batches a second at most', async () => {
    const { claims, state, written } = recorder();
    for (let i = 0; i < 360; i++) {
      claims.addClaim(records(3 * i, 3 * i + 1, 3 * i + 2));
      await claims.writeIfDue();
      await vi.advanceTimersByTimeAsync(280);
    }
    await claims.flush();
    expect(await written()).toEqual(Array.from({ length: 360 }, (_, i) => claim(3 * i, 3 * i + 2, 3)));
    expect(state.wcu).toBe(state.writes);
    expect(state.writes).toBeLessThanOrEqual(13);
  });

  it('never joins the claims of two batches, but those of a consumer that reads a shard by itself', async () => {
    const apart = recorder();
    const joined = recorder(true);
    for (const { claims } of [apart, joined]) {
      claims.addClaim(records(1, 2), 'a');
      claims.addClaim(records(50), 'b');
      claims.addClaim(records(5, 6, 7), 'a');
      claims.addClaim([], 'a');
      await claims.flush();
      claims.addClaim(records(8), 'a');
      await claims.flush();
    }
    expect(await apart.written()).toEqual([claim(1, 2, 2), claim(50, 50, 1), claim(5, 7, 3), claim(8, 8, 1)]);
    const isWhole = true;
    expect(await joined.written()).toEqual([
      ...[claim(1, 7, 5), claim(50, 50, 1), claim(8, 8, 1)].map((one) => ({ ...one, isWhole })),
    ]);
  });

  it('keeps what could not be written for the next time, and writes it by itself where that is asked for', async () => {
    const { claims, state, written, failures } = recorder();
    state.failing = true;
    claims.addClaim(records(1));
    claims.schedule();
    await vi.advanceTimersByTimeAsync(1);
    expect(failures).toHaveLength(1);
    state.failing = false;
    claims.addClaim(records(2));
    await vi.advanceTimersByTimeAsync(10_000);
    expect(await written()).toEqual([claim(1, 1, 1), claim(2, 2, 1)]);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(state.writes).toBe(1);
  });

  it('leaves items that time buries, and that are read from a moment on', async () => {
    const { claims, store } = recorder();
    claims.addClaim(records(1));
    await claims.flush();
    const { items } = await store.scan({ segment: 0, segments: 1 });
    expect(items).toHaveLength(1);
    expect(items[0]![table.ttl]).toEqual({ N: String(START / 1000 + 25 * 3600) });
    expect((await readClaims(store, table, stream, START)).size).toBe(1);
    expect((await readClaims(store, table, stream, START + 1)).size).toBe(0);
    // Another stream of the table may have the same numbers.
    expect((await readClaims(store, table, '2026-01-02T00:00:00.000', START)).size).toBe(0);
  });
});
