import { expect, it } from 'vitest';
import { startFeed } from '../../src/client/feed/start-feed.ts';
import { applyWatchEvent } from '../../src/client/feed/watch-types.ts';
import { createReader } from '../../src/client/read/reader.ts';
import { scanNodes } from '../../src/client/read/scan-nodes.ts';
import { createSession } from '../../src/client/session/session.ts';
import { createWriter } from '../../src/client/write/writer.ts';
import type { Item } from '../../src/core/items/attribute-value.ts';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import { edge, node } from '../../src/core/model/schema.ts';
import type { ItemKey } from '../../src/core/store-port.ts';
import { explain } from '../../src/trust/explain/explain.ts';
import { allPages } from '../support/reader.ts';
import { openTable, uniqueTableName } from '../support/table.ts';

/** The moment at which items end, in epoch seconds: long enough from now for engines that delete by themselves. */
const END = 4_000_000_000;
const ENDS: Item = { expiresAt: { N: String(END) } };

function endingGraph() {
  return defineGraph({
    table: uniqueTableName(),
    nodes: {
      GOAL: node({ view: ['title'] }),
      USER: node({
        expires: 'expiresAt',
        view: ['name'],
        list: true,
        search: { name: { shards: 2 } },
      }),
    },
    edges: {
      MEMBER: edge({
        expires: 'expiresAt',
        from: 'GOAL',
        to: 'USER',
        edgeSet: ['role'],
        copy: ['name'],
        inbound: { orders: { bySince: 'since' } },
      }),
      KNOWS: edge({ from: 'USER', to: 'USER' }),
    },
  });
}

type Table = Awaited<ReturnType<typeof openTable<ReturnType<typeof endingGraph>>>>;

const users = [1, 2, 3, 4, 5].map((i) => `USER-${i}`);

/** A table, projected, of which some items end. */
async function endingTable(ends: (key: ItemKey) => boolean): Promise<Table> {
  const table = await openTable(endingGraph());
  const put = async (source: string, target: string, attributes: Item): Promise<void> => {
    const end = ends({ source, target }) ? ENDS : {};
    await table.store.put({ source: { S: source }, target: { S: target }, ...attributes, ...end });
  };
  for (const id of ['GOAL-1', 'GOAL-2']) await put(id, id, { title: { S: id } });
  for (const [i, id] of users.entries()) {
    await put(id, id, { name: { S: `n${i % 2}` } });
    for (const goal of ['GOAL-1', 'GOAL-2'])
      await put(goal, `MEMBER-${id}`, { role: { S: `r${i % 2}` }, since: { S: `202${i}` } });
    await put(id, 'KNOWS-USER-2', {});
  }
  while ((await table.projectAll()).records > 0);
  return table;
}

/** Edges of some members, which end. */
const ofMembers = ({ target }: ItemKey): boolean => /-USER-[235]$/.test(target);

it('has what is put again, for a session at once', async () => {
  const ending = await endingTable(ofMembers);
  const session = createSession();
  const now = () => END * 1000;
  const writer = createWriter(ending.graph, { store: ending.store, now }).with(session);
  const reader = createReader(ending.graph, { store: ending.store, now }).with(session);
  const sources = async () => (await reader.inbound('USER-2', 'MEMBER')).items.map(({ source }) => source);
  expect(await sources()).toEqual([]);
  const late = writer.updateEdge('GOAL-1', 'MEMBER', 'USER-2', { set: { expiresAt: END + 1 } });
  await expect(late).rejects.toMatchObject({ code: 'not-found' });
  await writer.putEdge('GOAL-1', 'MEMBER', 'USER-2', { role: 'r1', since: '2021', expiresAt: END + 1 });
  expect(await sources()).toEqual(['GOAL-1']);
  await writer.updateEdge('GOAL-1', 'MEMBER', 'USER-2', { set: { expiresAt: END } });
  expect(await sources()).toEqual([]);
});

it('says when an item ends, and takes epoch seconds only', async () => {
  const ending = await endingTable(ofMembers);
  const key = { source: 'GOAL-1', target: 'MEMBER-USER-2' };
  const notes = async (nowSeconds: number) =>
    (await explain(ending.graph, { key, store: ending.store, now: () => nowSeconds * 1000 })).notes[0];
  expect(await notes(END - 1)).toBe('It expires at 2096-10-02T07:06:40.000Z.');
  expect(await notes(END)).toContain('It expired at 2096-10-02T07:06:40.000Z: reads leave it out');
  const writer = createWriter(ending.graph, { store: ending.store });
  for (const wrong of ['2096-10-02', END * 1000, 1.5, -1, 0, 1_000_000_000, true]) {
    await expect(writer.putEdge('GOAL-1', 'MEMBER', 'USER-2', { expiresAt: wrong })).rejects.toMatchObject({
      code: 'invalid-attribute',
      message: expect.stringContaining('Edge "GOAL-1" "MEMBER-USER-2": attribute expiresAt is the time'),
      hint: expect.stringContaining('getTime() / 1000'),
    });
  }
  const inMilliseconds = writer.putEdge('GOAL-1', 'MEMBER', 'USER-2', { expiresAt: END * 1000 });
  await expect(inMilliseconds).rejects.toMatchObject({ hint: expect.stringContaining('Milliseconds?') });
  const longAgo = writer.updateEdge('GOAL-1', 'MEMBER', 'USER-2', { set: { expiresAt: 0 } });
  await expect(longAgo).rejects.toThrow("DynamoDB's TTL would never delete the item");
  const named = [
    [`${END}`, `the string "${END}"`],
    ['', 'the string ""'],
    [1.5, '1.5'],
    [true, 'a boolean'],
  ] as const;
  for (const [expiresAt, name] of named) {
    const put = writer.putEdge('GOAL-1', 'MEMBER', 'USER-2', { expiresAt });
    await expect(put).rejects.toThrow(`a whole number of seconds since 1970, but is ${name}.`);
  }
  await writer.putEdge('GOAL-1', 'MEMBER', 'USER-2', { expiresAt: null, since: '2020' });
  const reader = createReader(ending.graph, { store: ending.store, now: () => END * 1000 });
  expect(await reader.has('GOAL-1', 'MEMBER', 'USER-2')).toBe(true);
});

