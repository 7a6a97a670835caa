import { beforeAll, describe, expect, it } from 'vitest';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import { edge, node, part } from '../../src/core/model/schema.ts';
import { HAS_BROWSER } from '../support/studio/browser.ts';
import { openStudioOf } from '../support/studio/table.ts';
import { accessibilityProblems } from '../support/studio/visit.ts';
import { visitsTo } from '../support/studio/visits.ts';
import { uniqueTableName } from '../support/table.ts';

/** Nodes with a part, edges with an order, and edges without one. */
function partedGraph() {
  return defineGraph({
    table: uniqueTableName(),
    nodes: { PAGE: node({ view: ['title'], parts: { META: part({ view: ['lang'] }) } }), TAG: node({ view: 'ALL' }) },
    edges: {
      HAS: edge({ from: 'PAGE', to: 'TAG' }),
      TOP: edge({ from: 'PAGE', to: 'TAG', inbound: { orders: { gsi0: 'at' } } }),
    },
  });
}

describe.skipIf(!HAS_BROWSER)('items of a node', () => {
  const at = visitsTo(() => openStudioOf(partedGraph(), { isWritable: true }));

  beforeAll(async () => {
    const { writer, worker } = at.opened;
    await writer.putNode('PAGE-1', { title: 'One' });
    await writer.putPart('PAGE-1', 'META', { lang: 'en' });
    await writer.putEdge('PAGE-1', 'HAS', 'TAG-1');
    await writer.putEdge('PAGE-1', 'TOP', 'TAG-1', { at: '1' });
    await worker.idle();
  });

  it('has its part edited', async () => {
    const { page } = at.seen;
    await at.seen.goTo('/explore?id=PAGE-1&target=META');
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByLabel('Attributes as JSON').fill('{"lang": "de"}');
    await page.getByRole('button', { name: 'Save' }).click();
    const item = async () =>
      (await at.opened.store.get({ source: 'PAGE-1', target: 'META' }, { consistent: true })).item?.['lang'];
    await expect.poll(item).toEqual({ S: 'de' });
  });

  it('says before a deletion what stays', async () => {
    const { page } = at.seen;
    await at.seen.goTo('/explore?id=PAGE-1&target=PAGE-1');
    await page.getByRole('button', { name: 'Edit' }).click();
    expect(await page.getByText('The node alone is deleted.').count()).toBe(0);
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    const left = page.getByText('The node alone is deleted.');
    await left.waitFor();
    expect(await left.innerText()).toContain('2 edges that leave it and 1 part stay');
    expect(await accessibilityProblems(page)).toEqual([]);
  });

  it('names the edges that enter a node and are in no list', async () => {
    await at.seen.goTo('/explore?id=TAG-1&part=inbound');
    expect(await at.seen.page.locator('main').innerText()).toMatch(/Edges without an order .*: HAS\./);
  });
});
