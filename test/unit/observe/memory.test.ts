import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { itemSizeBytes } from '../../../src/core/items/attribute-value.ts';
import type { ObservedDrift } from '../../../src/trust/observe/drift.ts';
import { OBSERVER_LEASE_MS, readObserverProgress, TableMemory } from '../../../src/trust/observe/memory.ts';
import type { ObserverState } from '../../../src/trust/observe/state.ts';
import { followGraph } from '../../support/follow-graph.ts';
import { HookedStore, type StoreCall } from '../../support/hooked-store.ts';
import { MemoryStore } from '../../support/memory-store/memory-store.ts';

const MOST_ITEM_BYTES = 400_000;
const MANY = 300;

/** The state of an observer of a table with some shards, whose feed has told a record of each. */
function stateOf(shards: number, after: string): ObserverState {
  const ids = Array.from({ length: shards }, (_, i) => `shardId-${String(i).padStart(20, '0')}-4f2e9a11`);
  return {
    streamArn: 'arn:aws:dynamodb:eu-central-1:123456789012:table/records/stream/2026-03-01T00:00:00.000',
    savedMs: 5_000,
    shards: ids.map((shardId) => ({ shardId, after, isFinished: false, sinceMs: 4_000 })),
    throughMs: 3_000,
    baseMs: 1_000,
    ready: ['search:USER.naïve@2'],
    positionsMs: 500,
    drift: [],
    heldBy: 'GÖAL-1 ~view',
    feed: { told: Object.fromEntries(ids.map((shardId) => [shardId, after])), places: { 'search:USER.naïve': '1' } },
  };
}

/** A table, with processes of the observer that keep their state there. */
function keptState() {
  const clock = { nowMs: 0 };
  const table = new MemoryStore(followGraph('records').table);
  const hooks: { before: (call: StoreCall) => Promise<void> | void } = { before: () => undefined };
  const store = new HookedStore(table, (call) => hooks.before(call));
  const process = (): TableMemory => new TableMemory(store, () => clock.nowMs);
  const expireLease = (): void => {
    clock.nowMs += OBSERVER_LEASE_MS + 1;
  };
  return { table, store, hooks, process, expireLease };
}

