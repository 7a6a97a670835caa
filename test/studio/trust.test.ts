import { beforeAll, describe, expect, it } from 'vitest';
import { HAS_BROWSER } from '../support/studio/browser.ts';
import { openStudio } from '../support/studio/table.ts';
import { accessibilityProblems } from '../support/studio/visit.ts';
import { visitsTo } from '../support/studio/visits.ts';

describe.skipIf(!HAS_BROWSER)('the place of trust', () => {
  const at = visitsTo(() => openStudio({ isWritable: true }));

  beforeAll(async () => {
    const { writer, worker } = at.opened;
    await writer.batch((batch) => {
      for (const id of ['USER-A', 'USER-B'] as const) {
        batch.putNode(id, { name: id, country: 'UK', state: 'London', city: 'Ely' });
        batch.putEdge('GOAL-G', 'MEMBER', id, { role: 'LEAD', since: '2026-01-01' });
      }
      batch.putNode('GOAL-G', { title: 'Goal', status: 'OPEN', due: '2026-02-01' });
    });
    await worker.idle();
  });

  const suspects = () => at.seen.page.getByRole('region', { name: 'Needs attention' }).getByRole('listitem');

  /** Breaks the view of a goal and an index item of two users. */
  async function plantDrift(): Promise<void> {
    const { store } = at.opened;
    for (const id of ['USER-A', 'USER-B']) await store.delete({ source: id, target: '~ix/name' });
    await store.delete({ source: 'GOAL-G', target: '~view' });
  }

  async function checkTable(): Promise<void> {
    const { page } = at.seen;
    await page.getByRole('button', { name: 'Check', exact: true }).click();
    await page.getByText(/done\s+check of the table/).waitFor();
  }

  it('runs a check without saying that it repairs', async () => {
    const { page } = at.seen;
    await at.seen.goTo('/trust');
    await page.route('**/api/check', async (route) => {
      const response = await route.fetch();
      const document = (await response.json()) as { answer: { check: object } };
      const check = { ...document.answer.check, state: 'running' };
      await route.fulfill({ response, json: { ...document, answer: { ...document.answer, check } } });
    });
    await page.getByRole('button', { name: 'Check', exact: true }).click();
    await page.getByRole('button', { name: 'Checking …' }).waitFor();
    expect(await page.getByRole('button', { name: /repairing/ }).count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Check and repair' }).isDisabled()).toBe(true);
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  });

  it('lists each item once, and no longer once it is repaired, also when the place is opened again', async () => {
    const { page } = at.seen;
    await plantDrift();
    await at.seen.goTo('/trust');
    await checkTable();
    await expect.poll(() => suspects().count()).toBe(3);
    const user = suspects().filter({ hasText: /^USER-A ~ix\/name/ });
    expect(await user.innerText()).toContain('missing');
    await user.getByRole('button', { name: 'Repair this node' }).click();
    await expect
      .poll(async () => (await suspects().allInnerTexts()).map((text) => text.split(/\s{2,}|\n/)[0]!.trim()).sort())
      .toEqual([expect.stringMatching(/^GOAL-G ~view/), expect.stringMatching(/^USER-B ~ix\/name/)]);
    // The check of the page itself repairs too.
    await page.getByRole('button', { name: 'Check and repair' }).click();
    await expect.poll(() => suspects().count()).toBe(0);
    await at.seen.goTo('/trust');
    await page.getByText(/2 missing, 2 repaired/).waitFor();
    expect(await suspects().count()).toBe(0);
  });

  it('shows an item that enters quarantine, and lists it once, after a check too', async () => {
    await at.seen.goTo('/trust');
    await at.opened.store.put({ source: { S: 'GOAL-BAD' }, target: { S: 'GOAL-BAD' }, due: { N: '7' } });
    await suspects().filter({ hasText: 'GOAL-BAD' }).waitFor();
    await checkTable();
    await expect.poll(() => suspects().allInnerTexts()).toEqual([expect.stringMatching(/GOAL-BAD\s+wrong-type/)]);
    await at.opened.writer.putNode('GOAL-BAD', { due: '2026-01-01' });
    await at.opened.worker.idle();
    await at.seen.page.getByRole('button', { name: 'Redrive' }).click();
    await expect.poll(() => suspects().count()).toBe(0);
  });

  it('says drift of a node without its view, as the check does', async () => {
    const { page } = at.seen;
    await at.opened.store.delete({ source: 'USER-B', target: '~view' });
    await at.seen.goTo('/node?id=USER-B');
    const state = page.getByRole('region', { name: 'Problems' });
    await state.getByText('drift', { exact: true }).waitFor();
    expect(await page.getByText('Nothing is projected.').count()).toBe(0);
    expect(await accessibilityProblems(page)).toEqual([]);
    await state.getByRole('button', { name: 'Repair this node' }).click();
    await state.waitFor({ state: 'detached' });
    await page.getByRole('region', { name: 'View' }).getByText('London').waitFor();
    // A view without its node is no better.
    await at.opened.worker.stop();
    await at.opened.run;
    await at.opened.store.delete({ source: 'USER-B', target: 'USER-B' });
    await at.seen.goTo('/node?id=USER-B');
    await state.getByText(/the node does not exist, but its view does/).waitFor();
  });
});
