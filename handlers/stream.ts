import pino from 'pino';
import graph from '../edgeloom.config.ts';
import { readFunctionSettings } from '../src/config.ts';
import { streamHandler } from '../src/lambda/stream-handler.ts';
import { withTableName } from '../src/model/compile/define-graph.ts';
import { createClient } from '../src/store/client.ts';

/** Projects the table's stream: the function of the event source mapping. Clients live as long as the function. */

const { table, client, logLevel, metricsNamespace, sampleRate, concurrency } = readFunctionSettings();

export const handler = streamHandler(withTableName(graph, table), {
  // Retries of a call belong to the projector, which knows how much time is left.
  client: createClient({ ...client, maxAttempts: 1 }),
  logger: pino({ level: logLevel }),
  metricsNamespace,
  sampleRate,
  concurrency,
});