describe('the state of an observer', () => {
  it.each([3, 5_000])('is read again by another process, with %i shards', async (shards) => {
    const { store, process } = keptState();
    const first = process();
    expect(await first.open()).toBeUndefined();
    for (const after of ['100', '200', '300']) expect(await first.save(stateOf(shards, after))).toBe(true);
    await first.close();
    expect(await process().open()).toEqual({ ...stateOf(shards, '300'), isEnded: true });
    // Whoever asks how far it is reads one item.
    expect(await readObserverProgress(store)).toMatchObject({ throughMs: 3_000, drift: [], isEnded: true });
  });

  it('has room for the places in 14,000 shards', async () => {
    const { table, process } = keptState();
    const state = stateOf(14_000, '1');
    const digest = (i: number): string => createHash('sha256').update(String(i)).digest('hex');
    // As DynamoDB names them; most of those that it lists have ended.
    state.shards.forEach((shard, i) => {
      shard.shardId = `shardId-0000000${1_790_000_000_000 + Number(`0x${digest(i).slice(0, 6)}`) * 5}-${digest(i).slice(8, 16)}`;
      if (i % 3 > 0) Object.assign(shard, { after: undefined, isFinished: true });
      else shard.after = String(4n * 10n ** 20n + BigInt(`0x${digest(i).slice(0, 12)}`));
    });
    const told = state.shards.flatMap(({ shardId, after }) => (after === undefined ? [] : [[shardId, after]]));
    const first = process();
    await first.open();
    expect(await first.save({ ...state, feed: { told: Object.fromEntries(told), places: {} } })).toBe(true);
    const [item, ...others] = [...table.items()];
    expect(others).toEqual([]);
    expect(itemSizeBytes(item!)).toBeLessThan(MOST_ITEM_BYTES);
    await first.close();
    expect(await process().open()).toMatchObject({ shards: JSON.parse(JSON.stringify(state.shards)), isEnded: true });
  });

  it('has room for differences between large contents', async () => {
    const { table, store, process } = keptState();
    const text = `😀${'x'.repeat(300_000)}`;
    const drift = Array.from({ length: 25 }, (_, i): ObservedDrift => {
      const suspect = { source: `GOAL-${i}`, sortKey: '~view' };
      const contents = i === 0 ? { expected: text, stored: null } : { expected: 'short', stored: text };
      return { suspect, differences: [{ kind: 'attributes' }], ...contents, foundMs: 1, isCertain: true };
    });
    const first = process();
    await first.open();
    expect(await first.save({ ...stateOf(3, '1'), drift })).toBe(true);
    for (const item of table.items()) expect(JSON.stringify(item).length).toBeLessThan(MOST_ITEM_BYTES);
    const saved = (await readObserverProgress(store))!.drift;
    expect(saved.map(({ suspect }) => suspect)).toEqual(drift.map(({ suspect }) => suspect));
    expect(saved[0]).toMatchObject({ stored: null, isCertain: true });
    expect(saved[1]!.expected).toBe('short');
    for (const cut of [saved[0]!.expected, saved[1]!.stored]) expect(cut).toMatch(/^😀x+…$/u);
  });

  it('of another version is none, and its lease holds', async () => {
    const { table, process, expireLease } = keptState();
    const lease = { holder: 'another', leaseUntilMs: OBSERVER_LEASE_MS };
    const saved = JSON.stringify({ ...lease, state: { positions: 'in a form that this version does not know' } });
    await table.put({ source: { S: '~edgeloom' }, target: { S: 'observer' }, state: { S: saved } });
    expect(await process().open()).toBe('busy');
    expireLease();
    expect(await process().open()).toBeUndefined();
  });

  it('is the one before after a crash at any call of a save', async () => {
    for (let crash = 1; ; crash++) {
      const { store, hooks, process, expireLease } = keptState();
      const first = process();
      await first.open();
      await first.save(stateOf(MANY, '100'));
      let calls = 0;
      hooks.before = () => {
        calls += 1;
        if (calls === crash) throw new Error('crashed');
      };
      const end = await first.save(stateOf(MANY, '200')).catch(() => 'crashed');
      hooks.before = () => undefined;
      expireLease();
      const { shards } = (await process().open()) as ObserverState;
      const after = end === 'crashed' ? '100' : '200';
      expect(shards.every((shard) => shard.after === after)).toBe(true);
      expect(await readObserverProgress(store)).toBeDefined();
      if (end !== 'crashed') break;
      expect(crash).toBeLessThan(20);
    }
  });

  it.each([1, 2, 3])(
    'is not written over by a process that has lost its lease, at whichever call the next one saves: %i times',
    async (saves) => {
      let overtaken = 0;
      for (let at = 1; at < 12; at++) {
        const { hooks, process, expireLease } = keptState();
        const zombie = process();
        await zombie.open();
        await zombie.save(stateOf(MANY, '100'));
        const next = process();
        let calls = 0;
        hooks.before = async () => {
          calls += 1;
          if (calls !== at) return;
          hooks.before = () => undefined;
          expireLease();
          await next.open();
          for (let i = 1; i <= saves; i++) expect(await next.save(stateOf(MANY, String(200 + i)))).toBe(true);
          overtaken += 1;
        };
        const isSaved = await zombie.save(stateOf(MANY, '150'));
        expect(isSaved).toBe(calls < at);
        await next.close();
        if (calls < at) continue;
        const read = await process().open();
        expect(read).toEqual({ ...stateOf(MANY, String(200 + saves)), isEnded: true });
      }
      expect(overtaken).toBeGreaterThan(1);
    },
  );
});
