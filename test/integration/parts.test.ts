import { describe, expect, it } from 'vitest';
import { createReader } from '../../src/client/read/reader.ts';
import { createSession } from '../../src/client/session/session.ts';
import { createWriter } from '../../src/client/write/writer.ts';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import { edge, node, part, source } from '../../src/core/model/schema.ts';
import { createWorker } from '../../src/projecting/worker/worker.ts';
import { memoryCheckpoint } from '../../src/stream/checkpoint.ts';
import { check } from '../../src/trust/check/check.ts';
import { explain } from '../../src/trust/explain/explain.ts';
import { throughCalls } from '../support/calls.ts';
import { testTable, uniqueTableName } from '../support/table.ts';

const graphOf = () =>
  defineGraph({
    table: uniqueTableName(),
    nodes: {
      // A search of the node that has the name of the part: its key is that of the part's item behind `~ix/`.
      USER: node({
        view: ['name'],
        search: { name: { shards: 1 }, STATE: { shards: 1, project: ['name'] } },
        parts: {
          STATE: part({
            view: ['status'],
            search: { status: { shards: 1 }, devices: { multiValue: true, shards: 1 } },
          }),
          COUNTS: part(),
        },
      }),
      ROOM: node({ view: 'ALL' }),
    },
    edges: {
      IN: edge({
        from: 'USER',
        to: 'ROOM',
        inbound: {
          orders: { gsi0: 'since', byStatus: [source('STATE.status'), 'since'] },
          projectSource: ['STATE.status'],
        },
      }),
    },
  });

async function chat() {
  const { graph, store, streams, streamArn } = await testTable(graphOf());
  const checkpoint = memoryCheckpoint();
  return {
    graph,
    store,
    writer: createWriter(graph, { store }),
    reader: createReader(graph, { store }),
    run: () =>
      createWorker(graph, { store, streams, streamArn, checkpoint, pollIntervalMs: 20 }).run({ untilIdle: true }),
    checked: () => check(graph, { store, graceMs: 20 }),
  };
}

const ADA = 'USER-ada';
const CLEAN = { drift: { missing: 0, stale: 0, orphan: 0 }, quarantined: 0 };

