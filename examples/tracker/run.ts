import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createSession, createStreamsClient } from 'edgeloom';
import { startFeed } from 'edgeloom/feed';
import { startLocal } from 'edgeloom/local';
import { tracker } from './model.ts';
import { createTrackerServer } from './server.ts';
import { trackerOf } from './tracker.ts';

/** Runs the tracker on an embedded engine until Ctrl-C: `npx tsx examples/tracker/run.ts [PORT]`. */
const local = await startLocal(tracker, {});
const streams = createStreamsClient({ endpoint: local.endpoint });
const { feed, stop } = await startFeed(tracker, { client: local.client, streams });
const acme = trackerOf(local.store, 'acme', createSession());
await acme.signUp();
await acme.addProject('web');

const server = createTrackerServer(local.store, 'a secret of this run', feed);
// Stands in for the gateway, which authenticates the client and sets this header.
server.prependListener('request', ({ headers }) => {
  headers['x-organization'] ??= 'acme';
});
server.listen(Number(process.argv[2] ?? 8080), '127.0.0.1');
await once(server, 'listening');
console.log(`a board: http://127.0.0.1:${(server.address() as AddressInfo).port}/projects/web/board`);
console.log(`the table: ${local.endpoint}`);

process.once('SIGINT', async () => {
  server.closeAllConnections();
  server.close();
  await stop();
  await local.stop();
  streams.destroy();
});
