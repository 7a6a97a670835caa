import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Feed } from '../../../src/client/feed/feed.ts';
import { startFeedOf } from '../../../src/client/feed/start-feed.ts';
import type { WatchQuery } from '../../../src/client/feed/watch.ts';
import { watchHandler } from '../../../src/client/http/watch-handler.ts';
import { readContext } from '../../../src/client/read/reader-options.ts';
import type { Item } from '../../../src/core/items/attribute-value.ts';
import { defineGraph } from '../../../src/core/model/compile/define-graph.ts';
import { edge, node, rank } from '../../../src/core/model/schema.ts';
import { derivedOf } from '../../../src/core/plan/derive.ts';
import type { Store } from '../../../src/core/store-port.ts';
import { EdgeloomError, StoreError } from '../../../src/foundation/errors.ts';
import { projectionsOfModel } from '../../../src/registry/projections-in-force.ts';
import { type ReaderLeases, withoutRegistry } from '../../../src/registry/reader-lease.ts';
import { withReplacedCalls } from '../../../src/store/wrapped.ts';
import { MemoryStore } from '../../support/memory-store/memory-store.ts';

const graph = defineGraph({
  table: 'tickets',
  nodes: { USER: node({ view: 'ALL' }), TICKET: node({ view: 'ALL' }) },
  edges: {
    ASSIGNED: edge({ from: 'TICKET', to: 'USER', inbound: { orders: { gsi0: 'since' }, project: ['state'] } }),
    BOOKED: edge({
      ...{ from: 'TICKET', to: 'USER', edgeSet: false, deletedWhen: 'void' },
      inbound: { native: true, orders: { byDay: 'day' }, project: ['note'] },
    }),
  },
});
const LIST: WatchQuery = { inbound: ['USER-1', 'ASSIGNED'] };
const GRACE_MS = 3_000;
const PAUSE_MS = 1_000;
const RENEW_MS = 10_000;

/** Turns of the event loop that a wait lasts, if nothing ends it: more than a test needs to tell of a record. */
const WAIT_TURNS = 20;

const opened: AsyncGenerator<unknown>[] = [];
const ending: AbortController[] = [];

afterEach(async () => {
  for (const one of ending.splice(0)) one.abort(new Error('The test is over.'));
  for (const events of opened.splice(0)) await events.return(undefined);
});

/** A table whose index is another one, so that a test says what it shows; and a clock that each wait moves on. */
function bench(leases: ReaderLeases = withoutRegistry(graph)) {
  const seen = { queries: 0, nowMs: 0 };
  const index = new MemoryStore(graph.table, {});
  const counted = async <T>(call: Promise<T>): Promise<T> => {
    seen.queries += 1;
    return await call;
  };
  const store = withReplacedCalls(index as Store, {
    query: (request) => counted(index.query(request)),
    queryNative: (request) => counted(index.queryNative(request)),
  });
  const feed = new Feed(graph, {
    indexGraceMs: GRACE_MS,
    now: () => seen.nowMs,
    async wait(ms, signal) {
      for (let turn = 0; turn < WAIT_TURNS; turn++) await new Promise(setImmediate);
      signal?.throwIfAborted();
      seen.nowMs += ms;
    },
  });
  const context = readContext(graph, { store });
  const open = (query: WatchQuery = LIST) => {
    const stopping = new AbortController();
    const events = feed.watch(context, leases, query, { signal: stopping.signal });
    opened.push(events);
    ending.push(stopping);
    return async () => (await events.next()).value;
  };
  /** Until the clock says so. */
  const until = async (ms: number): Promise<void> => {
    while (seen.nowMs < ms) await new Promise(setImmediate);
  };
  return { index, feed, context, open, seen, until };
}

/** The index item of an edge, in one of its states. */
function indexItem(source: string, since: string, revision: number): Item {
  const target = 'ASSIGNED-USER-1';
  const base: Item = { source: { S: source }, target: { S: target }, since: { S: since } };
  const [[key, fields]] = [...derivedOf(graph, source, target, base, undefined).indexItems] as [[string, Item]];
  return { source: { S: source }, target: { S: key }, ...fields, r: { N: String(revision) } };
}

/** The record of an item that is there for the first time. */
function inserted({ source, target, ...rest }: Item) {
  return { dynamodb: { Keys: { source, target } as never, NewImage: { source, target, ...rest } as Item } };
}

