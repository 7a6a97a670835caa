import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { freePort } from '../../packages/local/engine/ports.ts';
import { edgeloom, ROOT } from '../support/command.ts';
import { Follower } from '../support/followed-page.ts';
import { packInto } from '../support/packed.ts';

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
    ['docs/start/quick-start.md', 2],
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
