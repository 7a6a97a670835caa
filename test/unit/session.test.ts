import { describe, expect, it } from 'vitest';
import { encodeToken, type TokenContent } from '../../src/client/session/token.ts';
import { createReader, createWriter, defineGraph, edge, node, Session, source } from '../../src/index.ts';
import { createProjector } from '../../src/projecting/apply/projector.ts';
import { StreamedStore } from '../support/streamed-store.ts';

const graph = defineGraph({
  table: 'records',
  nodes: { TICKET: node({ view: 'ALL' }), PROJECT: node({ view: 'ALL' }) },
  edges: {
    IN_PROJECT: edge({
      from: 'TICKET',
      to: 'PROJECT',
      inbound: { orders: { gsi0: source('status') }, projectSource: ['status'] },
    }),
  },
});

/** A ticket with so many edges, projected, and a session that has changed it since. */
async function changedTicket(edges: number, knowsMark: boolean) {
  const store = new StreamedStore(graph);
  const reader = createReader(graph, { store });
  await store.producer('TICKET-1', 'TICKET-1', { status: { S: 'open' } });
  for (let i = 0; i < edges; i++) await store.producer('TICKET-1', `IN_PROJECT-PROJECT-${i}`, {});
  const projector = createProjector(graph, { store, fanOutPageSize: 2 });
  let projected = 0;
  const project = async () => {
    const records = store.records.slice(projected);
    projected = store.records.length;
    await projector.project(records);
    return records.length > 0;
  };
  while (await project());
  let now = Date.now();
  const options = { now: () => now, ...(knowsMark && { lowWatermark: async () => now }) };
  let session = new Session(options);
  await createWriter(graph, { store }).with(session).putNode('TICKET-1', { status: 'done' });
  const read = async (laterMs: number) => {
    now += laterMs;
    session = Session.from(session.token(), options);
    const { items } = await reader.with(session).inbound(`PROJECT-${edges - 1}` as string, 'IN_PROJECT');
    return { status: items[0]?.attributes['status'], keys: session.keys().length, token: session.token() };
  };
  return { store, project, read };
}

it('a session is of one table: its token is refused by a reader and a writer of another', async () => {
  const graphs = ['one', 'other'].map((table) =>
    defineGraph({ table, nodes: { TICKET: node({ view: 'ALL' }) }, edges: {} }),
  );
  const [one, other] = graphs.map((of) => {
    const store = new StreamedStore(of);
    return { reader: createReader(of, { store }), writer: createWriter(of, { store }) };
  });
  const session = new Session();
  await one!.writer.with(session).putNode('TICKET-1', {});
  const again = Session.from(session.token());
  one!.reader.with(again);
  const refused = expect.objectContaining({ code: 'invalid-session', message: expect.stringContaining('other') });
  expect(() => other!.reader.with(again)).toThrow(refused);
  expect(() => other!.writer.with(again)).toThrow(refused);
});

describe('a token that no session gave', () => {
  const keyed = (count: number): TokenContent['keys'] =>
    Array.from({ length: count }, (_, i) => [`TICKET-${i}`, `TICKET-${i}`, Date.now() - 90_000]);

  it('is refused where it holds more keys than a session remembers', () => {
    const token = encodeToken({ keys: keyed(1_000) }, undefined);
    expect(() => Session.from(token)).toThrow(
      expect.objectContaining({ code: 'invalid-session', message: expect.stringContaining('more keys') }),
    );
    expect(Session.from(encodeToken({ keys: keyed(30) }, undefined)).keys()).toHaveLength(30);
  });

  it('makes one read look at ten keys at most, and later ones at the others', async () => {
    let session = Session.from(encodeToken({ keys: keyed(25) }, undefined));
    const looked: string[] = [];
    const refresh = async (): Promise<void> => {
      const looks = looked.length;
      await session.refresh(
        async ({ source }) => {
          looked.push(source);
          return { agrees: false, revisions: '' };
        },
        async () => true,
      );
      expect(looked.length - looks).toBe(10);
      session = Session.from(session.token());
    };
    for (let i = 0; i < 3; i++) await refresh();
    expect(new Set(looked).size).toBe(25);
  });
});

describe('a session', () => {
  it('keeps what is written again while a look at it is under way', async () => {
    let now = Date.now();
    const session = new Session({ now: () => now });
    const key = { source: 'TICKET-1', target: 'TICKET-1' };
    session.note([key])();
    const refresh = (during: () => void = () => undefined) =>
      session.refresh(
        async () => {
          during();
          return { agrees: true, revisions: '1' };
        },
        async () => true,
      );
    now += 61_000;
    await refresh();
    now += 61_000;
    await refresh(() => session.note([key])());
    expect(session.keys()).toEqual([key]);
  });
});

describe('a session with too many writes to remember', () => {
  it('does not know its writes until those that began before are projected too', async () => {
    let now = Date.now();
    let mark = 0;
    const session = new Session({ now: () => now, lowWatermark: async () => mark });
    const keysOf = (name: string, count: number) =>
      Array.from({ length: count }, (_, i) => ({ source: `${name}-${i}`, target: `${name}-${i}` }));
    const refreshAt = async (at: number) => {
      mark = at;
      for (let look = 0; look < 2; look++) {
        now += 11_000;
        await session.refresh(
          async () => ({ agrees: false, revisions: '' }),
          async () => true,
        );
      }
      return session.ownWrites;
    };
    const end = session.note(keysOf('TICKET', 1));
    session.note(keysOf('PROJECT', 60))();
    now += 60_000;
    expect(await refreshAt(now)).toBe('unknown');
    now += 60_000;
    end();
    expect(await refreshAt(now - 60_000)).toBe('unknown');
    now += 60_000;
    expect(await refreshAt(now)).toBe('shown');
    // The key is of a later write alone.
    session.note(keysOf('TICKET', 1));
    now += 60_000;
    await refreshAt(now);
    expect(session.keys()).toEqual(keysOf('TICKET', 1));
  });
});

describe('a session that changed a node whose edges show it', () => {
  it('keeps the node past the mark of the stream until the last page of its edges shows it', async () => {
    const { project, read } = await changedTicket(5, true);
    await project();
    for (const laterMs of [6_000, 60_000]) expect(await read(laterMs)).toMatchObject({ status: 'done', keys: 1 });
    while (await project());
    expect(await read(1_000)).toMatchObject({ keys: 1 });
    expect(await read(10_000)).toMatchObject({ status: 'done', keys: 0 });
  });

  it('keeps its token small however many edges there are', async () => {
    const { store, project, read } = await changedTicket(120, false);
    while (await project());
    for (let i = 0; i < 120; i++) {
      // Each has been written another number of times.
      const item = await store.derived('TICKET-1', `~ix/IN_PROJECT-PROJECT-${i}`);
      await store.put({ ...item, r: { N: String((i * 7_919) % 1_009) } });
    }
    const { keys, token } = await read(61_000);
    expect(keys).toBe(1);
    expect(token.length).toBeLessThan(200);
    expect(await read(10_000)).toMatchObject({ status: 'done', keys: 0 });
  });
});