const at = (ms: number): string => new Date(ms).toISOString();

describe('a watched list', () => {
  it('is read once more when its index has caught up: no record tells of what was written just before', async () => {
    const { index, open, seen } = bench();
    const next = open();
    expect(await next()).toMatchObject({ type: 'page', items: [] });
    await index.put(indexItem('TICKET-1', 'now', 1));
    expect(await next()).toMatchObject({ type: 'enter', at: 0, item: { source: 'TICKET-1' } });
    expect(seen).toEqual({ queries: 2, nowMs: GRACE_MS });
  });

  it('is not read while the feed does not name it', async () => {
    const { feed, open, seen, until } = bench();
    await open()();
    await until(GRACE_MS);
    const elsewhere = indexItem('TICKET-1', 'now', 1);
    feed.receive(inserted({ ...elsewhere, gsi0pk: { S: 'ASSIGNED-USER-2' } }));
    await until(GRACE_MS + 10 * RENEW_MS);
    expect(seen.queries).toBe(2);
  });

  it('is read once a second, however many changes come', async () => {
    const { index, feed, open, seen, until } = bench();
    await open()();
    await until(GRACE_MS);
    const [queries, fromMs] = [seen.queries, seen.nowMs];
    for (let i = 0; seen.nowMs < fromMs + 20 * PAUSE_MS; i++) {
      const item = indexItem(`TICKET-${i % 50}`, 'now', i);
      await index.put(item);
      feed.receive(inserted(item));
      await new Promise(setImmediate);
    }
    expect(seen.queries - queries).toBeGreaterThan(15);
    expect(seen.queries - queries).toBeLessThanOrEqual(21);
  });

  it('is read once for all who watch it, and anew once all of them have left', async () => {
    const { index, feed, open, seen, until } = bench();
    const watchers = Array.from({ length: 10 }, () => open());
    for (const next of watchers) await next();
    await until(GRACE_MS);
    expect(seen.queries).toBe(2);
    const item = indexItem('TICKET-1', 'now', 1);
    await index.put(item);
    feed.receive(inserted(item));
    for (const next of watchers) expect(await next()).toMatchObject({ type: 'enter', item: { source: 'TICKET-1' } });
    // Who comes later gets what the others have.
    expect(await open()()).toMatchObject({ type: 'page', items: [{ source: 'TICKET-1' }] });
    expect(seen.queries).toBe(3);
    for (const one of ending) one.abort(new Error('gone'));
    for (const events of opened) await events.return(undefined);
    await open()();
    while (feed['all'].size > 1) await new Promise(setImmediate);
    // The end of the first list leaves the second one to all who come.
    await open()();
    expect(seen.queries).toBe(4);
  });

  it('is read anew where the table is migrated, though no record tells of it', async () => {
    let projections = projectionsOfModel(graph);
    const { index, feed, open, seen, until } = bench({ hold: (read) => read(projections) });
    const next = open();
    await next();
    await until(GRACE_MS);
    await index.put(indexItem('TICKET-1', 'a', 1));
    projections = projectionsOfModel(graph);
    const fromMs = seen.nowMs;
    expect(await next()).toMatchObject({ type: 'enter', item: { source: 'TICKET-1' } });
    expect(seen.nowMs - fromMs).toBeLessThanOrEqual(PAUSE_MS + RENEW_MS);
    expect(feed['all'].size).toBe(1);
  });
});

it('ends with its signal, also while it waits behind a read that hangs', async () => {
  const hanging = withReplacedCalls(new MemoryStore(graph.table, {}) as Store, {
    query: () => new Promise(() => undefined),
  });
  const feed = new Feed(graph, { indexGraceMs: GRACE_MS });
  const context = readContext(graph, { store: hanging });
  const leases = withoutRegistry(graph);
  const of = (signal: AbortSignal) => feed.watch(context, leases, LIST, { signal });
  const [first, second] = [new AbortController(), new AbortController()];
  const pages = [first, second].map(({ signal }) => of(signal).next());
  second.abort(new Error('gone'));
  await expect(pages[1]).rejects.toThrow('gone');
  first.abort(new Error('gone too'));
  await expect(pages[0]).rejects.toThrow('gone too');
});

