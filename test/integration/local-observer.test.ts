import { afterEach, describe, expect, it, vi } from 'vitest';
import { createWriter } from '../../src/index.ts';
import { type Local, startLocal } from '../../src/local/local.ts';
import { status } from '../../src/trust/explain/status.ts';
import { readObserverState, TableMemory } from '../../src/trust/observe/memory.ts';
import type { ObservedDrift } from '../../src/trust/observe/obligation.ts';
import { goalGraph } from '../support/contracts-model.ts';

const graph = goalGraph('local-observer');
/** A test fails after this, and not before the observer has judged. */
const PATIENCE = { timeout: 60_000, interval: 50 };

let local: Local;
afterEach(() => local.stop());

describe('the observer of startLocal', () => {
  it('says through when all is right, and tells of what is broken', async () => {
    const found: ObservedDrift[] = [];
    local = await startLocal({ graph, engine: 'memory', onDrift: (drift) => found.push(drift) });
    const { store, observer } = local;
    await createWriter(graph, { store }).putNode('USER-1', { name: 'Ann' });
    await local.worker.idle();
    const writtenMs = Date.now();
    await vi.waitFor(() => expect(observer?.verifiedThroughMs).toBeGreaterThan(writtenMs), PATIENCE);
    expect(observer?.drift).toBe(0);

    const { item } = await store.get({ source: 'USER-1', target: '~view' }, { consistent: true });
    await store.put({ ...item, attributes: { M: { name: { S: 'Bob' } } } });
    await vi.waitFor(() => expect(found).toHaveLength(1), PATIENCE);
    expect(found[0]).toMatchObject({
      state: 'drift',
      isCertain: true,
      suspect: { source: 'USER-1', sortKey: '~view', part: { kind: 'attributes' } },
    });
    expect(observer?.drift).toBe(1);
    await local.stop();
    await observer?.ended;
  }, 120_000);

  it('is absent if it is not wanted, and nothing says what is verified', async () => {
    local = await startLocal({ graph, engine: 'memory', observe: false });
    expect(local.observer).toBeUndefined();
    await local.worker.idle();
    expect(await readObserverState(local.store)).toBeUndefined();
    expect(await status({ graph, store: local.store })).toMatchObject({ verifiedThrough: null, drift: 0 });
  });

  it('holds the lease, so that no other process observes the table', async () => {
    local = await startLocal({ graph, engine: 'memory' });
    const { store, observer } = local;
    await vi.waitFor(() => expect(observer?.verifiedThroughMs).toBeDefined(), PATIENCE);
    const memory = new TableMemory(store, Date.now);
    expect(await memory.open()).toBe('busy');
  }, 120_000);
});
