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
    Number(/([\d.]+) RCU/.exec(await at.seen.page.locator('.units').innerText())![1]);

  const rows = (label: string) => at.seen.page.getByRole('region', { name: label }).locator('tbody tr');

  it('says how many there are of each type, and lists them all, a hundred more at a time', async () => {
    const { page } = at.seen;
    await at.seen.goTo('/explore?id=HUB-H&part=graph');
    const drawn = page.getByRole('group', { name: /HUB-H with 24 edges that leave it and 24 that enter it/ });
    // A leaf stands once in the drawing, on the right: it owns the edge that leads to it.
    expect(await drawn.locator('.rest title').allTextContents()).toEqual(['and 976 LIKES', 'and 976 OWNS']);
    expect(await rows('Neighbours').count()).toBe(48);
    const owns = page.locator('p', { hasText: 'OWNS to others: ' });
    expect(await owns.innerText()).toContain('24 of 1,000');
    await owns.getByRole('button', { name: 'Show 100 more' }).click();
    await page.getByText('OWNS to others: 124 of 1,000').waitFor();
    const likes = page.locator('p', { hasText: 'LIKES from others: ' });
    for (let listed = 124; listed < MANY; listed += 100) {
      await likes.getByRole('button', { name: 'Show 100 more' }).click();
      await page.getByText(`LIKES from others: ${listed} of 1,000`).waitFor();
    }
    await likes.getByRole('button', { name: 'Show 100 more' }).click();
    await likes.waitFor({ state: 'detached' });
    expect(await rows('Neighbours').count()).toBe(124 + MANY);
    await owns.getByRole('link', { name: 'Page by page' }).click();
    await expect.poll(() => rows('Edges').count()).toBe(50);
    const lists = page.getByRole('navigation', { name: 'Lists of the node' });
    expect(
      await lists
        .getByRole('link', { name: 'OWNS at least' })
        .or(lists.getByRole('link', { name: 'OWNS 1,000' }))
        .getAttribute('aria-current'),
    ).toBe('page');
    await page.getByRole('link', { name: 'Next page' }).click();
    await page.getByRole('link', { name: 'First page' }).waitFor();
  });

  it('goes from the drawing to the list of those that it leaves out', async () => {
    const { page } = at.seen;
    await at.seen.goTo('/explore?id=HUB-H&part=graph');
    await page.getByRole('link', { name: 'and 976 LIKES' }).click();
    await expect.poll(() => rows('Inbound edges').count()).toBe(50);
  });

  it('shows the beginning of a large edge set, and more of it', async () => {
    const { page } = at.seen;
    await at.seen.goTo('/explore?id=HUB-H');
    expect(await rows('Edge set').count()).toBe(50);
    await page.getByRole('button', { name: 'Show 100 more' }).click();
    await page.getByText('150 of 1,000').waitFor();
    expect(await rows('Edge set').count()).toBe(150);
  });

  it('reads no edges that left a set, and counts them on for a price', async () => {
    const { page } = at.seen;
    await at.seen.goTo('/explore?id=CLUB-C');
    const left = page.locator('p', { hasText: 'LISTS edges are too many for the set: at least' });
    await left.waitFor();
    expect(await page.getByText('The edge set has no other types.').count()).toBe(1);
    // The units that the place has taken: for the node, its view, and a count that ends at the bound of its units.
    expect(await unitsTaken()).toBeGreaterThan(15);
    expect(await unitsTaken()).toBeLessThan(30);
    await left.getByRole('button', { name: 'Count on: 200 RCU at most' }).click();
    await page.getByText('LISTS edges are too many for the set: 1,000').waitFor();
    await page.getByRole('link', { name: 'Page by page' }).click();
    await expect.poll(() => rows('Edges').count()).toBe(50);
  });

  it('asks before it reads a neighbourhood or a list over many shards', async () => {
    const { page } = at.seen;
    for (const [part, doing] of [
      ['graph', 'Read the first edges of 51 partitions: 25.5 RCU or more'],
      ['inbound', 'Read a page of 50 shards: 25 RCU or more'],
    ] as const) {
      await at.seen.goTo(`/explore?id=CLUB-C&part=${part}`);
      const ask = page.getByRole('button', { name: doing });
      await ask.waitFor();
      // What the page of any node takes: the node, its view, and counts that end at the bound of their units.
      const before = await unitsTaken();
      expect(before).toBeLessThan(30);
      await ask.click();
      await ask.waitFor({ state: 'detached' });
      await at.seen.settled();
      expect(await unitsTaken()).toBeGreaterThanOrEqual(before + 25);
    }
  });

  it('counts a neighbour that comes while one looks, and keeps what was listed', async () => {
    const { page } = at.seen;
    await at.seen.goTo('/explore?id=HUB-H&part=graph');
    await page.getByText('live', { exact: true }).waitFor();
    await page.locator('p', { hasText: 'OWNS to others: ' }).getByRole('button', { name: 'Show 100 more' }).click();
    await page.getByText('OWNS to others: 124 of 1,000').waitFor();
    await at.opened.writer.putEdge('HUB-H', 'OWNS', 'LEAF-NEW');
    await page.getByText('OWNS to others: 124 of 1,001').waitFor();
    await at.opened.writer.deleteEdge('HUB-H', 'OWNS', 'LEAF-NEW');
    await page.getByText('OWNS to others: 124 of 1,000').waitFor();
  });

  it('has nothing cut from 320 px to 4K, and axe finds nothing', async () => {
    const { page } = at.seen;
    await at.seen.goTo('/explore?id=HUB-H&part=graph');
    expect(await accessibilityProblems(page)).toEqual([]);
    await expectToFitScreens(page);
  });
});