describe('a signal that is aborted between two events', () => {
  const unhandled: unknown[] = [];
  const note = (reason: unknown): void => {
    unhandled.push(reason);
  };
  beforeEach(() => {
    unhandled.length = 0;
    process.on('unhandledRejection', note);
  });
  afterEach(() => {
    process.off('unhandledRejection', note);
  });
  const settle = async (): Promise<void> => {
    for (let turn = 0; turn < 2 * WAIT_TURNS; turn++) await new Promise(setImmediate);
  };

  it('ends the loop, and nothing else rejects', async () => {
    const { feed, context } = bench();
    const leaving = new AbortController();
    const loop = async (): Promise<void> => {
      for await (const { type } of feed.watch(context, withoutRegistry(graph), LIST, { signal: leaving.signal }))
        leaving.abort(new Error(`gone after the ${type}`));
    };
    await expect(loop()).rejects.toThrow('gone after the page');
    await settle();
    expect(unhandled).toEqual([]);
  });

  it('ends a watch that has not begun, though its registry cannot be read', async () => {
    const { feed, context } = bench();
    const hold = async (): Promise<never> => {
      await new Promise(setImmediate);
      throw new Error('It has no registry.');
    };
    const events = feed.watch(context, { hold }, LIST, { signal: AbortSignal.abort(new Error('gone before')) });
    await expect(events.next()).rejects.toThrow('gone before');
    await settle();
    expect(unhandled).toEqual([]);
  });
});

it('ends for all with the error of a read, and begins anew', async () => {
  const { index, open, context } = bench();
  const { query } = index;
  index.query = () => Promise.reject(new Error('It has failed.'));
  const watchers = [open(), open()];
  for (const next of watchers) await expect(next()).rejects.toThrow('It has failed.');
  index.query = query;
  expect(context.graph).toBe(graph);
  expect(await open()()).toMatchObject({ type: 'page' });
});

describe('a feed waits between two reads', () => {
  it.each([
    { pollIntervalMs: 500, isFailing: false, waits: [500, 500, 500, 500, 500] },
    { pollIntervalMs: 60_000, isFailing: false, waits: [60_000, 60_000, 60_000] },
    // The first read lists no shards, so it cannot fail.
    { pollIntervalMs: 500, isFailing: true, waits: [500, 1_000, 2_000, 4_000, 8_000, 10_000, 10_000] },
    { pollIntervalMs: 60_000, isFailing: true, waits: [60_000, 60_000, 60_000] },
  ])('of a quiet stream, and after failures: %j', async ({ pollIntervalMs, isFailing, waits }) => {
    let isBegun = false;
    let nowMs = 0;
    const source = {
      async describe() {
        if (isBegun && isFailing) throw new StoreError('retryable', 'ThrottlingException', 'Slow down.');
        isBegun = true;
        return { status: 'ENABLED', shards: [] };
      },
    };
    const waited: number[] = [];
    const { ended } = await startFeedOf(graph, source as never, {
      pollIntervalMs,
      now: () => nowMs,
      async wait(ms) {
        if (waited.push(ms) === waits.length) throw new Error('enough');
        // The next read lists the shards again.
        nowMs += ms + 60_000;
      },
    });
    await ended;
    expect(waited).toEqual(waits);
  });
});

