import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { createServer } from 'node:net';
import { request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { EdgeloomError } from '../errors.ts';
import { dynamoDBLocalCommand } from './dynamodb-local.ts';
import { dynoxideCommand } from './dynoxide.ts';

/** The engines that run on this machine without Docker. */
export type EngineName = 'dynoxide' | 'dynamodb-local';

/** Options of `startEngine`. */
export interface EngineOptions {
  /** Default `'dynoxide'`. */
  engine?: EngineName;
  /** TCP port. Default: a free one. */
  port?: number;
  /** Folder to keep data in. Default: nothing is kept. */
  dataDir?: string;
}

/** A running engine. */
export interface Engine {
  /** `http://127.0.0.1:PORT`. */
  endpoint: string;
  /** Stops it and waits until it is gone. */
  stop(): Promise<void>;
}

/** A program to run: its path, arguments and, where needed, its folder. */
export interface EngineCommand {
  file: string;
  args: string[];
  cwd?: string;
}

const START_MS = 30_000;
const POLL_MS = 20;

/**
 * Runs the engine under a shell that ends it when this process's end of a pipe closes. The kernel closes it however
 * this process ends, so not even `kill -9` leaves an engine behind.
 */
const WATCHDOG = 'exec 3<&0; "$@" & engine=$!; (cat <&3 >/dev/null; kill $engine 2>/dev/null) & wait $engine';

/**
 * Starts an embedded engine on this machine and waits until it answers. It stops with this process, however that ends.
 * Throws an `EdgeloomError` where the engine is not installed or does not come up.
 */
export async function startEngine(options: EngineOptions = {}): Promise<Engine> {
  const { engine = 'dynoxide', dataDir } = options;
  const port = options.port ?? (await freePort());
  if (dataDir !== undefined) await mkdir(dataDir, { recursive: true });
  const command = engine === 'dynoxide' ? dynoxideCommand(port, dataDir) : await dynamoDBLocalCommand(port, dataDir);
  // In a group of its own: Ctrl-C in the terminal reaches this process only, which can then finish its batch.
  const child = spawn('/bin/sh', ['-c', WATCHDOG, 'sh', command.file, ...command.args], {
    cwd: command.cwd,
    detached: true,
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  let output = '';
  child.stderr.on('data', (chunk: Buffer) => {
    output = (output + chunk.toString()).slice(-2000);
  });
  child.stdin.on('error', () => undefined);
  const exited = once(child, 'exit');
  child.unref();
  (child.stdin as unknown as { unref(): void }).unref();
  (child.stderr as unknown as { unref(): void }).unref();
  const stop = async (): Promise<void> => {
    child.ref();
    child.stdin.end();
    await exited;
  };
  try {
    await answering(engine, port, () => child.exitCode !== null);
  } catch (error) {
    if (child.exitCode === null) await stop();
    throw new EdgeloomError(
      'engine-failed',
      `The engine ${engine} did not start on port ${port}: ${output.trim() || (error as Error).message}`,
      'Is the port in use? Choose another with --port.',
    );
  }
  return { endpoint: `http://127.0.0.1:${port}`, stop };
}

async function answering(engine: EngineName, port: number, hasExited: () => boolean): Promise<void> {
  const deadline = Date.now() + START_MS;
  for (;;) {
    if (hasExited()) throw new Error(`${engine} ended at once`);
    if (await answers(port)) return;
    if (Date.now() > deadline) throw new Error(`${engine} did not answer within ${START_MS / 1000} s`);
    await delay(POLL_MS);
  }
}

/** Whether an HTTP server answers, with whatever status. */
function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = request({ host: '127.0.0.1', port, timeout: 1000 }, (response) => {
      response.resume();
      resolve(true);
    });
    probe.on('error', () => resolve(false));
    probe.on('timeout', () => probe.destroy());
    probe.end();
  });
}

/** A TCP port that is free now. */
export async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}
