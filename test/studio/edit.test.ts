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
    nodes: {
      PAGE: node({ view: ['title'], search: { due: { type: 'date' } }, parts: { META: part({ view: ['lang'] }) } }),
      TAG: node({ view: 'ALL', list: true }),
    },
    edges: {
      HAS: edge({ from: 'PAGE', to: 'TAG' }),
      ONCE: edge({ from: 'PAGE', to: 'TAG', inbound: { orders: { gsi0: 'at' } } }),
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
    await at.seen.goTo('/node?id=PAGE-1&target=META');
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByLabel('Attributes as JSON').fill('{"lang": "de", "big": 12345678901234567890.5}');
    await page.getByRole('button', { name: 'Save' }).click();
    const item = async () =>
      (await at.opened.store.get({ source: 'PAGE-1', target: 'META' }, { consistent: true })).item;
    await expect.poll(item).toMatchObject({ lang: { S: 'de' }, big: { N: '12345678901234567890.5' } });
    // The page shows each digit.
    await page.getByText('12345678901234567890.5').first().waitFor();
  });

  it('leads to the lists of a node, with the values that sort them', async () => {
    const { page } = at.seen;
    await at.seen.goTo('/node?id=TAG-1');
    const lists = page.getByRole('navigation', { name: 'Lists of the node' }).getByRole('link');
    expect(await lists.allInnerTexts()).toEqual(['ONCE 0', 'TOP 1']);
    await lists.last().click();
    const list = page.getByRole('region', { name: 'Rows' });
    await expect.poll(() => list.locator('th').allInnerTexts()).toEqual(['source', 'at']);
    await list.getByText('Why here?').click();
    await list.getByText('PAGE-1 is first, because at is 1; the edge from PAGE-1 to TAG-1 wrote it.').waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await list.getByRole('link', { name: 'PAGE-1 to TAG-1' }).click();
    await page.getByRole('region', { name: 'Explanation of TOP-TAG-1' }).waitFor();
  });

  it('leads from a derived item to all edges that it is made of', async () => {
    const { page } = at.seen;
    await at.seen.goTo('/node?id=PAGE-1&target=~view');
    await page.getByRole('link', { name: 'PAGE-1 HAS-…' }).click();
    await page
      .getByRole('region', { name: 'Outgoing HAS edges' })
      .getByRole('link', { name: 'TAG-1' })
      .first()
      .waitFor();
    expect(new URL(page.url()).searchParams.get('type')).toBe('HAS');
  });

  it('has a mark for what separates the parts of a key', async () => {
    const { page } = at.seen;
    await at.seen.goTo('/node?id=PAGE-1&target=~ix/TOP-TAG-1');
    const text = await page.getByRole('region', { name: '~ix/TOP-TAG-1', exact: true }).innerText();
    expect(text).toContain('1·PAGE-1');
    expect(text).not.toMatch(/[\0-\x08]/);
  });

  it('says on the page of a quarantined item why it is there, and redrives it', async () => {
    const { page } = at.seen;
    await at.opened.store.put({ source: { S: 'PAGE-BAD' }, target: { S: 'PAGE-BAD' }, due: { N: '7' } });
    await at.opened.worker.idle();
    await at.seen.goTo('/node?id=PAGE-BAD');
    const wrong = page.getByRole('region', { name: 'Problems' });
    expect(await wrong.innerText()).toMatch(/quarantined\s+PAGE-BAD\s+attribute due/);
    await wrong.getByRole('button', { name: 'Redrive' }).click();
    await wrong.getByText('1 entry, 0 repaired, 1 left').waitFor();
    await wrong.getByRole('link', { name: 'PAGE-BAD' }).click();
    const explained = page.getByRole('region', { name: 'Explanation of PAGE-BAD' });
    await explained.getByRole('button', { name: 'Redrive' }).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await at.opened.writer.putNode('PAGE-BAD', { due: '2026-01-01' });
    await at.opened.worker.idle();
    await at.seen.goTo('/node?id=PAGE-BAD');
    expect(await wrong.count()).toBe(0);
    await page.locator('.node-head').getByText('view up to date', { exact: true }).waitFor();
  });

  it('begins with a new node in the list of its type, which can be undone', async () => {
    const { page } = at.seen;
    await at.seen.goTo('/query?nodes=TAG');
    const id = page.getByLabel('Id of a new node');
    expect(await id.inputValue()).toBe('TAG-');
    await id.fill('TAG-9');
    await page.getByRole('button', { name: 'New node' }).click();
    await page.getByLabel('Attributes as JSON').fill('{"name": "Ninth"}');
    await page.getByRole('button', { name: 'Create TAG-9' }).click();
    await page.getByRole('heading', { level: 1, name: 'Ninth TAG-9' }).waitFor();
    await page.getByRole('region', { name: 'Saved' }).getByRole('button', { name: 'Undo this write' }).click();
    await page.locator('.node-head').getByText('absent').waitFor();
    await at.opened.worker.idle();
    expect(
      (await at.opened.store.get({ source: 'TAG-9', target: 'TAG-9' }, { consistent: true })).item,
    ).toBeUndefined();
  });

  it('keeps what others have changed while an edit was open', async () => {
    const { page } = at.seen;
    await at.opened.writer.putNode('TAG-8', { name: 'Eighth', size: 1 });
    await at.opened.worker.idle();
    await at.seen.goTo('/node?id=TAG-8');
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Edit' }).click();
    await at.opened.writer.updateNode('TAG-8', { set: { size: 2 } });
    const size = page.getByRole('region', { name: 'Attributes' }).locator('dd').last();
    await expect.poll(() => size.innerText()).toBe('2');
    await page.getByLabel('Attributes as JSON').fill('{"name": "Eight", "size": 1}');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { level: 1, name: 'Eight TAG-8' }).waitFor();
    const { item } = await at.opened.store.get({ source: 'TAG-8', target: 'TAG-8' }, { consistent: true });
    expect(item).toMatchObject({ name: { S: 'Eight' }, size: { N: '2' } });
  });
});
