import { beforeAll, describe, expect, it } from 'vitest';
import { HAS_BROWSER, startBrowser } from '../support/studio/browser.ts';
import { openStudio } from '../support/studio/table.ts';
import { accessibilityProblems, visit } from '../support/studio/visit.ts';
import { visitsTo } from '../support/studio/visits.ts';

describe.skipIf(!HAS_BROWSER)('the field that finds everything', () => {
  const at = visitsTo(openStudio);

  beforeAll(async () => {
    await at.opened.writer.putNode('USER-A', { name: 'Atlanta', country: 'US' });
    await at.opened.worker.idle();
  });

  const field = () => at.seen.page.getByRole('searchbox', { name: 'Find' });
  const found = () => at.seen.page.getByRole('list', { name: 'Found' });

  it('is reached by a key, and finds a node by its name', async () => {
    const { page } = at.seen;
    await page.keyboard.press('/');
    await page.keyboard.type('atlanta');
    await found().getByRole('link', { name: 'USER-A' }).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'USER-A' }).waitFor();
    expect(await field().inputValue()).toBe('');
    // A result that is clicked ends the search, too, although the address has no parameters before and after.
    await at.seen.goTo('/');
    await field().fill('trust');
    await found().getByRole('link', { name: 'Trust' }).click();
    await page.getByRole('heading', { level: 1, name: 'Trust' }).waitFor();
    expect(await field().inputValue()).toBe('');
  });

  it('says what was looked at, also where nothing is found, and reads on in a table that it has a part of', async () => {
    const { page } = at.seen;
    let reads = 0;
    await page.route('**/api/suggest**', async (route) => {
      const response = await route.fetch();
      const document = (await response.json()) as { answer: { looked: object } };
      const looked = { ...document.answer.looked, of: 9_000, isWhole: reads > 0 };
      await route.fulfill({ response, json: { ...document, answer: { ...document.answer, looked } } });
    });
    await page.route('**/api/sample', async (route) => {
      if (route.request().method() === 'POST') reads += 1;
      await route.continue();
    });
    await field().fill('nobody');
    await page.getByText(/Nothing found yet\. Searched \d+ of about 9,000 items/).waitFor();
    expect(await found().count()).toBe(0);
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.getByRole('button', { name: 'Search more (up to 512 RCU)' }).click();
    await page.getByText(/Searched all \d+ items/).waitFor();
    expect(reads).toBe(1);
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  });

  it('reads on by itself where nobody pays for reads, until something is found or all was read', async () => {
    const { page } = at.seen;
    let reads = 0;
    await page.route('**/api/suggest**', async (route) => {
      const response = await route.fetch();
      const document = (await response.json()) as { answer: { looked: object } };
      const looked = { ...document.answer.looked, of: 9_000, isWhole: reads > 1 };
      const answer = { ...document.answer, looked, readsOn: reads < 2 };
      await route.fulfill({ response, json: { ...document, answer } });
    });
    await page.route('**/api/sample', async (route) => {
      if (route.request().method() === 'POST') reads += 1;
      await route.continue();
    });
    await field().fill('nobody');
    await page.getByText(/Nothing found\. Searched all \d+ items/).waitFor();
    expect(reads).toBe(2);
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  });

  it('finds types, searches and places, by arrows too', async () => {
    const { page } = at.seen;
    await page.keyboard.press('Control+k');
    await page.keyboard.type('tr');
    await found().getByRole('link', { name: 'Trace' }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Trace' }).waitFor();
    await field().fill('status');
    await found().getByRole('link', { name: 'GOAL.status' }).click();
    await expect.poll(() => new URL(page.url()).searchParams.get('search')).toBe('GOAL.status');
  });

  it('has actions, all of them by Ctrl-K and each by a word of its name', async () => {
    const { page } = at.seen;
    await page.keyboard.press('Control+k');
    const actions = found().getByRole('button');
    await expect.poll(() => actions.count()).toBe(2);
    // This studio only reads.
    expect(await actions.filter({ hasText: 'Redrive' }).count()).toBe(0);
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.keyboard.type('shortcuts');
    await expect.poll(() => actions.count()).toBe(1);
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    expect(await field().inputValue()).toBe('');
    expect(await found().count()).toBe(0);
  });

  it('shows the keys by ?, in a dialog that has the focus and gives it back', async () => {
    const { page } = at.seen;
    await page.getByRole('button', { name: 'Shortcuts (?)' }).focus();
    await page.keyboard.press('?');
    const dialog = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await dialog.getByText('Find, and list actions').waitFor();
    expect(await page.evaluate("document.activeElement.closest('dialog')?.id")).toBe('keys');
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Shortcuts (?)');
    // Typed into a field it is a letter.
    await field().fill('');
    await page.keyboard.type('?');
    expect(await field().inputValue()).toBe('?');
    expect(await dialog.isVisible()).toBe(false);
  });
});

describe.skipIf(!HAS_BROWSER)('the first paint of the overview', () => {
  it('has every card before the status has come', async () => {
    const [running, opened] = await Promise.all([startBrowser(), openStudio()]);
    try {
      const { page, troubles, close } = await visit(running.browser, opened.studio.url);
      let release: () => void = () => undefined;
      const held = new Promise<void>((resolve) => {
        release = resolve;
      });
      await page.route(/api.status/, async (route) => {
        await held;
        await route.continue();
      });
      await page.reload();
      for (const name of ['Model', 'Consumers', 'Verified', 'Projections']) {
        await page.getByRole('heading', { name, exact: true }).waitFor();
      }
      release();
      await page.getByText('No problems found').waitFor();
      expect(await page.getByText("The whole table hasn't been checked yet.").count()).toBe(1);
      expect(troubles).toEqual([]);
      await close();
    } finally {
      await running.close();
      await opened.close();
    }
  });
});
