import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROOT } from '../support/command.ts';
import { packInto, run } from '../support/packed.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** The package as somebody else's project gets it: packed, installed beside the four services of examples, used from there. */

type Request = [method: string, path: string, body?: object];
/** Asks a running service over HTTP. */
type Ask = (...request: Request) => Promise<{ status: number; body: unknown }>;

describe('services that install the package', () => {
  const folder = temporaryFolder();
  let output: string;
  const running: ChildProcess[] = [];

  beforeAll(async () => {
    const tarball = await packInto(folder);
    await cp(join(ROOT, 'examples'), folder, {
      recursive: true,
      filter: (path) => !/node_modules|package-lock/.test(path.slice(ROOT.length)),
    });
    const manifest = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as {
      dependencies: Record<string, string>;
    };
    manifest.dependencies['edgeloom'] = `file:${tarball}`;
    await writeFile(join(folder, 'package.json'), JSON.stringify(manifest));
    const installed = await run('npm', ['install', '--no-audit', '--no-fund'], { cwd: folder });
    output = installed.stdout + installed.stderr;
  });
  afterAll(async () => {
    for (const { pid } of running) process.kill(-pid!, 'SIGTERM');
  });

  /** Runs `npm start` in the folder of a service, on a free port. */
  async function start(service: string): Promise<Ask> {
    const child = spawn('npm', ['start', '--silent'], {
      ...{ cwd: join(folder, service), detached: true, env: { ...process.env, PORT: '0' } },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    running.push(child);
    const line = once(createInterface({ input: child.stdout! }), 'line') as Promise<[string]>;
    const failed = once(child, 'exit').then(() => Promise.reject(new Error(`${service} ended`)));
    failed.catch(() => undefined);
    const [address] = await Promise.race([line, failed]);
    return async (method, path, body) => {
      const response = await fetch(address + path, { method, ...(body && { body: JSON.stringify(body) }) });
      return { status: response.status, body: await response.json() };
    };
  }

  /** Writes one after the other, and waits until all is projected. */
  async function write(ask: Ask, ...requests: Request[]): Promise<void> {
    for (const request of [...requests, ['POST', '/projected'] satisfies Request]) {
      const { status, body } = await ask(...request);
      expect(status, JSON.stringify(body)).toBe(200);
    }
  }

  /** Runs the curl lines of a service's README, one after the other: each question is answered as the line below it says. */
  async function runReadme(service: string, ask: Ask): Promise<void> {
    const readme = await readFile(join(folder, service, 'README.md'), 'utf8');
    const line = /^curl (?:-X (\w+) )?"?\$api([^"\s]*)"?(?: -d '(.*)')?.*\n(?:# (.*))?/gm;
    const requests = [...readme.matchAll(line)];
    expect(requests).toHaveLength(readme.match(/^curl/gm)!.length);
    for (const [text, method = 'GET', path, json, answer] of requests) {
      const { status, body } = await ask(method, path!, json === undefined ? undefined : JSON.parse(json));
      expect(status, `${text} ${JSON.stringify(body)}`).toBe(200);
      if (method !== 'GET') continue;
      // Ids that the service makes differ from run to run.
      const shown = JSON.stringify(body).replace(/POST-[\w-]+/g, 'POST-…');
      expect(JSON.parse(shown), text).toEqual(JSON.parse(answer!));
    }
  }

  it('finds the types of edgeloom and its entries, also where libraries are checked', async () => {
    await run('npx', ['tsc', '--noEmit', '--skipLibCheck', 'false'], { cwd: folder });
  });

  it('is told of no script that the package would run at its install', () => {
    expect(output).not.toMatch(/install.?scripts|prepare|allow.?scripts/i);
  });

  it("compiles under what tsc --init writes: declarations of the README's model, undefined for every option, and mistakes that are errors", async () => {
    const project = join(folder, 'init');
    await cp(join(ROOT, 'test/types/init'), project, { recursive: true });
    const readme = await readFile(join(ROOT, 'README.md'), 'utf8');
    const model = /```ts\n(export default defineGraph[^`]+)```/.exec(readme)![1]!;
    const imports = "import { defineGraph, edge, node, rank, sum } from 'edgeloom';\n";
    await writeFile(join(project, 'edgeloom.config.ts'), imports + model);
    await writeFile(join(project, 'package.json'), '{ "type": "module" }');
    await run('npx', ['tsc', '--init'], { cwd: project });
    const settings = await readFile(join(project, 'tsconfig.json'), 'utf8');
    for (const option of ['strict', 'declaration', 'exactOptionalPropertyTypes', 'noUncheckedIndexedAccess']) {
      expect(settings).toMatch(new RegExp(`^ *"${option}": true`, 'm'));
    }
    const { stdout } = await run('npx', ['tsc', '--outDir', 'out'], { cwd: project }).catch((error) => error);
    expect(stdout).toBe('');
    expect(await readFile(join(project, 'out/model.d.ts'), 'utf8')).toContain('OpenAttributes');
    await rm(project, { recursive: true });
  });

  it('runs the command with a model file of its own', async () => {
    const { stdout } = await run('npx', ['edgeloom', 'cost', '--json'], { cwd: join(folder, 'friends') });
    expect(stdout).toContain('FOLLOWS');
  });

  it('starts goals, which lists the goals of a team and of a user', async () => {
    const ask = await start('goals');
    await runReadme('goals', ask);
    await write(
      ask,
      ['PUT', '/teams/web/objectives/speed', { rank: '1' }],
      ['PUT', '/goals/speed/key-results/images', { title: 'Smaller images', lead: 'terui', team: 'web' }],
      ['PUT', '/goals/speed/subscribers/fan', { since: '2026-08-02' }],
    );
    const speed = { title: 'Halve the page load time', leads: ['Terui'], teams: ['Web'] };
    expect((await ask('GET', '/teams/web')).body).toContainEqual(speed);
    expect((await ask('GET', '/teams/web/objectives')).body).toMatchObject({
      goals: [{ ...speed, below: [{ title: 'Smaller images', leads: ['Terui'], teams: ['Web'] }] }],
    });
    expect((await ask('GET', '/users/terui/goals')).body).toContainEqual({ goal: 'GOAL-speed', role: 'LEAD' });
    expect((await ask('GET', '/goals?due=2026-12-31')).body).toEqual([speed.title]);
    expect((await ask('GET', '/goals/open')).body).toEqual({ count: 1 });
    expect((await ask('GET', '/goals/speed/subscribers')).body).toEqual({ count: 1 });
    await write(ask, ['DELETE', '/goals/speed/members/USER-terui']);
    expect((await ask('GET', '/teams/web')).body).toContainEqual({ ...speed, leads: [] });
    expect((await ask('GET', '/nowhere')).status).toBe(404);
  });

  it('starts products, which are found by name, tag, price and place', async () => {
    const ask = await start('products');
    await runReadme('products', ask);
    const found = async (path: string) =>
      ((await ask('GET', path)).body as { items: { id: string }[] }).items.map(({ id }) => id);
    expect(await found('/products?name=w')).toEqual(['PRODUCT-1', 'PRODUCT-2']);
    expect(await found('/products?tag=wood')).toEqual(['PRODUCT-1']);
    expect(await found('/products?category=desks')).toEqual(['PRODUCT-2', 'PRODUCT-1']);
    expect(await found('/products?category=desks&max=100')).toEqual(['PRODUCT-2']);
    expect(await found('/stores?country=US&state=CA')).toEqual(['STORE-9']);
    expect((await ask('GET', '/products/2/stores')).body).toMatchObject({ items: [{ attributes: { name: 'North' } }] });
    await write(ask, ['DELETE', '/products/1']);
    expect(await found('/products?tag=office')).toEqual(['PRODUCT-2']);
    expect((await ask('GET', '/products/3')).status).toBe(404);
    expect((await ask('PUT', '/products/3', { name: '' })).status).toBe(400);
  });

  it('starts friends, whose posts reach the feeds of followers', async () => {
    const ask = await start('friends');
    await runReadme('friends', ask);
    await write(ask, ['POST', '/users/grace/posts', { text: 'Good night', at: '2026-01-03' }]);
    expect((await ask('GET', '/users/ada')).body).toMatchObject({
      ...{ attributes: { name: 'Ada' }, edgeSet: [{ target: 'USER-grace' }] },
    });
    expect((await ask('GET', '/users/grace/followers')).body).toMatchObject({
      items: [{ attributes: { name: 'Ada' } }],
    });
    const newest = { items: [{ attributes: { text: 'Good night', author: 'grace' } }] };
    expect((await ask('GET', '/users/ada/feed?limit=1')).body).toMatchObject(newest);
    expect((await ask('GET', '/users?name=GR')).body).toMatchObject({ items: [{ id: 'USER-grace' }] });
  });

  it('starts the shop, which shows what ElectroDB writes', async () => {
    const ask = await start('shop');
    await runReadme('shop', ask);
    await write(ask, ['PUT', '/orders/o2', { customerId: 'c1', productId: 'p1', placed: '2026-01-02' }]);
    const desk = { OF: [{ node: { attributes: { title: 'Walnut desk' } } }] };
    expect((await ask('GET', '/customers/c1/orders')).body).toMatchObject({
      items: [
        { id: 'ORDER-o2', edges: desk },
        { id: 'ORDER-o1', edges: desk },
      ],
    });
    expect((await ask('GET', '/customers?name=AD')).body).toMatchObject({ items: [{ id: 'CUSTOMER-c1' }] });
    await write(ask, ['DELETE', '/orders/o2']);
    expect((await ask('GET', '/products/p1/orders')).body).toMatchObject({ items: [{ source: 'ORDER-o1' }] });
  });
});
