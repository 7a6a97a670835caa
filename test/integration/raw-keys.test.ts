import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DeleteCommand, DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from 'vitest';
import { createReader } from '../../src/client/read/reader.ts';
import { importFile } from '../../src/client/write/import.ts';
import { createWriter } from '../../src/client/write/writer.ts';
import { streamLabel } from '../../src/core/items/watermark.ts';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import { edge, node, part } from '../../src/core/model/schema.ts';
import { check } from '../../src/trust/check/check.ts';
import type { Finding } from '../../src/trust/check/finding.ts';
import { eraseSubject } from '../../src/trust/subject/erase-subject.ts';
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
        inbound: { orders: { gsi0: 'since' } },
      }),
      MEMBER: edge({
        from: 'ORG',
        to: 'USER',
        key: { target: 'member#{to}', where: { _type: 'Member' } },
        edgeSet: ['since'],
        degree: true,
        inbound: { orders: { gsi0: 'since' } },
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
    const { drift, quarantined, unknownTypes } = await check(graph, {
      ...{ store, streamLabel: streamLabel(streamArn), settleMs: 10 },
      onFinding: (one) => found.push(one),
    });
    return {
      drift,
      quarantined,
      unknownTypes: unknownTypes.map(({ type, items }) => [type, items]),
      found: found.filter(({ verdict }) => verdict !== 'unknown'),
    };
  };
  return {
    ...table,
    documents,
    put,
    findings,
    reader: createReader(graph, { store }),
    writer: createWriter(graph, { store }),
  };
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
    expect(await reader.getViews(['ORG-o1', 'USER-u1'])).toMatchObject([
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
    expect((await reader.inbound('USER-u1', 'MEMBER')).items).toMatchObject([{ source: 'ORG-o1' }]);
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
    expect((await check(graph, { store, streamLabel: label, settleMs: 10, mode: 'repair' })).repaired).toBeGreaterThan(
      3,
    );
    expect(await findings()).toEqual(clean);
    expect((await reader.inbound('USER-u1', 'MEMBER')).items).toMatchObject([{ source: 'ORG-o1' }]);
  });

  it('follows an item that becomes one of another type', async () => {
    const { put, findings, reader, projectAll } = await opened();
    await put('org#o1', 'member#u1', { _type: 'Member', since: '2026-01-02' });
    await projectAll();
    await put('org#o1', 'member#u1', { _type: 'Admin', since: '2026-01-03' });
    await projectAll();
    expect((await reader.inbound('USER-u1', 'MEMBER')).items).toEqual([]);
    expect((await reader.inbound('USER-u1', 'ADMIN')).items).toMatchObject([{ source: 'ORG-o1' }]);
    expect(await reader.degree('ORG-o1', 'MEMBER')).toBe(0);
    expect(await findings()).toEqual(CLEAN);
  });

  it('takes no write of a type with templates, in whatever way', async () => {
    const { writer, reader, put, projectAll, store, graph } = await opened();
    await put('org#o1', 'meta', { name: 'First' });
    await put('org#o1', 'member#u1', { _type: 'Stranger', note: 'of the application' });
    await put('user#u1', 'STATE', { mood: 'of the application' });
    await put('TAG-t1', 'TAG-t1', { name: 'own' });
    await put('org#o1', 'TAGGED-TAG-t1');
    await projectAll();
    const before = await rawItems(store, graph, 'ORG-o1');
    const readOnly = { code: 'read-only-type', message: expect.stringContaining('Edgeloom only reads it') };
    const writes: Record<string, () => Promise<unknown>> = {
      putNode: () => writer.putNode('ORG-o1', {}),
      updateNode: () => writer.updateNode('ORG-o1', { set: { name: 'x' } }),
      'updateNode by a function': () => writer.updateNode('ORG-o1', () => ({})),
      deleteNode: () => writer.deleteNode('ORG-o1'),
      deleteNodeWithEdges: () => writer.deleteNodeWithEdges('ORG-o1'),
      putPart: () => writer.putPart('USER-u1', 'STATE', {}),
      updatePart: () => writer.updatePart('USER-u1', 'STATE', { set: { mood: 'x' } }, { upsert: true }),
      deletePart: () => writer.deletePart('USER-u1', 'STATE'),
      putEdge: () => writer.putEdge('ORG-o1', 'MEMBER', 'USER-u1', {}, { ifAbsent: true }),
      updateEdge: () => writer.updateEdge('ORG-o1', 'MEMBER', 'USER-u1', { set: { since: '1' } }, { upsert: true }),
      deleteEdge: () => writer.deleteEdge('ORG-o1', 'MEMBER', 'USER-u1'),
      'an edge without a template of its own': () => writer.deleteEdge('ORG-o1', 'TAGGED', 'TAG-t1'),
      putMany: () => writer.putMany([{ id: 'ORG-o1', attributes: {} }]),
      'a put in the store': () => store.put({ pk: { S: 'ORG-o1' }, sk: { S: 'ORG-o1' } }),
      'a delete in the store': () => store.delete({ source: 'ORG-o1', target: 'MEMBER-USER-u1' }),
      'a delete of what no template fits': () => store.delete({ source: 'ORG-o1', target: '?member#u1' }),
    };
    for (const [name, write] of Object.entries(writes)) await expect(write(), name).rejects.toMatchObject(readOnly);
    const bad = { code: 'invalid-batch', problems: Array(4).fill({ error: readOnly }) };
    await expect(
      writer.batch((batch) => {
        batch.putNode('TAG-t2', {});
        batch.putNode('ORG-o1', {});
        batch.deleteNode('ORG-o1');
        batch.deleteEdge('ORG-o1', 'MEMBER', 'USER-u1');
        batch.deletePart('USER-u1', 'STATE');
      }),
    ).rejects.toMatchObject(bad);
    await expect(
      writer.transact((transaction) => {
        transaction.requireNode('ORG-o1');
        transaction.putEdge('ORG-o1', 'MEMBER', 'USER-u1', {});
        transaction.updateNode('ORG-o1', { set: { name: 'x' } });
        transaction.deleteEdge('ORG-o1', 'MEMBER', 'USER-u2');
        transaction.deletePart('USER-u1', 'STATE');
      }),
    ).rejects.toMatchObject(bad);
    // A transaction may look at them: an item of another kind under their keys is none.
    const look = (id: 'ORG-o1' | 'ORG-o2', edge?: true) =>
      writer.transact((transaction) => {
        transaction.requireNode(id);
        if (edge) transaction.requireEdge('ORG-o1', 'MEMBER', 'USER-u1');
        transaction.putNode('TAG-t3', {});
      });
    await look('ORG-o1');
    await expect(look('ORG-o2')).rejects.toMatchObject({ code: 'condition-failed' });
    await expect(look('ORG-o1', true)).rejects.toMatchObject({ code: 'condition-failed' });
    // A node of its own goes; the edges of others that enter it stay, and the result names their type.
    expect(await writer.deleteNodeWithEdges('TAG-t1')).toMatchObject({ nodes: 1, edges: 0, notFound: ['TAGGED'] });
    expect(await rawItems(store, graph, 'ORG-o1')).toEqual(before);
    await projectAll();
    expect((await reader.edges('ORG-o1', 'TAGGED')).items).toMatchObject([{ target: 'TAG-t1' }]);
  });

  it('takes no line of an import that is of a type with templates', async () => {
    const { graph, store } = await opened();
    const folder = await mkdtemp(join(tmpdir(), 'edgeloom-'));
    const file = join(folder, 'lines.jsonl');
    await writeFile(file, '{"pk":"TAG-t1","sk":"TAG-t1"}\n{"pk":"ORG-o1","sk":"ORG-o1"}\n');
    await expect(importFile(graph, { store, file })).rejects.toMatchObject({
      code: 'invalid-lines',
      message: expect.stringMatching(/1 line is bad.*line 2: Node "ORG-o1": .*only reads it/s),
    });
    await rm(folder, { recursive: true });
  });

  it('lists what an erasure leaves to other software, and touches nothing of it', async () => {
    const { graph, store, put, reader, projectAll, documents } = await opened();
    await put('user#u1', 'user#u1#profile', { name: 'Ada' });
    await put('user#u1', 'card#1', { secret: 1 });
    await put('org#o1', 'member#u1', { _type: 'Member', since: '1' });
    await put('TAG-1', 'TAG-1');
    await projectAll();
    const erase = (hours = 0) =>
      eraseSubject(graph, { store, id: 'USER-u1', now: () => Date.now() + hours * 3_600_000, segments: 1 });
    const first = await erase();
    const others = 'a base item that other software writes: delete it there';
    expect(first).toMatchObject({ isDone: false, deleted: { nodes: 0, edges: 0, unknown: 0 } });
    expect(first.next).toBeUndefined();
    expect(first.remains.filter(({ what }) => what === others).map(({ where }) => where)).toEqual(
      expect.arrayContaining(['USER-u1 USER-u1', 'USER-u1 ?card#1', 'ORG-o1 MEMBER-USER-u1']),
    );
    expect(await reader.has('ORG-o1', 'MEMBER', 'USER-u1')).toBe(true);
    for (const [pk, sk] of [
      ['user#u1', 'user#u1#profile'],
      ['user#u1', 'card#1'],
      ['org#o1', 'member#u1'],
    ])
      await documents.send(new DeleteCommand({ TableName: graph.table.name, Key: { pk, sk } }));
    await projectAll();
    expect((await erase()).next).toBeDefined();
    expect(await erase(50)).toMatchObject({ isDone: true });
  });

  it('shows a client its own writes at once, if its session is told of them', async () => {
    const { put, reader, projectAll, documents, graph } = await opened();
    await put('org#o1', 'member#u1', { _type: 'Member', since: '2026-01-02' });
    await projectAll();
    const session = (await import('../../src/client/session/session.ts')).createSession();
    const end = session.note(['ORG-o1', 'ORG-o2'].map((source) => ({ source, target: 'MEMBER-USER-u1' })));
    await put('org#o2', 'member#u1', { _type: 'Member', since: '2026-01-01' });
    await documents.send(new DeleteCommand({ TableName: graph.table.name, Key: { pk: 'org#o1', sk: 'member#u1' } }));
    end();
    const mine = reader.with(session);
    expect((await mine.inbound('USER-u1', 'MEMBER')).items.map(({ source }) => source)).toEqual(['ORG-o2']);
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
  const { items } = await (store as unknown as { inner: { raw: typeof store } }).inner.raw.query({
    partition: source.replace('ORG-', 'org#'),
  });
  expect(graph.table.rawKeys).toBeDefined();
  return items.map(({ sk, _type }) => ({
    sk: (sk as { S: string }).S,
    ...(_type !== undefined && { _type: (_type as { S: string }).S }),
  }));
}
