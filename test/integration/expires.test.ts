import { expect, it } from 'vitest';
import { startFeed } from '../../src/client/feed/start-feed.ts';
import { applyWatchEvent } from '../../src/client/feed/watch-types.ts';
import { createReader } from '../../src/client/read/reader.ts';
import { scanNodes } from '../../src/client/read/scan-nodes.ts';
import { createSession } from '../../src/client/session/session.ts';
import { createWriter } from '../../src/client/write/writer.ts';
import type { Item } from '../../src/core/items/attribute-value.ts';
import { hashedEdgeKey } from '../../src/core/items/hashed-key.ts';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import { edge, node, source } from '../../src/core/model/schema.ts';
import type { ItemKey } from '../../src/core/store-port.ts';
import { check } from '../../src/trust/check/check.ts';
import { explain } from '../../src/trust/explain/explain.ts';
import { testTable, uniqueTableName } from '../support/table.ts';

/** The moment at which items end, in epoch seconds: long enough from now for engines that delete by themselves. */
const END = 4_000_000_000;
const FOR_EVER: Item = {};
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
        search: { name: { shards: 2, project: ['name'] }, tags: { multiValue: true, shards: 2 } },
      }),
    },
    edges: {
      MEMBER: edge({
        expires: 'expiresAt',
        from: 'GOAL',
        to: 'USER',
        edgeSet: ['role'],
        copy: ['name'],
        inbound: {
          orders: { bySince: 'since', byRole: 'role', byTitle: source('title'), byNothing: 'role' },
          includeTarget: true,
        },
      }),
      KNOWS: edge({
        expires: 'expiresAt',
        keys: 'hashed',
        from: 'USER',
        to: 'USER',
        inbound: { orders: { bySince: 'since' } },
      }),
      FOLLOWS: edge({ expires: 'expiresAt', from: 'USER', to: 'USER', edgeSet: false }),
    },
  });
}

type Table = Awaited<ReturnType<typeof testTable<ReturnType<typeof endingGraph>>>>;

const users = [1, 2, 3, 4, 5].map((i) => `USER-${i}`);

/** Two tables, projected. In the first the items end, in the second they were deleted. */
async function twoTables(ends: (key: ItemKey) => boolean) {
  const ending = await testTable(endingGraph());
  const deleted = await testTable(endingGraph());
  const put = async (key: ItemKey, attributes: Item): Promise<void> => {
    const item = { source: { S: key.source }, target: { S: key.target }, ...attributes };
    await ending.store.put({ ...item, ...(ends(key) ? ENDS : FOR_EVER) });
    if (!ends(key)) await deleted.store.put(item);
  };
  for (const id of ['GOAL-1', 'GOAL-2']) await put({ source: id, target: id }, { title: { S: id } });
  for (const [i, id] of users.entries()) {
    await put({ source: id, target: id }, { name: { S: `n${i % 2}` }, tags: { SS: ['a', `b${i}`] } });
    for (const goal of ['GOAL-1', 'GOAL-2']) {
      await put({ source: goal, target: `MEMBER-${id}` }, { role: { S: `r${i % 2}` }, since: { S: `202${i}` } });
    }
    await put({ source: id, target: 'FOLLOWS-USER-1' }, {});
    await put(
      { source: id, target: hashedEdgeKey('KNOWS', 'USER-2') },
      { targetId: { S: 'USER-2' }, since: { S: `202${i}` } },
    );
  }
  for (const table of [ending, deleted]) while ((await table.projectAll()).records > 0);
  return { ending, deleted };
}

/** All that a reader answers. */
async function answers({ graph, store }: Table, nowSeconds: number, includeExpired = false) {
  const reader = createReader(graph, { store, now: () => nowSeconds * 1000 });
  const options = { includeExpired };
  const pages = async <T>(read: (cursor: string | undefined) => Promise<{ items: T[]; cursor?: string }>) => {
    const found: T[][] = [];
    for await (const { items } of reader.pages(read)) found.push(items);
    return found;
  };
  return {
    views: await reader.getViews(['GOAL-1', 'GOAL-2', ...users], options),
    nodes: await Promise.all(users.map((id) => reader.getNode(id, options))),
    edges: await pages((cursor) => reader.edges('GOAL-1', 'MEMBER', { ...options, cursor, limit: 2 })),
    collection: await reader.getCollection('USER-1', options),
    has: await Promise.all(users.map((id) => reader.has('GOAL-1', 'MEMBER', id, options))),
    edge: await reader.getEdge('GOAL-1', 'MEMBER', 'USER-2', options),
    degree: await reader.degree('GOAL-1', 'MEMBER', options),
    inbound: await Promise.all(
      (['bySince', 'byRole', 'byTitle', 'byNothing'] as const).map((order) =>
        pages((cursor) =>
          reader.inbound('USER-2', 'MEMBER', { ...options, order, cursor, limit: 1, includeTarget: true }),
        ),
      ),
    ),
    hashed: await reader.inbound('USER-2', 'KNOWS', options),
    owner: (await reader.inbound('USER-2', 'MEMBER', { ...options, includeTarget: true, reverse: true })).target,
    inDegree: (await reader.inDegree('USER-1', 'MEMBER', options)).count,
    search: await pages((cursor) => reader.search('USER.name').all({ ...options, cursor, limit: 2 })),
    count: (await reader.search('USER.name').count(undefined, options)).count,
    tags: await pages((cursor) => reader.search('USER.tags').equals('a', { ...options, cursor, limit: 2 })),
    list: await pages((cursor) => reader.nodes('USER', { ...options, cursor, limit: 2 })),
    page: await reader.page('USER-2', 'MEMBER', { ...options, with: ['MEMBER'] }),
  };
}