describe('upTo', () => {
  it('is the time before which a list that has taken the event shows every change', async () => {
    const { index, feed, open, seen, until } = bench();
    const next = open();
    feed.noteThrough(-1_000);
    // The index may lack what was written in the seconds before, and no record tells of it.
    expect(await next()).toMatchObject({ type: 'page', upTo: at(-GRACE_MS) });
    await index.put(indexItem('TICKET-1', 'a', 1));
    expect(await next()).toMatchObject({ type: 'enter', item: { source: 'TICKET-1' }, upTo: at(0) });
    await until(seen.nowMs + PAUSE_MS);
    const toldMs = seen.nowMs;
    for (const [ticket, since] of [
      ['TICKET-2', 'b'],
      ['TICKET-3', 'c'],
    ] as const) {
      await index.put(indexItem(ticket, since, 1));
      feed.receive(inserted(indexItem(ticket, since, 1)));
    }
    feed.noteThrough(toldMs - 500);
    // Without the next step the list lacks a change.
    expect(await next()).toMatchObject({ item: { source: 'TICKET-2' }, upTo: at(0) });
    expect(await next()).toMatchObject({ item: { source: 'TICKET-3' }, upTo: at(toldMs - GRACE_MS) });
  });

  it('rises while nothing changes', async () => {
    const { feed, open, seen, until } = bench();
    await open()();
    await until(GRACE_MS + RENEW_MS);
    feed.noteThrough(seen.nowMs - 500);
    const throughMs = seen.nowMs - 500;
    await until(seen.nowMs + 2 * RENEW_MS);
    expect(await open()()).toMatchObject({ type: 'page', upTo: at(throughMs) });
  });

  it('of nodes is the time of a whole read at first, and then that of the records', async () => {
    const { index, feed, open, seen, until } = bench();
    seen.nowMs = 1_000;
    const next = open({ views: ['USER-1', 'USER-2'] });
    expect(await next()).toMatchObject({ type: 'page', upTo: at(1_000) });
    await until(2_000);
    for (const id of ['USER-1', 'USER-2']) {
      const view: Item = {
        ...{ source: { S: id }, target: { S: '~view' }, r: { N: '1' } },
        attributes: { M: { name: { S: 'Ann' } } },
      };
      await index.put(view);
      feed.receive(inserted(view));
    }
    feed.noteThrough(1_900);
    expect(await next()).toMatchObject({ type: 'change', at: 0, upTo: at(1_000) });
    expect(await next()).toMatchObject({ type: 'change', at: 1, upTo: at(1_900) });
  });
});

it('reads of watched nodes those that the feed names', async () => {
  const { index, feed, open, until } = bench();
  const asked: string[][] = [];
  const { getMany } = index;
  index.getMany = (keys, options) => {
    asked.push(keys.map(({ source }) => source));
    return getMany.call(index, keys, options);
  };
  const next = open({ views: ['USER-1', 'USER-2', 'USER-3'] });
  expect(await next()).toMatchObject({ type: 'page', items: [null, null, null] });
  await until(PAUSE_MS);
  const view: Item = {
    ...{ source: { S: 'USER-2' }, target: { S: '~view' }, r: { N: '1' } },
    attributes: { M: { name: { S: 'Ann' } } },
  };
  await index.put(view);
  feed.receive(inserted(view));
  expect(await next()).toMatchObject({ type: 'change', at: 1, item: { attributes: { name: 'Ann' } } });
  expect(asked.filter((sources) => sources.length > 0)).toEqual([['USER-1', 'USER-2', 'USER-3'], ['USER-2']]);
});

describe('bounds of watching', () => {
  it.each([
    { inbound: ['USER-1', 'ASSIGNED'], limit: 1e9 },
    { views: Array.from({ length: 1_001 }, (_, i) => `USER-${i}`) },
  ] as WatchQuery[])('refuse to hold more than 1,000 rows', async (query) => {
    await expect(bench().open(query)()).rejects.toMatchObject({
      code: 'invalid-argument',
      message: expect.stringContaining('at most 1000'),
    });
  });

  it('keep no record for who takes none', async () => {
    const { feed } = bench();
    const subscription = feed.subscribe(['TICKET-1']);
    const large = inserted({
      ...indexItem('TICKET-1', 'a', 1),
      attributes: { M: { text: { S: 'x'.repeat(400_000) } } },
    });
    for (let i = 0; i < 10_000; i++) feed.receive(large);
    expect(await subscription.take(0)).toMatchObject({ names: new Set(['TICKET-1']) });
    expect(await subscription.take(0)).toMatchObject({ names: new Set() });
  });

  /** Edges of 8 KB each that the list leaves out: soft-deleted ones, or those that no filter lets pass. */
  async function leftOut(index: MemoryStore, type: 'ASSIGNED' | 'BOOKED'): Promise<void> {
    for (let i = 0; i < 202; i++) {
      const [source, target] = [`TICKET-${String(i).padStart(3, '0')}`, `${type}-USER-1`];
      const isShown = i >= 200;
      const base: Item = {
        ...{ source: { S: source }, target: { S: target }, since: { S: `a${i}` }, day: { S: `d${1000 + i}` } },
        ...{ state: { S: isShown ? 'OPEN' : 'x'.repeat(8_000) }, note: { S: 'n'.repeat(8_000) } },
        ...(!isShown && { void: { BOOL: true } }),
      };
      await index.put(base);
      for (const [key, fields] of derivedOf(graph, source, target, base, undefined).indexItems)
        await index.put({ ...fields, source: { S: source }, target: { S: key }, r: { N: '1' } });
    }
  }

  it.each([
    { inbound: ['USER-1', 'ASSIGNED'], where: { state: 'OPEN' }, limit: 2 },
    { inbound: ['USER-1', 'BOOKED'], limit: 2 },
  ] as const)('end a list whose rows cost more than its units: %j', async (query) => {
    const { index, open } = bench();
    await leftOut(index, query.inbound[1]);
    await expect(open(query)()).rejects.toMatchObject({ code: 'list-not-filled' });
    expect(await open({ ...query, maxRcu: 1_000 })()).toMatchObject({
      items: [{ source: 'TICKET-200' }, { source: 'TICKET-201' }],
    });
  });
});

