import { mkdir } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { EdgeloomError, messageOf } from '../../../src/foundation/errors.ts';
import { checkOptions, type OptionNames } from '../../../src/foundation/options.ts';
import { lockDataFolder } from './data-lock.ts';
import { dynamoDBLocalCommand, hasJava } from './dynamodb-local.ts';
import { dynoxideCommand, dynoxidePath } from './dynoxide.ts';
import { type EngineProcess, spawnEngine } from './engine-process.ts';
import { answers, freePort, isFree } from './ports.ts';

export const ENGINES = ['dynoxide', 'dynamodb-local', 'memory'] as const;
/** `'memory'` runs in this process, on any platform, and doesn't keep data. */
export type EngineName = (typeof ENGINES)[number];

/** Options of `startEngine`. */
export interface EngineOptions {
  /** Default: `'dynoxide'`. On a platform without its package: `'memory'`, or with `dataDir` `'dynamodb-local'` if Java is installed. */
  engine?: EngineName | undefined;
  /** TCP port. Default: a free one. */
  port?: number | undefined;
  /** Folder to keep data in. A second engine on the same folder is refused (`already-running`). Default: nothing is kept. */
  dataDir?: string | undefined;
  /**
   * Maximum bytes of data that isn't kept, for `'dynoxide'`. If memory has that much room, the data is held there,
   * which makes writes faster. Default: unknown, so the data is on disk.
   */
  mostBytes?: number | undefined;
}

export const ENGINE_OPTIONS: OptionNames<EngineOptions> = {
  engine: true,
  port: 'port',
  dataDir: true,
  mostBytes: 'count',
};

type Place = Pick<EngineOptions, 'dataDir' | 'mostBytes'>;

/** A running engine. */
export interface Engine {
  name: EngineName;
  /** `http://127.0.0.1:PORT`. */
  endpoint: string;
  /** Resolves when the engine has ended for any reason. */
  ended: Promise<void>;
  /** Stops the engine and waits until it has ended. Safe to call again. */
  stop(): Promise<void>;
}

const START_MS = 60_000;
const POLL_MS = 20;
/** Another process may take a free port first. */
const PORT_ATTEMPTS = 3;

/**
 * Starts an embedded engine and waits until it answers. The engine stops with this process and doesn't keep it alive.
 * Throws if the engine isn't installed (`not-installed`), doesn't start (`engine-failed`) or can't keep data
 * (`invalid-argument` for `'memory'` with `dataDir`), if the port is taken (`port-in-use`), or if another engine uses
 * the data folder (`already-running`).
 */
export async function startEngine(options: EngineOptions = {}): Promise<Engine> {
  checkOptions('startEngine', options, ENGINE_OPTIONS);
  const { dataDir } = options;
  const engine = options.engine ?? (await defaultEngine(options));
  if (dataDir === undefined) return startOnPort({ ...options, engine });
  if (engine === 'memory') {
    throw new EdgeloomError(
      'invalid-argument',
      `The engine in memory keeps no data, so it has no use for the folder ${dataDir}.`,
      'Leave the folder out, or choose another engine.',
    );
  }
  await mkdir(dataDir, { recursive: true });
  const unlock = await lockDataFolder(dataDir);
  try {
    const started = await startOnPort({ ...options, engine });
    const ended = started.ended.then(unlock);
    return { ...started, ended, stop: () => started.stop().then(() => ended) };
  } catch (error) {
    await unlock();
    throw error;
  }
}

export async function defaultEngine(
  { dataDir }: Pick<EngineOptions, 'dataDir'>,
  findEmbedded: () => unknown = dynoxidePath,
  findJava = hasJava,
): Promise<EngineName> {
  try {
    findEmbedded();
    return 'dynoxide';
  } catch (error) {
    if (dataDir === undefined) return 'memory';
    if (await findJava()) return 'dynamodb-local';
    throw error;
  }
}

async function startOnPort({ engine, port, ...place }: EngineOptions & { engine: EngineName }): Promise<Engine> {
  if (port === undefined) return startOnFreePort(engine, place);
  // Checked first, because the answer of another server on this port could be mistaken for the engine's.
  if (!(await isFree(port))) {
    throw new EdgeloomError(
      'port-in-use',
      `Port ${port} is in use, so the engine ${engine} cannot start on it.`,
      'Stop what listens there, or choose another with --port.',
    );
  }
  return startOn(engine, port, place);
}

async function startOnFreePort(engine: EngineName, place: Place): Promise<Engine> {
  for (let attempt = 1; ; attempt++) {
    const port = await freePort();
    try {
      return await startOn(engine, port, place);
    } catch (error) {
      const lostThePort = error instanceof EdgeloomError && error.code === 'engine-failed' && !(await isFree(port));
      if (!lostThePort || attempt === PORT_ATTEMPTS) throw error;
    }
  }
}

async function startOn(name: EngineName, port: number, place: Place): Promise<Engine> {
  const endpoint = `http://127.0.0.1:${port}`;
  if (name !== 'memory') return { name, endpoint, ...(await startProcess(name, port, place)) };
  const { startMemoryServer } = await import('../memory/server.ts');
  try {
    return { name, endpoint, ...(await startMemoryServer(port)) };
  } catch (error) {
    throw new EdgeloomError(
      'engine-failed',
      `The engine memory did not start on port ${port}: ${String(error)}`,
      OTHER_PORT,
      {
        cause: error,
      },
    );
  }
}

async function startProcess(
  engine: Exclude<EngineName, 'memory'>,
  port: number,
  { dataDir, mostBytes }: Place,
): Promise<Pick<Engine, 'ended' | 'stop'>> {
  const command = await (engine === 'dynoxide'
    ? dynoxideCommand(port, dataDir, mostBytes)
    : dynamoDBLocalCommand(port, dataDir));
  const child = spawnEngine(command);
  try {
    await untilAnswering(engine, port, child);
  } catch (error) {
    await child.stop();
    const reason = child.errorOutput() || messageOf(error);
    throw new EdgeloomError(
      'engine-failed',
      `The engine ${engine} did not start on port ${port}: ${reason}`,
      dataDir === undefined ? OTHER_PORT : dataHint(reason, dataDir),
      { cause: error },
    );
  }
  return { ended: child.ended, stop: child.stop };
}

const OTHER_PORT = 'Choose another port or engine; the reason is in the message.';

function dataHint(reason: string, dataDir: string): string {
  return /malformed|not a (valid )?(SQLite )?database/i.test(reason)
    ? `The data in ${dataDir} are damaged: restore them, or delete the folder and start with an empty table.`
    : `Look at the files in ${dataDir}: they should be this user's, and made by the same engine.`;
}

async function untilAnswering(engine: EngineName, port: number, child: EngineProcess): Promise<void> {
  const deadline = performance.now() + START_MS;
  for (;;) {
    const isAnswering = await answers(port);
    if (child.hasEnded()) throw new Error(`${engine} ended at once.`);
    if (isAnswering) return;
    if (performance.now() > deadline) throw new Error(`${engine} did not answer within ${START_MS / 1000} s.`);
    await delay(POLL_MS);
  }
}
