import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CreateTableCommand } from '@aws-sdk/client-dynamodb';
import { BatchWriteCommand, DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createClient } from '../../src/store/client.ts';
import { type CommandRun, type DevServer, ROOT, startDev } from '../support/command.ts';
import { CommandProcess } from '../support/command-process.ts';

/** From a table with data to a model file that a person edits, and what the commands say of items that it has no place for. */

const cli = new CommandProcess();
let dev: DevServer;
let folder: string;
let config: string;

const run = (...args: string[]): Promise<CommandRun> => cli.run([...args, '--endpoint', dev.endpoint]);
const json = async (code: number, ...args: string[]): Promise<Record<string, unknown>> => {
  const ended = await run(...args, '--json');
  expect(ended.code, ended.stderr).toBe(code);
  return JSON.parse(ended.stdout) as Record<string, unknown>;
};

beforeAll(async () => {
  dev = await startDev(['--engine', 'memory']);
  // A project in which the package is installed.
  folder = await mkdtemp(join(tmpdir(), 'edgeloom-adopt-'));
  await mkdir(join(folder, 'node_modules'));
  await symlink(ROOT, join(folder, 'node_modules', 'edgeloom'));
  config = join(folder, 'edgeloom.config.ts');
  const client = createClient({ endpoint: dev.endpoint });
  for (const [TableName, type] of [
    ['legacy', 'S'],
    ['empty', 'S'],
    ['numbers', 'N'],
  ] as const) {
    await client.send(
      new CreateTableCommand({
        TableName,
        BillingMode: 'PAY_PER_REQUEST',
        AttributeDefinitions: [
          { AttributeName: 'pk', AttributeType: 'S' },
          { AttributeName: 'sk', AttributeType: type },
        ],
        KeySchema: [
          { AttributeName: 'pk', KeyType: 'HASH' },
          { AttributeName: 'sk', KeyType: 'RANGE' },
        ],
      }),
    );
  }
  const items = [...Array(12).keys()].flatMap((i) => [
    { pk: `USER#u${i}`, sk: 'PROFILE', name: `User ${i}` },
    { pk: `ORG#o${i}`, sk: 'META' },
    { pk: `ORG#o${i % 3}`, sk: `MEMBER#USER#u${i}`, since: '2026' },
    { pk: `USER#u${i}`, sk: `ORDER#2026-${i}`, total: i },
  ]);
  const documents = DynamoDBDocumentClient.from(client);
  for (let start = 0; start < items.length; start += 24) {
    const puts = items.slice(start, start + 24).map((Item) => ({ PutRequest: { Item } }));
    await documents.send(new BatchWriteCommand({ RequestItems: { legacy: puts } }));
  }
  client.destroy();
});

afterAll(async () => {
  await cli.end();
  expect(await dev.interrupt()).toBe(0);
  await rm(folder, { recursive: true, force: true });
});

describe('edgeloom adopt', () => {
  it('prints a model file, and what it has no place for', async () => {
    const { code, stdout, stderr } = await run('adopt', '--table', 'legacy');
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain("USER: node({ key: { source: 'USER#{id}', target: 'PROFILE' } })");
    expect(stdout).toContain("MEMBER: edge({ from: 'ORG', to: 'USER', key: { target: 'MEMBER#USER#{to}' } })");
    expect(stdout).toContain('36 of them are of a type of this model, 12 of none.');
    expect(stdout).toMatch(
      /\/\/ 12 items, such as USER#u\d+ ORDER#2026-\d+: no partition key has "ORDER#" before its id\./,
    );
    expect(stdout).toContain('lacks a stream');
  });

  it('writes it to a file that is not there yet, and the model loads', async () => {
    const written = await json(0, 'adopt', '--table', 'legacy', '--sample', '1000', '--out', config);
    expect(written).toMatchObject({ file: config, sampled: 48, leftOut: [{ items: 12 }] });
    const text = await readFile(config, 'utf8');
    expect(text).toBe(written['model']);
    const again = await json(2, 'adopt', '--table', 'legacy', '--out', config);
    expect(again).toMatchObject({ error: { code: 'file-exists' } });
    expect(await readFile(config, 'utf8')).toBe(text);
    expect(await json(2, 'adopt', '--table', 'legacy', '--out', join(folder, 'none', 'x.ts'))).toMatchObject({
      error: { code: 'invalid-option' },
    });
    const described = await json(0, 'table', 'describe', '--config', config);
    expect(described).toMatchObject({ table: 'legacy' });
  });

  it.each([
    [['--table', 'empty'], 'nothing-to-adopt'],
    [['--table', 'numbers'], 'table-differs'],
    [['--table', 'nowhere'], 'no-table'],
    [[], 'usage'],
  ])('refuses %j', async (args, code) => {
    expect(await json(2, 'adopt', ...args)).toMatchObject({ error: { code } });
  });
});

