import { createReader, defineGraph, edge, node } from 'edgeloom';
import { startLocal } from 'edgeloom/local';
import { createProducer } from './producer.ts';

/** `npx tsx examples/producer/run.ts`: a producer on the plain SDK, and what a reader sees of it. */
const graph = defineGraph({
  table: 'follows',
  nodes: { USER: node({ view: ['name'] }) },
  edges: { FOLLOWS: edge({ from: 'USER', to: 'USER', inbound: { orders: { bySince: 'since' } } }) },
});
const local = await startLocal(graph, {});
try {
  const producer = createProducer(local.client, graph.table.name);
  await producer.putUser('USER-ada', 'Ada');
  await producer.follow('USER-ada', 'USER-grace', '2026-01-01');
  await local.worker.idle();
  const reader = createReader(graph, { store: local.store });
  process.stdout.write(`${JSON.stringify(await reader.getViews(['USER-ada']))}\n`);
} finally {
  await local.stop();
}
