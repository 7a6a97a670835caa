import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FlowAnswer } from '../../packages/studio/base/flow.ts';
import { LiveFeed } from '../../packages/studio/base/live-feed.ts';
import type { TypeSample } from '../../packages/studio/base/table-sample.ts';
import type { WatchableFeed } from '../../src/client/feed/watchable-feed.ts';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import { node } from '../../src/core/model/schema.ts';
import { eventsOf } from '../support/events.ts';
import { openedHeaders, studioClient } from '../support/studio/client.ts';
import { type StubPage, stubPage } from '../support/studio/page.ts';
import { openStudio, openStudioOf } from '../support/studio/table.ts';
import { uniqueTableName } from '../support/table.ts';

const GOALS = 12;

let stub: StubPage;
let opened: Awaited<ReturnType<typeof openStudio>>;
let client: ReturnType<typeof studioClient>;

beforeAll(async () => {
  stub = await stubPage();
  opened = await openStudio({ page: stub.page });
  client = studioClient(opened.studio.url);
  await opened.writer.batch((batch) => {
    batch.putNode('USER-U1', { name: 'Ada Lovelace', country: 'UK' });
    batch.putNode('USER-U2', { name: 'Terui', country: 'JP' });
    for (let i = 0; i < GOALS; i++) {
      batch.putNode(`GOAL-G${i}`, { title: `Goal ${i}`, status: i % 3 === 0 ? 'OPEN' : 'DONE' });
      batch.putEdge(`GOAL-G${i}`, 'MEMBER', 'USER-U1', { role: i % 2 === 0 ? 'LEAD' : 'HELPER', since: '2026-01-01' });
    }
  });
  await opened.worker.idle();
});

afterAll(async () => {
  await opened?.close();
  await stub?.remove();
});

describe('the sample of a table in the studio', () => {
  it('counts a small table exactly, and has the values of attributes that have few', async () => {
    const { answer, units } = await client.get('/api/sample');
    expect(answer).toMatchObject({ precision: 'exact' });
    expect(Object.entries<TypeSample>(answer.nodes).map(([type, { count }]) => [type, count])).toEqual([
      ['GOAL', GOALS],
      ['USER', 2],
    ]);
    expect(answer.edges.MEMBER.count).toBe(GOALS);
    expect(answer.edges.MEMBER.ways).toEqual([{ from: 'GOAL', to: 'USER', count: GOALS }]);
    expect(answer.nodes.GOAL.values).toEqual({
      status: [
        { value: 'DONE', count: 8 },
        { value: 'OPEN', count: 4 },
      ],
    });
    expect(Object.keys(answer.edges.MEMBER.values).sort()).toEqual(['role', 'since']);
    expect(units.rcu).toBeGreaterThan(0);
    // It is kept: looking again costs nothing.
    expect((await client.get('/api/sample')).units.rcu).toBe(0);
  });

  it('gives nodes by chance, of one type or of all', async () => {
    const idsOf = async (query: string): Promise<string[]> =>
      (await client.get(`/api/random${query}`)).answer.nodes.map(({ id }: { id: string }) => id);
    const goals = await idsOf('?type=GOAL');
    expect(new Set(goals)).toEqual(new Set(Array.from({ length: GOALS }, (_, i) => `GOAL-G${i}`)));
    expect(new Set(await idsOf('?type=USER'))).toEqual(new Set(['USER-U1', 'USER-U2']));
    expect(await idsOf('?type=NONE')).toEqual([]);
    expect(await idsOf('')).toHaveLength(12);
  });
});

