import { performance } from 'node:perf_hooks';
import type { Locator } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { HAS_BROWSER } from '../support/studio/browser.ts';
import { expectAccessible, expectToFitScreens } from '../support/studio/screens.ts';
import { openStudio } from '../support/studio/table.ts';
import { accessibilityProblems } from '../support/studio/visit.ts';
import { visitsTo } from '../support/studio/visits.ts';

const GOALS = 60;
const PLACES: [name: string, place: string][] = [
  ['Overview', '/'],
  ['Overview, a picked type', '/?picked=edge%20MEMBER'],
  ['Overview, the shards of a search', '/?picked=node%20GOAL'],
  ['Query, at first', '/query'],
  ['Query, a list', '/query?type=MEMBER&id=USER-U1'],
  ['Query, a native list', '/query?type=STARRED&id=GOAL-G0'],
  ['Query, with results', '/query?search=USER.name&beginsWith=a'],
  ['a node', '/node?id=GOAL-G1'],
  ['two nodes compared', '/node?id=GOAL-G1&part=compare&with=GOAL-G0'],
  ['a node to create', '/node?id=GOAL-NEW'],
  ['an item', '/node?id=GOAL-G1&target=GOAL-G1'],
  ['Trust', '/trust'],
];

if (!HAS_BROWSER) console.warn(`There is no browser for ${process.platform} ${process.arch}: its tests are left out.`);

