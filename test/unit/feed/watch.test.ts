import { describe, expect, it } from 'vitest';
import { Feed } from '../../../src/client/feed/feed.ts';
import { type WatchQuery, watch } from '../../../src/client/feed/watch.ts';
import { applyWatchEvent } from '../../../src/client/feed/watch-types.ts';
import { readContext } from '../../../src/client/read/reader-options.ts';
import { type Item, stringOf } from '../../../src/core/items/attribute-value.ts';
import { defineGraph } from '../../../src/core/model/compile/define-graph.ts';
import { edge, node } from '../../../src/core/model/schema.ts';
import { derivedOf } from '../../../src/core/plan/derive.ts';
import type { Store } from '../../../src/core/store-port.ts';
import { EdgeloomError } from '../../../src/foundation/errors.ts';
import { withoutRegistry } from '../../../src/registry/reader-lease.ts';
import { MemoryStore } from '../../support/memory-store/memory-store.ts';

const graph = defineGraph({
  table: 'tickets',
  nodes: { USER: node({ view: 'ALL' }), TICKET: node({ view: 'ALL' }) },
  edges: { ASSIGNED: edge({ from: 'TICKET', to: 'USER', inbound: { orders: { gsi0: 'since' } } }) },
});
const GRACE_MS = 3_000;

/** Turns of the event loop that a wait lasts, if nothing ends it: more than a test needs to tell of a record. */
const WAIT_TURNS = 20;

/** A table whose index is another one, so that a test says what it shows; and a clock that each wait moves on. */
function bench(query: WatchQuery = { inbound: ['USER-1', 'ASSIGNED'] }) {
  let nowMs = 0;
  const index = new MemoryStore(graph.table, {});
  const feed = new Feed(graph, {
    indexGraceMs: GRACE_MS,
    now: () => nowMs,
    async wait(ms, signal) {
      for (let turn = 0; turn < WAIT_TURNS; turn++) await new Promise(setImmediate);
      signal?.throwIfAborted();
      nowMs += ms;
    },
  });
  const context = readContext(graph, { store: index as Store });
  const events = watch(context, withoutRegistry(graph), feed, query)[Symbol.asyncIterator]();
  const next = async () => (await events.next()).value;
  const pass = (ms: number): void => {
    nowMs += ms;
  };
  return { index, feed, next, pass };
}

/** The index item of an edge, in one of its states. */
function indexItem(source: string, since: string, revision: number): Item {
  const target = 'ASSIGNED-USER-1';
  const base: Item = { source: { S: source }, target: { S: target }, since: { S: since } };
  const [[key, fields]] = [...derivedOf(graph, source, target, base, undefined).indexItems] as [[string, Item]];
  return { source: { S: source }, target: { S: key }, ...fields, r: { N: String(revision) } };
}

it('reads a list once more when its index has caught up: no record tells of what was written just before', async () => {
  const { index, next } = bench();
  expect(await next()).toMatchObject({ type: 'page', items: [] });
  // Written before the subscription, and shown by the index now.
  await index.put(indexItem('TICKET-1', 'now', 1));
  expect(await next()).toMatchObject({ type: 'enter', at: 0, item: { source: 'TICKET-1' } });
});

