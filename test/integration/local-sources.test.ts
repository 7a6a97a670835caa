import { CreateTableCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { afterEach, describe, expect, it } from 'vitest';
import { startEngine } from '../../packages/local/engine/engine.ts';
import { type Local, startLocal } from '../../packages/local/local.ts';
import { createReader } from '../../src/client/read/reader.ts';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import { edge, node } from '../../src/core/model/schema.ts';
import { mappedEdge, mappedNode } from '../../src/sources/items.ts';
import { sourceTable } from '../../src/sources/source.ts';
import { createClient } from '../../src/store/client.ts';
import { makeSourceTable } from '../../src/store/source-table.ts';
import { status } from '../../src/trust/explain/status.ts';

/** An engine with a table of others, ours beside it, and both hops between them. */

const graph = defineGraph({
  table: 'graph',
  nodes: { ISSUE: node({ view: 'ALL' }), REPO: node({ view: 'ALL' }) },
  edges: { IN_REPO: edge({ from: 'ISSUE', to: 'REPO', inbound: { orders: { gsi0: 'status' } } }) },
  mirrored: ['ISSUE', 'REPO', 'IN_REPO'],
});
const sources = [
  sourceTable('app-table', {
    map: ({ sk, repo, state, bad }) => {
      if (bad) throw new Error('bad');
      return [
        mappedNode(`ISSUE-${sk}`, { of: sk }),
        mappedEdge(`ISSUE-${sk}`, 'IN_REPO', `REPO-${repo}`, { status: state }),
      ];
    },
  }),
  sourceTable('notes', { keys: { partitionKey: 'id' }, map: ({ id }) => [mappedNode(`REPO-${id}`, { name: id })] }),
];

let local: Local | undefined;
afterEach(async () => {
  await local?.stop();
});

async function settled({ mirrors, worker }: Local): Promise<void> {
  await mirrors!.idle();
  await worker.idle();
}

describe('startLocal with sources', () => {
  it('makes the source tables, mirrors them and projects what comes of it; status tells of both hops', async () => {
    local = await startLocal(graph, { engine: 'memory', sources });
    const { client, store } = local;
    const put = (TableName: string, item: Record<string, string>): Promise<unknown> =>
      client.send(
        new PutItemCommand({
          TableName,
          Item: Object.fromEntries(Object.entries(item).map(([name, S]) => [name, { S }])),
        }),
      );
    for (let i = 0; i < 20; i++) await put('app-table', { pk: 'issue', sk: `${i}`, repo: 'r1', state: `${i % 2}` });
    await put('app-table', { pk: 'issue', sk: 'x', bad: 'yes' });
    await put('notes', { id: 'r1' });
    await settled(local);
    const reader = createReader(graph, { store });
    expect((await reader.inbound('REPO-r1', 'IN_REPO')).items).toHaveLength(20);
    expect((await reader.getNode('REPO-r1'))?.attributes).toEqual({ name: 'r1' });
    const found = await status(graph, { store });
    const told = (source: string, refused: number) => ({
      ...{ source, version: '1', refused, isUnfinished: false },
      ...{ seen: expect.any(String), lagSeconds: expect.any(Number) },
    });
    expect(found.sources).toEqual([told('app-table', 1), told('notes', 0)]);
    expect(found.problems).toContain(
      '1 source item of app-table is refused by the mapping: run edgeloom mirror sync app-table --dry-run.',
    );
    expect(found.notVerified).toContain('the source app-table: edgeloom mirror sync --dry-run compares it');
    // Two source items make one base item.
    await put('app-table', { pk: 'copy', sk: '1', repo: 'r2', state: '0' });
    await settled(local);
    const { conflicts, problems } = await status(graph, { store });
    expect(conflicts).toEqual([expect.objectContaining({ source: 'ISSUE-1', target: 'ISSUE-1' })]);
    expect(problems.join('\n')).toContain('ISSUE-1 ISSUE-1 is made by app-table/{');
  });

  it('mirrors tables of an engine that runs, as the application has made them', async () => {
    const engine = await startEngine({ engine: 'memory' });
    const theirs = createClient({ endpoint: engine.endpoint });
    try {
      const named = sources.filter(({ name }) => name === 'app-table');
      const start = () => startLocal(graph, { engine: 'memory', sources: named, sourceEndpoint: engine.endpoint });
      await expect(start()).rejects.toMatchObject({ code: 'table-differs' });
      const keys = ['pk', 'sk', 'repo'];
      await theirs.send(
        new CreateTableCommand({
          TableName: 'app-table',
          BillingMode: 'PAY_PER_REQUEST',
          AttributeDefinitions: keys.map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
          KeySchema: [
            { AttributeName: 'pk', KeyType: 'HASH' },
            { AttributeName: 'sk', KeyType: 'RANGE' },
          ],
          GlobalSecondaryIndexes: [
            {
              IndexName: 'byRepo',
              KeySchema: [{ AttributeName: 'repo', KeyType: 'HASH' }],
              Projection: { ProjectionType: 'ALL' },
            },
          ],
          StreamSpecification: { StreamEnabled: true, StreamViewType: 'KEYS_ONLY' },
        }),
      );
      local = await start();
      const Item = { pk: { S: 'issue' }, sk: { S: '1' }, repo: { S: 'r1' }, state: { S: 'open' } };
      await theirs.send(new PutItemCommand({ TableName: 'app-table', Item }));
      await settled(local);
      const reader = createReader(graph, { store: local.store });
      expect((await reader.inbound('REPO-r1', 'IN_REPO')).items).toMatchObject([{ source: 'ISSUE-1' }]);
    } finally {
      theirs.destroy();
      await local?.stop();
      local = undefined;
      await engine.stop();
    }
  });

  it('lets the first source by name make a node that two make, whichever was written last', async () => {
    const of = (name: string) =>
      sourceTable(name, { keys: { partitionKey: 'id' }, map: ({ id }) => [mappedNode(`REPO-${id}`, { of: name })] });
    local = await startLocal(graph, { engine: 'memory', sources: [of('one'), of('two')], observe: false });
    for (const TableName of ['one', 'two']) {
      await local.client.send(new PutItemCommand({ TableName, Item: { id: { S: 'r1' } } }));
      await settled(local);
    }
    const reader = createReader(graph, { store: local.store });
    expect((await reader.getNode('REPO-r1'))?.attributes).toEqual({ of: 'one' });
  });

  it('has no stream to follow where the stream of a kept source table is off', async () => {
    const send = async () => ({ Table: { TableName: 'notes', LatestStreamArn: 'arn:of-the-past' } });
    const client = { send } as unknown as ReturnType<typeof createClient>;
    expect(await makeSourceTable(client, { name: 'notes', keys: { partitionKey: 'id' } })).toBeUndefined();
  });

  it('has no mirrors without sources', async () => {
    local = await startLocal(graph, { engine: 'memory', observe: false });
    expect(local.mirrors).toBeUndefined();
    expect(await status(graph, { store: local.store })).toMatchObject({ sources: [], conflicts: [] });
  });
});
