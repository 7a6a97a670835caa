import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { HAS_BROWSER, type RunningBrowser, startBrowser } from '../support/studio/browser.ts';
import { openStudio } from '../support/studio/table.ts';
import { accessibilityProblems, type Visit, visit } from '../support/studio/visit.ts';

describe.skipIf(!HAS_BROWSER)('lists that move in the studio', () => {
  let running: RunningBrowser;
  let opened: Awaited<ReturnType<typeof openStudio>>;
  let seen: Visit;

  beforeAll(async () => {
    [running, opened] = await Promise.all([startBrowser(), openStudio()]);
  });

  afterAll(async () => {
    await running?.close();
    await opened?.close();
  });

  beforeEach(async () => {
    seen = await visit(running.browser, opened.studio.url);
  });

  afterEach(async () => {
    expect(seen.troubles).toEqual([]);
    await seen.close();
  });

  const firstCells = async (label: string): Promise<string[]> =>
    await seen.page.getByRole('region', { name: label }).locator('tbody td:first-child').allInnerTexts();
  const isLive = async (): Promise<void> => {
    await expect.poll(() => seen.page.getByText('live', { exact: true }).count()).toBe(1);
  };
  const member = async (goal: string, role: 'LEAD' | 'HELPER', user: string): Promise<void> => {
    await opened.writer.putEdge(`GOAL-${goal}`, 'MEMBER', `USER-${user}`, { role, since: '2026-01-01' });
    await opened.worker.idle();
  };

  it('shows incoming edges as they come, move and go, and marks those that came', async () => {
    const { page } = seen;
    await member('L1', 'HELPER', 'L');
    await seen.goTo('/explore?id=USER-L&part=inbound');
    await isLive();
    const shows = async (...goals: string[]): Promise<void> => {
      await expect.poll(() => firstCells('Inbound edges')).toEqual(goals.map((goal) => `GOAL-${goal}`));
    };
    await shows('L1');
    expect(await page.locator('tr.fresh').count()).toBe(0);
    await member('L2', 'LEAD', 'L');
    await shows('L1', 'L2');
    expect(await page.locator('tr.fresh').allInnerTexts()).toEqual([expect.stringContaining('GOAL-L2')]);
    await member('L1', 'LEAD', 'L');
    await member('L0', 'HELPER', 'L');
    await shows('L0', 'L1', 'L2');
    await opened.writer.deleteEdge('GOAL-L1', 'MEMBER', 'USER-L');
    await opened.worker.idle();
    await shows('L0', 'L2');
    expect(await accessibilityProblems(page)).toEqual([]);
    // Links of a row that stays keep the focus while others move.
    await page.getByRole('link', { name: 'GOAL-L2' }).focus();
    await opened.writer.deleteEdge('GOAL-L0', 'MEMBER', 'USER-L');
    await opened.worker.idle();
    await shows('L2');
    expect(await page.evaluate<string>('document.activeElement.textContent')).toBe('GOAL-L2');
  });

  it('shows what a search and a query find as it changes', async () => {
    await seen.goTo('/explore?search=USER.name&prefix=mo');
    await isLive();
    await seen.page.getByText('Nothing is found.').waitFor();
    await opened.writer.putNode('USER-MO', { name: 'Momo' });
    await opened.worker.idle();
    await expect.poll(() => firstCells('Results')).toEqual(['USER-MO']);
    await seen.goTo('/query?type=MEMBER&id=USER-Q&atLeast=LEAD');
    await isLive();
    await member('Q1', 'HELPER', 'Q');
    await member('Q2', 'LEAD', 'Q');
    await expect.poll(() => firstCells('Rows')).toEqual(['GOAL-Q2']);
  });

  it('goes on by itself after the studio was away', async () => {
    const { page } = seen;
    await member('A1', 'HELPER', 'A');
    await page.route('**/api/watch?*', (route) => route.abort());
    await seen.goTo('/explore?id=USER-A&part=inbound');
    await expect.poll(() => firstCells('Inbound edges')).toEqual(['GOAL-A1']);
    // The browser notes that it got no answer.
    await expect.poll(() => seen.troubles.length).toBeGreaterThan(0);
    await page.unroute('**/api/watch?*');
    await isLive();
    expect(seen.troubles.splice(0).join()).toContain('ERR_FAILED');
    await member('A2', 'LEAD', 'A');
    await expect.poll(() => firstCells('Inbound edges')).toEqual(['GOAL-A1', 'GOAL-A2']);
  });
});