describe('a part of a node', () => {
  it('is shown beside the node, found, and orders its edges', async () => {
    const { store, writer, reader, run, checked } = await chat();
    await writer.putNode(ADA, { name: 'Ada', about: 'x'.repeat(4_000), STATE: 'of the node' });
    await writer.putEdge(ADA, 'IN', 'ROOM-1', { since: '2026' });
    await writer.putPart(ADA, 'STATE', { status: 'online', secret: 1, devices: ['phone', 'desk'] });
    await store.put({ source: { S: ADA }, target: { S: 'COUNTS' }, unread: { N: '3' } });
    await run();
    expect(await reader.getViews([ADA])).toEqual([
      {
        id: ADA,
        attributes: { name: 'Ada', STATE: { status: 'online' }, COUNTS: { unread: 3 } },
        edgeSet: [expect.anything()],
      },
    ]);
    expect(await reader.getViews([ADA, 'USER-bob'], { attributes: ['STATE'] })).toMatchObject([
      { attributes: { STATE: { status: 'online', secret: 1, devices: ['phone', 'desk'] } } },
      null,
    ]);
    expect((await reader.search('USER.STATE.status').equals('online')).items).toEqual([
      { id: ADA, value: 'online', attributes: {} },
    ]);
    expect((await reader.search('USER.STATE.devices').equals('desk')).items).toMatchObject([{ id: ADA }]);
    expect((await reader.search('USER.STATE').equals('of the node')).items).toMatchObject([{ id: ADA }]);
    const inRoom = await reader.inbound('ROOM-1', 'IN', { order: 'byStatus', path: ['online'] });
    expect(inRoom.items).toMatchObject([{ source: ADA, attributes: { 'STATE.status': 'online' } }]);
    expect(await checked()).toMatchObject(CLEAN);

    await writer.updatePart(ADA, 'STATE', { set: { status: 'away' }, remove: ['devices'] });
    await writer.deletePart(ADA, 'COUNTS');
    await run();
    expect((await reader.getViews([ADA]))[0]!.attributes).toEqual({ name: 'Ada', STATE: { status: 'away' } });
    expect((await reader.search('USER.STATE.devices').between()).items).toEqual([]);
    expect((await reader.inbound('ROOM-1', 'IN', { order: 'byStatus', path: ['away'] })).items).toHaveLength(1);
    expect(await checked()).toMatchObject(CLEAN);
  });

  it('takes one Query of the view for one node, and one BatchGetItem for several', async () => {
    const { graph, store, writer, run } = await chat();
    await writer.putNode(ADA, { name: 'Ada' });
    await writer.putNode('USER-bob', { name: 'Bob' });
    await writer.putPart('USER-bob', 'STATE', { status: 'away' });
    await run();
    const calls: string[] = [];
    const counting = throughCalls(store, async (method, _parameters, call) => {
      calls.push(method);
      return await call();
    });
    const reader = createReader(graph, { store: counting });
    await reader.getViews([ADA]);
    expect(calls.filter((name) => name === 'query')).toHaveLength(1);
    calls.length = 0;
    expect(await reader.getViews([ADA, 'USER-bob'])).toMatchObject([
      { attributes: { name: 'Ada' } },
      { attributes: { name: 'Bob', STATE: { status: 'away' } } },
    ]);
    expect(calls.filter((name) => name === 'query')).toHaveLength(0);
  });

  it('makes counts of its own searches inexact in a session, is waited for, and explained', async () => {
    const { graph, store, writer, reader, run } = await chat();
    await writer.putNode(ADA, { name: 'Ada' });
    await run();
    const session = createSession();
    const own = reader.with(session);
    await writer.with(session).putPart(ADA, 'STATE', { status: 'online' });
    expect(await own.search('USER.STATE.status').count()).toEqual({ count: 0, exact: false });
    expect(await own.search('USER.name').count()).not.toHaveProperty('exact');
    const waiting = reader.waitForProjection(ADA, { timeoutMs: 1 });
    await expect(waiting).rejects.toThrow(/still different: .*~view\/STATE/);
    const before = await explain(graph, { key: { source: ADA, target: 'STATE' }, store });
    expect(before.item.kind).toBe('part');
    expect(before.parts.map(({ name, state }) => [name, state])).toEqual([
      ['nodes.USER.parts.STATE.view', 'lag'],
      ['nodes.USER.parts.STATE.search.status', 'lag'],
      ['nodes.USER.parts.STATE.search.devices', 'absent'],
    ]);
    await run();
    const view = await explain(graph, { key: { source: ADA, target: '~view/STATE' }, store });
    expect(view.parts).toMatchObject([{ source: ADA, target: 'STATE', name: 'nodes.USER.parts.STATE.view' }]);
    expect((await explain(graph, { key: { source: ADA, target: '~ix/#STATE/status' }, store })).parts).toMatchObject([
      { target: 'STATE', name: 'nodes.USER.parts.STATE.search' },
    ]);
  });

  it('is written only as the model declares it', async () => {
    const { writer } = await chat();
    await writer.putPart(ADA, 'STATE', { status: 'online' });
    await expect(writer.putPart(ADA, 'STATE', {}, { ifAbsent: true })).rejects.toThrow(/condition|exists/i);
    await expect(writer.putPart(ADA, 'STATE', { status: 1 })).rejects.toThrow(
      `Part "${ADA}" "STATE": attribute status`,
    );
    await expect(writer.putPart(ADA, 'NONE' as 'STATE', {})).rejects.toMatchObject({
      hint: 'The parts of USER are STATE, COUNTS.',
    });
    await expect(writer.putPart('ROOM-1' as never, 'STATE' as never, {} as never)).rejects.toMatchObject({
      hint: 'Declare it under nodes.ROOM.parts.',
    });
  });
});
