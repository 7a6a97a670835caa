import { DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb';
import { check, createSources, DynamoDBSourceStore } from 'edgeloom/admin';
import { type Local, startLocal } from 'edgeloom/local';
import { afterAll, beforeAll, expect, it } from 'vitest';
import graph, { sources } from '../edgeloom.config.ts';

/** Items as your application writes them: put some of each kind here. */
const ITEMS: Record<string, unknown>[] = [];

let local: Local;
beforeAll(async () => {
  local = await startLocal(graph, { sources });
});
afterAll(() => local.stop());

it('makes nodes and edges of what the application writes', async () => {
  const { client, store, mirrors, worker } = local;
  const application = DynamoDBDocumentClient.from(client);
  const [{ name }] = sources;
  await Promise.all(ITEMS.map((Item) => application.send(new PutCommand({ TableName: name, Item }))));
  await mirrors?.idle();
  await worker.idle();

  const openTable = (table: string) => new DynamoDBSourceStore(client, table);
  const { sync } = createSources(graph, { sources, store, openTable });
  const compared = await sync(name, { dryRun: true, graceMs: 0 });
  expect(compared).toMatchObject({ items: ITEMS.length, differences: [], refused: [], conflicts: [] });
  expect((await check(graph, { store, graceMs: 0 })).drift).toEqual({ missing: 0, stale: 0, orphan: 0 });
}, 60_000);
