import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { DOCS, type DocsPage, docsPage, PAGES } from '../../src/foundation/docs.ts';
import { ROOT } from '../support/command.ts';

it.each(Object.keys(PAGES) as DocsPage[])('the page %s is in the folder that the code names', (page) => {
  expect(existsSync(join(ROOT, docsPage(page, '', 'docs')))).toBe(true);
});

it('a page has an anchor, and another place where a base says so', () => {
  expect(docsPage('alarms', 'drift')).toBe('node_modules/edgeloom/docs/how-to/alarms.md#drift');
  expect(docsPage('observing', '', 'https://docs.example.com')).toBe('https://docs.example.com/explain/observing.md');
});

it('a user of the package has the pages that messages name, without pictures of the studio', () => {
  const { files } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { files: string[] };
  expect(DOCS).toBe('node_modules/edgeloom/docs');
  expect(files).toEqual(expect.arrayContaining(['docs', '!docs/**/img/*.png']));
  // No other message names a page by itself.
  const named = ['src', 'packages', 'assets'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.(ts|yml|md|json)$/.test(name) && !/node_modules/.test(name))
      .flatMap((name) => {
        const code = readFileSync(join(ROOT, folder, name), 'utf8').replace(/^\s*(\*|\/\/|\/\*\*).*$/gm, '');
        return [...code.matchAll(/(?<!edgeloom\/)\bdocs\/[\w/-]+\.md/g)].map(([page]) => `${folder}/${name}: ${page}`);
      }),
  );
  expect(named).toEqual([]);
});
