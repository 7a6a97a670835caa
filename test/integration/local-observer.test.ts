import { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type Local, startLocal } from '../../packages/local/local.ts';
import { createWriter } from '../../src/index.ts';
import { readPublishedLowWatermark } from '../../src/stream/progress/applied-places.ts';
import { status } from '../../src/trust/explain/status.ts';
import type { ObservedDrift } from '../../src/trust/observe/drift.ts';
import { readObserverProgress, TableMemory } from '../../src/trust/observe/memory.ts';
import { goalGraph } from '../support/contracts-model.ts';
import { readersOf, StreamReaders } from '../support/stream-readers.ts';

const graph = goalGraph('local-observer');
/** A test fails after this, and not before the observer has judged. */
const PATIENCE = { timeout: 60_000, interval: 50 };

let local: Local;
afterEach(async () => {
  await local.stop();
  vi.restoreAllMocks();
});

describe('the observer of startLocal', () => {
  it('says through when all is right, and tells of what is broken', async () => {
    const found: ObservedDrift[] = [];
    local = await startLocal(graph, { engine: 'memory', onDrift: (drift) => found.push(drift) });
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
      isCertain: true,
      suspect: { source: 'USER-1', sortKey: '~view' },
      differences: [{ kind: 'attributes' }],
    });
    await vi.waitFor(() => expect(observer?.drift).toBe(1), PATIENCE);
    await local.stop();
    await observer?.ended;
  });

  it('reads each shard once, so that with the worker there are two readers', async () => {
    const readers = new StreamReaders();
    const send = DynamoDBStreamsClient.prototype.send as (command: object) => Promise<unknown>;
    vi.spyOn(DynamoDBStreamsClient.prototype, 'send').mockImplementation(function (
      this: DynamoDBStreamsClient,
      command: object,
    ) {
      return readers.send(command, (one) => send.call(this, one));
    } as never);
    local = await startLocal(graph, { engine: 'memory' });
    const { store, observer } = local;
    await vi.waitFor(() => expect(observer?.verifiedThroughMs).toBeDefined(), PATIENCE);
    const writtenMs = Date.now();
    await createWriter(graph, { store }).putNode('USER-1', { name: 'Ann' });
    readers.reads.length = 0;
    await vi.waitFor(() => expect(observer?.verifiedThroughMs).toBeGreaterThan(writtenMs), PATIENCE);
    // The mark is moved meanwhile: a finding waits for it.
    await vi.waitFor(async () => {
      expect((await readPublishedLowWatermark(store)).published?.upToMs).toBeGreaterThan(writtenMs);
    }, PATIENCE);
    const counts = [...readersOf(readers.reads).values()];
    expect(counts.length).toBeGreaterThan(0);
    expect(Math.max(...counts)).toBe(2);
  });

  it('is absent if it is not expected, and nothing says what is verified', async () => {
    local = await startLocal(graph, { engine: 'memory', observe: false });
    expect(local.observer).toBeUndefined();
    await local.worker.idle();
    expect(await readObserverProgress(local.store)).toBeUndefined();
    expect(await status(graph, { store: local.store })).toMatchObject({ verifiedThrough: null, drift: 0 });
  });

  it('holds the lease, so that no other process observes the table', async () => {
    local = await startLocal(graph, { engine: 'memory' });
    const { store, observer } = local;
    await vi.waitFor(() => expect(observer?.verifiedThroughMs).toBeDefined(), PATIENCE);
    const memory = new TableMemory(store, Date.now);
    expect(await memory.open()).toBe('busy');
  });
});
