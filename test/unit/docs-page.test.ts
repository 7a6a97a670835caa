import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type DocsPage, docsPage, PAGES } from '../../src/foundation/docs.ts';
import { ROOT } from '../support/command.ts';

it.each(Object.keys(PAGES) as DocsPage[])('the page %s is in the folder that the code names', (page) => {
  expect(existsSync(join(ROOT, docsPage(page)))).toBe(true);
});

it('a page has an anchor, and another place where a base says so', () => {
  expect(docsPage('alarms', 'drift')).toBe('docs/how-to/alarms.md#drift');
  expect(docsPage('limits', '', 'https://docs.example.com')).toBe('https://docs.example.com/explain/limits.md');
});
