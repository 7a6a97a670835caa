import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { beforeAll, expect, it } from 'vitest';
import { freePort } from '../../packages/local/engine/ports.ts';
import { MAIN, ROOT } from '../support/command.ts';
import { devCommands } from '../support/dev-commands.ts';
import { compareDocuments, comparedCommands, documentedCommands } from '../support/documents.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** The documents of all commands against the schemas in docs/reference. Every other test that runs commands compares them, too. */

const { dev, run: runText } = devCommands();
const folder = temporaryFolder(join(ROOT, 'node_modules', '.edgeloom-'));
let config: string;

beforeAll(async () => {
  config = join(folder, 'config.mjs');
  await writeFile(
    config,
    `import { defineGraph, edge, node, sum } from ${JSON.stringify(join(ROOT, 'dist/index.js'))};
     import { sourceTable } from ${JSON.stringify(join(ROOT, 'dist/admin.js'))};
     export default defineGraph({
       table: 'documents',
       nodes: { NOTE: node({ view: 'ALL', list: true, search: { title: { shards: 2 } } }) },
       edges: { ON: edge({ from: 'NOTE', to: 'NOTE', edgeSet: ['hours'], degree: true, expires: 'expiresAt',
         inbound: { orders: { gsi0: 'since' }, total: { hours: sum('hours') } } }) },
     });
     export const sources = [sourceTable('documents-source', { map: () => [], keys: { partitionKey: 'source', sortKey: 'target' } })];`,
  );
});

async function run(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await runText(...args, '--json');
  expect(code, `${args.join(' ')}: ${stdout}${stderr}`).not.toBe(2);
  return stdout;
}

/** Runs a command that goes on until it is told to end, and compares its first document. */
async function begin(...args: string[]): Promise<void> {
  const child = spawn(process.execPath, [MAIN, ...args, '--json', '--endpoint', dev.endpoint], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  child.kill('SIGINT');
  await once(child, 'close');
  compareDocuments([...args, '--json'], line);
}

/** A demo takes a minute, and a drill needs a stack; the types in their code make their schemas all the same. */
const NOT_RUN = ['demo', 'drill'];

it('what every command prints with --json fits its schema', async () => {
  compareDocuments(['dev', '--json'], dev.output().stdout);
  const own = ['--config', config];
  await run('table', 'create', ...own);
  await run('table', 'describe', ...own);
  await run('table', 'update', '--dry-run', ...own);
  const items = join(folder, 'items.jsonl');
  await writeFile(items, '{"source":"NOTE-3","target":"NOTE-3","title":"three"}\n');
  await run('import', items, ...own);
  await run('put', 'NOTE-1', '{"title":"one"}', ...own);
  await run('update', 'NOTE-1', '{"title":"two"}', ...own);
  await run('put', 'NOTE-1', 'ON', 'NOTE-3', '{"hours":2,"since":"2026-01-02"}', ...own);
  await run('migrate', '--yes', ...own);
  await run('project', '--until-idle', '--checkpoint', join(folder, 'checkpoint.json'), ...own);
  await run('wait', ...own);
  await run('get', 'NOTE-1', 'NOTE-9', ...own);
  await run('list', 'nodes', 'NOTE', ...own);
  await run('list', 'edges', 'NOTE-1', ...own);
  await run('list', 'inbound', 'NOTE-3', 'ON', ...own);
  await run('list', 'page', 'NOTE-3', 'ON', ...own);
  await run('search', 'NOTE.title', ...own);
  await run('search', 'NOTE.title', '--shards', ...own);
  await run('count', 'edges', 'NOTE-1', 'ON', ...own);
  await run('count', 'inbound', 'NOTE-3', 'ON', ...own);
  await run('count', 'search', 'NOTE.title', ...own);
  await run('total', 'NOTE-3', 'ON', ...own);
  await run('status', ...own);
  await run('explain', 'NOTE-1', '--query', 'list inbound NOTE-3 ON', ...own);
  await run('check', '--grace', '0s', ...own);
  await run('rebuild', ...own);
  await run(
    'put',
    'NOTE-1',
    'ON',
    'NOTE-4',
    `{"hours":1,"expiresAt":${Math.floor(Date.now() / 1000) - 3_600}}`,
    ...own,
  );
  const projected = () => run('project', '--until-idle', '--checkpoint', join(folder, 'checkpoint.json'), ...own);
  await projected();
  expect(JSON.parse(await run('redrive', ...own))).toMatchObject({ ended: 1 });
  await projected();
  await run('observe', '--until-verified', ...own);
  await run('cost', '--rate', '10/s', ...own);
  await run('stack', ...own);
  await run('table', 'create', '--table', 'documents-source', ...own);
  for (const walk of [[], ['--dry-run']]) await run('mirror', 'sync', ...walk, ...own);
  await run('init', join(folder, 'project'));
  await run('adopt', '--table', 'documents', '--out', join(folder, 'adopted.ts'));
  await begin('watch', 'inbound', 'NOTE-3', 'ON', ...own);
  await begin('watch', 'search', 'NOTE.title', ...own);
  await begin('watch', 'get', 'NOTE-1', ...own);
  await begin('studio', '--port', String(await freePort()), ...own);
  await run('subject', 'export', 'NOTE-1', ...own);
  await run('subject', 'erase', 'NOTE-1', '--yes', ...own);
  await run('delete', 'NOTE-3', ...own);
  await run('table', 'delete', '--yes', ...own);
  expect(documentedCommands().filter((name) => !comparedCommands.has(name))).toEqual(NOT_RUN);
});
