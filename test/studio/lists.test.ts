import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { HAS_BROWSER } from '../support/studio/browser.ts';
import { openLists } from '../support/studio/lists.ts';
import { accessibilityProblems, cutTexts, isTooWide } from '../support/studio/visit.ts';
import { visitsTo } from '../support/studio/visits.ts';

const LIST = '/explore?id=BOARD-B&part=inbound&type=ON_BOARD';
const QUERY = '/query?id=BOARD-B&type=ON_BOARD';
const LEVELS = `${QUERY}&with=DOES&with=HAS_STEP%2FDOES&with=inbound%3ANOTE_OF`;

describe.skipIf(!HAS_BROWSER)('lists with levels and totals in a browser', () => {
  const at = visitsTo(openLists);

  /** Lets an answer say that a bound has left nodes out: by default that takes a thousand of them. */
  const leaveOut = (page: Page): Promise<void> =>
    page.route('**/api/query?**', async (route) => {
      const response = await route.fetch();
      const document = (await response.json()) as { answer: object };
      const truncated = { reason: 'maxNodes', ids: ['STEP-2', 'USER-L'], edgesOf: ['CARD-1'] };
      await route.fulfill({ response, json: { ...document, answer: { ...document.answer, truncated } } });
    });

  const tree = () => at.seen.page.getByRole('list', { name: 'Nodes with their levels' });
  const cards = () => at.seen.page.locator('.tree > li');

  it('takes levels in a field and draws what is next to what', async () => {
    const { page } = at.seen;
    await at.seen.goTo(LIST);
    expect(await page.getByRole('region', { name: 'Inbound edges' }).locator('tbody tr').count()).toBe(2);
    await page.getByRole('link', { name: 'Filter it, add levels, or take its TypeScript' }).click();
    await page.getByLabel('Levels, one a line').fill('DOES:lead\\/main\n\n HAS_STEP/DOES \n');
    await page.getByRole('button', { name: 'Ask' }).click();
    await tree().waitFor();
    expect(new URL(page.url()).searchParams.getAll('with')).toEqual(['DOES:lead\\/main', 'HAS_STEP/DOES']);
    await at.seen.settled();
    const steps = cards().first().locator('.group', { hasText: 'HAS_STEP' }).first();
    expect(await steps.locator(':scope > ul > li').count()).toBe(2);
    expect(await steps.innerText()).toMatch(/Borrow a spade\s+STEP-1\s+DOES\s+help\s+Li\s+USER-L/);
    expect(await page.getByText('4 DynamoDB calls').count()).toBe(1);
    expect(await page.getByText('Query: the edges of ON_BOARD in their order.').isVisible()).toBe(true);
    await tree().getByRole('link', { name: 'STEP-2' }).click();
    await page.getByRole('heading', { level: 1, name: 'STEP-2' }).waitFor();
  });

  it('offers levels of the model, and goes one deeper with each', async () => {
    const { page } = at.seen;
    await at.seen.goTo(QUERY);
    await page.getByRole('button', { name: '+ HAS_STEP', exact: true }).click();
    await page.getByRole('button', { name: '+ HAS_STEP/DOES', exact: true }).click();
    expect(await page.getByLabel('Levels, one a line').inputValue()).toBe('HAS_STEP\nHAS_STEP/DOES');
    await page.getByRole('button', { name: 'Ask' }).click();
    await tree().waitFor();
    expect(await tree().innerText()).toContain('USER-L');
    const needs = (levels: number): string => Array(levels).fill('NEEDS').join('/');
    const offered = async (levels: number): Promise<boolean> => {
      await at.seen.goTo(`${QUERY}&with=${encodeURIComponent(needs(levels))}`);
      return (await page.getByRole('button', { name: `+ ${needs(levels + 1)}`, exact: true }).count()) === 1;
    };
    expect([await offered(4), await offered(5)]).toEqual([true, false]);
  });

  it('says what a bound leaves out, and what is wrong with a level', async () => {
    const { page } = at.seen;
    await leaveOut(page);
    await at.seen.goTo(LEVELS);
    await page.getByText('Left out beyond the most neighbours of a page').waitFor();
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await page.getByLabel('Levels, one a line').fill('NONE');
    await page.getByRole('button', { name: 'Ask' }).click();
    await page.getByRole('alert').waitFor();
    expect(await page.getByRole('alert').innerText()).toContain('unknown-type');
    // The browser notes the answer 400.
    expect(at.seen.troubles.splice(0)).toEqual([expect.stringContaining('400')]);
  });

  it('shows the totals of a list and of a node', async () => {
    const { page } = at.seen;
    const totals = () => page.getByRole('region', { name: 'Numbers of edges' }).locator('tbody tr');
    for (const place of [LIST, '/explore?id=BOARD-B']) {
      await at.seen.goTo(place);
      const cells = ['ON_BOARD that enter', '2', 'hours 6.5', 'kind: fun 1, work 1'];
      await expect.poll(() => totals().locator('td').allInnerTexts()).toEqual(cells);
    }
    await at.seen.goTo('/explore?id=USER-L');
    expect((await totals().locator('td').allInnerTexts()).slice(0, 2)).toEqual(['NOTE_OF that leave', '1']);
    await at.seen.goTo('/explore?id=STEP-1');
    expect(await page.getByRole('heading', { name: 'Totals' }).count()).toBe(0);
  });

  it.each([
    ['a list with levels', LEVELS],
    ['a list with all that a bound leaves out', LEVELS, leaveOut],
    ['totals', '/explore?id=BOARD-B'],
  ])(
    '%s: axe finds nothing, in light and in dark, and nothing is cut from 320 px to 4K',
    async (_name, place, before?: typeof leaveOut) => {
      const { page } = at.seen;
      await before?.(page);
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        await at.seen.goTo(place);
        expect(await accessibilityProblems(page)).toEqual([]);
      }
      for (const width of [320, 768, 3840]) {
        await page.setViewportSize({ width, height: 900 });
        await expect.poll(() => isTooWide(page), { message: `${width} px` }).toBe(false);
        expect(await cutTexts(page), `${width} px`).toEqual([]);
      }
      await page.unrouteAll({ behavior: 'ignoreErrors' });
    },
  );
});
