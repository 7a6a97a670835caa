import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Feed } from '../../src/client/feed/feed.ts';
import { type RunningFeed, startFeed } from '../../src/client/feed/start-feed.ts';
import { applyWatchEvent, type WatchEvent } from '../../src/client/feed/watch-types.ts';
import { createReader } from '../../src/client/read/reader.ts';
import { createWriter } from '../../src/client/write/writer.ts';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import { edge, node, number } from '../../src/core/model/schema.ts';
import { howTo } from '../support/how-to.ts';
import { testTable, uniqueTableName } from '../support/table.ts';

const graph = defineGraph({
  table: uniqueTableName(),
  nodes: {
    USER: node({ view: ['name'] }),
    TICKET: node({ view: 'ALL' }),
  },
  edges: {
    ASSIGNED: edge({
      from: 'TICKET',
      to: 'USER',
      inbound: { orders: { gsi0: number('priority') }, shards: 2, project: ['priority', 'title'] },
    }),
  },
});

let table: Awaited<ReturnType<typeof testTable<typeof graph>>>;
let writer: ReturnType<typeof createWriter<typeof graph>>;
const feeds: RunningFeed[] = [];

beforeAll(async () => {
  table = await testTable(graph);
  writer = createWriter(graph, { store: table.store });
});

afterEach(async () => {
  for (const feed of feeds.splice(0)) await feed.stop();
});

async function watchingReader() {
  const { client, streams, store } = table;
  const running = await startFeed(graph, { client, streams, pollIntervalMs: 20, indexGraceMs: 200 });
  feeds.push(running);
  return { reader: createReader(graph, { store, feed: running.feed }), ...running };
}

/** A list that takes the events of a watch, until it is stopped. */
function follow<Item>(events: AsyncIterable<WatchEvent<Item>>) {
  const list: Item[] = [];
  const seen: WatchEvent<Item>[] = [];
  const ended = (async () => {
    for await (const event of events) {
      applyWatchEvent(list, event);
      seen.push(event);
    }
  })();
  ended.catch(() => undefined);
  const shows = async (expected: () => Promise<unknown>): Promise<void> => {
    await expect
      .poll(async () => [list, await expected()])
      .toSatisfy(([is, should]) => {
        return JSON.stringify(is) === JSON.stringify(should);
      });
  };
  return { list, seen, ended, shows };
}

describe('a watched list of incoming edges', () => {
  it('is what inbound gives, after edges come, change, move and go', async () => {
    const { reader } = await watchingReader();
    const stopping = new AbortController();
    const query = { inbound: ['USER-LIST', 'ASSIGNED'], limit: 3 } as const;
    const inbound = async () => (await reader.inbound('USER-LIST', 'ASSIGNED', { limit: 3 })).items;
    await writer.putEdge('TICKET-1', 'ASSIGNED', 'USER-LIST', { priority: 10, title: 'one' });
    await table.projectAll();
    const watched = follow(reader.watch(query, { signal: stopping.signal }));
    await expect.poll(() => watched.seen.length).toBe(1);
    expect(watched.seen[0]).toMatchObject({ type: 'page', items: [{ source: 'TICKET-1' }] });

    for (const [id, priority] of [
      ['2', 5],
      ['3', 7],
      ['4', 20],
      ['5', 1],
    ] as const) {
      await writer.putEdge(`TICKET-${id}`, 'ASSIGNED', 'USER-LIST', { priority, title: id });
    }
    await table.projectAll();
    await watched.shows(inbound);
    expect(watched.list.map(({ source }) => source)).toEqual(['TICKET-5', 'TICKET-2', 'TICKET-3']);

    // One comes up from behind, which no record tells of.
    await writer.deleteEdge('TICKET-5', 'ASSIGNED', 'USER-LIST');
    await table.projectAll();
    await watched.shows(inbound);
    expect(watched.list.map(({ source }) => source)).toEqual(['TICKET-2', 'TICKET-3', 'TICKET-1']);

    await writer.putEdge('TICKET-3', 'ASSIGNED', 'USER-LIST', { priority: 30, title: 'moved' });
    await writer.putEdge('TICKET-2', 'ASSIGNED', 'USER-LIST', { priority: 5, title: 'renamed' });
    await table.projectAll();
    await watched.shows(inbound);
    expect(watched.seen.filter(({ type }) => type === 'change')).toMatchObject([
      { item: { source: 'TICKET-2', attributes: { title: 'renamed' } } },
    ]);
    stopping.abort(new Error('enough'));
    await expect(watched.ended).rejects.toThrow('enough');
  });

  it('takes a filter: an edge enters the list when it begins to fit', async () => {
    const { reader } = await watchingReader();
    await writer.putEdge('TICKET-F1', 'ASSIGNED', 'USER-FILTER', { priority: 1, title: 'open' });
    await table.projectAll();
    const query = { inbound: ['USER-FILTER', 'ASSIGNED'], where: { title: 'done' } } as const;
    const watched = follow(reader.watch(query));
    await expect.poll(() => watched.seen.length).toBe(1);
    expect(watched.list).toEqual([]);
    await writer.putEdge('TICKET-F1', 'ASSIGNED', 'USER-FILTER', { priority: 1, title: 'done' });
    await table.projectAll();
    await watched.shows(
      async () => (await reader.inbound('USER-FILTER', 'ASSIGNED', { where: { title: 'done' } })).items,
    );
    expect(watched.seen.map(({ type }) => type)).toEqual(['page', 'enter']);
  });
});

