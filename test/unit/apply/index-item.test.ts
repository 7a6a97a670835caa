import { describe, expect, it } from 'vitest';
import type { Item } from '../../../src/core/items/attribute-value.ts';
import type { ChangeRecord } from '../../../src/core/items/change-record.ts';
import { defineGraph } from '../../../src/core/model/compile/define-graph.ts';
import { edge, node } from '../../../src/core/model/schema.ts';
import { createProjector } from '../../../src/projecting/apply/projector.ts';
import { fixedModel } from '../../../src/registry/writer-model.ts';
import { HookedStore, type StoreCall } from '../../support/hooked-store.ts';
import { at } from '../../support/records.ts';
import { StreamedStore } from '../../support/streamed-store.ts';

const graph = defineGraph({
  table: 'records',
  nodes: { GOAL: node({ view: 'ALL' }), USER: node({ view: 'ALL' }) },
  edges: { MEMBER: edge({ from: 'GOAL', to: 'USER', edgeSet: false, inbound: { orders: { gsi0: 'role' } } }) },
});
const G = 'GOAL-1';
const EDGE = 'MEMBER-USER-1';
const KEY = '~ix/MEMBER-USER-1';
const UPDATE = `update ${G} ${KEY}`;
const READ = `get ${G} ${EDGE}`;
const NOW_SECONDS = 1_800_000_000;
const role = (text: string): Item => ({ role: { S: text } });

function setUp(before?: (call: StoreCall, number: number) => Promise<void> | void) {
  const table = new StreamedStore(graph);
  const hooked = new HookedStore(table, before);
  const projector = createProjector(graph, {
    model: fixedModel(graph),
    store: hooked,
    now: () => NOW_SECONDS * 1000,
    concurrency: 1,
  });
  const project = async (...records: (ChangeRecord | undefined)[]) =>
    await projector.project(records.filter((record) => record !== undefined));
  const item = async () => await table.derived(G, KEY);
  /** What the index item is sorted by; undefined where it has no index keys. */
  const order = async () => {
    const sortKey = (await item())?.['gsi0sk'];
    return sortKey !== undefined && 'S' in sortKey ? sortKey.S.split('\u0000')[0] : undefined;
  };
  return { table, hooked, project, item, order };
}

describe('an index item', () => {
  it('is one update and no read, whatever its records are', async () => {
    const { table, hooked, project, item } = setUp();
    await project(await table.producer(G, EDGE, role('A')), await table.producer(G, EDGE, role('B')));
    expect(hooked.log).toEqual([UPDATE]);
    expect(await item()).toEqual({
      source: { S: G },
      target: { S: KEY },
      gsi0pk: { S: EDGE },
      gsi0sk: { S: `B\u0000${G}` },
      w: { S: at(2) },
      r: { N: '1' },
      model: { S: graph.fingerprint },
    });
    await project(await table.producer(G, EDGE, role('C')));
    expect(hooked.log).toEqual([UPDATE, UPDATE]);
  });

  it('becomes a tombstone without index keys, and comes back without expiry', async () => {
    const { table, project, item, order } = setUp();
    await project(await table.producer(G, EDGE, role('A')));
    await project(await table.producer(G, EDGE, undefined));
    expect(await item()).toEqual({
      source: { S: G },
      target: { S: KEY },
      w: { S: at(2) },
      r: { N: '2' },
      model: { S: graph.fingerprint },
      expiresAt: { N: String(NOW_SECONDS + 48 * 3600) },
    });
    await project(await table.producer(G, EDGE, role('B')));
    expect(await item()).not.toHaveProperty('expiresAt');
    expect(await order()).toBe('B');
  });

  it('leaves a tombstone even where no item is seen: an earlier cut may arrive later', async () => {
    const { table, project, item, order } = setUp();
    const made = await table.producer(G, EDGE, role('A'));
    const gone = await table.producer(G, EDGE, undefined);
    await project(made, gone);
    expect(await item()).toMatchObject({ w: { S: at(2) }, expiresAt: { N: expect.any(String) } });
    await project(made);
    expect(await order()).toBeUndefined();
  });
});

