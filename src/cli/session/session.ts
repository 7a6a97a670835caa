import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { Command } from 'commander';
import pino, { type Logger } from 'pino';
import { readSettings, type Settings } from '../../config.ts';
import { losslessNumber } from '../../exact-json.ts';
import { withTableName } from '../../model/compile/define-graph.ts';
import type { CompiledModel } from '../../model/compiled.ts';
import { createReader } from '../../read/reader.ts';
import { createClient } from '../../store/client.ts';
import { DynamoDBStore } from '../../store/dynamodb.ts';
import { loadModel } from './load-model.ts';
import type { Output } from './output.ts';
import { print } from './output.ts';

/** What a command works with: the model and the table of the global options. */
export interface CommandSession {
  settings: Settings;
  graph: CompiledModel;
  client: DynamoDBClient;
  store: DynamoDBStore;
  logger: Logger;
}

/** Opens a session: reads the settings, loads the model, makes a client. */
export async function openSession(settings: Settings): Promise<CommandSession> {
  const model = await loadModel(settings.config);
  const graph = settings.table === undefined ? model : withTableName(model, settings.table);
  const client = createClient(settings.client);
  return { settings, graph, client, store: new DynamoDBStore(client, graph.table), logger: createLogger(settings) };
}

/** A logger to stderr, as JSON lines. */
export function createLogger(settings: Settings): Logger {
  return pino({ level: settings.logLevel }, pino.destination({ dest: 2, sync: true }));
}

/** A reader whose numbers print exactly. */
export function sessionReader({ graph, store }: CommandSession) {
  return createReader(graph, { store, readNumber: losslessNumber });
}

/** Runs a command in a session and prints what it gives. */
export function inSession<Args extends unknown[]>(run: (session: CommandSession, ...args: Args) => Promise<Output>) {
  return async (...args: [...Args, Command]): Promise<void> => {
    const command = args.at(-1) as Command;
    const session = await openSession(readSettings(command.optsWithGlobals()));
    try {
      print(await run(session, ...(args.slice(0, -1) as Args)), session.settings.json);
    } finally {
      session.client.destroy();
    }
  };
}
