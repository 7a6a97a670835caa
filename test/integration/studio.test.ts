import { networkInterfaces } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startStudio } from '../../packages/studio/server/studio.ts';
import { StoreError } from '../../src/foundation/errors.ts';
import { openedHeaders, type StudioReply, send, studioClient, tokenOf } from '../support/studio/client.ts';
import { type StubPage, stubPage } from '../support/studio/page.ts';
import { keepingLogger, openStudio } from '../support/studio/table.ts';

type Opened = Awaited<ReturnType<typeof openStudio>>;

const SECRET = 'a value that no log may hold';
/** A logger that keeps nothing. */
const SILENT = keepingLogger().logger;
const DIGITS = '12345678901234567890123456789012345678';
const EDGES = 30;

let stub: StubPage;
let readOnly: Opened;
let writable: Opened;

async function fill({ writer, worker }: Opened): Promise<void> {
  await writer.putNode('USER-U1', { name: 'Terui', country: 'JP', state: 'Tokyo', city: 'Ota', note: SECRET });
  await writer.putNode('USER-U2', {
    ...{ name: 'Ada', mail: 'ada@example.com' },
    ...{ country: 'UK', state: 'London', city: 'London' },
  });
  for (let i = 0; i < EDGES; i++) {
    await writer.putNode(`GOAL-G${i}`, {
      title: `Goal ${i}`,
      status: i % 3 === 0 ? 'OPEN' : 'DONE',
      due: '2026-01-01',
    });
    const role = i % 2 === 0 ? 'LEAD' : 'HELPER';
    await writer.putEdge(`GOAL-G${i}`, 'MEMBER', 'USER-U1', {
      role,
      since: `2026-01-${String(i + 1).padStart(2, '0')}`,
    });
  }
  await worker.idle();
}

function clientOf({ studio }: Opened) {
  return studioClient(studio.url);
}

