import { beforeAll, describe, expect, it } from 'vitest';
import { HAS_BROWSER } from '../support/studio/browser.ts';
import { expectAccessible, expectToFitScreens } from '../support/studio/screens.ts';
import { openStudio } from '../support/studio/table.ts';
import { visitsTo } from '../support/studio/visits.ts';

const PLACE = '/trace?source=GOAL-1&target=MEMBER-USER-1';

describe.skipIf(!HAS_BROWSER).each([{ isWritable: true }, { isWritable: false }])(
  'an edge with a ranked label in a studio that may write: $isWritable',
  ({ isWritable }) => {
    const at = visitsTo(() => openStudio({ isWritable }));

    beforeAll(async () => {
      await at.opened.writer.batch((batch) => {
        batch.putNode('USER-1', { name: 'Ada', country: 'UK' });
        batch.putNode('GOAL-1', { title: 'Sow', status: 'OPEN' });
        for (const [goal, user, role] of [
          ['1', '1', 'HELPER'],
          ['1', '2', 'LEAD'],
          ['1', '3', 'HELPER'],
          ['2', '1', 'LEAD'],
          ['3', '1', 'HELPER'],
        ] as const) {
          batch.putEdge(`GOAL-${goal}`, 'MEMBER', `USER-${user}`, { role, since: '2026-01-01' });
        }
      });
      await at.opened.worker.idle();
    });

    const list = (name: RegExp) => at.seen.page.getByRole('region', { name }).locator('ol li');
    const entering = async (): Promise<string[]> =>
      (await list(/^MEMBER edges into/).allInnerTexts()).map((text) => /GOAL-\d/.exec(text)![0]);
    const leaving = async (): Promise<string[]> =>
      (await list(/^MEMBER edges from/).allInnerTexts()).map((text) => /USER-\d/.exec(text)![0]);
    const label = (name: string) => at.seen.page.getByRole('group', { name: 'role' }).getByRole('button', { name });

    it.runIf(isWritable)(
      'has both lists follow the label, and says what was written, how fast and for how much',
      async () => {
        const { page } = at.seen;
        await at.seen.goTo(PLACE);
        await page.getByRole('region', { name: 'MEMBER edges into Ada, by role' }).waitFor();
        await expect.poll(entering).toEqual(['GOAL-2', 'GOAL-3', 'GOAL-1']);
        await expect.poll(leaving).toEqual(['USER-2', 'USER-1', 'USER-3']);
        await label('LEAD').click();
        await expect.poll(() => label('LEAD').getAttribute('aria-pressed')).toBe('true');
        await expect.poll(entering).toEqual(['GOAL-2', 'GOAL-1', 'GOAL-3']);
        await expect.poll(leaving).toEqual(['USER-1', 'USER-2', 'USER-3']);
        expect(
          await list(/^MEMBER edges into/)
            .nth(1)
            .getAttribute('aria-current'),
        ).toBe('true');
        const way = page.getByRole('region', { name: 'Follow a write' });
        await expect.poll(() => way.innerText()).toMatch(/role\s+HELPER → LEAD/);
        await expect
          .poll(() => way.locator('.bill').innerText())
          .toMatch(/^\d+ items written\s+(< 1|[\d,]+) ms to readers\s+\d+ WCU\s+\$\d+\.\d\d per million writes$/);
        await way.getByRole('button', { name: 'Undo this write' }).click();
        await expect.poll(leaving).toEqual(['USER-2', 'USER-1', 'USER-3']);
        await expect.poll(() => label('HELPER').getAttribute('aria-pressed')).toBe('true');
      },
    );

    it.runIf(isWritable)('shows both lists anew once the write is projected, however dear the view is', async () => {
      const { page } = at.seen;
      // An answer of 20 RCU is asked again only after 20 seconds.
      await page.route('**/api/node?*', async (route) => {
        const response = await route.fetch();
        const { units, ...rest } = await response.json();
        await route.fulfill({ response, json: { ...rest, units: { ...units, rcu: 20 } } });
      });
      await at.seen.goTo(PLACE);
      await expect.poll(leaving).toEqual(['USER-2', 'USER-1', 'USER-3']);
      await label('LEAD').click();
      await expect.poll(leaving, { timeout: 10_000 }).toEqual(['USER-1', 'USER-2', 'USER-3']);
      await page.unroute('**/api/node?*');
      await page.getByRole('button', { name: 'Undo this write' }).click();
      await expect.poll(() => label('HELPER').getAttribute('aria-pressed')).toBe('true');
    });

    it('shows what it may do, on each screen, in light and in dark', async () => {
      await at.seen.goTo(PLACE);
      await expect.poll(() => label('LEAD').isEnabled()).toBe(isWritable);
      await expectAccessible(at.seen.page);
      await expectToFitScreens(at.seen.page);
    });

    it('shows the way of the write alone where no list has the edge in the order of a rank', async () => {
      await at.seen.goTo('/trace?source=USER-1&target=USER-1');
      await at.seen.page.getByRole('region', { name: 'Follow a write' }).waitFor();
      expect(await at.seen.page.locator('.ranked').count()).toBe(0);
    });
  },
);
