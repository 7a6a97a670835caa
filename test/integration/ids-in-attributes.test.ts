import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DeleteCommand, DynamoDBDocumentClient, PutCommand, ScanCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from 'vitest';
import { INSPECT_ROUTES, type PartitionAnswer } from '../../packages/studio/api/inspect.ts';
import type { RequestContext } from '../../packages/studio/base/context.ts';
import { createReader } from '../../src/client/read/reader.ts';
import { createSession } from '../../src/client/session/session.ts';
import { createWriter } from '../../src/client/write/writer.ts';
import { streamLabel } from '../../src/core/items/watermark.ts';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import { attribute, edge, node, number, part, source, sum } from '../../src/core/model/schema.ts';
import { createProjector } from '../../src/projecting/apply/projector.ts';
import { check } from '../../src/trust/check/check.ts';
import { testTable, uniqueTableName } from '../support/table.ts';

/** Ids that an attribute holds: those whose case the keys have lost, and those of edges that an attribute of a node makes. */

const CLEAN = { drift: { missing: 0, stale: 0, orphan: 0 }, quarantined: 0 };

function lostCase() {
  return defineGraph({
    table: { name: uniqueTableName(), partitionKey: 'pk', sortKey: 'sk', ttl: 'gone' },
    nodes: {
      ORG: node({
        key: { source: '$app#orgid_{id}', target: '$org_1', case: 'lower', id: attribute('orgId') },
        parts: { STATE: part({ search: { status: {} } }) },
        view: ['name'],
        list: true,
      }),
      USER: node({
        key: { source: '$app#userid_{id}', target: '$user_1', case: 'lower', id: attribute('userId') },
        view: ['name'],
        search: { name: {} },
      }),
    },
    edges: {
      MEMBER: edge({
        from: 'ORG',
        to: 'USER',
        key: { target: '$member_1#userid_{to}', where: { kind: 'member' } },
        edgeSet: ['since'],
        inbound: { orders: { gsi0: 'since', byRole: 'role' } },
        degree: true,
        copy: ['name'],
      }),
    },
  });
}

async function tools<G extends ReturnType<typeof lostCase> | ReturnType<typeof orders>>(graph: G) {
  const table = await testTable(graph);
  const documents = DynamoDBDocumentClient.from(table.client);
  const TableName = graph.table.name;
  return {
    ...table,
    put: (Item: Record<string, unknown>) => documents.send(new PutCommand({ TableName, Item })),
    remove: (pk: string, sk: string) => documents.send(new DeleteCommand({ TableName, Key: { pk, sk } })),
    set: (pk: string, sk: string, name: string, value: unknown) =>
      documents.send(
        new UpdateCommand({
          TableName,
          Key: { pk, sk },
          UpdateExpression: 'SET #name = :value',
          ExpressionAttributeNames: { '#name': name },
          ExpressionAttributeValues: { ':value': value },
        }),
      ),
    stored: () => baseItems(table.client, TableName),
    options: { store: table.store, streamLabel: streamLabel(table.streamArn), settleMs: 10 },
  };
}

async function baseItems(client: DynamoDBClient, TableName: string): Promise<string[]> {
  const { Items = [] } = await DynamoDBDocumentClient.from(client).send(
    new ScanCommand({ TableName, ConsistentRead: true }),
  );
  return Items.filter(({ sk }) => !String(sk).startsWith('~'))
    .map(({ pk, sk }) => `${pk} ${sk}`)
    .sort();
}

