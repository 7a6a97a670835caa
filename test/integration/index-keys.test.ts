import { DescribeTableCommand, GetItemCommand } from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from 'vitest';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import { edge, node } from '../../src/core/model/schema.ts';
import { missingNeedsOf } from '../../src/store/table-description.ts';
import { DynamoDBStreamSource } from '../../src/stream/dynamodb-source.ts';
import { check } from '../../src/trust/check/check.ts';
import { observe } from '../../src/trust/observe/observe.ts';
import { allPages } from '../support/reader.ts';
import { openTable, uniqueTableName } from '../support/table.ts';

const graphOf = () =>
  defineGraph({
    table: {
      name: uniqueTableName(),
      partitionKey: 'PK',
      sortKey: 'SK',
      indexes: {
        gsi0: { name: 'GSI1', partitionKey: 'GSI1PK', sortKey: 'GSI1SK' },
        gsi1: { name: 'GSI2', partitionKey: 'GSI2PK', sortKey: 'GSI2SK' },
      },
    },
    nodes: {
      GOAL: node({ view: 'ALL', search: { title: { shards: 2, project: 'ALL' } } }),
      USER: node({ view: 'ALL' }),
    },
    edges: {
      MEMBER: edge({
        from: 'GOAL',
        to: 'USER',
        degree: true,
        inbound: { orders: { gsi0: 'rank', gsi1: 'since' }, project: ['rank'] },
      }),
    },
  });

