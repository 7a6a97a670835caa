import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { answerNodeRequest } from '../../../src/client/http/node.ts';

/** Requests as an attacker writes them: the handler has to see the path that was sent, whatever else says a host. */

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

let answerHeaders: Headers;
beforeEach(() => {
  answerHeaders = new Headers();
});

/** Sends the head of a request as it is, and gives the answer with the addresses that the handler saw. */
async function send(line: string, ...headers: string[]) {
  const seen: string[] = [];
  const server = createServer({ requireHostHeader: false }, (incoming, outgoing) => {
    answerNodeRequest(
      async ({ url }) => {
        seen.push(url);
        return new Response('answered', { headers: answerHeaders });
      },
      incoming,
      outgoing,
    ).catch(() => outgoing.writeHead(500).end());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(() => server.close());
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.write([line, ...headers, 'Connection: close', '', ''].join('\r\n'));
  return { seen, answer: await text(socket) };
}

describe('answerNodeRequest', () => {
  it.each([
    ['/watch/USER-1?limit=3', 'http://localhost/watch/USER-1?limit=3'],
    ['//evil/watch/USER-2', 'http://localhost//evil/watch/USER-2'],
    ['/@evil/watch', 'http://localhost/@evil/watch'],
  ])('gives the path that was sent: %s', async (path, url) => {
    for (const host of ['shop.example:8080', '127.0.0.1', '[::1]:3000', 'my_host'])
      expect((await send(`GET ${path} HTTP/1.1`, `Host: ${host}`)).seen).toEqual([url]);
    expect((await send(`GET ${path} HTTP/1.0`)).seen).toEqual([url]);
  });

  it.each(['x/watch/USER-2?', 'x/watch/USER-2#', 'user@x', 'a b', 'x:', 'x:y', '', '[x]', 'x\\y', 'x%2f'])(
    'answers 400 to the host %s, before anyone is asked',
    async (host) => {
      const { seen, answer } = await send('GET /watch/USER-1 HTTP/1.1', `Host: ${host}`);
      expect([seen, answer]).toEqual([[], expect.stringContaining('HTTP/1.1 400 ')]);
    },
  );

  it('sends all cookies of the answer, and its other headers', async () => {
    for (const cookie of ['session=1; Path=/', 'theme=dark', 'session=; Max-Age=0'])
      answerHeaders.append('Set-Cookie', cookie);
    for (const name of ['no-cache', 'no-store']) answerHeaders.append('Cache-Control', name);
    const { answer } = await send('GET /watch HTTP/1.1', 'Host: shop.example');
    const sent = answer.split('\r\n').filter((line) => /^(?:set-cookie|cache-control):/i.test(line));
    expect(sent.map((line) => line.replace(/^[^:]+/, (name) => name.toLowerCase())).sort()).toEqual([
      'cache-control: no-cache, no-store',
      'set-cookie: session=1; Path=/',
      'set-cookie: session=; Max-Age=0',
      'set-cookie: theme=dark',
    ]);
  });

  it.each(['GET http://evil/watch/USER-2', 'GET https://evil', 'OPTIONS *'])('answers 400 to %s', async (line) => {
    const { seen, answer } = await send(`${line} HTTP/1.1`, 'Host: shop.example');
    expect([seen, answer]).toEqual([[], expect.stringContaining('HTTP/1.1 400 ')]);
  });
});
