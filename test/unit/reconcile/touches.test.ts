import { describe, expect, it } from 'vitest';
import type { Item } from '../../../src/core/items/attribute-value.ts';
import type { ChangeRecord } from '../../../src/core/items/change-record.ts';
import { defineGraph } from '../../../src/core/model/compile/define-graph.ts';
import { edge, node } from '../../../src/core/model/schema.ts';
import { SEND_WITHIN_MS } from '../../../src/foundation/late-writes.ts';
import { createProjector } from '../../../src/projecting/apply/projector.ts';
import { fixedModel } from '../../../src/registry/writer-model.ts';
import { HookedStore, type StoreCall } from '../../support/hooked-store.ts';
import { StreamedStore } from '../../support/streamed-store.ts';

const graph = defineGraph({
  table: 'records',
  nodes: {
    GOAL: node({ view: ['title'], search: { hours: { type: 'number', shards: 1 } } }),
    USER: node({ view: 'ALL' }),
  },
  edges: {
    MEMBER: edge({ from: 'GOAL', to: 'USER', edgeSet: ['role'], inbound: { orders: { gsi0: 'role' } } }),
    LIKES: edge({ from: 'GOAL', to: 'USER' }),
  },
});
const G = 'GOAL-1';
const EDGE = 'MEMBER-USER-1';
const INDEX_KEY = `~ix/${EDGE}`;
const LIKES = 'LIKES-USER-2';
const ENTRY = `~quarantine/${G}`;
const NOW_SECONDS = 1_800_000_000;
const role = (text: string): Item => ({ role: { S: text } });
const element = (text: string): string => `${EDGE}|role=${text}`;

/** A table, and a projector over it that notes its calls. */
function setUp(before?: (call: StoreCall, number: number) => Promise<void> | void) {
  const table = new StreamedStore(graph);
  const hooked = new HookedStore(table, before);
  const clock = { ms: NOW_SECONDS * 1000 };
  const settings = { model: fixedModel(graph), now: () => clock.ms, concurrency: 1, wait: async () => undefined };
  const projectorOf = (store: HookedStore | StreamedStore) => createProjector(graph, { ...settings, store });
  const projectBy = async (store: HookedStore | StreamedStore, records: readonly (ChangeRecord | undefined)[]) =>
    await projectorOf(store).project(records.filter((record) => record !== undefined));
  const project = (...records: (ChangeRecord | undefined)[]) => projectBy(hooked, records);
  const projectBeside = (...records: (ChangeRecord | undefined)[]) => projectBy(table, records);
  const view = () => table.derived(G, '~view');
  const elements = async () => {
    const set = (await view())?.['edgeSet'];
    return set !== undefined && 'SS' in set ? [...set.SS].sort() : undefined;
  };
  const order = async () => {
    const sortKey = (await table.derived(G, INDEX_KEY))?.['gsi0sk'];
    return sortKey !== undefined && 'S' in sortKey ? sortKey.S.split('\u0000')[0] : undefined;
  };
  return { table, hooked, clock, project, projectBeside, view, elements, order };
}

describe('a batch', () => {
  it('reads the derived items, then the base items, then writes each derived item once', async () => {
    const { table, hooked, project, view, order } = setUp();
    const result = await project(
      await table.producer(G, G, { title: { S: 'a' } }),
      await table.producer(G, EDGE, role('A')),
      await table.producer(G, EDGE, role('B')),
    );
    expect(hooked.log).toEqual([
      `getMany ${G} ~view ${G} ${INDEX_KEY}`,
      `getMany ${G} ${G} ${G} ${EDGE}`,
      `update ${G} ~view`,
      `update ${G} ${INDEX_KEY}`,
    ]);
    expect(result).toMatchObject({ touches: 2, writes: 2, conflicts: 0, failedFrom: undefined });
    expect(await view()).toEqual({
      source: { S: G },
      target: { S: '~view' },
      attributes: { M: { title: { S: 'a' } } },
      edgeSet: { SS: [element('B')] },
      r: { N: '1' },
      model: { S: graph.fingerprint },
    });
    expect(await order()).toBe('B');
  });

  it('writes what base items say now, whatever its records say', async () => {
    const { table, project, elements, order } = setUp();
    const first = await table.producer(G, EDGE, role('A'));
    await table.producer(G, EDGE, role('B'));
    await project(first);
    expect([await elements(), await order()]).toEqual([[element('B')], 'B']);
  });

  it('leaves the elements of other edges as they are', async () => {
    const { table, project, elements } = setUp();
    await project(await table.producer(G, EDGE, role('A')), await table.producer(G, LIKES, {}));
    await project(await table.producer(G, EDGE, undefined));
    expect(await elements()).toEqual([LIKES]);
  });

  it('touches nothing where no share changes', async () => {
    const { table, hooked, project } = setUp();
    await project(await table.producer(G, EDGE, { ...role('A'), note: { S: 'x' } }));
    hooked.calls.length = 0;
    expect(await project(await table.producer(G, EDGE, { ...role('A'), note: { S: 'y' } }))).toMatchObject({
      touches: 0,
    });
    expect(hooked.log).toEqual([]);
  });

  it('takes a stream of keys alone', async () => {
    const { table, project, elements, order } = setUp();
    const { oldImage: _old, newImage: _new, ...keys } = (await table.producer(G, EDGE, role('A')))!;
    await project({ ...keys, isPartial: true });
    expect([await elements(), await order()]).toEqual([[element('A')], 'A']);
    const { oldImage: _was, newImage: _is, ...gone } = (await table.producer(G, EDGE, undefined))!;
    await project({ ...gone, isPartial: true });
    expect([await elements(), await order()]).toEqual([undefined, undefined]);
  });
});

