import { once } from 'node:events';
import { request } from 'node:http';
import { createServer } from 'node:net';

const HOST = '127.0.0.1';

export async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, HOST);
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new TypeError('a TCP server has no port');
  return address.port;
}

/** A port that this user may not use counts as taken. */
export async function isFree(port: number): Promise<boolean> {
  // Servers may listen on all addresses, or on `HOST` alone.
  for (const host of [HOST, '0.0.0.0']) {
    const server = createServer();
    try {
      server.listen(port, host);
      await once(server, 'listening');
      server.close();
      await once(server, 'close');
    } catch {
      return false;
    }
  }
  return true;
}

export function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = request({ host: HOST, port, timeout: 1000, agent: false }, (response) => {
      response.resume();
      resolve(true);
    });
    probe.on('error', () => resolve(false));
    probe.on('timeout', () => probe.destroy());
    probe.end();
  });
}
