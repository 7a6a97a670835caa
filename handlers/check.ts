import pino from 'pino';
import graph from '../edgeloom.config.ts';
import { readFunctionSettings } from '../src/config.ts';
import { checkHandler } from '../src/lambda/check-handler.ts';
import { withTableName } from '../src/model/compile/define-graph.ts';
import { createClient } from '../src/store/client.ts';

/** Checks some segments of the table, as far as the time goes: the state machine calls it until no cursor is left. */

const { table, client, logLevel, metricsNamespace, settleMs, maxRcu, maxWcu } = readFunctionSettings();

export const handler = checkHandler(withTableName(graph, table), {
  client: createClient(client),
  logger: pino({ level: logLevel }),
  metricsNamespace,
  settleMs,
  maxRcu,
  maxWcu,
});
