import { DeleteCommand, DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from 'vitest';
import { createSession } from '../../src/client/session/session.ts';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import { edge, node, part } from '../../src/core/model/schema.ts';
import { check } from '../../src/trust/check/check.ts';
import { openTable, uniqueTableName } from '../support/table.ts';

/** A table of other software whose items are nodes and edges already, under other names of the key attributes. */

const model = () =>
  defineGraph({
    table: {
      ...{ name: uniqueTableName(), partitionKey: 'pk', sortKey: 'sk', ttl: 'gone' },
      indexes: { gsi0: { name: 'lists', partitionKey: 'list', sortKey: 'position' } },
    },
    nodes: {
      ORG: node({ view: 'ALL', search: { name: {} }, list: true }),
      USER: node({ view: ['name'], parts: { STATE: part({ search: { mood: {} } }) } }),
    },
    edges: {
      MEMBER: edge({
        from: 'ORG',
        to: 'USER',
        edgeSet: ['since'],
        degree: true,
        inbound: { orders: { gsi0: 'since' } },
      }),
    },
  });

async function opened() {
  const table = await openTable(model());
  const { graph, client, store } = table;
  const documents = DynamoDBDocumentClient.from(client);
  const TableName = graph.table.name;
  return {
    ...table,
    put: (pk: string, sk: string, rest: object = {}) =>
      documents.send(new PutCommand({ TableName, Item: { pk, sk, ...rest } })),
    remove: (pk: string, sk: string) => documents.send(new DeleteCommand({ TableName, Key: { pk, sk } })),
    check: (mode: 'report' | 'repair' = 'report') => check(graph, { store, graceMs: 10, mode }),
  };
}

const CLEAN = { missing: 0, stale: 0, orphan: 0 };

describe('a table that is used in place', () => {
  it('is projected, read, checked and repaired, next to items of other types', async () => {
    const { put, remove, reader, projectAll, store, check } = await opened();
    await put('ORG-o1', 'ORG-o1', { name: 'First' });
    await put('USER-u1', 'USER-u1', { name: 'Ada', secret: 1 });
    await put('USER-u1', 'STATE', { mood: 'fine' });
    await put('ORG-o1', 'MEMBER-USER-u1', { since: '2026-01-02' });
    await put('ORG-o1', 'invoice#1', { total: 1 });
    await put('elsewhere', 'x', { total: 1 });
    await projectAll();
    expect(await reader.getViews(['ORG-o1', 'USER-u1'])).toMatchObject([
      { attributes: { name: 'First' }, edgeSet: [{ type: 'MEMBER', target: 'USER-u1', since: '2026-01-02' }] },
      { attributes: { name: 'Ada', STATE: { mood: 'fine' } } },
    ]);
    const members = async (): Promise<string[]> =>
      (await reader.inbound('USER-u1', 'MEMBER')).items.map(({ source }) => source);
    expect(await members()).toEqual(['ORG-o1']);
    expect((await reader.search('ORG.name').equals('First')).items).toMatchObject([{ id: 'ORG-o1' }]);
    expect((await reader.nodes('ORG')).items).toMatchObject([{ id: 'ORG-o1' }]);
    expect(await check()).toMatchObject({ drift: CLEAN, quarantined: 0, unknown: 2 });

    await store.delete({ source: 'ORG-o1', target: '~view' });
    expect((await check()).drift).toMatchObject({ missing: 1 });
    expect((await check('repair')).repaired).toBe(1);
    expect(await check()).toMatchObject({ drift: CLEAN, unknown: 2 });
    await remove('ORG-o1', 'MEMBER-USER-u1');
    await projectAll();
    expect([await members(), await reader.degree('ORG-o1', 'MEMBER')]).toEqual([[], 0]);
  });

  it('shows a client its own writes at once, if its session is told of them', async () => {
    const { put, reader } = await opened();
    const session = createSession();
    const end = session.note([{ source: 'ORG-o1', target: 'MEMBER-USER-u1' }]);
    await put('ORG-o1', 'MEMBER-USER-u1', { since: '2026' });
    end();
    expect((await reader.with(session).inbound('USER-u1', 'MEMBER')).items).toMatchObject([{ source: 'ORG-o1' }]);
  });
});
