import { createServer, type IncomingHttpHeaders } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Item } from '../../src/core/items/attribute-value.ts';
import { listening } from '../support/local-server.ts';
import { HAS_BROWSER, type RunningBrowser, startBrowser } from '../support/studio/browser.ts';
import { send, tokenOf } from '../support/studio/client.ts';
import { openStudio } from '../support/studio/table.ts';
import { isTooWide, visit } from '../support/studio/visit.ts';
import { visitsTo } from '../support/studio/visits.ts';

type Opened = Awaited<ReturnType<typeof openStudio>>;

const MARKUP = '<img src=x onerror="alert(1)"><script>alert(2)</script>"\'>&lt;b&gt;';
const MARKED_ID = `USER-${MARKUP}`;
const TURNED = '\u202egnp.exe\u2066\u0007\u001b[31m';
/** 399 KB with its key and its name. */
const LARGE = 'x'.repeat(399 * 1024 - 60);
const EDGES = 100_000;
/** A name that a resolver of an attacker has bound to 127.0.0.1. */
const REBOUND = 'studio.attacker.example';

/** Writes edges that leave one node, as plain base items. */
async function putHub({ store }: Opened): Promise<void> {
  const edge = (i: number): Item => ({
    source: { S: 'GOAL-HUB' },
    target: { S: `MEMBER-USER-H${String(i).padStart(6, '0')}` },
  });
  const batch = (from: number) => store.writeMany(Array.from({ length: 25 }, (_, i) => ({ put: edge(from + i) })));
  await store.put({ source: { S: 'GOAL-HUB' }, target: { S: 'GOAL-HUB' }, title: { S: 'hub' } });
  for (let from = 0; from < EDGES; from += 1_000) {
    await Promise.all(Array.from({ length: 40 }, (_, i) => batch(from + i * 25)));
  }
}

describe.skipIf(!HAS_BROWSER)('hostile contents in the studio', () => {
  const at = visitsTo(openStudio);

  beforeAll(async () => {
    const { store, worker, writer } = at.opened;
    await writer.putNode(MARKED_ID, {
      name: MARKUP,
      [MARKUP]: MARKUP,
      country: MARKUP,
      state: MARKUP,
      nested: { [MARKUP]: [MARKUP] },
    });
    await writer.putNode('USER-TURNED', { name: TURNED, constructor: 'c', toString: 't' });
    await writer.putNode('USER-LARGE', { note: LARGE });
    await writer.putEdge('GOAL-G1', 'MEMBER', MARKED_ID, { role: 'LEAD', since: '2026-01-01' });
    await store.put({ source: { S: 'GOAL-BAD' }, target: { S: 'GOAL-BAD' }, due: { S: MARKUP } });
    await worker.idle();
  });

  afterEach(async () => {
    expect(await at.seen.page.locator('img, iframe, #page script, object, embed').count()).toBe(0);
  });

  it.each([
    ['a node', '/node', { id: MARKED_ID }],
    ['a question', '/query', { id: MARKED_ID, type: 'MEMBER' }],
    ['the results of a search', '/query', { search: 'USER.name', prefix: '<' }],
    ['an item', '/node', { id: MARKED_ID, target: MARKED_ID }],
    ['quarantine', '/trust', {}],
  ])('shows markup in ids, names and values of %s as text', async (_name, path, parameters) => {
    await at.seen.goTo(`${path}?${new URLSearchParams(parameters as Record<string, string>)}`);
    const text = await at.seen.page.locator('main').innerText();
    expect(text).toContain('<img src=x onerror=');
    await at.seen.page.setViewportSize({ width: 320, height: 700 });
    await expect.poll(() => isTooWide(at.seen.page)).toBe(false);
  });

  it('keeps what turns the direction of text inside its own place', async () => {
    await at.seen.goTo('/node?id=USER-TURNED');
    const isolation = "[...document.querySelectorAll('dd bdi')].map((one) => getComputedStyle(one).unicodeBidi)";
    expect(new Set(await at.seen.page.evaluate<string[]>(isolation))).toEqual(new Set(['isolate']));
    expect(await at.seen.page.locator('dd bdi', { hasText: 'gnp' }).count()).toBeGreaterThan(0);
    expect(await at.seen.page.locator('dt', { hasText: 'constructor' }).count()).toBeGreaterThan(0);
  });

  it('shows the beginning of an item of 399 KB, and all of it when asked', async () => {
    const { page } = at.seen;
    await at.seen.goTo('/node?id=USER-LARGE&target=USER-LARGE');
    const shown = (): Promise<number> => page.evaluate<number>('document.body.innerText.length');
    expect(await shown()).toBeLessThan(20_000);
    await page
      .getByRole('button', { name: /Show all 408,5\d\d characters/ })
      .first()
      .click();
    expect(await shown()).toBeGreaterThan(400_000);
  });

  it(`shows a node with ${EDGES} edges page by page`, async () => {
    await at.opened.worker.stop();
    await putHub(at.opened);
    const { page } = at.seen;
    const started = performance.now();
    await at.seen.goTo('/node?id=GOAL-HUB');
    const rows = page.getByRole('region', { name: 'Outgoing edges' }).locator('tbody tr');
    expect(await rows.count()).toBe(50);
    await page.getByRole('link', { name: 'Next page' }).click();
    await expect.poll(() => rows.first().innerText()).toContain('USER-H000050');
    await at.seen.goTo('/node?id=GOAL-HUB&part=items');
    expect(await page.locator('.nodes li').count()).toBeLessThan(60);
    // They are not all counted: that would read them all.
    await page.getByRole('link', { name: /^MEMBER at least [\d,]{4,7}/ }).waitFor();
    console.log(`three places of a node with ${EDGES} edges: ${Math.round(performance.now() - started)} ms`);
  });
});

