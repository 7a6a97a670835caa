import { CreateTableCommand } from '@aws-sdk/client-dynamodb';
import { expect, it } from 'vitest';
import { createReader } from '../../src/client/read/reader.ts';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import type { CompiledModel } from '../../src/core/model/compiled.ts';
import type { OpenAttributes } from '../../src/core/model/order.ts';
import { edge, type InboundEntries, node } from '../../src/core/model/schema.ts';
import { createClient } from '../../src/store/client.ts';
import { tableDefinition } from '../../src/store/definition/table-definition.ts';
import { DynamoDBStore } from '../../src/store/dynamodb.ts';
import { describeTable, requireFit } from '../../src/store/table.ts';
import { testEndpoint } from '../support/engine.ts';
import { uniqueTableName } from '../support/table.ts';

/** The same table for two models: the second needs an index and a stream that the table does not have. */
it('a model whose indexes and stream the table does not have is told of each, in description and reads', async () => {
  const table = uniqueTableName();
  const client = createClient({ endpoint: testEndpoint() });
  const edges = (inbound: InboundEntries<OpenAttributes>) => ({ KNOWS: edge({ from: 'USER', to: 'USER', inbound }) });
  const nodes = { USER: node() };
  const small = defineGraph({ table, nodes, edges: edges({ gsi0: 'since' }) });
  const large = defineGraph({ table, nodes, edges: edges({ gsi0: 'since', gsi1: 'until' }) });
  const { StreamSpecification: _, ...withoutStream } = tableDefinition(small);
  await client.send(new CreateTableCommand(withoutStream));

  expect((await describeTable(client, small)).lacks).toEqual(['a stream of new and old images']);
  const status = await describeTable(client, large);
  expect(status.lacks).toEqual([
    'the index gsi1 with the keys gsi1pk and gsi1sk, of all attributes',
    'a stream of new and old images',
  ]);
  expect(() => requireFit(status)).toThrow(
    expect.objectContaining({ code: 'table-differs', message: expect.stringContaining('the index gsi1') }),
  );
  const renamed = defineGraph({ table: { name: table, partitionKey: 'pk' }, nodes });
  expect((await describeTable(client, renamed)).lacks[0]).toBe('the keys pk and target');

  const reader = createReader(large as CompiledModel, { store: new DynamoDBStore(client, large.table) });
  expect(await reader.inbound('KNOWS', 'USER-1', { order: 'gsi0' as never })).toEqual({ items: [] });
  await expect(reader.inbound('KNOWS', 'USER-1', { order: 'gsi1' as never })).rejects.toMatchObject({
    code: 'no-index',
    message: `The table ${table} has no index gsi1, which the model needs.`,
  });
  client.destroy();
});
