import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { withFigures } from '../../bench/figures/blocks.ts';
import { freePort } from '../../packages/local/engine/ports.ts';
import { edgeloom, ROOT } from '../support/command.ts';
import { Follower } from '../support/followed-page.ts';
import { packInto, run } from '../support/packed.ts';

/** Pages for beginners, followed literally in an empty folder; only the port and the tarball's folder differ. */

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

describe('a page for beginners, followed in an empty folder', () => {
  let folder: string | undefined;
  let follower: Follower | undefined;
  afterEach(async () => {
    await follower?.stop();
    follower = undefined;
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  });

  it.each([
    ['docs/start/quick-start.md', 4],
    ['docs/tutorial/goals.md', 7],
  ])('%s prints what its checkpoints say', async (page, checkpoints) => {
    folder = await mkdtemp(join(tmpdir(), 'edgeloom-follow-'));
    const tarball = await packInto(await mkdtemp(join(folder, 'package-')));
    const work = await mkdtemp(join(folder, 'work-'));
    const port = String(await freePort());
    follower = new Follower(work);
    await follower.follow(
      read(page)
        .replaceAll('8000', port)
        .replaceAll(/\S+\/edgeloom-[\d.]+\.tgz/g, tarball),
    );
    expect(follower.missed).toEqual([]);
    expect(follower.checkpoints).toBe(checkpoints);
  });

  it.each(['README.md', 'docs/start/quick-start.md', 'docs/tutorial/goals.md'])(
    '%s names commands that there are, and the version of the package',
    async (page) => {
      const { stdout: help } = await edgeloom(['--help']);
      const { version } = JSON.parse(read('package.json')) as { version: string };
      for (const [, command] of read(page).matchAll(/npx edgeloom ([a-z]+)/g)) expect(help).toContain(command);
      for (const [, named] of read(page).matchAll(/edgeloom-([\d.]+)\.tgz/g)) expect(named).toBe(version);
    },
  );
});

/** The commands of the README, and the files that run them: each of these holds the text. */
const RUN_BY: Readonly<Record<string, readonly [file: string, text: string]>> = {
  'npm ci': ['.ci/run', 'npm ci'],
  'npm pack': ['test/support/packed.ts', "run('npm', ['pack'"],
  'npm install PATH_TO_CLONE/edgeloom-VERSION.tgz': ['test/e2e/install.test.ts', "'install'"],
  'npx edgeloom cost': ['test/cli/documents.test.ts', "run('cost'"],
  'edgeloom check': ['test/cli/documents.test.ts', "run('check'"],
  'npm run docs': ['test/studio/site.test.ts', 'site/build.ts'],
  'npm run package -- --stage local': ['.github/workflows/nightly.yml', 'npm run package -- --stage local'],
  'docker compose up --wait': ['.github/workflows/nightly.yml', 'docker compose up --wait'],
  'npx edgeloom init my-service': ['test/e2e/new-project.test.ts', "'edgeloom', 'init'"],
  'npm run demo': ['scripts/tests/all.mjs', "npm('demo')"],
  'npm test': ['scripts/tests/all.mjs', "npm('test')"],
  'npm run bench -- peers list writes electrodb': ['test/e2e/readme.test.ts', "npm('bench'"],
};

/** Runs a script of package.json, and gives what it prints. */
async function npm(script: string, ...args: readonly string[]): Promise<string> {
  const { stdout } = await run('npm', ['run', '--silent', script, '--', ...args], {
    cwd: ROOT,
    maxBuffer: 64 * 1024 ** 2,
  });
  return stdout;
}

describe('the commands of README.md', () => {
  it('are those that tests run', () => {
    const page = read('README.md');
    const blocks = [...page.matchAll(/```sh\n(.*?)```/gs)].flatMap(([, lines]) => lines!.split(/\n|&&/));
    const inline = [...page.matchAll(/`((?:npm|npx|edgeloom) [^`]+)`/g)].map(([, command]) => command!);
    const commands = [...blocks, ...inline]
      .map((line) =>
        line
          .replace(/#.*/, '')
          .trim()
          .replace(/-[\d.]+\.tgz/, '-VERSION.tgz'),
      )
      .filter((line) => line !== '');
    expect(new Set(commands)).toEqual(new Set(Object.keys(RUN_BY)));
    for (const [file, text] of Object.values(RUN_BY)) expect(read(file), file).toContain(text);
  });

  it('print each figure of its table, and no other row', async () => {
    const printed = await npm('bench', 'peers', 'list', 'writes', 'electrodb', '--short', '--json');
    const page = read('README.md');
    const rowsOf = (text: string): string[] =>
      text.split('\n').flatMap((line) => /^\| ([^|]+: [^|]+|wrong [^|]+) \|/.exec(line)?.[1] ?? []);
    expect(rowsOf(withFigures(page, JSON.parse(printed)))).toEqual(rowsOf(page));
    expect(rowsOf(page).length).toBeGreaterThan(5);
  });
});
