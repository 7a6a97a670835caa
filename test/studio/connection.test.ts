import { beforeAll, describe, expect, it } from 'vitest';
import { LOOK_MS } from '../../packages/studio/page/base/connection.ts';
import { startStudio } from '../../packages/studio/server/studio.ts';
import { createClient, createStreamsClient } from '../../src/store/client.ts';
import { DynamoDBStore } from '../../src/store/dynamodb.ts';
import { HAS_BROWSER } from '../support/studio/browser.ts';
import { type Outage, outageBefore } from '../support/studio/outage.ts';
import { keepingLogger, openStudio } from '../support/studio/table.ts';
import { accessibilityProblems } from '../support/studio/visit.ts';
import { visitsTo } from '../support/studio/visits.ts';

/** A studio whose table can be cut off. */
async function openFragile(): Promise<Awaited<ReturnType<typeof openStudio>> & { outage: Outage }> {
  const opened = await openStudio();
  await opened.studio.close();
  const outage = await outageBefore(opened.endpoint);
  const { endpoint } = outage;
  const client = createClient({ endpoint });
  const store = new DynamoDBStore(client, opened.graph.table);
  const streams = createStreamsClient({ endpoint });
  const studio = await startStudio({
    ...{ graph: opened.graph, store, client, streams },
    logger: keepingLogger().logger,
  });
  const close = async (): Promise<void> => {
    await studio.close();
    await opened.worker.stop();
    await opened.run;
    await outage.begin();
  };
  return { ...opened, studio, outage, close };
}

describe.skipIf(!HAS_BROWSER)('a studio whose table does not answer', () => {
  const at = visitsTo(openFragile);

  beforeAll(async () => {
    await at.opened.writer.putNode('GOAL-A', { title: 'Sow', status: 'OPEN' });
    await at.opened.worker.idle();
  });

  const live = () => at.seen.page.getByText('live', { exact: true });
  const connection = () => at.seen.page.getByRole('region', { name: 'Connection' });
  /** Requests that failed are lines of the console too. */
  const forgetTroubles = (): void => {
    const others = at.seen.troubles.splice(0).filter((line) => !line.includes('502'));
    expect(others).toEqual([]);
  };

  it('says of an open page that it is not live, and follows the node again by itself', async () => {
    const { page } = at.seen;
    await at.seen.goTo('/node?id=GOAL-A');
    await live().waitFor();
    await at.opened.outage.begin();
    await connection()
      .getByText(/No DynamoDB answers/)
      .waitFor();
    expect(await live().count()).toBe(0);
    expect(await page.getByRole('alert').count()).toBe(1);
    expect(await page.getByRole('region', { name: 'Attributes' }).innerText()).toContain('Sow');
    expect(await accessibilityProblems(page)).toEqual([]);
    await at.opened.writer.putNode('GOAL-A', { title: 'Reap', status: 'OPEN' });
    await at.opened.outage.end();
    // The page also asks by itself, which may take the button away before it is clicked.
    const retry = connection().getByRole('button', { name: 'Retry' });
    await retry.click({ timeout: 10_000 }).catch(async (error: unknown) => {
      if ((await retry.count()) > 0) throw error;
    });
    await connection().waitFor({ state: 'detached' });
    await live().waitFor();
    await expect.poll(() => page.getByRole('region', { name: 'Attributes' }).innerText()).toContain('Reap');
    forgetTroubles();
  });

  it('tells it once to who opens a page meanwhile, and shows the page once the table answers', async () => {
    const { page } = at.seen;
    await at.opened.outage.begin();
    for (const place of ['/', '/node?id=GOAL-A']) {
      await page.goto(new URL(place, page.url()).href);
      await connection()
        .getByText(/No DynamoDB answers/)
        .waitFor();
      // Two looks later each card has asked.
      await page.waitForTimeout(2 * LOOK_MS);
      expect(await page.getByText(/No DynamoDB answers|does not move/).count()).toBe(1);
    }
    await at.opened.outage.end();
    await connection().waitFor({ state: 'detached' });
    await live().waitFor();
    await page.getByRole('region', { name: 'Attributes' }).getByText('Reap').waitFor();
    await page.getByRole('link', { name: 'Overview' }).click();
    await page.getByRole('region', { name: 'Verified' }).getByText('verified through').waitFor();
    forgetTroubles();
  });
});
