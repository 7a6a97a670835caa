import pino from 'pino';
import graph from '../edgeloom.config.ts';
import { readFunctionSettings } from '../src/config.ts';
import { redriveHandler } from '../src/lambda/redrive-handler.ts';
import { withTableName } from '../src/model/compile/define-graph.ts';
import { bucketAccess } from '../src/repair/failure-queue.ts';
import { createClient, createStreamsClient } from '../src/store/client.ts';

/** Settles what could not be projected: on a schedule the quarantine, from the queue batches that the mapping gave up. */

const { table, client, logLevel, metricsNamespace, failedBatchesBucket } = readFunctionSettings();

export const handler = redriveHandler(withTableName(graph, table), {
  client: createClient({ ...client, maxAttempts: 1 }),
  sources: {
    streams: createStreamsClient(client),
    ...bucketAccess({ region: client.region }),
    buckets: failedBatchesBucket === undefined ? [] : [failedBatchesBucket],
  },
  logger: pino({ level: logLevel }),
  metricsNamespace,
});
