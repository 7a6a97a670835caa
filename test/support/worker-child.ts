/**
 * A worker as a process of its own; it says how many records it has applied after each batch.
 * Arguments: endpoint, table, stream ARN, checkpoint file.
 */

import { createWorker } from '../../src/projecting/worker/worker.ts';
import { createClient, createStreamsClient } from '../../src/store/client.ts';
import { DynamoDBStore } from '../../src/store/dynamodb.ts';
import { fileCheckpoint } from '../../src/stream/checkpoint.ts';
import { followGraph } from './follow-graph.ts';

const [endpoint, table, streamArn = '', checkpoint = ''] = process.argv.slice(2);
const graph = followGraph(table);
const worker = createWorker(graph, {
  store: new DynamoDBStore(createClient({ endpoint }), graph.table),
  streams: createStreamsClient({ endpoint }),
  streamArn,
  checkpoint: fileCheckpoint(checkpoint),
  maxBatchRecords: 10,
  pollIntervalMs: 10,
  onBatch: ({ totals }) => process.stdout.write(`${totals.records}\n`),
});
await worker.run();