/** Waits until the check that runs has ended. */
async function checked(client: ReturnType<typeof clientOf>): Promise<StudioReply['answer']> {
  for (;;) {
    const { answer } = await client.get('/api/check');
    if (answer.check?.state !== 'running') return answer.check;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

beforeAll(async () => {
  stub = await stubPage();
  const { page } = stub;
  [readOnly, writable] = await Promise.all([openStudio({ page }), openStudio({ page, isWritable: true })]);
  await Promise.all([fill(readOnly), fill(writable)]);
});

afterAll(async () => {
  await Promise.all([readOnly?.close(), writable?.close()]);
  await stub?.remove();
});

describe('who may ask a studio', () => {
  const base = (): string => new URL('/', readOnly.studio.url).href;

  it('the page and its files hold no data, set no cookie, and are there for who may have a token to send', async () => {
    for (const path of ['/', '/trust', '/page.js']) {
      const { status, headers, body } = await send(new URL(path, base()).href);
      expect({ status, body }).toEqual({ status: 200, body: path === '/page.js' ? 'page.js' : 'page.html' });
      expect(headers['set-cookie']).toBeUndefined();
    }
  });

  it.each<[string, (own: Record<string, string>) => [path: string, headers: Record<string, string>]]>([
    ['data without the header of the page', () => ['/api/status', {}]],
    ['a wrong token', () => ['/api/status', { 'x-edgeloom-studio': 'AAAA' }]],
    ['an empty token', () => ['/api/status', { 'x-edgeloom-studio': '' }]],
    [
      'the token with more behind it',
      (own) => ['/api/status', { 'x-edgeloom-studio': `${own['x-edgeloom-studio']}x` }],
    ],
    ['a cookie with the token', (own) => ['/api/status', { cookie: `edgeloom_studio=${own['x-edgeloom-studio']}` }]],
    ['the token as a parameter', (own) => [`/api/status?token=${own['x-edgeloom-studio']}`, {}]],
    ['a name that was bound to 127.0.0.1', (own) => ['/api/status', { ...own, host: 'attacker.example' }]],
    ['the page by that name', () => ['/', { host: 'attacker.example' }]],
    ['that name with the port', () => ['/', { host: `attacker.example:${new URL(base()).port}` }]],
    ['no port', (own) => ['/api/status', { ...own, host: '127.0.0.1' }]],
    ['another origin', (own) => ['/api/status', { ...own, origin: 'https://attacker.example' }]],
    ['another port of this machine', (own) => ['/api/status', { ...own, origin: 'http://127.0.0.1:1' }]],
    ['a sandboxed frame', (own) => ['/api/status', { ...own, origin: 'null' }]],
    [
      'a picture of another site',
      (own) => ['/page.js', { ...own, 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' }],
    ],
    [
      'a script of another port',
      (own) => ['/page.js', { ...own, 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'no-cors' }],
    ],
  ])('refuses %s', async (_name, attack) => {
    const [path, headers] = attack(openedHeaders(readOnly.studio.url));
    const { status, body, headers: sent } = await send(new URL(path, base()).href, headers);
    expect(status).toBe(403);
    expect(sent['set-cookie']).toBeUndefined();
    expect(body).not.toContain('page.');
    expect(body).not.toContain('"answer"');
  });

  it('says what to open where a request has no token, and answers by both names of this machine', async () => {
    const { status, body } = await send(new URL('/api/model', base()).href);
    expect({ status, ...JSON.parse(body) }).toMatchObject({ status: 403, error: { code: 'no-studio-token' } });
    const own = openedHeaders(readOnly.studio.url);
    const host = `localhost:${new URL(base()).port}`;
    expect((await send(new URL('/api/model', base()).href, { ...own, host })).status).toBe(200);
  });

  it('listens on loopback alone', async () => {
    const { port } = new URL(readOnly.studio.url);
    const others = Object.values(networkInterfaces())
      .flatMap((all) => all ?? [])
      .filter(({ internal, family }) => !internal && family === 'IPv4');
    for (const { address } of others) await expect(send(`http://${address}:${port}/`)).rejects.toThrow(/ECONNREFUSED/);
    await expect(send(`http://[::1]:${port}/`)).rejects.toThrow(/ECONNREFUSED|EADDRNOTAVAIL/);
  });

  it('forbids code in the page, frames around it, and guesses at types, on every answer', async () => {
    for (const path of ['/', '/page.js', '/none', '/api/model', '/api/none']) {
      const { headers } = await send(new URL(path, base()).href, openedHeaders(readOnly.studio.url));
      const policy = String(headers['content-security-policy']);
      expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
      expect(policy).not.toContain('unsafe');
      expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'x-frame-options': 'DENY' });
    }
  });
});

describe('a studio that only reads', () => {
  it.each<[string, object]>([
    ['/api/put', { subject: { id: 'USER-U9' }, json: '{}' }],
    ['/api/update', { source: 'USER-U1', target: 'USER-U1', before: '{}', after: '{"name":"x"}' }],
    ['/api/undo', { source: 'USER-U1', target: 'USER-U1', rev: '1' }],
    ['/api/redrive', { id: null }],
    ['/api/repair', { id: null }],
  ])('refuses %s, and nothing is changed', async (path, body) => {
    const client = clientOf(readOnly);
    const before = await readOnly.store.get({ source: 'USER-U1', target: 'USER-U1' }, { consistent: true });
    expect(await client.post(path, body)).toMatchObject({
      status: 403,
      error: { code: 'read-only' },
      units: { wcu: 0 },
    });
    expect((await readOnly.store.get({ source: 'USER-U1', target: 'USER-U1' }, { consistent: true })).item).toEqual(
      before.item,
    );
  });

  it('checks the table and writes nothing, not even that it has checked', async () => {
    const client = clientOf(readOnly);
    await client.post('/api/check', {});
    const check = await checked(client);
    expect(check).toMatchObject({ state: 'done', totals: { drift: { missing: 0, stale: 0, orphan: 0 }, wcu: 0 } });
    expect(check.totals.baseItems).toBe(2 + 2 * EDGES);
    expect((await client.get('/api/status')).answer.lastCheck).toBeNull();
  });
});

describe('the answers of a studio', () => {
  it('each say what units they took', async () => {
    const client = clientOf(readOnly);
    expect((await client.get('/api/model')).units).toEqual({ rcu: 0, wcu: 0 });
    for (const path of [
      '/api/node?id=USER-U1',
      '/api/query?search=USER.name&beginsWith=te',
      '/api/status',
      '/api/shards?name=USER.name',
    ]) {
      expect((await client.get(path)).units.rcu, path).toBeGreaterThan(0);
    }
  });

  it('tell the model and the status', async () => {
    const client = clientOf(readOnly);
    const { answer: model } = await client.get('/api/model');
    expect(model).toMatchObject({ isWritable: false, table: readOnly.graph.table.name });
    expect(model.edges[0].orders).toEqual([
      { name: 'gsi0', kind: 'rank', from: 'rank of role', attribute: 'role', labels: ['HELPER', 'LEAD'] },
      { name: 'gsi1', kind: 'attribute', from: 'since', type: 'date' },
    ]);
    const { answer: status } = await client.get('/api/status');
    expect(status).toMatchObject({ problems: [], quarantined: {}, shards: [{ state: 'at end', behindSeconds: 0 }] });
    expect(status.consumers).toHaveLength(1);
  });

  it('page through partitions without loss', async () => {
    const client = clientOf(readOnly);
    let cursor: string | undefined;
    const derived: string[] = [];
    do {
      const next = cursor === undefined ? '' : `&cursor=${cursor}`;
      const { answer } = await client.get(`/api/partition?id=USER-U1&side=derived&limit=1${next}`);
      derived.push(...answer.items.map(({ target }: { target: string }) => target));
      cursor = answer.cursor;
    } while (cursor !== undefined);
    expect(derived.sort()).toEqual(['~ix/name', '~view']);
    const { answer: base } = await client.get('/api/partition?id=USER-U1&side=base');
    expect(base.items).toEqual([expect.objectContaining({ target: 'USER-U1', kind: 'base' })]);
  });

  it('are errors of the request where a body or a cursor is none of the studio', async () => {
    const client = clientOf(writable);
    for (const path of ['/api/repair', '/api/redrive'])
      for (const body of [{}, { source: 'USER-U1' }, { id: null, ids: ['USER-U1'] }, { id: '' }])
        expect(await client.post(path, body), path).toMatchObject({ status: 400, error: { code: 'invalid-argument' } });
    for (const rest of ['side=base&cursor=', 'side=derived&cursor=USER-U1', 'side=base&cursor=~view'])
      expect(await client.get(`/api/partition?id=USER-U1&${rest}`)).toMatchObject({
        ...{ status: 400, error: { code: 'invalid-argument' } },
      });
  });

  it('tell what is known where the role may neither scan the table nor read its stream', async () => {
    const refuse = async (): Promise<never> => {
      throw new StoreError('fatal', 'access-denied', 'The role may not.');
    };
    const { graph, store, client } = readOnly;
    const deaf = { send: refuse } as unknown as typeof readOnly.streams;
    const few = new Proxy(store, {
      get: (real, name) => (name === 'scan' ? refuse : Reflect.get(real, name, real)),
    });
    const { page } = stub;
    const studio = await startStudio({ graph, client, page, store: few, streams: deaf, logger: SILENT });
    try {
      const asked = studioClient(studio.url);
      const { answer } = await asked.get('/api/node?id=GOAL-G1');
      expect(answer).toMatchObject({ name: 'Goal 1', names: { 'USER-U1': 'Terui' } });
      const { answer: status } = await asked.get('/api/status');
      expect(status).toMatchObject({ shards: [], quarantined: {} });
      expect(status.problems).toEqual([expect.stringMatching(/^How far the stream is applied is unknown: ./)]);
    } finally {
      await studio.close();
    }
  });

  it('count the shards of a search', async () => {
    const client = clientOf(readOnly);
    const { answer } = await client.get('/api/shards?name=USER.name');
    expect(answer).toMatchObject({ shards: 20, items: 2, hash: 'fnv1a' });
    expect((await client.get('/api/shards?name=GOAL.status')).answer).toMatchObject({ shards: 4, items: EDGES });
  });
});

describe('a studio that may write', () => {
  it('shows a broken item as a difference, finds it in a check, and repairs it', async () => {
    const client = clientOf(writable);
    const key = { source: 'USER-U2', target: '~ix/name' };
    const { item } = await writable.store.get(key, { consistent: true });
    await writable.store.put({ ...item!, gsi0sk: { S: 'eve\u0000USER-U2' } });
    const nameOf = async () => {
      const { answer } = await client.get('/api/explain?source=USER-U2&target=USER-U2');
      return answer.parts.find(({ target }: { target: string }) => target === '~ix/name');
    };
    // Until the consumer has noted its progress, what differs may be on its way.
    await expect.poll(async () => (await nameOf()).state).toBe('drift');
    const part = await nameOf();
    expect(part.difference.expected).toContain('ada');
    expect(part.difference.stored).toContain('eve');

    for (let i = 0; i < 3; i++)
      await writable.store.put({ source: { S: 'USER-U2' }, target: { S: `ALIEN-USER-${i}` } });
    await client.post('/api/check', {});
    const check = await checked(client);
    expect((await client.get('/api/suspects')).answer.items).toEqual([
      expect.objectContaining({ ...key, why: 'stale' }),
      expect.objectContaining({ source: 'USER-U2', why: 'unknown', found: { expected: null, actual: 'ALIEN' } }),
    ]);
    expect(check).toMatchObject({ totals: { unknown: 3 } });
    await client.post('/api/repair', { id: 'USER-U2' });
    expect(await checked(client)).toMatchObject({ scope: 'USER-U2', state: 'done', totals: { repaired: 1 } });
    const { answer: mended } = await client.get('/api/explain?source=USER-U2&target=USER-U2');
    expect(mended.parts.every(({ state }: { state: string }) => state === 'right')).toBe(true);
  });

  it('edits through the writer: exact numbers stay, what others changed meanwhile too, and a stale edit is refused', async () => {
    const client = clientOf(writable);
    const key = { source: 'USER-U3', target: 'USER-U3' };
    expect(
      await client.post('/api/put', { subject: { id: 'USER-U3' }, json: `{"name":"Eve","n":${DIGITS}}` }),
    ).toMatchObject({
      status: 200,
    });
    const { text } = await client.get('/api/node?id=USER-U3');
    expect(text).toContain(`"n":${DIGITS}`);
    await writable.writer.updateNode('USER-U3', { set: { other: 'theirs' } });
    const before = `{"name":"Eve","n":${DIGITS}}`;
    const edited = await client.post('/api/update', {
      ...key,
      before,
      after: `{"name":"Eva","n":${DIGITS},"more":[1]}`,
    });
    expect(edited.answer).toMatchObject({ changed: ['name', 'more'] });
    expect(await writable.store.get({ source: 'USER-U3', target: 'USER-U3' }, { consistent: true })).toMatchObject({
      item: { name: { S: 'Eva' }, n: { N: DIGITS }, other: { S: 'theirs' }, more: { L: [{ N: '1' }] } },
    });
    const stale = await client.post('/api/update', { ...key, before, after: '{"name":"Evi"}' });
    expect(stale).toMatchObject({ status: 400, error: { code: 'condition-failed' } });
    expect(
      (await client.post('/api/put', { subject: { source: 'GOAL-G0', type: 'NONE', target: 'USER-U1' }, json: '{}' }))
        .error,
    ).toMatchObject({ code: 'unknown-type' });
  });

  it('lists quarantine with its reason, and redrives it once the item is corrected', async () => {
    const client = clientOf(writable);
    await writable.store.put({
      source: { S: 'GOAL-G0' },
      target: { S: 'GOAL-G0' },
      title: { S: 'x' },
      due: { N: '1' },
    });
    await writable.worker.idle();
    const goalsInNeed = async () =>
      (await client.get('/api/suspects')).answer.items.filter(({ source }: { source: string }) => source === 'GOAL-G0');
    expect(await goalsInNeed()).toEqual([
      expect.objectContaining({ source: 'GOAL-G0', why: 'wrong-type', reason: expect.stringContaining('due') }),
    ]);
    const { answer: node } = await client.get('/api/node?id=GOAL-G0');
    expect(node).toMatchObject({ name: 'x', quarantined: [{ target: 'GOAL-G0', code: 'wrong-type' }] });
    for (const [id, entries] of [
      [null, 1],
      ['GOAL-G0', 1],
      ['USER-U1', 0],
    ] as const) {
      const { answer } = await client.post('/api/redrive', { id });
      expect(answer).toMatchObject({ entries, repaired: 0, left: entries });
    }
    await writable.writer.putNode('GOAL-G0', { title: 'x', due: '2026-01-01' });
    await writable.worker.idle();
    expect((await client.post('/api/redrive', { id: null })).answer).toMatchObject({ left: 0 });
    expect(await goalsInNeed()).toEqual([]);
  });

  it('notes a check of the whole table as the last one', async () => {
    const client = clientOf(writable);
    await client.post('/api/check', {});
    expect(await checked(client)).toMatchObject({ state: 'done' });
    expect((await client.get('/api/status')).answer.lastCheck).toMatchObject({ verdict: 'clean', drift: 0 });
  });

  it('refuses bodies that are no JSON, of another type, or too large', async () => {
    const post = (body: string, type = 'application/json') =>
      send(
        new URL('/api/put', writable.studio.url).href,
        { ...openedHeaders(writable.studio.url), 'content-type': type },
        { method: 'POST', body },
      );
    expect((await post('{')).status).toBe(400);
    expect((await post('{}', 'text/plain')).status).toBe(400);
    const large = post(JSON.stringify({ json: 'x'.repeat(5_000_000) })).then(
      ({ status }) => status,
      (error: { code: string }) => error.code,
    );
    expect([400, 'EPIPE', 'ECONNRESET']).toContain(await large);
  });
});

it('no log of a studio holds a token, a key or a content of the table', async () => {
  const client = clientOf(writable);
  await client.get(`/api/query?search=USER.name&equals=${encodeURIComponent(SECRET)}`);
  await client.get('/api/node?id=USER-U1');
  await client.get('/api/node?id=no-such-type');
  await client.post('/api/put', { subject: { id: 'USER-U1' }, json: JSON.stringify({ note: SECRET }) });
  const lines = [...readOnly.lines, ...writable.lines].join('\n');
  expect(lines).toContain('/api/node');
  const token = tokenOf(writable.studio.url);
  for (const text of [SECRET, 'USER-U1', 'GOAL-G', 'Terui', 'no-such-type', token]) expect(lines).not.toContain(text);
});
