import { readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from '../support/command.ts';
import { run } from '../support/packed.ts';

/** Screenshots of the studio are larger than all pages together. A registry shows README with the pictures of the repository. */
const LEFT_OUT = [/^(?:docs\/how-to\/studio|README)\.md: docs\/img\/studio-[\w-]+\.png$/];

/** A relative link of Markdown or of HTML in it. */
const LINK = /(?:\]\(|(?:src|srcset|href)=")(?![a-z]+:|#)([^)"\s#]+)/g;

it('each link of a packed page leads to a packed file', async () => {
  const { stdout } = await run('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], { cwd: ROOT });
  const [{ files }] = JSON.parse(stdout) as [{ files: { path: string }[] }];
  const packed = files.map(({ path }) => path);
  const pages = packed.filter((path) => path.endsWith('.md'));
  expect(pages).toEqual(expect.arrayContaining(['README.md', 'docs/start/quick-start.md']));
  const places = new Set(packed.flatMap((path) => [path, ...parentsOf(path)]));
  const links = pages.flatMap((page) =>
    [
      ...readFileSync(join(ROOT, page), 'utf8')
        .replace(/```.*?```/gs, '')
        .matchAll(LINK),
    ].map(([, link]) => ({
      page,
      target: posix.join(dirname(page), link!).replace(/\/$/, ''),
    })),
  );
  expect(links.length).toBeGreaterThan(300);
  const dead = links.filter(({ target }) => !places.has(target)).map(({ page, target }) => `${page}: ${target}`);
  expect(dead.filter((link) => !LEFT_OUT.some((pattern) => pattern.test(link)))).toEqual([]);
  // An exception that nothing needs any more is taken away.
  expect(LEFT_OUT.filter((pattern) => !dead.some((link) => pattern.test(link)))).toEqual([]);
});

/** The folders that a file is in. */
function parentsOf(path: string): string[] {
  const parts = path.split('/');
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join('/'));
}
