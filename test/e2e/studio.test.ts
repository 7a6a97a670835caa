import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type DevServer, edgeloom, startDev } from '../support/command.ts';
import { studioClient } from '../support/studio/client.ts';

const MAIN = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));

/** A command that prints the address of a studio and runs on. */
async function serve(args: readonly string[]) {
  const child: ChildProcess = spawn(process.execPath, [MAIN, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  const closed = once(child, 'close') as Promise<[number | null]>;
  let stdout = '';
  let stderr = '';
  child.stderr!.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  const printed = new Promise<void>((resolve) => {
    child.stdout!.on('data', (chunk: Buffer) => {
      stdout += chunk.toString();
      if (/token=[\w-]+\W*\n|token=[\w-]+"\}/.test(stdout)) resolve();
    });
  });
  const end = await Promise.race([printed, closed]);
  if (end !== undefined) throw new Error(`${args.join(' ')} ended with ${end[0]}: ${stdout}${stderr}`);
  const url = /http:\/\/127\.0\.0\.1:\d+\/[^#\s]*#token=[\w-]+/.exec(stdout)![0];
  return {
    url,
    client: studioClient(url),
    output: () => ({ stdout, stderr }),
    interrupt: async () => {
      child.kill('SIGINT');
      return (await closed)[0];
    },
  };
}

describe('edgeloom studio', () => {
  let dev: DevServer;

  beforeAll(async () => {
    dev = await startDev();
  });
  afterAll(async () => {
    expect(await dev.interrupt()).toBe(0);
  });

  it('prints one document with its address, answers from the built page, and stops on Ctrl-C', async () => {
    const studio = await serve(['studio', '--json', '--endpoint', dev.endpoint]);
    expect(JSON.parse(studio.output().stdout)).toEqual({ url: studio.url });
    expect((await studio.client.get('/api/model')).answer).toMatchObject({ table: dev.table, isWritable: false });
    expect((await studio.client.post('/api/redrive', { id: null })).status).toBe(403);
    const page = await fetch(new URL('/', studio.url));
    expect(await page.text()).toContain('<div id="page">');
    expect((await fetch(new URL('/page.js', studio.url))).status).toBe(200);
    expect(await studio.interrupt()).toBe(0);
  });

  it('writes only with --write, and refuses a port that another program has', async () => {
    const studio = await serve(['studio', '--write', '--endpoint', dev.endpoint]);
    expect(studio.output().stdout).toMatch(/^studio: http:\/\/127\.0\.0\.1:\d+\/#token=[\w-]+\nCtrl-C stops\n$/);
    expect((await studio.client.post('/api/redrive', { id: null })).status).toBe(200);
    const { port } = new URL(studio.url);
    const second = await edgeloom(['studio', '--json', '--port', port, '--endpoint', dev.endpoint]);
    expect(second.code).toBe(2);
    expect(JSON.parse(second.stdout).error.code).toBe('port-in-use');
    expect(await studio.interrupt()).toBe(0);
  });
});

it('the demo ends with a studio on its data, in which something goes on and no first look is empty', async () => {
  const demo = await serve(['demo', '--studio']);
  expect(demo.output().stdout).toMatch(
    /everything read agrees with the data files\nmigrated to a model with goals, in \d+ steps\nplanted: 1 record in quarantine, 1 wrong item, .*\nstudio: http:/,
  );
  // What opens first is an edge that is there, with its role to change.
  const first = new URL(demo.url);
  expect(first.pathname).toBe('/trace');
  expect((await demo.client.get(`/api/item${first.search}`)).answer.item.attributes).toMatchObject({ role: 'HELPER' });
  const { lastCheck, quarantined, projections } = (await demo.client.get('/api/status')).answer;
  expect(lastCheck).toMatchObject({ verdict: 'drift', drift: 1 });
  expect(quarantined).toEqual({ 'wrong-type': 1 });
  expect(projections).toContainEqual({ name: 'search:AIRPORT.location', generation: 2, state: 'ready' });
  await expect.poll(async () => (await demo.client.get('/api/writes')).answer.writes.length).toBeGreaterThan(0);
  // The observer finds what was planted, too.
  const observed = async () => (await demo.client.get('/api/status')).answer.drift;
  await expect.poll(observed, { timeout: 60_000, interval: 1_000 }).toBe(1);
  const { answer } = await demo.client.get('/api/node?id=AIRPORT-ATL');
  expect(answer.base.city).toBe('Atlanta');
  expect(answer.edgeSetSize).toBeGreaterThan(100);
  const edit = { source: 'AIRPORT-ATL', target: 'AIRPORT-ATL', before: '{}', after: '{"seen":true}' };
  expect((await demo.client.post('/api/update', edit)).answer).toMatchObject({ changed: ['seen'] });
  expect(await demo.interrupt()).toBe(0);
  expect(demo.output().stdout).toContain('check: ok');
});

it('dev shows its table in a studio that knows the milliseconds of each write', async () => {
  const dev = await serve(['dev', '--studio', '--engine', 'memory']);
  expect(dev.output().stdout).toMatch(/studio: {3}http:/);
  const { client } = dev;
  const subject = { id: 'USER-1' };
  const { answer } = await client.post('/api/put', { subject, json: '{"name":"Ada"}' });
  const path = `/api/trace?source=USER-1&target=USER-1&after=${answer.after}`;
  await expect.poll(async () => (await client.get(path)).answer.isProjected, { timeout: 30_000 }).toBe(true);
  const { batch, derived } = (await client.get(path)).answer;
  expect(batch).toMatchObject({ records: 1 });
  expect(derived.length).toBeGreaterThan(0);
  expect(await dev.interrupt()).toBe(0);
});