describe('D13: indexes whose key attributes have names of their own', () => {
  it('are made, written, read, counted and checked under these names', async () => {
    const graph = graphOf();
    const { store, client, reader, writer, projectAll } = await openTable(graph);
    const { Table } = await client.send(new DescribeTableCommand({ TableName: graph.table.name }));
    const keysOf = (name: string) =>
      Table!
        .GlobalSecondaryIndexes!.find(({ IndexName }) => IndexName === name)!
        .KeySchema!.map((key) => key.AttributeName);
    expect([keysOf('GSI1'), keysOf('GSI2')]).toEqual([
      ['GSI1PK', 'GSI1SK'],
      ['GSI2PK', 'GSI2SK'],
    ]);
    for (let i = 0; i < 5; i++) {
      // An attribute with the usual name of an index key is an attribute like others here.
      await writer.putNode(`GOAL-${i}`, { title: `Run ${i}`, gsi0pk: `mine ${i}` });
      await writer.putEdge(`GOAL-${i}`, 'MEMBER', 'USER-1', { rank: `${9 - i}`, since: `202${i}` });
    }
    await projectAll();
    const stored = await client.send(
      new GetItemCommand({
        TableName: graph.table.name,
        Key: { PK: { S: 'GOAL-1' }, SK: { S: '~ix/MEMBER-USER-1' } },
      }),
    );
    expect(stored.Item).toMatchObject({ GSI1PK: { S: 'MEMBER-USER-1' }, GSI2PK: { S: 'MEMBER-USER-1' } });
    expect(Object.keys(stored.Item!).filter((name) => name.startsWith('gsi'))).toEqual([]);
    const ids = [0, 1, 2, 3, 4].map((i) => `GOAL-${i}`);
    const byRank = async (order: 'gsi0' | 'gsi1') => {
      const pages = await allPages((cursor) => reader.inbound('USER-1', 'MEMBER', { order, limit: 2, cursor }));
      return pages.flat().map(({ source }) => source);
    };
    expect(await byRank('gsi0')).toEqual([...ids].reverse());
    expect(await byRank('gsi1')).toEqual(ids);
    const hits = await allPages((cursor) => reader.search('GOAL.title').all({ limit: 2, cursor }));
    expect(hits.flat().map(({ id }) => id)).toEqual(ids);
    const [found] = (await reader.search('GOAL.title').equals('Run 3')).items;
    expect(found).toMatchObject({ id: 'GOAL-3', attributes: { gsi0pk: 'mine 3' } });
    expect(await reader.degree('GOAL-1', 'MEMBER')).toBe(1);
    expect((await reader.getViews(['GOAL-2']))[0]!.attributes).toEqual({ title: 'Run 2', gsi0pk: 'mine 2' });
    expect(await reader.inDegree('USER-1', 'MEMBER')).toMatchObject({ count: 5 });

    await store.delete({ source: 'GOAL-0', target: '~ix/title' });
    const options = { store, graceMs: 20 } as const;
    expect((await check(graph, { ...options, mode: 'repair' })).drift).toEqual({ missing: 1, stale: 0, orphan: 0 });
    expect((await check(graph, { ...options, mode: 'report' })).drift).toEqual({ missing: 0, stale: 0, orphan: 0 });
    expect((await reader.search('GOAL.title').equals('Run 0')).items).toHaveLength(1);
  });

  it('are observed: an item that somebody moves in an index alone is drift', async () => {
    const graph = graphOf();
    const { store, streams, streamArn, projectAll, writer } = await openTable(graph);
    await writer.putNode('GOAL-1', { title: 'Run' });
    await writer.putEdge('GOAL-1', 'MEMBER', 'USER-1', { rank: '1', since: '2020' });
    await projectAll();
    const run = () =>
      observe({
        ...{ graph, store, untilVerified: true, lowWatermark: async () => Date.now() },
        source: new DynamoDBStreamSource(streams, streamArn),
        limits: { lateMs: 200, skewMs: 100, graceMs: 300, listMs: 500 },
      });
    // The records of the first writes are read and judged: what they have opened is closed.
    for (let i = 0; i < 2; i++) expect(await run()).toMatchObject({ endedBy: 'verified', drift: [] });
    const { item } = await store.get({ source: 'GOAL-1', target: '~ix/MEMBER-USER-1' }, { consistent: true });
    await store.put({ ...item, gsi0pk: { S: 'MEMBER-USER-2' } });
    expect((await run()).drift).toMatchObject([{ suspect: { sortKey: '~ix/MEMBER-USER-1' } }]);
  });

  it('are compared with those of a table that is there', async () => {
    const graph = graphOf();
    const { client } = await openTable(graph);
    const other = { ...graph, table: { ...graph.table, indexKeys: undefined } };
    const { Table } = await client.send(new DescribeTableCommand({ TableName: graph.table.name }));
    expect(missingNeedsOf(graph, Table!).lacks).toEqual([]);
    expect(missingNeedsOf(other as never, Table!).lacks).toEqual([
      'the index GSI1 with the keys gsi0pk and gsi0sk',
      'the index GSI2 with the keys gsi1pk and gsi1sk',
    ]);
  });

  it("leave base items in a native index their own attributes, also one with the name of an index's key", async () => {
    const { table } = graphOf();
    const graph = defineGraph({
      table: { name: table.name, indexes: { gsi0: { name: 'GSI1', partitionKey: 'GSI1PK', sortKey: 'GSI1SK' } } },
      nodes: { GOAL: node(), USER: node() },
      edges: {
        MEMBER: edge({ from: 'GOAL', to: 'USER', inbound: { native: true, orders: { byDay: 'day' }, project: 'ALL' } }),
      },
    });
    const { reader, writer } = await openTable(graph);
    const attributes = { day: '2026-01-01', GSI1PK: 'mine' };
    await writer.putEdge('GOAL-1', 'MEMBER', 'USER-1', attributes);
    const { items } = await reader.inbound('USER-1', 'MEMBER');
    expect(items.map((item) => item.attributes)).toEqual([attributes]);
  });

  it('refuses a base item that would be in an index', async () => {
    const { writer } = await openTable(graphOf());
    const put = writer.putNode('GOAL-1', { GSI1PK: 'x', GSI1SK: 'y' });
    await expect(put).rejects.toThrow('would put the base item into gsi0');
  });

  it('are written under these names by statements, and come back under their own', async () => {
    const graph = graphOf();
    const { store, client } = await openTable(graph);
    const key = (i: number) => ({ source: 'GOAL-1', target: `~ix/MEMBER-USER-${i}` });
    const set = { gsi0pk: { S: 'p' }, gsi0sk: { S: 's' } };
    const updates = [1, 2].map((i) => ({
      key: key(i),
      set,
      unset: ['gsi1pk'],
      condition: { kind: 'absent' } as const,
    }));
    const applied = [true, true];
    const areApplied = (outcomes: readonly { applied: boolean }[]) => outcomes.map((outcome) => outcome.applied);
    expect(areApplied(await store.updateMany(updates))).toEqual(applied);
    const seen = { kind: 'revision', revision: '1' } as const;
    const moves = updates.map((one) => ({ ...one, set: { gsi1pk: { S: 'q' } }, unset: ['gsi0pk'], condition: seen }));
    expect(areApplied(await store.updateMany(moves))).toEqual(applied);
    const Key = { PK: { S: 'GOAL-1' }, SK: { S: key(1).target } };
    const { Item } = await client.send(new GetItemCommand({ TableName: graph.table.name, Key }));
    expect(Item).toEqual({ ...Key, r: { N: '2' }, GSI1SK: { S: 's' }, GSI2PK: { S: 'q' } });
    const refused = await store.updateMany(moves);
    for (const [i, outcome] of refused.entries()) {
      const { current } = outcome as { current?: unknown };
      if (current !== undefined) expect(current).toEqual((await store.get(key(i + 1), { consistent: true })).item);
    }
  });
});
