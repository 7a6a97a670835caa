import type { CDPSession, Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startStudio } from '../../packages/studio/server/studio.ts';
import { runDemo } from '../../packages/workbench/demo/demo.ts';
import { HAS_BROWSER, type RunningBrowser, startBrowser } from '../support/studio/browser.ts';
import { keepingLogger } from '../support/studio/table.ts';
import { type Visit, visit } from '../support/studio/visit.ts';

/** A studio over the table of the demo, and how to end both. */
async function openDemo(): Promise<{ url: string; close(): Promise<void> }> {
  let leave: () => void = () => undefined;
  const isLeft = new Promise<void>((resolve) => {
    leave = resolve;
  });
  let run: Promise<unknown> = Promise.resolve();
  const url = await new Promise<string>((resolve, reject) => {
    run = runDemo({
      say: () => undefined,
      onProgress: () => undefined,
      look: async (table) => {
        const studio = await startStudio({ ...table, isWritable: true, logger: keepingLogger().logger });
        resolve(studio.url);
        await isLeft;
        await studio.close();
      },
    });
    run.catch(reject);
  });
  return {
    url,
    close: async () => {
      leave();
      await run;
    },
  };
}

/** Hands that count: what somebody clicks, chooses and types. */
class Hands {
  clicks = 0;
  fields = 0;

  constructor(readonly page: Page) {}

  async click(what: Locator): Promise<void> {
    this.clicks += 1;
    await what.click();
  }

  /** Types into a field, or chooses one of a list. */
  async fill(field: Locator, text: string): Promise<void> {
    this.fields += 1;
    if ((await field.evaluate((element) => element.tagName)) === 'SELECT') await field.selectOption(text);
    else await field.fill(text);
  }

  async find(text: string): Promise<void> {
    const field = this.page.getByRole('searchbox', { name: 'Find' });
    await this.fill(field, text);
    await this.click(this.page.getByRole('list', { name: 'Found' }).getByRole('link').first());
  }

  place(name: string): Promise<void> {
    return this.click(this.page.getByRole('navigation', { name: 'Places' }).getByRole('link', { name }));
  }

  part(name: string): Promise<void> {
    return this.click(this.page.getByRole('navigation', { name: 'Parts of the node' }).getByRole('link', { name }));
  }

  link(name: string | RegExp): Promise<void> {
    return this.click(this.page.getByRole('link', { name, exact: typeof name === 'string' }).first());
  }

  button(name: string | RegExp): Promise<void> {
    return this.click(this.page.getByRole('button', { name, exact: typeof name === 'string' }).first());
  }
}

/** A task from the Overview on, and the most clicks and fields that it may take. */
interface Task {
  name: string;
  most: { clicks: number; fields: number };
  run(hands: Hands): Promise<void>;
}

const FIND_BY_NAME: Task = {
  name: 'find a goal by its name',
  most: { clicks: 1, fields: 1 },
  run: async (hands) => {
    await hands.find('Pass the');
    await hands.page.getByRole('heading', { level: 1, name: 'GOAL-audit' }).waitFor();
  },
};

const TASKS: Task[] = [
  FIND_BY_NAME,
  {
    name: 'why is it in this list',
    most: { clicks: 2, fields: 1 },
    run: async (hands) => {
      await hands.find('GOAL.status');
      await hands.click(hands.page.getByRole('row', { name: /Halve the/ }).getByText('Why here?'));
      await hands.page
        .locator('details[open] p', {
          hasText: /^GOAL-\w+ is [\w ]+, because status is \w+; the node GOAL-\w+ wrote it\.$/,
        })
        .waitFor();
    },
  },
  {
    name: 'trace a write',
    most: { clicks: 2, fields: 0 },
    run: async (hands) => {
      await hands.place('Trace');
      await hands.click(hands.page.getByRole('region', { name: 'Recent writes' }).getByRole('link').first());
      await hands.page.getByRole('list', { name: 'Path of the write' }).getByRole('listitem').nth(2).waitFor();
    },
  },
  {
    name: 'ask a list, and take its code',
    most: { clicks: 2, fields: 0 },
    run: async (hands) => {
      await hands.place('Query');
      await hands.link(/^ROUTE of AIRPORT-/);
      await hands.page.getByRole('region', { name: 'Rows' }).locator('tbody tr').nth(9).waitFor();
      await hands.page.getByText("reader.inbound('AIRPORT-").first().waitFor();
    },
  },
  {
    name: 'find drift, and repair it',
    most: { clicks: 2, fields: 0 },
    run: async (hands) => {
      await hands.place('Trust');
      const suspect = hands.page.getByRole('listitem').filter({ hasText: /^GOAL-audit ~ix/ });
      await hands.click(suspect.getByRole('button', { name: 'Repair this node' }));
      await suspect.waitFor({ state: 'detached' });
    },
  },
  {
    name: 'see a migration, and plan another',
    most: { clicks: 3, fields: 1 },
    run: async (hands) => {
      await hands.page.getByText('generation 2 is ready').first().waitFor();
      await hands.click(
        hands.page.getByRole('group', { name: /The model as a graph/ }).getByRole('link', { name: /^AIRPORT/ }),
      );
      await hands.click(hands.page.getByText('What if …'));
      await hands.fill(hands.page.getByRole('slider', { name: /^name: / }), '20');
      await hands.button(/Plan the migration/);
      await hands.page.getByRole('heading', { name: 'The migration' }).waitFor();
    },
  },
  {
    name: 'look for a shard with too many items',
    most: { clicks: 1, fields: 0 },
    run: async (hands) => {
      await hands.click(
        hands.page.getByRole('group', { name: /The model as a graph/ }).getByRole('link', { name: /^AIRPORT/ }),
      );
      const shards = hands.page.getByRole('region', { name: 'Shards of AIRPORT.state' });
      await shards.getByText(/Shard \d+ has the most items/).waitFor();
    },
  },
  {
    name: 'create a node',
    most: { clicks: 2, fields: 2 },
    run: async (hands) => {
      await hands.fill(hands.page.getByRole('searchbox', { name: 'Find' }), 'USER-grace');
      hands.clicks += 1;
      await hands.page.keyboard.press('Enter');
      await hands.fill(hands.page.getByLabel('Attributes as JSON'), '{"name": "Grace"}');
      await hands.button('Create USER-grace');
      await hands.page.getByRole('heading', { level: 1, name: 'Grace USER-grace' }).waitFor();
    },
  },
  {
    name: 'create an edge, and undo it',
    most: { clicks: 4, fields: 3 },
    run: async (hands) => {
      await hands.find('Pass the');
      await hands.button('Add edge');
      await hands.fill(hands.page.getByLabel('Target', { exact: true }), 'USER-eleven');
      await hands.fill(hands.page.getByLabel('Attributes as JSON'), '{"role": "LEAD"}');
      await hands.button('Create edge');
      await hands.page
        .getByRole('region', { name: 'Outgoing edges' })
        .getByRole('link', { name: 'USER-eleven' })
        .waitFor();
      await hands.button('Undo this write');
      await hands.page
        .getByRole('region', { name: 'Outgoing edges' })
        .getByRole('link', { name: 'USER-eleven' })
        .waitFor({ state: 'detached' });
    },
  },
  {
    name: 'change a goal, and undo it',
    most: { clicks: 4, fields: 2 },
    run: async (hands) => {
      await hands.find('Pass the');
      await hands.button('Edit');
      await hands.fill(hands.page.getByLabel('Attributes as JSON'), '{"title": "Pass no audit", "status": "OPEN"}');
      await hands.button('Save');
      await hands.button('Undo this write');
      await hands.page
        .getByText(/Pass no audit → Pass the audit/)
        .first()
        .waitFor();
    },
  },
  {
    name: 'compare two goals',
    most: { clicks: 3, fields: 2 },
    run: async (hands) => {
      await hands.find('Pass the');
      await hands.part('Compare');
      await hands.fill(hands.page.getByLabel('Compare with'), 'GOAL-speed');
      await hands.button('Compare');
      await hands.page.getByRole('region', { name: 'What differs' }).getByText('Halve').waitFor();
    },
  },
];

