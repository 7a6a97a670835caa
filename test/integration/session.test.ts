import { describe, expect, it } from 'vitest';
import { createReader } from '../../src/client/read/reader.ts';
import { createSession, Session } from '../../src/client/session/session.ts';
import { createWriter } from '../../src/client/write/writer.ts';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import { edge, node, rank } from '../../src/core/model/schema.ts';
import { createWorker } from '../../src/projecting/worker/worker.ts';
import { withReplacedCalls } from '../../src/store/wrapped.ts';
import { createLowWatermark } from '../../src/stream/progress/low-watermark.ts';
import { testTable, uniqueTableName } from '../support/table.ts';

async function open() {
  const graph = defineGraph({
    table: uniqueTableName(),
    nodes: {
      GOAL: node({ view: ['title'], list: true, search: { title: { caseInsensitive: true, shards: 2 } } }),
      USER: node({ view: ['name'] }),
    },
    edges: {
      MEMBER: edge({
        from: 'GOAL',
        to: 'USER',
        edgeSet: ['role'],
        degree: true,
        copy: ['name'],
        inbound: { orders: { gsi0: rank('role', { LEAD: 2, GUEST: 1 }) }, project: ['role'], includeTarget: true },
      }),
      NEEDS: edge({ from: 'GOAL', to: 'GOAL' }),
    },
  });
  const table = await testTable(graph);
  const { store } = table;
  return { ...table, writer: createWriter(graph, { store }), reader: createReader(graph, { store }) };
}

describe('a reader with a session', () => {
  it('shows what was just written in every read, before anything is projected, and says that counts are not exact', async () => {
    const { writer, reader, projectAll } = await open();
    await writer.putNode('GOAL-1', { title: 'Old' });
    await writer.putNode('USER-1', { name: 'Ada' });
    await projectAll();
    const session = createSession();
    const own = writer.with(session);
    await own.putNode('GOAL-1', { title: 'Run' });
    await own.putEdge('GOAL-1', 'MEMBER', 'USER-1', { role: 'LEAD' });
    await own.putEdge('GOAL-1', 'NEEDS', 'GOAL-2');
    await own.updateNode('USER-1', { set: { name: 'Ada Lovelace' } });
    const read = reader.with(Session.from(session.token()));
    const member = { type: 'MEMBER', target: 'USER-1', copy: { name: 'Ada Lovelace' } };
    expect(await read.getViews(['GOAL-1'])).toMatchObject([{ edgeSet: [{ ...member, role: 'LEAD' }, {}] }]);
    expect(await read.has('GOAL-1', 'NEEDS', 'GOAL-2')).toBe(true);
    expect((await read.edges('GOAL-1')).items).toHaveLength(2);
    const page = await read.page('USER-1', 'MEMBER', { reverse: true });
    expect(page.items).toMatchObject([
      { id: 'GOAL-1', attributes: { title: 'Run' }, edges: { NEEDS: [{ node: { id: 'GOAL-2' } }] } },
    ]);
    expect(await read.inDegree('USER-1', 'MEMBER')).toMatchObject({ exact: false });
    expect(await read.search('GOAL.title').count()).toMatchObject({ exact: false });
    // A reader without the session shows the old state: it was the session that made the difference.
    expect(await reader.getViews(['GOAL-1'])).toMatchObject([{ attributes: { title: 'Old' }, edgeSet: [] }]);
  });

  it('has the key before the write, so that a lost answer shows', async () => {
    const { writer, reader, store, graph } = await open();
    const session = createSession();
    const failing = withReplacedCalls(store, {
      put: async (item) => {
        await store.put(item);
        throw new Error('no answer');
      },
    });
    await expect(
      createWriter(graph, { store: failing }).with(session).putNode('GOAL-1', { title: 'x' }),
    ).rejects.toThrow();
    expect((await reader.with(session).nodes('GOAL')).items).toMatchObject([
      { id: 'GOAL-1', attributes: { title: 'x' } },
    ]);
    await writer.deleteNode('GOAL-1');
    expect((await reader.with(session).nodes('GOAL')).items).toEqual([]);
  });
});