describe('ids whose case the keys have lost', () => {
  it('are those of the attributes, in every answer, and the check is clean', async () => {
    const graph = lostCase();
    const { store, put, remove, projectAll, options } = await tools(graph);
    await put({ pk: '$app#orgid_o1', sk: '$org_1', orgId: 'O1', name: 'One' });
    await put({ pk: '$app#userid_u1', sk: '$user_1', userId: 'U1', name: 'Ann' });
    await put({ pk: '$app#userid_b', sk: '$user_1', userId: 'b', name: 'Bob' });
    for (const [userId, since] of [
      ['U1', '2020'],
      ['b', '2021'],
    ] as const) {
      const sk = `$member_1#userid_${userId.toLowerCase()}`;
      await put({ pk: '$app#orgid_o1', sk, kind: 'member', orgId: 'O1', userId, since, role: 'LEAD' });
    }
    await projectAll();
    const reader = createReader(graph, { store });
    expect(await reader.getViews(['ORG-O1', 'USER-U1', 'USER-u1', 'ORG-o1'])).toMatchObject([
      {
        id: 'ORG-O1',
        attributes: { name: 'One' },
        edgeSet: [
          { target: 'USER-U1', since: '2020', copy: { name: 'Ann' } },
          { target: 'USER-b', since: '2021', copy: { name: 'Bob' } },
        ],
      },
      { id: 'USER-U1', attributes: { name: 'Ann' } },
      { id: 'USER-u1', attributes: null },
      { id: 'ORG-o1', attributes: null },
    ]);
    expect((await reader.inbound('USER-U1', 'MEMBER')).items).toMatchObject([{ source: 'ORG-O1' }]);
    expect((await reader.inbound('USER-u1', 'MEMBER')).items).toEqual([]);
    expect((await reader.inbound('USER-b', 'MEMBER', { order: 'byRole' })).items).toMatchObject([{ source: 'ORG-O1' }]);
    expect((await reader.search('USER.name').eq('Ann')).items).toMatchObject([{ id: 'USER-U1' }]);
    expect((await reader.nodes('ORG')).items).toMatchObject([{ id: 'ORG-O1' }]);
    expect(await reader.degree('ORG-O1', 'MEMBER')).toBe(2);
    expect((await reader.inDegree('USER-U1', 'MEMBER')).count).toBe(1);
    expect(await reader.has('ORG-O1', 'MEMBER', 'USER-U1')).toBe(true);
    expect(await reader.has('ORG-O1', 'MEMBER', 'USER-u1')).toBe(false);
    const first = await reader.edges('ORG-O1', 'MEMBER', { limit: 1 });
    expect(first.items).toMatchObject([{ target: 'USER-U1' }]);
    expect((await reader.edges('ORG-O1', 'MEMBER', { limit: 1, cursor: first.cursor! })).items).toMatchObject([
      { target: 'USER-b' },
    ]);
    expect(await check(graph, options)).toMatchObject({ ...CLEAN, unknown: 0, baseItems: 5 });
    await put({ pk: '$app#userid_u1', sk: '$user_1', userId: 'U1', name: 'Anna' });
    await remove('$app#orgid_o1', '$member_1#userid_b');
    await projectAll();
    expect(await reader.getViews(['ORG-O1'])).toMatchObject([
      { edgeSet: [{ target: 'USER-U1', copy: { name: 'Anna' } }] },
    ]);
    expect(await check(graph, options)).toMatchObject(CLEAN);
    expect((await check(graph, { ...options, mode: 'rebuild' })).repaired).toBe(0);
  });

  it('belong to one item at a time: another case in the attribute is another node', async () => {
    const graph = lostCase();
    const { put, set, store, projectAll, projector, allRecords, options } = await tools(graph);
    await put({ pk: '$app#userid_u1', sk: '$user_1', userId: 'U1', name: 'Ann' });
    await put({
      pk: '$app#orgid_o1',
      sk: '$member_1#userid_u1',
      kind: 'member',
      orgId: 'O1',
      userId: 'U1',
      since: '1',
    });
    await projectAll();
    await set('$app#userid_u1', '$user_1', 'userId', 'u1');
    await set('$app#orgid_o1', '$member_1#userid_u1', 'userId', 'u1');
    await projectAll();
    const reader = createReader(graph, { store });
    expect((await reader.search('USER.name').eq('Ann')).items.map(({ id }) => id)).toEqual(['USER-u1']);
    expect(await reader.getViews(['USER-U1', 'USER-u1'])).toMatchObject([
      { attributes: null },
      { attributes: { name: 'Ann' } },
    ]);
    expect((await reader.inbound('USER-U1', 'MEMBER')).items).toEqual([]);
    expect((await reader.inbound('USER-u1', 'MEMBER')).items).toMatchObject([{ source: 'ORG-O1' }]);
    // Another id of the source: the edges of both lie in one partition.
    await put({
      pk: '$app#orgid_o1',
      sk: '$member_1#userid_u2',
      kind: 'member',
      orgId: 'o1',
      userId: 'u2',
      since: '2',
    });
    await projectAll();
    expect(await reader.degree('ORG-O1', 'MEMBER')).toBe(1);
    expect(await reader.degree('ORG-o1', 'MEMBER')).toBe(1);
    expect((await reader.edges('ORG-o1', 'MEMBER')).items).toMatchObject([{ target: 'USER-u2' }]);
    expect(await check(graph, options)).toMatchObject(CLEAN);
    // All of it once more, as a stream may.
    await projector.project(await allRecords());
    expect(await check(graph, options)).toMatchObject(CLEAN);
  });

  it('place no item whose attribute does not give its key', async () => {
    const graph = lostCase();
    const { put, projectAll, options, store } = await tools(graph);
    await put({ pk: '$app#userid_u1', sk: '$user_1', userId: 'U2', name: 'Ann' });
    await put({ pk: '$app#userid_u3', sk: '$user_1', name: 'None' });
    await put({ pk: '$app#userid_U4', sk: '$user_1', userId: 'U4', name: 'Key' });
    await projectAll();
    expect((await createReader(graph, { store }).search('USER.name').beginsWith('')).items).toEqual([]);
    expect(await check(graph, options)).toMatchObject({ ...CLEAN, unknown: 3 });
  });

  it('keep their places apart: a fan-out and the studio pass over no item of an id whose keys another id shares', async () => {
    const graph = defineGraph({
      table: { name: uniqueTableName(), partitionKey: 'pk', sortKey: 'sk', ttl: 'gone' },
      nodes: {
        ORG: node({ key: { source: 'org#{id}', target: 'org', case: 'lower', id: attribute('orgId') } }),
        USER: node({ key: { source: 'user#{id}', target: 'user', case: 'lower', id: attribute('userId') } }),
      },
      edges: {
        MEMBER: edge({
          from: 'ORG',
          to: 'USER',
          key: { target: 'member#{to}' },
          edgeSet: [],
          inbound: { orders: { byName: source('name') } },
          copy: ['name'],
        }),
      },
    });
    const { store, put, allRecords, options } = await tools(graph as never);
    const projector = createProjector(graph, { store, fanOutPageSize: 1 });
    let read = 0;
    const projectAll = async (): Promise<void> => {
      for (let rounds = 0; rounds < 100; rounds++) {
        const records = (await allRecords()).slice(read);
        if (records.length === 0) return;
        read += records.length;
        expect((await projector.project(records)).error).toBeUndefined();
      }
      expect.fail('a fan-out does not end');
    };
    const numbers = ['1', '2', '3', '4', '5'];
    const write = async (orgId: string, userId: string, name: string): Promise<void> => {
      await put({ pk: 'org#o', sk: 'org', orgId, name });
      await put({ pk: 'user#u', sk: 'user', userId, name });
      for (const number of numbers) {
        await put({ pk: 'org#o', sk: `member#${number}`, orgId, userId: number });
        await put({ pk: `org#${number}`, sk: 'member#u', orgId: number, userId });
      }
      await projectAll();
    };
    // Each reverse item and each index item of the one id has a tombstone of the other one before it, with the same key but for the id.
    await write('O', 'U', 'before');
    await write('o', 'u', 'Ann');
    await put({ pk: 'org#o', sk: 'org', orgId: 'o', name: 'Bob' });
    await put({ pk: 'user#u', sk: 'user', userId: 'u', name: 'Bob' });
    await projectAll();
    const reader = createReader(graph, { store });
    for (const number of numbers) {
      expect(await reader.getViews([`ORG-${number}`])).toMatchObject([
        { edgeSet: [{ target: 'USER-u', copy: { name: 'Bob' } }] },
      ]);
      const found = await reader.inbound(`USER-${number}`, 'MEMBER', { order: 'byName', equals: 'Bob' });
      expect(found.items).toMatchObject([{ source: 'ORG-o' }]);
    }
    expect(await check(graph, options)).toMatchObject(CLEAN);
    const [{ answer }] = INSPECT_ROUTES as unknown as [(typeof INSPECT_ROUTES)[number]];
    for (const side of ['derived', 'base'] as const) {
      const context = { graph, store } as unknown as RequestContext;
      const whole = (await answer(context, { id: 'ORG-o', side })) as PartitionAnswer;
      const shown: string[] = [];
      for (let cursor: string | undefined, pages = 0; pages < 30; pages++) {
        const page = (await answer(context, { id: 'ORG-o', side, limit: 1, cursor })) as PartitionAnswer;
        shown.push(...page.items.map(({ target }) => target));
        cursor = page.cursor;
        if (cursor === undefined) break;
      }
      expect(shown).toEqual(whole.items.map(({ target }) => target));
      expect(shown.length).toBeGreaterThanOrEqual(numbers.length);
    }
  });

  it('are written by other software alone: an id in another case never takes its place', async () => {
    const graph = lostCase();
    const { store, put, projectAll, options, stored } = await tools(graph);
    const writer = createWriter(graph, { store });
    await put({ pk: '$app#userid_u1', sk: '$user_1', userId: 'U1', name: 'Ann' });
    await put({ pk: '$app#orgid_o1', sk: '$org_1', orgId: 'O1', name: 'One' });
    await put({ pk: '$app#orgid_o1', sk: 'STATE', orgId: 'O1', status: 'open' });
    const member = { pk: '$app#orgid_o1', kind: 'member', orgId: 'O1', role: 'LEAD' };
    await put({ ...member, sk: '$member_1#userid_u1', userId: 'U1', since: '1' });
    await projectAll();
    const before = await stored();
    const refused = { code: 'read-only-type' };
    for (const id of ['USER-u1', 'USER-U1'] as const) {
      await expect(writer.putNode(id, { name: 'Bob' })).rejects.toMatchObject(refused);
      await expect(writer.deleteNodeWithEdges(id)).rejects.toMatchObject(refused);
      await expect(writer.deleteEdge('ORG-O1', 'MEMBER', id)).rejects.toMatchObject(refused);
      await expect(store.writeMany([{ delete: { source: id, target: id } }])).rejects.toMatchObject(refused);
    }
    expect(await stored()).toEqual(before);
    // A transaction looks at the item of an id, not at that of an id in another case.
    const look = (id: 'USER-U1' | 'USER-u1') => writer.transact((transaction) => transaction.requireNode(id));
    await look('USER-U1');
    await expect(look('USER-u1')).rejects.toMatchObject({ code: 'condition-failed', current: null });
    const reader = createReader(graph, { store });
    expect((await reader.search('ORG.STATE.status').eq('open')).items).toMatchObject([{ id: 'ORG-O1' }]);
    const session = createSession();
    const end = session.note([{ source: 'ORG-O1', target: 'MEMBER-USER-B' }]);
    await put({ ...member, sk: '$member_1#userid_b', userId: 'B', since: '0' });
    end();
    expect((await reader.with(session).inbound('USER-B', 'MEMBER')).items).toMatchObject([{ source: 'ORG-O1' }]);
    expect(await reader.with(session).getViews(['ORG-O1'])).toMatchObject([
      { edgeSet: [{ target: 'USER-B' }, { target: 'USER-U1' }] },
    ]);
    await projectAll();
    expect(await check(graph, options)).toMatchObject({ ...CLEAN, unknown: 0 });
  });
});