describe.skipIf(!HAS_BROWSER)('hostile pages beside the studio', () => {
  let running: RunningBrowser;
  let opened: Opened;
  let attackerUrl: string;
  let stopAttacker: (() => Promise<void>) | undefined;
  /** The headers of all requests that reached the attacker. */
  const overheard: IncomingHttpHeaders[] = [];

  beforeAll(async () => {
    running = await startBrowser(`--host-resolver-rules=MAP ${REBOUND} 127.0.0.1`);
    opened = await openStudio({ isWritable: true });
    await opened.writer.putNode('USER-U1', { name: 'Ada' });
    const attacker = createServer(({ headers }, response) => {
      overheard.push(headers);
      response.writeHead(200, { 'content-type': 'text/html' });
      response.end('<!doctype html><title>attacker</title>');
    });
    const { endpoint, stop } = await listening(attacker);
    [attackerUrl, stopAttacker] = [`${endpoint}/`, stop];
  });

  afterAll(async () => {
    await stopAttacker?.();
    await running?.close();
    await opened?.close();
  });

  /** Runs code in a page of the attacker, in a browser that has the studio open. */
  async function attack<T>(code: string): Promise<T> {
    const { page, close } = await visit(running.browser, opened.studio.url);
    try {
      const other = await page.context().newPage();
      await other.goto(attackerUrl);
      return await other.evaluate<T>(code);
    } finally {
      await close();
    }
  }

  const studio = (path: string): string => JSON.stringify(new URL(path, opened.studio.url).href);

  it('another port of this machine reads nothing and writes nothing', async () => {
    const read = await attack<string>(
      `fetch(${studio('/api/node?id=USER-U1')}, { credentials: 'include', headers: { 'x-edgeloom-studio': '1' } })
        .then((answer) => answer.text(), (error) => 'refused: ' + error.message)`,
    );
    expect(read).toMatch(/^refused: /);
    await attack(
      `fetch(${studio('/api/put')}, { method: 'POST', mode: 'no-cors', credentials: 'include',
        headers: { 'content-type': 'text/plain' }, body: '{"subject":{"id":"USER-U2"},"json":"{}"}' }).catch(() => 0)`,
    );
    await attack(
      `new Promise((done) => { const form = document.createElement('form'); form.method = 'post';
        form.action = ${studio('/api/put')}; form.target = 'other'; document.body.append(form);
        const frame = document.createElement('iframe'); frame.name = 'other'; frame.onload = done; document.body.append(frame);
        form.submit(); setTimeout(done, 1000); })`,
    );
    const { item } = await opened.store.get({ source: 'USER-U2', target: 'USER-U2' }, { consistent: true });
    expect(item).toBeUndefined();
  });

  it.each(['script', 'img'])('another port cannot take a file of the studio in as %s', async (element) => {
    const outcome = await attack<string>(
      `new Promise((done) => { const one = document.createElement('${element}'); one.onload = () => done('taken');
        one.onerror = () => done('refused'); one.src = ${studio('/page.js')}; document.body.append(one); })`,
    );
    expect(outcome).toBe('refused');
  });

  it('another port cannot put the studio into a frame', async () => {
    const { page, close } = await visit(running.browser, opened.studio.url);
    const other = await page.context().newPage();
    await other.goto(attackerUrl);
    await other.setContent(`<iframe src=${studio('/')}></iframe>`);
    await other.waitForTimeout(500);
    const texts = await Promise.all(
      other
        .frames()
        .slice(1)
        .map((frame) =>
          frame
            .locator('body')
            .innerText()
            .catch(() => ''),
        ),
    );
    expect(texts.join()).not.toContain('Overview');
    await close();
  });

  it('a name that an attacker binds to 127.0.0.1 opens nothing, not even with the token', async () => {
    const { port, hash } = new URL(opened.studio.url);
    const context = await running.browser.newContext();
    const page = await context.newPage();
    for (const address of [`http://${REBOUND}:${port}/${hash}`, `http://${REBOUND}:${port}/api/node?id=USER-U1`]) {
      const response = await page.goto(address);
      expect(response?.status()).toBe(403);
      expect(await response?.text()).not.toContain('Ada');
    }
    expect(await context.cookies()).toEqual([]);
    await context.close();
  });

  it('another port of this host learns nothing that it could send to the studio', async () => {
    const { page, close } = await visit(running.browser, opened.studio.url);
    const token = tokenOf(opened.studio.url);
    expect(page.url()).not.toContain(token);
    expect(await page.context().cookies()).toEqual([]);
    const other = await page.context().newPage();
    await other.goto(attackerUrl);
    await page.evaluate(`location.href = ${JSON.stringify(attackerUrl)}`);
    await page.waitForURL(attackerUrl);
    for (const seen of [other, page]) {
      const known =
        'JSON.stringify([document.cookie, document.referrer, location.href, { ...localStorage }, { ...sessionStorage }])';
      expect(await seen.evaluate<string>(known)).not.toContain(token);
    }
    await close();
    expect(overheard.length).toBeGreaterThan(1);
    expect(JSON.stringify(overheard)).not.toContain(token);
    expect(overheard.filter(({ cookie }) => cookie !== undefined)).toEqual([]);
    for (const cookie of [`token=${token}`, `edgeloom_studio_${new URL(opened.studio.url).port}=${token}`]) {
      const headers = { cookie, 'content-type': 'application/json' };
      const body = '{"subject":{"id":"USER-U2"},"json":"{}"}';
      const { status } = await send(new URL('/api/put', opened.studio.url).href, headers, { method: 'POST', body });
      expect(status).toBe(403);
    }
  });

  it('another browser, without the token, gets the page and no data', async () => {
    const { page, close } = await visit(running.browser, opened.studio.url);
    const fresh = await running.browser.newContext();
    const other = await fresh.newPage();
    await other.goto(new URL('/node?id=USER-U1', opened.studio.url).href);
    await other.getByText('Open the address that edgeloom studio printed').first().waitFor();
    expect(await other.locator('body').innerText()).not.toContain('Ada');
    // The address lets it in, in the tab that is open already.
    await other.evaluate(`location.hash = ${JSON.stringify(new URL(opened.studio.url).hash)}`);
    await other.locator('dd', { hasText: 'Ada' }).first().waitFor();
    expect(other.url()).not.toContain(tokenOf(opened.studio.url));
    await fresh.close();
    // A new tab of the first browser is let in too.
    const tab = await page.context().newPage();
    await tab.goto(new URL('/node?id=USER-U1', opened.studio.url).href);
    await tab.locator('dd', { hasText: 'Ada' }).first().waitFor();
    await close();
  });
});
