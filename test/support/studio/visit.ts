import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser, BrowserContextOptions, Page, Request } from 'playwright-core';
import { installedTestPackage } from '../test-package.ts';

/** Checks a page's accessibility, from within it. */
const AXE = join(await installedTestPackage('browser'), 'node_modules/axe-core/axe.min.js');

/** A page of a studio that was opened by its first address, and what went wrong in it. */
export interface Visit {
  page: Page;
  /** Errors of the page, lines of its console, dialogs that it opened; empty is right. */
  troubles: string[];
  /** Goes to a place, and waits until all of its answers are there. */
  goTo(place: string): Promise<void>;
  /** Waits until no answer is on its way. */
  settled(): Promise<void>;
  close(): Promise<void>;
}

/** As everywhere: a time limit is there for what hangs, not for what is slow on a busy machine. */
const TIMEOUT_MS = 120_000;
/** How long no answer may have been on its way. */
const QUIET_MS = 500;

/** What the page asks for again and again. */
const FOLLOWED = new Set(['/api/status', '/api/connection', '/api/trace', '/api/writes']);

/**
 * Waits until no answer has been on its way for a moment. What the page follows does not count: on a busy machine one question follows
 * the other. A first answer of that kind is waited for by what the page shows.
 */
function quiet(page: Page): () => Promise<void> {
  const onTheirWay = new Set<Request>();
  /** A live part of a page asks its question again and again: only the first answer counts. */
  const asked = new Set<string>();
  let changedAtMs = performance.now();
  const note = (request: Request, change: () => void): void => {
    if (FOLLOWED.has(new URL(request.url()).pathname)) return;
    change();
    changedAtMs = performance.now();
  };
  page.on('request', (request) => {
    // The answers to a page that was left do not come.
    if (request.isNavigationRequest()) {
      onTheirWay.clear();
      asked.clear();
    }
    if (request.method() === 'GET' && asked.has(request.url())) return;
    asked.add(request.url());
    note(request, () => onTheirWay.add(request));
  });
  const hasEnded = (request: Request): void => {
    if (onTheirWay.has(request)) note(request, () => onTheirWay.delete(request));
  };
  page.on('requestfinished', hasEnded);
  page.on('requestfailed', hasEnded);
  return async () => {
    const untilMs = performance.now() + TIMEOUT_MS;
    while (onTheirWay.size > 0 || performance.now() - changedAtMs < QUIET_MS) {
      if (performance.now() > untilMs) {
        throw new Error(`no answer to ${[...onTheirWay].map((request) => request.url()).join(', ')}`);
      }
      await sleep(50);
    }
  };
}

/** Opens a studio in a browser of its own settings. */
export async function visit(browser: Browser, url: string, options: BrowserContextOptions = {}): Promise<Visit> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  context.setDefaultTimeout(TIMEOUT_MS);
  const page = await context.newPage();
  const untilQuiet = quiet(page);
  const troubles: string[] = [];
  page.on('pageerror', ({ message }) => troubles.push(message));
  page.on('console', (line) => {
    if (line.type() === 'error' || line.type() === 'warning') troubles.push(line.text());
  });
  page.on('dialog', async (dialog) => {
    troubles.push(`a dialog: ${dialog.message()}`);
    await dialog.dismiss();
  });
  const settled = async (): Promise<void> => {
    await untilQuiet();
    // Not by code in the page: its policy forbids that.
    await page.locator('.quiet', { hasText: 'Reading …' }).first().waitFor({ state: 'detached' });
  };
  await page.goto(url);
  await settled();
  return {
    page,
    troubles,
    settled,
    goTo: async (place) => {
      await page.goto(new URL(place, url).href);
      await settled();
    },
    close: () => context.close(),
  };
}

/** Brings each animation that ends to its end: a text that fades in has too little contrast until then. */
const END_ANIMATIONS = `for (const animation of document.getAnimations()) {
  if (animation.effect.getComputedTiming().endTime !== Infinity) animation.finish();
}`;

/** What axe finds wrong with a page, a line each. */
export async function accessibilityProblems(page: Page): Promise<string[]> {
  await page.evaluate(END_ANIMATIONS);
  // The policy of the page forbids scripts that are added to it; the debugger may.
  await page.evaluate(await readFile(AXE, 'utf8'));
  const { violations } = (await page.evaluate('axe.run()')) as {
    violations: { id: string; help: string; nodes: { html: string; failureSummary?: string }[] }[];
  };
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${help}: ${html.slice(0, 200)} ${failureSummary ?? ''}`),
  );
}

/** Whether a page is wider than its window, so that one would have to scroll sideways. */
export function isTooWide(page: Page): Promise<boolean> {
  return page.evaluate<boolean>('document.documentElement.scrollWidth > document.documentElement.clientWidth');
}
