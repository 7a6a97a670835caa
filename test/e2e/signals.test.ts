import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MAIN, ROOT } from '../support/command.ts';
import { listening } from '../support/local-server.ts';

/** Without the signal a call without an answer goes on for minutes, and a server for ever. The limit is for a machine that is busy. */
const MOST_MS = 60_000;
const MODEL = `
import { defineGraph, edge, node, sum } from '${new URL('../../dist/index.js', import.meta.url).href}';
import { sourceTable } from '${new URL('../../dist/admin.js', import.meta.url).href}';
export default defineGraph({
  table: 'records',
  nodes: { GOAL: node({ view: 'ALL' }), USER: node({ view: 'ALL', list: true, search: { name: {} } }) },
  edges: { GOALMEMBERSHIP: edge({ from: 'GOAL', to: 'USER', inbound: { orders: { gsi0: 'since' }, total: { hours: sum('hours') } } }) },
});
export const sources = [sourceTable('app-table', { map: () => [] })];
`;

/**
 * Commands that handle the signal, and some that leave it to Node, each with arguments with which it calls the table, and waits for an answer
 * that never comes.
 */
const CALLS: Readonly<Record<string, readonly string[]>> = {
  wait: [],
  migrate: ['--yes'],
  redrive: [],
  delete: ['GOAL-1', '--with-edges'],
  import: ['ITEMS'],
  project: [],
  observe: [],
  check: ['--repair'],
  mirror: ['sync'],
  rebuild: [],
  adopt: ['--table', 'records'],
  get: ['GOAL-1', 'GOALMEMBERSHIP', 'USER-1'],
  subject: ['export', 'USER-1'],
  watch: ['get', 'USER-1'],
  studio: [],
  table: ['create'],
  drill: ['--stack', 'edgeloom-prod', '--region', 'eu-central-1'],
};
/** Commands that run until they are told to end. */
const UNTIL_TOLD: Readonly<Record<string, readonly string[]>> = { dev: [], demo: [] };

let endpoint: string;
let stop: () => Promise<void>;
let items: string;
let config: string;
let onRequest: () => void = () => undefined;

beforeAll(async () => {
  ({ endpoint, stop } = await listening(createServer(() => onRequest())));
  const folder = await mkdtemp(join(tmpdir(), 'edgeloom-signals-'));
  items = join(folder, 'items.jsonl');
  await writeFile(items, '{"source":"USER-1","target":"USER-1"}\n');
  config = join(folder, 'edgeloom.config.mjs');
  await writeFile(config, MODEL);
});

afterAll(() => stop());

/** Starts a command, sends SIGTERM once it is ready, and gives how it ended. */
async function terminated(args: readonly string[], isReady: (child: ReturnType<typeof spawn>) => Promise<unknown>) {
  const child = spawn(process.execPath, [MAIN, ...args], {
    cwd: ROOT,
    env: { ...process.env, AWS_ENDPOINT_URL_CLOUDWATCH: endpoint, AWS_ACCESS_KEY_ID: 'k', AWS_SECRET_ACCESS_KEY: 's' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  const closed = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>;
  const first = await Promise.race([isReady(child), closed.then(() => 'closed')]);
  if (first === 'closed') throw new Error(`it ended by itself: ${output}`);
  const sentAt = performance.now();
  child.kill('SIGTERM');
  const [code, signal] = await Promise.race([
    closed,
    delay(2 * MOST_MS, undefined, { ref: false }).then((): never => {
      child.kill('SIGKILL');
      throw new Error(`it still runs: ${output}`);
    }),
  ]);
  return { code, signal, ms: performance.now() - sentAt, output };
}

describe('SIGTERM', () => {
  it('is tried on every command that handles it', async () => {
    const folder = join(ROOT, 'packages/cli/commands');
    const files = (await readdir(folder, { recursive: true })).filter((file) => file.endsWith('.ts'));
    const texts = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')));
    const handling = files.filter((_, i) => /shared\/(signals|interruptible)\.ts/.test(texts[i]!));
    const tried = [...Object.keys(CALLS), ...Object.keys(UNTIL_TOLD)];
    // The work of `check` is in a file of its own, and `delete` shares one.
    const names = handling.map((file) =>
      basename(file, '.ts')
        .replace(/-run$/, '')
        .replace(/^item$/, 'delete'),
    );
    expect(names.filter((name) => !tried.includes(name))).toEqual([]);
    expect(names.length).toBeGreaterThan(8);
  });

  it.each(Object.entries(CALLS))('ends %s soon, though no answer comes', async (name, given) => {
    const args = [name, ...given.map((arg) => (arg === 'ITEMS' ? items : arg))];
    const asked = (): Promise<void> =>
      new Promise((resolve) => {
        onRequest = resolve;
      });
    const { code, signal, ms, output } = await terminated([...args, '--endpoint', endpoint, '--config', config], asked);
    // As a shell says it: by the signal itself, or with its number; or in good order, stopped before the end.
    expect([143, 2, 0], output).toContain(signal === 'SIGTERM' ? 143 : code);
    expect(ms).toBeLessThan(MOST_MS);
  });

  it.each(Object.entries(UNTIL_TOLD))('ends %s soon', async (name, given) => {
    const isPrinted = (child: ReturnType<typeof spawn>): Promise<unknown> =>
      name === 'demo' ? delay(2_000) : once(child.stdout!, 'data');
    const { code, signal, ms, output } = await terminated([name, ...given], isPrinted);
    expect([143, 0], output).toContain(signal === 'SIGTERM' ? 143 : code);
    expect(ms).toBeLessThan(MOST_MS);
  });

  it('that cuts a check off says so in its JSON document', async () => {
    const asked = (): Promise<void> =>
      new Promise((resolve) => {
        onRequest = resolve;
      });
    const { code, output } = await terminated(['check', '--json', '--endpoint', endpoint, '--config', config], asked);
    if (code === 143) expect(output).toContain('"code":"stopped"');
  });
});
