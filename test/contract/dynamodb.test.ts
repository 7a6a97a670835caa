import { CreateTableCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import { edge, node } from '../../src/core/model/schema.ts';
import { createClient } from '../../src/store/client.ts';
import { tableDefinition } from '../../src/store/definition/table-definition.ts';
import { DynamoDBStore } from '../../src/store/dynamodb.ts';
import { testEndpoint } from '../support/engine.ts';
import { uniqueTableName } from '../support/table.ts';
import { type Allowance, startThrottlingProxy } from './proxy.ts';
import { contractGraph, ENGINE, freshPartition, item, textOf } from './stores.ts';

/** What only the store on DynamoDB has: batch calls that are processed in part, and errors of the network and the SDK. */
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

  describe('where batch calls are processed in part', () => {
    /** A store behind a proxy that lets through what `allow` says. */
    async function throttled<T>(allow: Allowance, run: (slow: DynamoDBStore) => Promise<T>): Promise<T> {
      const proxy = await startThrottlingProxy(testEndpoint(), allow);
      const slowClient = createClient({ endpoint: proxy.endpoint });
      try {
        return await run(new DynamoDBStore(slowClient, graph.table));
      } finally {
        slowClient.destroy();
        await proxy.stop();
      }
    }

    it('reads the rest of the keys until all are read', async () => {
      const source = freshPartition();
      const targets = Array.from({ length: 7 }, (_, i) => String(i));
      await store.writeMany(targets.map((target) => ({ put: item(source, target) })));
      let call = 0;
      // Three at a time, and every other call none at all.
      const result = await throttled(
        (entries) => (call++ % 2 === 0 ? Math.min(3, entries) : 0),
        (slow) =>
          slow.getMany(
            targets.map((target) => ({ source, target })),
            { consistent: true },
          ),
      );
      expect(result.items).toEqual(targets.map((target) => item(source, target)));
      expect(result.calls).toBe(5);
      expect(result.rcu).toBe(7);
    });

    it('writes the rest of the items until all are written', async () => {
      const source = freshPartition();
      const writes = Array.from({ length: 7 }, (_, i) => ({ put: item(source, String(i)) }));
      let call = 0;
      const result = await throttled(
        (entries) => (call++ % 2 === 0 ? Math.min(3, entries) : 0),
        (slow) => slow.writeMany(writes),
      );
      expect(result).toEqual({ wcu: 7, calls: 5 });
      expect((await store.query({ partition: source, consistent: true })).count).toBe(7);
    });

    it('gives up as throttled, to be retried, where nothing is processed any more', async () => {
      const source = freshPartition();
      // Waits between the tries have no length.
      vi.spyOn(Math, 'random').mockReturnValue(0);
      const failure = throttled(
        () => 0,
        (slow) => slow.writeMany([{ put: item(source, 'x') }]),
      );
      await expect(failure).rejects.toMatchObject({
        kind: 'retryable',
        code: 'ProvisionedThroughputExceededException',
      });
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
      const refusing = createClient({ endpoint: await deadEndpoint(), maxAttempts: 1 });
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

/** An endpoint at which nothing listens any more. */
async function deadEndpoint(): Promise<string> {
  const { endpoint, stop } = await startThrottlingProxy(testEndpoint(), () => 0);
  await stop();
  return endpoint;
}