it('ends with its signal, also while it waits behind a read that hangs', async () => {
  const hanging = new Proxy(new MemoryStore(graph.table, {}), {
    get(target, name) {
      const member = Reflect.get(target, name) as unknown;
      if (name === 'query') return () => new Promise(() => undefined);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
  const feed = new Feed(graph, { indexGraceMs: GRACE_MS });
  const context = readContext(graph, { store: hanging as Store });
  const leases = withoutRegistry(graph);
  const of = (signal: AbortSignal) => watch(context, leases, feed, { inbound: ['USER-1', 'ASSIGNED'] }, { signal });
  const [first, second] = [new AbortController(), new AbortController()];
  const pages = [first, second].map(({ signal }) => of(signal).next());
  second.abort(new Error('gone'));
  await expect(pages[1]).rejects.toThrow('gone');
  first.abort(new Error('gone too'));
  await expect(pages[0]).rejects.toThrow('gone too');
});

/** The record of an item that is there for the first time. */
function inserted({ source, target, ...rest }: Item) {
  return { dynamodb: { Keys: { source, target } as never, NewImage: { source, target, ...rest } as Item } };
}

/** The record of an item that goes. */
function removed({ source, target, ...rest }: Item) {
  return { dynamodb: { Keys: { source, target } as never, OldImage: { source, target, ...rest } as Item } };
}

const at = (ms: number): string => new Date(ms).toISOString();

describe('upTo', () => {
  it('is the time before which a list that has taken the event shows every change, however slow its reader is', async () => {
    const { index, feed, next } = bench();
    feed.noteThrough(-1_000);
    // The index may lack what was written in the seconds before, and no record tells of it.
    expect(await next()).toMatchObject({ type: 'page', upTo: at(-GRACE_MS) });
    await index.put(indexItem('TICKET-1', 'a', 1));
    expect(await next()).toMatchObject({ type: 'enter', item: { source: 'TICKET-1' }, upTo: at(0) });
    const step = next();
    await new Promise(setImmediate);
    for (const [ticket, since] of [
      ['TICKET-2', 'b'],
      ['TICKET-3', 'c'],
    ] as const)
      feed.receive(inserted(indexItem(ticket, since, 1)));
    feed.noteThrough(2_500);
    // Without the next step the list lacks a change.
    expect(await step).toMatchObject({ item: { source: 'TICKET-2' }, upTo: at(0) });
    feed.receive(inserted(indexItem('TICKET-4', 'd', 1)));
    feed.noteThrough(2_900);
    expect(await next()).toMatchObject({ item: { source: 'TICKET-3' }, upTo: at(2_500) });
    expect(await next()).toMatchObject({ item: { source: 'TICKET-4' }, upTo: at(2_900) });
  });

  it('of nodes is the time of a whole read at first, and then that of the records', async () => {
    const { index, feed, next, pass } = bench({ views: ['USER-1', 'USER-2'] });
    pass(1_000);
    expect(await next()).toMatchObject({ type: 'page', upTo: at(1_000) });
    const changed = next();
    await new Promise(setImmediate);
    for (const id of ['USER-1', 'USER-2']) {
      const view: Item = {
        ...{ source: { S: id }, target: { S: '~view' }, r: { N: '1' } },
        attributes: { M: { name: { S: 'Ann' } } },
      };
      await index.put(view);
      feed.receive(inserted(view));
    }
    feed.noteThrough(4_000);
    expect(await changed).toMatchObject({ type: 'change', at: 0, upTo: at(1_000) });
    feed.noteThrough(5_000);
    expect(await next()).toMatchObject({ type: 'change', at: 1, upTo: at(4_000) });
  });
});

it('keeps what a record has told while the index lags behind it', async () => {
  const { index, feed, next, pass } = bench();
  await index.put(indexItem('TICKET-1', 'a', 1));
  expect(await next()).toMatchObject({ type: 'page', items: [{ source: 'TICKET-1' }] });
  // It waits for news from here on.
  const moved = next();
  await new Promise(setImmediate);
  pass(1_000);
  const [before, after] = [indexItem('TICKET-1', 'a', 1), indexItem('TICKET-1', 'c', 2)];
  const { source, target } = before as { source: { S: string }; target: { S: string } };
  feed.receive({ dynamodb: { Keys: { source, target }, OldImage: before, NewImage: after } });
  await index.put(indexItem('TICKET-2', 'b', 1));
  expect(await moved).toMatchObject({ type: 'leave', at: 0, item: { source: 'TICKET-1' } });
  expect(await next()).toMatchObject({ type: 'enter', at: 0, item: { source: 'TICKET-1' } });
  // The list is read anew by now: the index still has the older state of the first edge.
  expect(await next()).toMatchObject({ type: 'enter', at: 0, item: { source: 'TICKET-2' } });
});

it('takes no record that is older than what is known', async () => {
  const { index, feed, next } = bench();
  await index.put(indexItem('TICKET-1', 'a', 5));
  expect(await next()).toMatchObject({ type: 'page' });
  const [before, after] = [indexItem('TICKET-1', 'x', 3), indexItem('TICKET-1', 'y', 4)];
  const { source, target } = before as { source: { S: string }; target: { S: string } };
  feed.receive({ dynamodb: { Keys: { source, target }, OldImage: before, NewImage: after } });
  await index.put(indexItem('TICKET-2', 'b', 1));
  expect(await next()).toMatchObject({ type: 'enter', at: 1, item: { source: 'TICKET-2' } });
});

it('reads a list again where more came at once than it keeps while the index lags', async () => {
  const { index, feed, next } = bench({ inbound: ['USER-1', 'ASSIGNED'], limit: 1 });
  const first = indexItem('TICKET-1', 'a', 1);
  await index.put(first);
  expect(await next()).toMatchObject({ type: 'page', items: [{ source: 'TICKET-1' }] });
  const left = next();
  // The list has been read a second time by now.
  while (feed.now() < 2 * GRACE_MS) await new Promise(setImmediate);
  const large = { attributes: { M: { text: { S: 'x'.repeat(400_000) } } } };
  const behind = ['TICKET-2', 'TICKET-3', 'TICKET-4', 'TICKET-5'].map((id) => ({
    ...indexItem(id, `b ${id}`, 1),
    ...large,
  }));
  // Not in the index yet.
  for (const item of behind) feed.receive(inserted(item));
  // One more than the reserve.
  for (const item of [first, behind[0]!]) feed.receive(removed(item));
  expect(await left).toMatchObject({ type: 'leave', item: { source: 'TICKET-1' } });
  await index.delete({ source: 'TICKET-1', target: stringOf(first['target'])! });
  for (const item of behind.slice(1)) await index.put(item);
  expect(await next()).toMatchObject({ type: 'enter', item: { source: 'TICKET-4' } });
  expect(await next()).toMatchObject({ type: 'leave', item: { source: 'TICKET-4' } });
  expect(await next()).toMatchObject({ type: 'enter', item: { source: 'TICKET-3' } });
});

describe('bounds of watching', () => {
  it.each([
    { inbound: ['USER-1', 'ASSIGNED'], limit: 1e9 },
    { views: Array.from({ length: 1_001 }, (_, i) => `USER-${i}`) },
  ] as WatchQuery[])('refuse to hold more than 1,000 rows', async (query) => {
    await expect(bench(query).next()).rejects.toMatchObject({ code: 'invalid-limit' });
  });

  it('keep no record for who takes none, and give a gap after 10,000', async () => {
    const { feed } = bench();
    let given = 0;
    const subscription = feed.subscribe({ sources: ['TICKET-1'] }, () => {
      given += 1;
    });
    const large = inserted({
      ...indexItem('TICKET-1', 'a', 1),
      attributes: { M: { text: { S: 'x'.repeat(400_000) } } },
    });
    for (let i = 0; i < 10_000; i++) feed.receive(large);
    expect(JSON.stringify(subscription).length).toBeLessThan(1_000);
    expect([given, await subscription.take(0)]).toMatchObject([10_000, { records: 10_000, gap: undefined }]);
    for (let i = 0; i < 10_001; i++) feed.receive(large);
    expect(await subscription.take(0)).toMatchObject({ gap: 'More changes came than were taken.' });
    expect(await subscription.take(0)).toMatchObject({ records: 0, gap: undefined });
  });
});

describe('a query that a client has sent', () => {
  const searched = (() => {
    const model = defineGraph({
      table: 'searched',
      nodes: { USER: node({ view: 'ALL', search: { name: 'name' } }), TICKET: node({ view: 'ALL' }) },
      edges: { ASSIGNED: edge({ from: 'TICKET', to: 'USER', inbound: { orders: { gsi0: 'since' } } }) },
    });
    return { graph: model, index: new MemoryStore(model.table, {}), feed: new Feed(model) };
  })();
  const list = { inbound: ['USER-1', 'ASSIGNED'] };
  it.each([
    ...[null, 5, 'inbound', [], {}, { views: 'USER-1' }, { views: 5 }, { views: [5] }, { views: { length: 3 } }],
    ...[{ inbound: 5 }, { inbound: 'AB' }, { inbound: ['ASSIGNED'] }, { inbound: [5, 'ASSIGNED'] }, { inbound: null }],
    ...[{ search: 5 }, { search: ['USER.name'] }, { ...list, views: ['USER-1'] }, { ...list, search: 'USER.name' }],
    ...[
      { ...list, limit: '5' },
      { ...list, limit: null },
      { ...list, where: 5 },
      { ...list, order: 5 },
    ],
    ...[
      { ...list, order: {} },
      { ...list, between: {} },
      { ...list, between: [undefined, []] },
    ],
    ...[
      { ...list, partition: {} },
      { ...list, beginsWith: 5 },
      { ...list, equals: {} },
      { ...list, path: 5 },
    ],
    ...[
      { views: ['USER-1'], attributes: 5 },
      { views: ['USER-1'], attributes: {} },
      { search: 'USER.name', equals: {} },
    ],
    ...[
      { search: 'USER.name', beginsWith: 5 },
      { search: 'USER.name', between: [{}, undefined] },
      { search: 'USER.name', where: 5 },
    ],
  ])('is refused with an error that names it: %j', async (query) => {
    const { index } = searched;
    const context = readContext(searched.graph, { store: index as Store });
    const events = watch(context, withoutRegistry(searched.graph), searched.feed, query as never);
    const error = await events.next().then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(EdgeloomError);
  });
});

describe('rows that leave a watched list', () => {
  const SHARDS = 200;
  const LIMIT = 20;
  /** Rows that a list of so many shards knows: those it shows, and 100 in reserve. */
  const KNOWN = 120;

  /** A sharded search, the number of Queries that it was asked by, and lists that watch it. */
  async function sharded(rows: number) {
    const model = defineGraph({
      table: 'sharded',
      nodes: { USER: node({ view: 'ALL', search: { name: { attribute: 'name', shards: SHARDS } } }) },
    });
    const index = new MemoryStore(model.table, {});
    const hit = (i: number): Item => {
      const id = `USER-${i}`;
      const base: Item = { source: { S: id }, target: { S: id }, name: { S: String(i).padStart(4, '0') } };
      const [[key, fields]] = [...derivedOf(model, id, id, base, undefined).indexItems] as [[string, Item]];
      return { source: { S: id }, target: { S: key }, ...fields, r: { N: '1' } };
    };
    for (let i = 0; i < rows; i++) await index.put(hit(i));
    const seen = { queries: 0, nowMs: 0 };
    const store = Object.create(index, {
      query: {
        value: async (request: Parameters<Store['query']>[0]) => {
          seen.queries += 1;
          return await index.query(request);
        },
      },
    }) as Store;
    // It waits for records alone: the second reading, of an index that lags, comes much later.
    const feed = new Feed(model, { indexGraceMs: 3_600_000, now: () => seen.nowMs });
    const context = readContext(model, { store });
    const leases = withoutRegistry(model);
    const open = (query: WatchQuery = { search: 'USER.name', limit: LIMIT }) => {
      const events = watch(context, leases, feed, query)[Symbol.asyncIterator]();
      const list: { id: string }[] = [];
      const take = async (): Promise<void> => applyWatchEvent(list, (await events.next()).value as never);
      return { list, take, events };
    };
    /** Row `i` goes, where those before it have gone. */
    const remove = async (i: number): Promise<void> => {
      const gone = hit(i);
      await index.delete({ source: `USER-${i}`, target: stringOf(gone['target'])! });
      feed.receive(removed(gone));
    };
    const listFrom = (first: number) => Array.from({ length: LIMIT }, (_, at) => `USER-${first + at}`);
    return { seen, feed, open, remove, listFrom, hit };
  }

  it('cost no reading of its shards as long as rows in reserve come up', async () => {
    const { seen, open, remove, listFrom } = await sharded(300);
    const { list, take, events } = open();
    await take();
    expect(list).toHaveLength(LIMIT);
    const atFirst = seen.queries;
    const leave = async (i: number): Promise<void> => {
      await remove(i);
      await take();
      await take();
      expect(list.map(({ id }) => id)).toEqual(listFrom(i + 1));
    };
    for (let i = 0; i < 100; i++) await leave(i);
    expect(seen.queries).toBe(atFirst);
    await leave(100);
    expect(seen.queries).toBeGreaterThan(atFirst);
    const refilled = seen.queries;
    for (let i = 101; i < 200; i++) await leave(i);
    expect(seen.queries).toBe(refilled);
    await events.return(undefined);
  });

  it('cost ten who watch the same list what they cost one; the last to go ends it', async () => {
    const { seen, open, remove, listFrom } = await sharded(300);
    const watchers = Array.from({ length: 10 }, () => open());
    await Promise.all(watchers.map(({ take }) => take()));
    expect(seen.queries).toBe(SHARDS);
    for (let i = 0; i <= KNOWN - LIMIT; i++) {
      await remove(i);
      for (const { take } of watchers) for (const _ of ['leave', 'enter']) await take();
    }
    expect(seen.queries).toBe(2 * SHARDS);
    for (const { list } of watchers) expect(list.map(({ id }) => id)).toEqual(listFrom(101));
    // One that comes later gets the list as it is; another query has a list of its own.
    const late = open();
    await late.take();
    expect(late.list.map(({ id }) => id)).toEqual(listFrom(101));
    expect(seen.queries).toBe(2 * SHARDS);
    const other = open({ search: 'USER.name', limit: LIMIT, beginsWith: '02' });
    await other.take();
    expect(other.list.map(({ id }) => id)).toEqual(listFrom(200));
    expect(seen.queries).toBe(3 * SHARDS);
    for (const { events } of [...watchers, late, other]) await events.return(undefined);
    const again = open();
    await again.take();
    expect(seen.queries).toBe(4 * SHARDS);
    await again.events.return(undefined);
  });

  it('are followed by a reading of its shards once a second, however many leave', async () => {
    const { seen, feed, open, remove, listFrom, hit } = await sharded(400);
    const { list, take, events } = open();
    await take();
    const leaveAll = async (from: number, to: number): Promise<void> => {
      for (let i = from; i < to; i++) await remove(i);
    };
    /** Takes events until the list begins with a row. */
    const shows = async (first: number): Promise<void> => {
      while (list[0]?.id !== `USER-${first}` || list.length < LIMIT) await take();
      expect(list.map(({ id }) => id)).toEqual(listFrom(first));
    };
    await leaveAll(0, 110);
    await shows(110);
    expect(seen.queries).toBe(2 * SHARDS);
    await leaveAll(110, 220);
    const shown = shows(220);
    for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
    expect(seen.queries).toBe(2 * SHARDS);
    seen.nowMs += 1_000;
    // A record wakes it: its own wait is for a second of the clock.
    feed.receive(inserted(hit(399)));
    await shown;
    expect(seen.queries).toBe(3 * SHARDS);
    await events.return(undefined);
  });

  it('and a gap make each of ten read a list that is read once', async () => {
    const { seen, feed, open } = await sharded(30);
    const watchers = Array.from({ length: 10 }, () => open());
    await Promise.all(watchers.map(({ take }) => take()));
    feed.noteGap('Records were lost.');
    const events = await Promise.all(watchers.map(async ({ events: each }) => [await each.next(), await each.next()]));
    for (const [resync, page] of events) {
      expect(resync!.value).toMatchObject({ type: 'resync', reason: 'Records were lost.' });
      expect(page!.value).toMatchObject({ type: 'page' });
    }
    expect(seen.queries).toBe(2 * SHARDS);
    for (const { events: each } of watchers) await each.return(undefined);
  });
});
