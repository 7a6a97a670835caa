import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROOT } from '../support/command.ts';
import { packInto, run } from '../support/packed.ts';

/** The package as somebody else's project gets it: packed, installed into an empty folder, used from there. */

describe('a project that installs the package', () => {
  let folder: string;
  let tarball: string;
  let output: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'edgeloom-own-'));
    tarball = await packInto(folder);
    await cp(join(ROOT, 'examples/own-service'), folder, { recursive: true });
    const manifest = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as {
      dependencies: Record<string, string>;
    };
    manifest.dependencies['edgeloom'] = `file:${tarball}`;
    await writeFile(join(folder, 'package.json'), JSON.stringify(manifest));
    const installed = await run('npm', ['install', '--no-audit', '--no-fund'], { cwd: folder });
    output = installed.stdout + installed.stderr;
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('finds the types of edgeloom, edgeloom/lambda and edgeloom/local, also where libraries are checked', async () => {
    await run('npx', ['tsc', '--skipLibCheck', 'false'], { cwd: folder });
  });

  it('is told of no script that the package would run at its install', () => {
    expect(output).not.toMatch(/install.?scripts|prepare|allow.?scripts/i);
  });

  it("compiles under what tsc --init writes: declarations of the README's model, undefined for every option, and mistakes that are errors", async () => {
    const project = join(folder, 'init');
    await cp(join(ROOT, 'test/types/init'), project, { recursive: true });
    const readme = await readFile(join(ROOT, 'README.md'), 'utf8');
    const model = /```ts\n(export default defineGraph[^`]+)```/.exec(readme)![1]!;
    const imports = "import { date, defineGraph, edge, node } from 'edgeloom';\n";
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

  it('is told by the compiler of an attribute that its model does not have', async () => {
    const file = join(folder, 'src/wrong.ts');
    const text =
      "import { createFollows } from './follows.ts';\nexport const age = (await createFollows({} as never).profile('1')).age;\n";
    await writeFile(file, text);
    await expect(run('npx', ['tsc'], { cwd: folder })).rejects.toMatchObject({
      stdout: expect.stringContaining("Property 'age' does not exist"),
    });
    await rm(file);
  });

  it('runs its model, its handler and its tests', async () => {
    const { stdout } = await run('npm', ['test'], { cwd: folder, env: { ...process.env, NO_COLOR: '1' } });
    expect(stdout).toMatch(/Tests +2 passed/);
  });

  it('runs the command with a model file of its own', async () => {
    const { stdout } = await run('npx', ['edgeloom', 'cost', '--json'], { cwd: folder });
    expect(stdout).toContain('FOLLOWS');
  });
});