describe('the nodes of a list in the studio', () => {
  it('have their names from the sample, and their attributes where they are read', async () => {
    const ids = ['USER-U1', 'GOAL-G1', 'USER-NONE'];
    const { answer, units } = await client.post('/api/nodes', { ids, full: false });
    expect(answer.nodes).toEqual({
      'USER-U1': { name: 'Ada Lovelace' },
      'GOAL-G1': { name: 'Goal 1' },
      'USER-NONE': { name: null },
    });
    expect(units.rcu).toBe(0);
    const full = await client.post('/api/nodes', { ids: [...ids, 'USER-U1'], full: true });
    expect(full.answer.nodes['USER-U1']).toMatchObject({ name: 'Ada Lovelace', attributes: { name: 'Ada Lovelace' } });
    expect(full.answer.nodes['USER-U1'].attributes).not.toHaveProperty('source');
    expect(full.answer.nodes['USER-NONE']).toEqual({ name: null, attributes: {} });
    expect(full.units.rcu).toBe(1.5);
  });
});

describe('suggestions in the studio', () => {
  it('are nodes by a part of their id or name, by a search, and by the whole id', async () => {
    const idsOf = async (text: string): Promise<string[]> =>
      (await client.get(`/api/suggest?text=${encodeURIComponent(text)}`)).answer.suggestions.map(
        ({ id }: { id: string }) => id,
      );
    expect(await idsOf('lovelace')).toEqual(['USER-U1']);
    expect(await idsOf('r-u')).toEqual(expect.arrayContaining(['USER-U1', 'USER-U2']));
    expect(await idsOf('GOAL-G')).toHaveLength(8);
    expect((await idsOf('GOAL-G1'))[0]).toBe('GOAL-G1');
    expect(await idsOf('nobody')).toEqual([]);
    // A node that is not in the sample is found by its search, and by its id.
    await opened.writer.putNode('USER-NEW', { name: 'Zuse', country: 'DE' });
    await opened.worker.idle();
    expect(await idsOf('zu')).toEqual(['USER-NEW']);
    expect(await idsOf('USER-NEW')).toEqual(['USER-NEW']);
    // So it is by a search that knows small letters from large ones.
    await opened.writer.putNode('GOAL-NEW', { title: 'Held', status: 'Halted' });
    await opened.writer.putNode('GOAL-OLD', { title: 'Gone', status: 'LOST' });
    await opened.worker.idle();
    expect(await idsOf('halt')).toEqual(['GOAL-NEW']);
    expect(await idsOf('lost')).toEqual(['GOAL-OLD']);
    expect((await client.get('/api/suggest')).error?.code).toBe('invalid-request');
  });

  it('have a whole id of each type, and say what was looked at', async () => {
    await opened.writer.putNode('USER-x9', { name: 'Noether', country: 'DE' });
    const { answer } = await client.get('/api/suggest?text=x9');
    expect(answer.suggestions[0]).toMatchObject({ id: 'USER-x9' });
    expect(answer).toMatchObject({ listed: null, types: ['GOAL', 'USER'], searches: ['GOAL.status', 'USER.name'] });
    expect(answer.looked).toMatchObject({ isWhole: true });
    // A type in small letters is one, too.
    const small = await client.get('/api/suggest?text=user-x9');
    expect(small.answer.suggestions[0]).toMatchObject({ id: 'USER-x9' });
    expect(small.answer.types).toEqual(['USER']);
    expect((await client.get('/api/suggest?text=USER-')).answer.types).toEqual([]);
    expect((await client.post('/api/sample', {})).answer.looked).toMatchObject({ isWhole: true });
  });

  it('have ids that begin with a text from the list of their type, however new they are', async () => {
    const listed = await openStudioOf(
      defineGraph({ table: uniqueTableName(), nodes: { ORG: node({ view: ['name'], list: true }) }, edges: {} }),
      {
        page: stub.page,
      },
    );
    try {
      const { get } = studioClient(listed.studio.url);
      const idsOf = async (text: string): Promise<string[]> =>
        (await get(`/api/suggest?text=${text}`)).answer.suggestions.map(({ id }: { id: string }) => id);
      expect(await idsOf('ORG-1')).toEqual([]);
      // The sample is of before.
      await listed.writer.batch((batch) => {
        for (let i = 0; i < 30; i++) batch.putNode(`ORG-1${String(i).padStart(2, '0')}`, { name: 'Acre' });
        batch.putNode('ORG-2', { name: 'Bell' });
      });
      await listed.worker.idle();
      expect(await idsOf('ORG-10')).toEqual([0, 1, 2, 3, 4, 5, 6, 7].map((i) => `ORG-10${i}`));
      expect(await idsOf('org-12')).toEqual([0, 1, 2, 3, 4, 5, 6, 7].map((i) => `ORG-12${i}`));
      expect(await idsOf('ORG-2')).toEqual(['ORG-2']);
      expect(await idsOf('ORG-3')).toEqual([]);
    } finally {
      await listed.close();
    }
  });
});

