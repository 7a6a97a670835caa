import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { HAS_BROWSER } from '../support/studio/browser.ts';
import { expectAccessible, expectToFitScreens } from '../support/studio/screens.ts';
import { openStudio } from '../support/studio/table.ts';
import { visitsTo } from '../support/studio/visits.ts';

describe.skipIf(!HAS_BROWSER)('a node over time in a browser', () => {
  const at = visitsTo(() => openStudio());

  beforeAll(async () => {
    const { writer, worker, store } = at.opened;
    for (const [title, status] of [
      ['Sow', 'OPEN'],
      ['Reap', 'DONE'],
    ] as const) {
      await writer.putNode('GOAL-1', { title, status });
      await worker.idle();
    }
    await store.delete({ source: 'GOAL-1', target: '~view' });
  });

  const slider = () => at.seen.page.getByRole('slider', { name: 'Moment' });
  const moment = () => slider().getAttribute('aria-valuetext');
  const track = () => at.seen.page.locator('.stretches > span');
  const card = (name: string) => at.seen.page.getByRole('region', { name });

  /** Goes back by the keyboard to the last moment that is so. */
  async function backTo(isThere: (text: string) => boolean): Promise<void> {
    for (let i = await track().count(); i > 0 && !isThere((await moment())!); i--) await slider().press('ArrowLeft');
    expect(isThere((await moment())!)).toBe(true);
  }

  it('goes back by the keyboard from drift over what was equal to lag, and to what is not known; the address can be shared', async () => {
    const { page } = at.seen;
    await at.seen.goTo('/explore?id=GOAL-1&part=items');
    await page.getByRole('link', { name: 'Over time' }).click();
    await expect.poll(moment, { timeout: 60_000 }).toBe('now, drift');
    const shaded = await track().evaluateAll((all) => all.map((one) => (one as { className: string }).className));
    expect(shaded[0]).toBe('unknown');
    expect(shaded.filter((name) => name === 'lag base')).toHaveLength(2);
    expect(shaded.at(-1)).toBe('drift derived here');
    await page.getByText('no change was on its way').waitFor();
    expect(await card('Expected and stored at that moment').innerText()).toMatch(
      /~view\s+not there[^~]+not as expected/,
    );

    await backTo((text) => text.endsWith(', equal'));
    await page.getByText('readers saw what the base items ask for').waitFor();
    expect(await card('Expected and stored at that moment').innerText()).not.toContain('not as expected');

    await backTo((text) => text.endsWith(', lag'));
    while ((await page.getByText('Just then GOAL-1 was changed').count()) === 0) await slider().press('ArrowLeft');
    const then = async (): Promise<void> => {
      await page.getByText('readers did not see yet').waitFor();
      expect(await card('Base at that moment').innerText()).toMatch(/title\s+Reap/);
      expect(await card('attributes of ~view').innerText()).toMatch(/title\s+Reap\s+Sow/);
    };
    await then();
    await expect.poll(() => page.url()).toMatch(/at=\d+&rev=\d+$/);
    // Who opens the address sees the same.
    await at.seen.goTo(page.url());
    await then();

    // A write leads to its moment, and the moment to the write.
    await page.getByRole('link', { name: 'its way to readers' }).click();
    await page.getByRole('link', { name: 'The node just then' }).click();
    await then();

    await slider().press('Home');
    expect(await moment()).toMatch(/^before .* UTC, not known$/);
    await page.getByText('nothing is known: the studio has no earlier change of it').waitFor();
    expect(await card('Base at that moment').count()).toBe(0);
  });

  it('follows what is written, on each screen, in light and in dark', async () => {
    const { page } = at.seen;
    await at.seen.goTo('/explore?id=GOAL-2&at=now');
    await page.getByText('Nothing is known of earlier moments').waitFor();
    await page.getByText('live', { exact: true }).waitFor();
    await at.opened.writer.putNode('GOAL-2', { title: 'Dig', status: 'OPEN' });
    await expect.poll(moment, { timeout: 60_000 }).toBe('now, equal');
    await expectAccessible(page);
    await expectToFitScreens(page, { mayCut: true });
  });

  it('draws time as time, and calls drift so after it was repaired', async () => {
    const { store, writer, worker } = at.opened;
    await writer.putNode('GOAL-3', { title: 'Rake', status: 'OPEN' });
    await worker.idle();
    const key = { source: 'GOAL-3', target: '~view' };
    const { item } = await store.get(key, { consistent: true });
    await store.delete(key);
    // The stream tells whole seconds.
    await sleep(5_000);
    await store.put(item!);
    await at.seen.goTo('/explore?id=GOAL-3&at=now');
    await at.seen.page.getByText(/1 stretch of lag and 1 stretch of drift/).waitFor();
    const widthOf = async (state: string): Promise<number> => {
      const widths = await track().evaluateAll((all) =>
        all.map((one) => [one.className.split(' ')[0], one.getBoundingClientRect().width] as const),
      );
      return widths.reduce((sum, [name, width]) => sum + (name === state ? width : 0), 0);
    };
    expect(await widthOf('drift')).toBeGreaterThan(3 * (await widthOf('lag')));
  });
});
