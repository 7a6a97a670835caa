import { beforeAll, describe, expect, it } from 'vitest';
import { HAS_BROWSER } from '../support/studio/browser.ts';
import { expectAccessible, expectToFitScreens } from '../support/studio/screens.ts';
import { openStudio } from '../support/studio/table.ts';
import { accessibilityProblems } from '../support/studio/visit.ts';
import { visitsTo } from '../support/studio/visits.ts';

describe.skipIf(!HAS_BROWSER)('the trace of a write in a browser', () => {
  const at = visitsTo(() => openStudio({ isWritable: true }));

  beforeAll(async () => {
    await at.opened.writer.putNode('USER-1', { name: 'Ada', country: 'UK' });
    await at.opened.writer.putNode('GOAL-1', { title: 'Sow', status: 'OPEN' });
    await at.opened.writer.putEdge('GOAL-1', 'MEMBER', 'USER-1', { role: 'LEAD', since: '2026-01-01' });
    await at.opened.worker.idle();
  });

  const way = () => at.seen.page.getByRole('list', { name: 'Path of the write' });

  it('follows what was saved until readers see it', async () => {
    const { page } = at.seen;
    await at.seen.goTo('/node?id=GOAL-1&target=GOAL-1');
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByLabel('Attributes as JSON').fill('{"title":"Reap","status":"DONE"}');
    await page.getByRole('button', { name: 'Save' }).click();
    await way().getByText('Readers see it').waitFor();
    const text = await way().innerText();
    expect(text).toMatch(/Base write\s+changed GOAL-1/i);
    expect(text).toMatch(/title\s+Sow → Reap/);
    expect(text).toMatch(/index item of status/i);
    expect(text).toMatch(/1 record, projected in/);
    expect(await accessibilityProblems(page)).toEqual([]);
    // The derived items below are those of the new values.
    const derived = page.getByRole('region', { name: 'Derived items' });
    await derived.getByRole('link', { name: '~view' }).click();
    await page.getByRole('region', { name: '~view', exact: true }).getByText('Reap').first().waitFor();
  });

  it('takes a write back, and follows that', async () => {
    const { page } = at.seen;
    await at.opened.writer.putNode('GOAL-2', { title: 'Dig', status: 'OPEN' });
    await at.opened.worker.idle();
    await at.opened.writer.putNode('GOAL-2', { title: 'Delve', status: 'OPEN' });
    await at.opened.worker.idle();
    await at.seen.goTo('/trace?source=GOAL-2&target=GOAL-2');
    await page.getByRole('button', { name: 'Undo this write' }).click();
    await expect.poll(() => way().innerText(), { timeout: 60_000 }).toMatch(/title\s+Delve → Dig/);
    await way().getByText('Readers see it').waitFor();
  });

  it('lists the newest writes and traces one of them, on each screen, in light and in dark', async () => {
    const { page } = at.seen;
    await at.seen.goTo('/trace');
    await page.getByRole('link', { name: 'GOAL-1 MEMBER-USER-1' }).click();
    await way().getByText('Readers see it').waitFor();
    expect(await way().innerText()).toMatch(/index item of MEMBER/i);
    await expectAccessible(page);
    await expectToFitScreens(page);
  });
});
