import { describe, expect, it } from 'vitest';
import { HAS_BROWSER } from '../support/studio/browser.ts';
import { openLists } from '../support/studio/lists.ts';
import { expectAccessible, expectToFitScreens } from '../support/studio/screens.ts';
import { visitsTo } from '../support/studio/visits.ts';

const LIST = '/explore?id=BOARD-B&part=inbound&type=ON_BOARD';

describe.skipIf(!HAS_BROWSER)('totals in a browser', () => {
  const at = visitsTo(openLists);

  it('are those of a list and of a node, and move with them', async () => {
    const { page } = at.seen;
    const totals = () => page.getByRole('region', { name: 'Numbers of edges' }).locator('tbody tr');
    for (const place of [LIST, '/explore?id=BOARD-B']) {
      await at.seen.goTo(place);
      const cells = ['ON_BOARD that enter', '2', 'hours 6.5', 'kind: fun 1, work 1'];
      await expect.poll(() => totals().locator('td').allInnerTexts()).toEqual(cells);
    }
    await at.opened.writer.putEdge('CARD-3', 'ON_BOARD', 'BOARD-B', { place: '0', hours: 1, kind: 'fun' });
    await expect.poll(() => totals().locator('td').allInnerTexts()).toContain('hours 7.5');
    await at.seen.goTo('/explore?id=USER-L');
    expect((await totals().locator('td').allInnerTexts()).slice(0, 2)).toEqual(['NOTE_OF that leave', '1']);
    await at.seen.goTo('/explore?id=STEP-1');
    expect(await page.getByRole('heading', { name: 'Totals' }).count()).toBe(0);
  });

  it('are there on each screen, in light and in dark', async () => {
    await at.seen.goTo('/explore?id=BOARD-B');
    await expectAccessible(at.seen.page);
    await expectToFitScreens(at.seen.page);
  });
});