describe('a session token', () => {
  it('fits a cookie, is signed where a key is set, and refused where it was altered', async () => {
    const session = createSession({ key: 'secret' });
    session.note([{ source: 'GOAL-1', target: 'MEMBER-USER-1' }])();
    const token = session.token();
    expect(token).toMatch(/^[\w-]+$/);
    expect(Session.from(token, { key: 'secret' }).keys()).toEqual([{ source: 'GOAL-1', target: 'MEMBER-USER-1' }]);
    for (const bad of [`${token}x`, token.slice(0, -2), `B${token.slice(1)}`, 'x', '!']) {
      expect(() => Session.from(bad, { key: 'secret' })).toThrow(expect.objectContaining({ code: 'invalid-session' }));
    }
    expect(() => Session.from(token, { key: 'other' })).toThrow(expect.objectContaining({ code: 'invalid-session' }));
    expect(() => Session.from(createSession().token(), { key: 'secret' })).toThrow();
    expect(Session.from(undefined).keys()).toEqual([]);
  });

  it('keeps only a time where there were too many writes, and answers say so', async () => {
    const { writer, reader } = await open();
    const session = createSession();
    await writer
      .with(session)
      .putMany(Array.from({ length: 100 }, (_, i) => ({ id: `GOAL-${i}`, attributes: { title: 'x' } })));
    expect(session.ownWrites).toBe('unknown');
    const token = session.token();
    expect(token.length).toBeLessThan(200);
    const read = reader.with(Session.from(token));
    expect(await read.nodes('GOAL')).toMatchObject({ ownWrites: 'unknown' });
    expect(await read.inbound('USER-1', 'MEMBER')).toMatchObject({ items: [], ownWrites: 'unknown' });
    expect(await read.page('USER-1', 'MEMBER')).toMatchObject({ ownWrites: 'unknown' });
    expect(await reader.inbound('USER-1', 'MEMBER')).not.toHaveProperty('ownWrites');
    expect(await read.inDegree('USER-1', 'MEMBER')).toMatchObject({ exact: false });
  });

  it('stays under 4 KB with random keys until it overflows', () => {
    const session = createSession();
    let longest = 0;
    for (let i = 0; session.ownWrites === 'shown'; i++) {
      const id = `GOAL-${globalThis.crypto.randomUUID()}`;
      session.note([{ source: id, target: i % 2 === 0 ? id : `MEMBER-USER-${globalThis.crypto.randomUUID()}` }])();
      longest = Math.max(longest, session.token().length);
    }
    expect(longest).toBeGreaterThan(500);
    expect(longest).toBeLessThan(4096);
  });
});

