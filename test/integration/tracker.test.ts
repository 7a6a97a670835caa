import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { tracker } from '../../examples/tracker/model.ts';
import { createTrackerServer } from '../../examples/tracker/server.ts';
import { withTableName } from '../../src/core/model/compile/define-graph.ts';
import { DynamoDBStore } from '../../src/store/dynamodb.ts';
import { check } from '../../src/trust/check/check.ts';
import { testTable, uniqueTableName } from '../support/table.ts';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** Two servers over one table, as two machines, and clients with a cookie. */
async function open() {
  const table = await testTable(withTableName(tracker, uniqueTableName()));
  const store = new DynamoDBStore(table.client, table.graph.table);
  const ports: number[] = [];
  for (let i = 0; i < 2; i++) {
    const server = createTrackerServer(store, 'secret').listen(0, '127.0.0.1');
    await once(server, 'listening');
    closing.push(() => new Promise((resolve) => server.close(resolve)));
    ports.push((server.address() as AddressInfo).port);
  }
  let turn = 0;
  const client = (organization: string) => {
    let cookie = '';
    return async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
      turn += 1;
      const text = typeof body === 'string' ? body : JSON.stringify(body);
      const response = await fetch(`http://127.0.0.1:${ports[turn % 2]}${path}`, {
        method,
        headers: { 'x-organization': organization, cookie, ...headers },
        ...(body !== undefined && { body: text }),
      });
      cookie = response.headers.get('set-cookie')?.split(';')[0] ?? cookie;
      // biome-ignore lint/suspicious/noExplicitAny: an answer is JSON
      return { status: response.status, body: (await response.json()) as any };
    };
  };
  return { ...table, client };
}

async function withTicket() {
  const table = await open();
  const acme = table.client('acme');
  await acme('POST', '/organization');
  for (const name of ['ada', 'grace']) await acme('POST', `/users/${name}`);
  await acme('POST', '/projects/web');
  const { body } = await acme('POST', '/projects/web/tickets', { title: 'The page is slow' });
  return { ...table, acme, key: body.key as string };
}

