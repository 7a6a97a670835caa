import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { GetRecordsCommand } from '@aws-sdk/client-dynamodb-streams';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type RunningFeed, startFeed } from '../../src/client/feed/start-feed.ts';
import { applyWatchEvent, type WatchEvent } from '../../src/client/feed/watch-types.ts';
import { answerNodeRequest } from '../../src/client/http/node.ts';
import { type WatchHandlerOptions, watchHandler } from '../../src/client/http/watch-handler.ts';
import { createReader } from '../../src/client/read/reader.ts';
import { createWriter } from '../../src/client/write/writer.ts';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import { edge, node, number } from '../../src/core/model/schema.ts';
import { eventsOf, type SentEvent } from '../support/events.ts';
import { howTo } from '../support/how-to.ts';
import { testTable, uniqueTableName } from '../support/table.ts';

const graph = defineGraph({
  table: uniqueTableName(),
  nodes: { USER: node({ view: ['name'] }), TICKET: node({ view: 'ALL' }) },
  edges: {
    ASSIGNED: edge({
      from: 'TICKET',
      to: 'USER',
      inbound: { orders: { gsi0: number('priority') }, project: ['priority', 'title'] },
    }),
  },
});

let table: Awaited<ReturnType<typeof testTable<typeof graph>>>;
let writer: ReturnType<typeof createWriter<typeof graph>>;
const closing: (() => unknown)[] = [];

beforeAll(async () => {
  table = await testTable(graph);
  writer = createWriter(graph, { store: table.store });
});

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** A feed of the table. `subscribers` gives the number of those that watch with it: in the end there is none. */
async function openFeed(options: Partial<Parameters<typeof startFeed>[1]> = {}) {
  const { client, streams, store } = table;
  const running: RunningFeed = await startFeed(graph, {
    ...{ client, streams, pollIntervalMs: 20, indexGraceMs: 200 },
    ...options,
  });
  const subscribers = (): number => running.feed['all'].size;
  closing.push(async () => {
    await expect.poll(subscribers).toBe(0);
    await running.stop();
  });
  const reader = createReader(graph, { store, feed: running.feed });
  return { ...running, reader, subscribers };
}

type Handle = ReturnType<typeof watchHandler>;

/** The tickets of the user that the address names. */
function ticketsHandler(
  reader: Awaited<ReturnType<typeof openFeed>>['reader'],
  options?: Partial<WatchHandlerOptions>,
): Handle {
  const userOf = (request: Request): string => new URL(request.url).pathname.slice(1);
  return watchHandler({
    reader,
    query: (request) => ({ inbound: [userOf(request), 'ASSIGNED'], limit: 3 }),
    ...options,
  });
}

