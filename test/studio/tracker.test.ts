import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tracker } from '../../examples/tracker/model.ts';
import { trackerOf } from '../../examples/tracker/tracker.ts';
import { Session } from '../../src/client/session/session.ts';
import { createClient } from '../../src/store/client.ts';
import { DynamoDBStore } from '../../src/store/dynamodb.ts';
import { type Child, runChild } from '../support/child.ts';
import { HAS_BROWSER, type RunningBrowser, startBrowser } from '../support/studio/browser.ts';

describe.skipIf(!HAS_BROWSER)('the board of the tracker in a browser', () => {
  let server: Child;
  let running: RunningBrowser;
  let board: string;
  let client: ReturnType<typeof createClient>;

  beforeAll(async () => {
    server = runChild('../../examples/tracker/run.ts', ['0']);
    board = (await server.nextLine()).replace('a board: ', '');
    client = createClient({ endpoint: (await server.nextLine()).replace('the table: ', '') });
    running = await startBrowser();
  });

  afterAll(async () => {
    await running?.close();
    client?.destroy();
    server?.process.kill('SIGINT');
    await server?.ended;
    expect(server?.process.exitCode).toBe(0);
  });

  it('shows tickets that another process writes, moves and finishes, without a reload', async () => {
    const page = await running.browser.newPage();
    const troubles: string[] = [];
    page.on('pageerror', ({ message }) => troubles.push(message));
    page.on('console', (line) => {
      if (line.type() === 'error') troubles.push(line.text());
    });
    let loads = 0;
    page.on('load', () => {
      loads += 1;
    });
    await page.goto(board);
    const state = page.getByRole('status');
    const rows = page.getByRole('list', { name: 'Tickets' }).getByRole('listitem');
    const shows = async (...texts: string[]): Promise<void> => {
      await expect.poll(() => rows.allInnerTexts()).toEqual(texts);
    };
    await expect.poll(() => state.innerText()).toBe('live');
    await shows();
    // This process writes into the table: the server does not hear of it but by the stream.
    const acme = trackerOf(new DynamoDBStore(client, tracker.table), 'acme', new Session());
    const slow = await acme.open('web', 'The page is slow');
    await shows('The page is slow');
    await acme.change(slow, { dueDate: '2026-03-01' });
    await shows('The page is slow 2026-03-01');
    // One without a date comes first.
    const ugly = await acme.open('web', 'It is ugly');
    await shows('It is ugly', 'The page is slow 2026-03-01');
    await acme.change(ugly, { dueDate: '2026-05-01' });
    await shows('The page is slow 2026-03-01', 'It is ugly 2026-05-01');
    await acme.change(slow, { dueDate: '2026-07-01', title: 'The page is <b>slow</b>' });
    await shows('It is ugly 2026-05-01', 'The page is <b>slow</b> 2026-07-01');
    await acme.change(ugly, { title: 'It was ugly' });
    await shows('It was ugly 2026-05-01', 'The page is <b>slow</b> 2026-07-01');
    await acme.toggle(ugly);
    await shows('The page is <b>slow</b> 2026-07-01');
    // Another organization sees none of it.
    const other = await running.browser.newContext({ extraHTTPHeaders: { 'x-organization': 'other' } });
    const strange = await other.newPage();
    await strange.goto(board);
    await expect.poll(() => strange.getByRole('status').innerText()).toBe('live');
    expect(await strange.getByRole('listitem').count()).toBe(0);
    expect([loads, troubles]).toEqual([1, []]);
  });
});
