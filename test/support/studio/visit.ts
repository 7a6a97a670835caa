import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

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

/** Opens a studio in a browser of its own settings. */
export async function visit(browser: Browser, url: string, options: BrowserContextOptions = {}): Promise<Visit> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  // As everywhere: a time limit is there for what hangs, not for what is slow on a busy machine.
  context.setDefaultTimeout(120_000);
  const page = await context.newPage();
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
    await page.waitForLoadState('networkidle');
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

/** What axe finds wrong with a page, a line each. */
export async function accessibilityProblems(page: Page): Promise<string[]> {
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
