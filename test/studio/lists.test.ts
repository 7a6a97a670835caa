import { describe, expect, it } from 'vitest';
import { HAS_BROWSER } from '../support/studio/browser.ts';
import { openLists } from '../support/studio/lists.ts';
import { expectAccessible, expectToFitScreens } from '../support/studio/screens.ts';
import { visitsTo } from '../support/studio/visits.ts';

describe.skipIf(!HAS_BROWSER)('totals in a browser', () => {
  const at = visitsTo(openLists);

  it('are those of a node, and move with its edges', async () => {
    const { page } = at.seen;
    const totals = () => page.getByRole('region', { name: 'Numbers of edges' }).locator('tbody tr');
    await at.seen.goTo('/node?id=BOARD-B');
    const cells = ['ON_BOARD, incoming', '2', 'hours 6.5', 'kind: fun 1, work 1'];
    await expect.poll(() => totals().locator('td').allInnerTexts()).toEqual(cells);
    await at.opened.writer.putEdge('CARD-3', 'ON_BOARD', 'BOARD-B', { place: '0', hours: 1, kind: 'fun' });
    await expect.poll(() => totals().locator('td').allInnerTexts()).toContain('hours 7.5');
    await at.seen.goTo('/node?id=USER-L');
    expect((await totals().locator('td').allInnerTexts()).slice(0, 2)).toEqual(['NOTE_OF, outgoing', '1']);
    await at.seen.goTo('/node?id=STEP-1');
    expect(await page.getByRole('heading', { name: 'Totals' }).count()).toBe(0);
  });

  it('are there on each screen, in light and in dark', async () => {
    await at.seen.goTo('/node?id=BOARD-B');
    await expectAccessible(at.seen.page);
    await expectToFitScreens(at.seen.page);
  });
});
