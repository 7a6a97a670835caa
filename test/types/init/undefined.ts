import { createClient, createReader, createWriter } from 'edgeloom';
import { check, importFile, redrive } from 'edgeloom/admin';
import { startLocal } from 'edgeloom/local';
import { graph, local } from './model.js';

/** Every option that may be left out takes undefined as well, also where the compiler tells the two apart. */

const { store } = await local();
const none = undefined;
const paging = { limit: none, cursor: none, consistent: none, signal: none };

createClient({ endpoint: none, region: none, credentials: none, maxAttempts: none });
createWriter(graph, { store });
const reader = createReader(graph, { store, cursorKey: none, concurrency: none, readNumber: none });
await reader.getViews(['GOAL-1'], { attributes: none, consistent: none });
await reader.has('USER-1', 'FOLLOWS', 'USER-2', { consistent: none });
await reader.degree('USER-1', 'FOLLOWS', { consistent: none });
await reader.edges('USER-1', none, paging);
const order = { order: none, atLeast: none, equals: none, between: none, reverse: none };
await reader.inbound('USER-1', 'MEMBER', { ...order, ...paging, includeTarget: none });
await reader.page('USER-1', 'MEMBER', { ...order, ...paging, with: none });
await reader.search('USER.name').find({ between: [none, none] }, { ...paging, reverse: none, partition: none });
await reader.waitForProjection('GOAL-1', { timeoutMs: none, consistent: none, lowWatermark: none });
await importFile(graph, { store, file: 'items.jsonl', format: none, skipBad: none, onProgress: none });
await redrive(graph, { store, remainingMs: none, signal: none });
await check(graph, { store, resume: none, graceMs: none, segments: none, onFinding: none, signal: none });
await startLocal(graph, { port: none, dataDir: none, engine: none });

// The cursor of a page is given to the next read as it is.
let cursor: string | undefined;
do {
  const page = await reader.inbound('USER-1', 'MEMBER', { cursor });
  cursor = page.cursor;
} while (cursor !== undefined);
