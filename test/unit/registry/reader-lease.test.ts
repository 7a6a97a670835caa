import { describe, expect, it } from 'vitest';
import { defineGraph } from '../../../src/core/model/compile/define-graph.ts';
import { node } from '../../../src/core/model/schema.ts';
import type { Moment } from '../../../src/foundation/clocks.ts';
import { mayHavePassed } from '../../../src/foundation/clocks.ts';
import { migrate } from '../../../src/migrate/migrate.ts';
import { LEASE_MS, registryLeases } from '../../../src/registry/reader-lease.ts';
import { StreamedStore } from '../../support/streamed-store.ts';

const graph = defineGraph({
  table: 'records',
  nodes: { USER: node({ view: 'ALL', search: { name: { shards: 1 } } }) },
  edges: {},
});

const AT: Moment = { steadyMs: 1_000, wallMs: 1_767_225_600_000 };
const after = (steadyMs: number, wallMs: number): Moment => ({
  steadyMs: AT.steadyMs + steadyMs,
  wallMs: AT.wallMs + wallMs,
});

describe('the time between two moments', () => {
  it.each([
    ['by neither clock', 29_999, 29_999, false],
    ['by the steady clock', 30_000, 10, true],
    ['by the wall clock: a laptop has slept', 10, 30_000, true],
    ['for all one knows: the wall clock was set back', 10, -1, true],
    ['not at all: the second was first', -1, -1, false],
    ['not at all, although the wall clock was set forwards between them', -1, 40_000, false],
  ])('is over %s', (_how, steadyMs, wallMs, isOver) => {
    expect(mayHavePassed(30_000, AT, after(steadyMs, wallMs))).toBe(isOver);
  });
});

async function leases() {
  const store = new StreamedStore(graph);
  await migrate(graph, { store });
  let now = AT;
  let reads = 0;
  const counting = Object.assign(Object.create(store) as StreamedStore, {
    get: async (...parameters: Parameters<StreamedStore['get']>) => {
      reads += 1;
      return await store.get(...parameters);
    },
  });
  return {
    held: registryLeases(graph, counting, () => now),
    pass: (steadyMs: number, wallMs: number) => {
      now = { steadyMs: now.steadyMs + steadyMs, wallMs: now.wallMs + wallMs };
    },
    reads: () => reads,
  };
}

describe('a lease', () => {
  it.each([
    ['is kept while both clocks say so', LEASE_MS - 1, LEASE_MS - 1, 1],
    ['ends by the steady clock', LEASE_MS, 0, 2],
    ['ends by the wall clock, where the steady one stood still', 0, LEASE_MS, 2],
    ['ends where the wall clock was set back', 0, -3_600_000, 2],
  ])('%s', async (_what, steadyMs, wallMs, reads) => {
    const { held, pass, reads: made } = await leases();
    await held.hold(async () => undefined);
    pass(steadyMs, wallMs);
    await held.hold(async () => undefined);
    expect(made()).toBe(reads);
  });
});
