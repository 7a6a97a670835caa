import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import { type RunningBrowser, startBrowser } from './browser.ts';
import { type Visit, visit } from './visit.ts';

/** A studio that a test has opened. */
interface OpenedStudio {
  studio: { url: string };
  close(): Promise<void>;
}

/** The browser and the studio of all tests of a block, and the visit of the test that runs. */
interface Visits<Opened> {
  running: RunningBrowser;
  opened: Opened;
  seen: Visit;
}

/** Hooks of a block of tests: a browser and a studio for all of them, and a visit for each, in which nothing may go wrong. */
export function visitsTo<Opened extends OpenedStudio>(open: () => Promise<Opened>): Visits<Opened> {
  const at = {} as Visits<Opened>;
  beforeAll(async () => {
    [at.running, at.opened] = await Promise.all([startBrowser(), open()]);
  });
  afterAll(async () => {
    await at.running?.close();
    await at.opened?.close();
  });
  beforeEach(async () => {
    at.seen = await visit(at.running.browser, at.opened.studio.url);
  });
  afterEach(async () => {
    expect(at.seen.troubles).toEqual([]);
    await at.seen.close();
  });
  return at;
}
