import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { Command } from 'commander';
import pino, { type Logger } from 'pino';
import { printableLines } from '../../../src/foundation/printable.ts';
import { createClient } from '../../../src/store/client.ts';
import { DynamoDBStore } from '../../../src/store/dynamodb.ts';
import { withOutageLimit } from '../../../src/store/outage.ts';
import { type ModelSession, openModel, settingsOf } from './model.ts';
import { type Output, print } from './output.ts';
import { secondsText } from './progress-line.ts';
import type { Settings } from './settings.ts';

export interface CommandSession extends ModelSession {
  client: DynamoDBClient;
  store: DynamoDBStore;
  logger: Logger;
}

async function openSession(settings: Settings): Promise<CommandSession> {
  const { graph } = await openModel(settings);
  const client = createClient(settings.client);
  return { settings, graph, client, store: new DynamoDBStore(client, graph.table), logger: createLogger(settings) };
}

export function createLogger(settings: Settings): Logger {
  const destination = pino.destination({ dest: 2, sync: true });
  // A log that can't be written, for example to a full disk, doesn't end the command.
  destination.on('error', () => undefined);
  return pino({ level: settings.logLevel }, destination);
}

export function withSession<Args extends unknown[]>(run: (session: CommandSession, ...args: Args) => Promise<void>) {
  return async (...args: [...Args, Command]): Promise<void> => {
    const session = await openSession(settingsOf(args));
    try {
      await run(session, ...(args.slice(0, -1) as Args));
    } finally {
      session.client.destroy();
    }
  };
}

/** Like `withSession`, but also prints what the command returns. For commands that outlast every outage. */
export function inLastingSession<Args extends unknown[]>(
  run: (session: CommandSession, ...args: Args) => Promise<Output>,
) {
  return withSession(async (session, ...args: Args) => print(await run(session, ...args), session.settings.json));
}

/** Like `inLastingSession`, but reports an outage of the table on stderr, and ends the command if the outage lasts. */
export function inSession<Args extends unknown[]>(run: (session: CommandSession, ...args: Args) => Promise<Output>) {
  return inLastingSession((session, ...args: Args) => {
    const store = withOutageLimit(session.store, {
      onFailing: ({ message }, failingMs, leftMs) => {
        const times = `no call has succeeded for ${secondsText(failingMs / 1000)}, trying for another ${secondsText(leftMs / 1000)}`;
        process.stderr.write(printableLines(`${process.stderr.isTTY ? '\n' : ''}waiting: ${times}: ${message}\n`));
      },
    });
    return run({ ...session, store }, ...args);
  });
}
