import pino from 'pino';
import graph from '../edgeloom.config.ts';
import { readFunctionSettings } from '../src/config.ts';
import { checkRunHandler } from '../src/lambda/check-run-handler.ts';
import { withTableName } from '../src/model/compile/define-graph.ts';
import { createClient } from '../src/store/client.ts';

/** Checks or rebuilds a part of the table: the state machine calls it until no cursor is left. */

const { table, client, logLevel, metricsNamespace, settleMs } = readFunctionSettings();

export const handler = checkRunHandler(withTableName(graph, table), {
  client: createClient(client),
  logger: pino({ level: logLevel }),
  metricsNamespace,
  settleMs,
});
