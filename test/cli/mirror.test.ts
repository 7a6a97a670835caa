import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import { node } from '../../src/core/model/schema.ts';
import { createClient } from '../../src/store/client.ts';
import { DynamoDBStore } from '../../src/store/dynamodb.ts';
import { createTable } from '../../src/store/table-description.ts';
import { ROOT, startDev } from '../support/command.ts';
import { devCommands } from '../support/dev-commands.ts';
import { startFaultyEndpoint } from '../support/faulty-endpoint.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const { cli, dev, run: runText } = devCommands();
const folder = temporaryFolder(join(ROOT, 'node_modules', '.edgeloom-'));

async function run(config: string, ...args: string[]) {
  const { code, stdout } = await runText(...args, '--config', config, '--json');
  return { code, json: JSON.parse(stdout) as unknown };
}

/** A model file next to a table of others. */
async function modelFile(name: string, sources: string): Promise<string> {
  const config = join(folder, name);
  await writeFile(
    config,
    `import { defineGraph, node } from ${JSON.stringify(join(ROOT, 'dist/index.js'))};
     import { defineSource, mappedNode, sourceTable } from ${JSON.stringify(join(ROOT, 'dist/admin.js'))};
     export default defineGraph({ table: 'mirrored', nodes: { ISSUE: node({ view: 'ALL' }) }, edges: {}, mirrored: ['ISSUE'] });
     ${sources}`,
  );
  return config;
}

describe('edgeloom dev', () => {
  it('makes the table of a source, mirrors it, and status shows how far that is', async () => {
    const config = await modelFile(
      'dev.mjs',
      "export const sources = [sourceTable('their-table', { map: ({ sk }) => [mappedNode('ISSUE-' + sk, { of: sk })] })];",
    );
    const own = await startDev(['--config', config, '--engine', 'memory', '--no-observe']);
    const client = createClient({ endpoint: own.endpoint });
    try {
      const theirs = defineGraph({
        table: { name: 'their-table', partitionKey: 'pk', sortKey: 'sk' },
        nodes: { X: node({ view: 'ALL' }) },
      });
      await new DynamoDBStore(client, theirs.table).put({ pk: { S: 'issue' }, sk: { S: '1' } });
      const status = ['status', '--endpoint', own.endpoint, '--config', config];
      await vi.waitFor(
        async () => {
          const { stdout } = await cli.run([...status, '--json']);
          expect(JSON.parse(stdout)).toMatchObject({ sources: [{ source: 'their-table', refused: 0 }] });
        },
        { timeout: 30_000 },
      );
      expect((await cli.run(status)).stdout).toMatch(/source +version +touched +lag then \(s\) +refused/);
    } finally {
      client.destroy();
      expect(await own.interrupt()).toBe(0);
    }
  });
});

