import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import { answerNodeRequest } from '../../../src/client/http/node.ts';

/** Requests as an attacker writes them: the handler has to see the path that was sent, whatever else says a host. */

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** Sends the head of a request as it is, and gives the answer with the addresses that the handler saw. */
async function send(line: string, ...headers: string[]) {
  const seen: string[] = [];
  const server = createServer({ requireHostHeader: false }, (incoming, outgoing) => {
    answerNodeRequest(
      async ({ url }) => {
        seen.push(url);
        return new Response('answered');
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

  it.each(['GET http://evil/watch/USER-2', 'GET https://evil', 'OPTIONS *'])('answers 400 to %s', async (line) => {
    const { seen, answer } = await send(`${line} HTTP/1.1`, 'Host: shop.example');
    expect([seen, answer]).toEqual([[], expect.stringContaining('HTTP/1.1 400 ')]);
  });
});