/** A server of Node with the handler, and clients of it. */
async function serve(handle: Handle) {
  const server = createServer((request, response) => {
    answerNodeRequest(handle, request, response).catch(() => response.writeHead(500).end());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo;
  return async (user: string, headers: Record<string, string> = {}) => {
    const leaving = new AbortController();
    closing.push(() => leaving.abort());
    const response = await fetch(`http://127.0.0.1:${port}/${user}`, { headers, signal: leaving.signal });
    return { ...collect(response), response, leave: () => leaving.abort() };
  };
}

/** Takes the events of an answer as they come, comments among them, into a list too. */
function collect(response: Response) {
  const seen: SentEvent[] = [];
  const list: { source: string; attributes: { title?: string } }[] = [];
  const ended = (async () => {
    for await (const event of eventsOf(response)) {
      seen.push(event);
      if (event.data !== undefined) applyWatchEvent(list, event.data as WatchEvent<(typeof list)[number]>);
    }
  })().catch(() => undefined);
  const shows = async (...sources: string[]): Promise<void> => {
    await expect.poll(() => list.map(({ source }) => source)).toEqual(sources);
  };
  return { seen, list, ended, shows };
}

async function assign(ticket: string, user: string, priority: number, title = ticket): Promise<void> {
  await writer.putEdge(`TICKET-${ticket}`, 'ASSIGNED', `USER-${user}`, { priority, title });
  await table.projectAll();
}

describe('a watched list over HTTP', () => {
  it('sends the list, and each step under the name of its type', async () => {
    const { reader } = await openFeed();
    const connect = await serve(ticketsHandler(reader));
    await assign('1', 'STEPS', 10);
    const { response, seen, list, shows } = await connect('USER-STEPS');
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(response.headers.get('cache-control')).toContain('no-cache');
    await shows('TICKET-1');
    await assign('2', 'STEPS', 5);
    await shows('TICKET-2', 'TICKET-1');
    await assign('1', 'STEPS', 10, 'renamed');
    await expect.poll(() => list[1]!.attributes.title).toBe('renamed');
    await assign('2', 'STEPS', 20);
    await shows('TICKET-1', 'TICKET-2');
    await writer.deleteEdge('TICKET-1', 'ASSIGNED', 'USER-STEPS');
    await table.projectAll();
    await shows('TICKET-2');
    expect(seen.map(({ type }) => type)).toEqual(['page', 'enter', 'change', 'leave', 'enter', 'leave']);
    expect(seen.map(({ id }) => id)).toEqual(['1', '2', '3', '4', '5', '6']);
    for (const { type, data } of seen) expect(data).toMatchObject({ type, upTo: expect.any(String) });
    await expect.poll(() => Date.parse(seen.at(-1)!.data.upTo) > 0).toBe(true);
  });

  it('sends a comment now and then, so that no proxy takes the connection for dead', async () => {
    const { reader } = await openFeed();
    const connect = await serve(ticketsHandler(reader, { heartbeatMs: 20 }));
    const { seen } = await connect('USER-QUIET');
    await expect.poll(() => seen.filter(({ type }) => type === ':').length).toBeGreaterThan(2);
    expect(seen.filter(({ type }) => type !== ':')).toHaveLength(1);
  });

  it('sends a client that comes back the whole list', async () => {
    const { reader } = await openFeed();
    const connect = await serve(ticketsHandler(reader));
    await assign('1', 'BACK', 1);
    const { seen, shows } = await connect('USER-BACK', { 'last-event-id': '7' });
    await shows('TICKET-1');
    expect(seen.map(({ type }) => type)).toEqual(['page']);
  });

  it('leaves nothing behind when the client goes, in whatever moment', async () => {
    const { reader, subscribers } = await openFeed();
    const handle = ticketsHandler(reader, { heartbeatMs: 5 });
    const connect = await serve(handle);
    const clients = await Promise.all(Array.from({ length: 5 }, () => connect('USER-GOES')));
    for (const { shows } of clients) await shows();
    // They share a list.
    expect(subscribers()).toBe(1);
    for (const { leave } of clients) leave();
    await expect.poll(subscribers).toBe(0);
    // Before the first event.
    const gone = new AbortController();
    const early = handle(new Request('http://localhost/USER-GOES', { signal: gone.signal }));
    gone.abort();
    expect(await (await early).text().catch(() => '')).toBe('');
  });

  it('sends a slow client the newest list instead of all that has waited', async () => {
    const { reader } = await openFeed();
    const handle = ticketsHandler(reader);
    const leaving = new AbortController();
    closing.push(() => leaving.abort());
    const request = () => handle(new Request('http://localhost/USER-SLOW', { signal: leaving.signal }));
    // The first page fills the stream of who takes nothing.
    await assign('0', 'SLOW', 0, 'x'.repeat(90_000));
    const [slow, fast] = [await request(), collect(await request())];
    await fast.shows('TICKET-0');
    for (const title of ['once', 'twice', 'thrice']) {
      await assign('1', 'SLOW', 1, title);
      await expect.poll(() => fast.list[1]?.attributes.title).toBe(title);
    }
    const late = collect(slow);
    await late.shows('TICKET-0', 'TICKET-1');
    expect(late.seen.map(({ type }) => type)).toEqual(['page', 'enter']);
    expect(late.list[1]!.attributes.title).toBe('thrice');
  });

  it('reads the stream once for a hundred clients', async () => {
    let [polls, reads] = [0, 0];
    const POLL_MS = 37;
    const streams = Object.create(table.streams, {
      send: {
        value: (command: object) => {
          if (command instanceof GetRecordsCommand) reads += 1;
          return table.streams.send(command as never);
        },
      },
    }) as typeof table.streams;
    const { reader, subscribers } = await openFeed({
      streams,
      pollIntervalMs: POLL_MS,
      wait: async (ms, signal) => {
        if (ms === POLL_MS) polls += 1;
        await delay(ms, undefined, { signal });
      },
    });
    const connect = await serve(ticketsHandler(reader));
    const clients = await Promise.all(Array.from({ length: 100 }, () => connect('USER-MANY')));
    for (const { shows } of clients) await shows();
    expect(subscribers()).toBe(1);
    const before = (await table.allRecords()).length;
    await assign('1', 'MANY', 1);
    for (const { shows } of clients) await shows('TICKET-1');
    const records = (await table.allRecords()).length - before;
    expect(polls).toBeGreaterThan(2);
    // One for each wait, and for each page that had records; the table has one open shard.
    expect(reads).toBeLessThanOrEqual(polls + records + 2);
  });
});

describe('errors of a watched list over HTTP', () => {
  it('are a status where the query is wrong, and the own answer of who refuses', async () => {
    const { reader } = await openFeed();
    const query = (asked: object) =>
      watchHandler({ reader, query: () => asked as { views: string[] } })(new Request('http://localhost/'));
    const unknown = await query({ inbound: ['USER-1', 'NONE'] });
    expect(unknown.status).toBe(400);
    expect(await unknown.json()).toEqual({
      error: { code: 'unknown-type', message: expect.stringContaining('NONE'), hint: expect.any(String) },
    });
    expect((await query({ views: ['USER-1'], pages: 3 })).status).toBe(400);
    const refusing = watchHandler({ reader, query: async () => new Response('no', { status: 401 }) });
    const refused = await refusing(new Request('http://localhost/'));
    expect([refused.status, await refused.text()]).toEqual([401, 'no']);
    const throwing = watchHandler({
      reader,
      query: () => {
        throw new Error('No session.');
      },
    });
    await expect(throwing(new Request('http://localhost/'))).rejects.toThrow('No session.');
    const connect = await serve(throwing);
    expect((await connect('x')).response.status).toBe(500);
    const head = await ticketsHandler(reader)(new Request('http://localhost/USER-1', { method: 'HEAD' }));
    expect([head.status, head.body]).toEqual([200, null]);
    expect(() => watchHandler({ reader, query: () => ({ views: [] }), ...({ hearbeat: 3 } as object) })).toThrow(
      'hearbeat',
    );
  });

  it('are an event with a code later, which says nothing of the inside', async () => {
    const { reader, feed } = await openFeed();
    const errors: unknown[] = [];
    const onError = (error: unknown) => errors.push(error);
    const connect = await serve(ticketsHandler(reader, { onError }));
    const first = await connect('USER-FAILS');
    await first.shows();
    feed.fail(new Error('The key of the cellar is under the mat.'));
    await first.ended;
    const hidden = { type: 'failure', data: { code: 'unexpected', message: 'The list cannot be read.' } };
    expect(first.seen).toEqual([expect.objectContaining({ type: 'page' }), hidden]);
    expect(errors).toHaveLength(1);
  });
});

describe('the recipe', () => {
  it('runs as docs/how-to/watch.md prints it, on the server and in the page', async () => {
    const text = howTo(['watch']);
    const [, onServer = '', inPage = ''] =
      /^## Show a live list on a page$.*?^```ts\n(.*?)^```.*?^```js\n(.*?)^```/ms.exec(text)!;
    const { client, streams } = table;
    const given = { startFeed, createReader, watchHandler, createServer, answerNodeRequest, graph, client, streams };
    const userOf = async ({ headers }: Request) => headers.get('x-user') ?? undefined;
    const run = new Function(
      ...Object.keys(given),
      'userOf',
      `return (async () => {${onServer} return { handle, stop } })()`,
    );
    const { handle, stop } = (await run(...Object.values(given), userOf)) as {
      handle: Handle;
      stop: () => Promise<void>;
    };
    closing.push(stop);
    const connect = await serve(handle);
    expect((await connect('tickets')).response.status).toBe(401);
    const { seen, list } = await connect('tickets', { 'x-user': 'USER-PAGE' });
    const listeners = new Map<string, (event: { data: string }) => void>();
    const EventSource = class {
      addEventListener = listeners.set.bind(listeners);
    };
    let shown: { source: string }[] = [];
    const show = (rows: typeof shown) => {
      shown = rows;
    };
    new Function('EventSource', 'show', inPage)(EventSource, show);
    const shows = async (...titles: string[]): Promise<void> => {
      await expect.poll(() => list.map(({ attributes }) => attributes.title)).toEqual(titles);
    };
    await shows();
    await assign('1', 'PAGE', 5);
    await shows('1');
    await assign('2', 'PAGE', 3);
    await shows('2', '1');
    await assign('1', 'PAGE', 5, 'renamed');
    await shows('2', 'renamed');
    await assign('2', 'PAGE', 7);
    await shows('renamed', '2');
    for (const { type, data } of seen) listeners.get(type)?.({ data: JSON.stringify(data) });
    expect(shown).toMatchObject([{ source: 'TICKET-1', attributes: { title: 'renamed' } }, { source: 'TICKET-2' }]);
  });
});