describe('edgeloom mirror', () => {
  it('makes what the source items make, compares, corrects, and says what a person has to do', async () => {
    const config = await modelFile(
      'config.mjs',
      `export const sources = [sourceTable('app-table', {
         map: ({ sk, bad }) => {
           if (bad) throw new Error('bad');
           return [mappedNode('ISSUE-' + sk, { of: sk })];
         },
       })];`,
    );
    const app = defineGraph({
      table: { name: 'app-table', partitionKey: 'pk', sortKey: 'sk' },
      nodes: { X: node({ view: 'ALL' }) },
    });
    const client = createClient({ endpoint: dev.endpoint });
    await createTable(app, { client });
    const store = new DynamoDBStore(client, app.table);
    const put = (sk: string, more = {}) => store.put({ pk: { S: 'issue' }, sk: { S: sk }, ...more });
    await put('1', { note: { S: 'x' } });
    await put('2');
    await run(config, 'table', 'create');
    expect(await run(config, 'mirror', 'sync')).toMatchObject({ code: 0, json: { items: 2, refused: [] } });
    const dryRun = ['mirror', 'sync', 'app-table', '--dry-run', '--grace', '0'];
    expect(await run(config, ...dryRun)).toMatchObject({
      code: 0,
      json: {
        items: 2,
        made: 2,
        differences: [],
        pending: 0,
        conflicts: [],
        refused: [],
        unused: [],
        dropped: { note: 1 },
      },
    });
    await store.delete({ source: 'issue', target: '2' });
    await put('3');
    await put('4', { bad: { BOOL: true } });
    expect(await run(config, ...dryRun)).toMatchObject({
      code: 1,
      json: { differences: [{ kind: 'missing' }, { kind: 'stray' }], refused: [{ code: 'invalid-mapping' }] },
    });
    expect(await run(config, 'mirror', 'sync')).toMatchObject({ code: 1, json: { items: 4, refused: [{}] } });
    await store.delete({ source: 'issue', target: '4' });
    expect(await run(config, 'mirror', 'sync', '--max-rcu', '1000')).toMatchObject({ code: 0, json: { refused: [] } });
    expect(await run(config, 'mirror', 'sync', '--resume')).toMatchObject({ code: 0 });
    expect(await run(config, ...dryRun)).toMatchObject({ code: 0 });
    const arn = 'arn:aws:dynamodb:eu-central-1:123456789012:table/';
    const ofOther = await run(config, 'mirror', 'sync', '--source-arn', `${arn}other`);
    expect(ofOther).toMatchObject({ code: 2, json: { error: { code: 'usage' } } });
    const shown = await runText(...dryRun, '--config', config);
    expect(shown.stdout).toContain('left out: note, of 1 source item\n2 source items, 2 items made, 0 differences');
    const both = await run(config, 'mirror', 'sync', 'app-table', '--retire', 'app-table');
    expect(both).toMatchObject({ code: 2, json: { error: { code: 'usage' } } });
    const listed = await run(config, 'mirror', 'sync', '--retire', 'app-table', '--dry-run');
    expect(listed).toMatchObject({ code: 1, json: { items: 2, differences: [{ kind: 'stray' }, { kind: 'stray' }] } });
    expect(await run(config, 'put', 'ISSUE-1', '{}')).toMatchObject({
      code: 2,
      json: { error: { code: 'mirrored-type' } },
    });
    client.destroy();
  });

  it('reads a source of another account by its ARN', async () => {
    const config = await modelFile(
      'elsewhere.mjs',
      "export const sources = [sourceTable('their-table', { map: () => [] })];",
    );
    const tables: string[] = [];
    // Passes on what is asked of our table; theirs is empty.
    const way = await startFaultyEndpoint(dev.endpoint, ({ body }) => {
      const { TableName } = JSON.parse(body) as { TableName?: string };
      if (!TableName?.endsWith('their-table')) return undefined;
      tables.push(TableName);
      return { text: '{"Items":[]}' };
    });
    try {
      await run(config, 'table', 'create', '--table', 'elsewhere');
      const arn = 'arn:aws:dynamodb:eu-central-1:123456789012:table/their-table';
      const place = ['--endpoint', way.endpoint, '--table', 'elsewhere', '--config', config, '--json'];
      for (const walk of [[], ['--dry-run', '--grace', '0']]) {
        expect(await cli.run(['mirror', 'sync', ...walk, '--source-arn', arn, ...place])).toMatchObject({ code: 0 });
      }
      expect(tables).toEqual([arn, arn]);
    } finally {
      await way.stop();
    }
  });

  it.each([
    [[], 'Continue it with --resume.'],
    [['--dry-run'], 'Run it again.'],
  ])('says that Ctrl-C stopped a sync %j, though its source never answers', async (flags, hint) => {
    const config = await modelFile(
      'slow.mjs',
      // The timer keeps the process running until the signal comes.
      `const read = () => { console.error('asked'); setTimeout(() => undefined, 3_000); return new Promise(() => undefined); };
       export const sources = [defineSource('slow', { read, keys: () => ['a'], map: () => [] })];`,
    );
    await run(config, 'table', 'create');
    const args = ['mirror', 'sync', ...flags, '--config', config, '--endpoint', dev.endpoint, '--json'];
    const child = spawn(process.execPath, [join(ROOT, 'dist/cli/main.js'), ...args], { cwd: ROOT });
    let stdout = '';
    child.stdout.on('data', (chunk: Buffer) => {
      stdout += chunk.toString();
    });
    const closed = once(child, 'close');
    await once(child.stderr, 'data');
    child.kill('SIGINT');
    expect(await closed).toEqual([2, null]);
    expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'stopped', hint } });
  });

  it('names the sources where none is meant, and refuses what is no list of them', async () => {
    const none = await modelFile('none.mjs', '');
    const hint = expect.stringContaining('export const sources');
    expect(await run(none, 'mirror', 'sync')).toMatchObject({ code: 2, json: { error: { code: 'usage', hint } } });
    const stranger = await modelFile('stranger.mjs', "export const sources = [{ table: 'app-table' }];");
    const refused = { code: 2, json: { error: { code: 'invalid-config' } } };
    expect(await run(stranger, 'mirror', 'sync')).toMatchObject(refused);
    const wrong = await modelFile('wrong.mjs', 'export const sources = {};');
    expect(await run(wrong, 'mirror', 'sync')).toMatchObject({ code: 2, json: { error: { code: 'invalid-config' } } });
    const one = await modelFile('one.mjs', "export const sources = [sourceTable('app-table', { map: () => [] })];");
    const other = await run(one, 'mirror', 'sync', 'other');
    expect(JSON.stringify(other.json)).toContain('app-table');
    expect(await run(one, 'mirror', 'sync', '--dry-run', '--grace', 'x')).toMatchObject({ code: 2 });
    for (const flags of [
      ['--grace', '5'],
      ['--dry-run', '--resume'],
    ]) {
      const misplaced = await run(one, 'mirror', 'sync', ...flags);
      expect(misplaced).toMatchObject({ code: 2, json: { error: { code: 'usage' } } });
    }
  });
});