it('lists the edges of a node, and gives one, until they end, or longer where that is asked for', async () => {
  const { graph, store } = await endingTable(ofMembers);
  const shown = async (nowSeconds: number, includeExpired = false) => {
    const reader = createReader(graph, { store, now: () => nowSeconds * 1000 });
    const pages = await allPages((cursor) => reader.edges('GOAL-1', 'MEMBER', { includeExpired, cursor, limit: 2 }));
    const edge = await reader.getEdge('GOAL-1', 'MEMBER', 'USER-2', { includeExpired });
    return { targets: pages.flat().map(({ target }) => target), since: edge?.attributes['since'] };
  };
  const before = { targets: users, since: '2021' };
  expect(await shown(END - 1)).toEqual(before);
  expect(await shown(END)).toEqual({ targets: ['USER-1', 'USER-4'], since: undefined });
  expect(await shown(END, true)).toEqual(before);
});

it('scans nodes without those that are over', async () => {
  const ending = await endingTable(() => false);
  await ending.store.put({ source: { S: 'USER-1' }, target: { S: 'USER-1' }, ...ENDS });
  const scanned = async (nowSeconds: number, includeExpired = false) => {
    const ids: string[] = [];
    const options = { store: ending.store, type: 'USER', includeExpired, now: () => nowSeconds * 1000 } as const;
    for await (const { items } of scanNodes(ending.graph, options)) ids.push(...items.map(({ id }) => id));
    return ids.sort();
  };
  expect(await scanned(END - 1)).toEqual(users);
  expect(await scanned(END)).toEqual(users.slice(1));
  expect(await scanned(END, true)).toEqual(users);
});

/** What a watch of a table shows, whose clock begins a moment before the end. */
async function watched({ client, streams, store, graph }: Table, query: object, shown: object[]) {
  let nowMs = END * 1000 - 1;
  const now = () => nowMs;
  const { feed, stop } = await startFeed(graph, { client, streams, pollIntervalMs: 20, indexGraceMs: 20, now });
  const reader = createReader(graph, { store, now, feed });
  const stopping = new AbortController();
  const watching = (async () => {
    for await (const event of reader.watch(query as never, { signal: stopping.signal }))
      applyWatchEvent(shown, event as never);
  })();
  watching.catch(() => undefined);
  return {
    end: () => {
      nowMs += 1;
    },
    stop: async () => {
      stopping.abort();
      await stop();
    },
  };
}

it('takes a row out of a watched list when it ends, and a later one in from behind', async () => {
  const ending = await endingTable(({ target }) => target === 'MEMBER-USER-2');
  const list: object[] = [];
  const { end, stop } = await watched(ending, { inbound: ['USER-2', 'MEMBER'] }, list);
  await expect.poll(() => list.length).toBe(2);
  end();
  await ending.store.put({ source: { S: 'GOAL-9' }, target: { S: 'MEMBER-USER-2' }, since: { S: '2029' } });
  await ending.projectAll();
  await expect.poll(() => list).toMatchObject([{ source: 'GOAL-9' }]);
  await stop();
});

it('shows watched nodes without what ends, at once and without a record', async () => {
  const ending = await endingTable(({ target }) => target === 'MEMBER-USER-2' || target === 'USER-3');
  const shown: { attributes?: object; edgeSet: { target: string }[] }[] = [];
  const { end, stop } = await watched(ending, { views: ['GOAL-1', 'USER-3'] }, shown);
  const seen = () =>
    shown.map((view) => [view?.attributes, view?.edgeSet.map(({ target }) => target).includes('USER-2')]);
  await expect.poll(seen).toMatchObject([
    [{ title: 'GOAL-1' }, true],
    [{ name: 'n0' }, true],
  ]);
  end();
  await expect.poll(seen).toMatchObject([
    [{ title: 'GOAL-1' }, false],
    [null, true],
  ]);
  await stop();
});

it('takes no end from an attribute of a producer that is named like the one of derived items', async () => {
  const graph = defineGraph({
    table: uniqueTableName(),
    nodes: { GOAL: node({ view: ['title', '~ends'] }), USER: node({ expires: 'expiresAt' }) },
    edges: {
      PART_OF: edge({ from: 'GOAL', to: 'GOAL', copy: ['title', '~ends'] }),
      BY: edge({ from: 'GOAL', to: 'USER', edgeSet: false }),
    },
  });
  const { store, reader, projectAll } = await openTable(graph);
  await store.put({ source: { S: 'GOAL-1' }, target: { S: 'GOAL-1' }, title: { S: 'up' }, '~ends': { N: '5' } });
  await store.put({ source: { S: 'GOAL-2' }, target: { S: 'PART_OF-GOAL-1' } });
  while ((await projectAll()).records > 0);
  expect(await reader.getViews(['GOAL-1', 'GOAL-2'])).toMatchObject([
    { attributes: { title: 'up' } },
    { edgeSet: [{ target: 'GOAL-1', copy: { title: 'up' } }] },
  ]);
});
