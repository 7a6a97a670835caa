import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname, join, posix } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROOT } from '../support/command.ts';
import { listening } from '../support/local-server.ts';
import { HAS_BROWSER, type RunningBrowser, startBrowser } from '../support/studio/browser.ts';
import { isTooWide } from '../support/studio/visit.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** The site of docs, made as `npm run docs` makes it, in a browser. */

const PAGES = [
  'index',
  'start/concepts',
  'how-to/lists',
  'how-to/alarms',
  'reference/model-options',
  'reference/model-options/a-search-an-entry-of-search',
  'reference/options/methods-of-reader',
  'decisions/010-copies-have-reverse-items',
  'api/index',
  'api/edgeloom/index',
  'api/edgeloom/functions/createReader',
];
const SIZES = [
  { width: 1280, height: 900 },
  { width: 390, height: 844 },
];
const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
};

describe.skipIf(!HAS_BROWSER)('the site of docs in a browser', () => {
  const out = join(temporaryFolder(), 'site');
  let stop: (() => Promise<void>) | undefined;
  let address: string;
  let running: RunningBrowser;

  beforeAll(async () => {
    const command = [join(ROOT, 'node_modules/tsx/dist/cli.mjs'), 'site/build.ts', '--out', out];
    const [{ stdout }, started] = await Promise.all([
      promisify(execFile)(process.execPath, command, { cwd: ROOT, maxBuffer: 16 * 1024 * 1024 }),
      startBrowser(),
    ]);
    expect(stdout).toMatch(/\d+ pages in /);
    running = started;
    const server = createServer(async ({ url }, response) => {
      const path = decodeURIComponent(new URL(url!, 'http://localhost').pathname);
      const file = await readFile(join(out, path)).catch(() => undefined);
      response.writeHead(file === undefined ? 404 : 200, { 'content-type': TYPES[extname(path)] ?? 'text/plain' });
      response.end(file);
    });
    ({ endpoint: address, stop } = await listening(server));
  });

  afterAll(async () => {
    await running?.close();
    await stop?.();
  });

  it.each(SIZES)('shows pages without errors, $width pixels wide', async (viewport) => {
    const page = await running.browser.newPage({ viewport });
    const troubles: string[] = [];
    page.on('pageerror', ({ message }) => troubles.push(message));
    page.on('console', (line) => {
      if (line.type() === 'error' || line.type() === 'warning') troubles.push(line.text());
    });
    for (const name of PAGES) {
      await page.goto(`${address}/${name}.html`, { waitUntil: 'networkidle' });
      await page.locator('h1').first().waitFor();
      if (await isTooWide(page)) troubles.push(`${name} is wider than ${viewport.width} pixels`);
      const pictures = process.env['SITE_PICTURES'];
      if (pictures !== undefined)
        await page.screenshot({ path: join(pictures, `${name.replace('/', '-')}-${viewport.width}.png`) });
    }
    expect(troubles).toEqual([]);
    await page.close();
  });

  it('has no link that leads nowhere', async () => {
    const files = await readdir(out, { recursive: true });
    const pages = new Map<string, string>();
    for (const file of files.filter((name) => name.endsWith('.html')))
      pages.set(file.replaceAll('\\', '/'), await readFile(join(out, file), 'utf8'));
    const dead = new Set<string>();
    for (const [page, html] of pages) {
      // Names in code may look like attributes; the content of an element has no quotes.
      for (const [, link] of html.matchAll(/<a [^>]*?href="([^"]+)"/g)) {
        if (/^[a-z]+:/.test(link!)) continue;
        const [path, hash] = decodeURI(link!).split('#') as [string, string?];
        const at = path === '' ? page : posix.join('/', path.startsWith('/') ? '' : posix.dirname(page), path).slice(1);
        const target = pages.get(at.replace(/(^|\/)$/, '$1index.html'));
        const isThere = target === undefined ? files.includes(at) : !hash || target.includes(` id="${hash}"`);
        if (!isThere) dead.add(`${page}: ${link}`);
      }
    }
    expect(pages.size).toBeGreaterThan(500);
    expect([...dead]).toEqual([]);
  });

  it('shows one group of options on a page', async () => {
    const page = await running.browser.newPage({ viewport: SIZES[0]! });
    const heights = new Map<string, number>();
    for (const folder of ['reference/options', 'reference/model-options']) {
      for (const file of await readdir(join(out, folder))) {
        await page.goto(`${address}/${folder}/${file}`, { waitUntil: 'networkidle' });
        heights.set(file, await page.evaluate(() => document.documentElement.scrollHeight));
      }
    }
    expect([...heights].filter(([, height]) => height > 20_000)).toEqual([]);
    await page.close();
  });

  it('leads to the reference of the API', async () => {
    const page = await running.browser.newPage({ viewport: SIZES[0]! });
    await page.goto(`${address}/start/what-it-is.html`, { waitUntil: 'networkidle' });
    await page.locator('.VPNavBarMenu a', { hasText: 'API' }).click();
    await page.locator('h1', { hasText: 'API of the package' }).waitFor();
    const entries = await page.locator('.vp-doc li a').allTextContents();
    expect(entries).toEqual(expect.arrayContaining(['edgeloom', 'edgeloom/admin', 'edgeloom/local']));
    expect(await page.locator('.VPNav').count()).toBe(1);
    await page.close();
  });

  it.each([
    ['edge set', /start\/concepts|how-to\/(?:lists|modeling)/],
    ['pagination', /how-to\/reading/],
    ['paginate', /how-to\/(?:reading|recipes)/],
    ['pricing', /explain\/costs/],
    ['GraphQL', /how-to\/(?:reading|rest)/],
    ['relations', /how-to\/modeling/],
    ['join', /how-to\/lists/],
    ['denormalize', /start\/what-it-is/],
    ['TTL', /how-to\/expiry/],
    ['count', /how-to\/(?:totals|recipes)/],
    ['follower', /how-to\/(?:totals|recipes)/],
    ['outbox', /how-to\/(?:adopting|feeds)/],
    ['CDC', /how-to\/(?:adopting|feeds)/],
  ])('finds "%s", and leads to the page of it', async (words, expected) => {
    const page = await running.browser.newPage({ viewport: SIZES[0]! });
    await page.goto(`${address}/start/what-it-is.html`, { waitUntil: 'networkidle' });
    await page.locator('.DocSearch-Button').first().click();
    await page.locator('#localsearch-input').fill(words);
    const found = page.locator('#localsearch-list a.result');
    await found.first().waitFor();
    const targets = await found.evaluateAll((links) => links.map((link) => link.getAttribute('href')));
    expect(targets.slice(0, 3).join(' ')).toMatch(expected);
    await page.close();
  });
});
