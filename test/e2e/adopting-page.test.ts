import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DynamoDBDocumentClient, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Engine, startEngine } from '../../packages/local/engine/engine.ts';
import { createClient } from '../../src/store/client.ts';
import { makeSourceTable } from '../../src/store/source-table.ts';
import { Follower } from '../support/followed-page.ts';
import { howTo } from '../support/how-to.ts';
import { type Application, LIBRARY_TABLES } from '../support/library-tables.ts';
import { packInto, run } from '../support/packed.ts';
import type { Template } from '../support/stack/template.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** docs/how-to/adopting.md, followed word by word for tables that three libraries write: from an empty folder to a check without differences. */

const PAGE = howTo(['adopting']);
/** The commands of a section that run in the foreground. */
function commandsOf(title: string): string {
  const section = PAGE.split(/^## /m).find((text) => text.startsWith(title))!;
  return section.replaceAll(/^npx edgeloom dev .*$/gm, 'true');
}

const environment = { AWS_REGION: 'eu-central-1', AWS_ACCESS_KEY_ID: 'local', AWS_SECRET_ACCESS_KEY: 'local' };
const parent = temporaryFolder();
let folder: string;

beforeAll(async () => {
  folder = join(parent, 'my-graph');
  // As a user does it before the package is in a registry.
  const tarball = await packInto(parent);
  await run('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error', tarball], { cwd: parent });
});
describe.each(LIBRARY_TABLES)('the page about adoption, for a table that $library writes', ({ open }) => {
  let engine: Engine;
  let application: Application;
  let streamArn: string;
  let items: Record<string, unknown>[];

  const npx = (...args: string[]) =>
    run('npx', args, {
      cwd: folder,
      env: { ...process.env, ...environment, AWS_ENDPOINT_URL_DYNAMODB: engine.endpoint, NO_COLOR: '1' },
      maxBuffer: 64 * 1024 * 1024,
    });

  beforeAll(async () => {
    engine = await startEngine();
    const client = createClient({ endpoint: engine.endpoint });
    streamArn = (await makeSourceTable(client, { name: 'app-table', keys: { partitionKey: 'pk', sortKey: 'sk' } }))!;
    application = await open(client, 'app-table');
    for (let i = 0; i < 12; i++) {
      await application.putOrg(`o${i}`, `Org ${i}`);
      await application.putUser(`u${i}`, `User ${i}`);
      await application.putMember(`o${i % 3}`, `u${i}`, `2026-0${1 + (i % 9)}-01`);
    }
    items = (await DynamoDBDocumentClient.from(client).send(new ScanCommand({ TableName: 'app-table' }))).Items!;
  });
  afterAll(async () => {
    await engine.stop();
    // The next project has the same dependencies.
    const names = (await readdir(folder)).filter((name) => name !== 'node_modules' && name !== 'package-lock.json');
    for (const name of names) await rm(join(folder, name), { recursive: true });
  });

  it('ends in a project with types, tests and a template', async () => {
    const follower = new Follower(parent, { ...environment, AWS_ENDPOINT_URL_DYNAMODB: engine.endpoint });
    await follower.follow(commandsOf('Try it').replaceAll('<LatestStreamArn>', streamArn));
    // What the page asks for behind the first run: items of each kind.
    const path = join(folder, 'test/mirror.test.ts');
    const test = await readFile(path, 'utf8');
    expect(test).toContain('[] = [];');
    await writeFile(path, test.replace('[] = [];', `[] = ${JSON.stringify(items)};`));
    expect((await run('npm', ['test'], { cwd: folder, env: { ...process.env, NO_COLOR: '1' } })).stdout).toMatch(
      /Tests +1 passed/,
    );
    const [, stack] = /`npx (edgeloom stack --param sourceStreamArns=<LatestStreamArn>)`/.exec(PAGE)!;
    const { stdout } = await npx(...stack!.replace('<LatestStreamArn>', streamArn).split(' '), '--stage', 'prod');
    expect(Object.keys((JSON.parse(stdout) as Template).Resources)).toContain('MirrorLambdaFunction');
  });

  it('mirrors the table whole', async () => {
    // In the place of a deployment.
    await npx('edgeloom', 'table', 'create', '--table', 'my-graph-prod-graph');
    const follower = new Follower(folder, { ...environment, AWS_ENDPOINT_URL_DYNAMODB: engine.endpoint });
    await follower.follow(commandsOf('Run'));
    expect(follower.output).toMatch(/\n36 source items, 36 items made, 0 differences\n/);
    const members = await npx('edgeloom', 'list', 'edges', 'ORG-o1', 'MEMBER', '--table', 'my-graph-prod-graph');
    for (const user of ['USER-u1', 'USER-u4', 'USER-u7', 'USER-u10']) expect(members.stdout).toContain(user);
  });

  it('mirrors what the application writes into another DynamoDB', async () => {
    const [, flag] = /^npx edgeloom dev (--source-endpoint) /m.exec(PAGE)!;
    const dev = spawn('npx', ['edgeloom', 'dev', '--json', flag!, engine.endpoint], {
      ...{ cwd: folder, detached: true, stdio: ['ignore', 'pipe', 'inherit'] as const },
    });
    try {
      const [line] = (await once(dev.stdout, 'data')) as [Buffer];
      const { endpoint } = JSON.parse(String(line)) as { endpoint: string };
      await application.putUser('u99', 'New');
      const sync = ['edgeloom', 'mirror', 'sync', '--dry-run', '--json', '--grace', '0', '--endpoint', endpoint];
      const look = async () => (await npx(...sync, flag!, engine.endpoint).catch((error) => error)).stdout as string;
      await expect.poll(async () => JSON.parse(await look())).toMatchObject({ items: 37, differences: [] });
    } finally {
      process.kill(-dev.pid!, 'SIGTERM');
      await once(dev, 'exit');
    }
  });
});
