import { CreateTableCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../../packages/local/engine/ports.ts';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import { edge, node } from '../../src/core/model/schema.ts';
import { createClient } from '../../src/store/client.ts';
import { tableDefinition } from '../../src/store/definition/table-definition.ts';
import { DynamoDBStore } from '../../src/store/dynamodb.ts';
import { testEndpoint } from '../support/engine.ts';
import { uniqueTableName } from '../support/table.ts';
import { contractGraph, ENGINE, freshPartition, item, textOf } from './stores.ts';

/** What only the store on DynamoDB has: tables with names of their own, and errors of the network and the SDK. */
describe(`DynamoDBStore on ${ENGINE}`, () => {
  const graph = contractGraph();
  let client: DynamoDBClient;
  let store: DynamoDBStore;

  beforeAll(async () => {
    client = createClient({ endpoint: testEndpoint() });
    await client.send(
      new CreateTableCommand({ ...tableDefinition(graph), StreamSpecification: { StreamEnabled: false } }),
    );
    store = new DynamoDBStore(client, graph.table);
  });
  afterAll(() => client.destroy());

  it('reads 100 keys with more than 16 MB, in order, as many calls as it takes', async () => {
    const source = freshPartition();
    const targets = Array.from({ length: 100 }, (_, i) => String(i));
    for (let start = 0; start < 100; start += 20) {
      const part = targets.slice(start, start + 20);
      await store.writeMany(part.map((target) => ({ put: item(source, target, { b: textOf(180_000) }) })));
    }
    const keys = targets.map((target) => ({ source, target }));
    const { items, rcu } = await store.getMany(keys, { consistent: true });
    expect(items.map((found) => found?.['target'])).toEqual(targets.map((S) => ({ S })));
    expect(rcu).toBe(100 * Math.ceil(180_020 / 4096));
  });

  it('speaks to a table and indexes with names of their own', async () => {
    const custom = defineGraph({
      table: { name: uniqueTableName(), partitionKey: 'pk', sortKey: 'sk', ttl: 'ttl', indexes: { gsi0: 'by-target' } },
      nodes: { USER: node({ view: 'ALL' }) },
      edges: { KNOWS: edge({ from: 'USER', to: 'USER', inbound: { orders: { gsi0: 'since' } } }) },
    });
    await client.send(new CreateTableCommand(tableDefinition(custom)));
    const other = new DynamoDBStore(client, custom.table);
    const put = { pk: { S: 'p' }, sk: { S: 's' }, gsi0pk: { S: 'g' }, gsi0sk: { S: 'h' } };
    await other.put(put);
    await other.update({
      key: { source: 'p', target: 's' },
      set: {},
      unset: [],
      condition: { kind: 'revision', revision: undefined },
    });
    const expected = { ...put, r: { N: '1' } };
    const key = { source: 'p', target: 's' };
    expect((await other.getMany([key], { consistent: true })).items).toEqual([expected]);
    const page = await other.query({ index: 'gsi0', partition: 'g', sortKey: { beginsWith: 'h' }, limit: 1 });
    expect(page).toMatchObject({ items: [put], lastKey: put });
    await other.delete(key);
    expect((await other.get(key, { consistent: true })).item).toBeUndefined();
  });

  describe('leaves out an attribute __proto__ of an item, whose value the SDK loses', () => {
    it('in get, getMany and query', async () => {
      const source = freshPartition();
      const key = { source, target: 'x' };
      await store.put(JSON.parse(`{"source":{"S":"${source}"},"target":{"S":"x"},"__proto__":{"S":"p"}}`));
      const expected = Object.keys(item(source, 'x'));
      const reads = [
        (await store.get(key, { consistent: true })).item,
        (await store.getMany([key], { consistent: true })).items[0],
        (await store.query({ partition: source, consistent: true })).items[0],
      ];
      for (const read of reads) expect(Object.keys(read!).sort()).toEqual(expected);
    });
  });

  describe('classifies', () => {
    it('a table that is not there as fatal, with a hint', async () => {
      const nowhere = new DynamoDBStore(client, { ...graph.table, name: 'no-such-table' });
      const key = { source: 'a', target: 'b' };
      const fatal = { kind: 'fatal', code: 'ResourceNotFoundException', hint: expect.stringContaining('table create') };
      await expect(nowhere.get(key, { consistent: true })).rejects.toMatchObject(fatal);
      await expect(nowhere.getMany([key], { consistent: true })).rejects.toMatchObject(fatal);
      await expect(nowhere.put(item('a', 'b'))).rejects.toMatchObject(fatal);
      await expect(nowhere.delete(key)).rejects.toMatchObject(fatal);
      await expect(nowhere.writeMany([{ delete: key }])).rejects.toMatchObject(fatal);
      await expect(nowhere.query({ partition: 'a' })).rejects.toMatchObject(fatal);
      const update = { key, set: {}, unset: [], condition: { kind: 'revision', revision: undefined } } as const;
      await expect(nowhere.update(update)).rejects.toMatchObject(fatal);
      await expect(nowhere.updateMany([update, { ...update, key: { ...key, source: 'c' } }])).rejects.toMatchObject(
        fatal,
      );
    });

    it('an oversized item as terminal', async () => {
      const failure = store.put(item(freshPartition(), 'x', { b: textOf(410_000) }));
      await expect(failure).rejects.toMatchObject({ kind: 'terminal', code: 'ValidationException' });
    });

    it('a refused connection as retryable, with a hint', async () => {
      const refusing = createClient({ endpoint: `http://127.0.0.1:${await freePort()}`, maxAttempts: 1 });
      const unreachable = new DynamoDBStore(refusing, graph.table);
      const key = { source: 'a', target: 'b' };
      const refused = { kind: 'retryable', code: 'no-connection', hint: expect.stringContaining('edgeloom dev') };
      await expect(unreachable.get(key, { consistent: true })).rejects.toMatchObject(refused);
      const update = { key, set: {}, unset: [], condition: { kind: 'absent' } } as const;
      await expect(unreachable.updateMany([update])).rejects.toMatchObject(refused);
      refusing.destroy();
    });
  });
});