describe('the tracker example', () => {
  it('shows each client its own writes at once, whichever machine answers', async () => {
    const { acme, key, client, projectAll, graph, store } = await withTicket();
    await acme('PUT', `/tickets/${key}/assignees/ada`, { priority: 'HIGH' });
    await acme('PUT', `/tickets/${key}/labels/bug`);
    const mine = await acme('GET', '/users/ada/tickets');
    expect(mine.body.items).toMatchObject([
      { id: `TICKET-acme.${key}`, attributes: { title: 'The page is slow', status: 'OPEN' } },
    ]);
    expect((await acme('GET', '/projects/web/tickets')).body.items).toMatchObject([{ source: `TICKET-acme.${key}` }]);
    expect((await acme('GET', '/tickets?title=the%20PAGE')).body.items).toMatchObject([{ id: `TICKET-acme.${key}` }]);
    expect((await acme('GET', '/users/ada/load')).body).toMatchObject({ exact: false });
    await acme('DELETE', `/tickets/${key}/assignees/ada`);
    expect((await acme('GET', '/users/ada/tickets')).body.items).toEqual([]);
    // Another client has no session of these writes; after the projection it needs none.
    expect((await client('acme')('GET', '/projects/web/tickets')).body.items).toEqual([]);
    await projectAll();
    expect((await client('acme')('GET', '/projects/web/tickets')).body.items).toHaveLength(1);
    expect((await check(graph, { store, graceMs: 0 })).drift).toEqual({ missing: 0, stale: 0, orphan: 0 });
  });

  it('loses no vote and no change of another, and tells the second of two forms', async () => {
    const { acme, key, client } = await withTicket();
    const clients = Array.from({ length: 4 }, () => client('acme'));
    await Promise.all([
      ...clients.map((one) => one('POST', `/tickets/${key}/votes`)),
      acme('PUT', `/tickets/${key}/watchers/ada`),
      clients[0]!('PUT', `/tickets/${key}/watchers/grace`),
      clients[1]!('PATCH', `/tickets/${key}`, { title: 'The page is very slow' }),
    ]);
    const { body } = await acme('GET', `/tickets/${key}`);
    expect(body).toMatchObject({
      title: 'The page is very slow',
      votes: 4,
      watchers: ['ada', 'grace'],
      status: 'OPEN',
    });
    const seen = String(body.v);
    expect(await acme('PATCH', `/tickets/${key}`, { status: 'DONE' }, { 'if-match': seen })).toMatchObject({
      status: 200,
    });
    const second = await acme('PATCH', `/tickets/${key}`, { title: 'Old form' }, { 'if-match': seen });
    expect(second).toMatchObject({ status: 409, body: { code: 'condition-failed', current: { status: 'DONE' } } });
    expect((await acme('POST', `/tickets/${key}/toggle`)).body).toEqual({ status: 'OPEN' });
  });

  it('opens no ticket in a project that does not exist, and refuses what the fields refuse', async () => {
    const { acme, key } = await withTicket();
    const lost = await acme('POST', '/projects/none/tickets', { title: 'Lost' });
    expect(lost).toMatchObject({ status: 409, body: { code: 'condition-failed' } });
    expect(await acme('PATCH', `/tickets/${key}`, { title: '' })).toMatchObject({ status: 400 });
    expect(await acme('PATCH', '/tickets/none', { title: 'x' })).toMatchObject({ status: 404 });
    expect(await acme('GET', '/tickets/none')).toMatchObject({ status: 404 });
    expect(await acme('POST', '/users/ada')).toMatchObject({ status: 409 });
  });

  it('keeps organizations apart', async () => {
    const { key, client, projectAll } = await withTicket();
    await projectAll();
    const other = client('other');
    await other('POST', '/organization');
    await projectAll();
    expect(await other('GET', `/tickets/${key}`)).toMatchObject({ status: 404 });
    expect((await other('GET', '/tickets?title=the')).body.items).toEqual([]);
    expect((await other('GET', '/projects/web/tickets')).body.items).toEqual([]);
    expect(await client('no.dots')('GET', '/tickets')).toMatchObject({ status: 401 });
    const { body } = await other('GET', '/organizations');
    expect(body.items.map(({ id }: { id: string }) => id)).toEqual(['ORG-acme', 'ORG-other']);
  });

  it('lists a project’s tickets by status, due date and assignee, as they are now', async () => {
    const { acme, key, client, projectAll, graph, store } = await withTicket();
    const opened = async (title: string): Promise<string> =>
      (await acme('POST', '/projects/web/tickets', { title })).body.key as string;
    const [soon, later] = [await opened('Soon'), await opened('Later')];
    await acme('PATCH', `/tickets/${soon}`, { dueDate: '2026-03-01', assignee: 'ada' });
    await acme('PATCH', `/tickets/${later}`, { dueDate: '2026-04-01', assignee: 'ada' });
    await acme('PATCH', `/tickets/${key}`, { dueDate: '2026-05-01', assignee: 'grace', status: 'DONE' });
    const titles = async (query: string, as = acme) =>
      (await as('GET', `/projects/web/tickets?${query}`)).body.items.map((item: { attributes: { title: string } }) => {
        return item.attributes.title;
      });
    const lists = async (as: typeof acme) => ({
      open: await titles('status=OPEN', as),
      done: await titles('status=DONE', as),
      ada: await titles('assignee=ada', as),
      adaDone: await titles('assignee=ada&status=DONE', as),
    });
    const expected = { open: ['Soon', 'Later'], done: ['The page is slow'], adaDone: [] };
    const ofAda = (found: Awaited<ReturnType<typeof lists>>) => ({ ...found, ada: [...found.ada].sort() });
    // At once for the client that wrote, for all others with the projection.
    expect(ofAda(await lists(acme))).toEqual({ ...expected, ada: ['Later', 'Soon'] });
    await projectAll();
    expect(ofAda(await lists(client('acme')))).toEqual({ ...expected, ada: ['Later', 'Soon'] });
    await acme('PATCH', `/tickets/${later}`, { dueDate: '2026-02-01' });
    await projectAll();
    expect(await titles('status=OPEN', client('acme'))).toEqual(['Later', 'Soon']);
    expect(await acme('GET', '/projects/web/tickets?status=LOST')).toMatchObject({ status: 400 });
    expect((await check(graph, { store, graceMs: 0 })).drift).toEqual({ missing: 0, stale: 0, orphan: 0 });
  });

  it('brings in many, after which the session says that it does not know', async () => {
    const { acme } = await withTicket();
    const lines = Array.from({ length: 200 }, (_, i) => JSON.stringify({ key: `old${i}`, labels: ['bug'] })).join('\n');
    expect((await acme('POST', '/import', lines)).body).toMatchObject({ items: 200 });
    expect((await acme('GET', '/users/ada/tickets')).body).toMatchObject({ ownWrites: 'unknown' });
  });

  it('removes a ticket with its edges', async () => {
    const { acme, key, projectAll } = await withTicket();
    await acme('PUT', `/tickets/${key}/assignees/ada`, { priority: 'LOW' });
    await projectAll();
    await acme('DELETE', `/tickets/${key}`);
    expect((await acme('GET', '/users/ada/tickets')).body.items).toEqual([]);
    expect(await acme('GET', `/tickets/${key}`)).toMatchObject({ status: 404 });
  });
});
