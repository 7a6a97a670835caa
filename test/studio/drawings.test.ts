import { readFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import { date, edge, node } from '../../src/core/model/schema.ts';
import { expectWithin } from '../support/bound.ts';
import { HAS_BROWSER } from '../support/studio/browser.ts';
import { openStudioOf } from '../support/studio/table.ts';
import { accessibilityProblems, isTooWide, visit } from '../support/studio/visit.ts';
import { visitsTo } from '../support/studio/visits.ts';
import { uniqueTableName } from '../support/table.ts';

/** A model that fills a page: six node types and six edge types, in a chain, in a circle, and with a long name. */
function largeGraph() {
  const inbound = { orders: { gsi0: 'createdAt' } };
  return defineGraph({
    table: uniqueTableName(),
    nodes: {
      GOAL: node({ view: 'ALL', search: { status: {}, due: { type: 'date' } } }),
      USER: node({
        view: 'ALL',
        search: { name: { caseInsensitive: true }, place: { partition: 'country', path: ['state', 'city'] } },
      }),
      TEAM: node({ view: 'ALL', search: { name: { caseInsensitive: true } } }),
      PROJECT: node({ view: 'ALL' }),
      COMMENT: node({ view: 'ALL' }),
      ORGANISATION_WITH_A_LONG_NAME: node({ view: 'ALL', search: { registrationNumberOfTheOrganization: {} } }),
    },
    edges: {
      MEMBER: edge({ from: 'GOAL', to: 'USER', inbound: { orders: { gsi0: 'role', gsi1: date('since') } } }),
      FRIEND: edge({ from: 'USER', to: 'USER', inbound }),
      BELONGS: edge({ from: 'USER', to: 'TEAM', inbound }),
      PART: edge({ from: 'TEAM', to: 'ORGANISATION_WITH_A_LONG_NAME', inbound }),
      AIMS: edge({ from: 'PROJECT', to: 'GOAL', inbound }),
      ABOUT: edge({ from: 'COMMENT', to: ['GOAL', 'PROJECT', 'USER'], inbound }),
    },
  });
}

/** The rectangle of an element in the window, in pixels. */
interface Rectangle {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/** The boxes of a drawn model: where each is, where its texts are, and how large a letter is. */
interface Drawn {
  plot: Rectangle;
  boxes: { title: string; at: Rectangle; texts: Rectangle[] }[];
  letterPixels: number;
  arrows: number;
}

const DRAWN = `(() => {
  const at = (element) => { const { left, top, right, bottom } = element.getBoundingClientRect(); return { left, top, right, bottom }; };
  const plot = document.querySelector('.plot');
  const boxes = [...plot.querySelectorAll('.box')].map((box) => ({
    title: box.querySelector('.title').textContent.split(' ')[0],
    at: at(box),
    texts: [...box.querySelectorAll('a')].map((link) => {
      const range = document.createRange();
      range.selectNodeContents(link);
      return at(range);
    }),
  }));
  const letterPixels = parseFloat(getComputedStyle(plot.querySelector('.box')).fontSize);
  return { plot: at(plot), boxes, letterPixels, arrows: plot.querySelectorAll('[marker-end]').length };
})()`;

function isInside(inner: Rectangle, outer: Rectangle): boolean {
  const half = 0.5;
  return (
    inner.left >= outer.left - half &&
    inner.right <= outer.right + half &&
    inner.top >= outer.top - half &&
    inner.bottom <= outer.bottom + half
  );
}

function overlap(one: Rectangle, other: Rectangle): boolean {
  return one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;
}

describe('the bundle of the page', () => {
  it('takes at most 600 KB in all, and 170 KB compressed, and names the license of each package in it', async () => {
    const page = new URL('../../dist/studio/page/', import.meta.url);
    const files = ['page.html', 'page.js', 'page.css', 'LICENSES.txt'];
    const contents = await Promise.all(files.map((name) => readFile(new URL(name, page))));
    const sum = (sizes: number[]): number => sizes.reduce((all, size) => all + size, 0);
    const bytes = sum(contents.map(({ length }) => length));
    const compressed = sum(contents.map((content) => gzipSync(content).length));
    console.log(`the page: ${bytes} bytes, compressed ${compressed}`);
    expectWithin('bytes of the page', bytes, 600_000);
    expectWithin('bytes of the page, compressed', compressed, 170_000);
    const licenses = await readFile(new URL('LICENSES.txt', page), 'utf8');
    for (const name of ['preact', '@dagrejs/dagre', 'lossless-json']) expect(licenses).toContain(`${name} `);
  });
});

describe.skipIf(!HAS_BROWSER)('the drawing of a model of six node types and six edge types', () => {
  const at = visitsTo(() => openStudioOf(largeGraph()));

  it.each([768, 1280, 3840])('has each text in its box and no box on another, at %i px', async (width) => {
    const { page } = at.seen;
    await page.setViewportSize({ width, height: 900 });
    await at.seen.goTo('/');
    await expect.poll(() => page.locator('.plot .box').count()).toBe(12);
    const { boxes, letterPixels, arrows } = await page.evaluate<Drawn>(DRAWN);
    for (const { title, at, texts } of boxes) {
      for (const text of texts) expect(isInside(text, at), `a text of ${title} is in its box`).toBe(true);
      for (const other of boxes) {
        if (other.title !== title) expect(overlap(at, other.at), `${title} lies on ${other.title}`).toBe(false);
      }
    }
    expect(boxes.map(({ title }) => title)).toContain('ORGANISATION_WITH_A_LONG_NAME');
    expect(arrows).toBe(8);
    expect(letterPixels).toBeGreaterThanOrEqual(12);
    // In layers: an edge type lies between the node types that it connects, to the right of the one or below it.
    const place = (name: string): Rectangle => boxes.find(({ title }) => title === name)!.at;
    const chain = ['COMMENT', 'ABOUT', 'PROJECT', 'AIMS', 'GOAL', 'MEMBER', 'USER', 'BELONGS', 'TEAM', 'PART'];
    const isInLayers = (along: 'left' | 'top'): boolean => {
      const layers = chain.map((name) => place(name)[along]);
      return layers.every((layer, i) => i === 0 || layer > layers[i - 1]!);
    };
    expect(isInLayers('left') || isInLayers('top')).toBe(true);
    expect(await isTooWide(page)).toBe(false);
  });

  it('shows what a type has that is picked', async () => {
    const { page } = at.seen;
    await expect.poll(() => page.locator('.plot .title span').allInnerTexts()).not.toContain('');
    const drawing = page.getByRole('group', { name: /The model as a graph/ });
    await drawing.getByRole('link', { name: /^ABOUT/ }).focus();
    await page.keyboard.press('Enter');
    const picked = page.getByRole('region', { name: 'Picked: ABOUT' });
    await picked.waitFor();
    expect(await picked.innerText()).toContain('What if …');
    expect(await page.locator('.plot [aria-current]').innerText()).toContain('ABOUT');
    await drawing.getByRole('link', { name: /^USER/ }).click();
    await page.getByRole('region', { name: 'Picked: USER' }).waitFor();
    await page.getByRole('link', { name: 'Close' }).click();
    expect(await page.locator('.plot [aria-current]').count()).toBe(0);
  });
});

/** A model of twelve node types and forty edge types, of which some have several ends. */
function crowdedGraph() {
  const names = 'ACCOUNT BRANCH CUSTOMER DEVICE EVENT FOLDER GROUP INVOICE JOB LEDGER MACHINE NOTE'.split(' ');
  const edges = Array.from({ length: 40 }, (_, i) => {
    const from = names[i % 12]!;
    const to = names[(i * 5 + 1 + Math.floor(i / 12)) % 12]!;
    const targets = i % 9 === 0 ? [to, names[(i + 7) % 12]!] : [to];
    return [`LINK_${i}`, edge({ from, to: [...new Set(targets)], inbound: { orders: { gsi0: 'createdAt' } } })];
  });
  return defineGraph({
    table: uniqueTableName(),
    nodes: Object.fromEntries(
      names.map((name) => [name, node({ view: 'ALL', search: { name: { caseInsensitive: true } } })]),
    ),
    edges: Object.fromEntries(edges),
  });
}

describe.skipIf(!HAS_BROWSER)('the drawing of a model of twelve node types and forty edge types', () => {
  const at = visitsTo(() => openStudioOf(crowdedGraph()));

  beforeAll(async () => {
    await at.opened.store.put({ source: { S: 'ACCOUNT-BAD' }, target: { S: 'ACCOUNT-BAD' }, name: { N: '7' } });
    await at.opened.worker.idle();
  });

  it('can be read, and scrolls to a box that has the focus', async () => {
    const { page } = at.seen;
    await expect.poll(() => page.locator('.plot .box').count()).toBe(52);
    const { plot, boxes, letterPixels } = await page.evaluate<Drawn>(DRAWN);
    expect(letterPixels).toBeGreaterThanOrEqual(12);
    for (const [i, { title, at }] of boxes.entries()) {
      for (const other of boxes.slice(i + 1))
        expect(overlap(at, other.at), `${title} lies on ${other.title}`).toBe(false);
    }
    const hidden = boxes.find(({ at }) => !overlap(at, plot))!.title;
    await page
      .getByRole('group', { name: /The model as a graph/ })
      .getByRole('link', { name: new RegExp(`^${hidden}\\b`) })
      .first()
      .focus();
    const isInSight = async (): Promise<boolean> => {
      const now = await page.evaluate<Drawn>(DRAWN);
      return overlap(now.boxes.find(({ title }) => title === hidden)!.at, now.plot);
    };
    await expect.poll(isInSight).toBe(true);
    expect(await isTooWide(page)).toBe(false);
    expect(await accessibilityProblems(page)).toEqual([]);
  });

  it('in a narrow window has a low header, and what needs a person first', async () => {
    const { page, troubles, close } = await visit(at.running.browser, at.opened.studio.url, {
      viewport: { width: 390, height: 844 },
      hasTouch: true,
      isMobile: true,
    });
    const heightOf = async (selector: string): Promise<number> => (await page.locator(selector).boundingBox())!.height;
    const topOf = async (name: string): Promise<number> => {
      return (await page.getByRole('region', { name, exact: true }).boundingBox())!.y;
    };
    expect(await heightOf('header')).toBeLessThanOrEqual(110);
    // A record is in quarantine.
    await page.getByRole('heading', { name: 'Needs attention' }).waitFor();
    expect(await topOf('Needs attention')).toBeLessThan(await topOf('Model'));
    expect(await topOf('Needs attention')).toBeLessThan(180);
    await page
      .getByRole('group', { name: /The model as a graph/ })
      .getByRole('link', { name: 'NOTE' })
      .click();
    await page.getByRole('region', { name: 'Picked: NOTE' }).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.getByRole('link', { name: 'Trust', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Trust' }).waitFor();
    expect(await heightOf('header')).toBeLessThanOrEqual(110);
    expect(await isTooWide(page)).toBe(false);
    expect(troubles).toEqual([]);
    await close();
  });
});