describe('the recipe', () => {
  it('runs as docs/how-to/watch.md prints it', async () => {
    const page = howTo(['watch']);
    const [, code = ''] = /^## Watch a list$.*?^```ts\n(.*?)^```/ms.exec(page)!;
    const stopping = new AbortController();
    const shown: string[][] = [];
    const given = {
      ...{ startFeed, createReader, applyWatchEvent, graph, client: table.client, streams: table.streams },
      signal: stopping.signal,
      show: (items: readonly { source: string }[]) => shown.push(items.map(({ source }) => source)),
    };
    const stops: (() => Promise<void>)[] = [];
    const started = (stop: () => Promise<void>): number => stops.push(stop);
    const body = code.replace('const items = [];', 'const items = []; started(stop);');
    const run = new Function(...Object.keys(given), 'started', `return (async () => {${body}})()`);
    const ended = run(...Object.values(given), started) as Promise<void>;
    ended.catch(() => undefined);
    await expect.poll(() => shown.length).toBe(1);
    await writer.putEdge('TICKET-R1', 'ASSIGNED', 'USER-U1', { priority: 2, title: 'one' });
    await table.projectAll();
    await expect.poll(() => shown.at(-1)).toEqual(['TICKET-R1']);
    stopping.abort(new Error('enough'));
    await expect(ended).rejects.toThrow('enough');
    for (const stop of stops) await stop();
  });
});

describe('watching', () => {
  it('is refused without a feed', async () => {
    const reader = createReader(graph, { store: table.store });
    expect(() => reader.watch({ views: ['USER-1'] })).toThrow(expect.objectContaining({ code: 'no-feed' }));
  });

  it('is refused for a query that names nothing to watch, and for options that are none', async () => {
    const { reader } = await watchingReader();
    const first = (query: object) =>
      reader
        .watch(query as { views: [] })
        [Symbol.asyncIterator]()
        .next();
    await expect(first({ list: ['USER'] })).rejects.toMatchObject({ code: 'invalid-argument' });
    await expect(first({ inbound: ['USER-1', 'ASSIGNED'], pages: 3 })).rejects.toMatchObject({
      code: 'invalid-argument',
      message: expect.stringContaining('no option "pages"'),
    });
    await expect(first({ views: ['USER-1'], pages: 3 })).rejects.toMatchObject({
      code: 'invalid-argument',
      message: expect.stringContaining('no option "pages"'),
    });
    await expect(first({ search: 'USER.age', equals: 3 })).rejects.toMatchObject({ code: 'unknown-name' });
  });

  it('ends with the error of the feed, once that is stopped', async () => {
    const { reader, stop } = await watchingReader();
    const watched = follow(reader.watch({ views: ['USER-1'] }));
    await expect.poll(() => watched.seen.length).toBe(1);
    await stop();
    await expect(watched.ended).rejects.toMatchObject({ code: 'already-ended', message: 'The feed was stopped.' });
  });

  it('reads again where records may have been missed', async () => {
    const { reader, feed } = await watchingReader();
    await writer.putEdge('TICKET-G1', 'ASSIGNED', 'USER-GAP', { priority: 1 });
    await table.projectAll();
    const watched = follow(reader.watch({ inbound: ['USER-GAP', 'ASSIGNED'] }));
    await expect.poll(() => watched.seen.length).toBe(1);
    expect(watched.list).toMatchObject([{ source: 'TICKET-G1' }]);
    // A feed that gets no records.
    const { receive } = feed;
    feed.receive = () => undefined;
    await writer.putEdge('TICKET-G2', 'ASSIGNED', 'USER-GAP', { priority: 2 });
    await table.projectAll();
    feed.noteGap();
    await watched.shows(async () => (await reader.inbound('USER-GAP', 'ASSIGNED')).items);
    expect(watched.seen.map(({ type }) => type)).toEqual(['page', 'enter']);
    feed.receive = receive;
  });

  it('ends with that error, too, if the feed is stopped during a read', async () => {
    const waits: number[] = [];
    const wait = async (milliseconds: number): Promise<void> => {
      waits.push(milliseconds);
    };
    const feed = new Feed(graph, { wait });
    const store = new Proxy(table.store, {
      get(real, name) {
        if (name === 'getMany') feed.fail(new Error('stopped during the read'));
        return Reflect.get(real, name, real);
      },
    });
    const watched = follow(createReader(graph, { store, feed }).watch({ views: ['USER-1'] }));
    await expect(watched.ended).rejects.toThrow('stopped during the read');
    // Only the pause after a read: no wait for news that can't come.
    expect(waits).toEqual([1_000]);
  });
});