describe('the flow of records in the studio', () => {
  it('has the changes since a number, by type and by ends, and the nodes that were written last', async () => {
    const flowOf = async (query = ''): Promise<FlowAnswer> => (await client.get(`/api/flow${query}`)).answer;
    const { writer, worker } = opened;
    const first = await flowOf();
    expect(first).toMatchObject({ hasStream: true, moved: [] });
    expect(first.recent.map(({ id }) => id)).toEqual(expect.arrayContaining(['USER-U1', 'GOAL-G0']));
    expect(Math.abs(first.recent[0]!.atMs - Date.now())).toBeLessThan(24 * 3_600_000);
    await writer.putEdge('GOAL-G0', 'MEMBER', 'USER-U2', { role: 'HELPER', since: '2026-01-02' });
    await writer.putEdge('GOAL-G1', 'MEMBER', 'USER-U2', { role: 'HELPER', since: '2026-01-02' });
    await writer.putNode('USER-U2', { name: 'Terui', country: 'FR' });
    await writer.deleteNode('GOAL-G11');
    await worker.idle();
    await expect
      .poll(async () => (await flowOf(`?after=${first.seen}`)).moved)
      .toEqual(
        expect.arrayContaining([
          { kind: 'edge', type: 'MEMBER', from: 'GOAL', to: 'USER', count: 2 },
          { kind: 'node', type: 'USER', from: '', to: '', count: 1 },
          { kind: 'node', type: 'GOAL', from: '', to: '', count: 1 },
        ]),
      );
    const now = await flowOf(`?after=${first.seen}`);
    expect(now.derived).toBeGreaterThan(first.derived);
    const known = now.recent.map(({ id, isDeleted }) => ({ id, isDeleted }));
    // The newest of each type comes before its others.
    expect(now.recent.find(({ id }) => id.startsWith('USER-'))!.id).toBe('USER-U2');
    expect(known).toEqual(
      expect.arrayContaining([
        { id: 'GOAL-G11', isDeleted: true },
        { id: 'USER-U2', isDeleted: false },
      ]),
    );
    expect((await flowOf(`?after=${now.seen}`)).moved).toEqual([]);
  });
});

describe('a list that moves in the studio', () => {
  const ask = (query: string, headers: Record<string, string> = openedHeaders(opened.studio.url)) =>
    fetch(new URL(`/api/watch${query}`, opened.studio.url), { headers });

  it('sends what a question of Query finds, with the headers of every answer', async () => {
    const { writer, worker } = opened;
    const response = await ask('?search=USER.name&beginsWith=ze&limit=2');
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toContain('text/event-stream');
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
    const events = eventsOf(response);
    expect((await events.next()).value).toMatchObject({ type: 'page', data: { items: [] } });
    await writer.putNode('USER-Z', { name: 'Zelda' });
    await worker.idle();
    expect((await events.next()).value).toMatchObject({ type: 'enter', data: { at: 0, item: { id: 'USER-Z' } } });
    await events.return();
  });

  it('refuses requests without the token, and questions that have no list to follow', async () => {
    expect((await ask('?search=USER.name&beginsWith=z', {})).status).toBe(403);
    for (const [query, code] of [
      ['?search=USER.nothing&equals=x', 'unknown-search'],
      ['?type=MEMBER&id=USER-U1&with=MEMBER', 'invalid-request'],
      ['?type=MEMBER', 'invalid-request'],
    ] as const) {
      const response = await ask(query);
      const { error } = (await response.json()) as { error: { code: string } };
      expect([response.status, error.code], query).toEqual([400, code]);
    }
  });
});