describe('the low watermark of the stream', () => {
  it('lets a key leave the token on another machine, after the consumer has noted it and the index had its time', async () => {
    const { graph, store, client, streams, streamArn, writer, reader } = await open();
    // It stands still but where the test moves it: some steps are one second apart.
    const beganMs = Date.now();
    let laterMs = 0;
    const now = () => beganMs + laterMs;
    // Each request has its own: nothing but the token and the table is kept.
    const request = async (token: string | undefined, run: (session: Session) => Promise<unknown>) => {
      const lowWatermark = createLowWatermark(graph, { store, client, streams, now });
      const session = Session.from(token, { lowWatermark, now });
      await run(session);
      return { token: session.token(), keys: session.keys().length };
    };
    const read = (token: string) =>
      request(token, async (session) => {
        const { items } = await reader.with(session).inbound('USER-1', 'MEMBER');
        expect(items.map(({ source }) => source)).toEqual(['GOAL-1']);
      });
    const put = (token?: string) =>
      request(token, (session) => writer.with(session).putEdge('GOAL-1', 'MEMBER', 'USER-1', { role: 'LEAD' }));
    const project = () =>
      createWorker(graph, { store, streams, streamArn, pollIntervalMs: 20 }).run({ untilIdle: true });

    let place = await put();
    laterMs = 30_000;
    // Nothing is applied, however long ago it was written.
    place = await read(place.token);
    expect(place.keys).toBe(1);
    laterMs = 3_600_000;
    place = await read(place.token);
    expect(place.keys).toBe(1);
    await project();
    // The mark that another process has published holds for its lease.
    laterMs += 10_000;
    // Applied a moment ago: the index may still be behind.
    place = await read(place.token);
    expect(place.keys).toBe(1);
    laterMs += 9_000;
    place = await read(place.token);
    expect(place.keys).toBe(1);
    laterMs += 1_000;
    place = await read(place.token);
    expect(place.keys).toBe(0);
  });

  it('lets an overflow go across tokens', async () => {
    const { writer, reader } = await open();
    let now = 1_800_000_000_000;
    const options = { now: () => now, lowWatermark: async () => now };
    const session = createSession(options);
    await writer.with(session).putMany(Array.from({ length: 100 }, (_, i) => ({ id: `USER-${i}` })));
    let token = session.token();
    const status = async () => {
      const next = Session.from(token, options);
      const { ownWrites = 'shown' } = await reader.with(next).inbound('USER-1', 'MEMBER');
      token = next.token();
      return ownWrites;
    };
    const seen: string[] = [];
    for (const pauseMs of [0, 5_000, 9_999, 1]) {
      now += pauseMs;
      seen.push(await status());
    }
    expect(seen).toEqual(['unknown', 'unknown', 'unknown', 'shown']);
  });

  it('is asked for once in a while, however many ask, and stands still while records wait', async () => {
    const { graph, store, client, streams, streamArn, writer } = await open();
    let laterMs = 0;
    let calls = 0;
    const counting = withReplacedCalls(store, {
      query: (request) => {
        calls += 1;
        return store.query(request);
      },
    });
    const now = () => Date.now() + laterMs;
    const lowWatermark = createLowWatermark(graph, { store: counting, client, streams, now, everyMs: 600_000 });
    const empty = await lowWatermark();
    expect(empty).toBeGreaterThan(Date.now() - 60_000);
    await Promise.all([lowWatermark(), lowWatermark()]);
    // The first look reads the marks and the places of the workers, too.
    expect(calls).toBe(2);
    const beforeMs = Date.now();
    await writer.putNode('USER-1', {});
    laterMs += 600_000;
    expect(await Promise.all([lowWatermark(), lowWatermark(), lowWatermark()])).toEqual(
      Array(3).fill(await lowWatermark()),
    );
    expect(calls).toBe(3);
    // The stream tells whole seconds, that of DynamoDB Local whole minutes.
    expect(await lowWatermark()).toBeLessThanOrEqual(Date.now());
    expect(await lowWatermark()).toBeGreaterThan(beforeMs - 62_000);
    await createWorker(graph, { store, streams, streamArn, pollIntervalMs: 20 }).run({ untilIdle: true });
    laterMs += 600_000;
    expect(await lowWatermark()).toBeGreaterThan(Date.now() + 1_000_000);
  });

  it('is not known while the stream is throttled, and an error where it may not be read', async () => {
    const { graph, store, client, streams } = await open();
    let name = 'ThrottlingException';
    const failing = Object.assign(Object.create(streams), {
      send: () => Promise.reject(Object.assign(new Error('no'), { name, $metadata: { httpStatusCode: 400 } })),
    }) as typeof streams;
    expect(await createLowWatermark(graph, { store, client, streams: failing })()).toBeUndefined();
    name = 'AccessDeniedException';
    // Once the lease of the one before is over.
    const now = () => Date.now() + 60_000;
    await expect(createLowWatermark(graph, { store, client, streams: failing, now })()).rejects.toMatchObject({
      kind: 'fatal',
    });
  });
});
