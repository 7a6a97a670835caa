import { readFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import { edge, node } from '../../src/core/model/schema.ts';
import { startStudio } from '../../src/studio/server/studio.ts';
import { HAS_BROWSER, type RunningBrowser, startBrowser } from '../support/studio/browser.ts';
import { keepingLogger } from '../support/studio/table.ts';
import { cutTexts, isTooWide, visit } from '../support/studio/visit.ts';
import { testTable, uniqueTableName } from '../support/table.ts';

/** A model that fills a page: six node types and six edge types, in a chain, in a circle, and with a long name. */
function largeGraph() {
  const inbound = { gsi0: 'createdAt' };
  return defineGraph({
    table: uniqueTableName(),
    nodes: {
      GOAL: node({ search: { status: {}, due: { type: 'date' } } }),
      USER: node({ search: { name: { fold: true }, place: { partition: 'country', path: ['state', 'city'] } } }),
      TEAM: node({ search: { name: { fold: true } } }),
      PROJECT: node({}),
      COMMENT: node({}),
      ORGANISATION_WITH_A_LONG_NAME: node({ search: { registrationNumberOfTheOrganisation: {} } }),
    },
    edges: {
      MEMBER: edge({ from: 'GOAL', to: 'USER', inbound: { gsi0: 'role', gsi1: { from: 'since', type: 'date' } } }),
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
    title: box.querySelector('text title').textContent,
    at: at(box.querySelector('rect')),
    texts: [...box.querySelectorAll('text')].map(at),
  }));
  const letterPixels = plot.querySelector('.box text').getBoundingClientRect().height;
  return { plot: at(plot), boxes, letterPixels, arrows: plot.querySelectorAll('polygon').length };
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
  it('takes at most 60 KB compressed, and names the licence of each package in it', async () => {
    const page = new URL('../../dist/studio/page/', import.meta.url);
    const bytes = gzipSync(await readFile(new URL('page.js', page))).length;
    console.log(`page.js, compressed: ${bytes} bytes`);
    expect(bytes).toBeLessThanOrEqual(60_000);
    const licences = await readFile(new URL('LICENSES.txt', page), 'utf8');
    for (const name of ['preact', 'd3-scale', '@dagrejs/dagre', 'lossless-json'])
      expect(licences).toContain(`${name} `);
  });
});

describe.skipIf(!HAS_BROWSER)('the drawing of a model of six node types and six edge types', () => {
  let running: RunningBrowser;
  let studio: Awaited<ReturnType<typeof startStudio>>;

  beforeAll(async () => {
    const { graph, store, client, streams } = await testTable(largeGraph());
    running = await startBrowser();
    studio = await startStudio({ graph, store, client, streams, logger: keepingLogger().logger });
  });

  afterAll(async () => {
    await running?.close();
    await studio?.close();
  });

  it.each([320, 768, 1280, 3840])(
    'has each text in its box, no box on another, and all of them in the page, at %i px',
    async (width) => {
      const { page, troubles, close } = await visit(running.browser, studio.url, { viewport: { width, height: 900 } });
      await expect.poll(() => page.locator('.plot .box').count()).toBe(12);
      const { plot, boxes, letterPixels, arrows } = await page.evaluate<Drawn>(DRAWN);
      for (const { title, at, texts } of boxes) {
        expect(isInside(at, plot), `${title} is in the page`).toBe(true);
        for (const text of texts) expect(isInside(text, at), `a text of ${title} is in its box`).toBe(true);
        for (const other of boxes) {
          if (other.title !== title) expect(overlap(at, other.at), `${title} lies on ${other.title}`).toBe(false);
        }
      }
      expect(boxes.map(({ title }) => title)).toContain('ORGANISATION_WITH_A_LONG_NAME');
      expect(arrows).toBe(8);
      expect(letterPixels).toBeGreaterThanOrEqual(12);
      // In layers: an edge type lies between the node types that it connects.
      const place = (name: string): Rectangle => boxes.find(({ title }) => title === name)!.at;
      const along = width >= 1280 ? 'left' : 'top';
      const chain = ['COMMENT', 'ABOUT', 'PROJECT', 'AIMS', 'GOAL', 'MEMBER', 'USER', 'BELONGS', 'TEAM', 'PART'];
      const layers = chain.map((name) => place(name)[along]);
      expect(layers).toEqual([...layers].sort((one, other) => one - other));
      expect(await isTooWide(page)).toBe(false);
      expect(troubles).toEqual([]);
      await close();
    },
  );

  it('has no label of an axis cut', async () => {
    const { page, goTo, close } = await visit(running.browser, studio.url);
    await goTo('/shards?search=USER.name');
    const bands = page.locator('.plot').first().locator('.band');
    expect(await bands.count()).toBe(200);
    // One shard more or less to a label puts the last one elsewhere.
    for (const width of [320, 700, 1000, 1080, 1280, 3840]) {
      await page.setViewportSize({ width, height: 900 });
      const fits = `innerWidth === ${width} && document.querySelector('.plot').clientWidth ===
        document.querySelector('.plot svg').clientWidth`;
      await expect.poll(() => page.evaluate<boolean>(fits)).toBe(true);
      expect(await cutTexts(page), `${width} px`).toEqual([]);
    }
    await close();
  });
});
