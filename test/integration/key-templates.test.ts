import { DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from 'vitest';
import { createReader } from '../../src/client/read/reader.ts';
import { streamLabel } from '../../src/core/items/watermark.ts';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import type { CompiledModel } from '../../src/core/model/compiled.ts';
import { edge, node } from '../../src/core/model/schema.ts';
import { changedTemplates, recordTemplates } from '../../src/migrate/key-templates.ts';
import { DynamoDBStore } from '../../src/store/dynamodb.ts';
import { check } from '../../src/trust/check/check.ts';
import { testTable, uniqueTableName } from '../support/table.ts';

/** A changed template is noticed, and may be taken on purpose. */

function graphOf(name: string, source: string, where?: Record<string, string>) {
  return defineGraph({
    table: { name, partitionKey: 'pk', sortKey: 'sk' },
    nodes: { USER: node({ key: { source, target: 'PROFILE' }, view: ['name'], search: { name: {} } }) },
    edges: { KNOWS: edge({ from: 'USER', to: 'USER', key: { target: 'KNOWS#{to}', ...(where && { where }) } }) },
  });
}

describe('templates of keys', () => {
  it('are recorded, and those that differ refused, with what differs', async () => {
    const name = uniqueTableName();
    const { store } = await testTable(graphOf(name, 'USER#{id}'));
    const before = graphOf(name, 'USER#{id}');
    expect(await changedTemplates(store, before)).toEqual([]);
    await recordTemplates(store, before, false);
    await recordTemplates(store, before, false);
    const after = graphOf(name, 'PERSON#{id}', { _type: 'Knows' });
    expect(await changedTemplates(store, after)).toEqual([
      expect.stringMatching(/^nodes\.USER has .*PERSON#\{id\}.*, the table .*USER#\{id\}/),
      expect.stringMatching(/^edges\.KNOWS has /),
    ]);
    await expect(recordTemplates(store, after, false)).rejects.toMatchObject({ code: 'keys-changed' });
    expect(await changedTemplates(store, before)).toEqual([]);
    await recordTemplates(store, after, true);
    expect(await changedTemplates(store, after)).toEqual([]);
    // A model without templates has others, too.
    const plain = defineGraph({ table: { name, partitionKey: 'pk', sortKey: 'sk' }, nodes: { USER: node({}) } });
    await expect(recordTemplates(store, plain, false)).rejects.toMatchObject({ code: 'keys-changed' });
  });

  it('leave no item in a table whose model has none', async () => {
    const graph = defineGraph({ table: uniqueTableName(), nodes: { USER: node({}) } });
    const { store } = await testTable(graph);
    await recordTemplates(store, graph, false);
    expect((await store.query({ partition: '~edgeloom' })).items).toEqual([]);
  });

  it('that are taken anew let a repair delete what is derived under the old ones', async () => {
    const name = uniqueTableName();
    const old = graphOf(name, 'PERSON#{id}');
    const { client, streamArn, projectAll } = await testTable(old);
    const documents = DynamoDBDocumentClient.from(client);
    for (const pk of ['PERSON#1', 'USER#2']) {
      await documents.send(new PutCommand({ TableName: name, Item: { pk, sk: 'PROFILE', name: pk } }));
    }
    await projectAll();
    const graph: CompiledModel = graphOf(name, 'USER#{id}');
    const other = new DynamoDBStore(client, graph.table);
    const options = { store: other, streamLabel: streamLabel(streamArn), settleMs: 10 };
    const { drift } = await check(graph, options);
    expect([drift.orphan, drift.missing]).toEqual([2, 2]);
    await check(graph, { ...options, mode: 'repair' });
    expect(await check(graph, options)).toMatchObject({ drift: { missing: 0, stale: 0, orphan: 0 } });
    const reader = createReader(graph as ReturnType<typeof graphOf>, { store: other });
    expect((await reader.search('USER.name').equals('USER#2')).items).toMatchObject([{ id: 'USER-2' }]);
    expect((await reader.search('USER.name').equals('PERSON#1')).items).toEqual([]);
  });
});