describe('items of no type of the model', () => {
  const unplaced = {
    items: 12,
    others: 0,
    forms: [{ form: 'USER#… ORDER#…', items: 12, examples: expect.toSatisfy((all: unknown[]) => all.length === 3) }],
  };
  const line =
    /no type of the model fits 12 items, of which nothing is projected:\n {2}12 USER#… ORDER#…, such as USER#u\d+ ORDER/;

  it('are counted by their form after migrate and rebuild, which exit with 1 under --strict', async () => {
    expect((await run('table', 'update', '--yes', '--config', config)).code).toBe(0);
    const dry = await run('migrate', '--dry-run', '--config', config);
    expect([dry.code, dry.stdout]).toEqual([1, expect.stringMatching(line)]);
    expect(await json(1, 'migrate', '--yes', '--strict', '--config', config)).toMatchObject({ done: true, unplaced });
    const again = await run('migrate', '--yes', '--config', config);
    expect([again.code, again.stdout]).toEqual([0, 'nothing to do\n']);
    expect(await json(0, 'migrate', '--yes', '--config', config)).toMatchObject({ unplaced: null });
    // Without a step that reads the table, --strict reads it.
    expect(await json(1, 'migrate', '--yes', '--strict', '--config', config)).toMatchObject({ done: true, unplaced });
    expect(await json(0, 'rebuild', '--config', config)).toMatchObject({ unplaced });
    const strict = await run('rebuild', '--strict', '--config', config);
    expect([strict.code, strict.stdout]).toEqual([1, expect.stringMatching(line)]);
    expect(await json(0, 'check', '--config', config)).toMatchObject({ unknown: 12, drift: { missing: 0, orphan: 0 } });
  });

  it('do not come from a changed template unnoticed', async () => {
    const changed = join(folder, 'changed.config.ts');
    await writeFile(changed, (await readFile(config, 'utf8')).replace("target: 'META'", "target: 'ORG'"));
    const dry = await run('migrate', '--dry-run', '--config', changed);
    expect([dry.code, dry.stdout]).toEqual([
      1,
      expect.stringMatching(/warning: other key templates: nodes\.ORG has .*META/),
    ]);
    expect(await json(2, 'migrate', '--yes', '--config', changed)).toMatchObject({ error: { code: 'keys-changed' } });
    expect(await json(0, 'migrate', '--yes', '--new-keys', '--config', changed)).toMatchObject({ done: true });
    expect(await json(2, 'migrate', '--yes', '--config', config)).toMatchObject({ error: { code: 'keys-changed' } });
  });

  it('are none once a person has said what they are', async () => {
    const text = await readFile(config, 'utf8');
    const placed = join(folder, 'placed.config.ts');
    await writeFile(
      placed,
      text
        .replace('  nodes: {', "  nodes: {\n    ORDER: node({ key: { source: 'ORDER#{id}', target: 'ORDER' } }),")
        .replace(
          '  edges: {',
          "  edges: {\n    ORDERED: edge({ from: 'USER', to: 'ORDER', key: { target: 'ORDER#{to}' } }),",
        ),
    );
    const ended = await json(1, 'migrate', '--dry-run', '--strict', '--config', placed);
    expect(ended).toMatchObject({ done: false, unplaced: { items: 0, forms: [] } });
  });
});
