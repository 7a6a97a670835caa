import { DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from 'vitest';
import { createReader } from '../../src/client/read/reader.ts';
import { createWriter } from '../../src/client/write/writer.ts';
import { streamLabel } from '../../src/core/items/watermark.ts';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import { edge, node, part } from '../../src/core/model/schema.ts';
import { check } from '../../src/trust/check/check.ts';
import type { Finding } from '../../src/trust/check/finding.ts';
import { testTable, uniqueTableName } from '../support/table.ts';

/** Tables whose items other software writes under keys of its own, which the model has as templates. */

const model = () =>
  defineGraph({
    table: { name: uniqueTableName(), partitionKey: 'pk', sortKey: 'sk', ttl: 'gone' },
    nodes: {
      ORG: node({ key: { source: 'org#{id}', target: 'meta' }, search: { name: {} }, list: true }),
      USER: node({
        key: { source: 'user#{id}', target: 'user#{id}#profile', case: 'lower' },
        view: ['name'],
        parts: { STATE: part({ search: { mood: {} } }) },
      }),
      TAG: node({}),
    },
    edges: {
      ADMIN: edge({
        from: 'ORG',
        to: 'USER',
        key: { source: 'org#{from}', target: 'member#{to}', where: { _type: 'Admin' } },
        edgeSet: ['since'],
        inbound: { gsi0: 'since' },
      }),
      MEMBER: edge({
        from: 'ORG',
        to: 'USER',
        key: { target: 'member#{to}', where: { _type: 'Member' } },
        edgeSet: ['since'],
        degree: true,
        inbound: { gsi0: 'since' },
      }),
      TAGGED: edge({ from: ['ORG', 'USER'], to: ['TAG', 'ORG'] }),
    },
  });

async function opened() {
  const table = await testTable(model());
  const { graph, client, store, streamArn } = table;
  const documents = DynamoDBDocumentClient.from(client);
  const put = (pk: string, sk: string, rest: object = {}) =>
    documents.send(new PutCommand({ TableName: graph.table.name, Item: { pk, sk, ...rest } }));
  const findings = async (): Promise<unknown> => {
    const found: Finding[] = [];
    const { drift, quarantined, unknownTypes } = await check({
      ...{ graph, store, streamLabel: streamLabel(streamArn), settleMs: 10 },
      onFinding: (one) => found.push(one),
    });
    return {
      drift,
      quarantined,
      unknownTypes: unknownTypes.map(({ type, items }) => [type, items]),
      found: found.filter(({ verdict }) => verdict !== 'unknown'),
    };
  };
  return { ...table, put, findings, reader: createReader(graph, { store }), writer: createWriter(graph, { store }) };
}

const CLEAN = { drift: { missing: 0, stale: 0, orphan: 0 }, quarantined: 0, unknownTypes: [] as unknown[], found: [] };

describe('a table with raw keys', () => {
  it('is projected, read, checked and repaired by the ids that its keys hold', async () => {
    const { put, findings, reader, projectAll, store, graph, streamArn } = await opened();
    await put('org#o1', 'meta', { name: 'First' });
    await put('user#u1', 'user#u1#profile', { name: 'Ada', secret: 1 });
    await put('user#u1', 'STATE', { mood: 'fine' });
    await put('org#o1', 'member#u1', { _type: 'Member', since: '2026-01-02' });
    await put('org#o1', 'member#u2', { _type: 'Admin', since: '2026-01-01' });
    await put('org#o1', 'TAGGED-TAG-t1');
    await put('org#o1', 'invoice#1', { total: 1 });
    await put('elsewhere', 'x', { total: 1 });
    await put('user#U9', 'user#U9#profile', { name: 'another case' });
    await projectAll();
    expect(await reader.get(['ORG-o1', 'USER-u1'])).toMatchObject([
      {
        attributes: { name: 'First' },
        edgeSet: [
          { type: 'ADMIN', target: 'USER-u2', since: '2026-01-01' },
          { type: 'MEMBER', target: 'USER-u1', since: '2026-01-02' },
          { type: 'TAGGED', target: 'TAG-t1' },
        ],
      },
      { attributes: { name: 'Ada', STATE: { mood: 'fine' } } },
    ]);
    expect((await reader.inbound('MEMBER', 'USER-u1')).items).toMatchObject([{ source: 'ORG-o1' }]);
    expect((await reader.search('ORG.name').eq('First')).items).toMatchObject([{ id: 'ORG-o1' }]);
    expect((await reader.search('USER.STATE.mood').eq('fine')).items).toMatchObject([{ id: 'USER-u1' }]);
    expect((await reader.nodes('ORG')).items).toMatchObject([{ id: 'ORG-o1' }]);
    expect(await reader.degree('ORG-o1', 'MEMBER')).toBe(1);
    expect((await reader.edges('ORG-o1')).items.map(({ type, target }) => `${type} ${target}`)).toEqual([
      'ADMIN USER-u2',
      'MEMBER USER-u1',
      'TAGGED TAG-t1',
    ]);
    expect(await reader.has('ORG-o1', 'MEMBER', 'USER-u2')).toBe(false);
    const clean = {
      ...CLEAN,
      unknownTypes: expect.toSatisfy((types) => [...types].sort().join() === '?invoice,1,?user,1,?x,1'),
    };
    expect(await findings()).toEqual(clean);

    // Everything derived of the organisation is lost, and comes back.
    for (const { sk } of await rawItems(store, graph, 'ORG-o1')) {
      if (sk.startsWith('~')) await store.delete({ source: 'ORG-o1', target: sk });
    }
    expect(await findings()).not.toEqual(clean);
    const label = streamLabel(streamArn);
    expect((await check({ graph, store, streamLabel: label, settleMs: 10, mode: 'repair' })).repaired).toBeGreaterThan(
      3,
    );
    expect(await findings()).toEqual(clean);
    expect((await reader.inbound('MEMBER', 'USER-u1')).items).toMatchObject([{ source: 'ORG-o1' }]);
  });

  it('follows an item that becomes one of another type', async () => {
    const { put, findings, reader, projectAll } = await opened();
    await put('org#o1', 'member#u1', { _type: 'Member', since: '2026-01-02' });
    await projectAll();
    await put('org#o1', 'member#u1', { _type: 'Admin', since: '2026-01-03' });
    await projectAll();
    expect((await reader.inbound('MEMBER', 'USER-u1')).items).toEqual([]);
    expect((await reader.inbound('ADMIN', 'USER-u1')).items).toMatchObject([{ source: 'ORG-o1' }]);
    expect(await reader.degree('ORG-o1', 'MEMBER')).toBe(0);
    expect(await findings()).toEqual(CLEAN);
  });

  it('takes writes under its keys, with the attributes that tell types apart', async () => {
    const { findings, reader, writer, projectAll, store, graph } = await opened();
    await writer.putNode('ORG-o1', { name: 'First' });
    await writer.putEdge('ORG-o1', 'MEMBER', 'USER-u1', { since: '2026' });
    await writer.putPart('USER-u1', 'STATE', { mood: 'fine' });
    await writer.updateEdge('ORG-o1', 'ADMIN', 'USER-u2', { set: { since: '2025' } }, { upsert: true });
    const raw = await rawItems(store, graph, 'ORG-o1');
    expect(raw).toEqual([{ sk: 'member#u1', _type: 'Member' }, { sk: 'member#u2', _type: 'Admin' }, { sk: 'meta' }]);
    await projectAll();
    const page = await reader.collection('ORG-o1', { limit: 1 });
    expect(page).toMatchObject({ node: { id: 'ORG-o1' }, items: [{ type: 'ADMIN', target: 'USER-u2' }] });
    expect((await reader.collection('ORG-o1', { cursor: page.cursor })).items).toMatchObject([{ target: 'USER-u1' }]);
    await expect(writer.putNode('USER-U1', {})).rejects.toThrow(/lower case/);
    await writer.deleteNodeWithEdges('ORG-o1');
    await projectAll();
    expect(await reader.get(['ORG-o1'])).toMatchObject([{ attributes: null, edgeSet: [] }]);
    expect((await reader.edges('ORG-o1')).items).toEqual([]);
    expect(await findings()).toEqual(CLEAN);
  });

  it('shows a client its own writes at once', async () => {
    const { put, reader, writer, projectAll } = await opened();
    await put('org#o1', 'member#u1', { _type: 'Member', since: '2026-01-02' });
    await projectAll();
    const session = (await import('../../src/client/session/session.ts')).createSession();
    await writer.with(session).putEdge('ORG-o2', 'MEMBER', 'USER-u1', { since: '2026-01-01' });
    await writer.with(session).deleteEdge('ORG-o1', 'MEMBER', 'USER-u1');
    const mine = reader.with(session);
    expect((await mine.inbound('MEMBER', 'USER-u1')).items.map(({ source }) => source)).toEqual(['ORG-o2']);
    expect((await mine.edges('ORG-o2')).items).toMatchObject([{ target: 'USER-u1' }]);
  });
});

/** The items of a node's partition under their raw sort keys. */
async function rawItems(
  store: Awaited<ReturnType<typeof opened>>['store'],
  graph: { table: { rawKeys?: unknown } },
  source: string,
): Promise<{ sk: string; _type?: string }[]> {
  const { DynamoDBStore } = await import('../../src/store/dynamodb.ts');
  expect(store).toBeInstanceOf(DynamoDBStore);
  const { items } = await (store as unknown as { store: { raw: typeof store } }).store.raw.query({
    partition: source.replace('ORG-', 'org#'),
  });
  expect(graph.table.rawKeys).toBeDefined();
  return items.map(({ sk, _type }) => ({
    sk: (sk as { S: string }).S,
    ...(_type !== undefined && { _type: (_type as { S: string }).S }),
  }));
}
