import { describe, expect, it } from 'vitest';
import { HAS_BROWSER } from '../support/studio/browser.ts';
import { openStudio } from '../support/studio/table.ts';
import { accessibilityProblems } from '../support/studio/visit.ts';
import { visitsTo } from '../support/studio/visits.ts';

describe.skipIf(!HAS_BROWSER)('lists that move in the studio', () => {
  const at = visitsTo(openStudio);

  const firstCells = async (label: string): Promise<string[]> =>
    await at.seen.page.getByRole('region', { name: label }).locator('tbody td:first-child > a').allInnerTexts();
  const isLive = async (): Promise<void> => {
    await expect.poll(() => at.seen.page.getByText('live', { exact: true }).count()).toBe(1);
  };
  const member = async (goal: string, role: 'LEAD' | 'HELPER', user: string): Promise<void> => {
    await at.opened.writer.putEdge(`GOAL-${goal}`, 'MEMBER', `USER-${user}`, { role, since: '2026-01-01' });
    await at.opened.worker.idle();
  };

  it('shows incoming edges as they come, move and go', async () => {
    const { page } = at.seen;
    await member('L1', 'HELPER', 'L');
    await at.seen.goTo('/query?type=MEMBER&id=USER-L');
    await isLive();
    const shows = async (...goals: string[]): Promise<void> => {
      await expect.poll(() => firstCells('Rows')).toEqual(goals.map((goal) => `GOAL-${goal}`));
    };
    await shows('L1');
    await member('L2', 'LEAD', 'L');
    await shows('L1', 'L2');
    await member('L1', 'LEAD', 'L');
    await member('L0', 'HELPER', 'L');
    await shows('L0', 'L1', 'L2');
    await at.opened.writer.deleteEdge('GOAL-L1', 'MEMBER', 'USER-L');
    await at.opened.worker.idle();
    await shows('L0', 'L2');
    expect(await accessibilityProblems(page)).toEqual([]);
    // Links of a row that stays keep the focus while others move.
    await page.getByRole('link', { name: 'GOAL-L2' }).focus();
    await at.opened.writer.deleteEdge('GOAL-L0', 'MEMBER', 'USER-L');
    await at.opened.worker.idle();
    await shows('L2');
    expect(await page.evaluate<string>('document.activeElement.textContent')).toBe('GOAL-L2');
  });

  it('shows what a search and a query find as it changes', async () => {
    await at.seen.goTo('/query?search=USER.name&beginsWith=mo');
    await isLive();
    await at.seen.page.getByText('Nothing found.').waitFor();
    await at.opened.writer.putNode('USER-MO', { name: 'Momo' });
    await at.opened.worker.idle();
    await expect.poll(() => firstCells('Rows')).toEqual([expect.stringContaining('USER-MO')]);
    await at.seen.goTo('/query?type=MEMBER&id=USER-Q&atLeast=LEAD');
    await isLive();
    await member('Q1', 'HELPER', 'Q');
    await member('Q2', 'LEAD', 'Q');
    await expect.poll(() => firstCells('Rows')).toEqual(['GOAL-Q2']);
  });

  it('shows a node, its edges and its edge set as they change', async () => {
    const { page } = at.seen;
    await at.opened.writer.putNode('GOAL-N', { title: 'Sow', status: 'OPEN', hidden: 'one' });
    await at.opened.worker.idle();
    await at.seen.goTo('/node?id=GOAL-N');
    await isLive();
    const card = (name: string) => page.getByRole('region', { name });
    await at.opened.writer.putNode('GOAL-N', { title: 'Reap', status: 'OPEN', hidden: 'two' });
    await expect.poll(() => card('View').innerText()).toContain('Reap');
    // One that no projection has.
    await expect.poll(() => card('Attributes').innerText()).toContain('two');
    await at.opened.writer.putNode('GOAL-N', { title: 'Reap', status: 'OPEN', hidden: 'three' });
    await expect.poll(() => card('Attributes').innerText()).toContain('three');
    await member('N', 'LEAD', 'N');
    await expect.poll(() => card('View').innerText()).toContain('1 edge in the edge set');
    await member('N', 'HELPER', 'N');
    await expect.poll(() => card('Outgoing edges').locator('tbody tr').innerText()).toContain('HELPER');
    await at.opened.writer.deleteNode('GOAL-N');
    await at.opened.writer.deleteEdge('GOAL-N', 'MEMBER', 'USER-N');
    await card('Outgoing edges').getByText('None.').waitFor();
    await at.seen.goTo('/query?type=MEMBER&id=USER-N');
    await isLive();
    await member('N2', 'LEAD', 'N');
    await expect.poll(() => firstCells('Rows')).toEqual(['GOAL-N2']);
    // A hidden page reads nothing, and is up to date once it is seen again.
    await page.evaluate("Object.defineProperty(document, 'hidden', { configurable: true, value: true })");
    await member('N3', 'LEAD', 'N');
    await page.evaluate("Object.defineProperty(document, 'hidden', { configurable: true, value: false })");
    await expect.poll(() => firstCells('Rows')).toEqual(['GOAL-N2', 'GOAL-N3']);
    expect(await accessibilityProblems(page)).toEqual([]);
  });

  it('goes on by itself after the studio was away', async () => {
    const { page } = at.seen;
    await member('A1', 'HELPER', 'A');
    await at.seen.goTo('/query?type=MEMBER&id=USER-A');
    await isLive();
    await page.route('**/api/query*', (route) => route.abort());
    await page.getByRole('alert').waitFor();
    expect(await page.getByText('live', { exact: true }).count()).toBe(0);
    await page.unroute('**/api/query*');
    await isLive();
    // The browser notes that it got no answer.
    expect(at.seen.troubles.splice(0).join()).toContain('ERR_FAILED');
    await member('A2', 'LEAD', 'A');
    await expect.poll(() => firstCells('Rows')).toEqual(['GOAL-A1', 'GOAL-A2']);
  });
});
