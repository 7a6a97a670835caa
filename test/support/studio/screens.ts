import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { accessibilityProblems, isTooWide } from './visit.ts';

/** Pixels of a small phone, a phone, a tablet and a 4K screen. */
const WIDTHS = [320, 390, 768, 3840] as const;

/** Expects that axe finds nothing in a page, in light and in dark. */
export async function expectAccessible(page: Page): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    expect(await accessibilityProblems(page)).toEqual([]);
  }
}

/** Expects that a page is no wider than each screen. */
export async function expectToFitScreens(page: Page): Promise<void> {
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 });
    await expect.poll(() => isTooWide(page), { message: `${width} px` }).toBe(false);
  }
}
