import { execFileSync } from 'node:child_process';
import { cp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { type BuildOptions, build } from 'esbuild';
import { beforeAll, describe, expect, it } from 'vitest';
import { DOCS } from '../../src/foundation/docs.ts';
import { expectWithin } from '../support/bound.ts';
import { ROOT } from '../support/command.ts';
import { CommandProcess } from '../support/command-process.ts';
import { packInto, run } from '../support/packed.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** What a user pays for the package before it does anything: packages, megabytes, code to read. Each number is a promise. */

const MEGABYTE = 1024 * 1024;
const MODEL = `import { createClient, defineGraph, EdgeloomError, newId, node } from 'edgeloom';
import * as admin from 'edgeloom/admin';
import { pathToFileURL } from 'node:url';
const built = await import(pathToFileURL(process.env.EDGELOOM_BUILT).href);
if (built.EdgeloomError !== EdgeloomError || built.newId !== newId) throw new Error('the vocabulary is another copy');
if (built.createClient !== createClient) throw new Error('the library is another copy');
if (admin.tableDefinition === undefined) throw new Error('the tools are not there');
export default defineGraph({ table: 'records', nodes: { USER: node({ view: 'ALL', search: { name: {} } }) } });
`;
const PLAIN_MODEL = `import { defineGraph, node } from 'edgeloom';
export default defineGraph({ table: 'records', nodes: { USER: node({ view: 'ALL', search: { name: {} } }) } });
`;
const HANDLER = `import { createClient, createReader, createWriter, defineGraph, DynamoDBStore, edge, node } from 'edgeloom';
const graph = defineGraph({
  table: 'records',
  nodes: { GOAL: node({ view: ['title'], search: { title: {} } }), USER: node({ view: 'ALL',}) },
  edges: { MEMBER: edge({ from: 'GOAL', to: 'USER', edgeSet: ['role'], inbound: { orders: { gsi0: 'role' } } }) },
});
const store = new DynamoDBStore(createClient(), graph.table);
const writer = createWriter(graph, { store });
const reader = createReader(graph, { store });
export async function handler({ id, title }) {
  await writer.putNode(id, { title });
  return { nodes: await reader.getViews([id]), goals: await reader.inbound('USER-U1', 'MEMBER') };
}
`;
/** Notes each module that is loaded, in a file. */
const NOTE_MODULES = `data:text/javascript,${encodeURIComponent(
  `import { register } from 'node:module';
   register('data:text/javascript,' + encodeURIComponent(\`
     import { appendFileSync } from 'node:fs';
     export async function load(url, context, next) {
       appendFileSync(process.env.EDGELOOM_LOADED, url + '\\\\n');
       return next(url, context);
     }\`));`,
)}`;

describe('the package, installed alone into an empty folder', () => {
  const folder = temporaryFolder();
  let main: string;

  beforeAll(async () => {
    const tarball = await packInto(folder);
    await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
    await writeFile(join(folder, 'edgeloom.config.ts'), PLAIN_MODEL);
    await writeFile(join(folder, 'handler.js'), HANDLER);
    await run('npm', ['install', '--no-audit', '--no-fund', '--omit=optional', tarball], { cwd: folder });
    main = join(folder, 'node_modules/edgeloom/dist/cli/main.js');
  });
  /** Runs the command in the folder. */
  const edgeloom = (...args: string[]) => run(process.execPath, [main, ...args], { cwd: folder });
  /** What a run of the command loads: the bytes of this package, and the names of others. */
  const loadedBy = async (...args: string[]): Promise<{ bytes: number; packages: string[] }> => {
    const file = join(folder, 'loaded');
    await writeFile(file, '');
    const env = { ...process.env, EDGELOOM_LOADED: file };
    await run(process.execPath, ['--import', NOTE_MODULES, main, ...args], { cwd: folder, env }).catch(() => undefined);
    const urls = [...new Set((await readFile(file, 'utf8')).trim().split('\n'))].filter((url) =>
      url.startsWith('file:'),
    );
    const own = urls.filter((url) => url.includes('/node_modules/edgeloom/'));
    const sizes = await Promise.all(own.map(async (url) => (await stat(new URL(url))).size));
    const names = urls.map((url) => /\/node_modules\/(?!edgeloom\/)((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1]);
    return {
      bytes: sizes.reduce((sum, size) => sum + size, 0),
      packages: [...new Set(names.filter((name) => name !== undefined))],
    };
  };

  it('brings at most 40 packages and 32 MB, without the engine', async () => {
    const lock = JSON.parse(await readFile(join(folder, 'node_modules/.package-lock.json'), 'utf8')) as {
      packages: Record<string, unknown>;
    };
    expectWithin('packages', Object.keys(lock.packages).length, 40);
    expect(Object.keys(lock.packages)).not.toContain('node_modules/@aws-sdk/client-s3');
    expectWithin('bytes of node_modules', await sizeOf(join(folder, 'node_modules')), 32 * MEGABYTE);
  });

  it('has the pages that messages name, and drawings, but no pictures of the studio', async () => {
    const pages = await readdir(join(folder, DOCS), { recursive: true });
    expect(pages).toEqual(expect.arrayContaining(['how-to/deploying.md', 'reference/commands.schema.json']));
    expect(pages.filter((name) => /\.png$/.test(name))).toEqual([]);
  });

  it('runs every command', async () => {
    const commandLine = new CommandProcess(main);
    const help = async (...args: string[]) => (await commandLine.run(args, { cwd: folder })).stdout;
    const stdout = await help('--help');
    const commands = [...stdout.split(/^(?:Data|Examples):$/m)[1]!.matchAll(/^ {2}([a-z]+) /gm)].map(
      ([, name]) => name!,
    );
    expect(commands.length).toBeGreaterThan(25);
    for (const command of commands.filter((name) => name !== 'help')) {
      expect(await help(command, '--help')).toContain(`Usage: edgeloom ${command}`);
    }
    expect(await help('--json', 'help', 'cost')).toContain('--rate');
    await commandLine.end();
  });

  it('gives a model file the copy of the library that the command runs with', async () => {
    await writeFile(join(folder, 'copies.config.ts'), MODEL);
    const env = { ...process.env, EDGELOOM_BUILT: join(folder, 'node_modules/edgeloom/dist/index.js') };
    const args = [main, 'cost', '--config', 'copies.config.ts'];
    const { stdout, stderr } = await run(process.execPath, args, { cwd: folder, env });
    expect(stdout).toContain('USER');
    expect(stderr).toBe('');
    const files = await readdir(join(folder, 'node_modules/edgeloom/dist'), { recursive: true });
    const code = files.filter((file) => file.endsWith('.js') && !file.startsWith('studio'));
    const texts = await Promise.all(
      code.map((file) => readFile(join(folder, 'node_modules/edgeloom/dist', file), 'utf8')),
    );
    expect(texts.filter((text) => /\bEdgeloomError = class\b/.test(text))).toHaveLength(1);
  });

  it('loads for a command what it needs: for the help no model, for a model no SDK, for an item of a local table none either', async () => {
    const help = await loadedBy('--help');
    expect(help.packages).toEqual([]);
    expectWithin('bytes loaded for --help', help.bytes, 200_000);
    const cost = await loadedBy('cost');
    expect(cost.packages).toEqual(['jiti']);
    expectWithin('bytes loaded for cost', cost.bytes, 740_000);
    // Nothing listens there: what is loaded to ask is loaded all the same.
    const get = await loadedBy('get', 'USER-U1', '--endpoint', 'http://127.0.0.1:9', '--log-level', 'silent');
    expectWithin('bytes loaded for get', get.bytes, 1_170_000);
  });

  it('says which optional package a command lacks', async () => {
    const message = join(folder, 'notification.json');
    const s3 = { bucket: { name: 'failed' }, object: { key: 'key' } };
    await writeFile(message, JSON.stringify({ Records: [{ eventSource: 'aws:s3', s3 }] }));
    const args = [
      'redrive',
      '--from-failure',
      message,
      '--bucket',
      'failed',
      '--endpoint',
      'http://127.0.0.1:9',
      '--json',
    ];
    const { stdout } = await edgeloom(...args).catch((error: { stdout: string }) => error);
    expect(JSON.parse(stdout)).toMatchObject({
      error: { code: 'not-installed', message: expect.stringContaining('@aws-sdk/client-s3') },
    });
  });

  it('says in one sentence that telemetry lacks its package, and how to install it', async () => {
    const program = "import { openTelemetry } from 'edgeloom/telemetry'; console.log(typeof openTelemetry);";
    const { stdout, stderr } = await run(process.execPath, ['--input-type=module', '-e', program], {
      cwd: folder,
    }).catch((error: { stdout: string; stderr: string }) => error);
    expect([stdout, stderr]).toEqual([
      '',
      expect.stringContaining('This needs the package @opentelemetry/api, which is not installed.'),
    ]);
    expect(stderr).toContain('npm install @opentelemetry/api');
    const api = join(folder, 'node_modules/@opentelemetry/api');
    await cp(join(ROOT, 'node_modules/@opentelemetry/api'), api, { recursive: true });
    try {
      const installed = await run(process.execPath, ['--input-type=module', '-e', program], { cwd: folder });
      expect(installed.stdout).toBe('function\n');
      const { outputFiles } = await build({
        ...{ stdin: { contents: program, resolveDir: folder }, bundle: true, write: false },
        ...{ platform: 'node', format: 'cjs' },
      });
      expect(outputFiles[0]!.text).toContain('messaging.process.duration');
    } finally {
      await rm(api, { recursive: true });
    }
  });

  it('is bundled into a handler that reads and writes with at most 400 KB beside the SDK, by plain esbuild with 460', async () => {
    expectWithin('bytes bundled by plain esbuild', await bundled({}), 460_000);
    const require = createRequire(join(folder, 'package.json'));
    const own = await bundled({ format: 'esm', plugins: require('edgeloom/bundle') });
    expectWithin('bytes bundled with the plugins', own, 400_000);
    // What plain esbuild makes is CommonJS.
    execFileSync(process.execPath, ['-e', `require(${JSON.stringify(join(folder, 'out/handler.js'))})`], {
      cwd: folder,
    });
  });

  /** Bytes of code of the bundled handler, all files together. */
  const bundled = async (options: BuildOptions): Promise<number> => {
    const { metafile } = await build({
      absWorkingDir: folder,
      entryPoints: ['handler.js'],
      bundle: true,
      minify: true,
      platform: 'node',
      target: 'node22',
      outdir: options.plugins === undefined ? 'out' : 'plugged',
      external: ['@aws-sdk/*', '@smithy/*'],
      logLevel: 'silent',
      metafile: true,
      ...options,
    });
    return Object.values(metafile!.outputs).reduce((sum, { bytes }) => sum + bytes, 0);
  };
});

/** Bytes that all files below a folder take on the disk. */
async function sizeOf(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const sizes = await Promise.all(
    files.map(async (entry) => (await stat(join(entry.parentPath, entry.name))).blocks * 512),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}
