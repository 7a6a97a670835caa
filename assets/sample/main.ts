import { createClient, createReader, createWriter, DynamoDBStore } from 'edgeloom';
import graph from './edgeloom.config.ts';

/** Writes an edge and reads what follows from it. Run it with `npm start` while `npm run dev` runs. */
const client = createClient({ endpoint: process.env['AWS_ENDPOINT_URL_DYNAMODB'] ?? 'http://127.0.0.1:8000' });
const store = new DynamoDBStore(client, graph.table);
const writer = createWriter(graph, { store });
const reader = createReader(graph, { store });

await writer.putNode('USER-linus', { name: 'Linus' });
await writer.putEdge('USER-linus', 'FOLLOWS', 'USER-grace', { since: '2026-03-01' });
await reader.waitForProjection('USER-linus', 'FOLLOWS', 'USER-grace');

const { items } = await reader.page('USER-grace', 'FOLLOWS', { reverse: true, limit: 10 });
console.log('Grace is followed by, newest first:');
for (const { attributes } of items) console.log(`- ${attributes?.name}`);
client.destroy();
