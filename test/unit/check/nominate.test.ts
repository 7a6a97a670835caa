import { expect, it } from 'vitest';
import { check } from '../../../src/admin.ts';
import { type Item, stringOf } from '../../../src/core/items/attribute-value.ts';
import { defineGraph, edge, node, source } from '../../../src/index.ts';
import { createProjector } from '../../../src/projecting/apply/projector.ts';
import { nominate } from '../../../src/trust/check/nominate.ts';
import { StreamedStore } from '../../support/streamed-store.ts';

const graph = defineGraph({
  table: 'records',
  nodes: { TICKET: node({ view: ['title'] }), PROJECT: node({ view: 'ALL' }) },
  edges: {
    IN_PROJECT: edge({
      from: 'TICKET',
      to: 'PROJECT',
      inbound: { orders: { byDue: source('dueDate'), byRole: 'role', byTitle: [source('title'), 'role'] } },
    }),
  },
});
const EDGES = 5;

/** A ticket with edges, projected, whose view was damaged: the partition is looked at closer, and all else in it is right. */
async function damagedView(): Promise<StreamedStore> {
  const store = new StreamedStore(graph);
  await store.producer('TICKET-1', 'TICKET-1', { title: { S: 'First' }, dueDate: { S: '2026-01-01' } });
  for (let i = 0; i < EDGES; i++) await store.producer('TICKET-1', `IN_PROJECT-PROJECT-${i}`, { role: { S: 'owner' } });
  await createProjector(graph, { store }).project(store.records);
  const view = await store.derived('TICKET-1', '~view');
  await store.put({ ...view, attributes: { M: { title: { S: 'Other' } } } });
  return store;
}

it('a closer look at a partition names only what differs, also beside items of several named orders', async () => {
  const store = await damagedView();
  const result = await check(graph, { store, graceMs: 1 });
  expect(result.drift).toEqual({ missing: 0, stale: 1, orphan: 0 });
  expect(result.superseded).toBe(0);
});

it('a rebuild writes only what differs, also beside items of several named orders', async () => {
  const store = await damagedView();
  const before = store.derivedChanges.length;
  const result = await check(graph, { store, mode: 'rebuild' });
  expect(result.repaired).toBe(1);
  // A rebuild leaves no note of itself.
  expect(store.derivedChanges.length - before).toBe(1);
});

it('a closer look suspects a total that is changed after its entries were read, though both say the same', async () => {
  const counted = defineGraph({
    table: 'records',
    nodes: { USER: node({}), PARTY: node({}) },
    edges: {
      VISITS: edge({ from: 'USER', to: 'PARTY', edgeSet: false, inbound: { total: {} } }),
      // The items of an order of its own are read apart: a Query ends before them, and one begins behind them.
      AT: edge({ from: 'PARTY', to: 'USER', edgeSet: false, inbound: { orders: { a: 'a', b: 'b', c: 'c' } } }),
    },
  });
  const store = new StreamedStore(counted);
  for (const id of ['USER-1', 'USER-2']) await store.producer(id, 'VISITS-PARTY-1', {});
  await createProjector(counted, { store }).project(store.records);
  const [total, entry] = ['~total/VISITS', '~in/VISITS-USER-2'].map((target) => ({ source: 'PARTY-1', target }));
  const right = await store.derived(entry!.source, entry!.target);
  await store.delete(total!);
  await store.delete(entry!);
  const repairing = new Proxy(store, {
    get(target, name) {
      const member = Reflect.get(target, name) as unknown;
      if (typeof member !== 'function') return member;
      return async (...parameters: unknown[]) => {
        const result = (await member.apply(target, parameters)) as { items?: readonly Item[] };
        // A repair of the lost entry makes the total anew, of this entry alone.
        if (name !== 'query' || result.items?.some((item) => stringOf(item['target']) === '~in/VISITS-USER-1') !== true)
          return result;
        await store.put(right!);
        await store.put({ source: { S: 'PARTY-1' }, target: { S: total!.target }, count: { N: '1' }, r: { N: '1' } });
        return result;
      };
    },
  });
  const suspects: string[] = [];
  for await (const named of nominate({ graph: counted, store: repairing }, 'PARTY-1'))
    suspects.push(...named.map(({ suspect }) => suspect.sortKey));
  expect(suspects).toEqual([total!.target]);
});

it('names the same suspects of a partition that has more parts than are kept, in several readings', async () => {
  const store = new StreamedStore(graph);
  await store.producer('TICKET-1', 'TICKET-1', { title: { S: 'First' }, dueDate: { S: '2026-01-01' } });
  for (let i = 0; i < 60; i++) await store.producer('TICKET-1', `IN_PROJECT-PROJECT-${i}`, { role: { S: 'owner' } });
  await createProjector(graph, { store }).project(store.records);
  const namedWith = async (mostParts?: number): Promise<{ names: string[]; readings: number }> => {
    const names: string[] = [];
    let readings = 0;
    for await (const named of nominate({ graph, store, ...(mostParts !== undefined && { mostParts }) }, 'TICKET-1')) {
      readings += 1;
      names.push(...named.map(({ suspect: { sortKey, bases = [] } }) => `${sortKey} ${JSON.stringify(bases)}`));
    }
    return { names: names.sort(), readings };
  };
  expect(await namedWith(3)).toEqual({ names: [], readings: 1 });
  const { items } = await store.query({ partition: 'TICKET-1', sortKey: { beginsWith: '~ix/' } });
  const [lost, changed, copied] = [items[3]!, items[17]!, items[40]!];
  await store.delete({ source: 'TICKET-1', target: stringOf(lost['target'])! });
  await store.put({ ...changed, gsi0sk: { S: 'elsewhere' } });
  await store.put({ ...copied, target: { S: `${stringOf(copied['target'])!}9` } });
  const view = await store.derived('TICKET-1', '~view');
  await store.put({ ...view, attributes: { M: { title: { S: 'Other' } } } });
  const whole = await namedWith();
  expect(whole).toMatchObject({ names: { length: 4 }, readings: 1 });
  const parted = await namedWith(3);
  expect(parted.names).toEqual(whole.names);
  expect(parted.readings).toBeGreaterThan(1);
});
