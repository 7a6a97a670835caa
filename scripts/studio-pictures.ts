/**
 * Makes the pictures of docs/how-to/studio.md, light and dark, from the demo's data with planted problems. `-- change`
 * makes only those of an edge of the demo's goals and its lists. `-- ripple` makes README's first picture.
 */
import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import type { startLocal } from '../packages/local/local.ts';
import { FIRST_EDGE, writeCompany } from '../packages/workbench/demo/company.ts';
import { loadDemoData } from '../packages/workbench/demo/data.ts';
import { airportId } from '../packages/workbench/demo/expected.ts';
import { airports, airportsAndGoals } from '../packages/workbench/demo/model.ts';
import { createWriter } from '../src/client/write/writer.ts';
import type { CompiledModel } from '../src/core/model/compiled.ts';
import { startBrowser } from '../test/support/studio/browser.ts';
import { type Visit, visit } from '../test/support/studio/visit.ts';
import { makeRipple, startTapped } from './ripple-picture.ts';

const FOLDER = fileURLToPath(new URL('../docs/img/', import.meta.url));
const VIEWPORT = { width: 1080, height: 690 };
const PHONE = { width: 390, height: 780 };
const WATCHED_SECONDS = 15;
const THEMES = ['light', 'dark'] as const;
const BROKEN = 'AIRPORT-SFO';

type Local = Awaited<ReturnType<typeof startLocal>>;

async function fill({ store, worker }: Local): Promise<void> {
  const writer = createWriter(airports, { store });
  const data = await loadDemoData();
  await writer.putMany([
    ...data.airports.map(({ iata, ...attributes }) => ({ id: airportId(iata), attributes })),
    ...data.routes.map(({ origin, destination, count }) => ({
      ...{ source: airportId(origin), type: 'ROUTE' as const, target: airportId(destination), attributes: { count } },
    })),
  ]);
  await worker.idle();
  await store.put({ source: { S: 'AIRPORT-XXX' }, target: { S: 'ROUTE-AIRPORT-SFO' }, count: { S: 'many' } });
  const { item } = await store.get({ source: BROKEN, target: '~ix/name' }, { consistent: true });
  await store.put({ ...item!, gsi0sk: { S: `san fransisco international\u0000${BROKEN}` } });
}

async function write({ store }: Local, isOver: () => boolean): Promise<void> {
  const writer = createWriter(airports, { store });
  for (let i = 0; !isOver(); i++) {
    const wave = Math.round(60 + 50 * Math.sin(i / 3));
    await writer.putMany(
      Array.from({ length: wave }, (_, n) => ({
        ...{ source: 'AIRPORT-ATL', type: 'ROUTE' as const, target: `AIRPORT-T${n}`, attributes: { count: i } },
      })),
    );
    await new Promise((resolve) => setTimeout(resolve, 1_000));
  }
}

async function picture(page: Page, name: string, fullPage = false): Promise<void> {
  await page.screenshot({ path: `${FOLDER}studio-${name}.png`, fullPage });
}

async function withStudio(
  graph: CompiledModel,
  take: (local: Local, visits: readonly Visit[]) => Promise<void>,
): Promise<void> {
  const { local, url, stop } = await startTapped(graph);
  const running = await startBrowser();
  try {
    const visits = await Promise.all(
      THEMES.map((colorScheme) => visit(running.browser, url, { viewport: VIEWPORT, colorScheme })),
    );
    await take(local, visits);
  } finally {
    await running.close();
    await stop();
  }
}

async function takePlaces(local: Local, visits: readonly Visit[]): Promise<void> {
  await fill(local);
  let isOver = false;
  const writing = write(local, () => isOver);
  await new Promise((resolve) => setTimeout(resolve, WATCHED_SECONDS * 1_000));
  for (const [i, { page }] of visits.entries()) {
    await picture(page, `overview-${THEMES[i]}`, true);
    await page.setViewportSize(PHONE);
    await picture(page, `phone-${THEMES[i]}`);
    await page.setViewportSize(VIEWPORT);
  }
  isOver = true;
  await writing;
  await local.worker.idle();
  // A consumer saves its position every ten seconds. Until then, a difference may be lag.
  await new Promise((resolve) => setTimeout(resolve, 12_000));
  for (const [i, { page, goTo }] of visits.entries()) {
    const theme = THEMES[i];
    await goTo('/query?type=ROUTE&id=AIRPORT-JFK&from=4000&reverse=true&limit=8');
    await page.getByText('Why here?').first().click();
    await page.setViewportSize({ ...VIEWPORT, height: 960 });
    await picture(page, `query-${theme}`);
    await page.setViewportSize(VIEWPORT);
    await goTo(`/node?id=${BROKEN}&target=${BROKEN}`);
    await page.setViewportSize({ ...VIEWPORT, height: 960 });
    await page.getByText('Reading …').waitFor({ state: 'detached' });
    await picture(page, `items-${theme}`);
    await page.setViewportSize(VIEWPORT);
    await goTo('/trust');
    // The studio keeps the check for the second theme.
    if (i === 0) await page.getByRole('button', { name: 'Check', exact: true }).click();
    await page.getByText('done').waitFor({ timeout: 300_000 });
    await picture(page, `trust-${theme}`);
  }
}

async function takeChange({ store, worker }: Local, visits: readonly Visit[]): Promise<void> {
  await writeCompany(createWriter(airportsAndGoals, { store }));
  await worker.idle();
  for (const [i, { page, goTo }] of visits.entries()) {
    await page.setViewportSize({ width: 1440, height: 900 });
    await goTo(`/trace?${new URLSearchParams(FIRST_EDGE)}`);
    await page.getByRole('button', { name: i === 0 ? 'LEAD' : 'HELPER', exact: true }).click();
    await page.locator('.bill').waitFor();
    // Wait for the rows' animation.
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    await picture(page, `change-${THEMES[i]}`);
  }
}

mkdirSync(FOLDER, { recursive: true });
const [only] = process.argv.slice(2);
if (only === undefined || only === 'ripple') await makeRipple(FOLDER);
if (only === undefined) await withStudio(airports, takePlaces);
if (only === undefined || only === 'change') await withStudio(airportsAndGoals, takeChange);
