import { beforeAll, describe, expect, it } from 'vitest';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import { edge, node, number } from '../../src/core/model/schema.ts';
import { HAS_BROWSER } from '../support/studio/browser.ts';
import { openStudioOf } from '../support/studio/table.ts';
import { accessibilityProblems, isTooWide } from '../support/studio/visit.ts';
import { visitsTo } from '../support/studio/visits.ts';
import { uniqueTableName } from '../support/table.ts';

/** A model with a list of nodes, searches, and a hub. */
function gridGraph() {
  return defineGraph({
    table: uniqueTableName(),
    nodes: {
      ORG: node({
        view: ['name'],
        list: true,
        search: { size: { type: 'number', shards: 2, project: ['size', 'town'] } },
      }),
      TICKET: node({ view: ['title'] }),
    },
    edges: {
      OF: edge({
        from: 'TICKET',
        to: 'ORG',
        edgeSet: ['hours'],
        inbound: { orders: { gsi0: 'at', byHours: number('hours') }, project: ['hours', 'kind'] },
      }),
    },
  });
}

const TICKETS = 120;
const at2 = (i: number): string => String(i).padStart(3, '0');

describe.skipIf(!HAS_BROWSER)('the grid of the studio', () => {
  const at = visitsTo(() => openStudioOf(gridGraph()));

  beforeAll(async () => {
    const { writer, worker } = at.opened;
    await writer.batch((batch) => {
      batch.putNode('ORG-1', { name: 'Acre', size: 1_234_567, town: 'Ham' });
      batch.putNode('ORG-2', { name: 'Bell', size: 12, town: 'Deal\tEast' });
      for (let i = 0; i < TICKETS; i++) {
        batch.putNode(`TICKET-${at2(i)}`, { title: `Ticket ${i}`, points: i });
        batch.putEdge(`TICKET-${at2(i)}`, 'OF', 'ORG-1', { at: at2(i), hours: TICKETS - i, kind: 'work' });
      }
    });
    await worker.idle();
  });

  const grid = (label: string) => at.seen.page.getByRole('region', { name: label });
  const rows = (label: string) => grid(label).locator('tbody tr');
  const headings = async (label: string): Promise<string[]> => await grid(label).locator('th').allInnerTexts();
  const link = (name: string) => at.seen.page.getByRole('link', { name, exact: true });

  it('lists the nodes of a type, and sorts by what the model sorts by', async () => {
    const { page } = at.seen;
    await at.seen.goTo('/query?nodes=ORG');
    await expect.poll(() => rows('Rows').count()).toBe(2);
    expect(await headings('Rows')).toEqual(['id', 'name']);
    await page.getByLabel('List or search').selectOption('ORG.size');
    await page.getByRole('button', { name: 'Run' }).click();
    await expect.poll(() => rows('Rows').first().innerText()).toContain('ORG-2');
    // A number keeps its digits, at the right; an attribute that is searched has one column.
    await expect.poll(() => headings('Rows')).toEqual(['id', 'size', 'town']);
    const cell = rows('Rows').last().locator('td.number');
    expect(await cell.innerText()).toBe('1234567');
    await page.getByLabel('descending').check();
    await page.getByRole('button', { name: 'Run' }).click();
    await expect.poll(() => rows('Rows').first().innerText()).toContain('ORG-1');
    await grid('Rows').getByRole('link', { name: 'Acre ORG-1', exact: true }).waitFor();
  });

  it('has the column that sorts first, goes on page by page, and names a filter that the reader pays for', async () => {
    const { page } = at.seen;
    const list = 'Rows';
    await at.seen.goTo('/query?type=OF&id=ORG-1');
    await expect.poll(() => rows(list).count()).toBe(50);
    await link('Ticket 0 TICKET-000').waitFor();
    expect(await headings(list)).toEqual(['source', 'at', 'hours', 'kind']);
    await link('Next page').click();
    await expect.poll(() => rows(list).first().innerText()).toContain('TICKET-050');
    await link('Next page').click();
    await expect.poll(() => rows(list).count()).toBe(TICKETS - 100);
    await link('First page').click();
    await expect.poll(() => rows(list).first().innerText()).toContain('TICKET-000');
    await at.seen.goTo('/query?id=ORG-1&type=OF&where=kind%3Dplay');
    await page.getByText('Rows removed by the filter still consume read capacity.').waitFor();
    await page.getByText('Nothing found.').waitFor();
  });

  it('says that edges which leave a node are in no order of the model, and pages through them', async () => {
    const { page } = at.seen;
    await at.seen.goTo('/node?id=TICKET-007');
    await page.getByText('Sorted by key.').waitFor();
    expect(await rows('Edges').first().innerText()).toMatch(/Acre ORG-1 Why here\?\s+OF\s+007/);
  });

  it('scrolls in a narrow window, and axe finds nothing', async () => {
    const { page } = at.seen;
    await at.seen.goTo('/query?type=OF&id=ORG-1');
    for (const [width, colorScheme] of [
      [390, 'light'],
      [1440, 'dark'],
    ] as const) {
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme });
      await expect.poll(() => isTooWide(page), { message: `${width} px` }).toBe(false);
      expect(await accessibilityProblems(page)).toEqual([]);
    }
  });
});