describe('a write under the revision that was read', () => {
  it('counts the revision also where nothing differs: a worker with an older read must fail', async () => {
    const { table, project, view } = setUp();
    const first = await table.producer(G, EDGE, role('A'));
    await project(first);
    const before = (await view())!;
    await project(first);
    expect(await view()).toEqual({ ...before, r: { N: '2' } });
  });

  it('reads both again after a conflict', async () => {
    let interfere: (() => Promise<unknown>) | undefined;
    const { table, hooked, project, projectBeside, elements } = setUp(async ({ method }) => {
      if (method !== 'update' || interfere === undefined) return;
      const run = interfere;
      interfere = undefined;
      await run();
    });
    const first = await table.producer(G, LIKES, {});
    interfere = async () => projectBeside(await table.producer(G, LIKES, undefined));
    expect(await project(first)).toMatchObject({ conflicts: 1, failedFrom: undefined });
    const read = `getMany ${G} ${LIKES}`;
    expect(hooked.log).toEqual([`getMany ${G} ~view`, read, `update ${G} ~view`, read, `update ${G} ~view`]);
    expect(await elements()).toBeUndefined();
  });

  it('is not sent long after the read: the batch of a suspended process comes again', async () => {
    const state = { isLate: true };
    const { table, clock, project, elements, view } = setUp(({ method, keys }) => {
      if (method !== 'getMany' || !keys.includes(`${G} ${LIKES}`) || !state.isLate) return;
      state.isLate = false;
      clock.ms += SEND_WITHIN_MS + 1;
    });
    const records = [await table.producer(G, EDGE, role('A')), await table.producer(G, LIKES, {})];
    // The registry's head is as old as the read: not even another read of the items helps.
    expect(await project(...records)).toMatchObject({ failedFrom: records[0] });
    expect(await view()).toBeUndefined();
    expect(await project(...records)).toMatchObject({ failedFrom: undefined });
    expect(await elements()).toEqual([LIKES, element('A')].sort());
  });
});

describe('tombstones', () => {
  it('are left where nothing is left, also where no item was there before', async () => {
    const { table, project, view } = setUp();
    const tombstone = {
      source: { S: G },
      target: { S: '~view' },
      model: { S: graph.fingerprint },
      expiresAt: { N: String(NOW_SECONDS + 48 * 3600) },
    };
    await project(await table.producer(G, G, {}), await table.producer(G, G, undefined));
    expect(await view()).toEqual({ ...tombstone, r: { N: '1' } });
    await project(await table.producer(G, G, {}));
    expect(await view()).not.toHaveProperty('expiresAt');
    await project(await table.producer(G, G, undefined));
    expect(await view()).toEqual({ ...tombstone, r: { N: '3' } });
  });

  it('come back to life without expiry, so that TTL does not delete a live item', async () => {
    const { table, project, order } = setUp();
    await project(await table.producer(G, EDGE, role('A')));
    await project(await table.producer(G, EDGE, undefined));
    await project(await table.producer(G, EDGE, role('B')));
    expect(await order()).toBe('B');
    expect(table.expire(NOW_SECONDS + 1e9)).toBe(0);
  });
});

describe('evicted edge types', () => {
  it('stay out of the view, whose revision counts all the same, and their edges are not read', async () => {
    const { table, hooked, project, view } = setUp();
    await table.put({ source: { S: G }, target: { S: '~view' }, evicted: { SS: ['LIKES'] }, r: { N: '5' } });
    await project(await table.producer(G, LIKES, {}));
    expect(await view()).toMatchObject({ evicted: { SS: ['LIKES'] }, r: { N: '6' } });
    expect(await view()).not.toHaveProperty('edgeSet');
    expect(hooked.log).toEqual([`getMany ${G} ~view`, `update ${G} ~view`]);
  });
});

describe('the entry of a base item that cannot be derived in full', () => {
  it('comes with the fault, keeps its time, and goes when the base item is right', async () => {
    const { table, project } = setUp();
    const entry = () => table.derived(G, ENTRY);
    await project(await table.producer(G, G, { hours: { S: 'many' } }));
    expect(await entry()).toMatchObject({ of: { S: G }, code: { S: 'wrong-type' }, gsi0pk: { S: '~quarantine' } });
    const since = (await entry())?.['since'];
    await project(await table.producer(G, G, { hours: { BOOL: true } }));
    expect(await entry()).toMatchObject({ since, reason: { S: expect.stringContaining('boolean') } });
    await project(await table.producer(G, G, { hours: { N: '3' } }));
    expect(await entry()).not.toHaveProperty('of');
    expect(await entry()).toHaveProperty('expiresAt');
  });

  it('does not come from a late record of a fault that is mended', async () => {
    const { table, project } = setUp();
    const faulty = await table.producer(G, G, { hours: { S: 'many' } });
    const mended = await table.producer(G, G, { hours: { N: '3' } });
    await project(mended);
    expect(await project(faulty)).toMatchObject({ quarantined: 0 });
    expect(await table.derived(G, ENTRY)).not.toHaveProperty('of');
  });
});
