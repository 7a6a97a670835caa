import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { WatchEvent } from '../../../src/client/feed/watch-types.ts';
import { MAX_HELD_BYTES } from '../../../src/client/http/client-room.ts';
import { answerNodeRequest } from '../../../src/client/http/node.ts';
import { type WatchHandlerOptions, watchHandler } from '../../../src/client/http/watch-handler.ts';
import { EdgeloomError } from '../../../src/foundation/errors.ts';

/** Clients of a watched list that mean no good: the list is one of this test, which counts who watches it. */

const MINUTE = 60_000;
const upTo = new Date(0).toISOString();

/** A handler of a list whose page has a number of bytes. */
function listOf(pageBytes: number, options: Partial<WatchHandlerOptions> = {}) {
  let watching = 0;
  const errors: unknown[] = [];
  const asked = vi.fn(() => ({ views: ['USER-1'] }));
  async function* watch(_: unknown, { signal }: { signal: AbortSignal }): AsyncGenerator<WatchEvent> {
    watching += 1;
    try {
      yield { type: 'page', items: ['x'.repeat(pageBytes)], upTo };
      await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    } finally {
      watching -= 1;
    }
  }
  const reader = { watch } as never;
  const handle = watchHandler({ reader, query: asked as never, onError: (error) => errors.push(error), ...options });
  return { handle, asked, errors, watching: () => watching };
}

const request = (): Request => new Request('http://localhost/');

/** Lets all that is ready run. */
async function settle(): Promise<void> {
  for (let i = 0; i < 20; i++) await Promise.resolve();
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'] });
});

afterEach(() => {
  vi.useRealTimers();
});

describe('clients of watchHandler', () => {
  it('are let go where they take nothing of what waits for them', async () => {
    const { handle, watching, errors } = listOf(3_500_000);
    const silent = await handle(request());
    const taking = (await handle(request())).body!.getReader();
    expect(watching()).toBe(2);
    for (let i = 0; i < 4; i++) {
      await taking.read();
      await vi.advanceTimersByTimeAsync(MINUTE / 4);
    }
    expect(watching()).toBe(1);
    await expect(silent.text()).rejects.toThrow('The client takes nothing.');
    await taking.cancel();
    expect([watching(), errors]).toEqual([0, []]);
  });

  it('stay where nothing waits for them', async () => {
    const { handle, watching } = listOf(100);
    await handle(request());
    await vi.advanceTimersByTimeAsync(10 * MINUTE);
    expect(watching()).toBe(1);
  });

  it('are asked anew what they may watch once their stream is old', async () => {
    const { handle, watching, asked, errors } = listOf(100);
    const [response, full] = [await handle(request()), await handle(request())];
    void full;
    const text = response.text();
    await vi.advanceTimersByTimeAsync(15 * MINUTE);
    // The end is one that an EventSource comes back from.
    expect(await text).toMatch(/^id: 1\nevent: page\n/);
    expect([watching(), errors]).toEqual([0, []]);
    await handle(request());
    expect([asked.mock.calls.length, watching()]).toEqual([3, 1]);
  });

  it('get the status 429 where there are too many, until one goes', async () => {
    const { handle, watching, asked } = listOf(100, { maxClients: 2 });
    const [first] = [await handle(request()), await handle(request())];
    const third = await handle(request());
    expect([third.status, third.headers.get('retry-after'), watching()]).toEqual([429, '5', 2]);
    expect(await third.json()).toMatchObject({ error: { code: 'too-many-clients' } });
    await first.body!.cancel();
    await settle();
    expect((await handle(request())).status).toBe(200);
    expect(asked).toHaveBeenCalledTimes(4);
  });

  it('leave their place, in whatever way they go', async () => {
    const { handle, watching } = listOf(200_000, { maxClients: 1 });
    for (let i = 0; i < 5; i++) {
      const gone = new AbortController();
      const { status } = await handle(new Request('http://localhost/', { signal: gone.signal }));
      expect([status, watching()]).toEqual([200, 1]);
      gone.abort();
      await settle();
    }
    const refusing = watchHandler({
      reader: {
        watch: () => {
          throw new Error('no feed');
        },
      } as never,
      query: () => ({ views: [] }),
      maxClients: 1,
    });
    for (let i = 0; i < 2; i++) await expect(refusing(request())).rejects.toThrow('no feed');
  });

  it('get the status 429 where too many bytes wait for others', async () => {
    const { handle, watching } = listOf(MAX_HELD_BYTES / 4);
    const clients = await Promise.all(Array.from({ length: 10 }, async () => await handle(request())));
    const taken = clients.filter(({ status }) => status === 200);
    expect(taken).toHaveLength(4);
    expect(clients.filter(({ status }) => status === 429)).toHaveLength(6);
    await settle();
    expect(watching()).toBe(4);
    for (const { body } of taken) await body!.cancel();
    expect((await handle(request())).status).toBe(200);
  });
});

/** A reader whose lists end with an error, before their first event or after it. */
function failingReader(error: unknown, isBegun = false) {
  async function* watch(): AsyncGenerator<WatchEvent> {
    if (isBegun) yield { type: 'page', items: [], upTo };
    throw error;
  }
  return { reader: { watch } as never, query: () => ({ views: ['USER-1'] }) };
}

it.each([
  ...['registry-gone', 'registry-incomplete', 'unknown-registry', 'projection-code-missing'],
  ...['replica-read', 'not-home-region', 'no-table', 'list-not-filled', 'already-ended', 'projection-not-ready'],
])('a client hears the code of an error that is not its own, and comes again: %s', async (code) => {
  const error = new EdgeloomError(code, 'The key is under the mat.', 'Take it.');
  const errors: unknown[] = [];
  const handle = watchHandler({ ...failingReader(error), onError: (one) => errors.push(one) });
  const response = await handle(request());
  expect(response.status).toBe(200);
  const data = JSON.stringify({ code, message: 'The list cannot be read.' });
  expect(await response.text()).toBe(`retry: 5000\nevent: failure\ndata: ${data}\n\n`);
  expect(errors).toEqual([error]);
});

it.each([false, true])('a client leaves its place where onError throws, after a first event: %s', async (isBegun) => {
  const onError = (): void => {
    throw new Error('The log is full.');
  };
  const handle = watchHandler({ ...failingReader(new Error('lost'), isBegun), onError, maxClients: 1 });
  for (let i = 0; i < 3; i++)
    await expect(handle(request()).then((response) => response.text())).rejects.toThrow('The log is full.');
  expect(vi.getTimerCount()).toBe(0);
});

it('a query is never taken for the answer of who refuses, and another Response is', async () => {
  const { handle, asked } = listOf(100);
  asked.mockReturnValueOnce({ status: 200, headers: { 'set-cookie': 's=evil' }, views: ['USER-1'] } as never);
  expect((await handle(request())).headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
  class Other {
    readonly [Symbol.toStringTag] = 'Response';
    readonly status = 401;
  }
  asked.mockReturnValueOnce(new Other() as never);
  expect((await handle(request())).status).toBe(401);
});

it('answerNodeRequest ends the connection of a client that takes nothing, and rejects with nothing', async () => {
  vi.useRealTimers();
  const endless = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        controller.error(new Error('The client takes nothing.'));
      },
    },
    { highWaterMark: 0 },
  );
  const failures: unknown[] = [];
  const server = createServer((incoming, outgoing) => {
    answerNodeRequest(async () => new Response(endless), incoming, outgoing).catch((error) => failures.push(error));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
  socket.on('error', () => undefined).resume();
  await once(socket, 'close');
  server.close();
  expect(failures).toEqual([]);
});