describe.skipIf(!HAS_BROWSER)('the studio in a browser', () => {
  const at = visitsTo(() => openStudio({ isWritable: true }));

  beforeAll(async () => {
    const { writer, worker } = at.opened;
    await writer.batch((batch) => {
      batch.putEdge('USER-U1', 'STARRED', 'GOAL-G0', { stars: 4, note: 'fine' });
      batch.putNode('USER-U1', { name: 'Ada', country: 'UK', state: 'London', city: 'Hampstead' });
      batch.putNode('USER-U2', { name: 'Alan', country: 'UK', state: 'London', city: 'Camden' });
      batch.putNode('USER-U3', { name: 'Terui', country: 'JP', state: 'Tokyo', city: 'Ota' });
      for (let i = 0; i < GOALS; i++) {
        const number = String(i).padStart(2, '0');
        batch.putNode(`GOAL-G${i}`, { title: `Goal ${i}`, status: i % 3 === 0 ? 'OPEN' : 'DONE', due: '2026-02-01' });
        const role = i % 2 === 0 ? 'LEAD' : 'HELPER';
        batch.putEdge(`GOAL-G${i}`, 'MEMBER', 'USER-U1', { role, since: `2026-01-01T00:${number}:00Z` });
        if (i % 5 === 0) batch.putEdge(`GOAL-G${i}`, 'MEMBER', 'USER-U2', { role: 'HELPER', since: '2026-01-01' });
      }
    });
    await worker.idle();
  });

  const rows = (label: string) => at.seen.page.getByRole('region', { name: label }).locator('tbody tr');

  const listsOfNode = () => at.seen.page.getByRole('navigation', { name: 'Lists of the node' });

  /** Waits until a difference is called drift: until the consumer has noted how far it came, it may be lag. */
  async function driftOf(explained: Locator): Promise<void> {
    await expect.poll(() => explained.innerText(), { timeout: 60_000 }).toContain('drift');
  }

  it('opens a search from the drawing of the model', async () => {
    const { page } = at.seen;
    await page
      .getByRole('group', { name: /The model as a graph/ })
      .getByRole('link', { name: 'place' })
      .click();
    await page.getByRole('heading', { level: 1, name: 'Query' }).waitFor();
    expect(new URL(page.url()).searchParams.get('search')).toBe('USER.place');
  });

  it('opens with the model, the consumers and what the page took; the token is not in the address', async () => {
    const { page } = at.seen;
    const other = await at.running.browser.newContext();
    const fresh = await other.newPage();
    const started = performance.now();
    await fresh.goto(at.opened.studio.url);
    await fresh.getByRole('heading', { name: 'Consumers' }).waitFor();
    console.log(`first page of the studio: ${Math.round(performance.now() - started)} ms`);
    await other.close();
    expect(new URL(page.url())).toMatchObject({ search: '', hash: '' });
    expect(await rows('Shards of the stream').first().innerText()).toContain('at end');
    const types = (await page.locator('.plot .title').allTextContents()).map((text) => text.split(' ')[0]);
    expect(types).toEqual(['GOAL', 'USER', 'MEMBER', 'STARRED']);
    const units = page.getByLabel('Capacity units used by this page');
    await expect.poll(() => units.innerText()).toMatch(/used [1-9]|used 0\.\d/);
  });

  it('finds by a search of the model, pages through an inbound list, and keeps each place in the address', async () => {
    const { page } = at.seen;
    await page.getByRole('link', { name: 'Query' }).click();
    await page.getByLabel('List or search').selectOption('USER.name');
    await page.getByLabel('name begins with').fill('AD');
    await page.getByRole('button', { name: 'Run' }).click();
    await page.getByRole('link', { name: 'USER-U1' }).click();
    await at.seen.settled();
    expect(await page.getByRole('heading', { level: 1, name: 'USER-U1' }).count()).toBe(1);
    await listsOfNode()
      .getByRole('link', { name: `MEMBER ${GOALS}` })
      .click();
    await page.getByRole('combobox', { name: 'Order' }).selectOption('gsi1');
    await page.getByRole('button', { name: 'Run' }).click();
    await page.getByRole('link', { name: 'Next page' }).waitFor();
    expect(await rows('Rows').count()).toBe(50);
    expect(await rows('Rows').first().innerText()).toContain('GOAL-G0');
    await page.getByRole('link', { name: 'Next page' }).click();
    await page.getByRole('link', { name: 'First page' }).waitFor();
    await expect.poll(() => rows('Rows').count()).toBe(GOALS - 50);
    await at.seen.settled();
    const last = await rows('Rows').last().innerText();
    expect(last).toContain(`GOAL-G${GOALS - 1}`);
    await page.reload();
    await at.seen.settled();
    expect(await rows('Rows').last().innerText()).toBe(last);
    await page.goBack();
    await expect.poll(() => rows('Rows').count()).toBe(50);
  });

  it('takes a path one segment after the other, and names what the model refuses', async () => {
    const { page } = at.seen;
    await at.seen.goTo('/query?search=USER.place');
    await page.getByLabel('country (partition)').fill('UK');
    await page.getByRole('textbox', { name: 'state' }).fill('London');
    await page.getByRole('button', { name: 'Run' }).click();
    await expect.poll(() => rows('Rows').count()).toBe(2);
    await page.getByRole('textbox', { name: 'city' }).fill('Camden');
    await page.getByRole('button', { name: 'Run' }).click();
    await expect.poll(() => rows('Rows').count()).toBe(1);
    // A request that is refused is a line of the console too.
    await at.seen.goTo('/query?search=USER.none');
    expect(await page.getByRole('alert').innerText()).toContain('unknown-name');
    expect(at.seen.troubles.splice(0)).toEqual([expect.stringContaining('400')]);
  });

  it('shows a broken item as a difference beside its explanation, and repairs it', async () => {
    const { page } = at.seen;
    const key = { source: 'USER-U3', target: '~ix/name' };
    const { item } = await at.opened.store.get(key, { consistent: true });
    await at.opened.store.put({ ...item!, gsi0sk: { S: 'broken\u0000USER-U3' } });
    await at.seen.goTo('/node?id=USER-U3&target=USER-U3');
    const explained = page.getByRole('region', { name: 'Explanation of USER-U3' });
    await expect.poll(() => explained.locator('ins').first().innerText()).toContain('terui');
    expect(await explained.locator('del').first().innerText()).toContain('broken');
    // Two searches share the item.
    expect(await explained.getByRole('region', { name: 'Difference of USER-U3 ~ix/name' }).count()).toBe(1);
    await driftOf(explained);
    await explained.getByRole('button', { name: 'Repair this node' }).click();
    await explained.locator('del').first().waitFor({ state: 'detached' });
    expect(await explained.innerText()).not.toMatch(/drift|lag/);
  });

  it('explains an unchanged item once, although the page reads the item again each second', async () => {
    const { page } = at.seen;
    const asked = { item: 0, explain: 0 };
    page.on('request', (request) => {
      const { pathname } = new URL(request.url());
      if (pathname === '/api/item') asked.item += 1;
      if (pathname === '/api/explain') asked.explain += 1;
    });
    await at.seen.goTo('/node?id=USER-U1&target=USER-U1');
    await expect.poll(() => asked.item, { timeout: 60_000 }).toBeGreaterThan(3);
    expect(asked.explain).toBe(1);
  });

  it('shows the item that was chosen while a repair was running', async () => {
    const { page } = at.seen;
    const key = { source: 'USER-U2', target: '~ix/name' };
    await at.opened.store.delete(key);
    await at.seen.goTo('/node?id=USER-U2&target=USER-U2');
    const explained = page.getByRole('region', { name: 'Explanation of USER-U2' });
    await driftOf(explained);
    let choose = (): void => undefined;
    const chosen = new Promise<void>((resolve) => {
      choose = resolve;
    });
    await page.route('**/api/repair', async (route) => {
      await chosen;
      await route.continue();
    });
    await explained.getByRole('button', { name: 'Repair this node' }).click();
    await page.getByRole('region', { name: 'Derived items' }).getByRole('link', { name: '~view' }).click();
    await page.getByRole('region', { name: 'Explanation of ~view' }).waitFor();
    const repaired = page.waitForResponse('**/api/repair');
    choose();
    await repaired;
    await expect.poll(async () => (await at.opened.store.get(key, { consistent: true })).item).toBeDefined();
    // Long enough for the answers to what the repair makes the page ask again.
    await page.waitForResponse('**/api/item?*');
    await at.seen.settled();
    expect(await page.getByRole('region', { name: 'Explanation of ~view' }).innerText()).not.toContain('Reading');
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  });

  it('counts the rate of a consumer that was seen lately alone', async () => {
    const { page } = at.seen;
    let secondsAgo = 55;
    await page.route('**/api/status', async (route) => {
      const response = await route.fetch();
      const document = (await response.json()) as { answer: { atMs: number; consumers: object[] } };
      const seen = new Date(document.answer.atMs - 1_000 * secondsAgo).toISOString();
      const consumer = {
        ...{ id: 'one', kind: 'worker', model: 'm', writes: null, isStopped: false },
        seen,
        recordsPerSecond: 414,
      };
      await route.fulfill({ response, json: { ...document, answer: { ...document.answer, consumers: [consumer] } } });
    });
    await at.seen.goTo('/');
    const consumers = rows('Consumers of the stream');
    await consumers.waitFor();
    expect(await consumers.innerText()).not.toContain('414');
    secondsAgo = 5;
    await expect.poll(() => consumers.innerText()).toContain('414');
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  });

  it('counts the shards of a search with its type, and says what many shards cost before it reads them', async () => {
    const { page } = at.seen;
    await at.seen.goTo('/?picked=node%20GOAL');
    const shards = (search: string) => page.getByRole('region', { name: `Shards of ${search}` });
    await shards('GOAL.status')
      .getByText(/Shard \d has the most items: [\d.]+ %/)
      .waitFor();
    const count = page.getByRole('button', { name: 'Count the 200 shards of GOAL.due (at least 100 RCU)' });
    expect(await shards('GOAL.due').getByText('items in').count()).toBe(0);
    await count.click();
    await shards('GOAL.due').getByText(`${GOALS} items in 200 shards`).waitFor();
  });

  it('names no shard where all are empty', async () => {
    const { page } = at.seen;
    await page.route('**/api/shards?*', async (route) => {
      const response = await route.fetch();
      const document = (await response.json()) as { answer: { shards: number } };
      const empty = { items: 0, empty: document.answer.shards, hottest: { shard: 1, share: 0 } };
      await route.fulfill({ response, json: { ...document, answer: { ...document.answer, ...empty } } });
    });
    await at.seen.goTo('/?picked=node%20USER');
    await page.getByText('20 empty.').waitFor();
    expect(await page.locator('main').innerText()).not.toContain('has the most items');
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  });

  it('shows two nodes side by side: attributes that differ, and edges of one alone', async () => {
    const { page } = at.seen;
    await at.seen.goTo('/node?id=GOAL-G1');
    await page.getByRole('link', { name: 'Compare' }).click();
    await page.getByLabel('Compare with').fill('GOAL-G10');
    await page.getByRole('button', { name: 'Compare' }).click();
    await expect
      .poll(() => rows('What differs').allInnerTexts())
      .toEqual([
        expect.stringMatching(/^title\s+Goal 1\s+Goal 10$/),
        expect.stringMatching(/^MEMBER USER-U1\s+\S.*HELPER.*LEAD/s),
        expect.stringMatching(/^MEMBER USER-U2\s+absent\s+.*HELPER/s),
      ]);
    expect(await page.locator('main').innerText()).toContain('Same in both: ');
    await at.opened.writer.putNode('GOAL-G10', { title: 'Goal ten', status: 'OPEN' });
    await rows('What differs').filter({ hasText: 'Goal ten' }).waitFor();
  });

  it('offers lists once the table has edges', async () => {
    const { page } = at.seen;
    await page.clock.install();
    await page.route(
      '**/api/sample',
      async (route) => {
        const response = await route.fetch();
        const document = (await response.json()) as { answer: object };
        await route.fulfill({ response, json: { ...document, answer: { ...document.answer, edges: {} } } });
      },
      { times: 1 },
    );
    await at.seen.goTo('/query');
    await page.getByText('No list can be shown yet.').waitFor();
    await page.clock.fastForward(15_000);
    await page.getByRole('link', { name: 'MEMBER of USER-U1' }).waitFor();
  });

  it('creates a node that is not there, and shows why the writer refuses', async () => {
    const { page } = at.seen;
    await at.seen.goTo('/node?id=USER-NEW');
    const form = page.getByRole('form', { name: 'Create the node' });
    await form.getByLabel('Attributes as JSON').fill('{"name": ');
    await form.getByRole('button', { name: 'Create USER-NEW' }).click();
    await form.getByRole('alert').waitFor();
    expect(at.seen.troubles.splice(0)).toEqual([expect.stringContaining('400')]);
    await form.getByLabel('Attributes as JSON').fill('{"name": "Grace"}');
    await form.getByRole('button', { name: 'Create USER-NEW' }).click();
    await form.waitFor({ state: 'detached' });
    expect(await page.getByRole('region', { name: 'Attributes' }).innerText()).toContain('Grace');
    await at.opened.writer.deleteNode('USER-NEW');
    await at.opened.worker.idle();
  });

  it('explains an item that is not there, and one that is chosen', async () => {
    const { page } = at.seen;
    for (const [target, reason] of [
      ['~ix/none', 'There is no such item.'],
      ['MEMBER-USER-U9', 'There is no such item: nothing is derived from it.'],
    ] as const) {
      await at.seen.goTo(`/node?id=GOAL-G1&target=${target}`);
      expect(await page.getByRole('region', { name: `Explanation of ${target}` }).innerText()).toContain(reason);
      expect(await page.getByText('absent').count()).toBeGreaterThan(0);
    }
    await at.seen.goTo('/node?id=GOAL-G1&part=items');
    await page.getByRole('link', { name: '~view', exact: true }).click();
    await page.getByRole('region', { name: 'Explanation of ~view' }).waitFor();
  });

  it('shows quarantine with its reason, redrives it, shows it empty once it is corrected, and checks the table', async () => {
    const { page } = at.seen;
    await at.opened.store.put({ source: { S: 'GOAL-BAD' }, target: { S: 'GOAL-BAD' }, due: { N: '7' } });
    await at.opened.worker.idle();
    await at.seen.goTo('/trust');
    const attention = page.getByRole('region', { name: 'Needs attention' });
    expect(await attention.innerText()).toMatch(/GOAL-BAD[\s\S]*wrong-type[\s\S]*due/);
    // The page shows the price of a check before anybody starts the check.
    await page.getByText(/Takes about [\d,]+ RCU/).waitFor();
    await page.getByRole('button', { name: 'Redrive' }).click();
    await page.getByText(/1 entry, 0 repaired, 1 left/).waitFor();
    // Once the base item is right, the consumer clears its entry.
    await at.opened.writer.putNode('GOAL-BAD', { due: '2026-01-01' });
    await at.opened.worker.idle();
    await page.reload();
    await at.seen.settled();
    await attention.getByText('nothing is in quarantine').waitFor();
    await page.getByRole('button', { name: 'Check', exact: true }).click();
    await page.getByText(/check of the table: [\d,]+ items, [\d.,]+ RCU \(estimated [\d,]+\)/).waitFor();
    await page.getByText('No differences.').waitFor();
    await at.seen.goTo('/');
    await page.getByText('Last check: clean').waitFor();
  });

  it('tells what a change of the model would cost, below the picked type', async () => {
    const { page } = at.seen;
    await at.seen.goTo('/?picked=node%20USER');
    await page.getByText('What if …').click();
    const costs = () => rows('Costs before and after').allInnerTexts();
    const slider = page.getByRole('slider', { name: 'name: 20 shards' });
    await slider.fill('4');
    await page.getByRole('button', { name: 'Compare costs' }).click();
    await expect
      .poll(async () => (await costs()).join('\n'))
      .toMatch(/search USER\.name prefix, range, latest \(RCU\)\s+−8, −80\s%\s+10\s+2/);
    expect(await page.locator('.picked .bill').innerText()).toMatch(/^−\$\d[\d.,]*, −\d+\s% a month$/);
    expect(await page.locator('.picked pre').innerText()).toContain('-   shards: 20\n+   shards: 4');
    await page.getByRole('button', { name: /Plan the migration/ }).click();
    await page.getByRole('heading', { name: 'The migration' }).waitFor();
    expect(await page.locator('.picked').innerText()).toMatch(
      /search:USER\.name \(with place\) will be built.* WCU and .* RCU in about/s,
    );
    expect(await accessibilityProblems(page)).toEqual([]);

    await at.seen.goTo('/?picked=edge%20MEMBER');
    await page.getByText('What if …').click();
    await page.getByLabel('Count the edges of a node').check();
    // The name of the order is too long.
    await page.getByLabel('Add an order by attribute').fill('room'.repeat(20));
    await page.getByRole('button', { name: 'Compare costs' }).click();
    await page.locator('.picked [role=alert]').waitFor();
    expect(at.seen.troubles.splice(0)).toEqual([expect.stringContaining('400')]);
    await page.getByLabel('Add an order by attribute').fill('room');
    await page.getByRole('button', { name: 'Compare costs' }).click();
    await expect.poll(() => page.locator('.picked pre').innerText()).toContain("+   byRoom: 'room'");
    expect((await costs()).join('\n')).toMatch(/MEMBER: create \(WCU\)/);
    await expectToFitScreens(page);
  });

  it('can be used by keyboard alone', async () => {
    const { page } = at.seen;
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.textContent')).toContain('Skip to content');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    // The field that finds everything is between the brand and the places.
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Query' }).waitFor();
    await page.getByRole('link', { name: 'MEMBER of USER-U1' }).waitFor();
    const press = async (text: string): Promise<void> => {
      const isThere = `document.activeElement.textContent === ${JSON.stringify(text)}`;
      for (let i = 0; i < 40 && !(await page.evaluate<boolean>(isThere)); i++) await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
    };
    await press('MEMBER of USER-U1');
    await rows('Rows').first().waitFor();
    await press('Goal 1 GOAL-G1');
    await page.getByRole('heading', { level: 1, name: 'GOAL-G1' }).waitFor();
  });

  it.each(PLACES)(
    '%s: axe finds nothing, in light and in dark, and it fits from 320 px to 4K',
    async (_name, place) => {
      const { page } = at.seen;
      await at.seen.goTo(place);
      await expectAccessible(page);
      await expectToFitScreens(page);
    },
  );
});
