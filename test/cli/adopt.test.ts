import { execFile } from 'node:child_process';
import { mkdir, readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { CreateTableCommand } from '@aws-sdk/client-dynamodb';
import { BatchWriteCommand, DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { beforeAll, describe, expect, it } from 'vitest';
import { createClient } from '../../src/store/client.ts';
import { ROOT } from '../support/command.ts';
import { devCommands } from '../support/dev-commands.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** From a table with data to a model and a mapping that a person edits, and to a table beside it. */

const TSC = join(ROOT, 'node_modules/typescript/bin/tsc');
const { dev, run } = devCommands('--engine', 'memory');
const folder = temporaryFolder();
let config: string;

const json = async (code: number, ...args: string[]): Promise<Record<string, unknown>> => {
  const ended = await run(...args, '--json');
  expect(ended.code, ended.stderr).toBe(code);
  return JSON.parse(ended.stdout) as Record<string, unknown>;
};

beforeAll(async () => {
  expect(JSON.parse(dev.output().stdout)).toMatchObject({ endpoint: dev.endpoint, engine: 'memory' });
  // A project in which the package is installed.
  await mkdir(join(folder, 'node_modules'));
  await symlink(ROOT, join(folder, 'node_modules', 'edgeloom'));
  config = join(folder, 'edgeloom.config.ts');
  const client = createClient({ endpoint: dev.endpoint });
  for (const [TableName, type] of [
    ['legacy', 'S'],
    ['empty', 'S'],
    ['binary', 'B'],
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
    { pk: `ORG#o${i}`, sk: 'META', owner: `USER#u${i % 4}` },
    { pk: `ORG#o${i % 3}`, sk: `MEMBER#USER#u${i}`, since: '2026' },
    { pk: `USER#u${i}`, sk: `ORDER#2026-${i}`, total: i, buyer: `u${i % 5}` },
  ]);
  const documents = DynamoDBDocumentClient.from(client);
  for (let start = 0; start < items.length; start += 24) {
    const puts = items.slice(start, start + 24).map((Item) => ({ PutRequest: { Item } }));
    await documents.send(new BatchWriteCommand({ RequestItems: { legacy: puts } }));
  }
  client.destroy();
});

describe('edgeloom adopt', () => {
  it('prints a model with a mapping, and what it is unsure of', async () => {
    const { code, stdout, stderr } = await run('adopt', '--table', 'legacy');
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain("MEMBER: edge({ from: 'ORG', to: 'USER' })");
    expect(stdout).toContain("'MEMBER', `USER-$\u007bof[1]}`, attributes(item))");
    expect(stdout).toContain(
      "...(isId(item['buyer']) ? [mappedEdge(`ORDER-$\u007bjoined(of[0], of[1])}`, 'ORDER_BUYER',",
    );
    expect(stdout).toContain("'ORG_OWNER', `USER-$\u007bidIn(item['owner'], 'USER#')}`)] : [])");
    expect(stdout).toContain('Items of the graph: 48; not of it, as the end of this file says: 0.');
    expect(stdout).toContain("sources = [sourceTable('legacy', { map, keys: { partitionKey: 'pk', sortKey: 'sk' } })]");
    expect(stdout).toContain('lacks a stream');
  });

  it('writes it to a file that is not there yet, and a sync fills a table beside', async () => {
    const written = await json(0, 'adopt', '--table', 'legacy', '--sample', '1000', '--out', config);
    expect(written).toMatchObject({ file: config, sampled: 48, layout: 'by hand', leftOut: [] });
    const text = await readFile(config, 'utf8');
    expect(text).toBe(written['model']);
    // A project's own compiler takes it.
    const strict = [
      '--ignoreConfig',
      '--noEmit',
      '--strict',
      '--noUncheckedIndexedAccess',
      '--noUnusedLocals',
      '--skipLibCheck',
    ];
    const compiled = await promisify(execFile)(process.execPath, [
      ...[TSC, ...strict, '--module', 'nodenext', '--target', 'es2023', config],
    ]).catch(({ stdout }: { stdout: string }) => ({ stdout }));
    expect(compiled.stdout).toBe('');
    const again = await json(2, 'adopt', '--table', 'legacy', '--out', config);
    expect(again).toMatchObject({ error: { code: 'file-exists' } });
    expect(await readFile(config, 'utf8')).toBe(text);
    expect(await json(2, 'adopt', '--table', 'legacy', '--out', join(folder, 'none', 'x.ts'))).toMatchObject({
      error: { code: 'file-failed' },
    });
    expect((await run('table', 'create', '--config', config)).code).toBe(0);
    expect(await json(0, 'mirror', 'sync', '--config', config)).toMatchObject({ items: 48, refused: [] });
    expect(await json(0, 'mirror', 'sync', '--dry-run', '--config', config)).toMatchObject({ differences: [] });
  });

  it.each([
    [['--table', 'empty'], 'nothing-to-adopt', 'The table empty is empty'],
    [['--table', 'binary'], 'nothing-to-adopt', 'The table binary has binary keys (sk)'],
    [['--table', 'nowhere'], 'no-table', 'nowhere'],
    [[], 'usage', 'name of a table'],
  ])('refuses %j', async (args, code, text) => {
    expect(await json(2, 'adopt', ...args)).toMatchObject({ error: { code, message: expect.stringContaining(text) } });
  });
});

describe('edgeloom init', () => {
  it('refuses names of keys and indexes that belong to no table', async () => {
    for (const args of [
      ['--partition-key', 'pk'],
      ['--sort-key', 'sk'],
      ['--index', 'gsi0=GSI1'],
    ]) {
      const error = { code: 'usage', message: expect.stringContaining(args[0]!) };
      expect(await json(2, 'init', join(folder, 'keyless'), ...args)).toMatchObject({ error });
    }
  });

  it('writes the names of the keys of a source to its file', async () => {
    const stream = 'arn:aws:dynamodb:eu-central-1:123456789012:table/app/stream/2026-01-01T00:00:00.000';
    const project = join(folder, 'keyed');
    await json(0, 'init', project, '--source', stream, '--partition-key', 'PK', '--sort-key', 'SK');
    expect(await readFile(join(project, 'edgeloom.config.ts'), 'utf8')).toContain(
      "keys: { partitionKey: 'PK', sortKey: 'SK' }",
    );
  });
});