describe('a query that a client has sent', () => {
  const searched = (() => {
    const model = defineGraph({
      table: 'searched',
      nodes: {
        USER: node({ view: 'ALL', search: { name: { shards: 2 }, mail: { native: true } } }),
        TICKET: node({ view: 'ALL' }),
        NOTE: node(),
      },
      edges: {
        ASSIGNED: edge({ from: 'TICKET', to: 'USER', inbound: { orders: { gsi0: rank('role', { LEAD: 1 }) } } }),
        BLOCKS: edge({ from: 'TICKET', to: 'TICKET' }),
      },
    });
    return { graph: model, index: new MemoryStore(model.table, {}), feed: new Feed(model) };
  })();
  const list = { inbound: ['USER-1', 'ASSIGNED'] };
  const ofList: object[] = [
    ...[{ views: ['USER-1'] }, { search: 'USER.name' }, { limit: '5' }, { limit: null }, { limit: 1_001 }],
    ...[{ where: { title: 'a' } }, { order: 5 }, { order: {} }, { order: 'none' }, { between: {} }, { partition: {} }],
    ...[{ between: [undefined, []] }, { beginsWith: 5 }, { equals: {} }, { equals: 'NONE' }, { path: 5 }, { pages: 3 }],
    ...[{ where: 5 }, { reverse: 'no' }],
  ];
  const ofSearch: object[] = [
    ...[{ equals: {} }, { beginsWith: 5 }, { between: [{}, undefined] }],
    ...[{ where: 5 }, { reverse: 'no' }, { maxRcu: '9' }],
  ];
  it.each<unknown>([
    ...[null, 5, 'inbound', [], {}, { views: 'USER-1' }, { views: 5 }, { views: [5] }, { views: { length: 3 } }],
    ...[{ inbound: 5 }, { inbound: 'AB' }, { inbound: ['ASSIGNED'] }, { inbound: [5, 'ASSIGNED'] }, { inbound: null }],
    ...[{ search: 5 }, { search: ['USER.name'] }, { search: 'USER.age' }, { inbound: ['USER-1', 'NONE'] }],
    ...[{ inbound: ['TICKET-1', 'BLOCKS'] }, { inbound: ['USER', 'ASSIGNED'] }, { views: ['NOTE-1'] }],
    ...[{ inbound: [`USER-${'x'.repeat(2_048)}`, 'ASSIGNED'] }, { inbound: ['USER-\ud800', 'ASSIGNED'] }],
    ...[5, {}].map((attributes) => ({ views: ['USER-1'], attributes })),
    ...ofList.map((more) => ({ ...list, ...more })),
    ...ofSearch.map((more) => ({ search: 'USER.name', ...more })),
    { search: 'USER.mail', beginsWith: 'a' },
  ])('is refused with an error that names it: %j', async (query) => {
    const { index } = searched;
    const context = readContext(searched.graph, { store: index as Store });
    const watch = (asked: unknown, options: object) =>
      searched.feed.watch(context, withoutRegistry(searched.graph), asked as never, options);
    const error = await watch(query, {})
      .next()
      .then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
    expect(error).toBeInstanceOf(EdgeloomError);
    const handle = watchHandler({ reader: { watch } as never, query: () => query as never });
    expect((await handle(new Request('http://localhost/'))).status).toBe(400);
  });
});