describe('an older record', () => {
  it('that says what the item says is done: no read, no second write', async () => {
    const { table, hooked, project } = setUp();
    const first = await table.producer(G, EDGE, role('A'));
    await project(first);
    hooked.calls.length = 0;
    expect(await project(first)).toMatchObject({ stale: 1, contradictions: 0, rcu: 0 });
    expect(hooked.log).toEqual([UPDATE]);
  });

  it('that says otherwise is settled by the base item, under the revision seen', async () => {
    const { table, hooked, project, item, order } = setUp();
    const first = await table.producer(G, EDGE, role('A'));
    await project(first, await table.producer(G, EDGE, role('B')));
    hooked.calls.length = 0;
    expect(await project(first)).toMatchObject({ stale: 1, contradictions: 1, rcu: 1 });
    expect(hooked.log).toEqual([UPDATE, READ, UPDATE]);
    expect(await order()).toBe('B');
    expect(await item()).toMatchObject({ w: { S: at(2) }, r: { N: '2' } });
  });

  it('is right where the positions of shards are not in order: the base item says so', async () => {
    const { table, project, order } = setUp();
    const first = (await table.producer(G, EDGE, role('A')))!;
    const second = (await table.producer(G, EDGE, role('B')))!;
    // The later change has the lower position, as it may across shards.
    await project({ ...first, position: at(9) });
    await project({ ...second, position: at(3) });
    expect(await order()).toBe('B');
  });

  it('on a conflict is compared and settled anew', async () => {
    let interfere: (() => Promise<unknown>) | undefined;
    const { table, hooked, project, order } = setUp(async ({ method }) => {
      if (method !== 'update' || hooked.calls.length !== 3) return;
      await interfere?.();
    });
    const first = await table.producer(G, EDGE, role('A'));
    await project(first, await table.producer(G, EDGE, role('B')));
    hooked.calls.length = 0;
    interfere = async () => {
      const third = await table.producer(G, EDGE, role('C'));
      await createProjector(graph, { model: fixedModel(graph), store: table }).project([third!]);
    };
    await project(first);
    expect(hooked.log).toEqual([UPDATE, READ, UPDATE, READ, UPDATE]);
    expect(await order()).toBe('C');
  });

  it('leaves a trace where it agrees, unless the very same records came before', async () => {
    let interfere: (() => Promise<unknown>) | undefined;
    const { table, project, order, item } = setUp(async ({ method, keys }, number) => {
      if (method === 'update' && keys[0] === `${G} ${KEY}` && number > 2) await interfere?.();
    });
    // A shard's child begins with smaller positions than its parent ended with, as it may.
    const made = (await table.producer(G, EDGE, role('A')))!;
    const gone = (await table.producer(G, EDGE, undefined))!;
    const again = (await table.producer(G, EDGE, role('A')))!;
    await project({ ...again, position: at(10) });
    const goneAgain = (await table.producer(G, EDGE, undefined))!;
    let isFirst = true;
    interfere = async () => {
      if (!isFirst) return;
      isFirst = false;
      // A late copy of an older record has read that the edge is absent, and stands still before its write.
      const back = (await table.producer(G, EDGE, role('A')))!;
      const batch = [
        { ...goneAgain, position: at(6) },
        { ...back, position: at(7) },
      ];
      expect(await createProjector(graph, { model: fixedModel(graph), store: table }).project(batch)).toMatchObject({
        writes: 2,
        rcu: 0,
      });
      expect(
        await createProjector(graph, { model: fixedModel(graph), store: table }).project([
          { ...made, position: at(10) },
        ]),
      ).toMatchObject({
        writes: 1,
      });
    };
    await project({ ...gone, position: at(8) });
    expect(await order()).toBe('A');
    expect(await item()).toMatchObject({ w: { S: at(10) } });
  });

  it('is settled by the base item where the watermark is from the future', async () => {
    const { table, project, order } = setUp();
    const first = await table.producer(G, EDGE, role('A'));
    await project(first);
    await table.put({ ...(await table.derived(G, KEY))!, w: { S: '9999/1' } });
    await project(await table.producer(G, EDGE, role('B')));
    expect(await order()).toBe('B');
    await project(first);
    expect(await order()).toBe('B');
  });
});
