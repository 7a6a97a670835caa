import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROOT } from '../support/command.ts';
import { isOfRun, isPart } from '../support/extent.ts';
import { RECIPES, type Recipe } from '../support/recipes.ts';

/**
 * The recipes of CONTRIBUTING.md are performed on a copy of the repository: with all files that a recipe names the copy compiles and its tests
 * pass, and without one of them something fails. So a recipe names what has to be edited, and nothing else.
 */

const run = promisify(execFile);
/** The files and folders that the compiler and the tests of the copy need. */
const COPIED = [
  'src',
  'packages',
  'test',
  'docs',
  'bench',
  'examples',
  'handlers',
  'scripts',
  'assets',
  'tsconfig.json',
  'package.json',
];
/** The names of the tests that ask for an entry of an addition. */
const ASKED =
  '^(the tables of the matrix|docs/reference/model-options|the type ErrorCode|the model of this test|definitions, their|the recipe)';
const CONFIG = `import { defineConfig } from 'vitest/config';
export default defineConfig({
  test: { isolate: false, include: ['test/**/*.test.ts'], provide: { seed: 1, changedFiles: [] }, testTimeout: 600_000 },
});
`;

describe('the recipes of CONTRIBUTING.md', () => {
  it.each(RECIPES)('name the files that have to be edited for $adds', async ({ adds, files, own }) => {
    const page = await readFile(join(ROOT, 'CONTRIBUTING.md'), 'utf8');
    const row = page.split('\n').find((line) => line.startsWith(`| ${adds} |`)) ?? '';
    const named = [...row.matchAll(/`((?:src|packages|docs|test)\/[\w./-]+\.(?:ts|md))`/g)].map(([, path]) => path!);
    expect(named.sort()).toEqual(
      Object.keys(files)
        .filter((path) => !own.includes(path))
        .sort(),
    );
  });

  it.each(RECIPES)('change texts that stand once in the sources, for $adds', async ({ files }) => {
    for (const [path, edits] of Object.entries(files)) {
      if (typeof edits === 'string') continue;
      const text = await readFile(join(ROOT, path), 'utf8');
      edits.reduce((edited, [old, next]) => replacedOnce(path, edited, old, next), text);
    }
  });

  it('are those of the table', async () => {
    const page = await readFile(join(ROOT, 'CONTRIBUTING.md'), 'utf8');
    const [table = ''] = /^\| I want to add [\s\S]*?\n\n/m.exec(page) ?? [];
    const rows = [...table.matchAll(/^\| (.*?) \|/gm)].map(([, adds]) => adds!).slice(1);
    expect(rows).toEqual(RECIPES.map(({ adds }) => adds));
  });
});

// Each step compiles the copy or runs tests in it.
describe.skipIf(isPart)('a copy in which the recipes are performed', () => {
  let copy: string;
  /** The files as they are, and as the recipes leave them. */
  const before = new Map<string, string | undefined>();
  const after = new Map<string, string>();

  beforeAll(async () => {
    copy = await mkdtemp(join(tmpdir(), 'edgeloom-recipes-'));
    for (const name of [...COPIED, 'edgeloom.config.ts', 'serverless.yml'])
      await cp(join(ROOT, name), join(copy, name), { recursive: true });
    await symlink(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
    await writeFile(join(copy, 'recipes.config.ts'), CONFIG);
    for (const [number, { files, test }] of RECIPES.entries()) {
      for (const [path, edits] of Object.entries(files)) await edit(path, edits);
      await put(testOf(number), test);
    }
    const bytes = 'test/unit/registry/definition-bytes.test.ts';
    await tests([bytes], ['-u']);
    after.set(bytes, await readFile(join(copy, bytes), 'utf8'));
  });

  afterAll(async () => await rm(copy, { recursive: true, force: true }));

  function testOf(number: number): string {
    return `test/recipes/${number}.test.ts`;
  }

  async function put(path: string, text: string): Promise<void> {
    await mkdir(dirname(join(copy, path)), { recursive: true });
    await writeFile(join(copy, path), text);
  }

  async function edit(path: string, edits: Recipe['files'][string]): Promise<void> {
    if (typeof edits === 'string') {
      before.set(path, undefined);
      after.set(path, edits);
    } else {
      const text = await readFile(join(copy, path), 'utf8');
      before.set(path, text);
      after.set(
        path,
        edits.reduce((edited, [old, next]) => replacedOnce(path, edited, old, next), text),
      );
    }
    await put(path, after.get(path)!);
  }

  /** Runs Node in the copy; returns what it printed if it failed, and undefined if it passed. */
  async function failure(args: readonly string[]): Promise<string | undefined> {
    const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('VITEST')));
    try {
      await run(process.execPath, args, { cwd: copy, env, maxBuffer: 1e8 });
      return undefined;
    } catch (error) {
      const { stdout, stderr } = error as { stdout: string; stderr: string };
      return stdout + stderr;
    }
  }

  async function tests(paths: readonly string[], more: readonly string[] = []): Promise<string | undefined> {
    return await failure(['node_modules/vitest/vitest.mjs', 'run', '--config', 'recipes.config.ts', ...paths, ...more]);
  }

  /** Runs the tests that ask for entries of a recipe, and its own test. */
  async function testsOf(number: number): Promise<string | undefined> {
    return await tests([...RECIPES[number]!.asking, testOf(number)], ['-t', ASKED]);
  }

  async function compile(): Promise<string | undefined> {
    return await failure(['node_modules/typescript/bin/tsc', '--noEmit', '-p', 'tsconfig.json']);
  }

  it('compiles', async () => {
    expect(await compile()).toBeUndefined();
  });

  it.each(RECIPES.map(({ adds }, number) => ({ adds, number })))('passes: $adds', async ({ number }) => {
    expect(await testsOf(number)).toBeUndefined();
  });

  const edits = RECIPES.flatMap(({ adds, files }, number) =>
    Object.keys(files).map((path) => ({ adds, number, path })),
  );

  it.each(edits.filter((_, place) => isOfRun(place, 1)))(
    'fails without the edit of $path for $adds',
    async ({ number, path }) => {
      const text = before.get(path);
      if (text === undefined) await rm(join(copy, path));
      else await put(path, text);
      try {
        expect((await testsOf(number)) ?? (await compile())).toBeDefined();
      } finally {
        await put(path, after.get(path)!);
      }
    },
  );
});

function replacedOnce(path: string, text: string, old: string, next: string): string {
  if (text.split(old).length !== 2) throw new Error(`${path} has not once: ${old}`);
  return text.replace(old, () => next);
}
