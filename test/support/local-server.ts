import { once } from 'node:events';
import type { IncomingHttpHeaders, Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Listens on a free port of this machine. `stop` ends the connections, too. */
export async function listening(server: Server): Promise<{ endpoint: string; stop(): Promise<void> }> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Hands a call to DynamoDB on to an engine, and gives what it answers. */
export async function passOn(
  target: string,
  given: IncomingHttpHeaders,
  body: string,
): Promise<{ status: number; text: string }> {
  const names = ['x-amz-target', 'authorization', 'x-amz-date', 'content-type'];
  const headers = Object.fromEntries(names.flatMap((name) => (given[name] ? [[name, String(given[name])]] : [])));
  const response = await fetch(target, { method: 'POST', headers, body });
  return { status: response.status, text: await response.text() };
}
