import { describe, expect, it } from 'vitest';
import { check, explain, migrate, redrive, status } from '../../src/admin.ts';
import { createReader, type Reader } from '../../src/client/read/reader.ts';
import { createSession } from '../../src/client/session/session.ts';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import { edge, node } from '../../src/core/model/schema.ts';
import { HookedStore } from '../support/hooked-store.ts';
import { openTable, uniqueTableName } from '../support/table.ts';

/** What a signal ends, when it ends, and what is left then. */

/** Without the abort the calls never end: the limit is for a machine that is busy. */
const PROMPT_MS = 60_000;
const never = new Promise<never>(() => undefined);

/** A moment to wait for. */
function moment(): { promise: Promise<void>; resolve: () => void } {
  let resolve = (): void => undefined;
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

function modelOf(table: string, shards: number) {
  return defineGraph({
    table,
    nodes: {
      GOAL: node({ view: 'ALL', list: true, search: { due: { type: 'date', shards } } }),
      USER: node({ view: 'ALL' }),
    },
    edges: { AIMS: edge({ from: 'GOAL', to: 'USER', inbound: { orders: { gsi0: 'since' } } }) },
  });
}

const open = () => openTable(modelOf(uniqueTableName(), 2));

/** Rejects with the reason soon after the abort. */
async function endsPromptly(controller: AbortController, running: Promise<unknown>): Promise<void> {
  const reason = new Error('the client is gone');
  const abortedAtMs = performance.now();
  controller.abort(reason);
  await expect(running).rejects.toBe(reason);
  expect(performance.now() - abortedAtMs).toBeLessThan(PROMPT_MS);
}

describe('a read whose signal is aborted', () => {
  const reads: [string, (reader: Reader, signal: AbortSignal) => Promise<unknown>][] = [
    ['get', (reader, signal) => reader.getViews(['GOAL-1'], { signal })],
    ['has', (reader, signal) => reader.has('GOAL-1', 'AIMS', 'USER-1', { signal })],
    ['degree', (reader, signal) => reader.degree('GOAL-1', 'AIMS', { signal })],
    ['edges', (reader, signal) => reader.edges('GOAL-1', 'AIMS', { signal })],
    ['node', (reader, signal) => reader.getNode('GOAL-1', { signal })],
    ['edge', (reader, signal) => reader.getEdge('GOAL-1', 'AIMS', 'USER-1', { signal })],
    ['collection', (reader, signal) => reader.getCollection('GOAL-1', { signal })],
    ['nodes', (reader, signal) => reader.nodes('GOAL', { signal })],
    ['inbound', (reader, signal) => reader.inbound('USER-1', 'AIMS', { signal })],
    ['inDegree', (reader, signal) => reader.inDegree('USER-1', 'AIMS', { signal })],
    ['page', (reader, signal) => reader.page('USER-1', 'AIMS', { signal })],
    ['a search', (reader, signal) => reader.search('GOAL.due').equals('2026-01-01', { signal })],
    ['the latest of a search', (reader, signal) => reader.search('GOAL.due').latest({ signal })],
    ['the count of a search', (reader, signal) => reader.search('GOAL.due').count({}, { signal })],
    ['shards', (reader, signal) => reader.shards('GOAL.due', { signal })],
    ['waitForProjection', (reader, signal) => reader.waitForProjection('GOAL-1', { signal })],
  ];

  for (const [name, read] of reads) {
    it(`${name} ends at once with the signal's reason, though its call has no answer`, async () => {
      const { graph, store } = await open();
      const reached = moment();
      const silent = new HookedStore(store, () => {
        reached.resolve();
        return never;
      });
      const reader = createReader(graph, { store: silent }) as unknown as Reader;
      const controller = new AbortController();
      const running = read(reader, controller.signal);
      await reached.promise;
      await endsPromptly(controller, running);
    });

    it(`${name} makes no call where the signal is aborted before`, async () => {
      const { graph, store } = await open();
      const silent = new HookedStore(store);
      const reader = createReader(graph, { store: silent }) as unknown as Reader;
      await expect(read(reader, AbortSignal.abort('gone'))).rejects.toBe('gone');
      expect(silent.calls).toEqual([]);
      await read(reader, new AbortController().signal);
      expect(silent.calls.length).toBeGreaterThan(0);
    });
  }

  it('makes no further call after the one that was under way', async () => {
    const { graph, store, writer } = await open();
    const gate = moment();
    const reached = moment();
    const slow = new HookedStore(store, ({ method }) => {
      if (method !== 'query') return;
      reached.resolve();
      return gate.promise;
    });
    await writer.putEdge('GOAL-1', 'AIMS', 'USER-1', { since: '1' });
    const controller = new AbortController();
    const page = createReader(graph, { store: slow }).page('USER-1', 'AIMS', { signal: controller.signal });
    await reached.promise;
    const before = slow.calls.length;
    await endsPromptly(controller, page);
    gate.resolve();
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(slow.calls).toHaveLength(before);
  });

  it('ends a wait for the projection between two looks, and one of a session', async () => {
    const { reader, writer } = await open();
    await writer.putNode('GOAL-1', {});
    const controller = new AbortController();
    const { signal } = controller;
    const waiting = reader.waitForProjection('GOAL-1', { signal, timeoutMs: 600_000 });
    const ofMark = reader
      .with(createSession())
      .waitForProjection('GOAL-1', { signal, timeoutMs: 600_000, lowWatermark: () => never });
    await new Promise((resolve) => setTimeout(resolve, 300));
    await Promise.all([endsPromptly(controller, waiting), expect(ofMark).rejects.toThrow('the client is gone')]);
  });

  it('refuses what is no signal, which would never be heard', async () => {
    const { graph, store, reader } = await open();
    for (const signal of [5, {}, null, new AbortController()]) {
      await expect(reader.getViews(['GOAL-1'], { signal: signal as never })).rejects.toMatchObject({
        code: 'invalid-argument',
      });
      await expect(check(graph, { store, signal: signal as never })).rejects.toMatchObject({
        code: 'invalid-argument',
      });
    }
  });

  it('ends explain and status', async () => {
    const { graph, store } = await open();
    const controller = new AbortController();
    const silent = new HookedStore(store, () => never);
    const options = { store: silent, signal: controller.signal };
    const explaining = explain(graph, { key: { source: 'GOAL-1', target: 'GOAL-1' }, ...options });
    const looking = status(graph, options);
    await Promise.all([endsPromptly(controller, explaining), expect(looking).rejects.toThrow('the client is gone')]);
  });
});

describe('work whose signal is aborted', () => {
  it('a check that waits for the stream ends at once; what it has mended stays, and the next one finds the rest', async () => {
    const { graph, store, writer } = await open();
    for (let i = 0; i < 5; i++) await writer.putNode(`GOAL-${i}`, { due: '2026-01-01' });
    const controller = new AbortController();
    const waiting = moment();
    const running = check(graph, {
      ...{ store, mode: 'repair', graceMs: 3_600_000, signal: controller.signal },
      onProgress: () => waiting.resolve(),
    });
    await waiting.promise;
    await new Promise((resolve) => setTimeout(resolve, 200));
    await endsPromptly(controller, running);
    expect((await check(graph, { store, graceMs: 0 })).drift.missing).toBeGreaterThan(0);
    await check(graph, { store, mode: 'repair', graceMs: 0 });
    expect((await check(graph, { store, graceMs: 0 })).drift).toEqual({ missing: 0, stale: 0, orphan: 0 });
  });

  it('a rebuild ends after its calls under way, writes nothing after it has ended, and the next one makes the rest', async () => {
    const { graph, store, writer } = await open();
    for (let i = 0; i < 40; i++) await writer.putNode(`GOAL-${i}`, { due: '2026-01-01' });
    const controller = new AbortController();
    let underWay = 0;
    let most = 0;
    const hooked = Object.assign(
      new HookedStore(store, async ({ method }) => {
        if (method !== 'update' && method !== 'put') return;
        underWay += 1;
        most = Math.max(most, underWay);
        controller.abort(new Error('enough'));
        await new Promise((resolve) => setTimeout(resolve, 200));
        underWay -= 1;
      }),
      { scan: store.scan.bind(store) },
    );
    const running = check(graph, { store: hooked, mode: 'rebuild', signal: controller.signal });
    await expect(running).rejects.toThrow('enough');
    // Each write that was sent has its answer; none comes later.
    expect(most).toBeGreaterThan(0);
    expect(underWay).toBe(0);
    const calls = hooked.calls.length;
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(hooked.calls).toHaveLength(calls);
    await check(graph, { store, mode: 'rebuild' });
    expect((await check(graph, { store, graceMs: 0 })).drift).toEqual({ missing: 0, stale: 0, orphan: 0 });
  });

  it('a redrive ends after its calls under way; the entries that it left are settled by the next', async () => {
    const { graph, store, projectAll } = await open();
    const bad = (i: number) => ({ source: { S: `GOAL-${i}` }, target: { S: `GOAL-${i}` }, due: { S: 'no date' } });
    for (let i = 0; i < 12; i++) await store.put(bad(i));
    await projectAll();
    for (let i = 0; i < 12; i++) await store.put({ ...bad(i), due: { S: '2026-01-01' } });
    const controller = new AbortController();
    let underWay = 0;
    const hooked = new HookedStore(store, async ({ method, keys }) => {
      if (method !== 'update' || !keys[0]!.includes(' ~quarantine/')) return;
      underWay += 1;
      controller.abort(new Error('enough'));
      await new Promise((resolve) => setTimeout(resolve, 200));
      underWay -= 1;
    });
    await expect(redrive(graph, { store: hooked, concurrency: 3, signal: controller.signal })).rejects.toThrow(
      'enough',
    );
    expect(underWay).toBe(0);
    const rest = await redrive(graph, { store });
    expect(rest.entries).toBeGreaterThanOrEqual(9);
    expect(rest.entries).toBeLessThan(12);
    expect(rest).toMatchObject({ repaired: rest.entries, left: 0 });
    expect((await redrive(graph, { store })).entries).toBe(0);
  });

  it('a migration that waits for readers ends at once, and the next one goes on', async () => {
    const { graph, store, writer } = await open();
    await writer.putNode('GOAL-1', { due: '2026-01-01' });
    const controller = new AbortController();
    const waiting = moment();
    const steps: string[] = [];
    const quick = { store, wait: async () => undefined };
    await migrate(graph, quick);
    const changed = modelOf(graph.table.name, 3);
    const running = migrate(changed, {
      ...{ store, signal: controller.signal },
      onStep: ({ step }) => steps.push(step),
      wait: async () => {
        waiting.resolve();
        await never;
      },
    });
    await waiting.promise;
    await endsPromptly(controller, running);
    const next = await migrate(changed, quick);
    expect(next.done).toBe(true);
    expect(next.steps.map(({ step }) => step)).not.toContain(steps[0]);
  });

  it('putMany ends where its entries do not come', async () => {
    const { writer, store } = await open();
    const controller = new AbortController();
    const asked = moment();
    async function* entries() {
      yield { id: 'GOAL-1' };
      asked.resolve();
      await never;
    }
    const running = writer.putMany(entries(), { signal: controller.signal });
    await asked.promise;
    await endsPromptly(controller, running);
    expect((await store.get({ source: 'GOAL-1', target: 'GOAL-1' }, { consistent: true })).item).toBeUndefined();
  });
});