describe('places of the studio that are followed', () => {
  const follow = (places: unknown, headers: Record<string, string> = openedHeaders(opened.studio.url)) =>
    fetch(new URL('/api/touched', opened.studio.url), {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(places),
    });

  it('tell once at the beginning, and when something in a partition or a list is written', async () => {
    const { writer } = opened;
    const response = await follow({ sources: ['GOAL-T', 'USER-T'], lists: [{ type: 'MEMBER', id: 'USER-T' }] });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toContain('text/event-stream');
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
    let told = 0;
    const events = eventsOf(response);
    const reading = (async () => {
      for await (const { type } of events) told += Number(type === 'touched');
    })();
    reading.catch(() => undefined);
    const isTold = async (change: () => Promise<unknown>): Promise<void> => {
      const before = told;
      await change();
      await expect.poll(() => told).toBeGreaterThan(before);
    };
    await expect.poll(() => told).toBe(1);
    await isTold(() => writer.putNode('GOAL-T', { title: 'Told', status: 'OPEN' }));
    await isTold(() => writer.putEdge('GOAL-S', 'MEMBER', 'USER-T', { role: 'LEAD', since: '2026-01-01' }));
    await response.body?.cancel().catch(() => undefined);
  });

  it('are refused without the token, and where they are none of the model', async () => {
    expect((await follow({ sources: ['GOAL-G1'] }, {})).status).toBe(403);
    for (const [places, code] of [
      [{ sources: 'GOAL-G1' }, 'invalid-request'],
      [{ sources: [], lists: [{ type: 'NOTHING', id: 'USER-U1' }] }, 'unknown-type'],
    ] as const) {
      const response = await follow(places);
      const { error } = (await response.json()) as { error: { code: string } };
      expect([response.status, error.code]).toEqual([400, code]);
    }
  });
});

describe('the feed of a studio', () => {
  function fakeFeeds() {
    const [started, stopped]: [number[], number[]] = [[], []];
    let failure: Error | undefined;
    const live = new LiveFeed(async () => {
      const number = started.push(started.length);
      if (failure !== undefined) throw failure;
      let end: () => void;
      const ended = new Promise<void>((resolve) => {
        end = resolve;
      });
      const stop = async () => {
        stopped.push(number);
        end();
      };
      return { feed: { number } as unknown as WatchableFeed, ended, stop };
    });
    const fail = (error?: Error): void => {
      failure = error;
    };
    return { live, started, stopped, fail };
  }

  it('runs once for all who watch, until the last one has gone', async () => {
    const { live, started, stopped } = fakeFeeds();
    const [one, two] = [live.hold(), live.hold()];
    expect(await one.feed).toBe(await two.feed);
    one.release();
    one.release();
    await live.settled();
    expect([started.length, stopped]).toEqual([1, []]);
    two.release();
    await live.settled();
    expect(stopped).toEqual([1]);
    const three = live.hold();
    await three.feed;
    expect(started).toHaveLength(2);
    three.release();
  });

  it('is started anew after it could not be started', async () => {
    const { live, started, fail } = fakeFeeds();
    fail(new Error('There is no stream.'));
    const one = live.hold();
    await expect(one.feed).rejects.toThrow('There is no stream.');
    fail();
    const two = live.hold();
    await two.feed;
    one.release();
    two.release();
    await live.settled();
    expect(started).toHaveLength(2);
  });
});