const CASES: readonly { name: string; ends: (key: ItemKey) => boolean }[] = [
  { name: 'edges', ends: ({ target }) => /-USER-[235]$/.test(target) },
  { name: 'nodes', ends: ({ source, target }) => source === target && /^USER-[12]$/.test(source) },
  { name: 'all', ends: ({ source, target }) => source.startsWith('USER') || target.includes('USER') },
];

it.each(CASES)('shows $name that end as if they were deleted from that moment on', async ({ ends }) => {
  const { ending, deleted } = await twoTables(ends);
  const before = await answers(ending, END - 1);
  const after = await answers(ending, END);
  expect(after).toEqual(await answers(deleted, END));
  expect(after).not.toEqual(before);
  expect(await answers(ending, END, true)).toEqual(before);
  const findings = await check(ending.graph, {
    store: ending.store,
    graceMs: 20,
  });
  expect(findings.drift).toEqual({ missing: 0, stale: 0, orphan: 0 });
});

it('has what is put again, for a session at once', async () => {
  const { ending } = await twoTables(CASES[0]!.ends);
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
  const { ending } = await twoTables(CASES[0]!.ends);
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
  await writer.putEdge('GOAL-1', 'MEMBER', 'USER-2', { expiresAt: null, since: '2020' });
  const reader = createReader(ending.graph, { store: ending.store, now: () => END * 1000 });
  expect(await reader.has('GOAL-1', 'MEMBER', 'USER-2')).toBe(true);
});

it('scans nodes without those that are over', async () => {
  const { ending } = await twoTables(() => false);
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

it('takes a row out of a watched list when it ends, and a later one in from behind', async () => {
  const { ending } = await twoTables(({ target }) => target === 'MEMBER-USER-2');
  let nowMs = END * 1000 - 1;
  const now = () => nowMs;
  const { client, streams, store, graph } = ending;
  const { feed, stop } = await startFeed(graph, { client, streams, pollIntervalMs: 20, indexGraceMs: 20, now });
  const reader = createReader(graph, { store, now, feed });
  const list: object[] = [];
  const stopping = new AbortController();
  const watched = (async () => {
    const query = { inbound: ['USER-2', 'MEMBER'] } as const;
    for await (const event of reader.watch(query, { signal: stopping.signal })) applyWatchEvent(list, event);
  })();
  watched.catch(() => undefined);
  await expect.poll(() => list.length).toBe(2);
  nowMs += 1;
  await store.put({ source: { S: 'GOAL-9' }, target: { S: 'MEMBER-USER-2' }, since: { S: '2029' } });
  await ending.projectAll();
  await expect.poll(() => list).toMatchObject([{ source: 'GOAL-9' }]);
  stopping.abort();
  await stop();
});

it('shows watched nodes without what ends, at once and without a record', async () => {
  const { ending } = await twoTables(({ target }) => target === 'MEMBER-USER-2' || target === 'USER-3');
  let nowMs = END * 1000 - 1;
  const now = () => nowMs;
  const { client, streams, store, graph } = ending;
  const { feed, stop } = await startFeed(graph, { client, streams, pollIntervalMs: 20, indexGraceMs: 20, now });
  const reader = createReader(graph, { store, now, feed });
  const shown: (object | null)[] = [];
  const stopping = new AbortController();
  const watched = (async () => {
    const query = { views: ['GOAL-1', 'USER-3'] };
    for await (const event of reader.watch(query, { signal: stopping.signal })) applyWatchEvent(shown, event as never);
  })();
  watched.catch(() => undefined);
  const seen = () =>
    (shown as { attributes?: object; edgeSet: { target: string }[] }[]).map((view) => [
      view?.attributes,
      view?.edgeSet.map(({ target }) => target).includes('USER-2'),
    ]);
  await expect.poll(seen).toMatchObject([
    [{ title: 'GOAL-1' }, true],
    [{ name: 'n0' }, true],
  ]);
  nowMs += 1;
  await expect.poll(seen).toMatchObject([
    [{ title: 'GOAL-1' }, false],
    [null, true],
  ]);
  stopping.abort();
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
  const { store, projectAll } = await testTable(graph);
  await store.put({ source: { S: 'GOAL-1' }, target: { S: 'GOAL-1' }, title: { S: 'up' }, '~ends': { N: '5' } });
  await store.put({ source: { S: 'GOAL-2' }, target: { S: 'PART_OF-GOAL-1' } });
  while ((await projectAll()).records > 0);
  expect(await createReader(graph, { store }).getViews(['GOAL-1', 'GOAL-2'])).toMatchObject([
    { attributes: { title: 'up' } },
    { edgeSet: [{ target: 'GOAL-1', copy: { title: 'up' } }] },
  ]);
});
