import { beforeAll, describe, expect, it } from 'vitest';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import { edge, node } from '../../src/core/model/schema.ts';
import { HAS_BROWSER } from '../support/studio/browser.ts';
import { expectToFitScreens } from '../support/studio/screens.ts';
import { openStudioOf } from '../support/studio/table.ts';
import { accessibilityProblems } from '../support/studio/visit.ts';
import { visitsTo } from '../support/studio/visits.ts';
import { uniqueTableName } from '../support/table.ts';

const MANY = 1_000;
/** Bytes of an edge: a thousand such edges take more than the units of a look. */
const REMARK = 500;

/** A node that a thousand edges leave and another thousand enter, and one with more edges than its view and a look have room for. */
function hubGraph() {
  return defineGraph({
    table: uniqueTableName(),
    nodes: {
      HUB: node({ view: ['name'], viewBudgetBytes: 64_000 }),
      CLUB: node({ view: ['name'] }),
      LEAF: node({ view: 'ALL' }),
    },
    edges: {
      OWNS: edge({ from: 'HUB', to: 'LEAF' }),
      LISTS: edge({ from: 'CLUB', to: 'LEAF' }),
      SPREAD: edge({ from: 'LEAF', to: 'CLUB', edgeSet: false, inbound: { orders: { gsi0: 'at' }, shards: 50 } }),
      LIKES: edge({ from: 'LEAF', to: 'HUB', edgeSet: false, inbound: { orders: { gsi0: 'at' } } }),
    },
  });
}

describe.skipIf(!HAS_BROWSER)('a node with a thousand nodes around it', () => {
  const at = visitsTo(() => openStudioOf(hubGraph()));

  beforeAll(async () => {
    const { writer, worker } = at.opened;
    await writer.putNode('HUB-H', { name: 'Hub' });
    await writer.putMany(
      Array.from({ length: MANY }, (_, i) => [
        { source: 'HUB-H' as const, type: 'OWNS' as const, target: `LEAF-${i}` as const },
        { source: `LEAF-${i}` as const, type: 'LIKES' as const, target: 'HUB-H' as const, attributes: { at: `${i}` } },
      ]).flat(),
    );
    await writer.putNode('CLUB-C', { name: 'Club' });
    await writer.putMany(
      Array.from({ length: MANY }, (_, i) => ({
        source: 'CLUB-C' as const,
        type: 'LISTS' as const,
        target: `LEAF-${i}` as const,
        attributes: { remark: 'x'.repeat(REMARK) },
      })),
    );
    await worker.idle();
  });

  const unitsTaken = async (): Promise<number> =>
    Number(/([\d.]+) RCU/.exec(await at.seen.page.getByLabel('Capacity units used by this page').innerText())![1]);

  const rows = (label: string) => at.seen.page.getByRole('region', { name: label }).locator('tbody tr');

  it('has its lists with their numbers, page by page', async () => {
    const { page } = at.seen;
    await at.seen.goTo('/node?id=HUB-H');
    const lists = page.getByRole('navigation', { name: 'Lists of the node' });
    await lists.getByRole('link', { name: 'LIKES 1,000' }).click();
    await expect.poll(() => rows('Rows').count()).toBe(50);
    await page.goBack();
    await lists.getByRole('link', { name: 'OWNS 1,000' }).click();
    await expect.poll(() => rows('Edges').count()).toBe(50);
    await page.getByRole('link', { name: 'Next page' }).click();
    await page.getByRole('link', { name: 'First page' }).waitFor();
  });

  it('reads no edges that left a set, and counts them up to a price', async () => {
    const { page } = at.seen;
    const counting = page.waitForResponse(/api.lists/);
    await at.seen.goTo('/node?id=CLUB-C');
    await page.getByText('0 edges in the edge set; too many to keep there: LISTS.').waitFor();
    // The count ends at the bound of its units.
    const { units } = (await (await counting).json()) as { units: { rcu: number } };
    expect(units.rcu).toBeGreaterThan(15);
    expect(units.rcu).toBeLessThan(30);
  });

  it('asks before it reads a list over many shards', async () => {
    const { page } = at.seen;
    await at.seen.goTo('/query?type=SPREAD&id=CLUB-C');
    const ask = page.getByRole('button', { name: 'Read a page from 50 shards (at least 25 RCU)' });
    await ask.waitFor();
    // What the page of any node takes: the node, its view, and counts that end at the bound of their units.
    const before = await unitsTaken();
    expect(before).toBeLessThan(30);
    await ask.click();
    await ask.waitFor({ state: 'detached' });
    await at.seen.settled();
    expect(await unitsTaken()).toBeGreaterThanOrEqual(before + 25);
  });

  it('has nothing cut from 320 px to 4K, and axe finds nothing', async () => {
    const { page } = at.seen;
    await at.seen.goTo('/node?id=HUB-H');
    expect(await accessibilityProblems(page)).toEqual([]);
    await expectToFitScreens(page);
  });
});
