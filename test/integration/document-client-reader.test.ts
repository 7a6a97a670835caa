import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DeleteCommand, DynamoDBDocumentClient, GetCommand, NumberValue, PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startLocal } from '../../packages/local/local.ts';
import { createReader } from '../../src/client/read/reader.ts';
import { createWriter } from '../../src/client/write/writer.ts';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import { edge, node, number } from '../../src/core/model/schema.ts';
import { createClient } from '../../src/store/client.ts';
import { testTable, uniqueTableName } from '../support/table.ts';

const graph = defineGraph({
  table: uniqueTableName(),
  nodes: {
    GOAL: node({ view: 'ALL', search: { points: { type: 'number', shards: 2 } } }),
    USER: node({ view: 'ALL' }),
  },
  edges: {
    MEMBER: edge({
      from: 'GOAL',
      to: 'USER',
      edgeSet: ['hours'],
      inbound: { orders: { gsi0: number('hours') } },
    }),
  },
});
const TableName = graph.table.name;
const LONG = '12345678901234567890.123456789';
let table: Awaited<ReturnType<typeof testTable<typeof graph>>>;
let clients: [name: string, client: DynamoDBDocumentClient, number: (text: string) => unknown][];
const plainClients: DynamoDBClient[] = [];

beforeAll(async () => {
  table = await testTable(graph);
  const own = new DynamoDBClient({
    endpoint: table.endpoint,
    region: 'us-east-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  });
  const ours = createClient({ endpoint: table.endpoint });
  plainClients.push(own, ours);
  clients = [
    ['JavaScript numbers', DynamoDBDocumentClient.from(own), Number],
    [
      'wrapped numbers',
      DynamoDBDocumentClient.from(ours, { unmarshallOptions: { wrapNumbers: true } }),
      (text) => NumberValue.from(text),
    ],
  ];
});
afterAll(() => {
  for (const client of plainClients) client.destroy();
});

describe.each([0, 1])('K31: a document client is taken as it is (form of numbers %i)', (form) => {
  it('writes items, of which all is derived, and reads the derived items', async () => {
    const [, client, number] = clients[form]!;
    const goal = `GOAL-${form}` as const;
    await client.send(new PutCommand({ TableName, Item: { source: goal, target: goal, points: number('7') } }));
    const hours = form === 1 ? number(LONG) : 12.5;
    await client.send(new PutCommand({ TableName, Item: { source: goal, target: 'MEMBER-USER-1', hours } }));
    await client.send(
      new PutCommand({ TableName, Item: { source: goal, target: 'MEMBER-USER-2', hours: number('1') } }),
    );
    await client.send(new DeleteCommand({ TableName, Key: { source: goal, target: 'MEMBER-USER-2' } }));
    expect((await table.projectAll()).quarantined).toBe(0);

    const { Item: view } = await client.send(new GetCommand({ TableName, Key: { source: goal, target: '~view' } }));
    expect(view!['attributes']).toEqual({ points: number('7') });
    expect([...(view!['edgeSet'] as Set<string>)]).toHaveLength(1);
  });

  it('makes a reader and a writer, which keep numbers exact', async () => {
    const [, client] = clients[form]!;
    const goal = `GOAL-${form}` as const;
    const reader = createReader(graph, { client });
    const [found] = await reader.getViews([goal]);
    expect(found!.attributes).toEqual({ points: 7 });
    expect(String(found!.edgeSet[0]!['hours'])).toBe(form === 1 ? LONG : '12.5');
    const { items } = await reader.search('GOAL.points').equals(7);
    expect(items.map(({ id }) => id)).toContain(goal);
    expect((await reader.inbound('USER-1', 'MEMBER')).items.map(({ source }) => source)).toContain(goal);

    const writer = createWriter(graph, { client });
    await writer.putEdge(goal, 'MEMBER', 'USER-3', { hours: 38 });
    await writer.updateNode(goal, { set: { points: 8 } });
    await table.projectAll();
    const numbered = createReader(graph, { client, readNumber: (text) => NumberValue.from(text) });
    const [later] = await numbered.getViews([goal]);
    expect(later!.attributes).toEqual({ points: NumberValue.from('8') });
    expect(await reader.has(goal, 'MEMBER', 'USER-3')).toBe(true);
  });
});

describe('the client of a reader and a writer', () => {
  it('may be a plain one', async () => {
    const reader = createReader(graph, { client: plainClients[0]! });
    expect(await reader.getViews(['GOAL-none'])).toEqual([null]);
  });

  it('may be that of startLocal, of which a document client is made, too', async () => {
    const local = await startLocal(graph, {});
    try {
      const Item = { source: 'USER-1', target: 'USER-1', name: 'Ada' };
      await DynamoDBDocumentClient.from(local.client).send(new PutCommand({ TableName, Item }));
      await local.worker.idle();
      const reader = createReader(graph, { client: local.client });
      expect(await reader.getView('USER-1', { consistent: true })).toMatchObject({ attributes: { name: 'Ada' } });
    } finally {
      await local.stop();
    }
  });

  it('is refused if it is none, or stands beside a store', () => {
    const client = {} as unknown as DynamoDBClient;
    expect(() => createReader(graph, { client })).toThrow(expect.objectContaining({ code: 'invalid-argument' }));
    expect(() => createWriter(graph, { client })).toThrow(expect.objectContaining({ code: 'invalid-argument' }));
    const both = { client: plainClients[0]!, store: table.store } as unknown as { client: DynamoDBClient };
    expect(() => createReader(graph, both)).toThrow(
      expect.objectContaining({ code: 'invalid-argument', message: expect.stringContaining('no option') }),
    );
  });
});