function orders(settings: 'plain' | 'adopted' = 'adopted') {
  return defineGraph({
    table: { name: uniqueTableName(), partitionKey: 'pk', sortKey: 'sk', ttl: 'gone' },
    nodes: {
      ORDER: node({
        view: ['total'],
        search: { total: { type: 'number' } },
        ...(settings === 'adopted' && { key: { source: 'ORDER#{id}', target: 'A' } }),
      }),
      CUSTOMER: node({
        view: ['name'],
        ...(settings === 'adopted' && { key: { source: 'CUST#{id}', target: 'PROFILE' } }),
      }),
    },
    edges: {
      PLACED_BY: edge({
        from: 'ORDER',
        to: 'CUSTOMER',
        key: { to: attribute('customerId') },
        edgeSet: ['at'],
        inbound: { orders: { gsi0: 'at', byTotal: number('total') }, total: { total: sum('total') } },
        outgoing: { groupBy: ['at'] },
        degree: true,
        copy: ['name'],
      }),
    },
  });
}

describe.each(['plain', 'adopted'] as const)(
  'edges that an attribute of a node makes, in a table with %s keys',
  (keys) => {
    const keysOf = (type: 'ORDER' | 'CUSTOMER', id: string) =>
      keys === 'plain'
        ? { pk: `${type}-${id}`, sk: `${type}-${id}` }
        : type === 'ORDER'
          ? { pk: `ORDER#${id}`, sk: 'A' }
          : { pk: `CUST#${id}`, sk: 'PROFILE' };

    it('come, move and go with the attribute, and the node’s own list stays', async () => {
      const graph = orders(keys);
      const { store, put, remove, projectAll, projector, allRecords, options } = await tools(graph);
      const reader = createReader(graph, { store });
      const ordersOf = async (id: string) =>
        (await reader.inbound(`CUSTOMER-${id}`, 'PLACED_BY')).items.map(({ source }) => source);
      await put({ ...keysOf('CUSTOMER', '7'), name: 'Ann' });
      await put({ ...keysOf('ORDER', '1'), customerId: '7', at: '2020', total: 5 });
      await put({ ...keysOf('ORDER', '2'), customerId: '7', at: '2019', total: 9 });
      await put({ ...keysOf('ORDER', '3'), at: '2018', total: 1 });
      await projectAll();
      expect(await ordersOf('7')).toEqual(['ORDER-2', 'ORDER-1']);
      expect(
        (await reader.inbound('CUSTOMER-7', 'PLACED_BY', { order: 'byTotal', reverse: true })).items,
      ).toMatchObject([{ source: 'ORDER-2' }, { source: 'ORDER-1' }]);
      expect(await reader.getViews(['ORDER-1', 'ORDER-3'])).toMatchObject([
        { edgeSet: [{ type: 'PLACED_BY', target: 'CUSTOMER-7', at: '2020', copy: { name: 'Ann' } }] },
        { attributes: { total: 1 }, edgeSet: [] },
      ]);
      expect(await reader.degree('ORDER-1', 'PLACED_BY')).toBe(1);
      expect(await reader.has('ORDER-1', 'PLACED_BY', 'CUSTOMER-7')).toBe(true);
      expect(await reader.has('ORDER-1', 'PLACED_BY', 'CUSTOMER-8')).toBe(false);
      expect((await reader.edges('ORDER-1', 'PLACED_BY', { limit: 1 })).items).toMatchObject([
        { target: 'CUSTOMER-7', attributes: { at: '2020' } },
      ]);
      expect((await reader.edges('ORDER-1')).items).toHaveLength(1);
      expect(await check(graph, options)).toMatchObject({ ...CLEAN, unknown: 0, baseItems: 6 });

      await put({ ...keysOf('ORDER', '1'), customerId: '8', at: '2020', total: 5 });
      await put({ ...keysOf('ORDER', '2'), at: '2019', total: 9 });
      await put({ ...keysOf('CUSTOMER', '8'), name: 'Bob' });
      await projectAll();
      expect([await ordersOf('7'), await ordersOf('8')]).toEqual([[], ['ORDER-1']]);
      expect(await reader.getViews(['ORDER-1', 'ORDER-2'])).toMatchObject([
        { edgeSet: [{ target: 'CUSTOMER-8', copy: { name: 'Bob' } }] },
        { edgeSet: [] },
      ]);
      expect(await reader.degree('ORDER-2', 'PLACED_BY')).toBe(0);
      expect(await check(graph, options)).toMatchObject(CLEAN);
      await remove(keysOf('ORDER', '1').pk, keysOf('ORDER', '1').sk);
      await projectAll();
      expect(await ordersOf('8')).toEqual([]);
      expect(await check(graph, options)).toMatchObject(CLEAN);
      // All of it once more, one record at a time.
      for (const record of await allRecords()) await projector.project([record]);
      expect(await check(graph, options)).toMatchObject(CLEAN);
      expect((await check(graph, { ...options, mode: 'rebuild' })).repaired).toBe(0);
    });

    it('are written by writing the node, at once in its session, and by nothing else', async () => {
      const graph = orders(keys);
      const { store, put, remove, projectAll, options, stored } = await tools(graph);
      const writer = createWriter(graph, { store });
      const reader = createReader(graph, { store });
      const session = createSession();
      // Nodes of types with templates are written by other software, of which the session is told.
      const write = async (
        type: 'ORDER' | 'CUSTOMER',
        number: string,
        attributes: Record<string, unknown>,
      ): Promise<unknown> => {
        const id = `${type}-${number}` as const;
        if (keys === 'plain') return await writer.with(session).putNode(id, attributes);
        const end = session.note([{ source: id, target: id }]);
        await put({ ...keysOf(type, number), ...attributes });
        return end();
      };
      await write('CUSTOMER', '7', { name: 'Ann' });
      await write('ORDER', '1', { customerId: '7', at: '2020', total: 5 });
      await projectAll();
      const refused = { code: 'invalid-edge', message: expect.stringContaining('customerId') };
      await expect(writer.putEdge('ORDER-1', 'PLACED_BY', 'CUSTOMER-8', {})).rejects.toMatchObject(refused);
      await expect(writer.deleteEdge('ORDER-1', 'PLACED_BY', 'CUSTOMER-7')).rejects.toMatchObject(refused);
      await expect(writer.updateEdge('ORDER-1', 'PLACED_BY', 'CUSTOMER-7', { set: { at: '1' } })).rejects.toMatchObject(
        refused,
      );
      await write('ORDER', '1', { customerId: '8', at: '2020', total: 5 });
      const own = reader.with(session);
      expect((await own.inbound('CUSTOMER-7', 'PLACED_BY')).items).toEqual([]);
      expect((await own.inbound('CUSTOMER-8', 'PLACED_BY')).items).toMatchObject([{ source: 'ORDER-1' }]);
      expect(await own.getViews(['ORDER-1'])).toMatchObject([{ edgeSet: [{ target: 'CUSTOMER-8' }] }]);
      expect(await own.has('ORDER-1', 'PLACED_BY', 'CUSTOMER-8')).toBe(true);
      expect(await own.degree('ORDER-1', 'PLACED_BY')).toBe(1);
      const total = { direction: 'inbound' } as const;
      expect(await own.total('CUSTOMER-7', 'PLACED_BY', total)).toMatchObject({ count: 0, total: '0' });
      expect(await own.total('CUSTOMER-8', 'PLACED_BY', total)).toMatchObject({ count: 1, total: '5' });
      expect(await own.total('ORDER-1', 'PLACED_BY')).toEqual({ count: 1, groups: { at: { 2020: 1 } } });
      await write('ORDER', '1', { customerId: '8', at: '2021', total: 5 });
      expect(await own.total('ORDER-1', 'PLACED_BY')).toEqual({ count: 1, groups: { at: { 2021: 1 } } });
      await projectAll();
      expect(await reader.total('CUSTOMER-8', 'PLACED_BY', total)).toMatchObject({ count: 1, total: '5' });
      expect((await own.inbound('CUSTOMER-8', 'PLACED_BY')).items).toMatchObject([{ source: 'ORDER-1' }]);
      await write('CUSTOMER', '8', { name: 'Bob' });
      if (keys === 'plain') {
        const notFound = ['PLACED_BY'];
        expect(await writer.deleteNodeWithEdges('CUSTOMER-8')).toMatchObject({ nodes: 1, edges: 0, notFound });
        expect(await writer.deleteNodeWithEdges('ORDER-1')).toMatchObject({ nodes: 1, edges: 0 });
      } else {
        for (const { pk, sk } of [keysOf('CUSTOMER', '8'), keysOf('ORDER', '1')]) await remove(pk, sk);
      }
      expect(await stored()).toHaveLength(1);
      await projectAll();
      expect((await reader.inbound('CUSTOMER-8', 'PLACED_BY')).items).toEqual([]);
      expect(await check(graph, options)).toMatchObject(CLEAN);
    });
  },
);