/** Places that the walk goes to, and how often it goes to one. */
const WALK = ['Query', 'Trace', 'Trust', 'Overview'] as const;
const NAVIGATIONS = 200;
/** After the walk the page may hold this many times what it held after its first round. */
const MOST_GROWTH = 1.3;

/** What the page holds once its garbage is gone. */
interface Held {
  heapBytes: number;
  nodes: number;
  listeners: number;
}

async function heldBy(session: CDPSession): Promise<Held> {
  for (let i = 0; i < 3; i++) await session.send('HeapProfiler.collectGarbage');
  const { metrics } = await session.send('Performance.getMetrics');
  const figureOf = (name: string): number => metrics.find((metric) => metric.name === name)!.value;
  return { heapBytes: figureOf('JSHeapUsedSize'), nodes: figureOf('Nodes'), listeners: figureOf('JSEventListeners') };
}

describe.skipIf(!HAS_BROWSER)('somebody at the studio of the demo', () => {
  let running: RunningBrowser;
  let demo: Awaited<ReturnType<typeof openDemo>>;
  let seen: Visit;
  const done: string[] = [];

  beforeAll(async () => {
    [running, demo] = await Promise.all([startBrowser(), openDemo()]);
  });

  afterAll(async () => {
    console.log(['task: clicks, fields, seconds', ...done].join('\n'));
    await running?.close();
    await demo?.close();
  });

  beforeEach(async () => {
    seen = await visit(running.browser, demo.url);
  });

  afterEach(async () => {
    expect(seen.troubles).toEqual([]);
    await seen.close();
  });

  it.each(TASKS)('can $name, in at most $most.clicks clicks and $most.fields fields', async ({ name, most, run }) => {
    const hands = new Hands(seen.page);
    const beganMs = performance.now();
    await run(hands);
    const { clicks, fields } = hands;
    done.push(`${name}: ${clicks}, ${fields}, ${((performance.now() - beganMs) / 1_000).toFixed(1)}`);
    expect(clicks).toBeLessThanOrEqual(most.clicks);
    expect(fields).toBeLessThanOrEqual(most.fields);
  });

  it(`goes to ${NAVIGATIONS} places without a page that grows`, async () => {
    const { page } = seen;
    const session = await page.context().newCDPSession(page);
    await session.send('Performance.enable');
    const links = page.getByRole('navigation', { name: 'Places' });
    const goTo = async (place: string): Promise<void> => {
      await links.getByRole('link', { name: place }).click();
      await page.getByRole('heading', { level: 1, name: place }).waitFor();
    };
    const walk = async (steps: number): Promise<void> => {
      for (let i = 0; i < steps; i++) await goTo(WALK[i % WALK.length]!);
      await seen.settled();
    };
    await walk(2 * WALK.length);
    const before = await heldBy(session);
    await walk(NAVIGATIONS);
    const after = await heldBy(session);
    console.log(`held after ${2 * WALK.length} and ${NAVIGATIONS} more places: ${JSON.stringify([before, after])}`);
    for (const figure of ['heapBytes', 'nodes', 'listeners'] as const) {
      expect(after[figure], figure).toBeLessThanOrEqual(before[figure] * MOST_GROWTH);
    }
  });
});
